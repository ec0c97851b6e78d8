"""
Does it work with the tools I have?
===================================

It is an estimator of scikit-learn: pipelines, grid search, cross-validation and
inspection work as with any other estimator.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV

from treeproof import OptimalTreeClassifier

wine = load_wine(as_frame=True)
search = GridSearchCV(
    OptimalTreeClassifier(max_depth=2),
    {"split_penalty": [0.05, 0.02, 0.01, 0.005]},
    cv=5,
).fit(wine.data, wine.target)
print(search.best_params_, round(search.best_score_, 3))

# %%
# Which columns matter to the tree it chose:

found = permutation_importance(
    search.best_estimator_, wine.data, wine.target, n_repeats=10, random_state=0
)
order = found.importances_mean.argsort()[-5:]
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh(wine.data.columns[order], found.importances_mean[order])
ax.set_xlabel("accuracy lost if the column is shuffled")

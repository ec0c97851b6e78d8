"""
How sure is a fit that was stopped?
===================================

A search that runs out of time still returns two numbers: the cost of the best tree
found, and a lower bound on the cost of every tree. The gap between them shrinks over
time.
"""

import warnings

from treeproof import OptimalTreeClassifier
from treeproof.datasets import make_planted_tree

X, y = make_planted_tree(
    1000, n_features=60, n_splits=8, label_noise=0.2, random_state=0, return_X_y=True
)
with warnings.catch_warnings():  # the ConvergenceWarning says what follows
    warnings.simplefilter("ignore")
    clf = OptimalTreeClassifier(split_penalty=0.01, time_limit=2.0).fit(X, y)
print(clf.certificate())

# %%
# The history of the fit:

clf.history_.plot()

"""
How many, and how much at most?
===============================

Counts are not spread evenly around their mean: where more is expected, more is left to
chance. The Poisson deviance knows that. And where a worst case matters more than a
mean, one tree can serve several quantiles at once.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_linnerud

from treeproof import OptimalTreeRegressor

bunch = load_linnerud(as_frame=True)
body, exercises = bunch.target, bunch.data  # how often each man did each exercise
model = OptimalTreeRegressor(0.02, criterion="poisson", max_depth=2)
model.fit(body, exercises)
print(model.certificate())
model.plot()

# %%
# The leaves predict the mean number of chins, situps and jumps. Now quantiles: the
# progression of diabetes after a year, with the range that holds four of five patients.

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
levels = [0.1, 0.5, 0.9]
quantiles = OptimalTreeRegressor(
    0.02, criterion="quantile", quantile=levels, max_depth=2
).fit(X[["bmi", "bp", "s5"]], y)
print(quantiles.export_text())

# %%
# Leaves differ in their spread as well as in their middle.

order = np.argsort(quantiles.tree_.value[:, 1])
leaves = [node for node in order if quantiles.tree_.n_children[node] == 0]
low, middle, high = quantiles.tree_.value[leaves].T
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.errorbar(
    range(len(leaves)), middle, [middle - low, high - middle], fmt="o", capsize=4
)
ax.set_xlabel("leaf")
ax.set_ylabel("progression")

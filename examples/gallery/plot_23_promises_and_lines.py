"""
Can a tree keep a score in order, be a list of rules, hold lines?
=================================================================

The best tree is not always one that people accept. A score that falls when the blood
pressure rises is hard to explain, and so is a tree of many branches. Both can be ruled
out, and the price is known: the fit finds the cheapest tree that is left.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor

bunch = load_diabetes(as_frame=True, scaled=False)
X = bunch.data[["age", "bmi", "bp", "s5"]]
y = np.where(bunch.target > 150, "fast", "slow")
free = OptimalTreeClassifier(0.005, max_depth=3).fit(X, y)
free.plot()

# %%
# A BMI between 26.95 and 27.6 is "slow" in one place, and lower and higher ones are
# "fast". With directions that cannot be: no rise of the BMI, the blood pressure or s5
# may turn "fast" into "slow".

order = {"bmi": -1, "bp": -1, "s5": -1}
ordered = OptimalTreeClassifier(0.005, max_depth=3, monotonic_cst=order).fit(X, y)
print(ordered.certificate())
ordered.plot()

# %%
# A list of rules: at least one child of every split is a leaf.

rules = OptimalTreeClassifier(0.005, max_depth=3, shape="list").fit(X, y)
print(rules.certificate())
rules.plot()

# %%
# What each of them costs, on the rows that they were fitted to:

models = {"free": free, "in order": ordered, "list": rules}
fig, ax = plt.subplots(figsize=(5, 2.5), layout="constrained")
ax.barh(list(models), [model.objective_ for model in models.values()])
ax.set_xlabel("cost")

# %%
# And for numbers: a leaf may hold a line instead of a constant. Splits are then needed
# only where the slope changes, and here it does not: one line is enough.

target = bunch.target
lines = OptimalTreeRegressor(
    0.02, leaf="linear", linear_features=["bmi"], max_depth=1, min_samples_leaf=20
).fit(X[["bmi"]], target)
constants = OptimalTreeRegressor(0.02, max_depth=2).fit(X[["bmi"]], target)
print(lines.export_text())
grid = X[["bmi"]].sort_values("bmi")
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(X["bmi"], target, ".", color="0.7")
ax.plot(grid["bmi"], constants.predict(grid), label="constants")
ax.plot(grid["bmi"], lines.predict(grid), label="lines")
ax.set_xlabel("bmi")
ax.set_ylabel("progression")
ax.legend()

"""
Which penalty should I take? All of them
========================================

Few trees are optimal for some penalty, and `penalty_path` finds all of them with their
exact ranges of penalties. There is no grid, so that no tree in between is missed.
"""

import matplotlib.pyplot as plt

from treeproof import penalty_path
from treeproof.datasets import load_balance_scale

X, y = load_balance_scale(return_X_y=True)
path = penalty_path(X, y, low=0.008)
print(path)

# %%
# Each step of the staircase is one tree, optimal for all penalties of the step:

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for point in path:
    low, high = point.interval
    ax.plot([low, high], [point.n_splits] * 2, linewidth=3, color="C0")
ax.set_xscale("log")
ax.set_xlabel("penalty of a split")
ax.set_ylabel("splits of the optimal tree")

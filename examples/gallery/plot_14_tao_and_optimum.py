"""
How far from the best are CART and alternating optimisation?
============================================================

Tree alternating optimisation takes CART's tree and improves one node after the other
until nothing changes. That is a good heuristic; the optimum says how good.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from treeproof import OptimalTreeRegressor
from treeproof.tao import TaoTreeRegressor

X, y = load_diabetes(return_X_y=True)
depths = [1, 2, 3]
tao = [TaoTreeRegressor(depth).fit(X, y) for depth in depths]
best = [OptimalTreeRegressor(0.0, max_depth=depth).fit(X, y) for depth in depths]
variance = y.var()

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(depths, [t.losses_[0] / variance for t in tao], "o-", label="CART")
ax.plot(depths, [t.losses_[-1] / variance for t in tao], "s-", label="TAO")
ax.plot(depths, [t.objective_ for t in best], "*-", markersize=10, label="optimal")
ax.set_xticks(depths)
ax.set_xlabel("depth")
ax.set_ylabel("share of the variance that is left")
ax.legend(frameon=False)
for depth, tree in zip(depths, best, strict=True):
    print(f"depth {depth}: {tree.certificate()}")

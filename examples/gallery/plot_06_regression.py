"""
What do optimal regression trees look like?
===========================================

Which two thresholds describe the bump best? The optimal tree cuts on its left and on
its right. CART chooses its first threshold where this threshold alone gains most, which
is too far to the right, and cannot revise the choice.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeRegressor

from treeproof import OptimalTreeRegressor

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 10, 300))
y = np.exp(-((x - 5) ** 2) / 2) + rng.normal(0, 0.1, len(x))
X = x[:, None]

optimal = OptimalTreeRegressor(split_penalty=0.001, max_splits=2).fit(X, y)
greedy = DecisionTreeRegressor(max_leaf_nodes=3, random_state=0).fit(X, y)
print(optimal.certificate())

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(x, y, ".", color="0.75")
ax.plot(x, greedy.predict(X), "--", label=f"greedy, R2 {greedy.score(X, y):.2f}")
ax.plot(x, optimal.predict(X), label=f"optimal, R2 {optimal.score(X, y):.2f}")
ax.set_xlabel("x")
ax.set_ylabel("y")
ax.legend(frameon=False)

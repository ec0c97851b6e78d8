"""
What do optimal regression trees look like?
===========================================

A noisy step function with four levels. The optimal tree with three splits recovers the
steps; CART puts its first split where the gain is largest and has to live with it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeRegressor

from treeproof import OptimalTreeRegressor

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 10, 300))
levels = np.select([x < 2, x < 5, x < 6], [1.0, 3.0, 0.5], 2.5)
y = levels + rng.normal(0, 0.4, len(x))
X = x[:, None]

optimal = OptimalTreeRegressor(split_penalty=0.001, max_splits=3).fit(X, y)
greedy = DecisionTreeRegressor(max_leaf_nodes=4, random_state=0).fit(X, y)
print(optimal.certificate())

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(x, y, ".", color="0.75")
ax.plot(x, greedy.predict(X), label=f"greedy, R2 {greedy.score(X, y):.3f}")
ax.plot(x, optimal.predict(X), label=f"optimal, R2 {optimal.score(X, y):.3f}")
ax.legend(frameon=False)

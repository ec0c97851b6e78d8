"""
What if the border is a slanted line?
=====================================

Trees with splits on one column need a staircase. `ObliqueTreeClassifier` splits by
lines through the data, and proves its tree optimal too.
"""

import matplotlib.pyplot as plt
import numpy as np

from treeproof import ObliqueTreeClassifier, OptimalTreeClassifier

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (40, 2))
y = (X[:, 0] + X[:, 1] > 0.1).astype(int)
models = {
    "splits on one column": OptimalTreeClassifier(0.02).fit(X, y),
    "splits by lines": ObliqueTreeClassifier(split_penalty=0.02, max_splits=1).fit(
        X, y
    ),
}

grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 150)] * 2), axis=-1).reshape(-1, 2)
fig, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    ax.imshow(
        model.predict(grid).reshape(150, 150),
        extent=(-1, 1, -1, 1), origin="lower", alpha=0.25, cmap="coolwarm",
    )  # fmt: skip
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=18)
    ax.set_title(f"{name}: {model.n_splits_} splits", loc="left", fontsize=10)

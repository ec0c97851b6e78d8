"""
Can a tree learn from a stream what greedy online trees miss?
=============================================================

The label is the XOR of two bits among a hundred. A Hoeffding tree waits for a split
that gains something by itself, and none does. Online-BRANCHES searches whole trees
while rows come in.
"""

import matplotlib.pyplot as plt
from river import tree

from treeproof.stream import OnlineBranchesClassifier
from treeproof.stream.datasets import xor

models = {
    "Online-BRANCHES": OnlineBranchesClassifier(split_penalty=0.01, window_size=500),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
}
every = 100
curves = {name: [] for name in models}
for name, model in models.items():
    right = 0
    for seen, (x, y) in enumerate(xor(n_features=100, n_samples=3000, seed=1), start=1):
        right += model.predict_one(x) == y
        model.learn_one(x, y)
        if seen % every == 0:
            curves[name].append((seen, right / every))
            right = 0

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, curve in curves.items():
    ax.plot(*zip(*curve, strict=True), label=name)
ax.set_xlabel("rows seen")
ax.set_ylabel(f"right among the last {every}")
ax.legend(frameon=False)

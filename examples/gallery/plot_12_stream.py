"""
Can a tree learn from a stream what greedy online trees miss?
=============================================================

The label is the XOR of two bits among twenty. Online-BRANCHES keeps statistics of
branches, not of one growing tree, and finds it from some thousand rows.
"""

import matplotlib.pyplot as plt

from treeproof.stream import OnlineBranchesClassifier
from treeproof.stream.datasets import xor

model = OnlineBranchesClassifier(split_penalty=0.01, window_size=500)
right, curve = 0, []
for seen, (x, y) in enumerate(xor(n_features=20, n_samples=3000, seed=1), start=1):
    right += model.predict_one(x) == y
    model.learn_one(x, y)
    if seen % 50 == 0:
        curve.append((seen, right / 50))
        right = 0

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(*zip(*curve, strict=True))
ax.set_xlabel("rows seen")
ax.set_ylabel("right among the last 50")
ax.set_title(f"{model.n_splits_} splits in the end", loc="left")

"""
Why not simply grow a greedy tree?
==================================

The label is the XOR of two bits; ten further bits are irrelevant. No single bit helps,
so a greedy tree has to guess its first split. A search over whole trees need not.
"""

import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

from treeproof import OptimalTreeClassifier
from treeproof.datasets import make_xor

X, y = make_xor(400, n_noise=10, random_state=1, return_X_y=True)

optimal = OptimalTreeClassifier(split_penalty=0.01).fit(X, y)
print(optimal.certificate())

# %%
# Three splits are enough. How many does a greedy tree need for the same accuracy?

depths = range(1, 9)
greedy = [
    DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    for depth in depths
]
splits = [tree.get_n_leaves() - 1 for tree in greedy]
accuracy = [tree.score(X, y) for tree in greedy]

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(splits, accuracy, "o-", label="greedy trees of depth 1 to 8")
ax.plot(optimal.n_splits_, optimal.score(X, y), "*", markersize=15, label="optimal")
ax.set_xlabel("splits")
ax.set_ylabel("accuracy on the training rows")
ax.legend(frameon=False)

# %%
# The optimal tree itself:

optimal.plot()

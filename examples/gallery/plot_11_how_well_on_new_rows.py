"""
How well will it do on new rows, and how large should it be?
============================================================

A bound on the true error answers both questions without held-out rows. It grows with
the number of ways in which trees of this shape can divide the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from treeproof.generalization import prune

X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
noisy = np.where(rng.random(len(y)) < 0.1, 1 - y, y)  # one label in ten is wrong
X_train, X_test, y_train, y_test = train_test_split(X, noisy, random_state=0)
grown = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X_train, y_train)
path = prune(grown, X_train, y_train)
print(path)

# %%
# Trees of all sizes on the same rows:

sizes = range(2, 41)
trees = [
    DecisionTreeClassifier(max_leaf_nodes=k, random_state=0).fit(X_train, y_train)
    for k in sizes
]
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(sizes, [1 - t.score(X_train, y_train) for t in trees], label="training rows")
ax.plot(sizes, [1 - t.score(X_test, y_test) for t in trees], label="new rows")
ax.axvline(
    path.tree.get_n_leaves(), color="0.4", linestyle=":", label="chosen by bound"
)
ax.set_xlabel("leaves")
ax.set_ylabel("errors")
ax.legend(frameon=False)

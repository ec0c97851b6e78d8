"""
Should I one-hot encode my categories?
======================================

No. A multiway split asks for a category once and has a child for each answer; one-hot
encoding needs a split for each, and the optimal tree is larger and takes longer to
find. Tic-tac-toe boards: did x win?
"""

import time

import matplotlib.pyplot as plt
import pandas as pd

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(as_frame=True, return_X_y=True)
encodings = {
    "as they are": (X, {}),
    "one against the rest": (X, {"categorical_split": "one-vs-rest"}),
    "one-hot": (pd.get_dummies(X).astype(int), {}),
}
rows = []
for name, (table, options) in encodings.items():
    start = time.process_time()
    clf = OptimalTreeClassifier(0.01, **options).fit(table, y)
    seconds = time.process_time() - start
    rows.append((name, clf.n_splits_, clf.score(table, y), seconds, clf.optimal_))
    print(f"{name:22} {clf.n_splits_} splits, accuracy {clf.score(table, y):.3f}")

# %%
# How long the proofs took:

fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.barh([row[0] for row in rows], [row[3] for row in rows])
ax.invert_yaxis()
ax.set_xscale("log")
ax.set_xlabel("seconds to the proof")

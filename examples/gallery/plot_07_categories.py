"""
Should I one-hot encode my categories?
======================================

You need not. With ``categorical_split="one-vs-rest"`` a tree tests ``column = value``,
the tests that one-hot columns would offer. With ``"multiway"`` a split has one
child for each category. By default both kinds of splits compete at every node. Which of
them makes the better tree depends on the table. Here the question is who has won a game
of tic-tac-toe.
"""

import time

import matplotlib.pyplot as plt
import pandas as pd

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(as_frame=True, return_X_y=True)
encodings = {
    "both kinds (default)": (X, {}),
    "one child per category": (X, {"categorical_split": "multiway"}),
    "one against the rest": (X, {"categorical_split": "one-vs-rest"}),
    "one-hot columns": (pd.get_dummies(X).astype(int), {}),
}
rows = []
for name, (table, options) in encodings.items():
    start = time.process_time()
    clf = OptimalTreeClassifier(0.01, **options).fit(table, y)
    seconds = time.process_time() - start
    rows.append((name, seconds))
    size = f"{clf.n_splits_} splits, accuracy {clf.score(table, y):.3f}"
    print(f"{name:22} {size}, objective {clf.objective_:.3f}, {clf.status_}")

# %%
# How long the proofs took:

fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.barh([row[0] for row in rows], [row[1] for row in rows])
ax.invert_yaxis()
ax.set_xlabel("CPU seconds to the proof")

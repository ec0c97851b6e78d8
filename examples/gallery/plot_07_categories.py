"""
Should I one-hot encode my categories?
======================================

You need not. With ``categorical_split="one-vs-rest"`` a tree asks ``column = value?``,
the questions that one-hot columns would ask, and the search is no slower. By default a
split has a child for each category and costs one penalty whatever their number. Which
trees are better depends on the table. Tic-tac-toe boards: did x win?
"""

import time

import matplotlib.pyplot as plt
import pandas as pd

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(as_frame=True, return_X_y=True)
encodings = {
    "a child per category": (X, {}),
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

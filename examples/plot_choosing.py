"""The pictures of docs/choosing.md: a path, a choice on it, and alternatives.

Run it with the folder to write to: ``python examples/plot_choosing.py docs/images``.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from sklearn.model_selection import StratifiedKFold

from treeproof import OptimalTreeClassifier, OptimalTreeClassifierCV
from treeproof.datasets import load_monks, load_tic_tac_toe

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# Which size? All optimal trees for tic-tac-toe, and the one that does best on new rows.
X, y = load_tic_tac_toe(as_frame=True, return_X_y=True)
base = OptimalTreeClassifier(categorical_split="one-vs-rest")
folds = StratifiedKFold(5, shuffle=True, random_state=0)
model = OptimalTreeClassifierCV(base, low=0.004, cv=folds).fit(X, y)
print(model.path_)
model.plot_path().figure.savefig(folder / "choosing_path.png", dpi=100)

# Which tree? Near-optimal trees of the third MONK's problem, by the columns they test.
X, y = load_monks(3, as_frame=True, return_X_y=True)
clf = OptimalTreeClassifier(0.01, categorical_split="one-vs-rest").fit(X, y)
trees = clf.near_optimal(0.03)
print(trees)
trees.plot().figure.savefig(folder / "choosing_columns.png", dpi=100)

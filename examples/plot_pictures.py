"""The pictures of docs/pictures.md and the tutorial: trees, and a fit over time.

Run it with the folder to write to: ``python examples/plot_pictures.py docs/images``.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.datasets import load_monks, load_tic_tac_toe

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def save(axes, name, dpi=100):
    axes.figure.savefig(folder / name, dpi=dpi)


# Categories: the first of the MONK's problems.
X, y = load_monks(1, as_frame=True, return_X_y=True)
y = y.map({0: "stranger", 1: "member"})
save(OptimalTreeClassifier(0.005).fit(X, y).plot(), "tree_monk1.png")

# Numbers, with units.
iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
y = iris.target_names[iris.target]
model = OptimalTreeClassifier(0.01, max_depth=3).fit(X, y)
save(model.plot(units=dict.fromkeys(X, "cm")), "tree_iris.png")

# The card of the tutorial.
table = load_breast_cancer(as_frame=True)
y = table.target.map({0: "malignant", 1: "benign"})
X, _, y, _ = train_test_split(table.data, y, random_state=0)
save(OptimalTreeClassifier(0.005, max_depth=2).fit(X, y).plot(), "tree_tutorial.png")

# Dozens of splits still fit on a page.
X, y = load_tic_tac_toe(as_frame=True, return_X_y=True)
model = OptimalTreeClassifier(0.0028).fit(X, y)
print(model.n_splits_, "splits")
save(model.plot(), "tree_large.png", dpi=72)
save(model.history_.plot(), "bounds.png")

# Regression: darker is more.
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = OptimalTreeRegressor(0.01, max_depth=2).fit(X, np.asarray(y))
save(model.plot(), "tree_regression.png")

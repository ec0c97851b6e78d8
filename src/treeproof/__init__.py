"""Optimal decision trees with a proof that no better tree exists."""

from treeproof.classifier import OptimalTreeClassifier
from treeproof.export.json import from_json
from treeproof.oblique import ObliqueTreeClassifier
from treeproof.observers import watch
from treeproof.path import (
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
    penalty_path,
)
from treeproof.regressor import OptimalTreeRegressor
from treeproof.stopping import stop_when
from treeproof.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "ObliqueTreeClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "Tree",
    "__version__",
    "from_json",
    "penalty_path",
    "stop_when",
    "watch",
]

"""Optimal decision trees with a proof that no better tree exists."""

from treeproof.estimators.classifier import OptimalTreeClassifier
from treeproof.estimators.oblique import ObliqueTreeClassifier
from treeproof.estimators.regressor import OptimalTreeRegressor
from treeproof.export.json import from_json
from treeproof.path import (
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
    penalty_path,
)
from treeproof.solving.observers import watch
from treeproof.solving.stopping import stop_when
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

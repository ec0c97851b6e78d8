"""The exact regularisation path: every tree that is optimal for some penalty."""

from treeproof.path.cross_validation import (
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
)
from treeproof.path.result import PathPoint, PenaltyPath
from treeproof.path.tracing import penalty_path

__all__ = [
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressorCV",
    "PathPoint",
    "PenaltyPath",
    "penalty_path",
]

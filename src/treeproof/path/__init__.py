"""The exact regularisation path: every tree that is optimal for some penalty."""

from treeproof.path.result import PathPoint, PenaltyPath
from treeproof.path.tracing import penalty_path

__all__ = ["PathPoint", "PenaltyPath", "penalty_path"]

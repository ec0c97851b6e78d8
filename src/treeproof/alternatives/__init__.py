"""Other trees that are as good as the best one, or nearly so: the Rashomon set."""

from treeproof.alternatives.result import NearOptimalSet, NearTree, TooManyTreesError

__all__ = ["NearOptimalSet", "NearTree", "TooManyTreesError"]

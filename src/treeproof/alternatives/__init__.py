"""Other trees that are as good as the best one, or nearly so: the Rashomon set."""

from treeproof.alternatives.near_tree import NearTree
from treeproof.alternatives.result import NearOptimalSet, TooManyTreesError

__all__ = ["NearOptimalSet", "NearTree", "TooManyTreesError"]

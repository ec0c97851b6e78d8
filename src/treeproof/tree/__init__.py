"""The fitted tree: its table of nodes, where rows end, and how it is shown as text."""

from treeproof.kinds import ABSENT, EQUALS, LEAF, MULTIWAY, SUBSET, THRESHOLD
from treeproof.tree.choice import Choice
from treeproof.tree.routing import Columns
from treeproof.tree.tree import NO_FEATURE, PROBABILITY_MEASURES, Tree

__all__ = [
    "ABSENT",
    "EQUALS",
    "LEAF",
    "MULTIWAY",
    "NO_FEATURE",
    "PROBABILITY_MEASURES",
    "SUBSET",
    "THRESHOLD",
    "Choice",
    "Columns",
    "Tree",
]

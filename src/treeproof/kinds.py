"""The kinds of columns and of nodes, and where a split sends missing values.

They are written here once, below everything that speaks of them.
"""

from __future__ import annotations

__all__ = [
    "ABSENT",
    "BY_CATEGORY",
    "EQUALS",
    "LEAF",
    "MULTIWAY",
    "NO",
    "ONE_EACH",
    "ONE_VS_REST",
    "ORDERED",
    "OWN",
    "REFUSED",
    "STAYS",
    "SUBSET",
    "THRESHOLD",
    "YES",
]

ORDERED, ONE_EACH, ONE_VS_REST = 0, 1, 2
"""The kinds of columns that engines take: any threshold may split the values, a split
has one child for each value, or a split separates one value from the rest."""

LEAF, THRESHOLD, EQUALS, MULTIWAY, ABSENT, SUBSET = 0, 1, 2, 3, 4, 5

BY_CATEGORY = (MULTIWAY, SUBSET)
"""The kinds whose outcomes are categories."""

REFUSED, YES, NO, OWN, STAYS = -1, 0, 1, 2, 3
"""What becomes of a missing value at a split: the tree does not take it; it goes with
yes or with no; it has a child of its own; it stays, and gets the node's value."""

"""How a node sends a row on: a list of branches, of which the first that holds counts.

The kinds of nodes differ in their tables; to a writer of SQL or Python they are the
same thing, a list of conditions with a target each, the last condition being
"otherwise". A further outcome of a split is one more branch here, and one more case in
each writer.

A missing value meets no condition. One of the branches is marked as the one it takes;
where none is, the tree does not take missing values. `Nothing` is the condition of a
branch for missing values alone.

A target is a node. Where a row has to stay at the node that tests it, because its
category was not seen there, the target is that node itself and `stays` is true: the row
gets the value of the node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treeproof.columns import Column
from treeproof.kinds import (
    BY_CATEGORY,
    EQUALS,
    LEAF,
    NO,
    OWN,
    STAYS,
    THRESHOLD,
    YES,
)
from treeproof.tree import Tree

__all__ = [
    "Among",
    "AtMost",
    "Branch",
    "Condition",
    "Nothing",
    "Otherwise",
    "branches",
    "check_exportable",
]


@dataclass(frozen=True)
class AtMost:
    """The value, as a double, is at most the threshold."""

    threshold: float


@dataclass(frozen=True)
class Among:
    """The value is one of these categories, given by their codes."""

    codes: tuple[int, ...]

    def values(self, column: Column) -> list[Any]:
        """Return the categories themselves."""
        assert column.categories is not None
        return [column.categories[code] for code in self.codes]


@dataclass(frozen=True)
class Otherwise:
    """None of the conditions before holds."""


@dataclass(frozen=True)
class Nothing:
    """No value holds; the branch is for missing values alone."""


Condition = AtMost | Among | Otherwise | Nothing


@dataclass(frozen=True)
class Branch:
    """One way on from a node."""

    condition: Condition
    target: int
    stays: bool = False
    missing: bool = False  # whether missing values go this way


def branches(tree: Tree, node: int) -> list[Branch]:
    """Return the ways on from a node; none for a leaf.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> tree = OptimalTreeClassifier().fit([["a"], ["b"], ["b"]], [0, 1, 1]).tree_
    >>> for branch in branches(tree, 0):
    ...     print(branch)
    Branch(condition=Among(codes=(0,)), target=1, stays=False, missing=False)
    Branch(condition=Among(codes=(1,)), target=2, stays=False, missing=False)
    Branch(condition=Otherwise(), target=0, stays=True, missing=True)
    """
    kind, missing = tree.kind[node], int(tree.missing[node])
    if kind == LEAF:
        return []
    if kind in BY_CATEGORY:
        return _by_category(tree, node)
    child = tree.child_by_outcome(node)
    yes: Condition = Nothing()
    if kind == THRESHOLD:
        yes = AtMost(float(tree.threshold[node]))
    elif kind == EQUALS:
        yes = Among((int(tree.category[node]),))
    ways = [
        _to(yes, child.get(YES), node, missing == YES),
        _to(Otherwise(), child.get(NO), node, missing == NO),
    ]
    if missing == OWN:
        ways.insert(0, _to(Nothing(), child.get(OWN), node, True))
    return ways


def _by_category(tree: Tree, node: int) -> list[Branch]:
    gone = tree.columns[tree.feature[node]].missing_code
    ways = []
    for target, codes in tree.outcome_groups(node):
        known = tuple(code for code in codes if code != gone)
        condition: Condition = Among(known) if known else Nothing()
        ways.append(Branch(condition, target, missing=gone in codes))
    ways.sort(key=lambda way: not isinstance(way.condition, Nothing))
    stays = int(tree.missing[node]) == STAYS
    return [*ways, Branch(Otherwise(), node, stays=True, missing=stays)]


def check_exportable(tree: Tree) -> Tree:
    """Return the tree; ValueError if it asks what other programs cannot be asked.

    Learners on streams know missing values: they ask whether a number is there at all
    (``x <= inf``), and have None among their categories.
    """
    tested = set(tree.feature[tree.kind != LEAF].tolist())
    for j in sorted(tested):
        column = tree.columns[j]
        cuts = tree.threshold[(tree.feature == j) & (tree.kind == THRESHOLD)]
        odd = column.categories is not None and column.categories.dtype == object
        if not np.isfinite(cuts).all() or (
            odd and not all(isinstance(v, str) for v in column.categories)  # type: ignore[union-attr]
        ):
            raise ValueError(
                f"The tree asks whether the value of {column.name!r} is there at all "
                "or mixes types in it; such trees of streams cannot be exported."
            )
    return tree


def _to(condition: Condition, child: int | None, node: int, missing: bool) -> Branch:
    if child is None:
        return Branch(condition, node, stays=True, missing=missing)
    return Branch(condition, child, missing=missing)

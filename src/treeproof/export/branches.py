"""How a node sends a row on: a list of branches, of which the first that holds counts.

The four kinds of nodes differ in their tables; to a writer of SQL or Python they are
the same thing, a list of conditions with a target each, the last condition being
"otherwise". A further outcome of a split is one more branch here, and one more case in
each writer.

A target is a node. Where a row has to stay at the node that tests it, because its
category was not seen there, the target is that node itself and `stays` is true: the row
gets the value of the node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treeproof.columns import Column
from treeproof.tree import EQUALS, LEAF, THRESHOLD, Tree

__all__ = [
    "Among",
    "AtMost",
    "Branch",
    "Condition",
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
        """Return the categories themselves as plain Python values."""
        assert column.categories is not None
        return [column.categories[code] for code in self.codes]


@dataclass(frozen=True)
class Otherwise:
    """None of the conditions before holds."""


Condition = AtMost | Among | Otherwise


@dataclass(frozen=True)
class Branch:
    """One way on from a node."""

    condition: Condition
    target: int
    stays: bool = False


def branches(tree: Tree, node: int) -> list[Branch]:
    """Return the ways on from a node; none for a leaf.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> tree = OptimalTreeClassifier().fit([["a"], ["b"], ["b"]], [0, 1, 1]).tree_
    >>> for branch in branches(tree, 0):
    ...     print(branch)
    Branch(condition=Among(codes=(0,)), target=1, stays=False)
    Branch(condition=Among(codes=(1,)), target=2, stays=False)
    Branch(condition=Otherwise(), target=0, stays=True)
    """
    if tree.kind[node] == LEAF:
        return []
    slots = tree.slots(node)
    targets = tree.children[slots].tolist()
    outcomes = tree.child_outcome[slots].tolist()
    if tree.kind[node] in (THRESHOLD, EQUALS):
        child = dict(zip(outcomes, targets, strict=True))
        yes: Condition = (
            AtMost(float(tree.threshold[node]))
            if tree.kind[node] == THRESHOLD
            else Among((int(tree.category[node]),))
        )
        return [_to(yes, child.get(0), node), _to(Otherwise(), child.get(1), node)]
    groups: dict[int, list[int]] = {}
    for target, code in zip(targets, outcomes, strict=True):
        groups.setdefault(target, []).append(code)
    ways = [Branch(Among(tuple(codes)), target) for target, codes in groups.items()]
    return [*ways, Branch(Otherwise(), node, stays=True)]


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


def _to(condition: Condition, child: int | None, node: int) -> Branch:
    if child is None:
        return Branch(condition, node, stays=True)
    return Branch(condition, child)

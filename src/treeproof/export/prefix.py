"""The top of a fitted tree as a partial tree, which ``prefix=`` of a new fit takes."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from treeproof.columns import plain
from treeproof.kinds import ABSENT, EQUALS, LEAF, MULTIWAY, NO, OWN, SUBSET, YES
from treeproof.tree import Tree

__all__ = ["tree_to_prefix"]


def tree_to_prefix(
    tree: Tree,
    *,
    max_depth: int | None = None,
    opened: Container[int] = (),
    closed: Container[int] = (),
) -> Any:
    """Return the top of a tree as a partial tree.

    Parameters
    ----------
    tree : Tree
        A fitted tree.
    max_depth : int or None
        The depth from which on the search decides; None for the whole tree.
    opened : container of int
        Further nodes where the search decides.
    closed : container of int
        Nodes that must be leaves, whatever they are in the tree.

    Returns
    -------
    dict, "leaf" or None
        What ``prefix`` takes; None if nothing is given.
    """
    return _node(tree, 0, max_depth, opened, closed)


def _node(
    tree: Tree,
    node: int,
    levels: int | None,
    opened: Container[int],
    closed: Container[int],
) -> dict[str, Any] | str | None:
    if levels == 0 or node in opened:
        return None
    if tree.kind[node] == LEAF or node in closed:
        return "leaf"
    column, kind = tree.columns[tree.feature[node]], tree.kind[node]
    slots = tree.slots(node)
    outcomes = tree.child_outcome[slots].tolist()
    children = tree.children[slots].tolist()
    fewer = None if levels is None else levels - 1
    below = {child: _node(tree, child, fewer, opened, closed) for child in children}
    made: dict[str, Any] = {"feature": column.name}
    if kind == MULTIWAY:
        assert column.categories is not None
        named = {
            plain(column.categories[code]): below[child]
            for code, child in zip(outcomes, children, strict=True)
            if code < len(column.categories)
        }
        return made | {"children": named}
    if kind == SUBSET:
        return made | _groups(tree, node, below)
    sides = dict(zip(outcomes, children, strict=True))
    if kind == ABSENT:
        made["test"] = "missing"
    elif kind == EQUALS:
        assert column.categories is not None
        made["category"] = plain(column.categories[tree.category[node]])
    else:
        made["threshold"] = float(tree.threshold[node])
    if column.has_missing and kind != ABSENT:
        where = int(tree.missing[node])
        if where in (YES, NO):
            made["missing"] = "yes" if where == YES else "no"
        elif where == OWN and below[sides[OWN]] is not None:
            made["missing"] = below[sides[OWN]]
    for name, side in (("yes", YES), ("no", NO)):
        if below[sides[side]] is not None:
            made[name] = below[sides[side]]
    return made


def _groups(tree: Tree, node: int, below: dict[int, Any]) -> dict[str, Any]:
    """Return a split of categories into two groups."""
    column = tree.columns[tree.feature[node]]
    assert column.categories is not None
    slots = tree.slots(node)
    groups: dict[int, list[Any]] = {}
    made: dict[str, Any] = {}
    gone = None
    for code, child in zip(
        tree.child_outcome[slots].tolist(), tree.children[slots].tolist(), strict=True
    ):
        if code == len(column.categories):
            gone = child
        else:
            groups.setdefault(child, []).append(plain(column.categories[code]))
    (yes, chosen), (no, rest) = groups.items()
    made |= {"categories": chosen, "against": rest}
    if gone is not None:
        own = gone not in groups
        made["missing"] = below[gone] if own else "yes" if gone == yes else "no"
    for name, child in (("yes", yes), ("no", no)):
        if below[child] is not None:
            made[name] = below[child]
    return made

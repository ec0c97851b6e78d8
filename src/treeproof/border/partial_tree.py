"""The given top of a tree, as tests of the engine's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "Choice",
    "Closed",
    "Given",
    "Node",
    "Open",
    "Prefix",
    "children_of",
    "deepest_of",
    "depth_of",
    "splits_of",
]


@dataclass(frozen=True)
class Open:
    """A node that is left to the search.

    Attributes
    ----------
    allowed : frozenset of int or None
        The columns of the table that may be tested there and below; None for all.
    """

    allowed: frozenset[int] | None = None


@dataclass(frozen=True)
class Closed:
    """A node that must be a leaf."""


@dataclass(frozen=True)
class Choice:
    """Tests of an engine's column that stand for the given split.

    Attributes
    ----------
    column : int
        The engine's column.
    codes : tuple of int or None
        The codes of the tests; None for all that the column has.
    children : dict
        The node for each outcome of the engine's test.
    rest : Node
        The node for all other outcomes.
    """

    column: int
    codes: tuple[int, ...] | None = None
    children: Mapping[int, Node] = field(default_factory=dict)
    rest: Node = field(default_factory=Open)


@dataclass(frozen=True)
class Given:
    """A split that the tree must have.

    Attributes
    ----------
    column : int
        The column of the table.
    words : str
        The split and the nodes below it, in words.
    choices : tuple of Choice
        The engine's tests, of which the search chooses the best.
    """

    column: int
    words: str
    choices: tuple[Choice, ...]


Node = Open | Closed | Given


@dataclass(frozen=True)
class Prefix:
    """The given top of a tree.

    Attributes
    ----------
    root : Node
        The root of the given top.
    parameter : str
        The parameter that was used.
    cuts : dict
        The given thresholds, by column and the last code that goes left.
    """

    root: Node
    parameter: str
    cuts: dict[tuple[int, int], float] = field(default_factory=dict)


def children_of(choice: Choice) -> list[Node]:
    """Return all nodes that may be below a test."""
    return [*choice.children.values(), choice.rest]


def depth_of(node: Node) -> int:
    """Return the depth of the given splits."""
    if not isinstance(node, Given):
        return 0
    return 1 + min(max(map(depth_of, children_of(c))) for c in node.choices)


def deepest_of(node: Node) -> int:
    """Return the depth of the given splits with the choices that are deepest."""
    if not isinstance(node, Given):
        return 0
    return 1 + max(max(map(deepest_of, children_of(c))) for c in node.choices)


def splits_of(node: Node) -> int:
    """Return the minimum number of splits of a tree with this top."""
    if not isinstance(node, Given):
        return 0
    return 1 + min(sum(map(splits_of, c.children.values())) for c in node.choices)

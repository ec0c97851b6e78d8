"""The axioms of proper decision trees as checks that can be run (Definition 3.4).

1. *Ambient space partition*: a rule has two disjoint sides that cover the data.
2. *Path intersection*: a leaf holds exactly what all the rules on its path let through.
3. *Partition transitivity*: a descendant of a descendant is a descendant, and a rule
   stands only where its sites are, so its sites lie in the region of every ancestor.
4. *Uniqueness of ancestry*: below another rule, a rule stands on one side only, and
   never below itself.

The first axiom also asks that both sides be connected, which finite data cannot show;
it holds for hyperplanes by convexity and may fail for surfaces of higher degree (a
hyperbola has three parts), where the programme stays exact all the same: its proof
never uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treeproof.proper.ancestry import relation
from treeproof.proper.rule import Bits
from treeproof.proper.tree import Leaf, Node, Tree, leaves, paths


@dataclass(frozen=True)
class Violation:
    """A place where a tree breaks an axiom.

    Parameters
    ----------
    axiom : int
        1 to 4.
    reason : str

    Examples
    --------
    >>> from treeproof.proper import Leaf, Node, Rule, violations
    >>> rule = Rule("r", positive=0b01, negative=0b10, sites=0b01)
    >>> [v.axiom for v in violations(Node(Leaf(0b10), rule, Leaf(0b01)), 0b11)]
    [2, 2]
    """

    axiom: int
    reason: str


def violations(tree: Tree, data: Bits) -> list[Violation]:
    """List every way in which a tree over `data` fails to be proper.

    Parameters
    ----------
    tree : Leaf or Node
        With `Rule` objects in the nodes and sets of rows, as bits, in the leaves.
    data : int
        The rows the tree was grown on, as bits.

    Examples
    --------
    >>> from treeproof.proper import Leaf, Node, Rule
    >>> rule = Rule("r", positive=0b01, negative=0b10, sites=0b01)
    >>> violations(Node(Leaf(0b01), rule, Leaf(0b10)), 0b11)
    []
    >>> violations(Node(Leaf(0b10), rule, Leaf(0b01)), 0b11)[0]
    Violation(axiom=2, reason='a leaf holds rows 0b10, its path lets 0b1 through')
    """
    return [
        *_axiom_1(tree, data),
        *_axiom_2(tree, data),
        *_axiom_3(tree, data),
        *_axiom_4(tree),
    ]


def is_proper(tree: Tree, data: Bits) -> bool:
    """Tell whether a tree satisfies all four axioms.

    Examples
    --------
    >>> from treeproof.proper import Leaf
    >>> is_proper(Leaf(0b11), 0b11)
    True
    """
    return not violations(tree, data)


def _axiom_1(tree: Tree, data: Bits) -> Iterator[Violation]:
    for rule in _rules(tree):
        if rule.positive & rule.negative:
            yield Violation(1, f"the sides of '{rule}' overlap")
        if data & ~(rule.positive | rule.negative):
            yield Violation(1, f"'{rule}' leaves data on neither side")


def _axiom_2(tree: Tree, data: Bits) -> Iterator[Violation]:
    for path, held in paths(tree):
        region = data
        for rule, went_left in path:
            region &= rule.positive if went_left else rule.negative
        if held != region:
            yield Violation(
                2, f"a leaf holds rows {held:#b}, its path lets {region:#b} through"
            )
    if sum(held.bit_count() for held in leaves(tree)) != data.bit_count():
        yield Violation(2, "the leaves together do not hold each row once")


def _axiom_3(tree: Tree, data: Bits) -> Iterator[Violation]:
    def check(
        t: Tree, region: Bits, path: list[tuple[Any, int]]
    ) -> Iterator[Violation]:
        if isinstance(t, Leaf):
            return
        for ancestor, side in path:
            if relation(ancestor, t.rule) != side:
                reason = f"'{t.rule}' cannot be generated where it stands below"
                yield Violation(3, f"{reason} '{ancestor}'")
        if t.rule.sites & ~region:
            yield Violation(3, f"sites of '{t.rule}' lie outside its region")
        yield from check(t.left, region & t.rule.positive, [*path, (t.rule, 1)])
        yield from check(t.right, region & t.rule.negative, [*path, (t.rule, -1)])

    yield from check(tree, data, [])


def _axiom_4(tree: Tree) -> Iterator[Violation]:
    if isinstance(tree, Leaf):
        return
    left, right = _rules(tree.left), _rules(tree.right)
    if any(rule is tree.rule for rule in [*left, *right]):
        yield Violation(4, f"'{tree.rule}' stands below itself")
    for rule in left:
        if any(rule is other for other in right):
            yield Violation(4, f"'{rule}' stands on both sides of '{tree.rule}'")
    yield from _axiom_4(tree.left)
    yield from _axiom_4(tree.right)


def _rules(tree: Tree) -> list[Any]:
    if isinstance(tree, Node):
        return [*_rules(tree.left), tree.rule, *_rules(tree.right)]
    return []

"""The top of the search as a graph of subproblems with bounds.

A subproblem is a set of rows with the levels left below it; whatever branch leads
there, it is one node. A node that has been *split* knows all its tests, and for each
the nodes of its outcomes; its optimum is then

    min(single leaf, min over tests of (cost of a split + sum over outcomes)),

so that bounds of the outcomes give bounds of the node. Equal formulas hold for lower
and upper bounds: a lower bound at the root is proved as soon as the workers' lower
bounds below add up to it. Nodes that share most of their rows bound each other too.

Two shortcuts need no search. A node whose leaf costs no more than one split is solved
by that leaf, for every other tree has at least one split. A test that leaves an outcome
with fewer rows than a leaf may have is no test.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.cluster.table import Branch, Outcome, SharedTable, Test
from treeproof.tree.split_table import SplitTable, split_table

__all__ = ["Candidate", "Graph", "Node", "flatten"]

MOST_SHARING = 20_000_000
"""Tests times rows, beyond which bounds are not shared: it would take too long."""

Nested = tuple[Test, list[tuple[int, Any]]] | None
"""A tree: a test with the outcomes' trees, or None for a leaf."""


@dataclass(eq=False)
class Candidate:
    """A test at a node, with the node of each outcome that has rows."""

    test: Test
    children: list[tuple[int, Node]]


@dataclass(eq=False)
class Node:
    """A subproblem, its bounds, and the state of the work on it."""

    branch: Branch
    rows: NDArray[np.intp]
    depth_left: int | None
    leaf: int
    lower: int
    upper: int
    tree: Nested = None
    candidates: list[Candidate] | None = None  # None until the node is split
    parents: set[Node] = field(default_factory=set)
    visits: int = 0
    running: bool = False
    home: str = ""  # the worker that had it last

    @property
    def solved(self) -> bool:
        """Whether the optimum is known."""
        return self.lower >= self.upper


class Graph:
    """All subproblems met so far, each once."""

    def __init__(self, table: SharedTable) -> None:
        self.table = table
        self._known: dict[tuple[bytes, int | None], Node] = {}
        self._tests = table.tests()
        self.shared = 0  # bounds that were raised by other nodes
        self.root = self._node((), np.arange(table.n_rows), table.max_depth)

    def __len__(self) -> int:
        return len(self._known)

    def _node(
        self, branch: Branch, rows: NDArray[np.intp], depth_left: int | None
    ) -> Node:
        mark = np.zeros(self.table.n_rows, dtype=bool)
        mark[rows] = True
        key = blake2b(np.packbits(mark).tobytes(), digest_size=32).digest(), depth_left
        if key not in self._known:
            leaf = self.table.leaf_cost(rows)
            lower = min(leaf, self.table.split_cost)
            if depth_left == 0:
                lower = leaf
            self._known[key] = Node(branch, rows, depth_left, leaf, lower, leaf)
        return self._known[key]

    def split(self, node: Node) -> None:
        """Give a node its tests and their outcomes' nodes."""
        left = None if node.depth_left is None else node.depth_left - 1
        node.candidates = []
        seen: set[bytes] = set()
        for test in self._tests:
            outcome = self.table.outcomes(test, node.rows)
            values, counts = np.unique(outcome, return_counts=True)
            if len(values) < 2 or counts.min() < self.table.min_samples_leaf:
                continue
            partition = np.searchsorted(values, outcome).astype(np.uint16).tobytes()
            if partition in seen:  # another test with the same partition
                continue
            seen.add(partition)
            children = []
            for value in values.tolist():
                branch = (*node.branch, (test, value))
                child = self._node(branch, node.rows[outcome == value], left)
                child.parents.add(node)
                children.append((value, child))
            node.candidates.append(Candidate(test, children))
        self.update(node)

    def learn(self, node: Node, found: Outcome) -> None:
        """Enter the result of a worker, and update the nodes above."""
        if found.upper < node.upper:
            node.upper = found.upper
            node.tree = _nested(found.tree)
        before = node.lower
        node.lower = max(node.lower, min(found.lower, node.upper))
        for parent in list(node.parents):
            if node.lower > before:
                self._share(parent, node)
            self.update(parent)

    def _share(self, parent: Node, known: Node) -> None:
        """Raise the bounds of a node's other outcomes by that of one.

        Lemma (similarity). For sets of rows A and B, let R be the rows of B outside A.
        Then opt(B) <= opt(A) + weight(R): use A's tree for all of B. So B, of which a
        bound is known, bounds A. Without a depth limit B may also first part with R, as
        leaves: opt(B) <= opt(A) + a split + what is not of R's heaviest class. A least
        leaf size breaks the lemma: a leaf of A's tree may have fewer rows in B. Where
        each child of a split is paid for, R may bring categories that are new to A's
        tree, hence further leaves: then the first part needs R to be empty, or no
        split of the parent to have more than two children.
        """
        assert parent.candidates is not None
        extends = self.table.penalize == "splits" or all(
            len(candidate.children) == 2 for candidate in parent.candidates
        )
        if self.table.min_samples_leaf > 1:
            return
        if len(parent.candidates) * len(known.rows) > MOST_SHARING:
            return
        for candidate in parent.candidates:
            outcome = self.table.outcomes(candidate.test, known.rows)
            for value, child in candidate.children:
                if child.lower >= min(child.upper, known.lower):
                    continue
                outside = known.rows[outcome != value]
                weight, minority = self.table.weight_and_minority(outside)
                bound = known.lower - weight if extends or weight == 0 else 0
                if parent.depth_left is None:
                    parting = self.table.price(len(np.unique(outcome)))
                    by_leaves = known.lower - parting - minority
                    bound = max(bound, by_leaves)
                if bound > child.lower:
                    child.lower = min(bound, child.upper)
                    self.shared += 1
                    for other in child.parents - {parent}:
                        self.update(other)

    def update(self, node: Node) -> None:
        """Combine the bounds of a split node's outcomes; go up while they change."""
        waiting = [node]
        while waiting:
            here = waiting.pop()
            assert here.candidates is not None
            before = here.lower, here.upper
            lower = here.leaf
            for candidate in here.candidates:
                low = high = self.table.price(len(candidate.children))
                for _, child in candidate.children:
                    low += child.lower
                    high += child.upper
                lower = min(lower, low)
                if high < here.upper:
                    here.upper = high
                    here.tree = (
                        candidate.test,
                        [(value, child.tree) for value, child in candidate.children],
                    )
            here.lower = max(here.lower, min(lower, here.upper))
            if (here.lower, here.upper) != before:
                waiting.extend(here.parents)

    def open_nodes(self, wanted: int) -> list[tuple[Node, int]]:
        """Return unsplit nodes to work on, best first, each with its cut-off.

        From the root down, tests are taken in the order of their lower bounds. A test
        is refuted when its outcomes' bounds add up to the best tree known; the budget
        of an outcome is what is left of that by the others. Of the outcomes of a test
        that nobody works on, the one with fewest rows comes first: if it is too dear,
        the others need not be touched.
        """
        found: dict[Node, int] = {}
        done: dict[Node, int] = {}

        def descend(node: Node, budget: int) -> None:
            if len(found) >= wanted or node.lower >= min(budget, node.upper):
                return
            if done.get(node, -1) >= budget:
                return
            done[node] = budget
            if node.candidates is None:
                if not node.running:
                    found[node] = max(budget, found.get(node, 0))
                return
            limit = min(budget, node.upper)
            ranked = []
            for place, candidate in enumerate(node.candidates):
                low = self.table.price(len(candidate.children)) + sum(
                    c.lower for _, c in candidate.children
                )
                if low < limit:
                    ranked.append((low, place, candidate))
            for low, _, candidate in sorted(ranked, key=lambda r: r[:2]):
                before = len(found)
                for _, child in sorted(
                    candidate.children, key=lambda c: (len(c[1].rows), c[0])
                ):
                    descend(child, limit - (low - child.lower))
                    if len(found) > before:
                        break

        descend(self.root, self.root.upper)
        return list(found.items())


def _nested(splits: SplitTable, node: int = 0) -> Nested:
    """Turn an engine's split table into a nested tree."""
    kind = int(splits["kind"][node])
    if kind == 0:
        return None
    start = int(splits["first_child"][node])
    slots = range(start, start + int(splits["n_children"][node]))
    test = int(splits["feature"][node]), kind, int(splits["code"][node])
    return test, [
        (
            int(splits["child_outcome"][slot]),
            _nested(splits, int(splits["children"][slot])),
        )
        for slot in slots
    ]


def flatten(tree: Nested) -> SplitTable:
    """Turn a nested tree into a split table, nodes in preorder.

    Examples
    --------
    >>> flat = flatten(((2, 1, 0), [(0, None), (1, None)]))
    >>> flat["feature"].tolist(), flat["children"].tolist()
    ([2, -1, -1], [1, 2])
    """
    names = ("feature", "kind", "code", "first_child", "n_children")
    columns: dict[str, list[int]] = {name: [] for name in names}
    children: list[int] = []
    outcomes: list[int] = []

    def add(part: Nested) -> int:
        number = len(columns["kind"])
        test, below = part if part is not None else ((-1, 0, -1), [])
        first = len(children)
        row = (*test, first if below else 0, len(below))
        for name, value in zip(names, row, strict=True):
            columns[name].append(value)
        children.extend([0] * len(below))
        outcomes.extend(outcome for outcome, _ in below)
        for place, (_, child) in enumerate(below):
            children[first + place] = add(child)
        return number

    add(tree)
    return split_table(**columns, children=children, child_outcome=outcomes)

"""A checker of proofs that trusts nothing but the data.

This file and those that it imports (`problem.py`, `targets.py`, `line_leaves.py`,
`gains.py`, `ratio.py`, `node.py`, `statement.py` and others) use the standard library
and NumPy only: nothing of the search, the estimators or the input border. They
recompute the problem from the table, every set of rows from its branch and every count
from those rows. They accept a proof or name the first step that does not hold. The page
"The proof format" (docs/proof-format.md) states the rules and proves that they are
sound; the names in this code are those of that page.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, BinaryIO

import numpy as np

from treeproof.proof.header import (
    Header,
    covers,
    read_limit,
    read_number,
    read_object,
    read_whole,
)
from treeproof.proof.node import Node
from treeproof.proof.path_search import PathSearch
from treeproof.proof.prices import Prices
from treeproof.proof.problem import Problem
from treeproof.proof.ratio import NAMES
from treeproof.proof.rejected import Array, Rejected, require
from treeproof.proof.statement import measure, statement
from treeproof.proof.tree_list import ShownBounds, TreeList

__all__ = ["Verdict", "check"]

LOOK = -1  # cited in place of a step: the checker looks at the child
MAX_LINE = 1 << 24  # bytes of a header or a step
MAX_GROWTH = 64  # bytes unpacked for each byte of a packed file, beyond MAX_LINE


@dataclass(frozen=True)
class Verdict:
    """The result of checking a proof.

    Attributes
    ----------
    accepted : bool
        Whether every step holds and the cost of the tree is as stated.
    step : int or None
        The first step that does not hold; None if the fault is in the header.
    reason : str
        Why the proof is not accepted, as a sentence; empty if it is.
    lower_bound, objective : float
        What is proved. For classification and regression, as fractions of the total
        weight or of the loss of a single leaf; the penalty of a split was rounded to
        2^-20 of a row's weight. For costs, the mean cost of a row with penalties; for
        rewards, the same with the opposite sign; for F1 and other ratios, one minus the
        ratio.
    optimal : bool
        Whether the two are equal: no tree is better than the one in the proof.
    n_steps : int
        Number of steps checked.
    statement : str
        What the proof is about, as far as it was read: the loss, the rows and their
        weights, class weights, kinds of columns, limits on trees, and the precision of
        comparisons of costs. This statement is what is proved, and nothing else.
    measure : str
        What is minimised or maximised: "objective", "mean cost",
        "mean reward", or the name of a ratio.
    max_depth : int or None
        The proof is about trees of this depth or less; None for any depth.

    Examples
    --------
    >>> from treeproof.proof import Verdict
    >>> print(Verdict(False, step=3, reason="it cites a later step."))
    rejected at step 3: it cites a later step.
    """

    accepted: bool
    step: int | None = None
    reason: str = ""
    lower_bound: float = 0.0
    objective: float = math.inf
    optimal: bool = False
    n_steps: int = 0
    statement: str = ""
    measure: str = "objective"
    max_depth: int | None = None

    def __str__(self) -> str:
        if not self.accepted:
            where = "" if self.step is None else f" at step {self.step}"
            return f"rejected{where}: {self.reason}"
        own, low, least, below = self.objective, self.lower_bound, "less", "below"
        if self.measure not in ("objective", "mean cost"):  # in the user's unit
            whole = 0.0 if self.measure == "mean reward" else 1.0
            own, low, least, below = whole - own, whole - low, "more", "above"
        flat = "" if self.max_depth is None else f" of depth {self.max_depth} or less"
        what = (
            f"a tree of {self.measure} {own:.6g}, and none{flat} has {least} than "
            f"{low:.6g}"
        )
        if self.optimal:
            article = "an" if self.measure == "objective" else "a"
            named = f"{article} {self.measure}"
            if self.measure in NAMES.values():
                named = self.measure
            what = f"optimal, no tree{flat} has {named} {below} {own:.6g}"
        noun = "step" if self.n_steps == 1 else "steps"
        what = f"accepted: {what} ({self.n_steps} {noun} checked)"
        return f"{what}\nwhat was proved: {self.statement}"


def check(
    proof: str | os.PathLike[str] | BinaryIO,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    costs: Any = None,
    sensitive_features: Any = None,
    max_bytes: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Check a proof in Python; parameters as in `treeproof.proof.check`."""
    step: int | None = None
    about = ""
    try:
        lines = read_lines(proof, max_bytes)
        header = Header(next(lines, None))
        problem = Problem(header, X, y, sample_weight, costs, sensitive_features)
        about = statement(header, problem)
        upper = problem.check_tree()
        if header.raw.get("prices") is not None:
            problem.prices = Prices(problem)
        book = Book(header, problem)
        for step, line in enumerate(lines):
            if progress is not None:
                progress(step)
            book.add(line)
        step = None
        lower = book.conclusion()
        enough = lower >= header.lower - problem.tolerance
        require(enough, f"the steps prove {lower}, not the claimed {header.lower}.")
        below = header.lower <= header.upper + problem.tolerance
        require(below, "lower is above upper.")
        problem.check_ratio()
        kept = book.conclude_limits()
        search = None if header.raw.get("paths") is None else PathSearch(problem)
        paths = None if search is None else search.check()
    except Rejected as error:
        return Verdict(False, step, str(error), n_steps=step or 0, statement=about)
    n_steps = len(book.facts)
    if kept is not None and problem.limits is not None:
        total, optimal = int(problem.limits.errors.sum()), kept[1] >= kept[0]
        own, lower = (float(cost / total) for cost in (kept[0], min(kept)))
    elif search is not None and paths is not None:
        own, lower, optimal = search.stated(*paths)
    elif problem.ratio is not None:
        value, bound = problem.ratio.value, problem.ratio.bound
        own, lower, optimal = float(1 - value), float(1 - bound), value == bound
    else:
        optimal = bool(header.lower >= upper - problem.tolerance)
        own = problem.objective
        lower = own if optimal else min(own, problem.stated_bound(header.lower))
    what = measure(problem)
    flat = header.max_depth
    return Verdict(True, None, "", lower, own, optimal, n_steps, about, what, flat)


def read_header(proof: str | os.PathLike[str] | BinaryIO) -> Header:
    """Read the first line of a proof; ValueError if it is none."""
    try:
        return Header(next(read_lines(proof), None))
    except Rejected as error:
        raise ValueError(f"{proof!r} is not a proof: {error}") from None


def read_lines(
    proof: str | os.PathLike[str] | BinaryIO, max_bytes: int | None = None
) -> Iterator[bytes]:
    """Yield the lines of a proof, unpacked; Rejected if they are too long."""
    try:
        if isinstance(proof, (str, os.PathLike)):
            with open(proof, "rb") as opened:
                yield from read_lines(opened, max_bytes)
            return
        size = proof.seek(0, os.SEEK_END)
        proof.seek(0)
        packed = proof.read(2) == b"\x1f\x8b"
        proof.seek(0)
        room = MAX_LINE + MAX_GROWTH * size if max_bytes is None else max_bytes
        file: Any = gzip.GzipFile(fileobj=proof) if packed else proof
        while line := file.readline(MAX_LINE + 1):
            room -= len(line) if packed else 0
            require(len(line) <= MAX_LINE, f"a line is longer than {MAX_LINE} bytes.")
            require(room >= 0, "it unpacks to more than max_bytes allows.")
            yield line
    except (OSError, EOFError, zlib.error) as error:
        raise Rejected(f"the proof cannot be read: {error}.") from None


class Book:
    """The steps that have been verified, and the rules for the next one."""

    def __init__(self, header: Header, problem: Problem) -> None:
        self.h, self.p = header, problem
        self.facts: list[tuple[bytes, int | None, int | None, Any]] = []
        self.about_all: set[int] = set()  # steps about the whole table

    def add(self, line: bytes) -> None:
        """Check a step against the data and the steps before it."""
        step = read_object(line, "the step")
        branch: Any = step.get("branch")
        uses = step.get("uses", [])
        proper = isinstance(branch, list) and len(branch) % 2 == 0
        require(proper and isinstance(uses, list), "its branch or uses are no lists.")
        rows = np.arange(len(self.p.codes))
        for test, outcome in zip(branch[::2], branch[1::2], strict=True):
            rows = self.p.within(rows, self.p.child(test, outcome))
        depth = read_limit(step.get("depth"), "depth")
        splits = read_limit(step.get("splits"), "splits")
        bound = self.h.cost(step.get("bound"), "its bound")
        prices = self.p.prices
        applies = prices is not None and prices.applies(len(branch) // 2, depth)
        self.p.step_prices = prices if applies else None
        self.verify(rows, depth, splits, bound, [self._read_use(use) for use in uses])
        if not branch:
            self.about_all.add(len(self.facts))
        self.facts.append((_digest(rows), depth, splits, bound))

    def conclusion(self) -> Any:
        """Return the bound that the root step proves for the problem of the header."""
        h, root = self.h, read_whole(self.h.raw.get("root"), "root")
        require(root < len(self.facts), f"the root step {root} is missing.")
        _, depth, splits, bound = self.facts[root]
        require(root in self.about_all, f"step {root} does not speak of all rows.")
        enough = covers(depth, h.max_depth) and covers(splits, h.max_splits)
        require(enough, f"step {root} covers smaller trees only.")
        return bound - (h.search_cost - h.split_cost) * (h.max_splits or 0)

    def conclude_limits(self) -> tuple[Fraction, Fraction] | None:
        """Return the cost of the tree that keeps the limits, and a bound on others.

        Returns None if there are no limits.
        """
        limits = self.p.limits
        if limits is None:
            return None
        wrong, penalties, bound = self.p.check_limits()
        cost = wrong + penalties * limits.penalty
        if limits.listed and bound < cost:
            self._check_list(wrong, penalties)
            bound = cost
        return cost, bound

    def _check_list(self, wrong: int, penalties: int) -> None:
        """Check that no tree which keeps the limits costs less than the given one."""
        h, facts = self.h, dict[bytes, list[tuple[int | None, int]]]()
        plain = h.max_splits is None and not h.is_list and not any(h.directions)
        require(plain, "a list is of trees without limits of splits, or directions.")
        for digest, depth, splits, bound in self.facts:
            if splits is None:
                facts.setdefault(digest, []).append((depth, bound))
        bounds = ShownBounds(self.p, lambda rows: facts.get(_digest(rows), []))
        TreeList(self.p, bounds).check(wrong, penalties, self.p.priced_base())

    def verify(
        self, rows: Array, depth: int | None, splits: int | None, bound: Any, uses: Any
    ) -> None:
        """Check that no tree on these rows, within the limits, costs less."""
        bound -= self.p.tolerance
        if bound <= 0:
            return
        leaf = self.p.leaf(self.p.channels[rows].sum(axis=0))
        require(bound <= leaf, "a leaf costs less than its bound.")
        if depth == 0 or splits == 0 or not self.p.n_tests:
            return
        if splits is not None:  # a tree has fewer splits than rows
            splits = min(splits, len(rows))
        node = Node(self.p, rows, None if depth is None else depth - 1, splits)
        named = [test for use in uses for test in self._take(node, *use)]
        if not len(node.number) or bound <= self._worth(rows):
            return
        node.look(np.array(node.asked, dtype=int))
        node.order()
        left = node.open_tests(bound)
        if left.any():
            left[named] = True
            node.look(np.flatnonzero(left[node.test]))
            for test in named:
                node.compare(test, depth is None and splits is None)
            node.order()
            left = node.open_tests(bound)
        for test in np.flatnonzero(left).tolist():
            what = f"test {node.number[test]} is not shown to cost its bound"
            raise Rejected(f"{what}, only {node.costs()[test]}.")

    def _worth(self, rows: Array) -> Any:
        """Return the bound that prices give for trees on some rows with a split."""
        prices = self.p.step_prices
        if prices is None:
            return 0
        own = prices.of_row[rows].sum() - prices.per_leaf
        sums = self.p.channels[rows].sum(axis=0)
        return self.p.rounded_worth(np.array([own]), sums[:, None])[0]

    def _read_use(self, use: Any) -> tuple[int, list[list[Any]]]:
        """Return the number of a test, and the citations for each outcome."""
        require(isinstance(use, list) and use, "a use is not [test, steps, ...].")
        number = int(self.p.test[self.p.child(use[0], 0)])
        lists = [cited for cited in use[1:] if isinstance(cited, list)]
        proper = len(use) - 1 == len(lists) == self.p.n_children[number]
        require(proper, f"the use of test {number} has not one list for each outcome.")
        return number, [[self._read_citation(c) for c in cited] for cited in lists]

    def _read_citation(self, item: Any) -> int | tuple[Any]:
        """Return an earlier step, LOOK, or a bound that is cited without a step."""
        if isinstance(item, list) and len(item) == 1:
            return (self.h.cost(item[0], "a bound"),)
        step = read_number(item, "a cited step", LOOK, whole=True)
        earlier = step < len(self.facts)
        require(earlier, f"it cites step {step}, which does not come before it.")
        return step  # type: ignore[no-any-return]

    def _take(self, node: Node, number: int, lists: list[list[Any]]) -> list[int]:
        """Raise bounds by citations; return the test if it divides the rows."""
        test = node.find(number)
        for outcome, cited in enumerate(lists):
            rows = self.p.within(node.rows, self.p.child(number, outcome))
            child = None
            if test is not None and len(rows):  # a child without rows adds nothing
                child = int(node.first[test]) + outcome
            for item in cited:
                if item == LOOK:
                    node.asked += [] if child is None else [child]
                    continue
                splits, bound = self._cited(item, rows, node.below)
                for column, j in enumerate(node.shares):
                    if child is not None and covers(splits, j):
                        node.raise_to(child, column, bound)
        return [] if test is None else [test]

    def _cited(self, item: Any, rows: Array, below: int | None) -> tuple[Any, Any]:
        """Return the limit on splits and the bound of a citation."""
        if isinstance(item, tuple):  # a bound without a step
            self.verify(rows, below, None, item[0], [])
            return None, item[0]
        known, depth, splits, bound = self.facts[item]
        same, deep = known == _digest(rows), covers(depth, below)
        require(same, f"it cites step {item}, which speaks of other rows.")
        require(deep, f"it cites step {item}, which covers shallower trees only.")
        return splits, bound


def _digest(rows: Array) -> bytes:
    return hashlib.blake2b(rows.astype(np.int64).tobytes(), digest_size=20).digest()

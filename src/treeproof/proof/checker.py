"""A checker of proofs that trusts nothing but the data.

This file and `problem.py` import the standard library and NumPy only: none of the
search, the estimators or the input border. They recompute the problem from the table,
every set of rows from its branch and every count from those rows, and accept a proof or
name the first step that does not hold. The rules, and why they are sound, are on the
page "The proof format" (docs/proof-format.md); names here are those of that page.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from treeproof.proof.problem import (
    INFINITE,
    UNIT,
    Header,
    Problem,
    Rejected,
    covers,
    read_limit,
    read_number,
    read_object,
    read_whole,
)

__all__ = ["Verdict", "check"]

LOOK = -1  # in the place of a cited step: look at the child
DENSE = 1 << 26  # bits of all values of all rows that are worth a matrix
BATCH = 1 << 22  # numbers in a temporary array, about
LONG = 128  # children of a column of thresholds that are worth leaving some out


@dataclass(frozen=True)
class Verdict:
    """What a checker says about a proof.

    Attributes
    ----------
    accepted : bool
        Whether every step holds and the tree costs what the proof says.
    step : int or None
        The first step that does not hold; None if the fault is in the header.
    reason : str
        Why the proof is not accepted, as a sentence; empty if it is.
    lower_bound, objective : float
        What is proved, as fractions of the total weight (or of the root's loss); the
        penalty of a split was rounded to 2^-20 of a row's weight.
    optimal : bool
        Whether the two are equal: no tree is better than the one in the proof.
    n_steps : int
        Number of steps checked.

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

    def __str__(self) -> str:
        if not self.accepted:
            where = "" if self.step is None else f" at step {self.step}"
            return f"rejected{where}: {self.reason}"
        if self.optimal:
            what = f"optimal, no tree has an objective below {self.objective:.6g}"
        else:
            what = (
                f"a tree of objective {self.objective:.6g}, and none has less than "
                f"{self.lower_bound:.6g}"
            )
        return f"accepted: {what} ({self.n_steps} steps checked)"


def check(
    proof: str | os.PathLike[str] | BinaryIO, X: Any, y: Any, sample_weight: Any = None
) -> Verdict:
    """Check a proof against the data it speaks of.

    Parameters
    ----------
    proof : path or binary file
        The proof, compressed with gzip or not.
    X : table of shape (n_samples, n_features)
        The training table: an array, a list of rows, or a data frame.
    y : array-like of shape (n_samples,)
        The training labels or targets.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The training weights.

    Returns
    -------
    Verdict
        Accepted, or the first step that does not hold and the reason.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeClassifier, datasets
    >>> from treeproof.proof import check
    >>> X, y = datasets.load_monks(1, return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tree.proof.gz")
    ...     clf = OptimalTreeClassifier().fit(X, y, proof=path)
    ...     verdict = check(path, X, y)
    >>> verdict.accepted, verdict.optimal, round(verdict.lower_bound, 4)
    (True, True, 0.1)
    """
    step: int | None = None
    try:
        lines = _lines(proof)
        header = Header(next(lines, None))
        problem = Problem(header, X, y, sample_weight)
        upper = problem.check_tree()
        book = Book(header, problem)
        for step, line in enumerate(lines):  # noqa: B007, a step that fails is named
            book.add(line)
        step = None
        lower = book.conclusion()
        if lower < header.lower - problem.tolerance:
            raise Rejected(f"the steps prove {lower}, not the claimed {header.lower}.")
    except Rejected as error:
        return Verdict(False, step, str(error), n_steps=step or 0)
    optimal = bool(header.lower >= upper - problem.tolerance)
    lower = problem.objective if optimal else header.lower / (problem.unit or 1)
    return Verdict(
        accepted=True,
        lower_bound=lower,
        objective=problem.objective,
        optimal=optimal,
        n_steps=len(book.facts),
    )


def read_header(proof: str | os.PathLike[str] | BinaryIO) -> Header:
    """Read the first line of a proof; ValueError if it is none."""
    try:
        return Header(next(_lines(proof), None))
    except Rejected as error:
        raise ValueError(f"{proof!r} is not a proof: {error}") from None


def _lines(proof: str | os.PathLike[str] | BinaryIO) -> Iterator[bytes]:
    try:
        if isinstance(proof, (str, os.PathLike)):
            with open(proof, "rb") as file:
                yield from _unpacked(file)
        else:
            yield from _unpacked(proof)
    except (OSError, EOFError, zlib.error) as error:
        raise Rejected(f"the proof cannot be read: {error}.") from None


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    magic = file.read(2)
    file.seek(0)
    if magic != b"\x1f\x8b":
        yield from file
        return
    with gzip.open(file) as unpacked:
        yield from unpacked


class Book:
    """The steps that hold so far, and the rules by which a further one does."""

    def __init__(self, header: Header, problem: Problem) -> None:
        self.h, self.p, self.L = header, problem, header.search_cost
        self.facts: list[tuple[bytes, int | None, int | None, Any]] = []
        least = header.min_leaf
        self.by_lemmas = header.exact and (least == 1 or not problem.multiway)
        self.comparable = header.exact and least == 1
        n, n_values = problem.codes.shape[0], int(problem.start[-1])
        self.long = any(last - first > LONG for first, last in problem.ordered)
        self.values: NDArray[Any] | None = None  # a column of bits for each value
        if not self.long and n * n_values <= DENSE:
            self.values = np.zeros((n, n_values))
            np.put_along_axis(self.values, problem.codes, 1.0, axis=1)

    def add(self, line: bytes) -> None:
        """Check a step against the data and the steps before it."""
        step = read_object(line, "the step")
        branch, uses = step.get("branch"), step.get("uses")
        if (
            not isinstance(branch, list)
            or len(branch) % 2
            or not isinstance(uses, list)
        ):
            raise Rejected("its branch or its uses are no proper lists.")
        rows = np.arange(len(self.p.codes))
        for test, outcome in zip(branch[::2], branch[1::2], strict=True):
            rows = self.p.within(rows, self.p.child(test, outcome))
        depth, splits = (
            read_limit(step.get("depth"), "depth"),
            read_limit(step.get("splits"), "splits"),
        )
        bound: Any = (read_whole if self.h.exact else read_number)(
            step.get("bound"), "its bound"
        )
        self._verify(rows, depth, splits, bound - self.p.tolerance, uses)
        self.facts.append((_digest(rows), depth, splits, bound))

    def conclusion(self) -> Any:
        """Return the bound that the root step proves for the problem in the header."""
        root = read_whole(self.h.raw.get("root"), "root", 0)
        if root >= len(self.facts):
            raise Rejected(f"the root step {root} is missing.")
        rows, depth, splits, bound = self.facts[root]
        if rows != _digest(np.arange(len(self.p.codes))):
            raise Rejected(f"step {root} does not speak of all rows.")
        if not covers(depth, self.h.max_depth) or not covers(splits, self.h.max_splits):
            raise Rejected(f"step {root} covers smaller trees only.")
        return bound - (self.L - self.h.split_cost) * (self.h.max_splits or 0)

    def _verify(
        self,
        rows: NDArray[Any],
        depth: int | None,
        splits: int | None,
        bound: Any,
        uses: list[Any],
    ) -> None:
        p = self.p
        if bound <= 0:
            return
        total = p.channels[rows].sum(axis=0)
        if bound > p.leaf(total):
            raise Rejected("a leaf costs less than its bound.")
        if depth == 0 or splits == 0 or not p.n_tests:
            return
        if splits is not None:  # rows cannot be split more often than there are rows
            splits = min(splits, len(rows))
        node = Node(self, rows, None if depth is None else depth - 1, splits)
        p = node.p
        named = [use for use in map(node.read_use, uses) if use is not None]
        looks = [c for _, cited in named for c, ids in cited if LOOK in ids]
        if self.h.lookahead:
            used = node.open_tests(bound)
            used[[test for test, _ in named]] = True
            looks = np.flatnonzero(used[p.test]).tolist()
        node.look(np.array(looks, dtype=np.int64))
        for test, cited in named:
            for child, ids in cited:
                node.raise_by(child, ids)
            if self.h.lookahead:
                node.compare(test, depth is None)
        if self.h.min_leaf == 1:
            node.order()
        short = node.open_tests(bound, merging=self.by_lemmas)
        if short.any():
            first = int(np.flatnonzero(short)[0])
            raise Rejected(
                f"test {p.number[first]} is not shown to cost its bound, only "
                f"{node.costs()[first]}."
            )


class Node:
    """The children of one set of rows and what they cost at least.

    `lower[child, j]` bounds trees of at most j splits; where the number of splits is
    not limited there is one column, for any number.
    """

    def __init__(
        self, book: Book, rows: NDArray[Any], below: int | None, splits: int | None
    ) -> None:
        self.book, self.h, self.L = book, book.h, book.L
        self.p = book.p.part(rows) if book.long else book.p
        self.all_rows = rows
        self.rows = np.arange(len(rows)) if book.long else rows
        self.start = self.p.first[:-1]
        self.below, self.splits = below, splits
        self.shares: list[int | None] = (
            [None] if splits is None else list(range(splits))
        )
        self.sums = self.p.children(self.p.by_value(self.rows))
        self.leaf = self.p.leaf(self.sums)
        self.allowed = self._allowed(self.sums)
        simple = np.minimum(self.leaf, self.L + self.p.forced(self.sums))
        self.lower = np.stack(
            [self.leaf if below == 0 or j == 0 else simple for j in self.shares], axis=1
        )
        self.looked = np.zeros(len(self.leaf), dtype=bool)

    def _per_test(self, how: np.ufunc, children: NDArray[Any]) -> NDArray[Any]:
        per_test: NDArray[Any] = how.reduceat(children, self.start, axis=-1)
        return per_test

    def _allowed(
        self, sums: NDArray[Any], lemmas: bool | None = None
    ) -> NDArray[np.bool_]:
        """Tell which tests an optimal tree with the fewest splits can start with."""
        p, least = self.p, self.h.min_leaf
        samples = p.samples(sums)
        occupied = samples > 0
        n_occupied = self._per_test(np.add, occupied.astype(np.int64))
        good = n_occupied >= 2
        if least > 1:
            good &= ~self._per_test(np.logical_or, occupied & (samples < least))
        if self.book.by_lemmas if lemmas is None else lemmas:
            weight = p.weight(sums)
            light = p.most(sums) * UNIT <= self.L
            if p.multiway:
                light &= weight * UNIT <= 2 * self.L
            light &= occupied & (n_occupied == 2)[..., p.test]
            good &= ~self._per_test(np.logical_or, light)
            rest = self._per_test(np.add, weight) - self._per_test(np.maximum, weight)
            good &= rest * UNIT > self.L
        return good

    def costs(self) -> NDArray[Any]:
        """Return what a tree that starts with each test costs at least."""
        shared = self.lower[self.start]
        for k in range(1, int(self.p.n_children.max())):
            has = self.p.n_children > k
            child, before = self.lower[self.start[has] + k], shared[has]
            best = np.full_like(before, INFINITE)
            for j in range(len(self.shares)):
                for a in range(j + 1):
                    best[:, j] = np.minimum(best[:, j], before[:, a] + child[:, j - a])
            shared[has] = best
        return self.L + shared[:, -1]  # type: ignore[no-any-return]

    def open_tests(self, bound: Any, merging: bool = False) -> NDArray[np.bool_]:
        """Return the tests that are neither ruled out nor dear enough."""
        left = self.allowed & (self.costs() < bound)
        if merging:
            most = self.lower[:, -1]
            others = self.L + self._per_test(np.add, most)[self.p.test] - most
            weight = self.p.weight(self.sums)
            outside = self._per_test(np.add, weight)[self.p.test] - weight
            left &= ~self._per_test(np.logical_or, outside * UNIT <= others)
        return left

    def read_use(self, use: Any) -> tuple[int, list[tuple[int, list[int]]]] | None:
        """Return a test and the steps cited for its children, None if it parts none."""
        if not isinstance(use, list) or not use:
            raise Rejected("a use is not [test, steps, ...].")
        whole = self.book.p
        number = int(whole.test[whole.child(use[0], 0)])
        if len(use) != 1 + whole.n_children[number] or not all(
            isinstance(ids, list) for ids in use[1:]
        ):
            raise Rejected(
                f"the use of test {number} has not one list for each outcome."
            )
        test = self.p.here(number, whole)
        if test is None:
            return None
        first = int(self.start[test])
        return test, [(first + k, ids) for k, ids in enumerate(use[1:])]

    def raise_by(self, child: int, ids: list[int]) -> None:
        """Raise a child's bound by steps that speak of the same rows."""
        mine = None
        for i in ids:
            if i == LOOK:  # done
                continue
            if read_whole(i, "a cited step", 0) >= len(self.book.facts):
                raise Rejected(f"it cites step {i}, which does not come before it.")
            rows, depth, splits, bound = self.book.facts[i]
            if mine is None:
                inside = self.p.within(self.rows, child)
                mine = _digest(self.all_rows[inside] if self.book.long else inside)
            if rows != mine:
                raise Rejected(f"it cites step {i}, which speaks of other rows.")
            if not covers(depth, self.below):
                raise Rejected(f"it cites step {i}, which covers shallower trees only.")
            for column, j in enumerate(self.shares):
                if covers(splits, j):
                    self.lower[child, column] = max(self.lower[child, column], bound)

    def _tables(self, chosen: NDArray[Any]) -> NDArray[Any]:
        """Return sums of every child's channels within each of the chosen children."""
        p = self.p
        if self.book.values is None:
            parts = [p.by_value(p.within(self.rows, c)) for c in chosen]
            return p.children(np.stack(parts))
        code = p.codes[self.rows][:, p.feature[chosen]].T
        inside = (code >= p.low[chosen][:, None]) & (code < p.high[chosen][:, None])
        inside ^= p.flip[chosen][:, None]
        channels = p.channels[self.rows].astype(np.float64)
        own = inside[:, :, None] * channels
        sums = (
            own.transpose(0, 2, 1).reshape(-1, len(self.rows))
            @ self.book.values[self.rows]
        )
        sums = sums.reshape(len(chosen), channels.shape[1], -1).transpose(0, 2, 1)
        return p.children(sums.astype(p.channels.dtype))

    def look(self, chosen: NDArray[Any]) -> None:
        """Raise children to what leaf, one split, and two or more splits cost."""
        chosen = chosen[~self.looked[chosen]]
        self.looked[chosen] = True
        if self.below == 0:
            return
        width = self.p.channels.shape[1] * max(len(self.rows), len(self.leaf), 1)
        step = max(1, BATCH // width)
        for k in range(0, len(chosen), step):
            self._look(chosen[k : k + step])

    def _look(self, chosen: NDArray[Any]) -> None:
        parts = self._tables(chosen)
        leaves = self._per_test(np.add, self.p.leaf(parts))
        possible = self._allowed(parts, lemmas=False)
        one = self.L + np.where(possible, leaves, INFINITE).min(axis=1)
        low = np.minimum(self.leaf[chosen], one)
        if self.below != 1 and self.shares[-1] != 1:
            more = np.where(one < INFINITE, self._more(chosen, parts), INFINITE)
            more = np.minimum(low, more)
        for column, j in enumerate(self.shares):
            if j == 0:
                continue
            bound = low if self.below == 1 or j == 1 else more
            self.lower[chosen, column] = np.maximum(self.lower[chosen, column], bound)

    def _more(self, chosen: NDArray[Any], parts: NDArray[Any]) -> NDArray[Any]:
        """Bound trees of two or more splits: forced errors, covering, rounding."""
        p, L = self.p, self.L
        forced = p.forced(self.sums[chosen])
        bound = 2 * L + forced
        if not self.h.exact or L == 0:
            return bound  # type: ignore[no-any-return]
        if not p.multiway:
            good = self._allowed(parts, lemmas=self.book.by_lemmas)[:, p.test]
            cover = np.full(len(chosen), -L)
            for c in range(p.n_classes):
                largest = np.where(good, parts[..., c], 0).max(axis=1)
                n = self.sums[chosen, c]
                j = n // np.maximum(largest, 1)
                few = np.minimum(L * j + (n - j * largest) * UNIT, L * (j + 1))
                cover += np.where(largest > 0, np.minimum(n * UNIT, few), n * UNIT)
            bound = np.maximum(bound, cover)
        splits = L * np.arange(2, 34)[:, None]
        errors = -(-np.maximum(bound - splits, 0) // UNIT) * UNIT
        rounded = (splits + np.maximum(forced, errors)).min(axis=0)
        more: NDArray[Any] = np.minimum(rounded, np.maximum(bound, 34 * L + forced))
        return more

    def compare(self, test: int, any_depth: bool) -> None:
        """Bound children of other tests by those of a test that was used."""
        p = self.p
        own = np.arange(p.first[test], p.first[test + 1])
        parts = self._tables(own)
        shared, samples = p.samples(parts), p.samples(self.sums)
        same = (shared == samples[own][:, None]) & (shared == samples)
        same[:, own] = False
        for k, other in zip(*np.nonzero(same), strict=True):
            self.lower[other] = np.maximum(self.lower[other], self.lower[own[k]])
        if not self.book.comparable or self.splits is not None:
            return
        weight, most = p.weight(parts), p.most(parts)
        whole, lower = p.weight(self.sums)[own][:, None], self.lower[own, :1]
        reach = lower - (whole - weight) * UNIT
        if any_depth:
            others = self._per_test(np.add, weight - most)[:, p.test] - (weight - most)
            reach = np.maximum(reach, lower - self.L - others * UNIT)
        reach[:, own] = 0
        self.lower[:, 0] = np.maximum(self.lower[:, 0], reach.max(axis=0))

    def order(self) -> None:
        """Along a column of thresholds: a tree for more rows does for fewer."""
        upward, back = np.maximum.accumulate, slice(None, None, -1)
        for first, last in self.p.ordered:
            left, right = self.lower[first:last:2], self.lower[first + 1 : last : 2]
            left[:] = upward(left)
            right[:] = upward(right[back])[back]
            if self.book.comparable:
                weight = self.p.weight(self.sums)[:, None] * UNIT
                w_left, w_right = weight[first:last:2], weight[first + 1 : last : 2]
                left[:] = upward((left - w_left)[back])[back] + w_left
                right[:] = upward(right - w_right) + w_right


def _digest(rows: NDArray[Any]) -> bytes:
    return hashlib.blake2b(rows.astype(np.int64).tobytes(), digest_size=20).digest()

"""The best tree with a given top.

Users who know their subject may want to prescribe the top of a tree, from the column of
the first split to several levels of tests, and optimise the rest. Given its splits, the
places below them are independent problems, each solved by an engine with its own proof:
costs and lower bounds add up.

Where only the column of a split is given, its cut has to be chosen. For a multiway
split there is no choice. For one category against the rest, every category is tried.
For numbers, the two-sided monotone bound of the numeric engine is used: moving the cut
to the right gives the left child more rows and the right child fewer, and more rows
never cost less, because a tree for them is also a tree for any subset. For all cuts
between two cuts that are solved, the left child therefore costs at least as much as at
the left cut, and the right child at least as much as at the right cut. Bisection,
starting with the interval of the lowest bound, leaves out most cuts. (With a minimum
number of rows in a leaf, or further given splits below, a tree for all rows need not be
valid for a subset, and every cut is solved.)

With a limit on the number of splits, every place is solved for each number of splits
that it might get, and the best way to share them out is computed: no tree that begins
so and has at most k splits costs less than the lowest sum of the bounds over all ways.

For classification, costs are integers, so that "optimal" is as exact as without a
prescribed top.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.arithmetic import UNIT_COST, split_cost, whole_weights
from treeproof.border.partial_tree import (
    Choice,
    Closed,
    Given,
    Node,
    Open,
    Prefix,
    children_of,
    depth_of,
    splits_of,
)
from treeproof.kinds import ONE_EACH, ONE_VS_REST, ORDERED
from treeproof.solving.answer import Answer
from treeproof.solving.part_loss import part_loss
from treeproof.solving.parts import Part, Parts, impossible, join, shares
from treeproof.solving.stopping import stop_wanted
from treeproof.tree.split_table import leaf_table

__all__ = ["solve_prefix"]

Rows = NDArray[np.intp]
Solve = Callable[[Any], tuple[str, Answer]]

_TOLERANCE = 1e-9  # relative tolerance of regression
_TEST = {ORDERED: 1, ONE_VS_REST: 2, ONE_EACH: 3}  # the engines' kinds of tests
# minimum time of a search in seconds; even then it returns its first tree
_SHORTEST = 1e-3


def solve_prefix(task: Any, known: Answer | None = None, *, solve: Solve) -> Answer:
    """Return the best tree with a given top, as an engine would.

    Parameters
    ----------
    task : Task or RegressionTask
        The problem; its ``prefix`` is the top of the tree.
    known : Answer or None
        An answer of this function to the same problem with another time limit, or with
        a smaller ``max_depth``: only trees that cost less are searched for.
    solve : callable
        Solves a task with an engine.
    """
    _check(task, task.prefix)
    return _Search(task, task.prefix, solve, known).run()


def _check(task: Any, prefix: Prefix) -> None:
    name = prefix.parameter
    if task.max_depth is not None and task.max_depth < depth_of(prefix.root):
        raise ValueError(
            f"{name} needs a max_depth of at least {depth_of(prefix.root)}, not "
            f"{task.max_depth}."
        )
    if task.max_splits is not None and task.max_splits < splits_of(prefix.root):
        raise ValueError(
            f"{name} has {splits_of(prefix.root)} splits, more than max_splits="
            f"{task.max_splits}."
        )
    if task.min_samples_leaf > 1 and (task.weights != 1).any():
        raise ValueError(
            f"{name} with min_samples_leaf takes no weights, costs of rows or rewards; "
            "leave one out."
        )
    if getattr(task, "proof_log", ""):
        raise ValueError(
            f"A search with {name} writes no proof; leave out {name} or proof."
        )


class _Search:
    def __init__(
        self, task: Any, prefix: Prefix, solve: Solve, known: Answer | None
    ) -> None:
        self._prefix, self._solve = prefix, solve
        self.known = known
        self._begun = time.perf_counter()
        self._exact = hasattr(task, "labels")
        if self._exact:
            # Whole numbers, so that parts of the rows keep their weights.
            weights = whole_weights(task.weights)
            task = replace(task, weights=weights)
            self._unit: Any = int(weights.sum()) * UNIT_COST
            self._penalty: Any = int(split_cost(task.split_penalty, weights.sum()))
        else:
            self._loss = part_loss(task)
            self._unit, self._penalty = 1.0, float(task.split_penalty)
        self._task = task
        self._solved = 0
        self._status = "optimal"
        self._name = ""
        self._told = (0.0, math.inf)  # the bounds that were reported last

    def run(self) -> Answer:
        task = self._task
        until = None if task.time_limit is None else self._begun + task.time_limit
        rows = np.arange(task.table.n_rows)
        parts = self._part(self._prefix.root, rows, task.max_depth, task.max_splits,
                           until, top=True)  # fmt: skip
        return self._answer(parts[-1])

    # ------------------------------------------------------------------ places

    def _part(
        self, node: Node, rows: Rows, depth: int | None, most: int | None,
        until: float | None, top: bool = False,
    ) -> Parts:  # fmt: skip
        """Solve the problem of one place for each number of splits up to `most`."""
        if isinstance(node, Given):
            return _Cuts(self, node, rows, depth, most, until, top).solve()
        if len(rows) < self._task.min_samples_leaf:
            return impossible(most)
        if isinstance(node, Closed):
            depth = 0
        allowed = node.allowed if isinstance(node, Open) else None
        if most is None:
            return [self._ask(rows, depth, None, allowed, until)]
        # A tree with fewer splits than it may have is the best for all numbers between.
        found: Parts = []
        while len(found) <= most:
            part = self._ask(rows, depth, most - len(found), allowed, until)
            used = 0 if part.tree is None else int((part.tree["kind"] != 0).sum())
            found += [part] * (most - len(found) - used + 1)
        return found[::-1]

    def _ask(
        self, rows: Rows, depth: int | None, splits: int | None,
        allowed: frozenset[int] | None, until: float | None,
    ) -> Part:  # fmt: skip
        """Solve the problem of some rows by an engine."""
        task, scale = self._task, 1.0
        if self._exact:
            penalty = self._penalty / (float(task.weights[rows].sum()) * UNIT_COST)
        else:
            scale = self._loss(rows)
            if scale == 0.0:
                return Part(0.0, 0.0, leaf_table())
            penalty = self._penalty / scale
        rows = self._never_divisible(rows)
        codes = np.ascontiguousarray(task.table.codes[:, rows])
        table = replace(task.table, codes=codes)
        if allowed is not None:
            table.engine = table.engine.only(allowed)
        part = replace(
            task,
            table=table,
            weights=_shared_out(task.weights, rows),
            split_penalty=penalty,
            max_depth=depth,
            max_splits=splits,
            time_limit=self._seconds_left(until),
            observer=None,
            ladder=None,
            prefix=None,
            **_answers(task, rows),
        )
        self._name, found = self._solve(part)
        self._solved += 1
        if found["status"] != "optimal" and self._status == "optimal":
            self._status = found["status"]
        lower, upper = found["lower"], found["upper"]
        if not self._exact:
            lower, upper = lower / found["unit"] * scale, upper / found["unit"] * scale
        return Part(lower, upper, found["tree"], found["n_merged_rows"])

    def _never_divisible(self, rows: Rows) -> Rows:
        """List one row twice if all weights of a part have a common divisor.

        The engines would divide by it and round the penalty to a unit that differs from
        that of the other parts. A row of weight one prevents this.
        """
        if not self._exact or self._task.weights[rows].min() == 1:
            return rows
        return np.append(rows, rows[0])

    # ----------------------------------------------------------------- limits

    def _seconds_left(self, until: float | None) -> float | None:
        if self._status in ("interrupted", "memory_limit") or stop_wanted():
            return _SHORTEST
        return None if until is None else max(until - time.perf_counter(), _SHORTEST)

    def over(self, until: float | None) -> bool:
        """Whether the time is over, so that no more tests should be tried."""
        if self._status in ("interrupted", "memory_limit") or stop_wanted():
            return True
        return until is not None and until - time.perf_counter() <= _SHORTEST

    def stop(self, until: float | None) -> None:
        """Record that some tests were not tried."""
        if self._status == "optimal":
            late = until is not None and until - time.perf_counter() <= _SHORTEST
            self._status = "time_limit" if late else "interrupted"

    def tell(self, lower: Any, upper: Any) -> None:
        """Report bounds of the whole problem to the observer."""
        if self._task.observer is not None:
            seconds = time.perf_counter() - self._begun
            told = min(lower, upper) / self._unit, upper / self._unit
            self._task.observer(1, seconds, *told, self._solved)

    # ----------------------------------------------------------------- answer

    def _answer(self, best: Part) -> Answer:
        if best.tree is None:
            raise ValueError(self._no_tree())
        lower = best.lower
        if not self._exact and lower >= best.upper * (1 - _TOLERANCE):
            lower = best.upper
        return {
            "tree": best.tree,
            "lower": lower,
            "upper": best.upper,
            "unit": self._unit,
            "split_cost": self._penalty,
            "status": "optimal" if lower == best.upper else self._status,
            "seconds": time.perf_counter() - self._begun,
            "n_merged_rows": best.merged,
            "statistics": {"subproblems": self._solved, "engine": self._name},
        }

    def _no_tree(self) -> str:
        root, least = self._prefix.root, self._task.min_samples_leaf
        if self._prefix.parameter == "first_split":
            assert isinstance(root, Given)
            return (
                f"No split on {root.words} leaves min_samples_leaf={least} rows on "
                "every side."
            )
        words = root.words if isinstance(root, Given) else "a leaf"
        rows = f"at least {least} rows" if least > 1 else "a row"
        limit = ""
        if self._task.max_splits is not None:
            limit = f" and at most {self._task.max_splits} splits"
        return (
            f"No tree that begins with {words} has {rows} on every side of its given "
            f"splits{limit}; change prefix."
        )


class _Cuts:
    """The search for the cut of one given split."""

    def __init__(
        self, search: _Search, node: Given, rows: Rows, depth: int | None,
        most: int | None, until: float | None, top: bool,
    ) -> None:  # fmt: skip
        self._search, self._node, self._rows = search, node, rows
        self._depth = None if depth is None else depth - 1
        self._most = None if most is None else most - 1
        self._until = until
        self._top = top
        self._best = impossible(most)
        known = search.known if top and most is None else None
        if known is not None:
            merged = known["n_merged_rows"]
            self._best = [Part(0, known["upper"], known["tree"], merged)]
        self._lower: list[Any] = [math.inf] * len(self._best)
        # one given test with nothing to compare it with shares out its time
        self._single = len(node.choices) == 1 and node.choices[0].codes is not None
        self._single = self._single and len(node.choices[0].codes or ()) == 1

    def solve(self) -> Parts:
        if (self._most or 0) < 0 or (self._depth or 0) < 0:
            return self._best
        try:
            for choice in self._node.choices:
                self._try_choice(choice)
        except KeyboardInterrupt:
            if self._best[-1].tree is None:
                raise
            self._leave_open(self._search._penalty)
        return [
            replace(part, lower=min(lower, part.upper))
            for part, lower in zip(self._best, self._lower, strict=True)
        ]

    def _try_choice(self, choice: Choice) -> None:
        engine = self._search._task.table.engine
        codes, kind = engine.codes[choice.column][self._rows], int(
            engine.kinds[choice.column]
        )  # fmt: skip
        present = np.unique(codes).tolist()
        if len(present) < 2:
            return
        if kind == ONE_EACH:
            self._try(choice, -1, codes, kind)
        elif kind == ORDERED and self._may_bisect(choice):
            self._bisect(choice, codes, present)
        else:
            for code in present if choice.codes is None else choice.codes:
                if self._search.over(self._until) and self._best[-1].tree is not None:
                    self._leave_open(self._search._penalty)
                    return
                self._try(choice, code, codes, kind)
                self._tell(self._search._penalty)

    def _may_bisect(self, choice: Choice) -> bool:
        """Whether a bound for some rows also holds for more rows below these tests."""
        simple = not any(isinstance(child, Given) for child in children_of(choice))
        plain = choice.codes is None and self._most is None
        return simple and plain and self._search._task.min_samples_leaf == 1

    def _bisect(
        self, choice: Choice, codes: NDArray[np.int32], present: list[int]
    ) -> None:
        """Try cuts between the codes that occur, those with the lowest bounds first."""
        penalty = self._search._penalty
        # bound, first cut, last cut, bound of the left child, bound of the right child
        pending: list[tuple[Any, int, int, Any, Any]] = [
            (penalty, 0, len(present) - 2, 0, 0)
        ]
        while pending and pending[0][0] < self._best[-1].upper:
            if self._search.over(self._until) and self._best[-1].tree is not None:
                self._leave_open(pending[0][0])
                return
            _, first, last, left_least, right_least = heapq.heappop(pending)
            cut = (first + last) // 2
            left, right = self._try(choice, present[cut], codes, ORDERED)
            for begin, end, low, high in (
                (first, cut - 1, left_least, max(right, right_least)),
                (cut + 1, last, max(left, left_least), right_least),
            ):
                if begin <= end:
                    heapq.heappush(
                        pending, (penalty + low + high, begin, end, low, high)
                    )
            self._tell(pending[0][0] if pending else self._best[-1].upper)

    def _try(
        self, choice: Choice, code: int, codes: NDArray[np.int32], kind: int
    ) -> list[Any]:
        """Solve the children of one test; return their lower bounds."""
        sides = [
            (outcome, self._rows[inside])
            for outcome, inside in _sides(codes, code, kind)
        ]
        if len(sides) < 2:
            return []
        below: list[Parts] = [[]] * len(sides)
        order = sorted(range(len(sides)), key=lambda k: len(sides[k][1]))
        for place, k in enumerate(order):
            outcome, rows = sides[k]
            child = choice.children.get(outcome, choice.rest)
            below[k] = self._search._part(
                child, rows, self._depth, self._most, self._share(len(order) - place)
            )
        penalties = len(sides) - 1 if self._search._task.penalize == "leaves" else 1
        self._keep(choice.column, kind, code, [o for o, _ in sides], below, penalties)
        return [parts[-1].lower for parts in below]

    def _share(self, places: int) -> float | None:
        """Return the time until which the next of several open places may be solved."""
        if self._until is None or not self._single:
            return self._until
        now = time.perf_counter()
        return now + (self._until - now) / places

    def _keep(
        self, column: int, kind: int, code: int, outcomes: list[int],
        below: list[Parts], penalties: int,
    ) -> None:  # fmt: skip
        """Keep a test if it is the best so far for some number of splits."""
        paid = penalties * self._search._penalty
        for k, share in shares(below, self._most):
            upper = paid + sum(below[i][s].upper for i, s in enumerate(share.upper))
            lower = paid + sum(below[i][s].lower for i, s in enumerate(share.lower))
            self._lower[k] = min(self._lower[k], lower)
            if upper < self._best[k].upper:
                parts = [below[i][s] for i, s in enumerate(share.upper)]
                tree = join(column, _TEST[kind], code, outcomes, parts)
                merged = sum(part.merged for part in parts)
                self._best[k] = Part(lower, upper, tree, merged)

    def _leave_open(self, bound: Any) -> None:
        """End although some tests, which cost at least `bound`, were not tried."""
        self._lower = [min(lower, bound) for lower in self._lower]
        self._search.stop(self._until)

    def _tell(self, bound: Any) -> None:
        if self._top and self._best[-1].tree is not None:
            lower = min(bound, self._lower[-1])
            self._search.tell(lower, self._best[-1].upper)


def _sides(
    codes: NDArray[np.int32], code: int, kind: int
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Return the outcomes of a test that occur, and the rows that have each of them."""
    if kind == ONE_EACH:
        for outcome in np.unique(codes).tolist():
            yield outcome, codes == outcome
        return
    inside = codes <= code if kind == ORDERED else codes == code
    for outcome, part in ((0, inside), (1, ~inside)):
        if part.any():
            yield outcome, part


def _shared_out(weights: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Return weights of rows; a row that is listed twice gives its copy weight one."""
    chosen = weights[rows]
    if len(rows) > 1 and rows[-1] == rows[0]:
        chosen[0] -= 1
        chosen[-1] = 1
    return chosen


def _answers(task: Any, rows: Rows) -> dict[str, Any]:
    if hasattr(task, "labels"):
        return {"labels": np.ascontiguousarray(task.labels[rows])}
    return {"targets": np.ascontiguousarray(task.targets[rows])}

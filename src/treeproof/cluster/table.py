"""The training table that coordinator and workers share, with exact integer weights.

Every worker gets the same table once. A subproblem is named by its branch, a list of
(test, outcome), so that little travels; its rows are found again from the table.

Weights are rounded to whole numbers once, for the whole table, as the engine does it. A
subproblem then has exactly the costs it has inside the whole problem, provided that the
penalty of a split is the same whole number; `solve_part` makes sure of that.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.arithmetic import UNIT_COST, rounded_weights, split_cost
from treeproof.kinds import ONE_EACH, ORDERED
from treeproof.solving.solvers import Task
from treeproof.tree import EQUALS, MULTIWAY, THRESHOLD

if TYPE_CHECKING:
    from treeproof.tree.split_table import SplitTable

__all__ = ["Branch", "Outcome", "SharedTable", "Test", "shared_table"]

"""The cost of one unit of weight."""


Test = tuple[int, int, int]
"""Feature, kind of test, and code."""

Branch = tuple[tuple[Test, int], ...]
"""The tests on the way to a subproblem, each with its outcome."""


@dataclass
class Outcome:
    """The result of an engine for a subproblem."""

    lower: int
    upper: int
    tree: SplitTable
    seconds: float  # of one processor


@dataclass
class SharedTable:
    """Rows with whole weights, and the limits on the tree."""

    kinds: NDArray[np.int32]
    n_values: NDArray[np.int32]
    codes: NDArray[np.int32]
    labels: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64]
    split_cost: int
    max_depth: int | None
    min_samples_leaf: int
    penalize: str = "leaves"

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.labels)

    def price(self, n_children: int) -> int:
        """Return the cost of a split with this number of children."""
        paid = max(n_children - 1, 1) if self.penalize == "leaves" else 1
        return paid * self.split_cost

    def tests(self) -> list[Test]:
        """Return every test a tree may use."""
        tests: list[Test] = []
        for feature, (kind, n) in enumerate(
            zip(self.kinds.tolist(), self.n_values.tolist(), strict=True)
        ):
            if n < 2:
                continue
            if kind == ORDERED:
                tests += [(feature, THRESHOLD, code) for code in range(n - 1)]
            elif kind == ONE_EACH:
                tests.append((feature, MULTIWAY, 0))
            else:  # with two categories both tests make the same partition
                wanted = 1 if n == 2 else n
                tests += [(feature, EQUALS, code) for code in range(wanted)]
        return tests

    def outcomes(self, test: Test, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        """Return the outcome of a test for each row."""
        feature, kind, code = test
        values = self.codes[feature][rows]
        if kind == MULTIWAY:
            return values
        yes = values <= code if kind == THRESHOLD else values == code
        return np.where(yes, 0, 1).astype(np.int32)

    def rows_of(self, branch: Branch) -> NDArray[np.intp]:
        """Return the rows of a branch."""
        rows = np.arange(self.n_rows)
        for test, outcome in branch:
            rows = rows[self.outcomes(test, rows) == outcome]
        return rows

    def leaf_cost(self, rows: NDArray[np.intp]) -> int:
        """Return the cost of a single leaf for these rows."""
        return self.weight_and_minority(rows)[1]

    def weight_and_minority(self, rows: NDArray[np.intp]) -> tuple[int, int]:
        """Return what all rows weigh, and all but the heaviest class, as costs."""
        totals = np.bincount(
            self.labels[rows], self.weights[rows], minlength=self.n_classes
        )
        weight = int(totals.sum())
        return weight * UNIT_COST, (weight - int(totals.max())) * UNIT_COST

    def solve_part(
        self,
        memo: Any,
        rows: NDArray[np.intp],
        depth_left: int | None,
        *,
        seconds: float,
        cutoff: int,
    ) -> Outcome:
        """Search for the best tree on some rows for a while.

        The search ends when it has an optimum, when the time is up, or when its lower
        bound reaches `cutoff`, whichever comes first. It begins with what `memo`, a
        `SharedMemo` of the engine, knows of these rows and of parts of them, and leaves
        there what it has proved.
        """
        weights = self.weights[rows]
        unit = int(weights.sum()) * UNIT_COST
        start = time.thread_time()
        found = memo.solve(
            _core.EncodedTable.with_labels(
                kinds=self.kinds,
                n_values=self.n_values,
                codes=np.ascontiguousarray(self.codes[:, rows]).reshape(-1),
                weights=weights,
                labels=self.labels[rows],
                n_classes=self.n_classes,
            ),
            _core.SearchOptions(
                split_penalty=self.split_cost / unit,
                penalize=self.penalize,
                max_depth=-1 if depth_left is None else depth_left,
                min_samples_leaf=self.min_samples_leaf,
                time_limit=seconds,
            ),
            names=rows.astype(np.int32),
            cutoff=cutoff,
        )
        if found["split_cost"] != self.split_cost or found["unit"] != unit:
            raise AssertionError("a subproblem has other costs than the whole")
        return Outcome(
            int(found["lower"]),
            int(found["upper"]),
            found["tree"],
            time.thread_time() - start,
        )


def shared_table(task: Task) -> SharedTable:
    """Round the weights of a task and its penalty once, for all workers."""
    engine = task.table.engine
    weights = rounded_weights(engine.codes, task.labels, task.weights)
    return SharedTable(
        engine.kinds,
        engine.n_values,
        engine.codes,
        task.labels,
        task.n_classes,
        weights,
        split_cost(task.split_penalty, weights.sum()),
        task.max_depth,
        task.min_samples_leaf,
        task.penalize,
    )

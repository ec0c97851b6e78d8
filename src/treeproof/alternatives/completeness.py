"""Writes a file which proves that no tree within a margin is missing.

The checker (`treeproof.proof.all_trees`) counts the trees itself. It needs lower bounds
to rule out most of the tests. To write them, the checker is run with the engine in
place of the file: whenever it needs a bound for some rows, the engine says how high the
bound can be, the checker verifies this bound, and it is written to the file.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.objectives import Costs
from treeproof.persistence import write_whole
from treeproof.proof.all_trees import FORMAT
from treeproof.proof.header import Header
from treeproof.proof.problem import Problem
from treeproof.proof.tree_counts import Bounds, Depth, Family, name_of
from treeproof.proof.writer import action_header, given_table

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet

__all__ = ["write_proof"]


def write_proof(trees: NearOptimalSet, path: Any) -> None:
    """Write the file which proves that the set is complete."""
    _check_provable(trees)
    near, found = trees._question.problem, trees._found
    count: Any = found.count
    splits, best = count.tree(0)
    answer: Any = {"tree": splits, "split_cost": near.split_cost, "upper": best}
    limits = near.model._proved_limits() | {"max_depth": found.max_depth}
    objective = near.task.objective
    header = action_header(objective, answer, limits) | {
        "search_split_cost": near.split_cost,
        "lower": 0,
        "root": 0,
    }
    line = json.dumps(header).encode()
    problem = _read_back(line, objective)
    bounds = Recorder(problem, near.search(max_depth=found.max_depth), objective)
    budget = near.best + found.margin
    counted = Family(problem, bounds, budget).by_cost()
    assert counted == count.by_cost, "the checker and the engine count different trees"
    claim = {"format": FORMAT, "version": 1, "budget": budget, "by_cost": counted}
    lines = [json.dumps(claim).encode(), line, *bounds.lines()]
    write_whole(path, gzip.compress(b"\n".join(lines) + b"\n", 6))


def _check_provable(trees: NearOptimalSet) -> None:
    near = trees._question.problem
    why = ""
    if getattr(near.task, "objective", None) is None:
        why = "costs of a regression are real numbers; a classifier has whole ones"
    elif getattr(near.model, "constraints", None):
        why = "constraints are not part of these proofs; fit without them"
    elif not trees._is_complete_to_its_depth:
        why = "not all trees within the margin are known; choose a smaller margin"
    elif trees.distinct != "trees":
        why = 'trees are counted one by one; leave distinct="trees"'
    elif trees.using or trees.without:
        why = "it is about all columns; leave using and without out"
    elif near.task.prefix is not None:
        why = "first_split is not part of proofs; fit without it"
    elif near.task.objective.samples is not None:
        why = "it is about a table in memory; load the rows first"
    elif near.task.table.dates or near.task.table.given_cuts:
        why = "dates and given thresholds are not part of proofs; use numbers"
    elif getattr(near.model, "quantiles", None) is not None:
        why = "quantiles join values of the table; fit without them"
    elif near.task.table.allowed is not None:
        why = "allowed_features is not part of proofs; fit a table of these columns"
    elif (
        isinstance(near.task.objective, Costs) and not near.task.objective.engine_total
    ):
        why = "all actions cost the same for every row"
    if why:
        raise ValueError(f"This set cannot be proved complete: {why}.")


class Recorder(Bounds):
    """Verified bounds, which the engine proposes, and which are kept for the file."""

    def __init__(self, problem: Problem, search: Any, objective: Any) -> None:
        super().__init__(problem)
        self._search = search
        self._group = np.zeros(len(problem.codes), np.int64)
        self._group[problem.place] = search.groups(objective.table.engine.codes)

    def at_first(self, rows: NDArray[Any], depth: Depth) -> int:
        """Return the bound that is known; the engine is asked for higher ones."""
        return self.lower(rows, depth, 0)

    def hint(self, rows: NDArray[Any], depth: Depth, wanted: int) -> int:
        """Ask the engine for a bound, but for none above `wanted`."""
        own = self._group[rows].tolist()
        found = min(self._search.lower(own, depth, wanted), wanted)
        key = (name_of(rows), depth)
        self.hints[key] = max(found, self.hints.get(key, 0))
        return found

    def lines(self) -> list[bytes]:
        """Return the bounds as lines of the file."""
        return [
            json.dumps({"rows": rows, "depth": depth, "bound": bound}).encode()
            for (rows, depth), bound in self.hints.items()
        ]


def _read_back(line: bytes, objective: Any) -> Problem:
    """Return the problem that the checker reads from the header and the rows."""
    header = Header(line)
    if "class_weight" in header.raw:  # the weights contain them already
        header.raw["class_weight"] = [1.0] * len(header.raw["classes"])
    table = given_table(objective.table)
    labels = getattr(objective, "labels", None)
    y = None if labels is None else np.asarray(objective.classes)[labels]
    costs = getattr(objective, "costs", None)
    return Problem(header, table, y, objective.weights, costs)

"""Proofs where the path to a node says what it allows and costs.

A given top, columns that may be used, groups of columns and prices of columns are
stated in the header (section 14 of docs/proof-format.md). The file has no steps: the
checkers search for a cheaper tree themselves, up to the bound that is claimed. Whether
that is short enough for them, the writer finds out by handing the file to the checker
in C++.
"""

from __future__ import annotations

import copy
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from treeproof.arithmetic import UNIT_COST, split_cost, whole_weights
from treeproof.border.partial_tree import Choice, Closed, Given, Node, Open
from treeproof.border.promises import (
    Measurement,
    read_interactions,
    read_test_costs,
)
from treeproof.constraints.sums import decimal
from treeproof.kinds import ONE_EACH, ORDERED
from treeproof.objectives import Costs, Labels, Objective
from treeproof.proof.header import Header
from treeproof.proof.native import check_natively
from treeproof.proof.path_search import PathSearch
from treeproof.proof.problem import Problem
from treeproof.proof.writer import ProofFile, action_header, given_table
from treeproof.solving.answer import Answer
from treeproof.solving.proving import highest_level

if TYPE_CHECKING:
    from treeproof.border import TrainingTable
    from treeproof.solving.solvers import Task

__all__ = ["check_path_proof", "has_paths", "write_path_proof"]

_MOST_UNIT = 1 << 20
_MOST_PARTS = 1 << 53  # of all rows
_MOST_PAID = 1 << 58  # by all rows
_MOST_COST = 1 << 30


def has_paths(task: Any) -> bool:
    """Whether the path to a node says what it allows or costs."""
    shape = task.shape
    by_path = shape is not None and shape.paths is not None
    return by_path or task.prefix is not None or task.table.allowed is not None


def check_path_proof(model: Any, objective: Objective, task: Any) -> None:
    """Refuse a proof of what the checkers do not know."""
    directed = task.shape is not None and task.shape.directions is not None
    unfit = {
        'shape="list"': task.shape is not None and task.shape.is_list,
        "monotonic_cst": directed,
        "max_splits": model.max_splits is not None,
        "n_best": model.n_best > 1,
        "costs that are the same for all actions": isinstance(objective, Costs)
        and not objective.engine_total,
        f'criterion="{getattr(model, "criterion", "")}"': not hasattr(task, "labels"),
    }
    name = _name_of(model)
    for other, there in unfit.items():
        if there:
            raise ValueError(
                f"A proof with {name} cannot be combined with {other}; leave one out, "
                "or fit without proof."
            )
    weights = objective.weights
    fractions = isinstance(objective, Labels) and (weights != np.floor(weights)).any()
    if fractions:
        raise ValueError(
            f"A proof with {name} takes weights that are whole numbers, also with "
            "class_weight; multiply them, or fit without proof."
        )
    if getattr(model, "test_costs", None) is not None:
        factors = getattr(objective, "class_factors", None)
        if isinstance(objective, Costs):
            factors = objective.told.class_factors
        if factors is not None and (factors != 1).any():
            raise ValueError(
                "A proof with test_costs cannot be combined with class_weight; leave "
                "one out, or fit without proof."
            )
        if (weights != np.floor(weights)).any():
            raise ValueError(
                "A proof with test_costs takes weights that are whole numbers; "
                "multiply them, or fit without proof."
            )
        _measurements(model, objective)


def _name_of(model: Any) -> str:
    names = ("prefix", "first_split", "interaction_cst", "test_costs")
    given = [name for name in names if getattr(model, name, None) is not None]
    return given[0] if given else "allowed_features"


def write_path_proof(
    model: Any, file: ProofFile, task: Task, objective: Any, found: Answer
) -> dict[str, Any]:
    """Write the proof of a tree that was found; return figures for `stats_`."""
    table = replace(objective.table, allowed=None)
    tests = _Tests(objective.table, table)
    whole = copy.copy(objective)
    whole.table = table
    proved, limits = found["lower"] == found["upper"], model._proved_limits()
    known: Any = found
    level = None if proved else highest_level(task, found)
    if level is not None:  # the proof is about this level of depth
        known, proved = level, level["optimal"]
        limits["max_depth"] = level["max_depth"]
    splits = {**known["tree"], "feature": tests.renumbered(known["tree"]["feature"])}
    total = float(whole_weights(task.weights).sum())
    if isinstance(objective, Costs):
        spare = _spare_factor(objective)
        whole.scale, total = objective.scale / spare, objective.engine_total / spare
    split = split_cost(task.split_penalty, total)
    answer: Any = {"tree": splits, "split_cost": split, "upper": 0}
    header = action_header(whole, answer, limits)
    paths = _paths(model, objective.table, task, tests)
    header |= {"version": 4, "paths": paths, "search_split_cost": split}
    header |= {"lower": 0, "root": 0}
    proof = _Written(header, whole)
    header["upper"] = proof.cost()
    own = proof.whole()
    claims = [own] if proved else []
    if claims or model.time_limit is None:  # else there is no time to try it out
        claims.append(_rounded_down(known, own))
    shown = 0
    for claim in claims:
        paths["lower"] = claim
        if proof.holds():
            shown = claim
            break
    paths["lower"] = shown
    model._warn_if_not_shown(shown, max(claims, default=own))
    argument = file.trivial(split)
    written = file.write(argument, header)
    return written | {
        "proof_max_depth": limits["max_depth"],
        "proof_shows_bound": proved and shown >= own,
    }  # fmt: skip


def _spare_factor(objective: Costs) -> int:
    """Return the greatest power of two that divides all whole gains.

    A proof can do without it, which leaves room for digits of prices.
    """
    common = int(np.gcd.reduce(objective.gains, axis=None))
    return common & -common


def _rounded_down(found: Answer, own: int) -> int:
    """Return the bound of a search in parts, below it by what was rounded."""
    share = found["lower"] / found["upper"] if found["upper"] else 0.0
    return max(math.floor(own * share * (1 - 1e-9)) - UNIT_COST // 16, 0)


class _Written:
    """The proof as a checker gets it, with the rows behind the tree."""

    def __init__(self, header: dict[str, Any], objective: Any) -> None:
        self._header = header
        self.X = given_table(objective.table)
        labels = getattr(objective, "labels", None)
        self.y = None if labels is None else np.asarray(objective.classes)[labels]
        self.weight = objective.weights  # with those of classes
        self.costs = getattr(objective, "costs", None)
        if header.get("measure") == "reward":  # as it is given to a checker
            self.costs = -objective.costs
        if header.get("cost_matrix") is not None:
            self.costs = None
        if header.get("abstain_cost") is not None and self.costs is not None:
            self.costs = self.costs[:, :-1]

    @property
    def line(self) -> bytes:
        """The header as it is now, with class weights that are in the weights."""
        told = dict(self._header)
        if "class_weight" in told:
            told["class_weight"] = [1.0] * len(told["class_weight"])
        return json.dumps(told).encode()

    def problem(self) -> Problem:
        """Return the problem as a checker sees it."""
        return Problem(Header(self.line), self.X, self.y, self.weight, self.costs)

    def cost(self) -> int:
        """Return what the tree costs, without prices of columns."""
        loss, penalties = self.problem().tree_parts()
        return int(loss) + penalties * int(self._header["split_cost"])

    def whole(self) -> int:
        """Return what the tree costs in parts, with prices of columns."""
        search = PathSearch(self.problem())
        return search.whole(search.paid())

    def holds(self) -> bool:
        """Whether the checker in C++ accepts the proof."""
        step: dict[str, Any] = {"branch": [], "depth": None, "bound": 0}
        proof = io.BytesIO(self.line + b"\n" + json.dumps(step).encode() + b"\n")
        rows = self.X, self.y, self.weight
        return check_natively(proof, *rows, costs=self.costs).accepted


@dataclass
class _Tests:
    """The numbers that tests have in a proof, by the engine's columns.

    Where only some columns are allowed, the engine's table lacks the others; a proof is
    about all of them.
    """

    given: TrainingTable
    whole: TrainingTable

    def __post_init__(self) -> None:
        """Give every test its number."""
        engine = self.whole.engine
        pairs = zip(engine.kinds.tolist(), engine.n_values.tolist(), strict=True)
        counts = [_n_tests(kind, n) for kind, n in pairs]
        self.first = np.concatenate([[0], np.cumsum(counts)]).astype(int)
        self.column: dict[int, int] = {}
        for j in range(len(self.whole.columns)):
            own, of_all = self.given.engine.of_column(j), engine.of_column(j)
            if len(own) == len(of_all):
                self.column |= dict(zip(own, of_all, strict=True))

    def renumbered(self, features: Any) -> Any:
        """Return the columns of a tree as those of the whole table."""
        return np.array([self.column.get(int(f), int(f)) for f in features], np.int32)

    def of_choice(
        self, choice: Choice
    ) -> Iterator[tuple[list[int], Mapping[int, int]]]:
        """Yield tests, and for each outcome in the proof the engine's."""
        k = self.column[choice.column]
        engine = self.whole.engine
        kind, n, first = int(engine.kinds[k]), int(engine.n_values[k]), self.first[k]
        if n < 2:
            return
        if kind == ONE_EACH:
            yield [int(first)], {v: v for v in range(n)}
            return
        codes = range(n) if choice.codes is None else choice.codes
        if kind == ORDERED or n > 2:
            last = n - 1 if kind == ORDERED else n
            yield [int(first) + c for c in codes if 0 <= c < last], {0: 0, 1: 1}
            return
        for code in codes:  # of two categories only the first has a test
            yield [int(first)], {0: 0, 1: 1} if code == 0 else {0: 1, 1: 0}


def _n_tests(kind: int, n_values: int) -> int:
    if n_values < 2:
        return 0
    if kind == ONE_EACH:
        return 1
    if kind == ORDERED:
        return n_values - 1
    return 1 if n_values == 2 else n_values


def _paths(
    model: Any, table: TrainingTable, task: Any, tests: _Tests
) -> dict[str, Any]:
    """Return what the header says of paths."""
    groups = None
    if getattr(model, "interaction_cst", None) is not None:
        groups = [sorted(g) for g in read_interactions(model.interaction_cst, table)]
    costs, unit = _measurements(model, task.objective)
    prefix = None if task.prefix is None else _place(task.prefix.root, table, tests)
    allowed = None if table.allowed is None else sorted(table.allowed)
    return {
        "allowed": allowed,
        "groups": groups,
        "costs": costs,
        "unit": unit,
        "prefix": prefix,
        "lower": 0,
    }


def _measurements(
    model: Any, objective: Any
) -> tuple[list[dict[str, Any]] | None, int]:
    """Return the costs of columns in whole parts, and how many make a unit of cost."""
    if getattr(model, "test_costs", None) is None:
        return None, 1
    given = read_test_costs(model.test_costs, objective.table)
    numbers = [decimal(n) for m in given for n in (m.cost, m.discounted)]
    unit = math.lcm(*(number.denominator for number in numbers))
    weight = int(objective.weights.sum())
    if isinstance(objective, Costs):
        spare = _spare_factor(objective)
        total = int(objective.engine_total) // spare
        most = (_MOST_PAID - 1) // max(total * UNIT_COST, 1)
        one = weight * UNIT_COST * objective.scale / spare
    else:
        most = (_MOST_PARTS - 1) // max(weight * UNIT_COST, 1)
        one = weight * UNIT_COST
        # Penalties in such parts: then trees that cost the same are seen to do so.
        finer = math.lcm(unit, decimal(model.split_penalty).denominator)
        unit = finer if finer <= min(_MOST_UNIT, most) else unit
    dearest = max(numbers, default=Fraction(0)) * unit
    large = dearest >= _MOST_COST or float(dearest) * one >= _MOST_PAID
    if unit > min(_MOST_UNIT, most) or large:
        raise ValueError(
            "A proof with test_costs takes costs that are decimal fractions of few "
            "digits; round them, or fit without proof."
        )
    costs = [_cost(m, unit) for m in given if m.cost > 0 or m.group is not None]
    return costs, unit


def _cost(own: Measurement, unit: int) -> dict[str, Any]:
    group = own.group
    if group is not None and (not isinstance(group, str) or not group):
        group = f"group {group!r}"
    return {
        "columns": sorted(own.columns),
        "cost": int(decimal(own.cost) * unit),
        "discounted": int(decimal(own.discounted) * unit),
        "group": group,
    }


def _place(node: Node, table: TrainingTable, tests: _Tests) -> Any:
    """Return a place of the given top as a header has it."""
    if isinstance(node, Closed):
        return "leaf"
    if isinstance(node, Open):
        if node.allowed is None:
            return None
        own = {j for j in node.allowed if table.is_allowed(j)}
        return {"allowed": sorted(own)}
    assert isinstance(node, Given)
    choices = []
    for choice in node.choices:
        for numbers, outcomes in tests.of_choice(choice):
            below = [
                [v, _place(choice.children[e], table, tests)]
                for v, e in outcomes.items()
                if e in choice.children
            ]
            rest = _place(choice.rest, table, tests)
            choices.append({"tests": numbers, "below": below, "rest": rest})
    return {"choices": choices}

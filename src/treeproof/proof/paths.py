"""The rules about paths: which tests they allow, and what these cost.

Part of the checker: section 14 of docs/proof-format.md. The standard library only. A
path is in a state, which consists of the node of the given top at which it is, the
groups of columns to which it may still belong, and the measurements paid for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treeproof.proof.header import read_whole
from treeproof.proof.rejected import require

MOST_COST = 1 << 30  # the largest cost of a column
MOST_UNIT = 1 << 20
MOST_LISTED = 1000


@dataclass(frozen=True)
class Free:
    """A place for any test on an allowed column, or a leaf."""

    allowed: frozenset[int]


@dataclass(frozen=True)
class Closed:
    """A place that must be a leaf."""


@dataclass(frozen=True)
class Choice:
    """Tests of which a place must have one, and the places below its outcomes."""

    tests: tuple[int, ...]
    below: dict[int, Place]
    rest: Place

    def place(self, outcome: int) -> Place:
        """Return the place below an outcome."""
        return self.below.get(outcome, self.rest)


@dataclass(frozen=True, eq=False)
class Given:
    """A place that must have one of some tests."""

    choices: tuple[Choice, ...]


Place = Free | Closed | Given


@dataclass(frozen=True)
class State:
    """The state of a path."""

    place: Place
    groups: frozenset[int]
    paid: frozenset[int]


class Paths:
    """The rules about paths in a header.

    Parameters
    ----------
    given : dict
        The rules about paths in the header.
    n_columns, n_tests : int
        The numbers of columns and of tests.
    """

    def __init__(self, given: Any, n_columns: int, n_tests: int) -> None:
        require(isinstance(given, dict), "the paths are no object.")
        self.n_columns, self.n_tests = n_columns, n_tests
        allowed = frozenset(range(n_columns))
        if given.get("allowed") is not None:
            allowed = self._columns(given["allowed"])
        self.groups = None
        if given.get("groups") is not None:
            listed = isinstance(given["groups"], list)
            fine = listed and 0 < len(given["groups"]) <= MOST_LISTED
            require(fine, "there are no groups, or too many.")
            self.groups = [self._columns(group) for group in given["groups"]]
        self.costs: list[tuple[int, int, Any]] = []  # cost, discounted cost, group
        self.measured: dict[int, int] = {}
        if given.get("costs") is not None:
            self._read_costs(given["costs"])
        self.unit = read_whole(given.get("unit"), "the unit of paths", 1)
        require(self.unit <= MOST_UNIT, "the unit of paths is out of range.")
        self.lower = read_whole(given.get("lower"), "lower")
        groups = frozenset(range(len(self.groups or ())))
        top = self._place(given.get("prefix"), allowed)
        self.start = State(top, groups, frozenset())

    def _columns(self, given: Any) -> frozenset[int]:
        require(isinstance(given, list), "there is no list of columns.")
        columns = frozenset(read_whole(column, "a column") for column in given)
        require(max(columns, default=0) < self.n_columns, "there is no such column.")
        return columns

    def _read_costs(self, given: Any) -> None:
        fine = isinstance(given, list) and len(given) <= MOST_LISTED
        require(fine, "the costs of columns are no list, or too many.")
        for item in given:
            require(isinstance(item, dict), "a cost of columns is no object.")
            cost, less = (
                read_whole(item.get(key), "the cost of a column")
                for key in ("cost", "discounted")
            )
            require(less <= cost < MOST_COST, "the cost of a column is out of range.")
            group = item.get("group")
            named = group is None or (isinstance(group, str) and group != "")
            require(named, "the group of a cost has no name.")
            for column in self._columns(item.get("columns")):
                require(column not in self.measured, "a column has two costs.")
                self.measured[column] = len(self.costs)
            self.costs.append((cost, less, group))

    def _place(self, given: Any, allowed: frozenset[int]) -> Place:
        if given is None:
            return Free(allowed)
        if given == "leaf":
            return Closed()
        require(isinstance(given, dict), "a place of the prefix is unknown.")
        if given.get("allowed") is not None:
            return Free(self._columns(given["allowed"]))
        listed = isinstance(given.get("choices"), list)
        require(listed, "a place of the prefix has no choices.")
        return Given(tuple(self._choice(item, allowed) for item in given["choices"]))

    def _choice(self, given: Any, allowed: frozenset[int]) -> Choice:
        fine = isinstance(given, dict) and "rest" in given
        fine = fine and all(isinstance(given.get(k), list) for k in ("tests", "below"))
        require(fine, "a choice of the prefix is not complete.")
        tests = tuple(
            read_whole(test, "a test of the prefix") for test in given["tests"]
        )
        require(max(tests, default=-1) < self.n_tests, "there is no such test.")
        below: dict[int, Place] = {}
        for pair in given["below"]:
            proper = isinstance(pair, list) and len(pair) == 2
            require(proper, "a place below is not [outcome, place].")
            outcome = read_whole(pair[0], "an outcome of the prefix")
            require(outcome not in below, "the prefix has an outcome twice.")
            below[outcome] = self._place(pair[1], allowed)
        return Choice(tests, below, self._place(given["rest"], allowed))

    def price(self, state: State, column: int) -> int | None:
        """Return the cost of a test for a row of weight 1, or None if not allowed."""
        if isinstance(state.place, Free) and column not in state.place.allowed:
            return None
        if self.groups is not None:
            fits = any(column in self.groups[g] for g in state.groups)
            if not fits:
                return None
        own = self.measured.get(column)
        if own is None or own in state.paid:
            return 0
        cost, discounted, group = self.costs[own]
        before = {self.costs[k][2] for k in state.paid}
        return discounted if group is not None and group in before else cost

    def below(self, state: State, column: int, place: Place) -> State:
        """Return the state after a test on a column."""
        groups, paid = state.groups, state.paid
        if self.groups is not None:
            groups = frozenset(g for g in groups if column in self.groups[g])
        if column in self.measured:
            paid = paid | {self.measured[column]}
        return State(place, groups, paid)


def path_words(given: Any) -> Iterator[str]:
    """Describe the rules about paths of a header."""
    if not isinstance(given, dict):
        return
    for key, before, after in (
        ("allowed", "splits on columns", " only"),
        ("groups", "columns of a path in one of", ""),
        ("costs", "costs of columns", f" in parts of {given.get('unit')}"),
        ("prefix", "beginning with", ""),
    ):
        if given.get(key) is not None:
            yield f"{before} {json.dumps(given[key])}{after}"

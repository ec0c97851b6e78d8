"""The rules about paths, for the exact checker: allowed tests and their costs.

Section 14 of docs/proof-format.md. Only for proofs whose headers contain paths does
anything depend on this module.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from treeproof.proof.exact_data import Rows, require, whole

_FREE, _LEAF, _GIVEN = "free", "leaf", "given"


class PathArgument:
    """An argument about all trees, and a bound for those that the rules allow.

    A state consists of the node of the given top, the groups of columns that are left,
    and the measurements that have been paid for.
    """

    def __init__(self, argument: Any, h: dict[str, Any]) -> None:
        self.argument, self.h, self.given = argument, h, h["paths"]
        given, p = self.given, argument.p
        require(p.exact and h["max_splits"] is None, "paths do not go with this")
        others = ("metric", "constraints")
        require(all(h.get(key) is None for key in others), "paths go alone")
        require(h.get("shape") in (None, "tree"), "paths do not go with lists")
        require(not any(f.get("monotone") for f in h["features"]), "directions")
        self.n = len(h["features"])
        self.unit, self.bound = whole(given["unit"], 1), whole(given["lower"])
        require(self.unit <= 1 << 20, "the unit of paths is out of range")
        self.split = argument.L * self.unit
        if h["loss"] != "costs":  # in doubles, as on the page
            parts = int(p.root) * self.unit
            require(parts < 1 << 53, "the unit of paths is too small")
            self.split = math.floor(h["split_penalty"] * parts + 0.5)
        self.column = self.columns_of_tests()
        self.groups, self.measures = self.read_groups(), self.read_costs()
        self.places: list[Any] = []
        every = frozenset(range(self.n))
        if given.get("allowed") is not None:
            every = self.some(given["allowed"])
        top = self.place(given.get("prefix"), every)
        self.start: Any = (top, frozenset(range(len(self.groups or ()))), frozenset())

    def columns_of_tests(self) -> list[int]:
        """Return the column of the table of each test."""
        return [column for column, _, _ in self.argument.p.tests]

    def some(self, columns: Any) -> frozenset[int]:
        """Return a set of columns."""
        require(isinstance(columns, list), "no list of columns")
        require(all(whole(c) < self.n for c in columns), "no such column")
        return frozenset(columns)

    def read_groups(self) -> list[frozenset[int]] | None:
        """Return the groups of columns, or None."""
        given = self.given.get("groups")
        if given is None:
            return None
        require(given and isinstance(given, list), "no groups")
        return [self.some(group) for group in given]

    def read_costs(self) -> list[tuple[frozenset[int], int, int, Any]]:
        """Return columns, cost, discounted cost and group of measurements."""
        out, seen = [], set[int]()
        for item in self.given.get("costs") or []:
            columns, group = self.some(item["columns"]), item.get("group")
            cost, less = whole(item["cost"]), whole(item["discounted"])
            require(less <= cost < 1 << 30, "a cost is out of range")
            require(group is None or (isinstance(group, str) and group), "a group")
            require(not seen & columns, "a column has two costs")
            seen |= columns
            out.append((columns, cost, less, group))
        if out:
            p, h = self.argument.p, self.h
            if h["loss"] == "costs":
                heavy = [w for w in p.given if w > 0]
                right = all(w == int(w) for w in heavy) and sum(heavy) < 1 << 30
                right = right and -20 <= h["scale"] <= 25
                self.heavy = list(zip(p.row_codes, map(int, heavy), strict=True))
            else:
                right = p.scale == 1.0
            own = all(factor == 1 for factor in h.get("class_weight", []))
            require(right and own, "costs of columns go with whole weights alone")
        return out

    def place(self, given: Any, allowed: frozenset[int]) -> int:
        """Read a node of the given top; return its number."""
        place: tuple[str, Any] = (_FREE, allowed)
        if given == "leaf":
            place = (_LEAF, None)
        elif given is not None and given.get("allowed") is not None:
            place = (_FREE, self.some(given["allowed"]))
        elif given is not None:
            choices = []
            for item in given["choices"]:
                tests = [whole(test) for test in item["tests"]]
                known = max(tests, default=-1) < len(self.column)
                require(known, "no such test")
                pairs = [(whole(v), self.place(q, allowed)) for v, q in item["below"]]
                require(len(dict(pairs)) == len(pairs), "an outcome comes twice")
                choices.append((tests, dict(pairs), self.place(item["rest"], allowed)))
            place = (_GIVEN, choices)
        self.places.append(place)
        return len(self.places) - 1

    def holds(self, steps: Any) -> bool:
        """Verify the bound for allowed trees; return whether the tree is optimal."""
        self.argument.holds(steps)
        a, everything = self.argument, self.argument.p.everything
        paid = self.paid(self.h["tree"], everything, self.start)
        require(paid < math.inf, "the tree is not allowed")
        loss, splits, leaves = a.tree(self.h["tree"], everything, 0)
        n = leaves - 1 if self.h.get("penalize") == "leaves" else splits
        own = loss * self.unit + n * self.split + paid
        least = cache(self.least)
        self.least = least  # type: ignore[method-assign]
        bound = least(everything, a.depth, self.start)
        require(self.bound <= min(bound, own), "the bound of paths does not hold")
        return bool(self.bound == own)

    def moves(self, state: Any, test: int) -> Any:
        """Return the price for a row, and each way to continue, by outcome."""
        at, groups, paid = state
        kind, about = self.places[at]
        column, n = self.column[test], self.argument.p.tests[test][2]
        left = frozenset(g for g in groups if column in (self.groups or [])[g])
        refused = kind == _FREE and column not in about
        if kind == _LEAF or refused or (self.groups is not None and not left):
            return 0, []
        price, now = 0, paid
        for k, (columns, cost, less, group) in enumerate(self.measures):
            if column in columns and k not in paid:
                before = {self.measures[j][3] for j in paid}
                price = less if group is not None and group in before else cost
                now = paid | {k}
        ways = [[at] * n] if kind == _FREE else []
        if kind == _GIVEN:
            own = [(below, rest) for tests, below, rest in about if test in tests]
            ways = [[below.get(v, rest) for v in range(n)] for below, rest in own]
        return price, [[(place, left, now) for place in way] for way in ways]

    def charge(self, rows: Rows, price: int) -> Any:
        """Return what a test costs for some rows."""
        p = self.argument.p
        if not price or self.h["loss"] != "costs":
            return p.w(rows) * price if price else 0
        codes = {p.codes[i] for i in rows}
        own = sum(w for code, w in self.heavy if code in codes)
        return own * price * 2 ** (20 + self.h["scale"])

    def paid(self, node: Any, rows: Rows, state: Any) -> Any:
        """Return the costs of a tree's tests; infinity if it is not allowed."""
        if "predict" in node:
            return math.inf if self.places[state[0]][0] == _GIVEN else 0
        price, ways = self.moves(state, node["test"])
        parts = self.argument.p.children(rows, node["test"])
        totals = (
            sum(self.paid(child, parts[v], way[v]) for v, child in node["children"])
            for way in ways
        )
        return min(totals, default=math.inf) + self.charge(rows, price)

    def least(self, rows: Rows, depth: float, state: Any) -> Any:
        """Return the cost of the cheapest tree that is allowed."""
        p, kind = self.argument.p, self.places[state[0]][0]
        best = math.inf if kind == _GIVEN else p.leaf(rows) * self.unit
        if depth == 0 or kind == _LEAF:
            return best
        for test in (t for t in range(len(p.tests)) if p.splits(rows, t)):
            price, ways = self.moves(state, test)
            parts = p.children(rows, test)
            leaves = self.h.get("penalize") == "leaves"
            own = self.split * (len([c for c in parts if c]) - 1 if leaves else 1)
            own += self.charge(rows, price)
            for way in ways if own < best else ():
                pairs = zip(parts, way, strict=True)
                low = sum(self.least(c, depth - 1, s) for c, s in pairs if c)
                best = min(best, own + low)
        return best

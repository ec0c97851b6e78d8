"""The cheapest tree if paths decide which tests are allowed and what they cost.

Part of the checker: section 14 of docs/proof-format.md. The standard library and NumPy
only. Costs are in parts: `unit` of them are a 2^20th of a unit of weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from treeproof.proof.header import UNIT
from treeproof.proof.paths import Closed, Free, Given, Paths, Place, State
from treeproof.proof.problem import MAX_SUM, Problem
from treeproof.proof.rejected import Array, Rejected, require
from treeproof.proof.tree_counts import Depth, Splits, below

NEVER = 1 << 61  # the cost if no tree is allowed
MOST = 1 << 58  # limit of errors, and of the cost of a split

Child = tuple[Array, State]


class PathSearch:
    """Lower bounds from the first test of a tree, in a state of its path.

    Parameters
    ----------
    problem : Problem
        The rows, tests and costs.
    """

    def __init__(self, problem: Problem) -> None:
        self.p, header = problem, problem.header
        h = header.raw
        plain = header.exact and problem.limits is None and problem.ratio is None
        plain = plain and header.max_splits is None and not header.is_list
        plain = plain and not any(header.directions)
        require(plain, "paths do not go with other limits, ratios or directions.")
        self.rules = Paths(h["paths"], len(header.features), problem.n_tests)
        self._weigh(problem, h)
        unit, most = (
            self.rules.unit,
            max([0, *(cost for cost, _, _ in self.rules.costs)]),
        )
        fine = most * (int(self.heft.sum()) << self.shift) < MOST
        fine = fine and max(problem.unit, header.split_cost) * unit < MOST
        require(fine, "the costs of paths are too large.")
        self.split = header.split_cost * unit
        # Rounded to parts, which are finer than the units of steps.
        if not header.costly:
            require(problem.unit * unit < MAX_SUM, "the costs of paths are too large.")
            self.split = math.floor(header.split_penalty * (problem.unit * unit) + 0.5)
        self._known: dict[tuple[bytes, Depth, State], tuple[int, bool]] = {}
        self._splits: dict[bytes, Splits] = {}

    def _weigh(self, problem: Problem, h: dict[str, Any]) -> None:
        """Compute what each row pays at a price of 1 for a unit of weight."""
        self.heft = np.zeros(len(problem.codes), np.int64)
        self.shift = 20
        if not self.rules.costs:
            return
        own = all(factor == 1 for factor in h.get("class_weight", []))
        if problem.gains is None:
            own = own and problem.exponent == 0
            self.heft = problem.channels[:, :-2].sum(axis=1)
        else:
            weights = problem.weights
            own = own and bool(np.all(weights == np.floor(weights)))
            own = (
                own and weights.sum() < 1 << 30 and -20 <= problem.gains.exponent <= 25
            )
            if own:
                np.add.at(self.heft, problem.place, weights.astype(np.int64))
                self.shift = 20 + problem.gains.exponent
        require(own, "costs of columns go with whole weights of rows alone.")

    def check(self) -> tuple[int, int]:
        """Return the cost of the tree's tests, and its whole cost, in parts.

        Require that no allowed tree costs less than the header claims.
        """
        rules, header = self.rules, self.p.header
        everything = np.arange(len(self.p.codes))
        paid = self.paid()
        own = self.whole(paid)
        require(rules.lower <= own, "no tree costs more than the given one.")
        try:
            shown = self.lower(everything, header.max_depth, rules.start, rules.lower)
        except RecursionError:
            raise Rejected("the search for paths goes too deep.") from None
        require(shown >= rules.lower, "the lower bound of paths does not hold.")
        return paid, own

    def whole(self, paid: int) -> int:
        """Return the cost of the tree in parts, given the cost of its tests."""
        loss, penalties = self.p.tree_parts()
        return int(loss) * self.rules.unit + penalties * self.split + paid

    def paid(self) -> int:
        """Return the cost of the tests of the tree in the header, in parts."""
        everything = np.arange(len(self.p.codes))
        paid = self._paid(self.p.header.raw["tree"], everything, self.rules.start)
        require(paid is not None, "the tree is not allowed by paths.")
        return paid or 0

    def stated(self, paid: int, own: int) -> tuple[float, float, bool]:
        """Return cost and bound in the user's unit, and whether they are equal."""
        rules, p = self.rules, self.p
        cost = p.objective
        if rules.costs:
            weight = math.fsum(p.weights) if p.header.costly else p.unit / UNIT
            cost += math.ldexp(paid / rules.unit, -self.shift) / weight
        optimal = rules.lower >= own
        lower = p.stated_bound(rules.lower // rules.unit)
        if not p.header.costly:
            lower = rules.lower / rules.unit / (p.unit or 1)
        return cost, cost if optimal else min(cost, lower), optimal

    def _charge(self, rows: Array, per_row: int) -> int:
        """Return the cost of a test for some rows, in parts."""
        if per_row == 0:
            return 0
        return (int(self.heft[rows].sum()) << self.shift) * per_row

    def _paid(self, node: Any, rows: Array, state: State) -> int | None:
        """Return the cost of the tests of a tree; None if it is not allowed."""
        if "test" not in node:
            return None if isinstance(state.place, Given) else 0
        column = self._column(node["test"])
        price = self.rules.price(state, column)
        if price is None or isinstance(state.place, Closed):
            return None
        for places in self._places(state.place, node["test"]):
            total = self._charge(rows, price)
            for outcome, child in node["children"]:
                part = self.p.within(rows, self.p.child(node["test"], outcome))
                under = self.rules.below(state, column, places(outcome))
                own = self._paid(child, part, under)
                if own is None:
                    break
                total += own
            else:
                return total
        return None

    def _places(self, place: Place, test: int) -> Iterator[Callable[[int], Place]]:
        """Yield each way to continue below the outcomes of a test."""
        if isinstance(place, Free):
            yield lambda _: place
        if isinstance(place, Given):
            for choice in place.choices:
                if test in choice.tests:
                    yield choice.place

    def _column(self, test: int) -> int:
        return self.p.column[int(self.p.view[self.p.first[test]])]

    # ------------------------------------------------------------------ search

    def lower(self, rows: Array, depth: Depth, state: State, wanted: int) -> int:
        """Return a lower bound on all allowed trees, if possible at least `wanted`.

        Every tree is a leaf, or it starts with a test and has trees on the children.
        """
        given = isinstance(state.place, Given)
        if isinstance(state.place, Closed) or (depth == 0 and not given):
            return self._leaf(rows)
        if depth == 0:
            return NEVER
        key = (rows.tobytes(), depth, state)
        known, exact = self._known.get(key, (0, False))
        if not given and key not in self._known:
            known = min(self._leaf(rows), self.split)
        if exact or known >= wanted:
            self._known[key] = known, exact
            return known
        if depth == 1 and not given:
            found, exact = self._best_stump(rows, state), True
        else:
            found = NEVER if given else self._leaf(rows)
            for price, children in self._tests(rows, state):
                enough = min(wanted, found)
                found = min(found, self._added(price, children, below(depth), enough))
                if found <= known:
                    break
            exact = found < wanted or found <= known  # no tree was left out
        self._known[key] = max(known, found), exact
        return self._known[key][0]

    def _added(
        self, price: int, children: list[Child], depth: Depth, enough: int
    ) -> int:
        """Return a lower bound on trees that start with a test, cut off at `enough`."""
        low = [self.lower(rows, depth, state, 0) for rows, state in children]
        for k, (rows, state) in enumerate(children):
            over = enough - price - sum(low)
            if over <= 0:
                break
            low[k] = max(low[k], self.lower(rows, depth, state, low[k] + over))
        return min(price + sum(low), NEVER)

    def _tests(self, rows: Array, state: State) -> Iterator[tuple[int, list[Child]]]:
        """Yield the cost and the children of each test that is allowed."""
        p, splits, place = self.p, self._split(rows), state.place
        seen: set[tuple[int, int]] = set()
        for test in splits.tests.tolist():
            first, end = int(p.first[test]), int(p.first[test + 1])
            view = int(p.view[first])
            cut = (view, int(splits.n_rows[first]))
            same = p.splits[view] == "threshold" and cut in seen
            price = self.rules.price(state, self._column(test))
            if price is None or (same and isinstance(place, Free)):
                continue
            seen.add(cut)
            there = int((splits.n_rows[first:end] > 0).sum())
            own = self._penalty(there) + self._charge(rows, price)
            for places in self._places(place, test):
                yield (
                    own,
                    [
                        (
                            p.within(rows, child),
                            self.rules.below(
                                state, self._column(test), places(child - first)
                            ),
                        )
                        for child in range(first, end)
                        if splits.n_rows[child] > 0
                    ],
                )

    def _best_stump(self, rows: Array, state: State) -> int:
        """Return the cost of a leaf, or of the best split into leaves."""
        p, splits, unit = self.p, self._split(rows), self.rules.unit
        best = self._leaf(rows)
        if not len(splits.tests):
            return best
        sums = np.add.reduceat(splits.leaf, p.first[:-1]) * unit
        there = np.add.reduceat((splits.n_rows > 0).astype(int), p.first[:-1])
        columns = np.array(p.column)[p.view[p.first[splits.tests]]]
        for column in np.unique(columns).tolist():
            price = self.rules.price(state, column)
            if price is not None:
                own = splits.tests[columns == column].tolist()
                least = min(int(sums[t]) + self._penalty(int(there[t])) for t in own)
                best = min(best, least + self._charge(rows, price))
        return best

    def _penalty(self, n_children: int) -> int:
        """Return the cost of a split, in parts."""
        leaves = self.p.header.penalize == "leaves"
        return self.split * (n_children - 1 if leaves else 1)

    def _leaf(self, rows: Array) -> int:
        return int(self.p.leaf(self.p.channels[rows].sum(axis=0))) * self.rules.unit

    def _split(self, rows: Array) -> Splits:
        key = rows.tobytes()
        if key not in self._splits:
            if len(self._splits) > 20_000:
                self._splits.clear()
            self._splits[key] = Splits(self.p, rows)
        return self._splits[key]

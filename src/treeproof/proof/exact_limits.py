"""Limits on rates, for the exact checker.

Section 10 of docs/proof-format.md. Only for proofs whose headers contain constraints
does anything depend on this module.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from treeproof.proof.exact_data import UNIT, number, places, require, whole
from treeproof.proof.exact_list import require_no_better


class Limits:
    """Errors, rates and their prices, as integers, for the rows that count."""

    def __init__(self, h: Any, target: Any, weight: Any, groups: Any):
        given = self.given = h["constraints"]
        require(h["loss"] == "costs" and "classes" not in h, "constraints are of costs")
        plain = h["measure"] == "cost" and h.get("abstain_cost") is None
        require(plain and h.get("cost_matrix") is None, "constraints are of errors")
        label, group = places(h["actions"]), places(given.get("groups") or [])
        factor = [whole(f) for f in given["class_weight"]]
        require(len(factor) == len(label), "class weights")
        self.kept = [i for i, w in enumerate(weight) if w > 0]
        self.label = [label[target[i]] for i in self.kept]
        self.group = [group[groups[i]] if group else None for i in self.kept]
        self.weight = [int(weight[i]) for i in self.kept]
        require(all(w == int(w) >= 0 for w in weight), "a weight is not whole")
        pairs = zip(self.weight, self.label, strict=True)
        self.errors = [w * factor[y] for w, y in pairs]
        require(min(self.errors) > 0 and sum(self.errors) < 1 << 30, "weights")
        require(sum(self.weight) < 1 << 30, "weights")
        self.positive, self.unit = whole(given["positive"]), whole(given["unit"], 1)
        penalty = number(given["split_penalty"])
        stated = penalty * float(sum(self.errors)) * self.unit / len(self.kept)
        require(penalty >= 0 and h["split_penalty"] == stated, "split_penalty")
        require(self.positive < len(label) and self.unit < 1 << 30, "out of range")
        self.penalty = Fraction(penalty) * sum(self.errors)
        self.rates = [self.rate(limit) for limit in given["limits"]]
        self.costs = [[0.0] * len(label)] * len(weight)
        for k, i in enumerate(self.kept):
            wrong = self.errors[k] * self.unit
            own = [wrong * (y != self.label[k]) for y in label.values()]
            for shares, _, price in self.rates:
                for c, share in shares[k].items():
                    require(price * share % 1 == 0, "a price that is not shared out")
                    own[c] += int(price * share)
            require(max(map(abs, own)) < 1 << 52, "the prices are too large")
            self.costs[i] = [float(cost) for cost in own]
        self.ones = [float(w > 0) for w in weight]

    def rate(self, limit: Any) -> tuple[list[dict[int, Fraction]], Fraction, int]:
        """Return a limited sum, its bound and its price.

        The sum is given by the number that each row adds to it, for each class.
        """
        price, (over, under) = whole(limit["price"]), limit["at_most"]
        at_most = Fraction(whole(over, -(1 << 60)), whole(under, 1))
        require(abs(price * at_most) < 1 << 32, "the price is too large")
        if limit.get("amounts") is not None:
            return self.amounts(limit["amounts"]), at_most, price
        among = {"all": (0, 1), "positives": (1,), "negatives": (0,)}[limit["among"]]
        require(whole(limit["sign"], -1) in (1, -1), "a sign")
        shares = [{self.positive: Fraction(0)} for _ in self.kept]
        for sign, key in ((limit["sign"], "group"), (-limit["sign"], "minus")):
            name = limit.get(key)
            if key == "minus" and name is None:
                continue
            require(name is None or whole(name) in self.group, "no such group")
            pairs = enumerate(zip(self.label, self.group, strict=True))
            rows = [
                k
                for k, (y, g) in pairs
                if (y == self.positive) in among and name in (None, g)
            ]
            total = sum(self.weight[k] for k in rows)
            require(total and price % total == 0, "a price that is not shared out")
            for k in rows:
                shares[k][self.positive] += Fraction(sign * self.weight[k], total)
        return shares, at_most, price

    def amounts(self, given: list[Any]) -> list[dict[int, Fraction]]:
        """Return the amounts of each class, or those of each row, times weights."""
        each = isinstance(given[0], list)
        rows = given if each else [given] * len(self.kept)
        n = len(self.given["class_weight"])
        fits = len(rows) == len(self.kept) and {len(row) for row in rows} == {n}
        require(fits, "not one amount for each class")
        most = 1 << 30
        fine = all(-most <= whole(v, -most) < most for row in rows for v in row)
        require(fine, "an amount is out of range")
        pairs = zip(self.weight, rows, strict=True)
        return [{c: Fraction(w * v) for c, v in enumerate(row)} for w, row in pairs]

    def conclude(self, argument: Any) -> bool:
        """Require that the tree keeps the limits; return whether it is the best one."""
        p, h = argument.p, argument.h
        _, splits, leaves = argument.tree(self.given["tree"], p.everything, 0)
        require(splits <= argument.splits, "the tree has too many splits")
        of = {p.codes[i]: said for i, said in argument.said.items()}
        said = [of[codes] for codes in p.row_codes]
        for shares, at_most, _ in self.rates:
            pairs = zip(shares, said, strict=True)
            total = sum((own.get(c, Fraction(0)) for own, c in pairs), Fraction(0))
            require(total <= at_most, "the tree does not keep a limit")
        wrong = sum(
            e for e, y, s in zip(self.errors, self.label, said, strict=True) if y != s
        )
        penalties = leaves - 1 if h.get("penalize") == "leaves" else splits
        cost = wrong + penalties * self.penalty
        listed = self.given.get("listed")
        require(listed is None or type(listed) is bool, "listed is not true or false")
        if self.bound(argument) >= cost:
            return True
        if listed:
            require_no_better(self, argument, wrong, penalties)
        return bool(listed)

    def bound(self, argument: Any) -> Fraction:
        """Return a lower bound on the cost of every tree that keeps the limits."""
        n, least = len(self.kept), self.base(argument)
        paid = sum(price * at_most for _, at_most, price in self.rates)
        parts = argument.lower - n  # for the rounding of penalties
        low = (least + Fraction(parts, UNIT) - paid) / self.unit
        each = range(n + 1 if self.penalty else 1)
        ways = (k * self.penalty for k in each)
        return min(own + max(math.ceil(low - own), 0) for own in ways)

    def base(self, argument: Any) -> int:
        """Return the part of every tree's cost that the steps do not count."""
        rows = [self.costs[i] for i in self.kept]
        require(argument.h["scale"] == 0, "the costs were rounded")
        gained = sum(argument.p.heft) // UNIT
        flat = sum(len(set(row)) == 1 for row in rows) if gained else 0
        return sum(int(max(row)) for row in rows) - (gained - flat)

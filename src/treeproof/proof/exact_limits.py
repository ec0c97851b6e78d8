"""Limits on rates, for the exact checker.

Section 10 of docs/proof-format.md. Only proofs whose headers contain constraints are
accepted for what stands here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from treeproof.proof.exact_data import UNIT, number, places, require, whole


class Limits:
    """Errors, rates and their prices, in whole numbers, of the rows that count."""

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
            for sides, _, price in self.rates:
                for sign, rows, total in sides:
                    if k in rows:
                        own[self.positive] += sign * (price // total) * self.weight[k]
            require(max(map(abs, own)) < 1 << 52, "the prices are too large")
            self.costs[i] = [float(cost) for cost in own]
        self.ones = [float(w > 0) for w in weight]

    def rate(self, limit: Any) -> tuple[list[tuple[int, set[int], int]], Fraction, int]:
        """Return signs, rows and weights of a limited rate, its bound and its price."""
        among = {"all": (0, 1), "positives": (1,), "negatives": (0,)}[limit["among"]]
        price, sides = whole(limit["price"]), []
        require(limit["sign"] in (1, -1), "a sign")
        for sign, key in ((limit["sign"], "group"), (-limit["sign"], "minus")):
            name = limit.get(key)
            if key == "minus" and name is None:
                continue
            require(name is None or whole(name) in self.group, "no such group")
            pairs = enumerate(zip(self.label, self.group, strict=True))
            rows = {
                k
                for k, (y, g) in pairs
                if (y == self.positive) in among and name in (None, g)
            }
            total = sum(self.weight[k] for k in rows)
            require(total and price % total == 0, "a price that is not shared out")
            sides.append((sign, rows, total))
        over, under = limit["at_most"]
        at_most = Fraction(whole(over, -(1 << 60)), whole(under, 1))
        require(abs(price * at_most) < 1 << 32, "the price is too large")
        return sides, at_most, price

    def conclude(self, argument: Any) -> bool:
        """Require the tree to keep the limits; return whether it is the best to."""
        p, h = argument.p, argument.h
        _, splits, leaves = argument.tree(self.given["tree"], p.everything, 0)
        require(splits <= argument.splits, "the tree has too many splits")
        of = {p.codes[i]: said for i, said in argument.said.items()}
        said = [of[codes] for codes in p.row_codes]
        for sides, at_most, _ in self.rates:
            rate = sum(
                Fraction(sign * self.positives(rows, said), total)
                for sign, rows, total in sides
            )
            require(rate <= at_most, "the tree does not keep a limit")
        wrong = sum(
            e for e, y, s in zip(self.errors, self.label, said, strict=True) if y != s
        )
        penalties = leaves - 1 if h.get("penalize") == "leaves" else splits
        return bool(self.bound(argument) >= wrong + penalties * self.penalty)

    def positives(self, rows: Iterable[int], said: list[Any]) -> int:
        """Return the weight of the rows that are predicted to be positive."""
        return sum(self.weight[k] for k in rows if said[k] == self.positive)

    def bound(self, argument: Any) -> Fraction:
        """Return what every tree costs that keeps the limits."""
        p, rows = argument.p, [self.costs[i] for i in self.kept]
        require(argument.h["scale"] == 0, "the costs were rounded")
        gained = sum(p.heft) // UNIT
        flat = sum(len(set(row)) == 1 for row in rows) if gained else 0
        least = sum(int(max(row)) for row in rows) - (gained - flat)
        paid = sum(price * at_most for _, at_most, price in self.rates)
        parts = argument.lower - len(rows)  # penalties were rounded
        low = (least + Fraction(parts, UNIT) - paid) / self.unit
        each = range(len(rows) + 1 if self.penalty else 1)
        ways = (k * self.penalty for k in each)
        return min(own + max(math.ceil(low - own), 0) for own in ways)

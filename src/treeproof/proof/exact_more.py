"""Costs, ratios, prices and the digest, for the exact checker.

Sections 6 to 9 of docs/proof-format.md. Only for proofs whose headers contain costs,
ratios or prices does anything depend on this module; for labels and numbers alone, only
`exact` and `exact_data` have to be trusted: the digest can only reject a proof.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate, chain, product
from typing import Any

from treeproof.proof.exact_data import UNIT, number, require, whole


def costs_of(h: Any, given: Any, target: list[Any]) -> list[list[float]]:
    """Section 7: the cost of each action for each row."""
    actions, matrix, asked = h["actions"], h.get("cost_matrix"), h.get("abstain_cost")
    plain = all(isinstance(a, (str, int, float, type(None))) for a in actions)
    distinct = len(set(map(json.dumps, actions))) == len(actions) > 0
    require(plain and distinct, "the actions are not distinct")
    sign = {"cost": 1, "reward": -1}[h["measure"]]
    if matrix is not None:
        require(sign == 1 and asked is None, "a matrix has costs alone")
        require(len(matrix) == len(h["classes"]), "not one row for each class")
        given = [matrix[c] for (c,) in target]
    last = [] if asked is None else [asked]
    costs = [[*(sign * number(c) for c in row), *map(number, last)] for row in given]
    right = len(costs) == len(target) and {len(row) for row in costs} == {len(actions)}
    require(right and len(actions) > len(last), "not one cost for each action")
    return costs


def take_gains(problem: Any, e: int, costs: list[Any], weight: list[float]) -> None:
    """Section 7: replace a group by one row for each action with a gain."""
    groups, total = dict[Any, Any](), 0
    gain = [[(max(c) - v) * w for v in c] for c, w in zip(costs, weight, strict=True)]
    whole = [[math.floor(math.ldexp(g, e) + 0.5) for g in row] for row in gain]
    if any(chain(*whole)):  # rows for which all actions cost the same count as rows
        whole = [row if any(row) else [1] * len(row) for row in whole]
    for codes, own in zip(problem.codes, whole, strict=True):
        total += sum(own)
        old, n = groups.get(codes, ([0] * len(own), 0))
        groups[codes] = [a + b for a, b in zip(old, own, strict=True)], n + 1
    require(e <= 1000 and total < 1 << 30, "the gains are too large")
    problem.row_codes = list(problem.codes)  # before rows are merged
    if total:  # otherwise all actions cost the same
        rows = [
            (codes, [a], g * UNIT, n if a == own.index(max(own)) else 0)
            for codes, (own, n) in groups.items()
            for a, g in enumerate(own)
            if g
        ]
        columns = [list(column) for column in zip(*rows, strict=True)]
        # the position of a row is that of the first copy of its group
        place = {row[0]: i for i, row in reversed([*enumerate(rows)])}
        problem.merged = [place[codes] for codes in problem.codes]
        problem.codes, problem.target, problem.heft, problem.samples = columns
        problem.factor = math.ldexp(total, -e) / [*accumulate(weight)][-1]
    else:
        problem.heft, problem.target = [0] * len(weight), [[0]] * len(weight)
        problem.merged = [*range(len(weight))]


class Prices:
    """Section 9: the prices of a box are at most its errors plus a leaf's penalty."""

    def __init__(self, argument: Any, given: Any) -> None:
        self.argument, self.speak, p = argument, True, argument.p
        require(p.exact, "prices are for labels and actions")
        self.per_leaf, self.depth = whole(given["per_leaf"]), math.inf
        widest = max([2, *(n for _, _, n in p.tests)])
        most = (argument.L + (widest - 2) * argument.further) // (widest - 1)
        require(self.per_leaf <= most, "a further leaf costs less than per_leaf")
        numbers = [given["of_rows"]]
        if given.get("depth") is None:
            numbers += [codes for _, codes in given["axes"]]
        else:
            self.depth = whole(given["depth"])
            require(1 <= self.depth <= 64, "the depth of the prices")
        listed = all(isinstance(row, list) for row in numbers)
        sizes = {len(row) for row in numbers}
        require(listed and sizes == {len(p.merged)}, "not one number for each row")
        for value in chain(*numbers):
            whole(value)
        self.of = [0] * len(p.codes)
        for row, price in zip(p.merged, given["of_rows"], strict=True):
            self.of[row] += price
        require(sum(self.of) <= p.root, "the prices are out of range")
        for k in range(p.n_actions):
            rows = zip(p.target, p.heft, strict=True)
            self.compare(p, [0 if y == [k] else w for y, w in rows])

    def compare(self, p: Any, errors: list[int]) -> None:
        """Extend boxes by one outcome at a time while they may exceed the limit."""
        own = [u - e for u, e in zip(self.of, errors, strict=True)]
        boxes, seen, outcomes = {p.everything}, {p.everything}, 0
        while boxes and outcomes <= self.depth:
            for box in boxes:
                heavy = sum(own[i] for i in box) > self.per_leaf
                require(not heavy, "a box has too high prices")
            pairs = product(boxes, range(len(p.tests)))
            new = {c for box, t in pairs for c in p.held(box, t)} - seen
            boxes = {c for c in new if sum(max(own[i], 0) for i in c) > self.per_leaf}
            seen, outcomes = seen | new, outcomes + 1

    def turn_to(self, reach: float) -> None:
        """Choose the prices that hold for a step with this branch and depth."""
        self.speak = self.depth == math.inf or reach <= self.depth

    def worth(self, C: Any, fewest: int) -> Any:
        """Return the bound of prices on trees with at least this many splits."""
        if not self.speak:
            return 0
        least = sum(self.of[i] for i in C) - self.per_leaf
        return self.argument.rounded(least, self.argument.p.forced(C), fewest)


def ratio_is_best(argument: Any, m: dict[str, Any]) -> bool:
    """Section 8: verify the tree's ratio and the bound; return if they agree."""
    p, h, name = argument.p, argument.h, {"f1": 2, "fbeta": 2, "jaccard": 1}[m["name"]]
    beta, keys = fraction(m["beta"], 1 << 10), ("weighed_at", "value", "bound")
    mu, value, bound = (fraction(m[key], 1 << 53) for key in keys)
    require(beta == 1 or (beta > 0 and m["name"] == "fbeta"), "beta")
    a, b = (1 + beta**2 if name == 2 else Fraction(1)), beta**2
    yes, factor = whole(m["positive"]), list(map(Fraction, h["class_weight"]))
    heavy, light = factor[yes], factor[1 - yes]
    miss = a * (1 - mu) + b * mu
    fits = yes < 2 == len(factor) and heavy * mu == light * miss and 0 < mu <= 1
    all_whole = all(float(w).is_integer() for w in (*p.given, *factor))
    large = max(factor) <= 1 << 50 and sum(p.before) < 1 << 53 and p.scale <= 1
    labelled = h["loss"] == "misclassification"
    require(fits and all_whole and large and labelled, "weights")
    errors = [Fraction(0), Fraction(0)]
    for i, said in argument.said.items():
        errors[p.target[i][0]] += p.before[i] * (p.target[i] != [said])
    pairs = zip(p.before, p.target, strict=True)
    positives = sum(w for w, y in pairs if y == [yes]) / heavy
    missed, alarms = errors[yes] / heavy, errors[1 - yes] / light
    hits = a * (positives - missed)
    require(value == hits / (hits + b * missed + alarms), "the tree's ratio")
    own = argument.cost(h["split_cost"]) * (whole(h["n_rows"]) - 1)
    wrong = -(-max(argument.lower - own, 0) // UNIT) / Fraction(p.scale)
    for w, before in zip(p.heft, p.before, strict=True):
        wrong -= max(w // UNIT / Fraction(p.scale) - before, Fraction(0))
    left = max(a * (1 - mu) * positives - wrong * miss / heavy, Fraction(0))
    above = min(mu + left / (min(a, b) * positives), Fraction(1))
    require(max(above, value) <= bound <= 1, "the bound is not shown")
    return value == bound


def fraction(pair: Any, most: int) -> Fraction:
    """Return a fraction in lowest terms."""
    over, under = map(whole, pair)
    require(math.gcd(over, under) == 1 <= under <= most >= over, "a fraction")
    return Fraction(over, under)


def compare_digests(
    h: Any, values: Any, coded: Any, target: Any, costs: Any, weight: Any
) -> None:
    """Section 6: require that the proof is about this table.

    No conclusion depends on it: every count is made from the given table.
    """
    text = b""
    for f, own, codes in zip(h["features"], values, coded, strict=True):
        number = f["split"] == "threshold"
        text += packed("d", own) if number else json.dumps(f.get("values")).encode()
        text += packed("i", codes)
    labels = h["loss"] in ("misclassification", "costs", "log_loss", "gini")
    text += packed("i" if labels else "d", chain(*target))
    text += json.dumps(h["actions"]).encode() if h["loss"] == "costs" else b""
    text += packed("d", chain(*costs)) + packed("d", weight)
    digest = hashlib.sha256(text).hexdigest()
    require(h["fingerprint"] == "sha256:" + digest, "the fingerprint differs")


def packed(kind: str, numbers: Iterable[Any]) -> bytes:
    """Return the bytes of numbers for the fingerprint."""
    return b"".join(struct.pack("<" + kind, number + 0) for number in numbers)

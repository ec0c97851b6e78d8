"""Complete proofs of small problems of costs, rewards and ratios.

As `small_proofs`, from the page on the proof format alone: costs as gains in whole
numbers (section 7), F1 and its like as weighed errors (section 8). The greatest ratio
comes from all pairs of misses and false alarms that trees can have.
"""

from __future__ import annotations

import dataclasses
import json
import math
import random
import struct
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from small_proofs import UNIT, Limit, Small, less, random_columns, shares


@dataclass
class SmallCosts(Small):
    """Costs by class (`matrix`), or of each row (`table`); `exponent` scales gains."""

    loss: str = "costs"
    actions: list[Any] = field(default_factory=list)
    matrix: list[list[float]] | None = None
    table: list[list[float]] | None = None
    abstain: float | None = None
    measure: str = "cost"
    exponent: int = 0

    @cached_property
    def row_weights(self) -> list[float]:
        if not self.classes:
            return self.weights
        factors = dict(zip(self.classes, self.class_weight, strict=True))
        return [w * factors[y] for w, y in zip(self.weights, self.target, strict=True)]

    @cached_property
    def costs(self) -> list[list[float]]:
        if self.matrix is not None:
            rows = [self.matrix[self.classes.index(y)] for y in self.target]
        else:
            last = [] if self.abstain is None else [self.abstain]
            sign = -1.0 if self.measure == "reward" else 1.0
            rows = [[*(sign * c for c in row), *last] for row in self.table or []]
        return [[c + 0.0 for c in row] for row in rows]

    @cached_property
    def gains(self) -> list[list[int]]:
        gains = [
            [math.floor((max(row) - c) * w * 2.0**self.exponent + 0.5) for c in row]
            for row, w in zip(self.costs, self.row_weights, strict=True)
        ]
        if not any(any(gains[i]) for i in self.rows):
            return gains
        return [row if any(row) else [1] * len(row) for row in gains]

    def total(self, rows: frozenset[int]) -> list[int]:
        actions = range(len(self.actions))
        return [sum(self.gains[i][a] for i in rows) for a in actions]

    def split_cost(self) -> float:
        whole = sum(self.total(frozenset(self.rows)))
        if whole == 0:
            return 0
        weight = 0.0
        for i in self.rows:
            weight += self.row_weights[i]
        factor = whole * 2.0**-self.exponent / weight
        return math.floor(min(self.split_penalty / factor, 1.0) * (whole * UNIT) + 0.5)

    def leaf(self, rows: frozenset[int]) -> tuple[float, Any]:
        gains = self.total(rows)
        return (sum(gains) - max(gains)) * UNIT, gains.index(max(gains))

    def lost(self, rows: frozenset[int], predicted: int) -> float:
        if not 0 <= predicted < len(self.actions):
            raise ValueError
        gains = self.total(rows)
        return (sum(gains) - gains[predicted]) * UNIT

    def mean_cost(self, header: dict[str, Any]) -> float:
        """Return the cost of the header's tree in the user's unit."""

        def below(node: dict[str, Any], rows: frozenset[int]) -> tuple[float, int, int]:
            if "predict" in node:
                own = (
                    self.row_weights[i] * self.costs[i][node["predict"]] for i in rows
                )
                return sum(own), 0, 1
            parts = self.parts(rows, node["test"])
            found = [below(child, parts[v]) for v, child in node["children"]]
            cost, splits, leaves = (sum(each) for each in zip(*found, strict=True))
            return cost, splits + 1, leaves

        cost, splits, leaves = below(header["tree"], self.everything)
        penalties = leaves - 1 if self.penalize == "leaves" else splits
        weight = sum(self.row_weights[i] for i in self.rows)
        return cost / weight + self.split_penalty * penalties

    def stated_loss(self, header: dict[str, Any]) -> dict[str, Any]:
        return {
            "class_weight": header.get("class_weight", []),
            "matrix": header["cost_matrix"],
            "abstain": header["abstain_cost"],
            "measure": header["measure"],
            "actions": header["actions"],
            "exponent": header["scale"],
        }

    def said_falsely(self, header: dict[str, Any]) -> str | None:
        return None if header.get("classes", []) == self.classes else "other classes"

    def loss_header(self) -> dict[str, Any]:
        header = {
            "measure": self.measure,
            "actions": self.actions,
            "cost_matrix": self.matrix,
            "abstain_cost": self.abstain,
            "scale": self.exponent,
        }
        if self.classes:
            header |= {"classes": self.classes, "class_weight": self.class_weight}
        return header

    def packed_target(self) -> bytes:
        labels = [self.classes.index(self.target[i]) for i in self.rows if self.classes]
        costs = [c for i in self.rows for c in self.costs[i]]
        packed = struct.pack(f"<{len(labels)}i", *labels)
        packed += json.dumps(self.actions).encode()
        return packed + struct.pack(f"<{len(costs)}d", *costs)

    @property
    def more_columns(self) -> dict[str, list[Any]]:
        if self.table is None:
            return {}
        return {
            f"c{a}": list(own) for a, own in enumerate(zip(*self.table, strict=True))
        }

    @property
    def given(self) -> dict[str, Any]:
        y = self.target if self.classes else None
        return {"y": y, "sample_weight": self.weights, "costs": self.table}

    @property
    def options(self) -> list[str]:
        named = [word for name in self.more_columns for word in ("--cost", name)]
        return [*super().options, *named]


def tiny_costs(rng: random.Random) -> SmallCosts:
    """A problem of costs with a proof of a few dozen steps."""
    n, k = rng.randint(4, 6), rng.randint(2, 3)
    kind = rng.choice(["matrix", "rows", "abstain", "rewards"])
    exponent = rng.choice([0, 0, 3, 12])

    def cost() -> float:
        drawn = rng.choice([0.0, 0.0, 1.0, 2.0, 5.0, -1.0])
        return drawn if exponent == 0 else drawn + rng.choice([0.0, 0.25, 0.3])

    labelled = kind == "matrix" or rng.random() < 0.3
    classes = ["no", "yes"] if labelled else []
    target = [rng.choice(classes) if labelled else "-" for _ in range(n)]
    columns = k - (kind == "abstain")
    table = [[cost() for _ in range(columns)] for _ in range(n)]
    return SmallCosts(
        random_columns(rng, n, 2),
        target,
        classes=classes,
        weights=[float(rng.choice([1, 1, 2, 0])) for _ in range(n - 1)] + [1.0],
        class_weight=[rng.choice([1.0, 2.0, 0.5]) for _ in classes],
        split_penalty=rng.choice([0.0, 0.02, 0.3, 2.0]),
        penalize=rng.choice(["leaves", "splits"]),
        max_depth=rng.choice([None, 1, 2]),
        max_splits=rng.choice([None, None, 1, 2]),
        min_samples_leaf=rng.choice([1, 1, 2]),
        missing=rng.choice(["best-side", "branch"]),
        claims=rng.random() < 0.5,
        actions=["a", 1, None][:k],
        matrix=[[cost() for _ in range(k)] for _ in classes]
        if kind == "matrix"
        else None,
        table=None if kind == "matrix" else table,
        abstain=0.5 if kind == "abstain" else None,
        measure="reward" if kind == "rewards" else "cost",
        exponent=exponent,
    )


# -- ratios


@dataclass
class SmallRatio(Small):
    """Two classes and a ratio p TP / (p TP + q FN + r FP); weights are whole."""

    metric: str = "f1"
    beta: Fraction = Fraction(1)
    positive: int = 1
    weighed_at: Fraction = Fraction(1)

    @property
    def factors(self) -> tuple[Fraction, Fraction, Fraction]:
        square = self.beta**2
        return (
            (Fraction(1) if self.metric == "jaccard" else 1 + square),
            square,
            Fraction(1),
        )

    def ratio(self, missed: int, alarms: int) -> Fraction:
        p, q, r = self.factors
        hits = p * (self.weight_of(frozenset(range(len(self.target))))[0] - missed)
        return hits / (hits + q * missed + r * alarms)

    def weight_of(self, rows: frozenset[int]) -> tuple[int, int]:
        """Return the weights of positives and negatives as they were given."""
        yes = [self.target[i] == self.classes[self.positive] for i in sorted(rows)]
        own = [int(self.weights[i]) for i in sorted(rows)]
        positives = sum(w for w, y in zip(own, yes, strict=True) if y)
        return positives, sum(own) - positives

    def errors(self, rows: frozenset[int], depth: Limit, splits: Limit) -> set[Any]:
        """Return all pairs of misses and false alarms of the trees that are allowed."""
        memo = self.__dict__.setdefault("pairs", {})
        key = (rows, depth, splits)
        if key in memo:
            return memo[key]
        positives, negatives = self.weight_of(rows)
        found = {(positives, 0), (0, negatives)}
        for test in range(len(self.tests)) if depth != 0 and splits != 0 else ():
            parts = [p for p in self.parts(rows, test) if p]
            if len(parts) < 2 or min(map(len, parts)) < self.min_samples_leaf:
                continue
            for share in shares(less(splits), len(parts)):
                own = [
                    self.errors(part, less(depth), s)
                    for part, s in zip(parts, share, strict=True)
                ]
                found |= {
                    (sum(m for m, _ in each), sum(f for _, f in each))
                    for each in product(*own)
                }
        memo[key] = found
        return found

    @cached_property
    def best(self) -> Fraction:
        """Return the greatest ratio of a tree that is allowed."""
        whole = dataclasses.replace(self, class_weight=[1.0, 1.0])
        pairs = whole.errors(whole.everything, self.max_depth, self.max_splits)
        return max(self.ratio(m, f) for m, f in pairs)

    def of_tree(self, tree: dict[str, Any]) -> Fraction | None:
        def below(node: dict[str, Any], rows: frozenset[int]) -> tuple[int, int]:
            if "predict" in node:
                positives, negatives = self.weight_of(rows)
                yes = node["predict"] == self.positive
                return (0, negatives) if yes else (positives, 0)
            parts = self.parts(rows, node["test"])
            each = [below(child, parts[v]) for v, child in node["children"]]
            return sum(m for m, _ in each), sum(f for _, f in each)

        try:
            return self.ratio(*below(tree, self.everything))
        except (LookupError, ZeroDivisionError):
            return None

    def weighed(self) -> SmallRatio:
        """Return the problem with errors weighted as at the greatest ratio."""
        p, q, r = self.factors
        mu = self.best
        miss, alarm = p * (1 - mu) + q * mu, r * mu
        scale = math.lcm(miss.denominator, alarm.denominator)
        heavy, light = int(miss * scale), int(alarm * scale)
        common = math.gcd(heavy, light)
        weights = [float(light // common), float(heavy // common)]
        return dataclasses.replace(
            self,
            class_weight=weights if self.positive == 1 else weights[::-1],
            weighed_at=mu,
        )

    def loss_header(self) -> dict[str, Any]:
        return super().loss_header() | {
            "metric": {
                "name": self.metric,
                "beta": [self.beta.numerator, self.beta.denominator],
                "positive": self.positive,
                "weighed_at": [self.weighed_at.numerator, self.weighed_at.denominator],
                "value": [self.best.numerator, self.best.denominator],
                "bound": [self.best.numerator, self.best.denominator],
            }
        }

    def stated_loss(self, header: dict[str, Any]) -> dict[str, Any]:
        told = header["metric"]
        return super().stated_loss(header) | {
            "metric": told["name"],
            "beta": Fraction(*told["beta"]),
            "positive": told["positive"],
        }

    def said_falsely(self, header: dict[str, Any]) -> str | None:
        if header["classes"] != self.classes:
            return "other classes"
        told = header["metric"]
        if self.positive not in (0, 1) or self.of_tree(header["tree"]) != Fraction(
            *told["value"]
        ):
            return "the tree's ratio"
        if self.best > Fraction(*told["bound"]):
            return "the bound of the ratio"
        return None


def tiny_ratio(rng: random.Random) -> SmallRatio:
    """A problem of F1 or its like with a proof of a few dozen steps."""
    n = rng.randint(4, 6)
    metric = rng.choice(["f1", "fbeta", "jaccard"])
    betas = [Fraction(2), Fraction(1, 2), Fraction(3, 10)]
    return SmallRatio(
        random_columns(rng, n, 2),
        ["no", "yes", *(rng.choice(["no", "yes"]) for _ in range(n - 2))],
        classes=["no", "yes"],
        weights=[float(rng.choice([1, 1, 2, 3])) for _ in range(n)],
        split_penalty=0.0,
        penalize=rng.choice(["leaves", "splits"]),
        max_depth=rng.choice([None, 1, 2]),
        max_splits=rng.choice([None, None, 1, 2]),
        min_samples_leaf=rng.choice([1, 1, 2]),
        missing=rng.choice(["best-side", "branch"]),
        claims=rng.random() < 0.5,
        metric=metric,
        beta=rng.choice(betas) if metric == "fbeta" else Fraction(1),
        positive=rng.choice([0, 1]),
    ).weighed()

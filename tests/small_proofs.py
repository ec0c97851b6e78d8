"""Complete proofs of small problems, written from the page on the proof format alone.

A ``Small`` is a table of a few rows with everything a proof's header says. Its optimum
comes from trying every tree; ``full_proof`` writes that exhaustion down, one step for
each set of rows, citing a step for each child of each test. Nothing here knows the
engine or a checker.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import math
import random
import struct
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

UNIT = 1 << 20
Limit = int | None
CATEGORICAL = ["one-vs-rest", "multiway", "either", "subset"]


def less(limit: Limit) -> Limit:
    return None if limit is None else limit - 1


@dataclass
class Small:
    """Columns are (split, values, cells); cells of a category column hold values.

    None is a missing cell, and then `missing` must be set.
    """

    columns: list[tuple[str, list[Any], list[Any]]]
    target: list[Any]
    weights: list[float] = field(default_factory=list)
    classes: list[Any] = field(default_factory=list)
    class_weight: list[float] = field(default_factory=list)
    loss: str = "misclassification"
    split_penalty: float = 0.05
    penalize: str = "splits"
    search_split_cost: float | None = None
    max_depth: Limit = None
    max_splits: Limit = None
    min_samples_leaf: int = 1
    missing: str | None = None
    claims: bool = False  # children without splits get no line of their own

    def __post_init__(self) -> None:
        self.weights = self.weights or [1.0] * len(self.target)
        if self.classification:
            self.classes = self.classes or sorted(set(self.target))
            self.class_weight = self.class_weight or [1.0] * len(self.classes)

    @property
    def classification(self) -> bool:
        return self.loss == "misclassification"

    # -- the problem, section 1

    @cached_property
    def rows(self) -> list[int]:
        """Return the rows of positive weight."""
        return [i for i, w in enumerate(self.row_weights) if w > 0]

    @cached_property
    def row_weights(self) -> list[float]:
        if not self.classification:
            return self.weights
        factors = dict(zip(self.classes, self.class_weight, strict=True))
        return [w * factors[y] for w, y in zip(self.weights, self.target, strict=True)]

    @cached_property
    def values(self) -> list[list[Any]]:
        return [
            sorted({cells[i] + 0.0 for i in self.rows if cells[i] is not None})
            if split == "threshold"
            else values
            for split, values, cells in self.columns
        ]

    def code(self, column: int, row: int) -> int:
        """Return the position among the values, or -1 for a value without weight."""
        cell = self.columns[column][2][row]
        values = self.values[column]
        if cell is None:
            return len(values)
        return values.index(cell) if cell in values else -1

    def has_missing(self, column: int) -> bool:
        return any(self.columns[column][2][i] is None for i in self.rows)

    @cached_property
    def tests(self) -> list[tuple[int, list[int]]]:
        """Tests as (column, outcome of each code)."""
        tests = []
        for f in range(len(self.columns)):
            for split, view in self.views(f):
                n = max(view, default=0) + 1
                if n < 2:
                    continue
                if split == "multiway":
                    tests.append((f, view))
                elif split == "threshold":
                    tests += [(f, [int(v > c) for v in view]) for c in range(n - 1)]
                else:
                    cuts = range(1 if n == 2 else n)
                    tests += [(f, [int(v != c) for v in view]) for c in cuts]
        return tests

    def views(self, column: int) -> list[tuple[str, list[int]]]:
        """Views of a column: how each is split, and its code for each code."""
        split, n = self.columns[column][0], len(self.values[column])
        codes = list(range(n + self.has_missing(column)))
        if split == "either":
            return [("multiway", codes), *self.single_views(n, codes)]
        ordered = split in ("threshold", "order")
        if split == "multiway":
            return [(split, codes)]
        if not self.has_missing(column):
            if split != "subset":
                return [("threshold" if ordered else split, codes)]
            return parted(codes, subsets(n))
        if self.missing == "branch":
            sets = {
                "threshold": [set(range(c + 1)) for c in range(n - 1)],
                "one-vs-rest": [{c} for c in range(n)][: 1 if n == 2 else n],
                "subset": subsets(n),
            }["threshold" if ordered else split]
            asked = ("threshold", [1 if c < n else 0 for c in codes])
            return [asked, *parted(codes, sets if n > 1 else [], apart=n)]
        if ordered:
            first = ("threshold", [0 if c == n else c + 1 for c in codes])
            return [first, ("threshold", codes)] if n > 1 else [first]
        if split == "subset":
            return parted(codes, subsets(n + 1))
        sets = [{c, n} for c in range(n)] if n > 2 else []
        return [(split, codes), *parted(codes, sets)]

    def single_views(self, n: int, codes: list[int]) -> list[tuple[str, list[int]]]:
        """The views that ask for one category, of a column split either way."""
        if len(codes) == n or self.missing != "branch":
            return [("one-vs-rest", codes)]
        sets = [{c} for c in range(n)][: 1 if n == 2 else n] if n > 1 else []
        asked = ("threshold", [1 if c < n else 0 for c in codes])
        return [asked, *parted(codes, sets, apart=n)]

    def n_outcomes(self, test: int) -> int:
        return max(self.tests[test][1]) + 1

    def outcome(self, test: int, row: int) -> int:
        column, outcomes = self.tests[test]
        return outcomes[self.key(row)[column]]

    # -- costs, sections 2 and 5

    @cached_property
    def scaled(self) -> dict[tuple[Any, ...], int]:
        """Whole weights of merged rows, by codes and label."""
        sums: dict[tuple[Any, ...], float] = {}
        for i in self.rows:
            sums[self.key(i)] = sums.get(self.key(i), 0.0) + self.row_weights[i]
        used = [self.row_weights[i] for i in self.rows]
        total, room = sum(used), 2**30 - len(used) - 1
        scale = 1.0
        if any(w != int(w) for w in used) or total >= room:
            scale = 2.0 ** (math.frexp(min(room / total, 2.0**1000))[1] - 1)
        return {key: max(1, math.floor(s * scale + 0.5)) for key, s in sums.items()}

    def key(self, row: int) -> tuple[Any, ...]:
        return self.keys[row]

    @cached_property
    def keys(self) -> list[tuple[Any, ...]]:
        """Codes and label of every row."""
        columns = range(len(self.columns))
        return [
            (*(self.code(f, i) for f in columns), y) for i, y in enumerate(self.target)
        ]

    @cached_property
    def everything(self) -> frozenset[int]:
        return frozenset(self.rows)

    def split_cost(self) -> float:
        if self.classification:
            total = sum(self.scaled.values())
            return math.floor(self.split_penalty * total * UNIT + 0.5)
        return self.split_penalty * self.leaf(self.everything)[0]

    def steps_split_cost(self) -> float:
        given = self.search_split_cost
        return self.split_cost() if given is None else given

    def price(self, cost: float, n_children: int) -> float:
        """Return the cost of a split into so many children; two cost `cost`."""
        further = self.split_cost() if self.penalize == "leaves" else 0
        return cost + (n_children - 2) * further

    def leaf(self, rows: frozenset[int]) -> tuple[float, Any]:
        """Return cost and prediction of the best leaf."""
        if self.classification:
            weight = dict.fromkeys(self.classes, 0)
            for key in {self.key(i) for i in rows}:
                weight[key[-1]] += self.scaled[key]
            best = max(self.classes, key=lambda c: weight[c])
            wrong = sum(weight.values()) - weight[best]
            return wrong * UNIT, self.classes.index(best)
        pairs = sorted((self.target[i], self.row_weights[i]) for i in rows)
        total = sum(w for _, w in pairs)
        if self.loss == "squared_error":
            mean = sum(y * w for y, w in pairs) / total if pairs else 0.0
            return sum(w * (y - mean) ** 2 for y, w in pairs), mean
        costs = [(sum(w * abs(y - m) for y, w in pairs), m) for m, _ in pairs]
        return min(costs, default=(0.0, 0.0))

    def lost(self, rows: frozenset[int], predicted: int) -> float:
        """Return the cost of a leaf with this prediction, or raise ValueError."""
        if not 0 <= predicted < len(self.classes):
            raise ValueError
        right = self.classes[predicted]
        keys = {self.key(i) for i in rows}
        return sum(self.scaled[k] for k in keys if k[-1] != right) * UNIT

    def parts(self, rows: frozenset[int], test: int) -> list[frozenset[int]]:
        parts = [set() for _ in range(self.n_outcomes(test))]
        for i in rows:
            parts[self.outcome(test, i)].add(i)
        return [frozenset(p) for p in parts]

    # -- the optimum, by trying everything

    def optimum(
        self, rows: frozenset[int], depth: Limit, splits: Limit, cost: float
    ) -> tuple[float, Any]:
        """Return the least cost of a tree with splits at ``cost``, and such a tree."""
        memo = self.__dict__.setdefault("memo", {})
        key = (rows, depth, splits, cost)
        if key not in memo:
            memo[key] = self._optimum(rows, depth, splits, cost)
        return memo[key]

    def _optimum(
        self, rows: frozenset[int], depth: Limit, splits: Limit, cost: float
    ) -> tuple[float, Any]:
        value, prediction = self.leaf(rows)
        best: tuple[float, Any] = (value, {"predict": prediction})
        if depth == 0 or splits == 0:
            return best
        for test in range(len(self.tests)):
            parts = [(v, p) for v, p in enumerate(self.parts(rows, test)) if p]
            if len(parts) < 2 or min(len(p) for _, p in parts) < self.min_samples_leaf:
                continue
            for share in shares(less(splits), len(parts)):
                found = [
                    (v, self.optimum(p, less(depth), s, cost))
                    for (v, p), s in zip(parts, share, strict=True)
                ]
                total = self.price(cost, len(parts)) + sum(c for _, (c, _) in found)
                if total < best[0]:
                    children = [[v, tree] for v, (_, tree) in found]
                    best = (total, {"test": test, "children": children})
        return best

    def stated(self, header: dict[str, Any]) -> Small:
        """Return the problem that a header states, on these data."""
        return dataclasses.replace(
            self,
            max_depth=header["max_depth"],
            max_splits=header["max_splits"],
            min_samples_leaf=header["min_samples_leaf"],
            split_penalty=header["split_penalty"],
            penalize=header["penalize"],
            **self.stated_loss(header),
        )

    def stated_loss(self, header: dict[str, Any]) -> dict[str, Any]:
        return {"class_weight": header["class_weight"]}

    def said_falsely(self, header: dict[str, Any]) -> str | None:
        """Return other false statements of a header, in words."""
        return None if header["classes"] == self.classes else "other classes"

    # -- files

    @property
    def given(self) -> dict[str, Any]:
        """Labels, weights and costs, as checkers take them."""
        return {"y": self.target, "sample_weight": self.weights, "costs": None}

    @property
    def options(self) -> list[str]:
        """Return the options of the program about the columns of the data."""
        return ["--target", "y", "--weight", "w"]

    def csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out)
        names = [f"x{f}" for f in range(len(self.columns))]
        writer.writerow([*names, "y", "w", *self.more_columns])
        cells = [column[2] for column in self.columns]
        cells += [self.target, map(repr, self.weights), *self.more_columns.values()]
        writer.writerows(zip(*cells, strict=True))
        return out.getvalue()

    @property
    def more_columns(self) -> dict[str, list[Any]]:
        return {}

    def fingerprint(self) -> str:
        h = hashlib.sha256()
        for f, (split, _, _) in enumerate(self.columns):
            if split == "threshold":
                h.update(struct.pack(f"<{len(self.values[f])}d", *self.values[f]))
            else:
                h.update(json.dumps(self.values[f]).encode())
            codes = [self.code(f, i) for i in self.rows]
            h.update(struct.pack(f"<{len(codes)}i", *codes))
        h.update(self.packed_target())
        weights = [self.row_weights[i] for i in self.rows]
        h.update(struct.pack(f"<{len(weights)}d", *weights))
        return "sha256:" + h.hexdigest()

    def packed_target(self) -> bytes:
        target = [self.target[i] for i in self.rows]
        if self.classification:
            target = [self.classes.index(y) for y in target]
        return struct.pack(f"<{len(target)}{'id'[not self.classification]}", *target)

    def header(self, lower: float | None = None, root: int = 0) -> dict[str, Any]:
        upper, tree = self.optimum(
            self.everything, self.max_depth, self.max_splits, self.split_cost()
        )
        header = {
            "format": "treeproof-proof",
            "version": 2,
            "loss": self.loss,
            "features": [
                {"name": f"x{f}", "split": s}
                | ({} if s == "threshold" else {"values": v})
                | ({"missing": self.missing} if self.has_missing(f) else {})
                for f, (s, v, _) in enumerate(self.columns)
            ],
            "n_rows": len(self.rows),
            "fingerprint": self.fingerprint(),
            "split_penalty": self.split_penalty,
            "penalize": self.penalize,
            "split_cost": self.split_cost(),
            "search_split_cost": self.steps_split_cost(),
            "max_depth": self.max_depth,
            "max_splits": self.max_splits,
            "min_samples_leaf": self.min_samples_leaf,
            "tree": tree,
            "upper": upper,
            "lower": upper if lower is None else lower,
            "root": root,
        }
        return header | self.loss_header()

    def loss_header(self) -> dict[str, Any]:
        if not self.classification:
            return {}
        return {"classes": self.classes, "class_weight": self.class_weight}

    def full_proof(self) -> list[dict[str, Any]]:
        """Return the header and a step for every set of rows that the root needs."""
        steps: list[dict[str, Any]] = []
        known: dict[Any, int] = {}
        cost = self.steps_split_cost()

        def prove(
            rows: frozenset[int], branch: list[int], depth: Limit, splits: Limit
        ) -> int:
            if (rows, depth, splits) in known:
                return known[rows, depth, splits]
            uses = []
            for test in range(len(self.tests)) if depth != 0 and splits != 0 else ():
                parts = self.parts(rows, test)
                if sum(map(bool, parts)) < 2:
                    continue
                if self.claims and less(depth) == 0:
                    cited = [[[self.leaf(p)[0]]] if p else [] for p in parts]
                    uses.append([test, *cited])
                    continue
                sizes = [None] if splits is None else range(splits)
                cited = [
                    [prove(p, [*branch, test, v], less(depth), s) for s in sizes if p]
                    for v, p in enumerate(parts)
                ]
                uses.append([test, *cited])
            bound = self.optimum(rows, depth, splits, cost)[0]
            keys = {"branch": branch, "depth": depth, "splits": splits}
            steps.append({**keys, "bound": bound, "uses": uses})
            known[rows, depth, splits] = len(steps) - 1
            return len(steps) - 1

        splits = self.max_splits if self.search_split_cost is None else None
        root = prove(self.everything, [], self.max_depth, splits)
        lower = steps[root]["bound"]
        if self.search_split_cost is not None:
            lower -= (cost - self.split_cost()) * (self.max_splits or 0)
        return [self.header(lower, root), *steps]


def shares(splits: Limit, children: int) -> list[tuple[Limit, ...]]:
    """Return all ways to divide splits among children."""
    if splits is None:
        return [(None,) * children]
    if children == 1:
        return [(splits,)]
    return [
        (first, *rest)
        for first in range(splits + 1)
        for rest in shares(splits - first, children - 1)
    ]


def random_columns(
    rng: random.Random, n: int, count: int
) -> list[tuple[str, list[Any], list[Any]]]:
    """Draw columns of any kind, some with missing cells."""
    columns = []
    splits = ["threshold", "threshold", "order", *CATEGORICAL]
    for _ in range(count):
        split = rng.choice(splits)
        values: list[Any] = ["a", "b", "c"][: rng.randint(2, 3)]
        gaps = rng.choice([0.0, 0.0, 0.3, 0.5])
        numeric = split == "threshold"
        cells = [rng.choice([-1.5, 0.0, 2.0] if numeric else values) for _ in range(n)]
        cells = [None if rng.random() < gaps else cell for cell in cells]
        columns.append((split, [] if numeric else values, cells))
    return columns


def subsets(n: int) -> list[set[int]]:
    """Return every way to divide n values into two, by the part of value 0."""
    return [
        {0} | {v for v in range(1, n) if k >> (v - 1) & 1}
        for k in range(2 ** max(n - 1, 0) - 1)
    ]


def parted(
    codes: list[int], sets: list[set[int]], apart: int | None = None
) -> list[tuple[str, list[int]]]:
    """Return views of whether a code is in a set; the code `apart` is separate."""
    split = "threshold" if apart is None else "multiway"
    return [
        (split, [2 if c == apart else int(c not in one) for c in codes]) for one in sets
    ]

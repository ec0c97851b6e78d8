"""Proofs of trees that keep limits on rates: prices, and a list that closes the gap."""

from __future__ import annotations

import copy
import gzip
import io
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import rounds

from treeproof import OptimalTreeClassifier
from treeproof.constraints import (
    Budget,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateAtMost,
    InfeasibleError,
    Linear,
    RecallAtLeast,
)
from treeproof.proof import check

CHECKERS = ("c++", "python", "exact")
_table = np.zeros((0, 2))  # of the problem at hand
KINDS = {
    "parity": lambda b: [DemographicParity(b)],
    "opportunity": lambda b: [EqualOpportunity(b)],
    "odds": lambda b: [EqualizedOdds(b + 0.2)],
    "recall": lambda b: [RecallAtLeast(1 - b)],
    "false alarms": lambda b: [FalsePositiveRateAtMost(b), RecallAtLeast(0.2)],
    "budget": lambda b: [Budget(share=b)],
    "amount": lambda b: [Budget(amount=20 * b)],
    "prices": lambda b: [Budget(amount=12 + 60 * b, prices=[0.5, 3])],
    "linear": lambda b: [Linear([-0.25, 2], 4 + 60 * b), Linear([1, 0], 14)],
    "of rows": lambda b: [Linear(_table, 10 * b)],
}


class Problem:
    """A few rows of two classes in groups, and all trees on them."""

    def __init__(self, rng: np.random.Generator, kind: str) -> None:
        n = int(rng.integers(6, 11))
        self.X = rng.integers(0, 3, (n, 2)).astype(float)
        self.weight = rng.integers(1, 4, n).astype(float)
        self.who = rng.choice(list("abc")[: int(rng.integers(2, 4))], n)
        self.y = (rng.random(n) < 0.25 + 0.2 * self.X[:, 0]).astype(int)
        self.y[:2] = 0, 1
        global _table
        _table = rng.integers(-3, 4, (n, 2)) / 4
        self.model = OptimalTreeClassifier(
            float(rng.choice([0.0, 0.02, 0.05])),
            max_depth=2,
            penalize=str(rng.choice(["leaves", "splits"])),
            class_weight=[None, {0: 1, 1: 2}][rng.integers(2)],
            constraints=KINDS[kind](float(rng.choice([0.1, 0.25]))),
        )

    def proved(self, folder: Path) -> list[dict[str, Any]] | None:
        path = folder / "tree.proof.gz"
        try:
            self.model.fit(
                self.X, self.y, self.weight, sensitive_features=self.who, proof=path
            )
        except InfeasibleError:
            return None
        with gzip.open(path, "rt") as lines:
            return [json.loads(line) for line in lines]

    def verdict(self, lines: list[dict[str, Any]], checker: str) -> Any:
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        rows = self.X, self.y, self.weight
        who = {"sensitive_features": self.who}
        return check(io.BytesIO(text), *rows, checker=checker, **who)

    def least(self, header: dict[str, Any]) -> float:
        """The least cost of all trees that keep the limits that a header states."""
        given = header["constraints"]
        factor = np.array(given["class_weight"])[self.y]
        errors, yes = self.weight * factor, given["positive"]
        penalty = given["split_penalty"] * errors.sum()
        best = np.inf
        for said, splits in self.trees(header["max_depth"]).items():
            positive = np.array([said >> i & 1 for i in range(len(self.y))]) == yes
            if all(self.keeps(limit, positive, given) for limit in given["limits"]):
                wrong = errors[(positive == (self.y == yes)) == 0].sum()
                best = min(best, wrong + penalty * splits)
        return float(best / errors.sum())

    def keeps(self, limit: Any, positive: Any, given: Any) -> bool:
        value = Fraction(0)
        if (amounts := limit.get("amounts")) is not None:
            table = np.broadcast_to(np.array(amounts), (len(self.y), 2))
            said = np.where(positive, given["positive"], 1 - given["positive"])
            own = table[np.arange(len(said)), said] * self.weight
            return int(own.sum()) <= Fraction(*limit["at_most"])
        for sign, key in ((1, "group"), (-1, "minus")):
            if key == "minus" and limit["minus"] is None:
                continue
            rows = np.ones(len(self.y), bool)
            if limit["among"] != "all":
                wanted = limit["among"] == "positives"
                rows &= (self.y == given["positive"]) == wanted
            if limit[key] is not None:
                rows &= self.who == given["groups"][limit[key]]
            total = int(self.weight[rows].sum())
            if not total:
                return True  # refused
            value += Fraction(sign * int(self.weight[rows & positive].sum()), total)
        return limit["sign"] * value <= Fraction(*limit["at_most"])

    @cache  # noqa: B019
    def trees(self, depth: int | None) -> dict[int, int]:
        """The fewest splits for each set of rows that can be class 1."""
        columns = [self.X[:, f] for f in range(self.X.shape[1])]
        cuts = {
            sum(1 << int(i) for i in np.flatnonzero(c <= v))
            for c in columns
            for v in np.unique(c)[:-1]
        }

        @cache
        def grown(mask: int, left: int) -> dict[int, int]:
            out = {0: 0, mask: 0}
            for cut in cuts if left else ():
                yes, no = mask & cut, mask & ~cut
                if not yes or not no:
                    continue
                for a, k in grown(yes, left - 1).items():
                    for b, j in grown(no, left - 1).items():
                        out[a | b] = min(out.get(a | b, 99), k + j + 1)
            return out

        return grown((1 << len(self.y)) - 1, 9 if depth is None else depth)


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_hold_for_all_trees(kind: str, tmp_path: Path) -> None:
    proofs = listed = 0
    for seed in range(rounds(15, 1000)):
        problem = Problem(np.random.default_rng(seed), kind)
        lines = problem.proved(tmp_path)
        if lines is None:
            continue
        proofs += 1
        least = problem.least(lines[0])
        assert problem.model.objective_ == pytest.approx(least), seed
        said = [problem.verdict(lines, checker) for checker in CHECKERS]
        for one in said:
            assert one.accepted, (seed, str(one))
            assert one.objective == pytest.approx(least)
            assert one.lower_bound <= least + 1e-9, (seed, str(one))
            assert one.optimal, (seed, str(one))
        assert said[0].statement == said[1].statement
        assert said[0].lower_bound == pytest.approx(said[1].lower_bound)
        if lines[0]["constraints"].pop("listed", False):
            listed += 1  # and without the list a gap stays
            alone = [problem.verdict(lines, checker) for checker in CHECKERS]
            assert all(one.accepted for one in alone)
            assert not any(one.optimal for one in alone[:2])
            assert alone[0].lower_bound == pytest.approx(alone[1].lower_bound)
    assert proofs > 5 and listed > 0


def change(rng: np.random.Generator, lines: list[dict[str, Any]]) -> None:
    header, *steps = lines
    given = header["constraints"]
    limit = given["limits"][rng.integers(len(given["limits"]))]
    step = steps[rng.integers(len(steps))]
    chosen = int(rng.integers(3))

    def leaf() -> None:
        node = given["tree"]
        while "children" in node:
            node = node["children"][rng.integers(2)][1]
        node["predict"] = 1 - node["predict"]

    def bound() -> None:
        more = int(rng.integers(1, 1 << 30))
        step["bound"] += more
        header["lower"] += more

    ways = [
        leaf,
        bound,
        lambda: limit.update(at_most=[int(rng.integers(-9, 9)), 10]),
        lambda: limit.update(price=limit["price"] * 2),
        lambda: limit.update(price=limit["price"] // 2),
        lambda: given.update(unit=max(given["unit"] // 2, 1)),
        lambda: given.update(positive=1 - given["positive"]),
        lambda: given.update(class_weight=[1, int(rng.integers(1, 4))]),
        lambda: given.update(split_penalty=given["split_penalty"] + 0.01),
        lambda: header.update(max_depth=1),
        lambda: header.update(tree=given["tree"]),
        lambda: given.update(tree=header["tree"]),
    ]
    if "amounts" in limit:
        ways += [lambda: other_amount(rng, limit)] * 3
    else:
        ways += [
            lambda: limit.update(sign=-limit["sign"]),
            lambda: limit.update(among=["all", "positives", "negatives"][chosen]),
            lambda: limit.update(group=chosen),
        ]
    ways[rng.integers(len(ways))]()


def other_amount(rng: np.random.Generator, limit: dict[str, Any]) -> None:
    row = limit["amounts"]
    if isinstance(row[0], list):
        row = row[rng.integers(len(row))]
    row[rng.integers(2)] += int(rng.integers(-2, 3))


def test_false_proofs_are_rejected(tmp_path: Path) -> None:
    """What is accepted after a change is true: the bound holds, the tree is allowed."""
    rng = np.random.default_rng(0)
    changes = rejected = seed = 0
    while changes < rounds(60, 1800):
        seed += 1
        kind = list(KINDS)[seed % len(KINDS)]
        problem = Problem(np.random.default_rng(500 + seed), kind)
        lines = problem.proved(tmp_path)
        some = lines is not None and lines[0]["constraints"]["limits"]
        for _ in range(4 if some else 0):
            forged = copy.deepcopy(lines)
            change(rng, forged)
            changes += forged != lines
            for checker in CHECKERS:
                said = problem.verdict(forged, checker)
                rejected += not said.accepted
                if said.accepted:
                    least = problem.least(forged[0])
                    assert said.lower_bound <= least + 1e-9, (seed, str(said))
                    assert said.objective >= least - 1e-9, (seed, str(said))
    assert rejected > changes


def worse_tree(rng: np.random.Generator, tree: dict[str, Any]) -> dict[str, Any]:
    """Another tree: leaves say something else, or a split is left out."""
    if "predict" in tree or rng.random() < 0.2:
        return {"predict": int(rng.integers(2))}
    children = [[v, worse_tree(rng, child)] for v, child in tree["children"]]
    return {"test": tree["test"], "children": children}


def forge_list(
    rng: np.random.Generator, problem: Problem, lines: list[dict[str, Any]]
) -> None:
    """Claim that a list closes the gap, for another tree, data or limits."""
    given = lines[0]["constraints"]
    given["listed"] = True
    trees = given["tree"], lines[0]["tree"]
    for _ in range(int(rng.integers(1, 3))):
        which = rng.integers(6)
        if which < 3:
            given["tree"] = worse_tree(rng, trees[rng.integers(2)])
        elif which == 3:
            limit = given["limits"][rng.integers(len(given["limits"]))]
            limit["at_most"] = [int(rng.integers(-2, 9)), int(rng.integers(4, 9))]
        elif which == 4:
            i, j = rng.integers(len(problem.who), size=2)
            problem.who[i], problem.who[j] = problem.who[j], problem.who[i]
        else:
            change(rng, lines)


def test_lists_that_lack_a_better_tree_are_rejected(tmp_path: Path) -> None:
    """A checker that closes a gap has seen that no better tree keeps the limits."""
    rng = np.random.default_rng(1)
    kinds = list(KINDS)
    changes = rejected = better = seed = 0
    while changes < rounds(300, 6000):
        seed += 1
        made = np.random.default_rng(900 + seed)
        problem = Problem(made, kinds[seed % len(kinds)])
        lines = problem.proved(tmp_path)
        some = lines is not None and lines[0]["constraints"]["limits"]
        for _ in range(6 if some else 0):
            forged, own = copy.deepcopy(lines), copy.deepcopy(problem)
            forge_list(rng, own, forged)
            if forged == lines and (own.who == problem.who).all():
                continue
            changes += 1
            for checker in CHECKERS:
                said = own.verdict(forged, checker)
                rejected += not said.accepted
                better += "costs less keeps" in said.reason
                if said.accepted:
                    least = own.least(forged[0])
                    assert said.lower_bound <= least + 1e-9, (seed, str(said))
                    assert said.objective >= least - 1e-9, (seed, str(said))
    assert rejected > changes
    assert better > 50


@pytest.mark.parametrize("seed", range(rounds(12, 400)))
def test_lists_may_be_used_for_any_bound(seed: int, tmp_path: Path) -> None:
    """With prices of nothing, the list alone has to show that no tree is better."""
    rng = np.random.default_rng(seed)
    problem = Problem(rng, list(KINDS)[seed % len(KINDS)])
    lines = problem.proved(tmp_path)
    if lines is None:
        return
    header = lines[0]
    header["constraints"]["listed"] = True
    header["lower"] = 0
    lines[1:] = [{"branch": [], "depth": None, "bound": 0}]
    header["root"] = 0
    alone = copy.deepcopy(lines)
    alone[0]["constraints"]["listed"] = False
    needed = not problem.verdict(alone, "python").optimal
    for checker in CHECKERS:
        said = problem.verdict(lines, checker)
        assert said.accepted and said.optimal, str(said)
    header["min_samples_leaf"] = 2  # is another problem, whose best tree may be another
    for checker in CHECKERS:
        said = problem.verdict(lines, checker)
        assert not said.accepted or said.objective == pytest.approx(
            problem.least(header)
        )
    header |= {"min_samples_leaf": 1, "max_splits": 3}
    for checker in CHECKERS:
        assert not needed or not problem.verdict(lines, checker).accepted


def test_what_has_no_proof_is_refused(tmp_path: Path) -> None:
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    path = tmp_path / "a.gz"
    own = OptimalTreeClassifier(constraints=[Linear([0, 1 / 3], 3)])
    with pytest.raises(ValueError, match="amounts of h that are whole numbers"):
        own.fit(X, y, proof=path)
    wrong = OptimalTreeClassifier(constraints=[Linear([0, 1, 2], 3)])
    with pytest.raises(ValueError, match="one number for each of the 2 actions"):
        wrong.fit(X, y, proof=path)
    recall = OptimalTreeClassifier(constraints=[RecallAtLeast(0.5)])
    with pytest.raises(ValueError, match="weights that are whole numbers"):
        recall.fit(X, y, sample_weight=[0.5, 1, 1, 1], proof=path)
    costly = OptimalTreeClassifier(
        constraints=[RecallAtLeast(0.5)], cost_matrix=[[0, 1], [2, 0]]
    )
    with pytest.raises(ValueError, match="is about errors"):
        costly.fit(X, y, proof=path)
    assert not path.exists()

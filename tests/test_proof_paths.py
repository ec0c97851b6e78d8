"""Proofs where the path to a node says what it allows and costs.

A given top, columns that may be used, groups of columns and prices of columns.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import subprocess
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import cpp_checker
import numpy as np
import pandas as pd
import pytest
from effort import rounds
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.constraints import DemographicParity
from treeproof.proof import check

CHECKERS = ("c++", "python", "exact")
KINDS = ("prefix", "first_split", "allowed", "groups", "prices", "all")


class Problem:
    """A few rows of two or three columns, with restrictions of paths."""

    def __init__(self, rng: np.random.Generator, kind: str) -> None:
        n = int(rng.integers(6, 12))
        self.X = pd.DataFrame(
            {
                "a": rng.integers(0, 4, n),
                "b": rng.integers(0, 3, n),
                "c": pd.Categorical(rng.choice(list("xyz"), n)),
            }
        )
        self.y = rng.integers(0, 2, n)
        self.y[:2] = 0, 1
        self.weight = rng.integers(1, 4, n).astype(float)
        told: dict[str, Any] = {}
        if kind in ("prefix", "all") and (kind == "prefix" or rng.random() < 0.5):
            told["prefix"] = self.top(rng, 2)
        elif kind in ("groups", "all"):
            told["interaction_cst"] = [["a", "b"], ["b", "c"]][: rng.integers(1, 3)]
        if kind == "first_split":
            told["first_split"] = str(rng.choice(list("abc")))
        if kind == "allowed":
            told["allowed_features"] = [["a", "c"], ["b"], ["c"]][rng.integers(3)]
        if kind in ("prices", "all") and "prefix" not in told:
            told["test_costs"] = self.prices(rng)
        priced = "test_costs" in told
        fewest = int(rng.choice([1, 1, 2]))
        if fewest > 1 and {"prefix", "first_split"} & set(told):
            self.weight[:] = 1  # such tops take no weights
            priced = True
        if not priced and rng.random() < 0.5:
            told["class_weight"] = {0: 1, 1: 2}
        if (not priced or "test_costs" in told) and rng.random() < 0.3:
            told["cost_matrix"] = [[0, 1], [3, 0]]
        self.split = str(rng.choice(["multiway", "one-vs-rest"]))
        self.model = OptimalTreeClassifier(
            float(rng.choice([0.0, 0.02, 0.05])),
            max_depth=[2, 3, None][rng.integers(3)] if "prefix" not in told else 3,
            penalize=str(rng.choice(["leaves", "splits"])),
            categorical_split=self.split,
            min_samples_leaf=fewest,
            **told,
        )

    def top(self, rng: np.random.Generator, levels: int) -> Any:
        """A partial tree."""
        which = rng.integers(5)
        if levels < 2 and which == 0:
            return None
        if levels < 2 and which == 1:
            return "leaf"
        if levels == 0 or (levels < 2 and which == 2):
            return {"allowed_features": [["a", "b"], ["c"]][rng.integers(2)]}
        column = "ab"[rng.integers(2)]
        cut = {"threshold": 0.5} if rng.random() < 0.5 else {}
        inside = {s: self.top(rng, levels - 1) for s in ("yes", "no")}
        return {"feature": column, **cut, **inside}

    def prices(self, rng: np.random.Generator) -> dict[Any, Any]:
        """What columns cost: alone, together, or less after another one."""
        one, two = (float(c) for c in rng.integers(0, 8, 2) / 20)
        ways: list[dict[Any, Any]] = [
            {"a": one, "c": two},
            {("a", "b"): one, "c": two},
            {"a": (one, "g", one / 2), "b": (two, "g", 0.0), "c": 0.05},
        ]
        return ways[rng.integers(3)]

    def proved(self, folder: Path) -> list[dict[str, Any]] | None:
        path = folder / "tree.proof.gz"
        try:
            self.model.fit(self.X, self.y, self.weight, proof=path)
        except ValueError as error:  # some tops fit no tree on these rows
            told = (
                "begins with",
                "split on",
                "max_depth",
                "takes no weights",
                "all on",
            )
            assert any(words in str(error) for words in told), error
            return None
        with gzip.open(path, "rt") as lines:
            return [json.loads(line) for line in lines]

    def verdict(self, lines: list[dict[str, Any]], checker: str) -> Any:
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        rows = self.X, self.y, self.weight
        return check(io.BytesIO(text), *rows, checker=checker)


class Oracle:
    """All trees that a header allows, by its own words."""

    def __init__(self, problem: Problem, header: dict[str, Any]) -> None:
        self.h, self.paths = header, header["paths"]
        self.n = len(problem.y)
        factor = header.get("class_weight", [1, 1])
        self.weight = [Fraction(w) for w in problem.weight]
        self.own = [
            w * Fraction(factor[y]) for w, y in zip(self.weight, problem.y, strict=True)
        ]
        matrix = header.get("cost_matrix") or [[0, 1], [1, 0]]
        self.cost = [
            [w * Fraction(c) for c in matrix[y]]
            for w, y in zip(self.own, problem.y, strict=True)
        ]
        self.penalty = Fraction(header["split_penalty"]) * sum(self.own)
        self.tests: list[tuple[int, list[int], int]] = []
        for f, name in enumerate("abc"):
            self.tests += self.of_column(f, problem.X[name], header["features"][f])

    def of_column(self, f: int, cells: Any, feature: Any) -> Any:
        if feature["split"] == "threshold":
            values = sorted(set(cells))
            return [(f, [int(v > c) for v in cells], 2) for c in values[:-1]]
        codes = [feature["values"].index(v) for v in cells]
        n = len(feature["values"])
        if feature["split"] == "multiway":
            return [(f, codes, n)] if n > 1 else []
        return [(f, [int(c != k) for c in codes], 2) for k in range(n if n > 2 else 1)]

    def price(self, column: int, groups: Any, paid: Any) -> Any:
        p = self.paths
        if p["groups"] is not None:
            groups = tuple(g for g in groups if column in p["groups"][g])
            if not groups:
                return None
        for k, m in enumerate(p["costs"] or []):
            if column in m["columns"] and k not in paid:
                before = {p["costs"][j]["group"] for j in paid}
                known = m["group"] is not None and m["group"] in before
                cost = m["discounted"] if known else m["cost"]
                return Fraction(cost, p["unit"]), groups, (*sorted({*paid, k}),)
        return Fraction(0), groups, paid

    def least(self) -> Fraction | None:
        """The least cost, as errors; None if no tree is allowed."""
        every = frozenset(range(self.n))
        groups = tuple(range(len(self.paths["groups"] or [])))
        depth = self.h["max_depth"]
        top = json.dumps(self.paths["prefix"])
        return self.best(every, 99 if depth is None else depth, top, groups, (), None)

    @cache  # noqa: B019
    def best(self, rows: Any, depth: int, place: str, groups: Any, paid: Any,
             allowed: Any) -> Any:  # fmt: skip
        at, found = json.loads(place), []
        given = isinstance(at, dict) and "choices" in at
        if isinstance(at, dict) and "allowed" in at:
            allowed = tuple(at["allowed"])
        if not given:
            found = [min(sum(self.cost[i][c] for i in rows) for c in (0, 1))]
        if depth == 0 or at == "leaf":
            return found[0] if found else None
        usual = self.paths["allowed"] if allowed is None else allowed
        for t, (column, outcome, n) in enumerate(self.tests):
            parts = [frozenset(i for i in rows if outcome[i] == v) for v in range(n)]
            sizes = [len(part) for part in parts if part]
            if len(sizes) < 2 or min(sizes) < self.h["min_samples_leaf"]:
                continue
            charged = self.price(column, groups, paid)
            ways: list[list[Any]] = [[None] * n] if not given else []
            if not given and usual is not None and column not in usual:
                continue
            for choice in at["choices"] if given else []:
                if t in choice["tests"]:
                    below = dict((v, q) for v, q in choice["below"])
                    ways.append([below.get(v, choice["rest"]) for v in range(n)])
            if charged is None:
                continue
            each, left, now = charged
            penalties = len(sizes) - 1 if self.h["penalize"] == "leaves" else 1
            own = penalties * self.penalty + each * sum(self.weight[i] for i in rows)
            for way in ways:
                low = [
                    self.best(part, depth - 1, json.dumps(q), left, now, allowed)
                    for part, q in zip(parts, way, strict=True)
                    if part
                ]
                if None not in low:
                    found.append(own + sum(low))
        return min(found, default=None)

    def mean(self) -> float | None:
        """The least cost in the unit of the objective."""
        least = self.least()
        return None if least is None else float(least / sum(self.own))


@pytest.mark.parametrize("kind", KINDS)
def test_trees_are_the_best_allowed_ones(kind: str, tmp_path: Path) -> None:
    proofs = 0
    for seed in range(rounds(14, 1000)):
        problem = Problem(np.random.default_rng(seed), kind)
        lines = problem.proved(tmp_path)
        if lines is None:
            continue
        proofs += 1
        least = Oracle(problem, lines[0]).mean()
        assert problem.model.objective_ == pytest.approx(least), seed
        said = [problem.verdict(lines, checker) for checker in CHECKERS]
        for one in said:
            assert one.accepted and one.optimal, (seed, str(one))
            assert one.objective == pytest.approx(least), seed
        assert said[0].statement == said[1].statement
        assert said[0].lower_bound == pytest.approx(said[1].lower_bound)
    assert proofs > 5


def forge_top(rng: np.random.Generator, prefix: Any) -> None:
    """Change tests and open places of a given top."""
    places = [prefix]
    while places:
        place = places.pop()
        for choice in (place or {}).get("choices", []) if place != "leaf" else []:
            if choice["tests"] and rng.random() < 0.5:
                k = rng.integers(len(choice["tests"]))
                choice["tests"][k] = int(rng.integers(6))
            for pair in choice["below"]:
                if rng.random() < 0.3:
                    ways = [None, "leaf", {"allowed": [int(rng.integers(3))]}]
                    pair[1] = ways[rng.integers(3)]
            places += [pair[1] for pair in choice["below"]]


def forge(rng: np.random.Generator, header: dict[str, Any]) -> None:
    """Change what a header says of paths, of the tree, or of what it costs."""
    paths = header["paths"]
    node = header["tree"]
    while "children" in node and rng.random() < 0.7:
        node = node["children"][rng.integers(len(node["children"]))][1]

    def other_leaf() -> None:
        if "predict" in node:
            node["predict"] = 1 - node["predict"]

    def cut_off() -> None:
        node.clear()
        node["predict"] = int(rng.integers(2))

    def other_cost() -> None:
        for cost in paths["costs"] or []:
            key = ["cost", "discounted"][rng.integers(2)]
            cost[key] = max(cost[key] + int(rng.integers(-3, 4)), 0)

    def other_columns() -> None:
        held = [*(paths["costs"] or []), *(paths["groups"] or [])]
        if held:
            own = held[rng.integers(len(held))]
            own = own["columns"] if isinstance(own, dict) else own
            own[rng.integers(len(own))] = int(rng.integers(3))

    def other_prefix() -> None:
        choice = {"tests": [int(rng.integers(4))], "below": [[0, "leaf"]], "rest": None}
        paths["prefix"] = [None, "leaf", {"choices": [choice]}][rng.integers(3)]

    def more() -> None:
        paths["lower"] += int(rng.integers(1, 1 << 21))

    def as_claimed() -> None:
        paths["lower"] = header["upper"] * paths["unit"]

    ways = [
        other_leaf, cut_off, other_cost, other_columns, other_prefix, more,
        as_claimed, as_claimed, lambda: forge_top(rng, paths["prefix"]),
        lambda: header.update(upper=header["upper"] + int(rng.integers(-2, 3) << 20)),
        lambda: paths.update(unit=paths["unit"] * 2),
        lambda: paths.update(allowed=[[0], [1, 2], None][rng.integers(3)]),
        lambda: paths.update(groups=[[[0], [1, 2]], None][rng.integers(2)]),
        lambda: paths.update(costs=None),
        lambda: header.update(max_depth=int(rng.integers(1, 4))),
        lambda: header.update(min_samples_leaf=int(rng.integers(1, 3))),
        lambda: header.update(
            penalize=["leaves", "splits"][rng.integers(2)],
        ),
    ]  # fmt: skip
    for _ in range(int(rng.integers(1, 4))):
        ways[rng.integers(len(ways))]()


def right_tree(oracle: Oracle, header: dict[str, Any]) -> None:
    """Correct what the header says of its tree, so that only the bound can be false."""
    rows = range(oracle.n)

    def walk(node: Any, own: Any) -> tuple[Any, int, int]:
        if "predict" in node:
            return sum(oracle.cost[i][node["predict"]] for i in own), 0, 1
        _, outcome, _ = oracle.tests[node["test"]]
        below = [
            walk(child, [i for i in own if outcome[i] == v])
            for v, child in node["children"]
        ]
        loss, splits, leaves = (sum(part) for part in zip(*below, strict=True))
        return loss, splits + 1, leaves

    loss, splits, leaves = walk(header["tree"], rows)
    if header["loss"] == "costs":  # the least that each action costs is not counted
        return
    n = leaves - 1 if header["penalize"] == "leaves" else splits
    header["upper"] = int(loss * 2**20) + n * header["split_cost"]


def test_false_claims_are_rejected(tmp_path: Path) -> None:
    """What is accepted after changes is true: the bound holds, the tree is allowed."""
    rng = np.random.default_rng(2)
    changes = rejected = bounds = accepted = seed = 0
    while changes < rounds(400, 10_000):
        seed += 1
        problem = Problem(np.random.default_rng(5000 + seed), KINDS[seed % len(KINDS)])
        lines = problem.proved(tmp_path)
        for _ in range(6 if lines else 0):
            forged = copy.deepcopy(lines)
            forge(rng, forged[0])
            if forged == lines:
                continue
            changes += 1
            oracle = Oracle(problem, forged[0])
            if rng.random() < 0.7:
                right_tree(oracle, forged[0])
            said = [problem.verdict(forged, checker) for checker in CHECKERS]
            assert len({one.accepted for one in said}) == 1, (seed, *map(str, said))
            rejected += not said[0].accepted
            bounds += "lower bound of paths" in said[0].reason
            accepted += said[0].accepted
            if said[0].accepted:
                least = oracle.mean()
                assert least is not None
                for one in said:
                    assert one.lower_bound <= least + 1e-6, (seed, str(one))
                    assert one.objective >= least - 1e-6, (seed, str(one))
    assert rejected > changes // 3 and bounds > 10 and accepted > 20


def test_what_has_no_proof_is_refused(tmp_path: Path) -> None:
    X = pd.DataFrame({"a": [0, 1, 2, 3], "b": [0, 0, 1, 1]})
    y, path = [0, 1, 0, 1], tmp_path / "a.gz"
    top = {"feature": "a"}

    def refused(words: str, weight: Any = None, **told: Any) -> None:
        model = OptimalTreeClassifier(max_depth=2, **told)
        with pytest.raises(ValueError, match=words):
            model.fit(X, y, weight, proof=path)

    refused("prefix cannot be combined with max_splits", prefix=top, max_splits=2)
    refused("whole numbers", [0.5, 1, 1, 1], prefix=top)
    refused("with class_weight", test_costs={"a": 1}, class_weight={0: 1, 1: 2})
    refused("whole numbers", [0.5, 1, 1, 1], test_costs={"a": 1})
    refused("few digits", test_costs={"a": 1 / 3})
    refused("cannot be combined with shape", test_costs={"a": 1}, shape="list")
    refused("with monotonic_cst", interaction_cst=[["a"]], monotonic_cst={"a": 1})
    refused("criterion", prefix=top, criterion="log_loss")
    with pytest.raises(ValueError, match="writes no proof"):
        OptimalTreeRegressor(max_depth=2, prefix=top).fit(X, y, proof=path)
    with pytest.raises(ValueError, match="interaction_cst cannot be combined"):
        OptimalTreeRegressor(interaction_cst=[["a"]]).fit(X, y, proof=path)
    assert not path.exists()


def test_the_program_checks_paths_and_lists(tmp_path: Path) -> None:
    """The stand-alone checker closes gaps, and knows what paths allow and cost."""
    program = cpp_checker.compiled()
    if program is None:
        pytest.skip("needs a C++ compiler")
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"a": rng.integers(0, 4, 30), "b": rng.integers(0, 4, 30)})
    y = ((table.a + table.b) % 2 ^ (rng.random(30) < 0.2)).astype(int)
    who = pd.Series(rng.choice(["x", "z"], 30))
    for name, told, groups in (
        ("prefix", {"prefix": {"feature": "b"}}, None),
        ("prices", {"test_costs": {"a": 0.01, "b": (0.02, "g", 0.01)}}, None),
        ("parity", {"constraints": [DemographicParity(0.02)]}, who),
    ):
        path = tmp_path / f"{name}.gz"
        model = OptimalTreeClassifier(0.0, max_depth=2, **told)
        model.fit(table, y, proof=path, sensitive_features=groups)
        full = table.assign(y=y, **({} if groups is None else {"who": groups}))
        full.to_csv(tmp_path / "t.csv", index=False)
        command = [program, "-", tmp_path / "t.csv", "--target", "y"]
        command += [] if groups is None else ["--groups", "who"]
        text = gzip.decompress(path.read_bytes())
        run = subprocess.run(command, input=text, capture_output=True)
        assert run.returncode == 0 and b"optimal" in run.stdout, (name, run.stdout)
        if groups is None:  # a bound above the tree's cost is refused
            lines = [json.loads(line) for line in text.splitlines()]
            lines[0]["paths"]["lower"] += 1
            forged = "".join(json.dumps(line) + "\n" for line in lines).encode()
            run = subprocess.run(command, input=forged, capture_output=True)
            assert run.returncode == 1, run.stdout


def test_a_stopped_fit_has_a_proof_without_a_bound(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(2000, 8)), rng.integers(0, 2, 2000)
    prices = {0: 0.001}
    model = OptimalTreeClassifier(  # too flat for levels of its own
        0.001, max_depth=3, time_limit=0.05, test_costs=prices
    )
    with pytest.warns(ConvergenceWarning, match="no lower bound worth telling"):
        model.fit(X, y, proof=tmp_path / "p")
    for checker in CHECKERS[:2]:
        said = check(tmp_path / "p", X, y, checker=checker)
        assert said.accepted and not said.optimal and said.lower_bound == 0
        assert said.objective == pytest.approx(model.objective_)

"""Changed proofs of every kind: prices, leaves, restrictions, limits, paths, lists.

A `Subject` is a proof of a small problem, with what each checker says of a changed
text, and with brute force over the trees that the header of the text allows.
"""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from leaf_forgeries import lie_of, proved
from leaf_problems import KINDS as LEAVES
from leaf_problems import leaf_problem
from mutants import mutate, same
from oracle import Table, optimal_cost
from priced_proofs import Priced, priced
from test_all_trees_proof import checked as all_trees_verdict
from test_all_trees_proof import drawn as drawn_set
from test_proof_leaves import exactly
from test_proof_limits import KINDS as LIMITS
from test_proof_limits import Problem as Limited
from test_proof_paths import KINDS as PATHS
from test_proof_paths import Oracle as PathOracle
from test_proof_paths import Problem as Restricted

from treeproof.proof import check
from treeproof.proof.checker import Verdict
from treeproof.proof.header import Header
from treeproof.proof.problem import Problem
from treeproof.proof.tree_counts import Bounds, Family

CLOSE = 1e-6
MOST_LINES = 60
Lines = list[dict[str, Any]]
# What a header that lacks a key says.
DEFAULTS = {"penalize": "splits", "search_split_cost": None}
NO_PATHS = {"prefix": None, "allowed": None, "groups": None, "costs": None, "unit": 1}
NO_GROUPS = {"group": None, "minus": None}


@dataclass
class Subject:
    """A proof, its checkers, and brute force.

    `ask` returns the verdict of a fast checker; `exact` whether the exact one accepts a
    text, and `untrue` what is false in a text that was accepted, or None.
    """

    lines: list[str]
    ask: Callable[[bytes, str], Verdict]
    exact: Callable[[bytes], bool]
    untrue: Callable[[Lines, Verdict], str | None]

    def judge(self, text: bytes, always: bool = False) -> bool:
        """Compare the checkers on a text, and what they accept with the truth."""
        ours, module = self.ask(text, "python"), self.ask(text, "c++")
        assert ours.accepted == module.accepted, (text[:2000], str(ours), str(module))
        if not ours.accepted:
            assert not (always and self.exact(text) and self._lies(text, ours)), text
            return False
        same(ours, module)
        assert self.exact(text), (text[:2000], str(ours))
        assert (lie := self._lies(text, ours)) is None, (lie, text[:2000], str(ours))
        return True

    def _lies(self, text: bytes, verdict: Verdict) -> str | None:
        return self.untrue([json.loads(line) for line in text.splitlines()], verdict)


def stated(header: dict[str, Any]) -> dict[str, Any]:
    """Return a header with what it does not write down."""
    paths = NO_PATHS | (header.get("paths") or {})
    paths["costs"] = paths["costs"] and [NO_GROUPS | cost for cost in paths["costs"]]
    header = {**DEFAULTS, **header, "paths": paths}
    if (given := header.get("constraints")) is not None:
        limits = [NO_GROUPS | limit for limit in given["limits"]]
        header["constraints"] = given | {"limits": limits}
    return header


def below(least: float | None, verdict: Verdict) -> str | None:
    """Return what is false if the best tree costs so much."""
    if least is None:
        return "no tree is allowed"
    if verdict.lower_bound > least + CLOSE:
        return f"the lower bound: {least}"
    if verdict.objective < least - CLOSE:
        return f"the tree: {least}"
    return None


def leaves(rng: random.Random, folder: Path) -> Subject | None:
    """Proofs of other leaves, of lines, of lists and of monotone trees."""
    made = np.random.default_rng(rng.randrange(2**32))
    problem = leaf_problem(rng.choice(LEAVES), made)
    _, lines = proved(problem, folder)
    if len(lines) > MOST_LINES:
        return None

    table = {f"x{f}": cells for f, cells in enumerate(problem.X.T)}

    def ask(text: bytes, checker: str) -> Verdict:
        given = table, problem.y, problem.weight
        return check(io.BytesIO(text), *given, checker=checker, **problem.late)

    return Subject(
        [json.dumps(line) for line in lines],
        ask,
        lambda text: exactly(problem, text),
        lambda changed, _: lie_of(problem, [as_lists(changed[0]), *changed[1:]]),
    )


def as_lists(header: dict[str, Any]) -> dict[str, Any]:
    """Return a header in which each leaf that predicts numbers has a list of them."""
    if header["loss"] == "misclassification":
        return header

    def below(node: dict[str, Any]) -> dict[str, Any]:
        if "test" in node:
            return node | {"children": [[v, below(c)] for v, c in node["children"]]}
        told = node["predict"]
        return node | {"predict": told if isinstance(told, list) else [told]}

    return header | {"tree": below(header["tree"])}


def prices(rng: random.Random, folder: Path) -> Subject | None:
    """Proofs by prices, for any depth or for some levels; some prices are changed."""
    made = np.random.default_rng(rng.randrange(2**32))
    levels = rng.choice([None, None, 1, 2])
    limits = {} if levels is None else {"max_depth": levels}
    problem = priced(made, folder, work=10**6, levels=levels, **limits)
    if problem is None or len(problem.whole) > 18:
        return None
    text = problem.proof([{"branch": [], "depth": levels, "bound": problem.bound()}])

    def ask(text: bytes, checker: str) -> Verdict:
        given = problem.frame, problem.y, problem.weights
        return check(io.BytesIO(text), *given, checker=checker)

    return Subject(
        text.decode().splitlines(),
        ask,
        problem.exact_accepts,
        lambda changed, verdict: below(_least_errors(problem, changed[0]), verdict),
    )


def _least_errors(problem: Priced, header: dict[str, Any]) -> float:
    """Return the cost of the best tree that the header allows."""
    header, own = stated(header), problem.header
    assert all(header[key] == own[key] for key in ("classes", "class_weight")), header
    splits = [[f["split"] for f in told["features"]] for told in (header, own)]
    assert splits[0] == splits[1], header
    table = Table(  # of equal rows, one has the weight, but all are counted in leaves
        problem.kinds,
        problem.codes.max(axis=0) + 1,
        problem.codes,
        problem.labels,
        len(header["classes"]),
        problem.whole.astype(int),
    )
    most = 2 * len(problem.whole)
    limits = [
        -1 if value is None else min(value, most)
        for value in (header["max_depth"], header["max_splits"])
    ]
    least = optimal_cost(
        table, header["split_penalty"], penalize=header["penalize"],
        max_depth=limits[0], max_splits=limits[1],
        min_samples_leaf=header["min_samples_leaf"],
    )  # fmt: skip
    return float(least / table.split_cost(1.0))


def limits(rng: random.Random, folder: Path) -> Subject | None:
    """Proofs of trees that keep limits on rates and amounts."""
    made = np.random.default_rng(rng.randrange(2**32))
    return _restricted(Limited(made, rng.choice(list(LIMITS))), folder)


def paths(rng: random.Random, folder: Path) -> Subject | None:
    """Proofs of trees with a given top, with groups and with prices of columns."""
    made = np.random.default_rng(rng.randrange(2**32))
    return _restricted(Restricted(made, rng.choice(PATHS)), folder)


def _restricted(problem: Limited | Restricted, folder: Path) -> Subject | None:
    lines = problem.proved(folder)
    if lines is None or len(lines) > MOST_LINES:
        return None
    groups = {} if isinstance(problem, Restricted) else {"who": problem.who}

    def ask(text: bytes, checker: str) -> Verdict:
        more = {"sensitive_features": groups["who"]} if groups else {}
        given = problem.X, problem.y, problem.weight
        return check(io.BytesIO(text), *given, checker=checker, **more)

    def untrue(changed: Lines, verdict: Verdict) -> str | None:
        if isinstance(problem, Restricted):
            return below(PathOracle(problem, stated(changed[0])).mean(), verdict)
        return below(problem.least(stated(changed[0])), verdict)

    def exact(text: bytes) -> bool:
        return ask(text, "exact").accepted

    return Subject([json.dumps(line) for line in lines], ask, exact, untrue)


def change_a_set(rng: random.Random, folder: Path, count: int) -> int:
    """Change the proof that no tree of a set is missing; return how many are accepted.

    It has one checker. What it accepts is counted again without the stated bounds.
    """
    _, X, y, fit, _, trees = drawn_set(rng.randrange(2**31))
    path, accepted = folder / "set.gz", 0
    trees.write_proof(path)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    for _ in range(count if len(lines) <= MOST_LINES else 0):
        text = mutate(lines, rng).splitlines()
        if not all_trees_verdict(text, X, y, fit).accepted:
            continue
        accepted += 1
        claim = json.loads(text[0])
        given = fit.get("sample_weight"), fit.get("costs")
        problem = Problem(Header(text[1]), X, y, *given)
        found = Family(problem, Bounds(problem), claim["budget"]).by_cost()
        assert [list(pair) for pair in found] == claim["by_cost"], text
    return accepted


SUBJECTS = {f.__name__: f for f in (leaves, prices, limits, paths)}


def draw(name: str, rng: random.Random, folder: Path) -> Subject:
    """Draw problems of a kind until one has a proof that is short enough."""
    while True:
        subject = SUBJECTS[name](rng, folder)
        if subject is not None:
            return subject


def change_and_compare(
    name: str, rng: random.Random, folder: Path, count: int
) -> tuple[int, int]:
    """Compare the checkers on changes of one proof; return how many, and accepted."""
    subject = draw(name, rng, folder)
    assert subject.judge("".join(f"{line}\n" for line in subject.lines).encode())
    accepted = 0
    for k in range(count):
        accepted += subject.judge(mutate(subject.lines, rng), always=k % 10 == 0)
    return count, accepted

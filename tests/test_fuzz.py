"""The fuzzer: a short run, the cases it has stored, and planted faults it finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cpp_checker
import native
import pytest
from effort import rounds
from fuzz import REGRESSIONS, Failure, attack, batch, fuzz, keep, summary
from fuzz_attacks import ATTACKS
from fuzz_case import SWITCHES, is_regression, table_of
from fuzz_check import PROVING, Truth, check_case
from fuzz_levels import climb

from treeproof import _core
from treeproof.solving.solvers import REGRESSION_SOLVERS, SOLVERS


def test_a_short_run_finds_nothing():
    done = fuzz(None, rounds(200, 5000), seed=2024)
    assert done["instances"] >= 200
    assert done["proofs"] > 50 and done["solves"] > 400
    assert done["levels"] > 300
    assert "instances solved and checked" in summary(done)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_few_attacks_of_each_class_find_nothing(name: str):
    few = {"page": 1}
    few |= dict.fromkeys(
        ("checkpoints", "killed", "choices", "mutants", "sets", "streams"), 2
    )
    assert attack(
        name, 2024, None, rounds(few.get(name, 10), 10 if name == "page" else 100)
    )[name]


@pytest.mark.parametrize(
    "path", sorted(REGRESSIONS.glob("*.json")), ids=lambda path: path.stem
)
def test_kept_cases(path: Path, tmp_path: Path):
    check_case(json.loads(path.read_text()), tmp_path, cpp_checker.compiled())


def test_every_switch_is_drawn():
    assert set(SWITCHES) == set(_core.switches())


def test_every_solver_is_run():
    assert PROVING["classes"] <= set(SOLVERS)
    assert PROVING["regression"] <= set(REGRESSION_SOLVERS)
    assert "sparse" in PROVING["classes"]


def wrong_tree(answer):
    """A single leaf where there was a tree: the cost is no longer true."""
    tree = {k: v[:1] if k == "kind" else v for k, v in answer["tree"].items()}
    tree["kind"] = tree["kind"] * 0
    return {**answer, "tree": tree}


def test_a_false_certificate_of_a_level_is_found(monkeypatch):
    """Certificates are compared with brute force at their depths, not only the last."""
    drawn: list[Any] = []
    batch(3, 300, drawn.append)
    sound = native.climb_labels

    def harmed(**arguments):
        answer = sound(**arguments)
        for level in answer["certificates"][:-1]:
            level |= {"lower": level["upper"] + 1, "upper": level["upper"] + 1}
        return answer

    found = 0
    for case in drawn:
        if is_regression(case):
            continue
        truth, limits = Truth(case), {"time_limit": 0.0}
        monkeypatch.setattr(native, "climb_labels", sound)
        _, levels = climb(case, truth, limits, 0.0)
        monkeypatch.setattr(native, "climb_labels", harmed)
        try:
            climb(case, truth, limits, 0.0)
        except AssertionError:
            found += 1
        else:
            assert levels == 1
    assert found >= 5


@pytest.mark.parametrize(
    "harm",
    [
        lambda answer: {**answer, "lower": answer["upper"] + 1},
        lambda answer: {**answer, "upper": answer["upper"] + 1},
        lambda answer: {**answer, "status": "optimal", "lower": 0},
        wrong_tree,
    ],
    ids=["bound too high", "cost too high", "optimal without proof", "wrong tree"],
)
def test_a_wrong_answer_is_found_and_shrunk(harm, tmp_path, monkeypatch):
    sound = native.solve

    def harmed(**arguments):
        answer = sound(**arguments)
        several = max(answer["tree"]["kind"]) > 0
        return harm(answer) if several and arguments["solver"] == "sparse" else answer

    monkeypatch.setattr(native, "solve", harmed)

    def attempt(case):
        check_case(case, tmp_path)

    with pytest.raises(Failure) as failure:
        batch(1, 400, attempt)
    case = failure.value.case
    assert len(table_of(case).labels) <= 4  # a tree of one split needs two rows
    path = keep(case, tmp_path / "kept")
    with pytest.raises(AssertionError):
        attempt(json.loads(path.read_text()))
    monkeypatch.setattr(native, "solve", sound)
    attempt(json.loads(path.read_text()))

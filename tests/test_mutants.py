"""Changed proofs on which checkers once differed: all of them refuse each."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import cpp_checker
import pytest
from effort import rounds
from mutant_kinds import SUBJECTS, change_a_set, change_and_compare, draw
from mutants import compare, mutate, small_proof, verdicts
from small_costs import SmallCosts
from small_proofs import Small


def equal_targets() -> Small:
    cells = ["a", "a", "a"]
    return Small([("multiway", ["a", "b"], cells)], [1.0] * 3, weights=[1.0, 0.5, 1e-3],
                 loss="squared_error", split_penalty=0.0, max_depth=1)  # fmt: skip


def two_labels() -> Small:
    return Small([("threshold", [], [0.0, 1.0, 2.0])], ["n", "y", "n"], max_depth=2,
                 split_penalty=0.05)  # fmt: skip


def without(key):
    def change(lines):
        del lines[0][key]

    return change


def negative_root(lines):
    lines[1 + lines[0]["root"]]["bound"] = -1.0 if lines[0]["upper"] == 0.0 else -1


@pytest.mark.parametrize(
    ("small", "change"),
    [
        (two_labels(), without("max_splits")),
        (two_labels(), without("max_depth")),
        (equal_targets(), negative_root),
        (two_labels(), negative_root),
    ],
    ids=["no max_splits", "no max_depth", "bound below zero, no loss", "below zero"],
)
def test_all_refuse(tmp_path, small, change):
    lines = small.full_proof()
    program = cpp_checker.compiled()
    said = verdicts(small, text(lines), tmp_path, program)
    assert all(accepted for accepted, _ in said.values()), said
    change(lines)
    said = verdicts(small, text(lines), tmp_path, program)
    assert not any(accepted for accepted, _ in said.values()), said


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zero_has_no_sign(tmp_path, zero):
    """A negative zero of the header's cost matrix is zero in the fingerprint."""
    small = SmallCosts(
        [("threshold", [], [0.0, 1.0, 2.0])], ["no", "yes", "no"],
        classes=["no", "yes"], class_weight=[1.0, 1.0], actions=["a", "b"],
        matrix=[[0.0, 2.0], [1.0, 0.0]], split_penalty=0.05, max_depth=1,
    )  # fmt: skip
    lines = small.full_proof()
    lines[0]["cost_matrix"][1][1] = zero
    said = verdicts(small, text(lines), tmp_path, cpp_checker.compiled())
    assert all(accepted for accepted, _ in said.values()), said


def text(lines) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_mutants(tmp_path):
    rng, program = random.Random(7), cpp_checker.compiled()
    for _ in range(rounds(3, 100)):
        small, lines = small_proof(rng)
        for _ in range(10):
            compare(verdicts(small, mutate(lines, rng), tmp_path, program))


@pytest.mark.parametrize("kind", SUBJECTS)
def test_mutants_of_every_kind(tmp_path, kind):
    rng = random.Random(list(SUBJECTS).index(kind))
    changes = accepted = 0
    for _ in range(rounds(8, 300)):
        new, right = change_and_compare(kind, rng, tmp_path, 12)
        changes, accepted = changes + new, accepted + right
    assert 0 < accepted < changes


@pytest.mark.parametrize("kind", SUBJECTS)
def test_brute_force_knows_a_false_claim(tmp_path, kind):
    """A bound that is too high would be noticed if a checker accepted it."""
    rng = random.Random(30)
    for _ in range(5):
        subject = draw(kind, rng, tmp_path)
        text = "".join(f"{line}\n" for line in subject.lines).encode()
        verdict = subject.ask(text, "c++")
        lines = [json.loads(line) for line in subject.lines]
        assert subject.untrue(lines, verdict) is None
        lines[0]["lower"] = lines[0]["upper"] + 1
        high = replace(verdict, lower_bound=verdict.objective + 0.01)
        assert subject.untrue(lines, high) is not None


def test_changed_sets(tmp_path):
    rng = random.Random(9)
    counts = [change_a_set(rng, tmp_path, 6) for _ in range(rounds(15, 500))]
    assert 0 < sum(counts) < 5 * len(counts)


def test_a_sign_is_a_number(tmp_path):
    """A limit whose sign is `true` once passed in Python alone."""
    rng = random.Random(3)
    while True:
        subject = draw("limits", rng, tmp_path)
        header, *steps = (json.loads(line) for line in subject.lines)
        limits = [x for x in header["constraints"]["limits"] if x.get("sign") == 1]
        if limits:
            break
    for sign in (True, 1.0):
        limits[0]["sign"] = sign
        assert not subject.judge(text([header, *steps]), always=True)
        assert not subject.exact(text([header, *steps]))

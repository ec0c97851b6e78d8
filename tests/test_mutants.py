"""Changed proofs on which checkers once differed: all of them refuse each."""

from __future__ import annotations

import json
import random

import cpp_checker
import pytest
from effort import rounds
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

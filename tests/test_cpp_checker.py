"""The checker in C++: what it accepts, what it refuses, and that nothing makes it crash."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from small_proofs import UNIT, Small

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted([ROOT / "tools/check_proof.cpp", *ROOT.glob("tools/checker/*.hpp")])
COMPILER = os.environ.get("CXX", "g++")


@pytest.fixture(scope="session")
def program():
    """The checker, compiled once for each version of its sources."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"no compiler {COMPILER}")
    flags = os.environ.get("CHECKER_FLAGS", "-O1").split()
    text = b"".join(p.read_bytes() for p in SOURCES) + " ".join(flags).encode()
    name = f"check_proof-{hashlib.sha256(text).hexdigest()[:12]}"
    target = ROOT / "build" / "tests" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".{os.getpid()}")
        command = [
            COMPILER,
            "-std=c++20",
            *flags,
            str(ROOT / "tools/check_proof.cpp"),
            "-o",
            str(part),
        ]
        subprocess.run(command, check=True)
        part.rename(target)
    return target


@pytest.fixture
def run(program, tmp_path):
    """Check a proof (a list of lines, or bytes) against a small problem's data."""

    def check(small, proof, *, data=None, options=("--weight", "w")):
        table = tmp_path / "data.csv"
        table.write_text(small.csv() if data is None else data)
        if not isinstance(proof, bytes):
            proof = "".join(json.dumps(line) + "\n" for line in proof).encode()
        done = subprocess.run(
            [program, "-", table, "--target", "y", *options],
            input=proof,
            capture_output=True,
            timeout=60,
        )
        verdict = done.stdout.decode()
        assert done.returncode in (0, 1, 2), (done.returncode, done.stderr.decode())
        assert done.stderr == b"", done.stderr.decode()
        assert verdict.count("\n") == 1 or "usage" in verdict
        start = ["accepted: ", "rejected at ", "cannot check: "][done.returncode]
        assert verdict.startswith(start)
        return done.returncode, verdict.strip()

    return check


def accepted(result):
    assert result[0] == 0, result[1]


def rejected(result, *words):
    assert result[0] == 1, result[1]
    for word in words:
        assert word in result[1], result[1]


def unreadable(result, *words):
    assert result[0] == 2, result[1]
    for word in words:
        assert word in result[1], result[1]


def draw(rng, **fixed):
    """A random small problem, of any kind the format knows."""
    n = rng.randint(4, 9)
    columns = []
    for _ in range(rng.randint(1, 3)):
        split = rng.choice(["threshold", "threshold", "one-vs-rest", "multiway"])
        values = ["a", "b", "c"][: rng.randint(2, 3)]
        if split == "threshold":
            columns.append(
                (split, [], [rng.choice([-1.5, 0.0, 2.0]) for _ in range(n)])
            )
        else:
            columns.append((split, values, [rng.choice(values) for _ in range(n)]))
    classes = ["no", "yes", "maybe"][: rng.randint(2, 3)]
    weights = rng.choice(
        [
            [1.0] * n,
            [float(rng.randint(0, 3)) for _ in range(n)],
            [rng.random() for _ in range(n)],
        ]
    )
    weights[0] = weights[0] or 1.0
    settings = {
        "classes": classes,
        "class_weight": [rng.choice([1.0, 1.0, 2.0, 0.3]) for _ in classes],
        "weights": weights,
        "split_penalty": rng.choice([0.0, 0.01, 0.06, 0.11, 0.3]),
        "max_depth": rng.choice([None, 1, 2, 3]),
        "max_splits": rng.choice([None, None, 1, 2, 3]),
        "min_samples_leaf": rng.choice([1, 1, 2]),
        "lookahead": rng.random() < 0.5,
    }
    target = [rng.choice(classes) for _ in range(n)]
    return Small(columns, target, **(settings | fixed))


@pytest.mark.parametrize("seed", range(150))
def test_full_proofs_are_accepted_and_nothing_better_is(run, seed):
    """Every rule at once: with all true bounds cited, one unit more is refused."""
    rng = random.Random(seed)
    small = draw(rng)
    proof = small.full_proof()
    code, verdict = run(small, proof)
    assert code == 0, verdict
    assert "optimal" in verdict

    for step in proof[1:]:
        for use in step["uses"]:
            for cited in use[1:]:
                cited.append(-1)
    accepted(run(small, proof))
    raised = rng.choice([len(proof) - 1, rng.randrange(1, len(proof))])
    if proof[raised]["bound"] >= 0:
        proof[raised]["bound"] += 1
        rejected(run(small, proof), f"step {raised - 1}")

"""Odd values in what headers say of limits and of paths: all checkers judge alike."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import test_proof_limits
import test_proof_paths
from effort import rounds
from mutants import ODD

CHECKERS = ("c++", "python", "exact")
MORE = [1, -1, 2, 2**20, -(2**20), 2**31, 2**45]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in nested lists and objects."""
    keys: Any = ()
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        yield value, key
        yield from places(value[key])


def mutate(part: Any, rng: random.Random) -> None:
    """Replace, delete, double or change one value."""
    every = list(places(part))
    holder, key = rng.choice(every)
    kind, value = rng.randrange(4), holder[key]
    if kind == 0:
        holder[key] = copy.deepcopy(rng.choice(ODD[:-1]))
    elif kind == 1 and isinstance(holder, dict):
        del holder[key]
    elif kind == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[key] = value + rng.choice(MORE)
    else:
        other, place = rng.choice(every)
        holder[key] = copy.deepcopy(other[place])


def test_odd_values_are_judged_alike(tmp_path: Path) -> None:
    rng = random.Random(0)
    accepted = changes = 0
    while changes < rounds(150, 5000):
        seeded = np.random.default_rng(rng.randrange(10**6))
        problem: Any
        if rng.random() < 0.5:
            key, kinds = "paths", list(test_proof_paths.KINDS)
            problem = test_proof_paths.Problem(seeded, rng.choice(kinds))
        else:
            key, kinds = "constraints", list(test_proof_limits.KINDS)
            problem = test_proof_limits.Problem(seeded, rng.choice(kinds))
        lines = problem.proved(tmp_path)
        for _ in range(8 if lines else 0):
            changed = copy.deepcopy(lines)
            if key == "constraints" and rng.random() < 0.5:
                changed[0][key]["listed"] = True
            mutate(changed[0][key], rng)
            changes += 1
            said = [problem.verdict(changed, checker) for checker in CHECKERS]
            alike = {(one.accepted, one.accepted and one.optimal) for one in said}
            assert len(alike) == 1, (changed[0][key], [str(one) for one in said])
            accepted += said[0].accepted
    assert 0 < accepted < changes // 2

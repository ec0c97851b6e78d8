"""Changed proofs for all checkers, which must agree on what they accept."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import math
import random
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from small_costs import tiny_costs, tiny_ratio
from small_proofs import Small, random_columns
from tampering import tiny

from treeproof.proof.checker import Verdict, check
from treeproof.proof.exact import Refuted, check_exactly
from treeproof.proof.native import check_natively

ODD = [None, True, -1, 0, 1, 2.0, 1.5, 1e300, 2**61, "", "x", [], [1], {}, 1e-300, -0.0,
       "\ud800"]  # fmt: skip
DOUBLED = {"bound": '"bound": 0, ', "n_rows": '"n_rows": 4, ', "depth": '"depth": 1, '}


def regression(rng: random.Random) -> Small:
    """Return a tiny regression whose numbers need few digits, or many."""
    n = rng.randint(3, 6)
    offset = rng.choice([0.0, 0.0, 1e4])
    return Small(
        random_columns(rng, n, 2),
        [offset + rng.choice([0, 1, 1, 3, 7]) for _ in range(n)],
        weights=[rng.choice([1.0, 0.5, 3.0, 1e-3]) for _ in range(n)],
        loss=rng.choice(["squared_error", "absolute_error"]),
        split_penalty=rng.choice([0.0, 0.05, 0.2]),
        max_depth=rng.choice([1, 2]),
        max_splits=rng.choice([None, 1, 2]),
        min_samples_leaf=rng.choice([1, 1, 2]),
        missing=rng.choice(["best-side", "branch"]),
    )


def small_proof(rng: random.Random) -> tuple[Small, list[str]]:
    """A tiny problem with the lines of a proof, a few dozen at most."""
    most = rng.choice([12, 12, 40])
    while True:
        small = rng.choice([tiny, tiny, regression, tiny_costs, tiny_ratio])(rng)
        lines = small.full_proof()
        if small.tests and len(lines) < most:
            return small, [json.dumps(line) for line in lines]


def mutate(lines: list[str], rng: random.Random) -> bytes:
    """Change one value somewhere, or the text itself."""
    at = rng.choice([0, 0, len(lines) - 1, rng.randrange(len(lines))])
    line = json.loads(lines[at])
    places = list(_places(line))
    nodes = [v for h, k in places if isinstance(v := h[k], dict) and "test" in v]
    holder, key = rng.choice(places)
    value = holder[key]
    kind = rng.randrange(6)
    if kind == 0:
        holder[key] = copy.deepcopy(rng.choice(ODD))
    elif kind == 1 and isinstance(holder, dict):
        del holder[key]
    elif kind == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        steps = [1, -1, 2, value, -value, 2**20, 5e-10 * value, 1e-7 * value]
        change = rng.choice(steps)
        holder[key] = value + (change if isinstance(value, float) else int(change))
    else:
        other, place = rng.choice(places)
        holder[key] = copy.deepcopy(other[place])
    if rng.random() < 0.05:
        for node in nodes[:1]:
            node["predict"] = 0
    changed = json.dumps(line)
    if rng.random() < 0.05:
        name = rng.choice(list(DOUBLED))
        changed = changed.replace(f'"{name}":', f'{DOUBLED[name]}"{name}":', 1)
    text = [*lines[:at], changed, *lines[at + 1 :]]
    return "".join(each + "\n" for each in text).encode()


def _places(value: Any) -> Any:
    """Return every place in a value from which something can be removed."""
    if isinstance(value, (dict, list)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield value, key
            yield from _places(value[key])


def verdicts(
    small: Small,
    text: bytes,
    folder: Path,
    program: Path | None,
    always: bool = False,
) -> dict[str, tuple[bool, str]]:
    """Return the verdict of each checker about a proof.

    The checker in C++ is asked as a module, and as a program if that is given. The slow
    one is asked if another accepts the proof, or always.
    """
    columns = {f"x{f}": cells for f, (_, _, cells) in enumerate(small.columns)}
    arrays = {name: np.array(cells, dtype=object) for name, cells in columns.items()}
    ours = check(io.BytesIO(text), arrays, **small.given)
    module = check_natively(io.BytesIO(text), arrays, **small.given)
    said = {"Python": (ours.accepted, str(ours)), "module": same(ours, module)}
    if program is not None:
        rows = small.csv()
        table = folder / f"{hashlib.sha256(rows.encode()).hexdigest()[:16]}.csv"
        if (
            not table.exists()
        ):  # all mutants of a proof are checked against one file of rows
            table.write_text(rows)
        done = subprocess.run(
            [program, "-", table, *small.options],
            input=text, capture_output=True, timeout=60,
        )  # fmt: skip
        assert done.returncode in (0, 1, 2) and not done.stderr, done
        words = done.stdout.decode(errors="replace")
        said["C++"] = (done.returncode == 0, words)
    if not always and not any(accepted for accepted, _ in said.values()):
        return said
    try:
        given = small.given
        check_exactly(
            text.splitlines(), columns, given["y"], given["sample_weight"],
            given["costs"],
        )  # fmt: skip
        said["exact"] = (True, "accepted")
    except Refuted as error:
        said["exact"] = (False, str(error))
    return said


def same(ours: Verdict, module: Verdict) -> tuple[bool, str]:
    """Check that two checkers that accept a proof state the same of it."""
    if ours.accepted and module.accepted:
        one, other = (
            replace(verdict, objective=0.0, lower_bound=0.0)
            for verdict in (ours, module)
        )
        assert one == other, (ours, module)
        for key in ("objective", "lower_bound"):
            found = getattr(ours, key), getattr(module, key)
            assert math.isclose(*found, rel_tol=1e-9, abs_tol=1e-12), found
    return module.accepted, str(module)


def compare(said: dict[str, tuple[bool, str]]) -> bool:
    """Check that the fast checkers agree, and that the exact one accepts as much."""
    fast = {accepted for name, (accepted, _) in said.items() if name != "exact"}
    assert len(fast) == 1, said
    accepted = fast.pop()
    assert not accepted or said["exact"][0], said
    return accepted

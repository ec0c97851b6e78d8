"""Changed input files of all kinds lead only to the documented results."""

from __future__ import annotations

import io
import json
import random

import pytest
from effort import rounds
from fuzz_bytes import ENTRIES, LABELS, TABLE, mutants, run

from treeproof import from_json
from treeproof.proof.checker import check


@pytest.mark.parametrize(
    ("entry", "count"), [("proof", 700), ("model", 2000), ("csv", 150)]
)
def test_changed_files(entry, count):
    assert run(entry, seconds=None, count=rounds(count, 20 * count), seed=7) >= count


@pytest.mark.parametrize("entry", list(ENTRIES))
def test_changes_differ_and_some_are_harmless(entry, tmp_path):
    made = mutants(ENTRIES[entry](tmp_path), random.Random(3))
    several = {next(made) for _ in range(300)}
    assert len(several) > 150


@pytest.mark.parametrize(
    ("key", "value"),
    [("split_penalty", 10**400), ("split_penalty", -(10**400)), ("root", 1 << 80),
     ("class_weight", [10**400, 1.0]), ("n_rows", 10**400), ("upper", 1e300)],
)  # fmt: skip
def test_numbers_beyond_doubles_in_a_proof(key, value, tmp_path):
    lines = ENTRIES["proof"](tmp_path).seeds()[1].split(b"\n")
    lines[0] = json.dumps(json.loads(lines[0]) | {key: value}).encode()
    verdict = check(io.BytesIO(b"\n".join(lines)), TABLE, LABELS)
    assert not verdict.accepted and verdict.reason.endswith(".")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"weight": 6.0', b'"weight": 0.0', "what its weight is"),
        (b'"weight": 6.0', b'"weight": 1e999', "1e999 is out of range"),
        (b'"value": [3.0, 3.0]', b'"value": [1e308, 1e308]', "finite numbers"),
    ],
)
def test_numbers_that_no_model_has(old, new, words, tmp_path):
    text = ENTRIES["model"](tmp_path).seeds()[0]
    assert old in text
    with pytest.raises(ValueError, match=words):
        from_json(text.replace(old, new))

"""Files from others: proofs that unpack to much, false checkpoints, file names."""

from __future__ import annotations

import gzip
import struct
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import pytest
from test_checkpoint import long_problem

from treeproof import OptimalTreeClassifier, from_json
from treeproof.proof.checker import check

# -- proofs


def test_a_small_file_may_not_unpack_to_very_much(tmp_path):
    X, y = [[0], [1]], ["a", "b"]
    path = tmp_path / "p.gz"
    OptimalTreeClassifier(split_penalty=0.0).fit(X, y, proof=path)
    lines = gzip.decompress(path.read_bytes())
    step = b'{"branch": [], "bound": 0}\n'
    path.write_bytes(gzip.compress(lines + step * (1 << 20)))
    verdict = check(path, X, y)
    assert not verdict.accepted and "unpacks to more" in verdict.reason
    few = lines + step * 100
    path.write_bytes(gzip.compress(few))
    assert check(path, X, y).accepted
    assert not check(path, X, y, max_bytes=len(few) - 1).accepted


@pytest.mark.parametrize("packed", [True, False])
def test_a_line_may_not_be_very_long(tmp_path, program, packed):
    text = b'{"format": "' + b"x" * (1 << 24) + b'"}\n'
    path = tmp_path / "p"
    path.write_bytes(gzip.compress(text) if packed else text)
    assert "longer than" in check(path, [[0]], [0]).reason
    table = tmp_path / "t.csv"
    table.write_text("x,y\n0,0\n")
    done = subprocess.run([program, "-", table, "--target", "y"], input=text,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 2 and b"too long" in done.stdout


# -- checkpoints: the format of cpp/search/sparse/checkpoint.cpp

MASK = (1 << 64) - 1
HEADER, RECORD = 32, struct.Struct("<QQqqiI")


def split_mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def checksum(content: bytes) -> bytes:
    low = high = 0
    for (word,) in struct.iter_unpack("<Q", content):
        n = low ^ word
        first, second = split_mix((2 * n + 1) & MASK), split_mix(~(2 * n) & MASK)
        carry = (low + first) >> 64
        low, high = (low + first) & MASK, (high + second + carry) & MASK
        high ^= (low << 23 | low >> 41) & MASK
    return struct.pack("<QQ", low, high)


def forge(path: Path, change) -> None:
    """Change every record of a checkpoint, and make its checksum right again."""
    content = path.read_bytes()
    assert checksum(content[:-16]) == content[-16:]
    records = [change(*r) for r in RECORD.iter_unpack(content[HEADER:-16])]
    body = content[:HEADER] + b"".join(RECORD.pack(*r) for r in records)
    path.write_bytes(body + checksum(body))


@pytest.fixture
def stopped(tmp_path):
    """A checkpoint of a fit that was stopped early."""
    X, y, parameters = long_problem()
    path = tmp_path / "fit.checkpoint"
    with pytest.warns(match="time limit"):
        OptimalTreeClassifier(**(parameters | {"time_limit": 0.02})).fit(
            X, y, checkpoint=path, proof=tmp_path / "stopped"
        )
    return path, X, y, parameters


@pytest.mark.parametrize("test", [10**6, -2, 2**31 - 1])
def test_a_test_that_does_not_exist(stopped, test):
    path, X, y, parameters = stopped
    forge(path, lambda a, b, low, up, _, effort: (a, b, low, up, test, effort))
    with pytest.raises(ValueError, match="names a test or a bound that cannot be"):
        OptimalTreeClassifier(**parameters).fit(X, y, checkpoint=path)


@pytest.mark.parametrize("bounds", [(-1, 5), (0, -5), (2**62, 2**62 + 1)])
def test_bounds_that_cannot_be(stopped, bounds):
    path, X, y, parameters = stopped
    forge(path, lambda a, b, low, up, test, effort: (a, b, *bounds, test, effort))
    with pytest.raises(ValueError, match="names a test or a bound that cannot be"):
        OptimalTreeClassifier(**parameters).fit(X, y, checkpoint=path)


@pytest.mark.parametrize("lie", ["bounds are too high", "costs are too low"])
def test_a_fit_with_a_proof_believes_no_checkpoint(stopped, tmp_path, lie):
    """A false checkpoint can mislead a fit, but not a fit that writes a proof."""
    path, X, y, parameters = stopped
    if lie == "bounds are too high":
        forge(path, lambda a, b, low, up, test, effort: (a, b, up, up, test, effort))
    else:
        forge(path, lambda a, b, low, up, test, effort: (a, b, 0, 0, -1, effort))
    model, proof = OptimalTreeClassifier(**parameters), tmp_path / "proof"
    model.fit(X, y, checkpoint=path, proof=proof)
    best = OptimalTreeClassifier(**parameters).fit(X, y)
    assert model.optimal_ and model.objective_ == best.objective_
    assert check(proof, X, y).optimal


def test_keys_differ_between_processes_unless_asked_for(tmp_path):
    code = "from treeproof.solving.crossing import KEY_SEED; print(KEY_SEED)"
    from os import environ
    from sys import executable

    def seed(**more):
        done = subprocess.run([executable, "-c", code], env={**environ, **more},
                              capture_output=True, check=True)  # fmt: skip
        return int(done.stdout)

    assert seed() != seed()
    assert seed(TREEPROOF_KEY_SEED="7") == 7


# -- names

ATTACKS = [
    "\x00b",
    "\x01b",
    "\ud800",
    "￾",
    "<script>alert(1)</script>",
    '"><img src=x>',
]


@pytest.mark.parametrize("name", ATTACKS)
def test_pictures_are_xml_whatever_the_names_are(name):
    cells = np.array([f"u{name}", "v", f"u{name}", "v"], dtype=object)
    X = {f"c{name}": cells}
    model = OptimalTreeClassifier(split_penalty=0.0).fit(X, [f"p{name}", "q"] * 2)
    root = xml.fromstring(model.to_svg())
    assert not [e for e in root.iter() if e.tag.endswith(("script", "img"))]
    assert "<script" not in model._repr_html_()


@pytest.mark.parametrize("name", ["\ud800", "\udfff", "x\udc00\ud800", "\U0001f333"])
def test_models_keep_halves_of_surrogate_pairs(name):
    cells = np.array([f"u{name}", "v", f"u{name}", "v"], dtype=object)
    X, y = {f"c{name}": cells}, [f"p{name}", "q"] * 2
    model = OptimalTreeClassifier(split_penalty=0.0).fit(X, y)
    again = from_json(model.to_json().encode())
    assert again.predict(X).tolist() == y


def test_text_that_json_would_change_is_refused():
    y = ["\ud800\udfff", "q"]  # two characters; JSON would make them one
    model = OptimalTreeClassifier(split_penalty=0.0).fit([[0], [1]], y)
    with pytest.raises(ValueError, match="two halves of a surrogate pair"):
        model.to_json()


def test_labels_that_arrays_cannot_keep_are_refused():
    """Two labels that differ in a NUL at the end would be one in `classes_`."""
    y = np.array(["p", "p\0"], dtype=object)
    with pytest.raises(ValueError, match="ends with the character NUL"):
        OptimalTreeClassifier().fit([[0], [1]], y)

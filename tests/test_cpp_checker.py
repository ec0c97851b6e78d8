"""The checker in C++: what it accepts and refuses, and that nothing crashes it."""

from __future__ import annotations

import copy
import json
import random
import subprocess

import pytest
from cpp_checker import accepted, rejected, unreadable
from small_proofs import UNIT, Small, random_columns


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


def draw(rng, **fixed):
    """A random small problem, of any kind the format knows."""
    n = rng.randint(4, 9)
    columns = random_columns(rng, n, rng.randint(1, 3))
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
        "penalize": rng.choice(["leaves", "splits"]),
        "max_depth": rng.choice([None, 1, 2, 3]),
        "max_splits": rng.choice([None, None, 1, 2, 3]),
        "min_samples_leaf": rng.choice([1, 1, 2]),
        "missing": rng.choice(["best-side", "branch"]),
        "claims": rng.random() < 0.5,
    }
    target = [rng.choice(classes) for _ in range(n)]
    return Small(columns, target, **(settings | fixed))


@pytest.mark.parametrize("seed", range(90))
def test_full_proofs_are_accepted_and_nothing_better_is(run, seed):
    """All rules at once: with all true bounds cited, one unit more is refused."""
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


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("seed", range(20))
def test_full_proofs_of_regression(run, seed, loss):
    rng = random.Random(seed)
    small = draw(rng, loss=loss)
    small.target = [rng.choice([0.0, 1.0, 2.5, 10.0]) for _ in small.target]
    proof = small.full_proof()
    accepted(run(small, proof))
    if proof[-1]["bound"] > 1e-6:
        proof[-1]["bound"] *= 1.000001
        rejected(run(small, proof), f"step {len(proof) - 2}")


def test_a_proof_with_dearer_splits(run):
    """With splits at 2.5 units instead of 0.8, the tree of two splits is still best."""
    x = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    y = ["a"] * 5 + ["b"] * 6 + ["a"] * 5
    small = Small([("threshold", [], x)], y, max_splits=2)
    small.search_split_cost = int(2.5 * UNIT)
    proof = small.full_proof()
    assert proof[-1]["splits"] is None
    result = run(small, proof)
    accepted(result)
    assert "optimal" in result[1]
    dearer = copy.deepcopy(proof)
    dearer[0]["max_splits"] = 3
    rejected(run(small, dearer), "lower")
    dearer[0]["max_splits"] = None
    rejected(run(small, dearer), "splits are not limited")


# -- one rule at a time: problems in which a single rule makes the argument


def root_only(small, bound, **keys):
    step = {"branch": [], "depth": small.max_depth, "splits": small.max_splits}
    step |= {"bound": bound, "uses": []} | keys
    return [small.header(lower=bound), step]


def binary(*columns):
    return [("one-vs-rest", ["0", "1"], [str(v) for v in column]) for column in columns]


def parity(**settings):
    bits = [[i >> k & 1 for i in range(8)] for k in range(3)]
    y = [bin(i).count("1") % 2 for i in range(8)]
    return Small(binary(*bits), y, **settings)


def isolating(rows, n):
    """Return columns each of which separates one row from all others."""
    return binary(*([int(i == row) for i in range(n)] for row in rows))


def test_leaf(run):
    small = parity(max_depth=0)
    accepted(run(small, root_only(small, 4 * UNIT)))
    small.max_splits, small.max_depth = 0, None
    accepted(run(small, root_only(small, 4 * UNIT)))
    rejected(run(small, root_only(small, 4 * UNIT + 1)), "step 0", "leaf")
    small.max_splits = None
    rejected(run(small, root_only(small, 4 * UNIT)), "step 0", "test 0 (of x0)")


def test_bound_of_nothing(run):
    small = parity()
    code, verdict = run(small, root_only(small, 0))
    assert code == 0
    assert "no tree below 0," in verdict
    assert "optimal" not in verdict


def test_small_leaves(run):
    small = Small(isolating([0], 4), ["a", "b", "b", "b"], min_samples_leaf=2)
    accepted(run(small, root_only(small, UNIT)))
    small.min_samples_leaf = 1
    small.memo = {}
    rejected(run(small, root_only(small, UNIT)), "test 0")


def bits(*columns):
    return binary(*([int(bit) for bit in column] for column in columns))


def test_admissible(run):
    columns = bits(
        "11000010010000", "10010011110001", "00010011010001", "00010111001110"
    )
    y = list("baababbdacaaad")

    def verdict(*more):
        small = Small([*columns, *more], y, split_penalty=0.08)
        return run(small, root_only(small, small.header()["upper"]))

    accepted(verdict())
    # A multiway column, even if it splits nothing here, could give a child many leaves.
    rejected(verdict(("multiway", ["p", "q", "r"], ["p"] * 14)), "test 1")
    # Two categories are no more than a test of two outcomes.
    accepted(verdict(("multiway", ["p", "q"], ["p"] * 14)))


def test_merging(run):
    columns = bits("00111011000", "00000100100", "01111100110")
    columns.append(("multiway", ["p", "q", "r"], ["p"] * 11))
    small = Small(columns, list("abaacacccba"), split_penalty=0.12)
    accepted(run(small, root_only(small, 6 * UNIT)))
    small.min_samples_leaf = 2
    small.memo = {}
    rejected(run(small, root_only(small, 6 * UNIT)), "test 1")


@pytest.mark.parametrize("uses", [[], [[0, [-1], []], [2, [], [-1]]]])
def test_looking_at_children(run, uses):
    """Children are examined if necessary, whether a step asks for it or not."""
    small = parity(max_depth=2)
    accepted(run(small, root_only(small, 4 * UNIT, uses=uses)))
    rejected(run(small, root_only(small, 4 * UNIT + 1, uses=uses)), "leaf")


def test_covering(run):
    """Each child needs four leaves of one row each, hence three splits."""
    small = parity()
    accepted(run(small, root_only(small, 7 * small.split_cost())))
    rejected(run(small, root_only(small, 7 * small.split_cost() + 1)), "test 0")
    free = parity(split_penalty=0.0)
    accepted(run(free, root_only(free, 0)))
    rejected(run(free, root_only(free, 1)), "test 0")


SIMILAR = {  # columns of bits, and labels
    "same rows": ["00100100101000", "00011100010001", "11110010110000"],
    "similar rows": ["01100011101101", "00101101111001", "00011001011100"],
}


@pytest.mark.parametrize(
    ("settings", "shared"),
    [
        ({}, ["same rows", "similar rows"]),
        ({"max_depth": 3}, ["same rows", "similar rows"]),
        ({"max_splits": 4}, ["same rows", "similar rows"]),
        ({"min_samples_leaf": 2}, ["same rows"]),
    ],
)
@pytest.mark.parametrize("kind", ["same rows", "similar rows"])
def test_similarity(run, kind, settings, shared):
    """The last column repeats the first but for one row, so one bounds the other."""
    a, b, c = ([int(v) for v in bits] for bits in SIMILAR[kind])
    last = list(a)
    y = "00010101010110"
    if kind == "similar rows":
        last[10] = 1 - last[10]
        y = "00110110000000"
    settings = {"split_penalty": 0.03} | settings
    small = Small(binary(a, b, c, last), [int(v) for v in y], **settings)
    proof = small.full_proof()
    accepted(run(small, proof))
    proof[-1]["uses"] = [use for use in proof[-1]["uses"] if use[0] != 3]
    if kind in shared:
        accepted(run(small, proof))
    else:
        rejected(run(small, proof), "test 3")


def test_order(run):
    """Thresholds 0.0 and 1.0 differ by one light row."""
    bits = [[i >> k & 1 for i in range(16)] for k in range(3)]
    x = [float(2 * (i >> 3)) for i in range(16)] + [1.0]
    y = [bin(i & 7).count("1") % 2 for i in range(16)] + [0]
    columns = binary(*([*column, 0] for column in bits))
    small = Small([("threshold", [], x), *columns], y, split_penalty=0.01)
    small.weights[16] = 0.0625
    proof = small.full_proof()
    accepted(run(small, proof))
    light = small.scaled[small.key(16)] * UNIT
    proof[-1]["bound"] -= light
    proof[0]["lower"] -= light
    proof[-1]["uses"] = [use for use in proof[-1]["uses"] if use[0] != 0]
    accepted(run(small, proof))
    proof[-1]["bound"] += light + 1
    rejected(run(small, proof), f"step {len(proof) - 2}", "test ")


@pytest.mark.parametrize("depth", [1, 2])
def test_many_thresholds(run, depth):
    """More thresholds than there are bit sets for: they are counted in another way."""
    rng = random.Random(depth)
    x = [i / 7 for i in range(70)]
    rng.shuffle(x)
    y = [int(3 < v < 7) ^ int(rng.random() < 0.2) for v in x]
    noise = [rng.randint(0, 1) for _ in x]
    small = Small([("threshold", [], x), *binary(noise)], y, max_depth=depth)
    small.weights = [rng.random() for _ in x]
    small.min_samples_leaf = depth
    small.split_penalty = 0.01
    bound = small.optimum(small.everything, depth, None, small.split_cost())[0]
    uses = [[t, [-1], [-1]] for t in range(len(small.tests))]
    accepted(run(small, root_only(small, bound, uses=uses)))
    rejected(run(small, root_only(small, bound + 1, uses=uses)), "step 0", "test")


def test_shared_splits(run):
    """Parity needs seven splits; with six some rows are misclassified."""
    small = parity(split_penalty=0.0, max_splits=6)
    proof = small.full_proof()
    assert proof[-1]["bound"] == UNIT
    accepted(run(small, proof))
    proof[-1]["splits"] = 7
    rejected(run(small, proof), "test 0")


# -- false proofs


@pytest.fixture(scope="module")
def honest():
    small = parity(max_depth=2, split_penalty=0.01)
    small.target = [0, 1, 1, 0, 0, 1, 1, 1]
    return small, small.full_proof()


HEADER_LIES = [
    ("n_rows", 7, "rows"),
    ("fingerprint", "0" * 64, "fingerprint"),
    ("split_penalty", 0.02, "split_cost"),
    ("split_cost", 1, "split_cost"),
    ("search_split_cost", UNIT, "not limited"),
    ("search_split_cost", 0, "below"),
    ("penalize", "nothing", "neither"),
    ("max_depth", None, "shallower"),
    ("max_depth", 3, "shallower"),
    ("max_depth", 1, "too deep"),
    ("max_splits", 1, "too many"),
    ("min_samples_leaf", 5, "fewer rows"),
    ("min_samples_leaf", 0, "below 1"),
    ("tree", {"predict": 0}, "upper"),
    ("tree", {"predict": 2}, "class"),
    ("tree", {"test": 9, "children": []}, "test of the tree"),
    ("tree", {"test": 0, "children": [[0, {"predict": 0}]]}, "lacks"),
    ("tree", {"test": 0, "children": [[0, {"predict": 0}]] * 2}, "twice"),
    ("tree", {"test": 0, "children": [[2, {"predict": 0}]]}, "outcome"),
    ("upper", 0, "upper"),
    ("lower", 10 * UNIT, "lower"),
    ("root", 10**6, "root"),
    ("root", -1, "root"),
    ("root", 0, "whole table"),
    ("class_weight", [1.0, 2.0], "fingerprint"),
    ("class_weight", [1.0], "class_weight"),
    ("classes", [1, 0], "fingerprint"),
    ("classes", [0, 2], "label"),
    ("features", [], "column"),
]


@pytest.mark.parametrize(("key", "lie", "word"), HEADER_LIES)
def test_lies_in_the_header(run, honest, key, lie, word):
    small, proof = honest
    accepted(run(small, proof))
    rejected(run(small, [proof[0] | {key: lie}, *proof[1:]]), "header", word)


def test_lies_in_the_steps(run, honest):
    small, proof = honest
    last = len(proof) - 1

    def lie(**keys):
        changed = copy.deepcopy(proof)
        changed[last] |= keys
        return run(small, changed)

    uses = proof[last]["uses"]
    where = f"step {last - 1}"
    rejected(lie(bound=proof[last]["bound"] + 1), where)
    rejected(lie(bound=2**59), where, "leaf")
    rejected(lie(uses=[[0, uses[0][2], uses[0][1]]]), where, "other rows")
    rejected(lie(uses=[[0, [last - 1], []]]), where, "not earlier")
    rejected(lie(uses=[[0, [last], []]]), where, "not earlier")
    rejected(lie(uses=[[0, [-2], []]]), where, "not earlier")
    rejected(lie(uses=[[0, []]]), where, "outcome")
    rejected(lie(uses=[[]]), where)
    rejected(lie(uses=[[3, [], []]]), where, "test")
    rejected(lie(branch=[0, 0]), where)
    rejected(lie(branch=[0]), where, "branch")
    rejected(lie(branch=[0, 2]), where, "outcome")
    rejected(lie(depth=3), where, "shallower trees")
    rejected(lie(depth=None), where, "shallower trees")
    rejected(lie(depth=1), "header", "shallower")
    rejected(lie(bound=-(2**59)), "header", "lower")


def test_other_data(run, honest):
    small, proof = honest
    lines = small.csv().splitlines()
    lines[1], lines[2] = lines[2], lines[1]
    rejected(run(small, proof, data="\n".join(lines)), "fingerprint")
    rejected(run(small, proof, data="\n".join(lines[:-1])), "rows")
    wide = "\n".join(f"{line},z" for line in small.csv().splitlines())
    rejected(run(small, proof, data=wide), 'column "z"')
    rejected(run(small, proof, data=small.csv().replace("0,0,0", "0,7,0")), '"7"')
    unreadable(run(small, proof, data=""), "data")
    unreadable(run(small, proof, data="x0,x1,y\n1,2\n"), "cells")
    unreadable(run(small, proof, data='x0,y\n"1,2\n'), "quote")
    unreadable(run(small, proof, data=small.csv().replace("1.0", "-1")), "weight")
    unreadable(run(small, proof, data=small.csv().replace("1.0", "heavy")), "heavy")
    unreadable(run(small, proof, options=("--weight", "v")), '"v"')
    unreadable(run(small, proof, options=("--weight",)), "usage")


def test_spellings_of_categories(run):
    """Numbers, truth values, text beyond ASCII, quotes and commas."""
    cells = [True, False, True, False, True, True]
    columns = [
        ("one-vs-rest", [False, True], cells),
        ("multiway", ['a,"b"', "naïve \u2713 \U0001f333", "\\n"], []),
        ("one-vs-rest", [1, 2.5, 10], [1, 2.5, 10, 10, 2.5, 1]),
        ("threshold", [], [1e-300, 0.1, 0.30000000000000004, 5e-324, 1e300, -0.0]),
    ]
    columns[1][2].extend(columns[1][1] * 2)
    small = Small(columns, ["x", "y", "y", "x", "z", "x"])
    accepted(run(small, small.full_proof()))
    other = small.csv().replace(",10,", ",10.0,").replace("True", "true")
    accepted(run(small, small.full_proof(), data=other.replace("\r\n", "\n") + "\n"))


# -- files that are no proofs


def test_missing_keys_and_wrong_types(run, honest):
    small, proof = honest
    for line in (0, len(proof) - 1):
        for key in proof[line]:
            changed = copy.deepcopy(proof)
            del changed[line][key]
            if key in ("depth", "splits", "uses", "penalize"):  # may be left out
                assert run(small, changed)[0] < 2
            elif key != "class_weight":
                unreadable(run(small, changed), f"line {line + 1}", key)
            for wrong in (None, True, 0.5, "x", [], {}, [[]], 10**40):
                if wrong == proof[line][key]:
                    continue
                changed[line][key] = wrong
                code, verdict = run(small, changed)
                assert "header" in verdict or "line" in verdict or "step" in verdict
                free = wrong is None and key in ("class_weight", "max_splits", "splits")
                free = free or (key == "uses" and wrong == [])  # nothing needs citing
                assert code != 0 or free, (key, wrong, verdict)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"branch": ' * 50_000,
        b"[]",
        b"null",
        b'{"branch": [], "branch": []}',
        b'{"branch": [01]}',
        b'{"branch": [1.]}',
        b'{"branch": [-]}',
        b'{"branch": [1e]}',
        b'{"branch": ["\\ud800"]}',
        b'{"branch": ["\\u12"]}',
        b'{"branch": ["\\q"]}',
        b'{"branch": ["\x01"]}',
        b'{"branch": [NaN]}',
        b'{"branch": []} {}',
        b"\x00\xff\xfe",
    ],
    ids=range(18),
)
def test_lines_that_are_no_json(run, honest, line):
    small, proof = honest
    text = [json.dumps(entry).encode() for entry in proof]
    unreadable(run(small, b"\n".join([text[0], line, *text[1:]])), "line 2")
    unreadable(run(small, b"\n".join([line, *text])), "line 1")


def test_no_file(run, honest, program):
    small, _ = honest
    unreadable(run(small, b""), "empty")
    unreadable(run(small, b"\x1f\x8b\x08"), "gzip")
    done = subprocess.run(
        [program, "none", "none", "--target", "y"], capture_output=True
    )
    assert done.returncode == 2
    assert b"cannot open" in done.stdout


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files(run, honest, seed):
    """Cut, overwritten or repeated bytes: a verdict comes, and never that it is optimal
    with another objective."""
    small, proof = honest
    rng = random.Random(seed)
    text = bytearray("".join(json.dumps(line) + "\n" for line in proof).encode())
    genuine = run(small, bytes(text))[1].split(",")[1]
    kind = rng.randrange(3)
    at = rng.randrange(len(text))
    if kind == 0:
        del text[at:]
    elif kind == 1:
        text[at] = rng.choice(b'0123456789-[]{}",:eE.\\ \x00\xff')
    else:
        text[at:at] = text[at : at + rng.randrange(1, 40)]
    code, verdict = run(small, bytes(text))
    if code == 0 and "optimal" in verdict:
        assert verdict.split(",")[1] == genuine

"""Changed proofs: both checkers reject false ones and name the step."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import random
import re
import subprocess
from collections import Counter

import pandas as pd
import pytest
from effort import rounds
from small_proofs import UNIT, Small
from tampering import CHANGES, Forgery, forge, lies, tiny, tree_cost

from treeproof.proof.checker import check

BLOCKS = 12


@pytest.fixture
def judge(program, tmp_path):
    """Return the verdicts of both checkers about a forgery: accepted, step, reason."""

    def verdicts(forgery):
        text = "".join(
            line if isinstance(line, str) else json.dumps(line) + "\n"
            for line in forgery.lines
        ).encode()
        small = forgery.small
        frame = pd.DataFrame(
            {f"x{f}": cells for f, (_, _, cells) in enumerate(small.columns)}
        )
        first = check(io.BytesIO(text), frame, **small.given)
        table = tmp_path / "data.csv"
        table.write_text(small.csv())
        second = subprocess.run(
            [program, "-", table, *small.options],
            input=text, capture_output=True, timeout=60,
        )  # fmt: skip
        said = second.stdout.decode().strip()
        assert second.returncode in (0, 1, 2) and not second.stderr, said
        named = re.match(r"rejected at step (\d+)", said)
        return [
            (first.accepted, first.step, str(first)),
            (second.returncode == 0, int(named[1]) if named else None, said),
        ]

    return verdicts


@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_changes(judge, block):
    """A change is rejected by both, or the oracle finds nothing false in the result."""
    rng = random.Random(block)
    seen: Counter[str] = Counter()
    while seen["changes"] < rounds(50, 400):
        small = tiny(rng)
        lines = small.full_proof()
        if len(lines) > 60 or not small.tests:
            continue
        for accepted, _, said in judge(Forgery(small, lines)):
            assert accepted, said
        for _ in range(10):
            forgery = forge(small, lines, rng)
            if forgery.lines == lines and forgery.small is small:
                continue  # the random value was the same again
            seen["changes"] += 1
            lie = lies(forgery)
            seen["lies"] += lie is not None
            for accepted, step, said in judge(forgery):
                if lie is not None:
                    assert not accepted, (forgery.what, lie, said)
                    seen["rejected lies"] += 1
                if lie is not None and "of step" in lie:
                    assert step is not None, (forgery.what, lie, said)
                seen["accepted"] += accepted
    assert seen["lies"] > 8 and seen["rejected lies"] == 2 * seen["lies"]


def test_every_kind_of_change_can_lie():
    rng = random.Random(0)
    lying = set()
    for _ in range(400):
        small = rng.choice([tiny(rng), xor(max_depth=1)])
        lines = small.full_proof()
        if len(lines) > 60 or not small.tests:
            continue
        forgery = forge(small, lines, rng)
        if lies(forgery) is not None:
            lying.add(forgery.what.split(" (")[0])
    # Without a child, a step or a citation all claims remain true, but unproved.
    assert lying >= set(CHANGES) - {
        "child",
        "citation",
        "missing step",
        "order of steps",
    }


# -- deliberate changes


def xor(**settings):
    """Four kinds of rows, some of them twice: the best tree has three splits."""
    rows = [
        (0, 0, "n"),
        (0, 1, "y"),
        (1, 0, "y"),
        (1, 1, "n"),
        (0, 0, "n"),
        (1, 0, "y"),
    ]
    columns = [
        ("one-vs-rest", ["0", "1"], [str(a) for a, _, _ in rows]),
        ("threshold", [], [float(b) for _, b, _ in rows]),
        ("one-vs-rest", ["p", "q", "r"], list("pqrpqr")),
    ]
    settings = {"split_penalty": 0.05, "max_depth": 2} | settings
    return Small(columns, [y for _, _, y in rows], **settings)


def raise_root(f, more=UNIT):
    f.steps[f.header["root"]]["bound"] += more
    f.header["lower"] += more


def worse_tree_called_optimal(f):
    """Claim a leaf as the tree, and its cost as the bound."""
    best = f.small.leaf(f.small.everything)
    f.header["tree"] = {"predict": best[1]}
    f.header["upper"] = best[0]
    raise_root(f, best[0] - f.header["lower"])


def cites_itself(f):
    raise_root(f)
    root = f.header["root"]
    for use in f.steps[root]["uses"]:
        use[1:] = [[root] for _ in use[1:]]


def cites_what_comes_later(f):
    f.lines[1:] = f.steps[::-1]
    n = len(f.steps)
    for step in f.steps:
        for use in step["uses"]:
            use[1:] = [
                [i if isinstance(i, list) else n - 1 - i for i in ids]
                for ids in use[1:]
            ]
    f.header["root"] = 0


def cites_a_shallow_step(f):
    """Cite bounds for leaves in place of bounds for trees."""
    root = f.steps[f.header["root"]]
    for use in root["uses"]:
        for outcome in range(1, len(use)):
            rows = f.small.parts(f.small.everything, use[0])[outcome - 1]
            f.lines.insert(
                len(f.lines) - 1,
                {"branch": [use[0], outcome - 1], "depth": 0, "splits": None,
                 "bound": f.small.leaf(rows)[0], "uses": []},
            )  # fmt: skip
            use[outcome] = [len(f.lines) - 3]
    f.header["root"] = len(f.lines) - 2
    root["bound"] = f.header["lower"] = f.small.leaf(f.small.everything)[0]


def cites_a_step_of_few_splits(f):
    cites_a_shallow_step(f)
    for step in f.steps:
        if step["depth"] == 0:
            step["depth"], step["splits"] = None, 0


def cites_a_step_about_other_rows(f):
    """Cite an expensive child in place of a cheap one."""
    root = f.steps[f.header["root"]]
    costs = [step["bound"] for step in f.steps[:-1]]
    dear = max(range(len(costs)), key=costs.__getitem__)
    for use in root["uses"]:
        use[1:] = [[*ids, dear] for ids in use[1:]]
    raise_root(f)


def shallow_root(f):
    f.steps[f.header["root"]]["depth"] = 1
    leaf = f.small.leaf(f.small.everything)[0]
    f.steps[f.header["root"]]["bound"] = f.header["lower"] = min(
        leaf, f.small.optimum(f.small.everything, 1, None, f.small.split_cost())[0]
    )


def root_about_half_the_rows(f):
    f.header["root"] = max(range(len(f.steps) - 1), key=lambda k: f.steps[k]["bound"])


def step_about_no_rows(f):
    """Add a step about an empty set of rows, for which anything might be claimed."""
    f.lines.insert(
        1,
        {"branch": [0, 0, 0, 1], "depth": None, "splits": None, "bound": 1, "uses": []},
    )


def tree_that_leaves_rows_out(f):
    tree = f.header["tree"]
    dropped = tree["children"].pop()
    assert dropped
    f.header["upper"] -= f.small.split_cost()
    f.header["lower"] = min(f.header["lower"], f.header["upper"])


def tree_that_counts_rows_once_for_two(f):
    tree = f.header["tree"]
    tree["children"][1] = tree["children"][0]


def tree_with_a_test_that_splits_nothing(f):
    inner = copy.deepcopy(f.header["tree"])
    f.header["tree"] = {
        "test": inner["test"],
        "children": [[0, inner], *inner["children"][1:]],
    }


def cheaper_splits_in_the_header_only(f):
    f.header["split_penalty"] = 0.0
    f.header["split_cost"] = 0
    f.header["upper"] = f.header["lower"] = 0


def dearer_splits_in_the_steps(f):
    """Steps with expensive splits prove too much; no limit on splits corrects it."""
    dear = dataclasses.replace(f.small, search_split_cost=2 * UNIT)
    proof = dear.full_proof()
    f.lines[1:] = proof[1:]
    f.header["search_split_cost"] = 2 * UNIT
    f.header["root"] = proof[0]["root"]
    f.header["lower"] = proof[-1]["bound"]


def dearer_splits_not_paid_back(f):
    dearer_splits_in_the_steps(f)
    f.header["max_splits"] = 3


def column_left_out(f):
    """Use the proof of a table with fewer columns for the whole table."""
    narrow = dataclasses.replace(f.small, columns=f.small.columns[1:])
    f.lines[:] = narrow.full_proof()
    for number, feature in enumerate(f.header["features"]):
        feature["name"] = f"x{number + 1}"


def category_left_out(f):
    f.header["features"][2]["values"] = ["p", "q"]


def other_kind_of_split(f):
    f.header["features"][2]["split"] = "multiway"


def class_of_no_weight(f):
    f.header["class_weight"] = [0.0, 1.0]


def small_leaves_forbidden(f):
    """Forbid the leaves of the tree, which would make the bound easy."""
    f.header["min_samples_leaf"] = 2


def two_bounds_in_one_step(f):
    """State two bounds in one step: a reader that takes the first sees the true one."""
    root = f.steps[f.header["root"]]
    text = json.dumps(root)
    true, false = f'"bound": {root["bound"]}', f'"bound": {root["bound"] + UNIT}'
    f.header["lower"] += UNIT
    f.lines[f.header["root"] + 1] = text.replace(true, f"{true}, {false}") + "\n"


def bound_beyond_64_bits(f):
    f.steps[f.header["root"]]["bound"] += 1 << 64
    f.header["lower"] += 1


def bound_that_overflows_sums(f):
    for step in f.steps[:-1]:
        step["bound"] = (1 << 62) // 2


def false_step_that_nobody_needs(f):
    f.lines.append(copy.deepcopy(f.steps[-1]))
    f.steps[-1]["bound"] += 1


def no_steps_at_all(f):
    del f.lines[1:]
    f.header["root"] = 0


CLEVER = [
    worse_tree_called_optimal, cites_itself, cites_what_comes_later,
    cites_a_shallow_step, cites_a_step_of_few_splits, cites_a_step_about_other_rows,
    shallow_root, root_about_half_the_rows, step_about_no_rows,
    tree_that_leaves_rows_out, tree_that_counts_rows_once_for_two,
    tree_with_a_test_that_splits_nothing, cheaper_splits_in_the_header_only,
    dearer_splits_in_the_steps, dearer_splits_not_paid_back, column_left_out,
    category_left_out, other_kind_of_split, class_of_no_weight, small_leaves_forbidden,
    two_bounds_in_one_step, bound_beyond_64_bits, bound_that_overflows_sums,
    false_step_that_nobody_needs, no_steps_at_all,
]  # fmt: skip


@pytest.mark.parametrize("claims", [False, True])
@pytest.mark.parametrize("clever", CLEVER, ids=lambda change: change.__name__)
def test_clever_changes(judge, clever, claims):
    small = xor(claims=claims)
    lines = small.full_proof()
    for accepted, _, said in judge(Forgery(small, lines)):
        assert accepted and "optimal" in said, said
    forgery = Forgery(small, copy.deepcopy(lines))
    clever(forgery)
    for accepted, _, said in judge(forgery):
        assert not accepted, said


@pytest.mark.parametrize("more", [1, UNIT, 1 << 62])
def test_claims_without_a_line_of_their_own(judge, more):
    small = xor(claims=True)
    forgery = Forgery(small, small.full_proof())
    step = next(step for step in forgery.steps if step["uses"])
    step["uses"][0][1][0][0] += more
    for accepted, named, said in judge(forgery):
        assert not accepted, said
        assert more == 1 << 62 or named == forgery.steps.index(step), said


def test_the_oracle_believes_genuine_proofs():
    rng = random.Random(5)
    for _ in range(40):
        small = tiny(rng)
        lines = small.full_proof()
        assert lies(Forgery(small, lines)) is None
        assert tree_cost(small, lines[0]["tree"]) == lines[0]["upper"]

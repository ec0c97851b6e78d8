"""Both checkers agree about the proofs of the library, changed or not."""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess

import pytest


def mixed_table(rng, n):
    """A table with a column of every kind, and labels that depend on some of them."""
    table = {
        "flag": [rng.random() < 0.4 for _ in range(n)],
        "colour": [rng.choice(["red", "green", "blue"]) for _ in range(n)],
        "count": [rng.randint(0, 4) for _ in range(n)],
        "size": [round(rng.gauss(0, 1), 0) / 4 for _ in range(n)],
    }
    columns = zip(*table.values(), strict=True)
    score = [f + (c == "red") + (k > 2) + (s > 0.3) for f, c, k, s in columns]
    labels = [
        ("low" if v < 2 else "high") if rng.random() < 0.9 else "odd" for v in score
    ]
    return table, labels


@pytest.mark.parametrize("seed", range(12))
def test_proofs_of_the_library(program, tmp_path, seed):
    pandas = pytest.importorskip("pandas")
    from treeproof import OptimalTreeClassifier
    from treeproof.proof.checker import check

    rng = random.Random(seed)
    table, labels = mixed_table(rng, 40)
    X = pandas.DataFrame(table).astype({"colour": "category"})
    weights = [1.0] * 40 if seed % 3 else [rng.choice([0.0, 0.5, 1.3]) for _ in labels]
    path, data = tmp_path / "tree.proof.gz", tmp_path / "data.csv"
    OptimalTreeClassifier(
        split_penalty=rng.choice([0.02, 0.04]),
        penalize=rng.choice(["leaves", "splits"]),
        max_depth=rng.choice([None, 2, 3]),
        max_splits=rng.choice([None, None, 3]),
        min_samples_leaf=rng.choice([1, 1, 4]),
        categorical_split=rng.choice(["multiway", "one-vs-rest"]),
        class_weight=rng.choice([None, "balanced"]),
    ).fit(X, labels, sample_weight=weights, proof=path)
    X.assign(label=labels, weight=weights).to_csv(data, index=False)

    def verdicts(lines):
        text = b"".join(lines)
        command = [program, "-", data, "--target", "label", "--weight", "weight"]
        ours = subprocess.run(command, input=text, capture_output=True)
        theirs = check(io.BytesIO(text), X, labels, weights)
        return ours.returncode == 0, theirs.accepted, ours.stdout.decode(), str(theirs)

    with gzip.open(path) as file:
        proof = file.readlines()
    first, second, *texts = verdicts(proof)
    assert first and second, texts
    assert all("optimal" in text for text in texts)
    for _ in range(6):
        changed = list(proof)
        at = rng.choice([len(proof) - 1, rng.randrange(1, len(proof))])
        step = json.loads(proof[at])
        change = rng.randrange(4)
        if change == 0:
            step["bound"] += rng.choice([-1, 1, 2**20])
        elif change == 1 and "uses" in step:
            del step["uses"][rng.randrange(len(step["uses"]))]
        elif change == 2 and step["branch"]:
            step["branch"][-1] ^= 1
        else:
            step["depth"] = rng.choice([None, 1, 2, 3])
        changed[at] = json.dumps(step).encode() + b"\n"
        first, second, *texts = verdicts(changed)
        assert first == second, (at, step, texts)

"""Random tables, and prediction by following a tree test by test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from treeproof.tree import EQUALS, LEAF, MULTIWAY, THRESHOLD, Tree


def random_table(seed: int, n_rows: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with numbers, text, booleans and coded categories, and noisy labels."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": random.choice([0.1, 0.25, 1.5, 2.0, 3.75], n_rows),
            "count": random.integers(-2, 4, n_rows),
            "colour": random.choice(["red", "green", "blue", "white"], n_rows),
            "shape": random.choice(["round", "square"], n_rows),
            "new": random.random(n_rows) < 0.5,
            "code": pd.Categorical(random.choice([10, 20, 40], n_rows)),
        }
    )
    signal = (X["size"] > 1) ^ (X["colour"].isin(["red", "blue"])) ^ (X["code"] == 20)
    y = np.where(random.random(n_rows) < 0.8, signal, random.random(n_rows) < 0.5)
    labels = np.array(["no", "yes", "maybe"])
    return X, labels[y.astype(int) + (random.random(n_rows) < 0.1)]


def unseen_rows(seed: int, n_rows: int = 60) -> pd.DataFrame:
    """Rows with values that `random_table` never has."""
    random = np.random.default_rng(seed)
    X, _ = random_table(seed + 1000, n_rows)
    X["size"] = random.normal(1, 2, n_rows)
    X["colour"] = random.choice(["red", "blue", "violet", "pink"], n_rows)
    X["code"] = pd.Categorical(random.choice([5, 10, 20, 30, 40, 99], n_rows))
    return X


def walk(tree: Tree, row: dict[str, Any]) -> int:
    """Return the leaf of one row, by testing its values along the path."""
    node = 0
    while tree.kind[node] != LEAF:
        column = tree.columns[tree.feature[node]]
        value = row[column.name]
        slots = tree.slots(node)
        by_outcome = dict(
            zip(tree.child_outcome[slots], tree.children[slots], strict=True)
        )
        if tree.kind[node] == THRESHOLD:
            outcome = 0 if float(value) <= tree.threshold[node] else 1
        else:
            places = {c: k for k, c in enumerate(column.categories.tolist())}
            outcome = places.get(value, -1)
            if tree.kind[node] == EQUALS:
                outcome = 0 if outcome == tree.category[node] else 1
            else:
                assert tree.kind[node] == MULTIWAY
        if outcome not in by_outcome:
            return node
        node = int(by_outcome[outcome])
    return node

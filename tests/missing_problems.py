"""Small tables with missing values in columns of every kind, and their fits."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from small_proofs import Small, random_columns

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor


def random_problem(rng: random.Random, **settings: Any) -> Small:
    """Return a small table with gaps whose categorical columns are all split alike."""
    n = rng.randint(5, 9)
    split = rng.choice(["one-vs-rest", "multiway", "either", "subset"])
    columns = [
        (split if kind not in ("threshold", "order") else kind, values, cells)
        for kind, values, cells in random_columns(rng, n, rng.randint(1, 3))
    ]
    for kind, values, cells in columns:  # a table lists the categories that occur
        if kind not in ("threshold", "order"):
            values[:] = sorted({c for c in cells if c is not None})
    return Small(
        columns,
        [rng.choice(["no", "yes", "maybe"]) for _ in range(n)],
        split_penalty=rng.choice([0.0, 0.03, 0.11]),
        penalize=rng.choice(["leaves", "splits"]),
        max_depth=rng.choice([1, 2, 3]),
        max_splits=rng.choice([None, None, 2]),
        min_samples_leaf=rng.choice([1, 1, 2]),
        missing=rng.choice(["best-side", "branch"]),
        **settings,
    )


def as_frame(small: Small) -> pd.DataFrame:
    """Return the columns of a problem as a user would give them."""
    columns = {}
    for f, (split, values, cells) in enumerate(small.columns):
        dtype = pd.CategoricalDtype(values, ordered=split == "order")
        kind = float if split == "threshold" else dtype
        columns[f"x{f}"] = pd.Series(cells, dtype=kind)
    return pd.DataFrame(columns)


def fit(small: Small, path: Path, **more: Any) -> Any:
    """Fit the problem of a table, and write its proof."""
    splits = [split for split, _, _ in small.columns]
    unordered = [s for s in splits if s not in ("threshold", "order")]
    settings = {
        "split_penalty": small.split_penalty,
        "penalize": small.penalize,
        "max_depth": small.max_depth,
        "max_splits": small.max_splits,
        "min_samples_leaf": small.min_samples_leaf,
        "missing": small.missing,
        "categorical_split": unordered[0] if unordered else "multiway",
    }
    kind = OptimalTreeClassifier if small.classification else OptimalTreeRegressor
    if not small.classification:
        settings["criterion"] = small.loss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(**settings, **more).fit(
            as_frame(small), small.target, small.weights, proof=path
        )

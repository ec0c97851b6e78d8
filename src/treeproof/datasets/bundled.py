"""The data sets one can try without a file: made by code, or scikit-learn's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["BUNDLED", "load_bundled"]

Columns = dict[str, Any]


def _ours(load: Callable[..., Any], *arguments: Any, **options: Any) -> Columns:
    found = load(*arguments, **options)
    columns = {
        name: np.asarray(found.data)[:, j] for j, name in enumerate(found.feature_names)
    }
    return {**columns, "class": np.asarray(found.target)}


def _sklearn(name: str, target: str) -> Columns:
    from sklearn import datasets

    found = getattr(datasets, f"load_{name}")()
    values: Any = found.target
    if hasattr(found, "target_names"):
        values = np.array(found.target_names, dtype=object)[found.target]
    columns = {n: found.data[:, j] for j, n in enumerate(found.feature_names)}
    return {**columns, target: values}


def _monks() -> Columns:
    from treeproof.datasets import load_monks

    return _ours(load_monks, 1)


def _tic_tac_toe() -> Columns:
    from treeproof.datasets import load_tic_tac_toe

    return _ours(load_tic_tac_toe)


def _balance() -> Columns:
    from treeproof.datasets import load_balance_scale

    return _ours(load_balance_scale)


def _noisy() -> Columns:
    from treeproof.datasets import make_planted_tree

    return _ours(
        make_planted_tree, 1000, n_features=60, n_splits=8, label_noise=0.2,
        random_state=0,
    )  # fmt: skip


BUNDLED: dict[str, tuple[str, str, Callable[[], Columns]]] = {
    "monks": ("MONK's problem 1: robots of a club (432 rows)", "class", _monks),
    "tic-tac-toe": ("Tic-tac-toe: has x won? (958 rows)", "class", _tic_tac_toe),
    "balance": ("Balance scale: which side is heavier? (625 rows)", "class", _balance),
    "noisy": ("A planted tree with 20% noise: hard (1,000 rows)", "class", _noisy),
    "iris": ("Iris: three kinds of flowers (150 rows)", "species",
             lambda: _sklearn("iris", "species")),
    "wine": ("Wine: three cultivars (178 rows)", "cultivar",
             lambda: _sklearn("wine", "cultivar")),
    "breast-cancer": ("Breast cancer: benign or malignant? (569 rows)", "diagnosis",
                      lambda: _sklearn("breast_cancer", "diagnosis")),
    "diabetes": ("Diabetes: progression as a number (442 rows)", "progression",
                 lambda: _sklearn("diabetes", "progression")),
}  # fmt: skip
"""Name of each set: what it is, its target, and the function that makes it."""


def load_bundled(name: str) -> tuple[Columns, str]:
    """Return the columns of a bundled set and the name of its target.

    Examples
    --------
    >>> columns, target = load_bundled("iris")
    >>> list(columns)[0], target, len(columns[target])
    ('sepal length (cm)', 'species', 150)
    """
    if name not in BUNDLED:
        raise ValueError(
            f"There is no bundled set {name!r}; the sets are {', '.join(BUNDLED)}."
        )
    _, target, make = BUNDLED[name]
    return make(), target

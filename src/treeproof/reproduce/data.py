"""The papers' data sets: from a folder, made by code, or from scikit-learn.

The folder (``--data``, or ``$TREEPROOF_DATA``) holds gzipped CSV files with a header
and the target in a column ``y``: ``table42/`` the categorical sets of the thesis,
``continuous/`` and ``regression/`` those of Quant-BnB. What is not there is derived
from the ordinal encoding or made by `treeproof.datasets` where that is possible;
otherwise `Absent` says so.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Absent", "DataSet", "data_folder", "load_categories", "load_numbers"]


class Absent(Exception):
    """A data set is not available; the message says why."""


@dataclass(frozen=True)
class DataSet:
    """Features, target, and whether all features are categorical."""

    X: NDArray[Any]
    y: NDArray[Any]
    categorical: bool = False

    @property
    def categorical_features(self) -> list[int] | None:
        """Return what the estimators' parameter of this name wants."""
        return list(range(self.X.shape[1])) if self.categorical else None


def data_folder(asked: Path | None = None) -> Path | None:
    """Return the folder with the papers' data sets, if there is one."""
    if asked is not None:
        if not asked.is_dir():
            raise ValueError(f"There is no folder {str(asked)!r}.")
        return asked
    named = os.environ.get("TREEPROOF_DATA")
    return Path(named) if named and Path(named).is_dir() else None


_FILE_NAMES = {"tic-tac-toe": "tictactoe", "car-eval": "careval", "kr-vs-kp": "krvskp"}


def load_categories(name: str, folder: Path | None) -> DataSet:
    """Return a categorical set by its name in the thesis.

    Parameters
    ----------
    name : str
        "monk1", say, for one column for each category; "monk1-f" and "monk1-l" without
        the first and the last category of each feature; "monk1-o" for the features as
        they are.
    folder : Path or None
        The folder with the papers' data sets.

    Examples
    --------
    >>> load_categories("balance-o", None).X.shape
    (625, 4)
    >>> load_categories("balance-f", None).X.shape
    (625, 16)
    """
    base, suffix = name, ""
    if name[-2:] in ("-o", "-f", "-l"):
        base, suffix = name[:-2], name[-2:]
    stem = _FILE_NAMES.get(base, base)
    if folder is not None:
        path = folder / "table42" / f"{stem}{suffix}.csv.gz"
        if path.exists():
            X, y = _read(path)
            return DataSet(X.astype(np.int64), y, suffix == "-o")
    ordinal = _ordinal(base, stem, folder)
    if suffix == "-o":
        return ordinal
    return DataSet(_one_hot(ordinal.X, suffix), ordinal.y)


def _ordinal(base: str, stem: str, folder: Path | None) -> DataSet:
    """Return the features with one column each, from a file or made by code."""
    from treeproof import datasets

    makers: dict[str, Callable[..., Any]] = {
        "tic-tac-toe": datasets.load_tic_tac_toe,
        "balance": datasets.load_balance_scale,
    }
    if (
        folder is not None
        and (path := folder / "table42" / f"{stem}-o.csv.gz").exists()
    ):
        X, y = _read(path)
        return DataSet(X.astype(np.int64), y, True)
    if base in makers:
        X, y = makers[base](return_X_y=True)
        codes = [np.unique(column, return_inverse=True)[1] for column in X.T]
        return DataSet(np.column_stack(codes), np.asarray(y), True)
    raise _absent(f"table42/{stem}-o.csv.gz", folder)


def _one_hot(X: NDArray[Any], suffix: str) -> NDArray[np.int64]:
    columns = []
    for column in X.T:
        values = np.unique(column)
        kept = {"": values, "-f": values[1:], "-l": values[:-1]}[suffix]
        columns += [(column == value).astype(np.int64) for value in kept]
    return np.column_stack(columns)


_SKLEARN = {
    "iris": "load_iris",
    "wine": "load_wine",
    "breast-cancer": "load_breast_cancer",
    "diabetes": "load_diabetes",
}


def load_numbers(name: str, folder: Path | None) -> DataSet:
    """Return a set with numeric features; targets of regression sets are floats.

    Parameters
    ----------
    name : str
        A name in the Quant-BnB paper, or iris, wine, breast-cancer and diabetes.
    folder : Path or None
        The folder with the papers' data sets.

    Examples
    --------
    >>> load_numbers("iris", None).X.shape
    (150, 4)
    """
    if name in _SKLEARN:
        from sklearn import datasets

        X, y = getattr(datasets, _SKLEARN[name])(return_X_y=True)
        return DataSet(X, y)
    if folder is not None:
        for kind in ("continuous", "regression"):
            path = folder / kind / f"{name}.csv.gz"
            if path.exists():
                X, y = _read(path)
                return DataSet(X, y.astype(float) if kind == "regression" else y)
    raise _absent(f"continuous/{name}.csv.gz or regression/{name}.csv.gz", folder)


def _absent(wanted: str, folder: Path | None) -> Absent:
    if folder is None:
        return Absent(
            f"it takes a folder with {wanted}; name it with --data or TREEPROOF_DATA"
        )
    return Absent(f"the data folder has no {wanted}")


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    with gzip.open(path, "rt", newline="") as file:
        head, *rows = csv.reader(file)
    if "y" not in head:
        raise ValueError(f"{str(path)!r} has no column y.")
    table = np.array(rows)
    target = head.index("y")
    return np.delete(table, target, axis=1).astype(float), table[:, target]

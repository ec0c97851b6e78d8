"""Random problems for the search for all trees within a budget."""

from __future__ import annotations

from dataclasses import replace

import native
import numpy as np
from near_oracle import all_trees
from oracle import ONE_VS_REST, Table, engine_arguments, optimal_cost, random_table

from treeproof import _core


def number(words):
    return sum(int(word) << (64 * k) for k, word in enumerate(words))


def words(value):
    return [(value >> (64 * k)) & (2**64 - 1) for k in range(4)]


def random_problem(rng) -> tuple[Table, np.ndarray, dict, int]:
    table = random_table(rng, max_rows=9, max_features=3, max_values=4)
    columns = np.arange(len(table.kinds), dtype=np.int32)
    if rng.random() < 0.4:  # some columns may be split in two ways
        columns = np.repeat(columns, rng.integers(1, 3, len(columns)))
        twice = np.diff(columns, prepend=-1) == 0
        kinds = np.where(twice, ONE_VS_REST, table.kinds[columns])
        table = replace(
            table,
            kinds=kinds,
            n_values=table.n_values[columns],
            codes=table.codes[:, columns],
        )
    penalty = float(rng.choice([0.0, 0.02, 0.1, 0.25]))
    limits = {
        "max_depth": int(rng.choice([-1, -1, 1, 2, 3])),
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2])),
        "penalize": str(rng.choice(["leaves", "splits"])),
    }
    best = optimal_cost(table, penalty, **limits)
    margin = float(rng.choice([0.0, 0.05, 0.15, 0.4])) if penalty else 0.0
    budget = best + int(margin * table.total_weight * 2**20)
    return table, columns, limits | {"split_cost": table.split_cost(penalty)}, budget


def near_set(table, columns, limits, budget, bounds="auto", **more):
    search = native.NearSearch(
        columns=columns, bounds=bounds, **limits, **more, **engine_arguments(table)
    )
    found = search.build(budget)
    assert found.status == "complete"
    return found


def trees_within(table, columns, limits, budget):
    """Every tree within the budget, by brute force."""
    return all_trees(
        table,
        limits["split_cost"],
        budget,
        limits["max_depth"],
        limits["min_samples_leaf"],
        limits["penalize"],
        columns,
    )


def numbers_of(table, numbers):
    """Numbers of the rows of a table, as the core takes them."""
    codes = engine_arguments(table)["codes"]
    return _core.RowNumbers(codes, numbers.reshape(-1).astype(np.int64))

"""The threshold engine against brute force, under every combination of its switches."""

from __future__ import annotations

from typing import Any

import native
import numpy as np
import pytest
from data_sets import data_file
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    UNIT,
    Table,
    engine_arguments,
    optimal_cost,
    random_limits,
    random_table,
    tree_facts,
)
from sklearn.datasets import load_wine
from threshold_switches import check_every_combination, random_switches

from treeproof.border.ranks import rank_columns

KINDS = [(ORDERED,), (ORDERED, ORDERED, MULTIWAY, ONE_VS_REST), (MULTIWAY, ONE_VS_REST)]


SWITCHES = ("unit_step", "inheritance", "boxes", "sets", "portable_kernels")


def check(
    table: Table, limits: dict[str, Any], switches: dict[str, Any], n_jobs: int = 1
) -> None:
    penalty = limits["split_penalty"]
    rest = {k: v for k, v in limits.items() if k != "split_penalty"}
    answer = native.solve_threshold(
        **engine_arguments(table), **limits, switches=switches, n_jobs=n_jobs
    )
    rule = limits.get("penalize", "splits")
    facts = tree_facts(table, answer["tree"], penalty, rule)
    assert answer["status"] == "optimal"
    assert answer["lower"] == answer["upper"]
    assert facts.cost == optimal_cost(table, penalty, **rest)
    share = facts.cost / UNIT / table.total_weight
    assert answer["upper"] / answer["unit"] == pytest.approx(share, abs=1e-6)
    assert rest["max_depth"] < 0 or facts.depth <= rest["max_depth"]
    assert rest["max_splits"] < 0 or facts.splits <= rest["max_splits"]
    assert facts.splits == 0 or facts.smallest_leaf >= rest["min_samples_leaf"]


@pytest.mark.parametrize("block", range(10))
def test_equals_brute_force(block: int) -> None:
    for seed in range(block * 150, block * 150 + 150):
        rng = np.random.default_rng(seed)
        table = random_table(
            rng,
            max_rows=int(rng.choice([8, 14, 18])),
            max_values=int(rng.choice([2, 4, 12])),
            kinds=KINDS[int(rng.integers(3))],
        )
        limits = random_limits(rng)
        if limits["max_depth"] < 0 and rng.random() < 0.5:
            limits["max_depth"] = int(rng.integers(2, 5))
        check(table, limits, random_switches(rng, *SWITCHES))


def test_every_combination_of_switches() -> None:
    rng = np.random.default_rng(3)
    tables = [
        random_table(rng, max_rows=16, max_values=12, kinds=KINDS[k % 2])
        for k in range(6)
    ]
    check_every_combination(tables, (0.02,), check, "unit_step")


def test_a_low_cut_off_does_not_hide_deeper_trees() -> None:
    # A subproblem whose cut-off affords one split must not report the best stump as a
    # bound on trees of more splits.
    codes = np.array(
        [
            [3, 7, 8, 0, 11, 6, 0, 4, 7, 3, 8, 11, 7, 4, 2],
            [3, 6, 1, 9, 1, 2, 9, 5, 5, 4, 8, 5, 0, 7, 5],
            [0, 1, 1, 1, 2, 2, 0, 0, 1, 0, 2, 0, 2, 1, 0],
        ]
    ).T
    table = Table(
        kinds=np.array([ORDERED, ONE_VS_REST, ONE_VS_REST]),
        n_values=np.array([12, 10, 3]),
        codes=codes,
        labels=np.array([1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1]),
        n_classes=2,
        weights=np.array([3, 3, 4, 3, 3, 4, 3, 3, 2, 2, 4, 5, 3, 3, 4]),
    )
    limits = {
        "split_penalty": 0.001,
        "max_depth": 3,
        "max_splits": -1,
        "min_samples_leaf": 1,
    }
    check(table, limits, {"coarse_cuts": 3})


def numeric_arguments(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    codes, distinct = rank_columns(X)
    return {
        "kinds": np.zeros(X.shape[1], dtype=np.int32),
        "n_values": np.array([len(d) for d in distinct], dtype=np.int32),
        "codes": codes.reshape(-1),
        "labels": y.astype(np.int32),
        "n_classes": int(y.max()) + 1,
        "weights": np.ones(len(y)),
    }


def best_depth_two(X: np.ndarray, y: np.ndarray) -> int:
    """Least errors at depth two, by walking every pair of thresholds."""

    def leaf(rows: np.ndarray) -> int:
        return len(rows) - int(np.bincount(y[rows]).max()) if len(rows) else 0

    def cuts(rows: np.ndarray) -> Any:
        for column in X.T:
            for value in np.unique(column[rows])[:-1]:
                left = column[rows] <= value
                yield rows[left], rows[~left]

    def stump(rows: np.ndarray) -> int:
        return min([leaf(rows), *(leaf(a) + leaf(b) for a, b in cuts(rows))])

    everything = np.arange(len(y))
    return min([leaf(everything), *(stump(a) + stump(b) for a, b in cuts(everything))])


@pytest.mark.parametrize("seed", range(6))
def test_larger_tables_at_depth_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(36, 2)), 2 if seed % 2 else 1)
    y = ((X[:, 0] > 0).astype(int) + (rng.random(36) < 0.3)) % (2 + seed % 2)
    found = native.solve_threshold(
        **numeric_arguments(X, y),
        split_penalty=0.0,
        max_depth=2,
        switches={"coarse_cuts": 3, "most_bins": 4, "fine_bins_from": 0},
    )
    assert found["upper"] == best_depth_two(X, y) * UNIT
    assert found["statistics"]["fine_bins"] > 0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("min_leaf", [1, 500])
def test_parts_of_bins_do_not_change_the_optimum(n_classes: int, min_leaf: int) -> None:
    rng = np.random.default_rng(n_classes)
    n = 20_000
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] > 0) ^ ((X[:, 1] > 0) & (X[:, 2] > 0)) ^ (rng.random(n) < 0.3)
    y = y + (n_classes - 2) * (rng.random(n) < 0.4)
    limits = {"split_penalty": 0.0, "max_depth": 2, "min_samples_leaf": min_leaf}
    plain, parts = (
        native.solve_threshold(
            **numeric_arguments(X, y), **limits, switches={"fine_bins_from": large}
        )
        for large in (n + 1, n)
    )
    assert plain["statistics"]["fine_bins"] == 0
    assert parts["statistics"]["fine_bins"] > 0
    assert parts["upper"] == parts["lower"] == plain["upper"] == plain["lower"]


def test_every_bound_fires() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.4) ^ (rng.random(400) < 0.15)).astype(int)
    found = native.solve_threshold(
        **numeric_arguments(X, y), split_penalty=0.0, max_depth=3
    )
    for counter in (
        "interval_prunes",
        "step_prunes",
        "shrinks",
        "cutoffs",
        "inherited_prunes",
        "exact_scans",
        "shared_bins",
        "planned_trees",
    ):
        assert found["statistics"][counter] > 0, counter


def test_stages_of_deep_subproblems() -> None:
    # With a penalty and no depth limit, sides are deepened a few penalties at a time.
    X, y = load_wine(return_X_y=True)
    found = native.solve_threshold(
        **numeric_arguments(X, y),
        split_penalty=0.01,
        switches={"common_rows_search": False},
    )
    assert found["status"] == "optimal"
    assert found["statistics"]["deepenings"] > 0
    assert found["upper"] / found["unit"] == pytest.approx(0.0456180, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_deep_trees_with_a_penalty(seed: int) -> None:
    # Small tables and penalties at which the optimum needs a depth of at least four.
    rng = np.random.default_rng(seed)
    for _ in range(12):
        table = random_table(rng, max_rows=18, max_values=12, kinds=KINDS[0])
        limits = {
            "split_penalty": float(rng.choice([0.01, 0.02, 0.03])),
            "max_depth": -1,
            "max_splits": -1,
            "min_samples_leaf": int(rng.integers(1, 3)),
        }
        check(table, limits, random_switches(rng, *SWITCHES))


@pytest.mark.parametrize(
    ("name", "errors", "accuracies"),
    [
        ("bank", (82, 19), (92.5, 98.3)),
        ("fault", (647, 494), (58.3, 68.2)),
        ("magic", (2971, 2567), (80.5, 83.1)),
        ("occupancy", (86, 47), (98.9, 99.4)),
        ("page", (200, 125), (95.4, 97.1)),
        ("raisin", (91, 76), (87.4, 89.4)),
        ("rice", (203, 189), (93.3, 93.8)),
        ("wilt", (37, 18), (99.1, 99.6)),
    ],
)
def test_published_optima(
    name: str, errors: tuple[int, int], accuracies: tuple[float, float]
) -> None:
    """Accuracies of depth two and three as printed in Table 6 of Quant-BnB's paper."""
    pd = pytest.importorskip("pandas")
    path = data_file("continuous", f"{name}.csv.gz")
    frame = pd.read_csv(path)
    y = np.unique(frame.pop("y"), return_inverse=True)[1]
    for depth, wanted, printed in zip((2, 3), errors, accuracies, strict=True):
        found = native.solve_threshold(
            **numeric_arguments(frame.to_numpy(), y), split_penalty=0.0, max_depth=depth
        )
        assert found["status"] == "optimal"
        assert found["upper"] == wanted * UNIT
        assert round(100 * (1 - wanted / len(y)), 1) == printed


def test_errors_that_every_tree_makes_are_left_out_of_costs() -> None:
    # Rows that no test tells apart, of three classes: the search with groups (which the
    # ladder knows) and the one row by row agree with each other on cost and bound.
    rng = np.random.default_rng(5)
    for seed in range(40):
        X = rng.integers(0, 4, size=(60, 3)).astype(float)
        y = rng.integers(0, 3 if seed % 2 else 2, size=60)
        arguments = numeric_arguments(X, y) | {
            "split_penalty": [0.0, 0.01, 0.03][seed % 3],
            "max_depth": [2, 3, -1][seed % 3],
        }
        grouped = native.climb_labels(**arguments, sparse=False)
        by_row = native.solve_threshold(**arguments)
        sparse = native.climb_labels(**arguments, threshold=False)
        assert grouped["status"] == by_row["status"] == "optimal"
        assert grouped["lower"] / grouped["unit"] == by_row["upper"] / by_row["unit"]
        assert grouped["upper"] == sparse["upper"]
        assert grouped["statistics"]["forced_weight"] > 0


def test_gains_of_pairs_leave_fewer_columns_to_scan() -> None:
    # Two copies of each row with labels of their own, as costs make them.
    rng = np.random.default_rng(1)
    X = np.repeat(rng.random((400, 4)), 2, axis=0)
    gains = rng.integers(1, 50, size=800)
    y = np.concatenate([rng.permutation(3)[:2] for _ in range(400)])
    arguments = numeric_arguments(X, y) | {"weights": gains.astype(float)}
    arguments |= {"split_penalty": 0.0, "max_depth": 2}
    with_pairs = native.climb_labels(**arguments, sparse=False)
    without = native.solve_threshold(**arguments)
    assert (
        with_pairs["upper"] / with_pairs["unit"] == without["upper"] / without["unit"]
    )
    scans = [found["statistics"]["exact_scans"] for found in (with_pairs, without)]
    assert scans[0] < scans[1]

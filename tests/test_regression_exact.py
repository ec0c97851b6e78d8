"""Regression trees of the threshold engine against brute force."""

from __future__ import annotations

from typing import Any

import native
import numpy as np
import pytest
from data_sets import data_file
from oracle import random_limits
from regression_oracle import (
    KINDS,
    TargetTable,
    check_optimum,
    random_targets,
    target_arguments,
)
from threshold_switches import check_every_combination, random_switches

from treeproof.border.ranks import rank_columns

SWITCHES = (
    "inheritance",
    "partitions",
    "boxes",
    "sets",
    "pairs",
    "counts",
    "portable_kernels",
)


def check(
    table: TargetTable,
    limits: dict[str, Any],
    switches: dict[str, Any],
    n_jobs: int = 1,
) -> None:
    check_optimum(table, target_arguments(table), limits, switches, n_jobs)


@pytest.mark.parametrize("block", range(8))
def test_equals_brute_force(block: int) -> None:
    for seed in range(block * 250, block * 250 + 250):
        rng = np.random.default_rng(seed)
        table = random_targets(
            rng,
            max_rows=int(rng.choice([8, 12, 16])),
            max_values=int(rng.choice([2, 4, 12])),
            kinds=KINDS[int(rng.integers(3))],
        )
        limits = random_limits(rng)
        if limits["max_depth"] < 0 and rng.random() < 0.6:
            limits["max_depth"] = int(rng.integers(2, 5))
        check(table, limits, random_switches(rng, *SWITCHES))


def test_every_combination_of_switches() -> None:
    rng = np.random.default_rng(3)
    tables = [
        random_targets(rng, max_rows=14, max_values=12, kinds=KINDS[k % 2])
        for k in range(6)
    ]
    check_every_combination(tables, (0.0, 0.02), check)


def numeric_arguments(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    codes, distinct = rank_columns(X)
    return {
        "kinds": np.zeros(X.shape[1], dtype=np.int32),
        "n_values": np.array([len(d) for d in distinct], dtype=np.int32),
        "codes": codes.reshape(-1),
        "targets": np.ascontiguousarray(y, dtype=np.float64).reshape(-1),
        "n_outputs": 1 if y.ndim == 1 else y.shape[1],
        "weights": np.ones(len(y)),
        "split_penalty": 0.0,
    }


@pytest.mark.parametrize("outputs", [1, 2])
def test_every_bound_fires(outputs: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = np.column_stack([X[:, k] * X[:, k + 1] for k in range(outputs)])
    y += 0.3 * rng.normal(size=y.shape)
    found = native.solve_targets(**numeric_arguments(X, y), max_depth=3)
    for counter in ("interval_prunes", "cutoffs", "inherited_prunes", "exact_scans"):
        assert found["statistics"][counter] > 0, counter


def test_the_partition_bound_fires() -> None:
    # A staircase in one column: its steps are the best partition of the targets, so the
    # bound meets the cost of the tree that cuts there.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = np.floor(2 * X[:, 0]) + 0.05 * rng.normal(size=300)
    arguments = numeric_arguments(X, y) | {"split_penalty": 0.02}
    found = native.solve_targets(**arguments)
    plain = native.solve_targets(
        **arguments, switches={"partitions": False}, max_depth=4
    )
    assert found["status"] == "optimal"
    assert found["statistics"]["partition_prunes"] > 0
    assert plain["statistics"]["partition_prunes"] == 0
    assert found["upper"] <= plain["upper"] * (1 + 1e-9)
    assert found["statistics"]["sweeps"] < plain["statistics"]["sweeps"]


@pytest.mark.parametrize(
    ("name", "squares"),
    [
        ("concrete", (17.638796, 12.057765)),
        ("fish", (8.9691406, 7.3276976)),
        ("query1", (48.615165, 23.561975)),
        ("grid", (232.17328, 192.35192)),
    ],
)
def test_published_optima(name: str, squares: tuple[float, float]) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(data_file("regression", f"{name}.csv.gz"))
    y = frame.pop("y").to_numpy(dtype=float)
    total = ((y - y.mean()) ** 2).sum()
    depths = (2,) if name == "grid" else (2, 3)
    for depth, wanted in zip(depths, squares, strict=False):
        found = native.solve_targets(
            **numeric_arguments(frame.to_numpy(dtype=float), y), max_depth=depth
        )
        assert found["status"] == "optimal"
        assert found["upper"] * total == pytest.approx(wanted, rel=2e-7)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_units_and_offsets_do_not_matter(scale: float, offset: float) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.round(X[:, 0] * X[:, 1], 3)
    plain = native.solve_targets(**numeric_arguments(X, y), max_depth=3)
    moved = native.solve_targets(
        **numeric_arguments(X, (y + offset) * scale), max_depth=3
    )
    assert moved["status"] == "optimal"
    assert moved["upper"] == pytest.approx(plain["upper"], rel=1e-8)


def test_a_time_limit_keeps_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 8))
    y = rng.normal(size=500)
    found = native.solve_targets(
        **numeric_arguments(X, y), max_depth=4, time_limit=0.05
    )
    assert found["status"] == "time_limit"
    assert 0.0 <= found["lower"] < found["upper"] <= 1.0


def test_a_memory_limit_keeps_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 8))
    y = rng.normal(size=300)
    found = native.solve_targets(
        **numeric_arguments(X, y), max_depth=4, memory_limit=20_000, time_limit=20.0
    )
    assert found["status"] == "memory_limit"
    assert 0.0 <= found["lower"] < found["upper"] <= 1.0

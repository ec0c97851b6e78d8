"""Trees with a penalty and no narrow depth limit: proofs shared between cuts."""

from __future__ import annotations

from typing import Any

import native
import numpy as np
import pytest
from effort import rounds
from oracle import (
    ONE_VS_REST,
    ORDERED,
    Table,
    engine_arguments,
    optimal_cost,
    random_table,
    tree_facts,
)
from sklearn.datasets import load_breast_cancer, load_wine

from treeproof import OptimalTreeClassifier
from treeproof.border.ranks import rank_columns

SWITCHES = ("costly_sets", "common_rows", "two_splits", "leaf_gain", "unit_step")


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


def solve(table: Table, limits: dict[str, Any], switches: dict[str, Any]) -> Any:
    answer = native.solve_threshold(
        **engine_arguments(table), **limits, switches=switches
    )
    assert answer["status"] == "optimal"
    assert answer["lower"] == answer["upper"]
    facts = tree_facts(table, answer["tree"], limits["split_penalty"])
    assert facts.cost == optimal_cost(
        table, limits["split_penalty"], max_depth=limits["max_depth"]
    )
    return answer


def alternating(rng: np.random.Generator, n: int) -> Table:
    """Labels that change often along both features, so that several splits pay."""
    codes = np.column_stack([rng.permutation(n), rng.integers(0, n, n)])
    labels = (codes[:, 0] * 5 // n + (rng.random(n) < 0.1)) % int(rng.integers(2, 4))
    return Table(
        kinds=np.array([ORDERED, ORDERED if rng.random() < 0.7 else ONE_VS_REST]),
        n_values=np.array([n, n]),
        codes=codes,
        labels=labels,
        n_classes=3,
        weights=rng.integers(1, 3, n) if rng.random() < 0.3 else np.ones(n, dtype=int),
    )


@pytest.mark.parametrize("block", range(4))
def test_equals_brute_force(block: int) -> None:
    batches = 0
    n = rounds(40, 400)
    for seed in range(block * n, block * n + n):
        rng = np.random.default_rng(seed)
        if seed % 2:
            table = alternating(rng, int(rng.integers(12, 19)))
        else:
            table = random_table(
                rng,
                max_rows=18,
                max_values=int(rng.choice([4, 12])),
                kinds=((ORDERED,), (ORDERED, ONE_VS_REST))[int(rng.integers(2))],
            )
        limits = {
            "split_penalty": float(rng.choice([0.03, 0.05, 0.07])),
            "max_depth": int(rng.choice([-1, -1, 3, 4])),
        }
        switches: dict[str, Any] = {
            name: bool(rng.random() < 0.5) for name in SWITCHES if rng.random() < 0.5
        }
        if rng.random() < 0.5:
            switches["coarse_cuts"] = int(rng.choice([1, 2, 3, 5]))
        batches += solve(table, limits, switches)["statistics"]["common_rows_batches"]
    assert batches > 100


def two_class(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = ((X[:, 0] > 0) & (X[:, 1] > -0.5)) | ((X[:, 2] > 0.8) & (X[:, 3] < 0.3))
    return X, (y ^ (rng.random(n) < 0.03)).astype(int)


@pytest.mark.parametrize("seed", range(2))
def test_every_switch_leaves_the_optimum(seed: int) -> None:
    # Tables too large for brute force, with the search without sharing as a reference.
    X, y = two_class(90, seed)
    if seed:
        X = np.round(X, 1)
    arguments = {**numeric_arguments(X, y), "split_penalty": 0.02}
    costs = {
        native.solve_threshold(**arguments, switches=switches)["upper"]
        for switches in (
            {},
            {"common_rows_search": False},
            *({name: False} for name in SWITCHES),
        )
    }
    assert len(costs) == 1


def test_every_idea_is_used() -> None:
    X, y = two_class(150, 0)
    found = native.solve_threshold(**numeric_arguments(X, y), split_penalty=0.015)
    assert found["status"] == "optimal"
    for counter in (
        "common_rows_batches",
        "failed_batches",
        "shared_proofs",
        "costly_set_prunes",
        "witness_refutations",
        "two_split_tests",
        "small_leaves",
    ):
        assert found["statistics"][counter] > 0, counter


def test_three_classes() -> None:
    X, y = load_wine(return_X_y=True)
    found = native.solve_threshold(**numeric_arguments(X, y), split_penalty=0.01)
    assert found["status"] == "optimal"
    assert found["statistics"]["common_rows_batches"] > 0
    assert found["upper"] / found["unit"] == pytest.approx(0.0456180, abs=1e-6)


def test_a_stopped_search_has_a_tree_and_a_bound() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = OptimalTreeClassifier(0.005, solver="threshold", time_limit=0.5)
    with pytest.warns(UserWarning):
        model.fit(X, y)
    assert model.status_ == "time_limit"
    assert 0 < model.lower_bound_ < model.objective_
    assert model.objective_ <= 1 - model.score(X, y) + 0.005 * model.n_splits_ + 1e-9


@pytest.mark.parametrize(
    ("penalty", "splits", "errors"),
    rounds([(0.02, 2, 27)], [(0.02, 2, 27), (0.01, 3, 19)]),
)
def test_breast_cancer_is_solved_to_proof(
    penalty: float, splits: int, errors: int
) -> None:
    # 569 rows, 30 features with almost as many values. The penalty of 0.01 takes about
    # 20 seconds, so only a long run has it.
    X, y = load_breast_cancer(return_X_y=True)
    model = OptimalTreeClassifier(penalty, time_limit=None).fit(X, y)
    assert model.stats_["solver"] == "threshold"
    assert model.optimal_
    assert model.objective_ == pytest.approx(splits * penalty + errors / 569, abs=1e-6)

"""Columns and categories on which no split pays are left out without any loss."""

from __future__ import annotations

import os
import warnings

import native
import numpy as np
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    engine_arguments,
    optimal_cost,
    random_limits,
    random_table,
    tree_facts,
)

from treeproof import OptimalTreeClassifier
from treeproof.solving.observers import watch_ladder
from treeproof.tree import Tree

FUZZ = "TREEPROOF_FUZZ" in os.environ


def noisy_table(n_rows: int, seed: int) -> tuple[dict[str, list], np.ndarray]:
    """A rule on two columns with noise, and a name for every row."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n_rows).round(1)
    city = rng.choice(["A", "B", "C"], n_rows)
    y = ((size > 0) ^ (city == "A")) ^ (rng.random(n_rows) < 0.15)
    table = {"size": size.tolist(), "city": city.tolist()}
    return table | {"name": [f"n{k}" for k in range(n_rows)]}, y


def test_nothing_is_lost_with_any_kind_of_column_and_limit():
    rng = np.random.default_rng(12)
    left_out = 0
    for _ in range(10_000 if FUZZ else 800):
        kinds = [(MULTIWAY, ONE_VS_REST, ORDERED), (ONE_VS_REST, ORDERED)]
        table = random_table(
            rng, kinds=kinds[int(rng.integers(2))], max_values=12, max_features=3
        )
        limits = random_limits(rng, ("leaves",))
        limits["split_penalty"] = float(rng.choice([0.05, 0.1, 0.2, 0.4]))
        answer = native.climb_labels(**engine_arguments(table), **limits)
        best = optimal_cost(table, **limits)
        assert answer["lower"] == best == answer["upper"]
        # The tree has the columns of the given table.
        facts = tree_facts(table, answer["tree"], limits["split_penalty"], "leaves")
        assert facts.cost == best
        left_out += answer["statistics"]["idle_columns"] > 0
    assert left_out > 100


def fitted(table: dict[str, list], y: np.ndarray) -> OptimalTreeClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the column of names
        return OptimalTreeClassifier(time_limit=None).fit(table, y)


def test_a_column_of_names_costs_no_time():
    table, y = noisy_table(400, seed=10)
    named = fitted(table, y)
    unnamed = fitted({name: table[name] for name in ("size", "city")}, y)
    assert named.optimal_ and named.objective_ == unnamed.objective_
    # The column of names, and each category of the column's other kind of split.
    assert named.stats_["idle_columns"] == 1 + 400
    assert named.stats_["expansions"] <= 2 * unnamed.stats_["expansions"]


def test_a_frequent_name_is_found_and_shown_while_the_search_runs():
    table, y = noisy_table(300, seed=11)
    frequent = np.arange(300) % 3 == 0
    table["name"] = np.where(frequent, "frequent", table["name"]).tolist()
    y = np.where(frequent, True, y)
    seen: list[object] = []
    with watch_ladder(seen.append):
        model = fitted(table, y)
    assert model.optimal_ and model.stats_["idle_columns"] >= 200
    assert "name = frequent" in model.export_text()
    trees = [news for news in seen if isinstance(news, Tree)]
    assert trees[-1].n_splits == model.tree_.n_splits
    assert (trees[-1].feature == model.tree_.feature).all()

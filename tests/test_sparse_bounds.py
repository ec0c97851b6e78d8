"""Each bound of the sparse engine alone: it fires, and it is sound.

A bound is sound alone if the search with all other bounds off still finds the optimum;
it fires if its counter moves. Both are asked of problems made for the purpose.
"""

import numpy as np
import pytest
from oracle import Table
from sparse_problems import SWITCHES, check, noisy_table, solve

# The counter that tells that a switch did something, and what it needs beside it.
FIRES = {
    "lookahead": ("lookahead_solved", []),
    "admissible": ("admissible_dropped", []),
    "equal_tests": ("equal_tests_dropped", []),
    "covering": ("covering_raised", ["lookahead"]),
    "rounding": ("rounding_raised", ["lookahead", "covering"]),
    "merging": ("merging_dropped", []),
    "similarity": ("similarity_raised", ["lookahead"]),
    "similarity_leaf": ("similarity_leaf_raised", ["lookahead", "similarity"]),
    "two_splits": ("two_splits_raised", ["lookahead"]),
    "three_splits": ("three_splits_raised", ["lookahead", "two_splits"]),
    "discrepancy": ("discrepancy_visits", []),
    "prices": ("prices_raised", []),
    "triples": ("triples_solved", ["lookahead"]),
}
# Such small problems are solved before prices are computed.
OPTIONS = {"prices": {"price_work": 10**8}}
# Bounds for trees of a limited depth.
DEPTH = {"triples": 4}
NO_LIMITS = {"max_depth": -1, "max_splits": -1, "min_samples_leaf": 1}


def only(*names):
    return {name: name in names for name in SWITCHES}


@pytest.mark.parametrize("switch", sorted(FIRES))
def test_bound_alone_is_sound_and_fires(switch):
    counter, needs = FIRES[switch]
    rng = np.random.default_rng(7)
    fired = 0
    for _ in range(60):
        table = noisy_table(rng)
        limits = {"split_penalty": float(rng.uniform(0.005, 0.03)), **NO_LIMITS}
        limits["max_depth"] = DEPTH.get(switch, -1)
        switches = only(switch, *needs)
        options = OPTIONS.get(switch, {})
        fired += check(table, limits, switches=switches, **options)[counter]
    assert fired > 0


def test_every_switch_that_counts_has_a_must_fire_test():
    assert set(SWITCHES) - set(FIRES) == {"easy_first"}  # an order, not a bound


def balance():
    """Small scales, one-hot: three classes and no noise, so every bound has work."""
    grid = np.stack(np.meshgrid(*[range(1, 5)] * 4), axis=-1).reshape(-1, 4)
    tips = np.sign(grid[:, 0] * grid[:, 1] - grid[:, 2] * grid[:, 3]).astype(int)
    codes = np.concatenate([grid == v for v in range(1, 5)], axis=1).astype(int)
    return Table(
        kinds=np.zeros(16, dtype=int),
        n_values=np.full(16, 2),
        codes=codes,
        labels=tips + 1,
        n_classes=3,
        weights=np.ones(len(grid), dtype=int),
    )


@pytest.mark.parametrize(
    "switch", ["lookahead", "covering", "two_splits", "three_splits"]
)
def test_the_strong_bounds_save_expansions(switch):
    limits = {"split_penalty": 0.02, **NO_LIMITS}
    base = {"discrepancy": False}
    with_it = solve(balance(), limits, switches=base)["statistics"]["expansions"]
    off = {**base, switch: False}
    without_it = solve(balance(), limits, switches=off)["statistics"]["expansions"]
    assert with_it < without_it

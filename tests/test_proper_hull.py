"""The affine hull: the same columns as exact elimination, in any position."""

from fractions import Fraction

import numpy as np
import pytest

from treeproof.proper import hull as module
from treeproof.proper.exact import affine_columns
from treeproof.proper.hull import hull, hull_columns

TABLES = {
    "general": lambda rng, n, d: rng.normal(size=(n, d)),
    "grid": lambda rng, n, d: rng.integers(0, 2, (n, d)) * 1.0,
    "flat": lambda rng, n, d: (
        rng.integers(-3, 4, (n, max(1, d // 2)))
        @ rng.integers(-3, 4, (max(1, d // 2), d))
        * 0.25
    ),
    "far apart": lambda rng, n, d: (
        rng.integers(0, 3, (n, d)) * 2.0 ** rng.integers(-300, 300, (n, d))
    ),
    "multiples of the prime": lambda rng, n, d: (
        rng.integers(0, 3, (n, d)) * float(2**31 - 1)
    ),
}


def exactly(X):
    return affine_columns([tuple(map(Fraction, row)) for row in X.tolist()])


@pytest.mark.parametrize("kind", TABLES)
def test_columns_are_those_of_exact_elimination(kind):
    rng = np.random.default_rng([*map(ord, kind)])
    ranks = set()
    for _ in range(60):
        d = int(rng.integers(1, 6))
        X = TABLES[kind](rng, int(rng.integers(1, 12)), d)
        expected = exactly(X)
        assert hull_columns(X) == expected
        ranks.add(d - len(expected))
    assert len(ranks) > 1 or kind == "general"


def test_a_rank_that_only_the_prime_hides_is_found():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 2.0**31]])
    assert module._independent_modulo_prime(X)[0] == [0]
    assert hull_columns(X) == [0, 1]


def test_late_rows_count():
    X = np.zeros((1000, 3))
    X[:, 0] = np.arange(1000)
    X[999, 2] = 1e-9
    assert hull_columns(X) == [0, 2]
    assert hull(X, 10).shape == (1000, 2)
    assert hull(X[:999], 10).shape == (999, 1)
    assert hull(X, 1).shape == (1000, 2)  # too many columns for an exact reduction

"""Problems that no search finishes in the time of a test, for tests of stopping.

Imported by tests and by the programs they start.
"""

from __future__ import annotations

import numpy as np


def bits(n_rows=3000, n_features=120, seed=0):
    """Return random bits with random labels, for engines of categories."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n_rows, n_features)), rng.integers(0, 2, n_rows)


def numbers(n_rows=4000, n_features=12, seed=0):
    """Return random numbers with random labels, for engines of thresholds."""
    rng = np.random.default_rng(seed)
    return rng.random((n_rows, n_features)), rng.integers(0, 2, n_rows)

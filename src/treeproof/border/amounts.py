"""Targets that are amounts, not classes: prices, ages, years.

A file does not say whether its integers are labels or amounts. More than twenty
distinct ones are hardly labels: the command line and the explorer then predict a
number, and the classifier warns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MANY_AMOUNTS", "count_amounts"]

MANY_AMOUNTS = 20


def count_amounts(values: NDArray[Any]) -> int:
    """Return the number of distinct amounts in an array; 0 if it may contain classes.

    Parameters
    ----------
    values : ndarray
        A target. It contains amounts if it consists of numbers and either more than
        twenty of these are distinct, or some are not integers.

    Examples
    --------
    >>> count_amounts(np.arange(1000)), count_amounts(np.array([0, 1, 1]))
    (1000, 0)
    >>> count_amounts(np.array([0.5, 1.0])), count_amounts(np.array(["a", "b"]))
    (2, 0)
    """
    if values.dtype.kind not in "iuf":
        return 0
    distinct = np.unique(values[np.isfinite(values)])
    whole = bool((distinct == np.floor(distinct)).all())
    return 0 if whole and len(distinct) <= MANY_AMOUNTS else len(distinct)

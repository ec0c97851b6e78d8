"""The settings of a balance scale, and the side that goes down."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from treeproof.datasets.bundle import bundle

__all__ = ["load_balance_scale"]


def load_balance_scale(*, as_frame: bool = False, return_X_y: bool = False) -> Any:
    """Return all 625 settings of a balance scale and the side that goes down.

    The features are the weight and the distance on each side, 1 to 5; the class is the
    side with the greater product of the two, "L" or "R", or "B" if they are equal.
    It is the set that Siegler's experiments gave to the UCI repository.

    Parameters
    ----------
    as_frame : bool, default=False
        Return pandas objects.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        The data.

    Examples
    --------
    >>> from treeproof.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> [(str(side), int((y == side).sum())) for side in np.unique(y)]
    [('B', 49), ('L', 288), ('R', 288)]
    """
    data = np.array(list(product(range(1, 6), repeat=4)), dtype=np.int64)
    left, right = data[:, 0] * data[:, 1], data[:, 2] * data[:, 3]
    target = np.array(["R", "B", "L"], dtype=object)[np.sign(left - right) + 1]
    return bundle(
        data,
        target,
        ["left_weight", "left_distance", "right_weight", "right_distance"],
        "Settings of a balance scale; the class is the side that goes down.",
        as_frame=as_frame,
        return_X_y=return_X_y,
    )

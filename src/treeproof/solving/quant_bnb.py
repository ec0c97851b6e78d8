"""Quant-BnB: the problems that the published method accepts, and its parameters.

The method of Mazumder, Meng and Wang (ICML 2022) finds optimal trees of depth two and
three on numeric columns, without a penalty and without limits on leaves or splits. All
other problems are refused with an error message.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from treeproof.solving.solvers import RegressionTask, Task

__all__ = ["QuantBnB", "check_task"]

BOUNDS = ("W0", "W1", "W2", "L2")


@dataclass(frozen=True)
class QuantBnB:
    """The parameters of Quant-BnB, by the names of its paper.

    Parameters
    ----------
    lower_bound : {"W0", "W1", "W2", "L2"}, default="W1"
        Which of the paper's lower bounds prunes, from cheap to tight.
    s : int, default=3
        The pieces into which an interval is cut.
    s_prime : int or None, default=None
        The pieces of the middle in the bound W1; None for the paper's
        ``0.6 n s / (b - a)``.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier, QuantBnB
    >>> clf = OptimalTreeClassifier(
    ...     0.0, max_depth=2, solver="quant-bnb", quant_bnb=QuantBnB(lower_bound="W2")
    ... )
    >>> clf.fit([[1.0], [2.0], [3.0]], [0, 1, 1]).optimal_
    True
    """

    lower_bound: str = "W1"
    s: int = 3
    s_prime: int | None = None

    def __post_init__(self) -> None:
        if self.lower_bound not in BOUNDS:
            raise ValueError(
                f"lower_bound={self.lower_bound!r} is no bound of Quant-BnB; use one "
                f"of {', '.join(map(repr, BOUNDS))}."
            )
        for name, value, least in (("s", self.s, 2), ("s_prime", self.s_prime, 1)):
            if name == "s_prime" and value is None:
                continue
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not whole or value < least:  # type: ignore[operator]
                raise ValueError(
                    f"{name}={value!r} is not a number of pieces; use a whole number "
                    f"from {least} on."
                )

    def arguments(self) -> dict[str, Any]:
        """Return the options in the form that the native core expects."""
        return {
            "bound": self.lower_bound,
            "s": int(self.s),
            "s_prime": 0 if self.s_prime is None else int(self.s_prime),
        }


def check_task(task: Task | RegressionTask) -> None:
    """Refuse problems that the published method does not support."""
    for wrong, what in (
        (
            task.max_depth not in (2, 3),
            f"finds trees of depth 2 or 3, not max_depth={task.max_depth}",
        ),
        (
            task.split_penalty != 0,
            f"knows no penalty, but split_penalty={task.split_penalty:g}; set it to 0",
        ),
        (task.max_splits is not None, "does not limit splits; leave max_splits out"),
        (
            task.min_samples_leaf != 1,
            "does not limit leaves; leave min_samples_leaf out",
        ),
    ):
        if wrong:
            raise ValueError(
                f'solver="quant-bnb" {what}, or use solver="threshold", which does.'
            )
    for column in task.table.columns:
        if column.has_missing and np.any(task.table.engine.kinds != 0):
            raise ValueError(
                f'solver="quant-bnb" makes binary splits only, but the column '
                f"{column.name!r} has missing values that are to have a branch of "
                'their own; use missing="best-side", or solver="threshold".'
            )
        if column.is_categorical:
            raise ValueError(
                f'solver="quant-bnb" takes numbers only, but the column '
                f'{column.name!r} is categorical; use solver="threshold".'
            )

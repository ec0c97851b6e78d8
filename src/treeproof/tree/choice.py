"""How the nodes of a tree choose their predictions."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Choice"]


class Choice(Protocol):
    """How the nodes of a tree choose their predictions.

    Examples
    --------
    >>> class Always:
    ...     actions, measure = np.array(["yes"]), "cost"
    ...     def choose(self, rows):
    ...         return 0, 1.0
    >>> choice: Choice = Always()
    >>> choice.choose(np.arange(3))
    (0, 1.0)
    """

    @property
    def actions(self) -> NDArray[Any]:
        """What a leaf may predict."""

    @property
    def measure(self) -> str:
        """What is summed over the rows of a leaf: "errors", "cost" or "reward"."""

    def choose(self, rows: NDArray[np.intp]) -> tuple[int, float]:
        """Return the best action for some rows, and its mean cost."""

"""An objective of one's own: how much to order, given what is thrown away or missed.

A leaf says a quantity. For a day on which more was ordered than sold the rest spoils,
and for a day on which less was ordered customers go home. That is one number for each
row and each thing that a leaf may say, and a table of such numbers is all that an
objective of finitely many actions needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def order_costs(
    demand: NDArray[np.float64],
    quantities: NDArray[np.float64],
    spoiled: float = 1.0,
    missed: float = 3.0,
) -> NDArray[np.float64]:
    """Return what each quantity costs for each row."""
    left = quantities[None, :] - demand[:, None]
    return np.where(left > 0, spoiled * left, missed * -left)

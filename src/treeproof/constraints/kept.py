"""How a fitted tree keeps its constraints."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Kept"]


@dataclass(frozen=True)
class Kept:
    """The value of one limited rate or amount for a fitted tree.

    Attributes
    ----------
    name : str
        What is limited.
    value : float
        The value for the tree, on the training rows.
    at_most : float
        The highest value that is allowed.
    price : float
        How much the least cost falls if the limit is raised by one, as estimated by the
        prices of the lower bound; 0 if the limit costs nothing.
    """

    name: str
    value: float
    at_most: float
    price: float

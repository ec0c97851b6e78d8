"""The exception with which a checker rejects a proof. Part of the checker."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


class Rejected(Exception):
    """The proof does not hold."""


def require(holds: object, otherwise: str) -> None:
    """Raise Rejected with this sentence unless something holds."""
    if not holds:
        raise Rejected(otherwise)

"""The gap at which a search may end before its tree is proved optimal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["GapTolerance"]


@dataclass(frozen=True)
class GapTolerance:
    """A search may end if the gap is at most ``absolute + relative * cost``.

    Examples
    --------
    >>> GapTolerance.read("5%")
    GapTolerance(absolute=0.0, relative=0.05)
    >>> GapTolerance.read(0.01).in_words()
    '0.01'
    """

    absolute: float = 0.0
    relative: float = 0.0

    @classmethod
    def read(cls, given: Any) -> GapTolerance:
        """Return the tolerance that the parameter ``tolerance`` states."""
        relative = isinstance(given, str) and given.strip().endswith("%")
        try:
            amount = float(given.strip()[:-1]) / 100 if relative else float(given)
        except ValueError:
            amount = -1.0
        if not 0 <= amount < (1.0 if relative else float("inf")):
            raise ValueError(
                f"tolerance={given!r} is neither a gap nor a percentage; pass a number "
                'such as 0.01, or a share of the cost such as "5%".'
            )
        return cls(relative=amount) if relative else cls(absolute=amount)

    def in_words(self) -> str:
        """Return the tolerance as the user wrote it."""
        if self.relative:
            return f"{100 * self.relative:g}% of the cost"
        return f"{self.absolute:g}"

    def in_fractions(self, factor: float, offset: float) -> tuple[float, float]:
        """Return both parts for costs that equal ``factor * fraction + offset``."""
        if factor <= 0:
            return (0.0, 0.0)
        return ((self.absolute + self.relative * offset) / factor, self.relative)

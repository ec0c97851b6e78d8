"""What the searches of a path have proved about trees of small depth."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from treeproof.path.envelope import least_between

__all__ = ["LevelBounds"]


class LevelBounds:
    """Lower bounds on the costs of trees up to some depth, at several split costs.

    The least cost of the trees of a level is a concave function of the split cost, so
    that bounds at two split costs give one everywhere between them. A bound for a level
    holds for all levels that are flatter.

    Examples
    --------
    >>> bounds = LevelBounds()
    >>> bounds.add(3, 10, 40)
    >>> bounds.add(3, 20, 60)
    >>> bounds.lower(2, Fraction(15))
    Fraction(50, 1)
    """

    def __init__(self) -> None:
        self._known: dict[int, dict[Fraction, Fraction]] = {}

    @property
    def depths(self) -> list[int]:
        """The levels of which something is known."""
        return sorted(self._known)

    def add(
        self, depth: int, split_cost: int | Fraction, lower: int | Fraction
    ) -> None:
        """Record that no tree of at most this depth costs less at a split cost."""
        known = self._known.setdefault(depth, {})
        at = Fraction(split_cost)
        known[at] = max(known.get(at, Fraction(0)), Fraction(lower))

    def update(self, depth: int, known: Iterable[tuple[Fraction, Fraction]]) -> None:
        """Record several bounds of a level, as pairs of a split cost and a bound."""
        for split_cost, lower in known:
            self.add(depth, split_cost, lower)

    def lower(self, depth: int, split_cost: Fraction) -> Fraction:
        """Return a bound on the cost of all trees of at most this depth."""
        points: list[tuple[Fraction, Fraction]] = []
        for level, known in self._known.items():
            if level >= depth:
                points += known.items()
        return least_between(points, split_cost)

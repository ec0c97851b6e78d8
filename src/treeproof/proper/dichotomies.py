"""All ways in which hyperplanes can separate points, in any position.

Take a hyperplane that separates some points and move it until it is pinned by D of
them. Points off the pinned hyperplane H keep their sides; the points on it were
separated by the original hyperplane too, which meets H in a hyperplane of H. So

    dichotomies(P) = the union over all H spanned by points of P of
                     { points above H } + dichotomies(points on H, inside H),

a recursion that loses a dimension each time. In general position exactly D points lie
on H and they can be assigned in all 2^D ways; if more lie on it (collinear points in
the plane) only some assignments are possible, and the recursion finds exactly those.
The argument needs only that P spans its space: one passes to the affine hull first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from treeproof.proper.exact import Point, affine_columns, hyperplane_through
from treeproof.proper.rule import Bits, bits, rows_of

Hyperplane = tuple[tuple[Fraction, ...], Fraction]


@dataclass(frozen=True)
class Cut:
    """One way to separate a set of points.

    Parameters
    ----------
    positive : int
        The points on the positive side, as bits.
    sites : int
        The points that span the hyperplane, as bits.
    normal, offset
        A hyperplane that separates strictly: ``normal . point - offset`` is positive
        for the points on the positive side and negative for the others. It is the
        spanned hyperplane tilted a little.
    """

    positive: Bits
    sites: Bits
    normal: tuple[Fraction, ...]
    offset: Fraction


class Arrangement:
    """The dichotomies of distinct points and of all subsets that lie in a flat.

    Parameters
    ----------
    points : sequence of points
        Distinct, with exact coordinates.

    Examples
    --------
    >>> from treeproof.proper.exact import exact_points
    >>> collinear = Arrangement(exact_points([[0, 0], [1, 1], [2, 2]]))
    >>> sorted(collinear.sides(0b111))
    [0, 1, 3, 4, 6, 7]
    """

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = points
        self._cuts: dict[Bits, list[Cut]] = {}

    def dimension(self, flat: Bits) -> int:
        """Return the dimension of the affine hull of some points."""
        return len(affine_columns([self.points[i] for i in rows_of(flat)]))

    def sides(self, flat: Bits) -> set[Bits]:
        """Return all sides that hyperplanes have among the points of a flat."""
        everything = {0, flat}
        for cut in self.cuts(flat):
            everything |= {cut.positive, flat ^ cut.positive}
        return everything

    def cuts(self, flat: Bits) -> list[Cut]:
        """Return every cut of the points of a flat, with the points that pin it."""
        if flat not in self._cuts:
            self._cuts[flat] = list(self._find_cuts(flat))
        return self._cuts[flat]

    def flats(self) -> Iterator[Bits]:
        """Yield the flats spanned by two points or more, as the points they contain."""
        n = len(self.points)
        top = self.dimension((1 << n) - 1)
        seen = set()
        for dimension in range(1, top + 1):
            for chosen in combinations(range(n), dimension + 1):
                flat = self._closure(chosen, dimension)
                if flat is not None and flat not in seen:
                    seen.add(flat)
                    yield flat

    def _closure(self, chosen: tuple[int, ...], dimension: int) -> Bits | None:
        spanning = [self.points[i] for i in chosen]
        if len(affine_columns(spanning)) < dimension:
            return None
        return bits(
            i
            for i, point in enumerate(self.points)
            if i in chosen or len(affine_columns([*spanning, point])) == dimension
        )

    def _find_cuts(self, flat: Bits) -> Iterator[Cut]:
        rows = list(rows_of(flat))
        columns = affine_columns([self.points[i] for i in rows])
        for chosen in combinations(rows, len(columns)) if columns else ():
            found = hyperplane_through(
                [tuple(self.points[i][j] for j in columns) for i in chosen]
            )
            if found is None:
                continue
            normal = [Fraction(0)] * len(self.points[0])
            for j, w in zip(columns, found[0], strict=True):
                normal[j] = Fraction(w)
            pinned = (tuple(normal), Fraction(found[1]))
            height = {i: _height(pinned, self.points[i]) for i in rows}
            above = bits(i for i in rows if height[i] > 0)
            on = bits(i for i in rows if height[i] == 0)
            clearance = min((abs(h) for h in height.values() if h), default=Fraction(1))
            for side, tilt in self._tilts(on):
                if above | side not in (0, flat):
                    lift = max(abs(_height(tilt, self.points[i])) for i in rows)
                    nudged = _tilt(pinned, tilt, clearance / 2 / lift)
                    yield Cut(above | side, bits(chosen), *nudged)

    def _tilts(self, on: Bits) -> Iterator[tuple[Bits, Hyperplane]]:
        """Yield every side that points on a hyperplane can form, with a separator."""
        zero = (Fraction(0),) * len(self.points[0])
        yield 0, (zero, Fraction(1))
        yield on, (zero, Fraction(-1))
        seen = {0, on}
        for cut in self.cuts(on):
            for side, sign in ((cut.positive, 1), (on ^ cut.positive, -1)):
                if side not in seen:
                    seen.add(side)
                    normal = tuple(sign * w for w in cut.normal)
                    yield side, (normal, sign * cut.offset)


def _height(plane: Hyperplane, point: Point) -> Fraction:
    normal, offset = plane
    return sum((w * x for w, x in zip(normal, point, strict=True)), -offset)


def _tilt(plane: Hyperplane, other: Hyperplane, share: Fraction) -> Hyperplane:
    (w, c), (v, d) = plane, other
    return tuple(a + share * b for a, b in zip(w, v, strict=True)), c + share * d

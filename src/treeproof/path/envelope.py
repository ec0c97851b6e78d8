"""The lower envelope of all trees' costs, found with few searches.

A tree with `errors` that pays `penalties` costs ``errors + penalties * L`` at a split
cost of L: a line in L. The least cost of any tree, f(L), is the lower envelope of these
lines, concave and piecewise linear. To know it on an interval it is enough to solve at
both ends, to intersect the two trees' lines, and to solve there: a better tree parts
the interval in two, and if there is none, the two trees share it. Eisner and
Severance (1976) enumerate the solutions of a parametric problem in this way.

Costs are the whole numbers of the engine: split costs are whole, errors are multiples
of `error_unit`. Intersections are fractions. The engine is asked at the nearest whole
split cost, which settles the intersection itself as well: if a third tree were better
there, its line would cross one of the two others less than one unit away, and two
crossings with denominators of at most q lie at least error_unit / q**2 apart. Where q
is too large for this, both neighbours are asked, and the path is exact at every split
cost that the engine can express.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

__all__ = [
    "Envelope", "Segment", "Solution", "least_between", "segments_of", "stages",
    "trace",
]  # fmt: skip

EXACT = Fraction(0)


@dataclass(frozen=True)
class Solution:
    """The result of a search at one split cost."""

    split_cost: int
    errors: int
    penalties: int  # how often the split cost is charged
    lower: int
    proved: bool  # no tree is better at this split cost
    answer: Any = field(repr=False, compare=False)

    def at(self, split_cost: Fraction | int) -> Fraction | int:
        """Return the cost of the tree at another split cost."""
        return self.errors + self.penalties * split_cost


@dataclass(frozen=True)
class Segment:
    """A tree and the split costs at which no other tree found is better."""

    low: Fraction
    high: Fraction
    solution: Solution


@dataclass
class Envelope:
    """The segments in the order of increasing split cost, and what is proved.

    `known` are pairs (split cost, lower bound on every tree's cost there), which give a
    bound everywhere (`least_between`).
    """

    segments: list[Segment]
    known: list[tuple[Fraction, Fraction]]
    n_searches: int
    solutions: list[Solution]
    complete: bool  # False if a limit has ended the search

    @property
    def proved(self) -> bool:
        """Whether no tree is better anywhere."""
        return all(self.gap(segment)[0] == 0 for segment in self.segments)

    def joined(
        self,
        others: list[Solution],
        known: Iterable[tuple[Fraction, Fraction]],
        low: int,
        high: int,
    ) -> Envelope:
        """Return the envelope after adding trees and bounds that are known otherwise.

        Parameters
        ----------
        others : list of Solution
            Trees that were found elsewhere.
        known : iterable of pairs
            Split costs, and lower bounds on every tree's cost there.
        low, high : int
            The range of split costs.
        """
        solutions = [*self.solutions, *others]
        bounds = dict(self.known)
        for split_cost, lower in known:
            bounds[split_cost] = max(bounds.get(split_cost, lower), lower)
        return replace(
            self,
            segments=segments_of(solutions, low, high),
            known=sorted(bounds.items()),
            solutions=solutions,
        )

    def lower(self, split_cost: Fraction) -> Fraction:
        """Return a lower bound on the cost of all trees at this split cost."""
        return least_between(self.known, split_cost)

    def gap(self, segment: Segment) -> tuple[Fraction, Fraction]:
        """Return the largest gap on a segment, and a split cost at which it occurs.

        Bounds of real-valued costs may exceed a cost by the tolerance.
        """
        inner = [x for x, _ in self.known if segment.low < x < segment.high]
        return max(
            (max(segment.solution.at(x) - self.lower(x), Fraction(0)), -x)
            for x in (segment.low, *inner, segment.high)
        )


def least_between(
    points: Iterable[tuple[Fraction, Fraction]], split_cost: Fraction
) -> Fraction:
    """Return a lower bound at a split cost, from those at others.

    The least cost of any set of trees is a concave function of the split cost that does
    not fall and is never negative. A bound anywhere is therefore the least concave
    function above the bounds that are known.

    Parameters
    ----------
    points : iterable of pairs
        Split costs, and bounds there.
    split_cost : Fraction
        Where a bound is wanted.

    Examples
    --------
    >>> known = [(Fraction(10), Fraction(40)), (Fraction(20), Fraction(60))]
    >>> [str(least_between(known, Fraction(x))) for x in (5, 15, 30)]
    ['20', '50', '60']
    """
    hull = [(Fraction(0), Fraction(0))]
    for x, y in sorted(points):
        if y < hull[-1][1]:  # no tree costs less where splits cost more
            continue
        if x == hull[-1][0]:
            hull.pop()
        while len(hull) > 1 and _below(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    for (x0, y0), (x1, y1) in pairwise(hull):
        if split_cost <= x1:
            return y0 + (y1 - y0) * (split_cost - x0) / (x1 - x0)
    return hull[-1][1]


def _below(
    a: tuple[Fraction, Fraction],
    b: tuple[Fraction, Fraction],
    c: tuple[Fraction, Fraction],
) -> bool:
    """Whether a point is not above the line between its neighbours."""
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])


def trace(
    solve: Callable[[int, int], Solution],
    low: int,
    high: int,
    error_unit: int,
    tolerance: Fraction = EXACT,
) -> Envelope:
    """Return the envelope between two split costs.

    ``solve(split_cost, lower)`` searches at a split cost, given a lower bound on the
    answer. Between solutions that are not proved, no further trees are searched for;
    but every stage has its search, with the remaining time. A tree counts as better
    only if it is better by more than `tolerance` times the cost.
    """
    tracer = _Tracer(solve, error_unit, tolerance)
    right = tracer.search(high, 0)
    for split_cost in stages(low, high):
        left = tracer.search(split_cost, 0)
        if not tracer.stopped:
            tracer.close(left, right)
        right = left
    return Envelope(
        segments_of(tracer.solutions, low, high),
        sorted(tracer.known.items()),
        tracer.n_searches,
        tracer.solutions,
        not tracer.stopped,
    )


def stages(low: int, high: int) -> list[int]:
    """Return the split costs at which the stages of the path end.

    Searches take longer for smaller split costs. If a limit ends the last stage, the
    earlier stages are still proved.
    """
    inner = [high // 4**k for k in range(1, 5)]
    return [x for x in inner if x > 2 * low] + ([low] if low < high else [])


class _Tracer:
    def __init__(
        self,
        solve: Callable[[int, int], Solution],
        error_unit: int,
        tolerance: Fraction,
    ) -> None:
        self.solve = solve
        self.error_unit = error_unit
        self.tolerance = tolerance
        self.solutions: list[Solution] = []
        self.known: dict[Fraction, Fraction] = {}
        self.n_searches = 0
        self.stopped = False

    def search(self, split_cost: int, lower: int) -> Solution:
        found = self.solve(split_cost, lower)
        self.n_searches += 1
        self.solutions.append(found)
        self.stopped |= not found.proved
        bound = found.at(split_cost) if found.proved else found.lower
        self.known[Fraction(split_cost)] = Fraction(bound)
        return found

    def close(self, left: Solution, right: Solution) -> None:
        """Find every tree between two solutions, given by increasing split cost."""
        stack = [(left, right)]
        while stack and not self.stopped:
            a, b = stack.pop()
            q = a.penalties - b.penalties
            if q == 0:
                # both have the same cost line; no tree lies below it
                continue
            crossing = Fraction(b.errors - a.errors, q)
            if not a.split_cost < crossing < b.split_cost:
                # optimal at both ends, so also in between (concavity)
                continue
            better = self._between(a, b, crossing)
            if better is None:
                if not self.stopped:
                    self.known[crossing] = Fraction(a.at(crossing))
            else:
                stack += [(better, b), (a, better)]

    def _between(self, a: Solution, b: Solution, crossing: Fraction) -> Solution | None:
        """Return a tree that is better than both at the crossing, if there is one."""
        q = a.penalties - b.penalties
        nearest = {round(crossing)}
        if q * q >= self.error_unit and self.tolerance == EXACT:
            nearest = {crossing.numerator // crossing.denominator}
            nearest |= {-(-crossing.numerator // crossing.denominator)}
        for split_cost in sorted(nearest - {a.split_cost, b.split_cost}):
            best = min(a.at(split_cost), b.at(split_cost))
            lower = self._least(a, b, split_cost)
            if lower >= best:
                continue  # no integer numbers of errors and penalties lie below
            found = self.search(split_cost, lower)
            if found.at(split_cost) < best - self.tolerance * best:
                return found
            if self.stopped:
                return None
        return None

    def _least(self, a: Solution, b: Solution, split_cost: int) -> int:
        """Return the lowest possible cost of a third tree between the two.

        Its cost line cannot be below that of `a` where `a` is optimal, nor below that
        of `b` where `b` is, and its number of penalties is between theirs.
        """
        unit, best = self.error_unit, min(a.at(split_cost), b.at(split_cost))
        least = best
        for penalties in range(b.penalties + 1, a.penalties):
            errors = max(
                a.at(a.split_cost) - penalties * a.split_cost,
                b.at(b.split_cost) - penalties * b.split_cost,
            )
            errors = -(-errors // unit) * unit
            least = min(least, errors + penalties * split_cost)
        return int(least)


def segments_of(solutions: list[Solution], low: int, high: int) -> list[Segment]:
    """Return which tree is best on which interval, among all trees found."""
    lines = {(s.penalties, s.errors): s for s in reversed(solutions)}
    # start of the interval, and the best tree from there on
    hull: list[tuple[Fraction, Solution]] = []
    order = sorted(lines, key=lambda line: (-line[0], line[1]))
    for line in order:
        s = lines[line]
        start = Fraction(low)
        while hull:
            since, top = hull[-1]
            if s.penalties == top.penalties:
                # the same number of penalties, and no fewer errors
                start = Fraction(high) + 1
                break
            start = Fraction(s.errors - top.errors, top.penalties - s.penalties)
            if start > since:
                break
            hull.pop()
            start = Fraction(low)
        if start < high or not hull:
            hull.append((max(start, Fraction(low)), s))
    ends = [since for since, _ in hull[1:]] + [Fraction(high)]
    return [Segment(since, end, s) for (since, s), end in zip(hull, ends, strict=True)]

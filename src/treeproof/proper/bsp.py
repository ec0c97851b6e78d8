"""Optimal binary space partitions of line segments.

An auto-partition cuts the plane along the segments themselves, extended to lines, until
every piece of every segment lies on a cut. A line that crosses other segments cuts
them, so the number of rules grows on the way down and depends on the order; the aim is
the smallest tree (Section 5.1). The `splits` function does the cutting, in exact
arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.proper.exact import exact_points
from treeproof.proper.objective import tree_size
from treeproof.proper.recursion import Solution, keep_data
from treeproof.proper.sodt import sodt
from treeproof.proper.splits import Split
from treeproof.proper.tree import level_order

MAX_SEGMENTS = 12

Corner = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Segment:
    """A segment, or a piece of one, with the number of the segment it comes from."""

    start: Corner
    end: Corner
    origin: int

    def side(self, point: Corner) -> Fraction:
        """Return the side of a point: positive is left of the line, 0 is on it."""
        (ax, ay), (bx, by) = self.start, self.end
        return (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)


@dataclass(frozen=True)
class SpacePartition(Solution):
    """A binary space partition; nodes hold the pieces along whose lines they cut."""

    segments: tuple[Segment, ...]

    @property
    def n_pieces(self) -> int:
        """Count the cuts, which is the number of pieces unless some share a line."""
        return len(level_order(self.tree))

    def plot(self, ax: Any = None) -> Any:
        """Draw the segments and the cuts that make the cells."""
        from treeproof.proper.plot import draw_space_partition

        return draw_space_partition(self.tree, self.segments, ax)


def optimal_bsp(segments: Sequence[Any]) -> SpacePartition:
    """Find the smallest auto-partition of segments in the plane.

    Parameters
    ----------
    segments : sequence of ((x1, y1), (x2, y2))

    Returns
    -------
    SpacePartition
        Its `cost` is the number of nodes and leaves together.

    Raises
    ------
    ValueError
        If a segment has no length, or there are too many to be solved exactly.

    Examples
    --------
    >>> cross = [((0, 0), (2, 2)), ((0, 2), (2, 0))]
    >>> best = optimal_bsp(cross)
    >>> best.cost, best.n_pieces
    (7, 3)
    """
    if len(segments) > MAX_SEGMENTS:
        raise ValueError(
            f"{len(segments)} segments may be cut in up to {len(segments)}! orders; an "
            f"exact partition takes at most {MAX_SEGMENTS}, so use fewer segments"
        )
    pieces = []
    for origin, ends in enumerate(segments):
        if [np.size(corner) for corner in ends] != [2, 2]:
            raise ValueError(
                f"segment {origin} is {ends!r}; give its two ends, ((x1, y1), (x2, y2))"
            )
        start, end = exact_points(ends)
        if start == end:
            raise ValueError(f"segment {origin} has no length: both ends are {ends[0]}")
        pieces.append(Segment((start[0], start[1]), (end[0], end[1]), origin))
    found = sodt(
        tuple(pieces),
        None,
        tree_size(),
        splits=bsp_splits,
        divide=keep_data,
        memo_key=lambda part, data, level: frozenset(part),
    )
    assert found is not None
    return SpacePartition(found.value, found.tree, tuple(pieces))


def bsp_splits(pieces: tuple[Segment, ...]) -> Iterator[Split]:
    """Yield a cut along each piece; it takes away all pieces on the same line.

    Examples
    --------
    >>> a = Segment((0, 0), (1, 0), 0)
    >>> b = Segment((3, 1), (3, -1), 1)
    >>> [(len(u), root.origin, len(v)) for u, root, v in bsp_splits((a, b))]
    [(1, 0, 1), (0, 1, 1)]
    """
    for root in pieces:
        left, right = [], []
        for piece in pieces:
            above, below = cut(root, piece)
            left += [above] if above else []
            right += [below] if below else []
        yield tuple(left), root, tuple(right)


def cut(line: Segment, piece: Segment) -> tuple[Segment | None, Segment | None]:
    """Return the parts of a piece to the left and to the right of a line.

    Both are None for a piece that lies on the line.

    Examples
    --------
    >>> left, right = cut(Segment((0, 0), (1, 0), 0), Segment((0, 1), (0, -1), 1))
    >>> left.end
    (Fraction(0, 1), Fraction(0, 1))
    """
    s, e = line.side(piece.start), line.side(piece.end)
    if s >= 0 and e >= 0:
        return (piece if s or e else None), None
    if s <= 0 and e <= 0:
        return None, piece
    share = Fraction(s) / (s - e)
    (ax, ay), (bx, by) = piece.start, piece.end
    middle = (ax + share * (bx - ax), ay + share * (by - ay))
    first = Segment(piece.start, middle, piece.origin)
    second = Segment(middle, piece.end, piece.origin)
    return (first, second) if s > 0 else (second, first)

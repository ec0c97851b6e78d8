"""Margins that grow until there are enough trees within them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log

__all__ = ["growing_margins"]

_TIMES = 4  # growth of the number of trees per margin, if no number is asked for
_SPARE = 1.5  # the growth slows down; and too large a margin takes the most time
_LONGEST = 3  # the longest step, in multiples of the step before
_MANY = 50  # if more trees than this are wanted, a margin of 0 is not tried


def growing_margins(
    last: int, step: int, counted: Callable[[], int], wanted: int | None
) -> Iterator[int]:
    """Yield growing margins, up to the last one.

    The number of trees grows about exponentially with the margin, and so does the time
    to count them. Each margin is therefore predicted from the numbers of trees within
    the two margins before it, so that it contains hardly more trees than are wanted.

    Parameters
    ----------
    last : int
        The largest margin.
    step : int
        The first margin after 0.
    counted : callable
        Returns the number of trees within the margin that was yielded last.
    wanted : int or None
        The number of trees that are wanted; None to increase it step by step.

    Examples
    --------
    >>> found = iter([1, 10, 100, 500])
    >>> list(growing_margins(100, 10, lambda: next(found), 1000))
    [10, 40, 100]
    """
    margin, length, before, n_before = 0, step, 0, 1
    if wanted is not None and wanted > _MANY:
        margin = min(step, last)
    while True:
        yield margin
        if margin >= last:
            return
        n = max(counted(), 1)
        more = float(step)
        if margin > 0:
            goal = _TIMES * n if wanted is None else max(wanted, 1.1 * n)
            rate = log(max(n / n_before, 1.05)) / (margin - before)
            more = _SPARE * log(goal / n) / rate
            more = min(max(more, length / 4), _LONGEST * length)
        length = max(int(more), 1)
        before, n_before = margin, n
        margin = min(margin + length, last)

"""One time limit and one warning for many searches."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from sklearn.exceptions import ConvergenceWarning

__all__ = ["Budget", "one_warning"]

_LEAST = 1e-3  # seconds; a search that gets less still returns its first tree


class Budget:
    """Seconds that are shared out to one piece of work after another.

    Parameters
    ----------
    seconds : float or None
        What there is from now on; None for no limit.

    Examples
    --------
    >>> Budget(None).share(0.5) is None
    True
    >>> 4.9 < Budget(10.0).share(0.5) <= 5.0
    True
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else monotonic() + seconds

    def share(self, part: float) -> float | None:
        """Return a part of the time that is left; None if there is no limit."""
        if self._end is None:
            return None
        return max(part * (self._end - monotonic()), _LEAST)


@contextmanager
def one_warning(what: str) -> Iterator[None]:
    """Say once, at the end, how many searches in a block a limit has ended early.

    Parameters
    ----------
    what : str
        Whose searches they were.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    stopped = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    for other in caught:
        if other not in stopped:
            warnings.warn_explicit(
                other.message, other.category, other.filename, other.lineno
            )
    if stopped:
        warnings.warn(
            f"{what}: a limit ended {len(stopped)} of the paths before they were "
            f"proved, so the trees compared may not be the best ones. Raise the "
            f"estimator's time_limit, set its max_depth to 3 or 4, or raise `low`. "
            f"The first of them said: {stopped[0].message}",
            ConvergenceWarning,
            stacklevel=4,
        )

"""One time limit and one warning for many searches."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from sklearn.exceptions import ConvergenceWarning

from treeproof.notices import warn_user

__all__ = ["Budget", "one_warning"]

# minimum time of a search in seconds; even then it returns its first tree
_LEAST = 1e-3


class Budget:
    """A time budget that is divided among several pieces of work.

    Parameters
    ----------
    seconds : float or None
        The time available from now on; None for no limit.

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
        """Return a share of the remaining time; None if there is no limit.

        A search gets a moment even if no time is left.
        """
        left = self.left()
        return None if left is None else max(part * left, _LEAST)

    def left(self) -> float | None:
        """Return the remaining time, negative once it is over; None for no limit."""
        return None if self._end is None else self._end - monotonic()


@contextmanager
def one_warning(what: str) -> Iterator[None]:
    """Issue one warning at the end instead of one for each search that was stopped.

    Other warnings that several searches repeat, such as those about a column of the
    table, are issued once as well.

    Parameters
    ----------
    what : str
        The name of the estimator or function to which the searches belong.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    stopped = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    others: dict[str, warnings.WarningMessage] = {}
    for told in caught:
        if told not in stopped:
            others.setdefault(str(told.message), told)
    for other in others.values():
        warnings.warn_explicit(
            other.message, other.category, other.filename, other.lineno
        )
    if stopped:
        warn_user(
            f"{what}: a limit ended {len(stopped)} of the paths before they were "
            f"proved, so the trees compared may not be the best ones. Raise the "
            f"estimator's time_limit, set its max_depth to 3 or 4, or raise `low`. "
            f"The first of them said: {stopped[0].message}",
            ConvergenceWarning,
        )

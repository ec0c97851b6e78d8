"""Stopping a search from another thread, by a button or by any other condition.

Ctrl-C reaches only the main thread. A fit in another thread is stopped by a condition
that `stop_when` installs around it. The native searches call `stop_wanted` about forty
times a second, when they also check the clock and Ctrl-C, and stop in the same way as
for Ctrl-C: the best tree found so far is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["stop_wanted", "stop_when"]

_conditions: ContextVar[tuple[Callable[[], bool], ...]] = ContextVar(
    "treeproof_stop_conditions", default=()
)


@contextmanager
def stop_when(condition: Callable[[], bool]) -> Iterator[None]:
    """Stop all searches in a block as soon as a condition holds.

    Parameters
    ----------
    condition : callable
        A function without arguments; the search stops once it returns True. It is
        called from the thread that fits and should be fast, such as
        ``threading.Event().is_set``.

    Examples
    --------
    >>> import threading, warnings
    >>> from treeproof import OptimalTreeClassifier, stop_when
    >>> from treeproof.datasets import make_planted_tree
    >>> X, y = make_planted_tree(
    ...     1000, n_features=60, n_splits=8, label_noise=0.2, random_state=0,
    ...     return_X_y=True,
    ... )
    >>> button = threading.Event()
    >>> button.set()  # normally pressed by another thread while the search runs
    >>> with stop_when(button.is_set), warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     clf = OptimalTreeClassifier(time_limit=None).fit(X, y)
    >>> clf.status_, clf.n_splits_ > 0
    ('interrupted', True)
    """
    token = _conditions.set((*_conditions.get(), condition))
    try:
        yield
    finally:
        _conditions.reset(token)


def stop_wanted() -> bool:
    """Return whether a condition around this fit holds; the searches call this."""
    return any(condition() for condition in _conditions.get())

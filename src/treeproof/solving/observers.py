"""The observers of a search: the history of a fit, the progress line, the caller.

A search reports (kind, seconds, lower bound, cost, nodes) whenever a bound moves.
`observing` passes these events to everyone who wants them: always to the `History`
that becomes ``history_`` of the estimator, to the progress line if ``verbose`` is set,
and to the functions that `watch` has installed around the fit. Levels of depth and
better trees go, as they are settled and found, to those that `watch_ladder` has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from treeproof.solving.certificates import Certificate, certificate_of
from treeproof.solving.progress import ProgressLine
from treeproof.tree import Tree

__all__ = [
    "Climber",
    "History",
    "Observer",
    "climbing",
    "observing",
    "showing_progress",
    "watch",
    "watch_ladder",
    "watchers",
]

Observer = Callable[[int, float, float, float, int], None]
"""Called with event kind, seconds, lower bound, cost and nodes so far."""

_watching: ContextVar[tuple[Callable[..., None], ...]] = ContextVar(
    "treeproof_watching", default=()
)


Climber = Callable[[Certificate | Tree], None]
"""Called with every level that is settled, and with every tree that is better."""

_climbers: ContextVar[tuple[Climber, ...]] = ContextVar(
    "treeproof_climbers", default=()
)
# those that also want to know the bound of the level at work, and no trees
_followers: ContextVar[tuple[Climber, ...]] = ContextVar(
    "treeproof_followers", default=()
)


@dataclass
class History:
    """The bounds of a fit over time, one entry for each change.

    Attributes
    ----------
    seconds, lower, upper : list of float
        The time of each change, and the lower and upper bound at that time.
    nodes : list of int
        The number of subproblems examined so far.
    levels : list of Certificate
        What was proved about each depth, and when; empty for searches of one depth.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[0], [1]], [0, 1])
    >>> clf.history_.lower[-1] == clf.history_.upper[-1] == clf.objective_
    True
    """

    seconds: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    levels: list[Certificate] = field(default_factory=list)

    def __call__(
        self, kind: int, seconds: float, lower: float, upper: float, nodes: int
    ) -> None:
        """Record one event of the search."""
        self.seconds.append(seconds)
        self.lower.append(lower)
        self.upper.append(upper)
        self.nodes.append(nodes)

    def finish(
        self,
        seconds: float,
        lower: float,
        upper: float,
        levels: Sequence[Certificate] = (),
    ) -> None:
        """Add the final bounds of the certificate at the end of the search."""
        self.levels = list(levels)
        last = max([seconds, *self.seconds[-1:]])
        self(-1, last, lower, upper, self.nodes[-1] if self.nodes else 0)
        # there were no events because the answer was immediate
        if len(self.seconds) == 1:
            self.seconds.insert(0, 0.0)
            self.lower.insert(0, lower)
            self.upper.insert(0, upper)
            self.nodes.insert(0, 0)

    def plot(self, ax: Any = None) -> Any:
        """Draw the bounds against time; see `treeproof.picture.bounds.plot_bounds`."""
        from treeproof.picture.bounds import plot_bounds

        return plot_bounds(self, ax)


@contextmanager
def watch(observer: Observer) -> Iterator[None]:
    """Call a function with the events of all fits in a block.

    Parameters
    ----------
    observer : callable
        Called with the kind of the event, the seconds, the lower bound, the cost
        and the number of subproblems so far. An exception that it raises stops the
        search and is raised by `fit`. KeyboardInterrupt is an exception to this rule:
        like Ctrl-C, it stops the search and keeps the best tree.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier, watch
    >>> seen = []
    >>> with watch(lambda kind, seconds, lower, upper, nodes: seen.append(upper)):
    ...     clf = OptimalTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> seen == sorted(seen, reverse=True)  # costs only get better
    True
    """  # noqa: E501
    token = _watching.set((*_watching.get(), observer))
    try:
        yield
    finally:
        _watching.reset(token)


def watchers() -> tuple[Observer, ...]:
    """Return the functions that `watch` has installed around this block.

    Examples
    --------
    >>> watchers()
    ()
    """
    return _watching.get()


@contextmanager
def watch_ladder(climber: Climber) -> Iterator[None]:
    """Call a function with the levels and trees of all fits in a block.

    Parameters
    ----------
    climber : callable
        Called with a `Certificate` whenever a level of depth is settled, and with a
        `Tree` whenever a better one is found, while the search goes on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier
    >>> seen = []
    >>> with watch_ladder(seen.append):
    ...     clf = OptimalTreeClassifier().fit(*load_iris(return_X_y=True))
    >>> trees = [news for news in seen if isinstance(news, Tree)]
    >>> trees[-1].n_splits == clf.tree_.n_splits
    True
    """
    token = _climbers.set((*_climbers.get(), climber))
    try:
        yield
    finally:
        _climbers.reset(token)


def climbing(
    grow: Callable[[Any], Tree], translate: Callable[[Any], Any] = lambda news: news
) -> Callable[[str, Any], None] | None:
    """Return the function that a search calls with levels and trees; None if unused.

    `grow` makes a tree of the splits that the search has found, and `translate` states
    the costs of a level in the user's unit.

    Examples
    --------
    >>> climbing(grow=lambda splits: splits) is None
    True
    """
    climbers, followers = _climbers.get(), _followers.get()
    if not climbers and not followers:
        return None

    def tell_all(kind: str, news: Any) -> None:
        told: Any
        if kind == "tree":
            told = grow(news["tree"]) if climbers else None
        else:
            told = certificate_of(translate(news))
        if kind != "open":
            for climber in climbers:
                climber(told)
        if kind != "tree":
            for follower in followers:
                follower(told)

    return tell_all


@contextmanager
def showing_progress(shown: bool) -> Iterator[None]:
    """Show a progress line for the fits in a block.

    Examples
    --------
    >>> with showing_progress(False):
    ...     pass  # nothing is shown
    """
    with ExitStack() as stack:
        if shown:
            line = stack.enter_context(ProgressLine())
            stack.enter_context(watch(line))
            stack.enter_context(_following(line.climb))
        yield


@contextmanager
def _following(follower: Climber) -> Iterator[None]:
    """Call a function with levels that are settled, or that are being proved."""
    token = _followers.set((*_followers.get(), follower))
    try:
        yield
    finally:
        _followers.reset(token)


@contextmanager
def observing(verbose: bool) -> Iterator[tuple[History, Observer]]:
    """Yield the history of a fit and the observer to hand to the search.

    Examples
    --------
    >>> with observing(verbose=False) as (history, observer):
    ...     observer(0, 0.1, 0.2, 0.3, 7)  # as a search does
    >>> history.lower, history.upper
    ([0.2], [0.3])
    """
    history = History()
    with ExitStack() as stack:
        listeners: list[Callable[..., None]] = [history, *_watching.get()]
        if verbose:
            line = stack.enter_context(ProgressLine())
            listeners.append(line)
            stack.enter_context(_following(line.climb))

        best = [-math.inf, math.inf]

        def tell_all(
            kind: int, seconds: float, lower: float, upper: float, nodes: int
        ) -> None:
            # What was proved or found stays so: a search that starts over on a part
            # of its work may speak of a weaker bound for a while.
            best[0], best[1] = max(best[0], lower), min(best[1], upper)
            for listener in listeners:
                listener(kind, seconds, best[0], best[1], nodes)

        yield history, tell_all

"""What a path of penalties and cross-validation show of their progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Self, TypeVar

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.status import Status

from treeproof.solving.observers import Observer, watchers

__all__ = ["FoldsBar", "PathListener"]

_Item = TypeVar("_Item")

_PERIOD = 0.1  # seconds between two updates
_PATIENCE = 10.0  # seconds after which half of the bar's first part is full


class PathListener(ExitStack):
    """Passes on the events of all searches of a path.

    Functions that `treeproof.watch` has installed receive every event, with bounds at
    the penalty of its search; seconds count from the beginning of the path. With
    `shown`, a line on standard error says which search runs and how far it is.

    Use it as a context manager; the line disappears at the end.

    Examples
    --------
    >>> with PathListener(shown=False) as listener:
    ...     tell = listener.begin_search(0.01, max_depth=3)
    ...     tell(0, 0.1, 0.2, 0.3, 7)  # as a search does
    >>> print(PathListener.text(2.0, 4, 0.01, 3, 0.2, 0.3))
    2.0 s   search 4: penalty 0.01, depth 3   cost 0.3000   lower bound 0.2000
    """

    def __init__(self, shown: bool, console: Console | None = None) -> None:
        super().__init__()
        self._watchers = watchers()
        self._begun = time.monotonic()
        self._searches = 0
        self._last = -math.inf
        self._status: Status | None = None
        if shown:
            console = console or Console(stderr=True)
            self._status = console.status("searching", spinner="dots")

    def __enter__(self) -> Self:
        if self._status is not None:
            self.enter_context(self._status)
        return super().__enter__()

    def begin_search(self, penalty: float, max_depth: int | None) -> Observer:
        """Return the observer of the next search."""
        self._searches += 1
        number, before = self._searches, time.monotonic() - self._begun

        def tell(kind: int, seconds: float, low: float, high: float, n: int) -> None:
            for watcher in self._watchers:
                watcher(kind, before + seconds, low, high, n)
            now = time.monotonic()
            if self._status is not None and now - self._last >= _PERIOD:
                self._last = now
                passed = before + seconds
                words = self.text(passed, number, penalty, max_depth, low, high)
                self._status.update(words)

        return tell

    @staticmethod
    def text(
        seconds: float,
        number: int,
        penalty: float,
        max_depth: int | None,
        lower: float,
        upper: float,
    ) -> str:
        """Return the line for one event."""
        depth = "any depth" if max_depth is None else f"depth {max_depth}"
        return (
            f"{seconds:.1f} s   search {number}: penalty {penalty:.3g}, {depth}   "
            f"cost {upper:.4f}   lower bound {lower:.4f}"
        )


class FoldsBar(ExitStack):
    """A bar for the path of all rows, and then for one fold after the other.

    The first part, `whole` of the bar, fills with the time that the path of all rows
    takes, since nobody knows how many searches it will need.

    Use it as a context manager.

    Parameters
    ----------
    shown : bool
        Whether there is a bar at all.
    whole : float
        The share of the bar for the path of all rows.
    seconds : float or None
        The time that this path may take; None for no limit.

    Examples
    --------
    >>> with FoldsBar(False, whole=0.3, seconds=None) as bar:
    ...     print(list(bar.folds([5, 7], 2)))
    [5, 7]
    >>> bar.filled(0.0), FoldsBar(False, whole=0.5, seconds=8.0).filled(4.0)
    (1.0, 0.25)
    """

    def __init__(self, shown: bool, *, whole: float, seconds: float | None) -> None:
        super().__init__()
        self._whole, self._seconds = whole, seconds
        self._folds: float | None = None  # the share of folds that are done
        self._begun = time.monotonic()
        self._bar: _Moving | None = None
        if shown:
            self._bar = _Moving(lambda: self.filled(time.monotonic() - self._begun))

    def __enter__(self) -> Self:
        if self._bar is not None:
            self.enter_context(self._bar)
        return super().__enter__()

    def filled(self, seconds: float) -> float:
        """Return how much of the bar is full after some seconds."""
        if self._folds is not None:
            return self._whole + (1 - self._whole) * self._folds
        if self._seconds is not None:
            return self._whole * min(seconds / self._seconds, 1.0)
        return self._whole * seconds / (seconds + _PATIENCE)

    def folds(self, items: Iterable[_Item], total: int) -> Iterator[_Item]:
        """Yield what folds return, and count them."""
        self._folds = 0.0
        for done, item in enumerate(items, 1):
            self._folds = done / total
            yield item


class _Moving(Progress):
    """A bar that asks how full it is whenever it is drawn."""

    def __init__(self, filled: Callable[[], float]) -> None:
        self._filled = filled
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._row = self.add_task("cross-validation", total=1.0)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Fill the bar, and draw it."""
        for task in self.tasks:
            task.completed = self._filled()
        yield from super().get_renderables()

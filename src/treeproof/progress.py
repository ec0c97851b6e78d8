"""The progress line of ``verbose=True`` and of the command line.

One line on standard error, rewritten a few times a second: elapsed time, best
objective, lower bound, gap, and how fast the search goes. It is fed by the engine's
events.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.progress import track

_Item = TypeVar("_Item")

__all__ = ["ProgressLine", "tracked"]

_PERIOD = 0.1  # seconds between two updates


class ProgressLine:
    """An observer of a search that shows one line on standard error.

    Use it as a context manager; the line disappears at the end.

    Examples
    --------
    >>> from treeproof.progress import ProgressLine
    >>> print(ProgressLine.text(2.0, 0.25, 0.5, 3000))
    2.0 s   objective 0.5000   lower bound 0.2500   gap 0.2500   1500 nodes/s
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._status = self._console.status("searching", spinner="dots")
        self._shown = 0.0

    def __enter__(self) -> ProgressLine:
        self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._status.stop()

    def __call__(
        self, kind: int, seconds: float, lower: float, upper: float, nodes: int
    ) -> None:
        """Take one event of the search."""
        now = time.monotonic()
        if now - self._shown >= _PERIOD:
            self._shown = now
            self._status.update(self.text(seconds, lower, upper, nodes))

    @staticmethod
    def text(seconds: float, lower: float, upper: float, nodes: int) -> str:
        """Return the line for one event."""
        speed = nodes / seconds if seconds > 0 else 0.0
        return (
            f"{seconds:.1f} s   objective {upper:.4f}   lower bound {lower:.4f}   "
            f"gap {upper - lower:.4f}   {speed:.0f} nodes/s"
        )


def tracked(
    items: Iterable[_Item], total: int, what: str, shown: bool
) -> Iterator[_Item]:
    """Yield items, with a bar on standard error that counts them if that is wanted.

    Examples
    --------
    >>> list(tracked([1, 2], 2, "folds", shown=False))
    [1, 2]
    """
    if not shown:
        yield from items
        return
    console = Console(stderr=True)
    yield from track(items, what, total=total, console=console, transient=True)

"""The progress line of ``verbose=True`` and of the command line.

One line on standard error, rewritten a few times a second: elapsed time, best
cost, lower bound, gap, and the depth up to which no tree is better. It is fed by
the engine's events.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console

from treeproof.solving.certificates import Certificate

__all__ = ["ProgressLine"]

_PERIOD = 0.1  # seconds between two updates


class ProgressLine:
    """An observer of a search that shows one line on standard error.

    Use it as a context manager; the line disappears at the end.

    Examples
    --------
    >>> from treeproof.solving.progress import ProgressLine
    >>> print(ProgressLine.text(2.0, 0.25, 0.5, proved=3))
    2.0 s   cost 0.5000   lower bound 0.2500   gap 0.2500   depth 3 proved
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._status = self._console.status("searching", spinner="dots")
        self._shown = 0.0
        self._proved = 0

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
            self._status.update(self.text(seconds, lower, upper, proved=self._proved))

    def climb(self, news: Any) -> None:
        """Record a level that is settled, or a better tree."""
        if isinstance(news, Certificate) and news.optimal and news.max_depth:
            self._proved = news.max_depth

    @staticmethod
    def text(seconds: float, lower: float, upper: float, *, proved: int = 0) -> str:
        """Return the line for one event."""
        level = f"   depth {proved} proved" if proved else ""
        return (
            f"{seconds:.1f} s   cost {upper:.4f}   lower bound {lower:.4f}   "
            f"gap {upper - lower:.4f}{level}"
        )

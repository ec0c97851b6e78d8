"""The progress line of ``verbose=True`` and of the command line.

One line on standard error, rewritten a few times a second: elapsed time, best
cost, lower bound, gap, and the depth up to which no tree is better. It is fed by
the engine's events.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import Any, Self

from rich.console import Console

from treeproof.solving.certificates import Certificate
from treeproof.words import counted

__all__ = ["ProgressLine", "say_result"]

_PERIOD = 0.1  # seconds between two updates


class ProgressLine(ExitStack):
    """An observer of a search that shows one line on standard error.

    Use it as a context manager; the line disappears at the end.

    Examples
    --------
    >>> from treeproof.solving.progress import ProgressLine
    >>> print(ProgressLine.text(2.0, 0.25, 0.5, proved=3))
    2.0 s   cost 0.5000   bound 0.2500   gap 0.2500   depth 3 proved
    >>> print(ProgressLine.text(2.0, 0.25, 0.5, proved=3, opened=(4, 0.4)))
    2.0 s   cost 0.5000   bound 0.2500   gap 0.2500   depth 3 proved, 4 ≥ 0.4000
    """

    def __init__(self, console: Console | None = None) -> None:
        super().__init__()
        console = console or Console(stderr=True)
        self._status = console.status("searching", spinner="dots")
        self._shown = 0.0
        self._levels: dict[int, Certificate] = {}

    def __enter__(self) -> Self:
        self.enter_context(self._status)
        return super().__enter__()

    def __call__(
        self, kind: int, seconds: float, lower: float, upper: float, nodes: int
    ) -> None:
        """Take one event of the search."""
        now = time.monotonic()
        if now - self._shown >= _PERIOD:
            self._shown = now
            proved, opened = self.reached(upper)
            line = self.text(seconds, lower, upper, proved=proved, opened=opened)
            self._status.update(line)

    def climb(self, news: Any) -> None:
        """Take what is known about a level of depth; better trees are of no use."""
        if isinstance(news, Certificate) and news.max_depth:
            self._levels[news.max_depth] = news

    def reached(self, cost: float) -> tuple[int, tuple[int, float] | None]:
        """Return the depth that is proved, and the next level with its bound.

        A depth is proved if no tree of this depth costs less than the best tree.
        """
        proved = max((d for d, c in self._levels.items() if c.settles(cost)), default=0)
        above = [depth for depth in self._levels if depth > proved]
        if not above:
            return proved, None
        return proved, (min(above), self._levels[min(above)].lower_bound)

    @staticmethod
    def text(
        seconds: float,
        lower: float,
        upper: float,
        *,
        proved: int = 0,
        opened: tuple[int, float] | None = None,
    ) -> str:
        """Return the line for one event; `opened` is the level at work, and its bound.

        The bound of this level is left out if it says no more than that of all trees.
        """
        level = f"   depth {proved} proved" if proved else ""
        if opened is not None and opened[1] > lower:
            level += f", {opened[0]}" if proved else f"   depth {opened[0]}"
            level += f" ≥ {opened[1]:.4f}"
        return (
            f"{seconds:.1f} s   cost {upper:.4f}   bound {lower:.4f}   "
            f"gap {upper - lower:.4f}{level}"
        )


def say_result(model: Any) -> None:
    """Print what a fit has found and proved, if its progress was shown.

    The progress line is gone by then, and this remains.
    """
    if model.verbose:
        size = counted(model.tree_.n_splits, "split")
        seconds = f"{model.stats_['seconds']:.1f} s"
        print(f"{size} after {seconds}. {model.certificate()}", file=sys.stderr)

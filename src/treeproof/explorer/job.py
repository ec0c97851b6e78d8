"""Work in a thread of its own, which the page watches and may stop.

The searches release the interpreter's lock, so the page stays responsive. `stop` works
through `treeproof.stop_when`: a search then ends within a few hundredths of a second
and returns its best tree, so that stopped work has a result like any other.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from treeproof.solving.certificates import Certificate
from treeproof.solving.observers import watch, watch_ladder
from treeproof.solving.stopping import stop_when
from treeproof.tree import Tree

__all__ = ["Job", "sentence", "stop_all"]

_running: weakref.WeakSet[Job] = weakref.WeakSet()

# An error that the user can correct, with a message for people.
_MENDABLE = (ValueError, TypeError, OSError, ImportError, MemoryError)


def sentence(error: BaseException) -> str:
    r"""Return an error as one sentence for the page.

    Examples
    --------
    >>> sentence(ValueError("Choose a\n column."))
    'Choose a column.'
    >>> sentence(ZeroDivisionError("oops"))
    'This should not have happened (ZeroDivisionError: oops); please report it.'
    """
    text = " ".join(str(error).split())
    if isinstance(error, _MENDABLE) and text:
        return text
    return (
        f"This should not have happened ({type(error).__name__}: {text}); please "
        "report it."
    )


def stop_all(seconds: float = 10.0) -> None:
    """Stop all work and wait for its end, for so many seconds at most.

    To be called before the interpreter ends: it may not end while a search is running
    in a thread, and would abort.

    Examples
    --------
    >>> job = Job(lambda job: job._stop.wait(60.0))
    >>> stop_all()
    >>> job.state
    'done'
    """
    jobs = list(_running)
    for job in jobs:
        job.stop()
    latest = time.monotonic() + seconds
    for job in jobs:
        job.wait(max(latest - time.monotonic(), 0.0))


class Job:
    """One piece of work.

    Parameters
    ----------
    work : callable
        The function to run; it is given the job and returns the result.

    Attributes
    ----------
    state : {"running", "done", "failed"}
        The state of the work.
    result : object
        The return value of the work, once it is done.
    error : str
        One sentence, if it failed.
    stopped : bool
        Whether somebody asked it to stop.
    events : list of (float, float, float, int)
        Seconds, lower bound, cost and nodes of the searches in it.
    levels : list of Certificate
        What was proved, level after level of depth.
    tree : Tree or None
        The best tree found so far.

    Examples
    --------
    >>> job = Job(lambda job: 6 * 7)
    >>> job.wait()
    >>> job.state, job.result
    ('done', 42)
    """

    def __init__(self, work: Callable[[Job], Any]) -> None:
        self.state = "running"
        self.result: Any = None
        self.error = ""
        self.events: list[tuple[float, float, float, int]] = []
        self.levels: list[Certificate] = []
        self.tree: Tree | None = None
        self._work = work
        self._stop = threading.Event()
        self._begun = time.perf_counter()
        self._ended: float | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        _running.add(self)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the work goes on."""
        return self.state == "running"

    @property
    def stopped(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._stop.is_set()

    @property
    def seconds(self) -> float:
        """How long it has taken so far, or took."""
        return (self._ended or time.perf_counter()) - self._begun

    def stop(self) -> None:
        """Ask the work to stop and to return its best result."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            with (
                stop_when(self._stop.is_set),
                watch(self._listen),
                watch_ladder(self._climb),
            ):
                self.result = self._work(self)
            state = "done"
        except BaseException as error:
            self.error = sentence(error)
            state = "failed"
        self._ended = time.perf_counter()
        self.state = state
        _running.discard(self)

    def _listen(
        self, kind: int, seconds: float, lower: float, upper: float, nodes: int
    ) -> None:
        self.events.append((seconds, lower, upper, nodes))

    def _climb(self, news: Certificate | Tree) -> None:
        if isinstance(news, Tree):
            self.tree = news
        else:
            self.levels.append(news)

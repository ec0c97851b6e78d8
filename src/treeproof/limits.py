"""Limits as the engine wants them: the time that is left, memory, threads."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable

__all__ = [
    "Deadline", "engine_allowance", "machine_memory", "parse_memory", "resident_bytes",
    "thread_count",
]  # fmt: skip

_UNITS = {
    "": 1, "B": 1,
    "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip


class Deadline:
    """The moment when a fit has to be done, counted from when its table is in memory.

    Parameters
    ----------
    seconds : float or None
        The time limit; None for none.
    cuts : bool, default=True
        Whether reading a table may be cut short, so that only a single leaf is found.
    clock : callable, default=time.perf_counter
        Takes nothing and returns seconds.

    Examples
    --------
    >>> now = iter([100.0, 101.5, 103.0])
    >>> deadline = Deadline(2.0, clock=lambda: next(now))
    >>> deadline.left()
    0.5
    >>> deadline.passed()
    True
    """

    def __init__(
        self,
        seconds: float | None,
        cuts: bool = True,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.cuts = cuts
        self._seconds = seconds
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Count from now: what came before was reading a table into memory."""
        self._begun = self._clock()

    def left(self) -> float | None:
        """Return the seconds that are left, perhaps below zero; None if no limit."""
        if self._seconds is None:
            return None
        return self._seconds - (self._clock() - self._begun)

    def passed(self, ahead: float = 0.0) -> bool:
        """Return whether no time is left for what takes this many more seconds."""
        left = self.left()
        return left is not None and left <= ahead


def parse_memory(limit: int | str | None) -> int:
    """Return a memory limit in bytes; 0 means no limit.

    Examples
    --------
    >>> parse_memory("500MB"), parse_memory("1.5 GiB"), parse_memory(4096)
    (500000000, 1610612736, 4096)
    >>> parse_memory(None)
    0
    """
    if limit is None:
        return 0
    if not isinstance(limit, str):
        return int(limit)
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-zA-Z]*)\s*", limit)
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None or float(match[1]) <= 0:
        raise ValueError(
            f"memory_limit={limit!r} is not an amount of memory. Use a number of bytes "
            "or text such as '500MB' or '2GB'."
        )
    return int(float(match[1]) * unit)


def resident_bytes() -> int:
    """Return the memory this process occupies now (its peak where that is unknown)."""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        try:
            import resource
        except ImportError:  # Windows
            return 0
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def machine_memory() -> int:
    """Return the memory of this machine; where it does not say, 4 GB are assumed.

    Examples
    --------
    >>> machine_memory() > 0
    True
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows
        return 4 << 30


def engine_allowance(limit: int) -> int:
    """Return how much the engine may use, so that the whole process keeps the limit.

    What Python, NumPy and the data occupy already is taken off. If they leave less than
    a quarter of the limit, the engine gets that quarter all the same: a search needs
    some memory, and the process then exceeds the limit by what was there before.
    """
    if limit == 0:
        return 0
    return max(limit - resident_bytes(), limit // 4)


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means, as joblib reads it.

    Examples
    --------
    >>> thread_count(None), thread_count(3), thread_count(-1) == os.cpu_count()
    (1, 3, True)
    """
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))

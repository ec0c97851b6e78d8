"""What a process has used so far: CPU seconds and memory, on any system.

Linux tells both in files below /proc, at no cost. Other systems of the Unix family have
the command `ps`, and tell a process about itself. Where neither is there, on Windows,
nothing is known: a watcher then goes by the wall clock, and leaves memory alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["cpu_seconds", "peak_megabytes", "resident_megabytes"]

_PROC = Path("/proc")


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time that a process has used; None if it is unknown.

    Examples
    --------
    >>> import os
    >>> cpu_seconds(os.getpid()) > 0
    True
    """
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return _clock(_ps(pid, "time"))


def resident_megabytes(pid: int) -> float | None:
    """Return the memory of a process, its peak where known; None if it is unknown.

    Examples
    --------
    >>> import os
    >>> resident_megabytes(os.getpid()) > 1
    True
    """
    peak = _proc_megabytes(str(pid))
    if peak is not None:
        return peak
    kilobytes = _ps(pid, "rss")
    return int(kilobytes) / 1024 if kilobytes.isdigit() else None


def peak_megabytes() -> float | None:
    """Return the most memory that this process has had; None if it cannot tell.

    Examples
    --------
    >>> peak_megabytes() > 1
    True
    """
    peak = _proc_megabytes("self")
    if peak is not None:
        return peak
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def _proc_megabytes(process: str) -> float | None:
    try:
        with (_PROC / process / "status").open() as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def _ps(pid: int, field: str) -> str:
    """Return one field of a process by the command of POSIX, empty without it."""
    try:
        told = subprocess.run(
            ["ps", "-o", f"{field}=", "-p", str(pid)], capture_output=True, text=True
        )
    except OSError:
        return ""
    return told.stdout.strip()


def _clock(text: str) -> float | None:
    """Read the clock of `ps`: [[days-]hours:]minutes:seconds, or with decimals."""
    days, _, rest = text.rpartition("-")
    try:
        seconds = 86400.0 * int(days or 0)
        for k, part in enumerate(reversed(rest.split(":"))):
            seconds += 60**k * float(part)
    except ValueError:
        return None
    return seconds

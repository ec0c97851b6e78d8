"""The checker in C++ as a separate program, for tests and for the fuzzer."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN = ROOT / "tools/check_proof.cpp"
SOURCES = [MAIN, *sorted(ROOT.glob("tools/checker/*.hpp"))]
COMPILER = os.environ.get("CXX", "g++")


def compiled() -> Path | None:
    """Return the checker, compiled once for each version of its sources.

    None without a compiler.
    """
    if shutil.which(COMPILER) is None:
        return None
    flags = os.environ.get("CHECKER_FLAGS", "-O1").split()
    text = b"".join(p.read_bytes() for p in SOURCES) + " ".join(flags).encode()
    name = f"check_proof-{hashlib.sha256(text).hexdigest()[:12]}"
    target = ROOT / "build" / "tests" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".{os.getpid()}")
        command = [COMPILER, "-std=c++20", *flags, str(MAIN), "-o", str(part)]
        subprocess.run(command, check=True)
        part.rename(target)
    return target


def accepted(result):
    """See that a proof was accepted."""
    assert result[0] == 0, result[1]


def rejected(result, *words):
    """See that a proof was rejected, with these words."""
    assert result[0] == 1, result[1]
    for word in words:
        assert word in result[1], result[1]


def unreadable(result, *words):
    """See that a proof was called unreadable, with these words."""
    assert result[0] == 2, result[1]
    for word in words:
        assert word in result[1], result[1]

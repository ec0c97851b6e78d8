"""Fits in processes of their own, of problems by name, with the peers' environment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from treeproof.bench.isolated import Caps, run_fit
from treeproof.bench.solvers import SOLVERS

from .problems import ROOT, DataMissingError, load

__all__ = ["OWN_PYTHON", "PEERS_PYTHON", "Caps", "available", "interpreter", "run"]

OWN_PYTHON = Path(sys.executable)
PEERS_PYTHON = ROOT / ".peers" / "bin" / "python"


def interpreter(solver: str) -> Path:
    """Return the Python that has this solver installed."""
    return PEERS_PYTHON if SOLVERS[solver].peer else OWN_PYTHON


def available(solver: str) -> bool:
    """Say whether the environment of a solver exists."""
    return interpreter(solver).exists()


def run(
    solver: str, problem: str, penalty: float, max_depth: int | None, caps: Caps
) -> dict[str, Any]:
    """Fit once on the problem of this name and return the row."""
    try:
        loaded = load(problem)
    except DataMissingError as missing:
        return {"status": "error", "detail": str(missing)}
    return run_fit(solver, loaded, penalty, max_depth, caps, interpreter(solver))

"""Reaches below the estimator: engine options and an observer for a measured fit.

The estimator has no parameter for these, on purpose. A measured fit runs in a process
of its own, so the entry of the engine in treeproof's solver table can be replaced by
one that adds them to every task; of several replacements the latest has its way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any


class NotOnThisMachineError(Exception):
    """The processor lacks what was asked for."""


def with_engine_options(**options: Any) -> None:
    """Give these options to every later run of the engine in this process."""
    from treeproof import _core
    from treeproof.solving import solvers

    kernel = options.get("kernel")
    if kernel is not None and kernel not in _core.kernels():
        raise NotOnThisMachineError(f"no {kernel} kernel")
    plain = solvers.SOLVERS["sparse"]
    solvers.SOLVERS["sparse"] = lambda task: plain(
        replace(task, options={**options, **task.options})
    )


def with_observer(observe: Callable[[int, float, float, float, int], None]) -> None:
    """Let `observe(kind, seconds, lower, upper, nodes)` follow every later run."""
    from treeproof.solving import solvers

    plain = solvers.SOLVERS["sparse"]
    solvers.SOLVERS["sparse"] = lambda task: plain(
        replace(task, observer=task.observer or observe)
    )

"""Checkpoint files, by which a fit continues an earlier fit of the same problem."""

from __future__ import annotations

import os
from pathlib import Path

from treeproof.solving.answer import Answer
from treeproof.solving.solvers import Task, choose_solver

__all__ = ["CheckpointFile"]


class CheckpointFile:
    """The checkpoint file of a fit, which holds its proved subproblems.

    Parameters
    ----------
    path : str or PathLike
        The file; its folder has to exist.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir() or not self.path.parent.is_dir():
            what = "is a folder" if self.path.is_dir() else "is in no existing folder"
            raise ValueError(f"checkpoint={str(path)!r} {what}; name a file.")

    def check(self, solver: str, task: Task) -> None:
        """Refuse a search that cannot write checkpoints before it starts."""
        name = choose_solver(task) if solver == "auto" else solver
        if name != "sparse":
            raise ValueError(
                f'solver="{name}" writes no checkpoints; use solver="sparse", or fit '
                "without checkpoint."
            )
        top = None if task.prefix is None else task.prefix.parameter
        for parameter in ("max_splits" if task.max_splits is not None else None, top):
            if parameter is not None:
                raise ValueError(
                    f"checkpoint cannot be combined with {parameter}; "
                    "fit without one of them."
                )

    def finish(self, found: Answer) -> None:
        """Remove the file of a search that has ended with a proof."""
        if found["lower"] == found["upper"]:
            self.path.unlink(missing_ok=True)

"""A problem that has been read and waits to be solved.

A fit has three steps. The estimator *prepares*: it checks its parameters, reads the
data and states the task. An engine *solves* the task. The estimator *finishes*: it
grows the tree of the answer and keeps it with its certificate. Whoever wants more than
one tree of the same data, such as a path of penalties, prepares once, solves tasks
derived from the prepared one, and finishes with an answer of its choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from treeproof.solving.answer import Answer
from treeproof.solving.observers import History
from treeproof.solving.solvers import RegressionTask, Task
from treeproof.tree import Tree
from treeproof.tree.split_table import SplitTable

__all__ = ["Prepared"]


Asked = TypeVar("Asked", Task, RegressionTask)


@dataclass(frozen=True)
class Prepared(Generic[Asked]):
    """A task, and what becomes of its answers.

    Attributes
    ----------
    task : Task or RegressionTask
        The problem as engines take it. It has no observers yet.
    grow : callable
        Returns the tree of an engine's split table, and the loss of the tree.
    keep : callable
        Stores the answer of a solver, named first, in the estimator.
    """

    task: Asked
    grow: Callable[[SplitTable], tuple[Tree, float]]
    keep: Callable[[str, Answer, History], None]

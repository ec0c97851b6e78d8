"""Learners of streams: ours and River's, one row after the other.

A learner sees the first rows of the problem in their order, and is then scored on the
last ones, a fifth of them and 2,000 at most. It stops learning when it says that it has
finished, or when its time is over.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .problem import Problem
from .question import Fit, Question, Report

__all__ = ["stream_learner"]

_SCORED = 2000
_WINDOW = 10_000  # rows after which Online-BRANCHES looks for a better tree
_CHECK_CLOCK = 16  # rows between two looks at the clock


def stream_learner(
    problem: Problem, question: Question, *, learner: str
) -> tuple[Fit, Any]:
    """Adapt a learner by its name in the thesis, such as UCDT or VFDT."""
    from treeproof.stream.comparison import new_learner
    from treeproof.stream.prequential import n_splits_of

    names = [f"x{j}" for j in range(problem.X.shape[1])]
    table = [dict(zip(names, row, strict=True)) for row in problem.X.tolist()]
    labels = problem.y.tolist()
    last = len(table) - min(_SCORED, max(1, len(table) // 5))
    window = min(_WINDOW, max(1, last // 4))
    model = new_learner(learner, question.penalty, window, seed=0, names=names)
    learnt = [0]

    def fit() -> None:
        end = time.process_time() + question.time_limit
        for k in range(last):
            model.learn_one(table[k], labels[k])
            learnt[0] = k + 1
            if getattr(model, "finished_", False):
                break
            if k % _CHECK_CLOCK == 0 and time.process_time() > end:
                break

    def report() -> Report:
        predictions = [model.predict_one(row) for row in table[last:]]
        return Report(
            predictions=np.array([-1 if p is None else p for p in predictions]),
            splits=n_splits_of(model),
            proved=False,
            steps=learnt[0],
        )

    return fit, report

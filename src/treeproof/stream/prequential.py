"""Prequential evaluation: every row is predicted before it is learnt."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Progress", "n_splits_of", "prequential"]


@dataclass(frozen=True)
class Progress:
    """How a learner stands after some rows.

    Attributes
    ----------
    samples : int
        Rows learnt.
    accuracy : float
        Share of the last rows that were predicted before they were learnt.
    overall_accuracy : float
        The same over all rows.
    n_splits : int
        Splits of the learner's tree.
    seconds : float
        Processor time spent on predicting and learning.
    """

    samples: int
    accuracy: float
    overall_accuracy: float
    n_splits: int
    seconds: float


def n_splits_of(model: Any) -> int:
    """Return the splits of one of our learners or of a tree of River's."""
    for name in ("n_splits_", "n_branches"):
        if hasattr(model, name):
            return int(getattr(model, name) or 0)
    return 0


def prequential(
    model: Any,
    rows: Iterable[tuple[dict[Any, Any], Any]],
    *,
    window: int = 100,
    every: int = 1000,
) -> Iterator[Progress]:
    """Predict and then learn each row, and report now and then.

    Parameters
    ----------
    model : classifier
        One of our learners or of River's.
    rows : iterable of (x, y)
        The stream.
    window : int, default=100
        How many rows the running accuracy looks back; the thesis uses 100.
    every : int, default=1000
        Report after this many rows, and at the end.

    Examples
    --------
    >>> from treeproof.stream import OnlineBranchesClassifier
    >>> from treeproof.stream.datasets import xor
    >>> model = OnlineBranchesClassifier(window_size=500)
    >>> for step in prequential(model, xor(20, 1, 2000)):
    ...     print(step.samples, step.accuracy, step.n_splits)
    1000 1.0 3
    2000 1.0 3
    """
    recent: deque[bool] = deque(maxlen=window)
    hits = samples = reported = 0
    seconds = 0.0

    def progress() -> Progress:
        return Progress(
            samples,
            sum(recent) / max(1, len(recent)),
            hits / max(1, samples),
            n_splits_of(model),
            seconds,
        )

    for x, y in rows:
        start = time.process_time()
        hit = model.predict_one(x) == y
        model.learn_one(x, y)
        seconds += time.process_time() - start
        recent.append(hit)
        hits += hit
        samples += 1
        if samples - reported == every:
            reported = samples
            yield progress()
    if samples > reported:
        yield progress()

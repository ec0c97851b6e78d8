"""Comparison of our learners and River's on the streams of the thesis."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from treeproof.stream.datasets import STREAMS, stream
from treeproof.stream.epsilon_greedy import EpsilonGreedyTreeClassifier
from treeproof.stream.online_branches import OnlineBranchesClassifier
from treeproof.stream.prequential import n_splits_of
from treeproof.stream.thompson import ThompsonTreeClassifier
from treeproof.stream.upper_confidence import UpperConfidenceTreeClassifier

__all__ = ["LEARNERS", "Outcome", "make_learner", "new_learner", "run"]

_TEST_ROWS = 2000
_FIRST_ROWS = 100
_CHECK_CLOCK = 256  # rows between two checks of the clock


def _river(name: str, names: list[Any]) -> Any:
    try:
        from river import tree
    except ImportError:
        raise ImportError(
            "River's learners need River: install it with "
            "pip install 'treeproof[stream]'."
        ) from None
    if name == "SGT":
        return tree.SGTClassifier(nominal_attributes=names)
    kinds = {
        "VFDT": tree.HoeffdingTreeClassifier,
        "EFDT": tree.ExtremelyFastDecisionTreeClassifier,
    }
    if name in kinds:
        return kinds[name](nominal_attributes=names)
    return tree.HoeffdingAdaptiveTreeClassifier(nominal_attributes=names, seed=42)


# The columns of the thesis are categories, numbered from 0 on.
_OURS: dict[str, Callable[[float, int, int], Any]] = {
    "Online-BRANCHES": lambda penalty, window, seed: OnlineBranchesClassifier(
        penalty, window, numeric_features=[], drift_detector=None
    ),
    "UCDT": lambda penalty, window, seed: UpperConfidenceTreeClassifier(
        penalty, seed=seed, numeric_features=[], drift_detector=None
    ),
    "EGDT": lambda penalty, window, seed: EpsilonGreedyTreeClassifier(
        penalty, seed=seed, numeric_features=[], drift_detector=None
    ),
    "TSDT": lambda penalty, window, seed: ThompsonTreeClassifier(
        penalty, seed=seed, numeric_features=[], drift_detector=None
    ),
}

LEARNERS = ("VFDT", "EFDT", "SGT", "HAT", *_OURS)
"""River's four trees and ours, by the thesis' names."""


@dataclass(frozen=True)
class Outcome:
    """The result of a learner on a stream.

    Attributes
    ----------
    accuracy : float
        The accuracy of the final tree on rows that come after those learnt.
    n_splits : int
        Its splits.
    samples : int
        Rows learnt; for Online-BRANCHES those it needed to end.
    seconds : float
        Processor time of learning them.
    finished : bool
        False if time ran out first.
    first_accuracy : float
        Of the final tree on the first 100 rows of the stream, where the thesis seems to
        have River's accuracies from: trees of the printed size have the printed one.
    """

    accuracy: float
    n_splits: int
    samples: int
    seconds: float
    finished: bool
    first_accuracy: float

    @property
    def samples_per_second(self) -> float:
        """How fast it learnt."""
        return self.samples / max(self.seconds, 1e-9)


def new_learner(
    learner: str, split_penalty: float, window: int, *, seed: int, names: list[Any]
) -> Any:
    """Return an untrained learner; River's take the names of the columns only."""
    if learner not in LEARNERS:
        raise ValueError(
            f"There is no learner {learner!r}; there are {', '.join(LEARNERS)}."
        )
    if learner in _OURS:
        return _OURS[learner](split_penalty, window, seed)
    return _river(learner, names)


def make_learner(learner: str, name: str, seed: int, names: list[Any]) -> Any:
    """Return an untrained learner with the thesis' settings for a stream."""
    settings = STREAMS[name]
    return new_learner(
        learner, settings.split_penalty, settings.window_size, seed=seed, names=names
    )


def run(
    learner: str,
    name: str,
    *,
    seed: int = 42,
    n_samples: int = 200_000,
    time_limit: float = 300.0,
) -> Outcome:
    """Train a learner on a stream, and evaluate its final tree.

    Parameters
    ----------
    learner : str
        One of `LEARNERS`.
    name : str
        One of the streams of the thesis.
    seed : int, default=42
        Of the stream and of the search.
    n_samples : int, default=200_000
        The maximum number of rows to learn.
    time_limit : float, default=300.0
        The limit of processor time in seconds for learning.

    Examples
    --------
    >>> outcome = run("Online-BRANCHES", "xor-1", n_samples=12_000)
    >>> outcome.accuracy, outcome.n_splits, outcome.finished
    (1.0, 3, True)
    """
    rows = stream(name, seed)
    first = next(rows)
    rows = chain([first], rows)
    model = make_learner(learner, name, seed, list(first[0]))
    samples, seconds = 0, 0.0
    finished = False
    while samples < n_samples and seconds < time_limit and not finished:
        part = list(islice(rows, min(_CHECK_CLOCK, n_samples - samples)))
        start = time.process_time()
        for x, y in part:
            model.learn_one(x, y)
            samples += 1
            if samples % 16 == 0 and time.process_time() - start > time_limit - seconds:
                break
        seconds += time.process_time() - start
        finished = getattr(model, "finished_", False)
    consumed = getattr(model, "n_samples_consumed_", None)
    return Outcome(
        _accuracy(model, islice(rows, _TEST_ROWS)),
        n_splits_of(model),
        consumed or samples,
        seconds,
        finished or samples == n_samples,
        _accuracy(model, islice(stream(name, seed), _FIRST_ROWS)),
    )


def _accuracy(model: Any, rows: Iterable[tuple[dict[Any, Any], Any]]) -> float:
    hits = [model.predict_one(x) == y for x, y in rows]
    return sum(hits) / len(hits)

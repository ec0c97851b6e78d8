"""Problems on which laws are checked, and the answers of a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Answer", "Factory", "LawBroken", "Problem", "answer", "random_problems"]

Factory = Callable[..., Any]
"""Makes an unfitted estimator; called with ``split_penalty`` and, if not None,
``max_depth``, ``max_splits`` and ``min_samples_leaf`` as keywords."""

TOLERANCE = 1e-6
"""The largest difference between numbers that a law requires to be equal.

Objectives are shares of the total weight or of a single leaf's loss; penalties and
weights may be rounded to about a millionth of a row.
"""


class LawBroken(AssertionError):
    """A solver's answers contradict each other or themselves.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import LawBroken, check_certificate, random_problems
    >>> class Boaster(OptimalTreeClassifier):
    ...     objective_ = property(lambda self: 0.0, lambda self, value: None)
    >>> try:
    ...     check_certificate(Boaster, next(random_problems(1)))
    ... except LawBroken as error:
    ...     print(str(error)[:15])
    objective_ is 0
    """


@dataclass(frozen=True, eq=False)
class Problem:
    """A training table and the class of trees to search.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers, or objects if some columns are text.
    y : ndarray of shape (n_samples,)
        Labels, or numbers for regression.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Positive weights.
    split_penalty : float, default=0.02
        Cost of a further leaf: a share of the total weight, or of a single leaf's loss.
    max_depth, max_splits : int or None, default=None
        Limits on the tree.
    min_samples_leaf : int, default=1
        The minimum number of rows in a leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treeproof.checks import Problem
    >>> problem = Problem(np.array([[0], [1]]), np.array(["no", "yes"]), max_depth=1)
    >>> problem.parameters()
    {'split_penalty': 0.02, 'max_depth': 1}
    """

    X: NDArray[Any]
    y: NDArray[Any]
    sample_weight: NDArray[np.float64] | None = None
    split_penalty: float = 0.02
    max_depth: int | None = None
    max_splits: int | None = None
    min_samples_leaf: int = 1

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights; ones if there are none."""
        if self.sample_weight is None:
            return np.ones(len(self.y))
        return self.sample_weight

    def but(self, **changes: Any) -> Problem:
        """Return a copy of the problem with some changes."""
        return replace(self, **changes)

    def parameters(self) -> dict[str, Any]:
        """Return the keyword arguments for the factory."""
        given = {
            "max_depth": self.max_depth,
            "max_splits": self.max_splits,
            "min_samples_leaf": None
            if self.min_samples_leaf == 1
            else self.min_samples_leaf,
        }
        return {"split_penalty": self.split_penalty} | {
            name: value for name, value in given.items() if value is not None
        }


@dataclass(frozen=True)
class Answer:
    """The claims of a fitted solver, and the actual loss of its predictions."""

    model: Any
    problem: Problem
    objective: float
    lower: float
    optimal: bool
    splits: int
    penalties: int  # how often the penalty is charged
    loss: float

    def cost_at(self, split_penalty: float) -> float:
        """Return the cost of the tree with another penalty."""
        return self.loss + split_penalty * self.penalties


def answer(factory: Factory, problem: Problem) -> Answer:
    """Fit a solver to a problem and read its certificate.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on.
    """
    model = factory(**problem.parameters())
    if problem.sample_weight is None:
        model.fit(problem.X, problem.y)
    else:
        model.fit(problem.X, problem.y, sample_weight=problem.sample_weight)
    return Answer(
        model,
        problem,
        objective=float(model.objective_),
        lower=float(model.lower_bound_),
        optimal=bool(model.optimal_),
        splits=int(model.n_splits_),
        penalties=_penalties(model),
        loss=loss_of(model, problem, np.asarray(model.predict(problem.X))),
    )


def _penalties(model: Any) -> int:
    """Return the number of penalties: one for each split, or for each further leaf."""
    if getattr(model, "penalize", "splits") == "leaves":
        return int(model.get_n_leaves()) - 1
    return int(model.n_splits_)


def loss_of(model: Any, problem: Problem, predicted: NDArray[Any]) -> float:
    """Return the loss of predictions, as a share of the weight or of a leaf's loss."""
    weights = problem.weights
    if np.issubdtype(problem.y.dtype, np.floating):
        constant, away = _regression_losses(model)
        single = away(problem.y, constant(problem.y, weights), weights)
        return away(problem.y, predicted, weights) / single if single > 0 else 0.0
    return float(weights[predicted != problem.y].sum() / weights.sum())


def _regression_losses(model: Any) -> tuple[Callable[..., Any], Callable[..., float]]:
    def squared(y: Any, value: Any, weights: Any) -> float:
        return float((weights * (y - value) ** 2).sum())

    def absolute(y: Any, value: Any, weights: Any) -> float:
        return float((weights * np.abs(y - value)).sum())

    if getattr(model, "criterion", "squared_error") == "absolute_error":
        return _median, absolute
    return (lambda y, weights: np.average(y, weights=weights)), squared


def _median(y: NDArray[Any], weights: NDArray[Any]) -> Any:
    order = np.argsort(y)
    passed = np.cumsum(weights[order])
    return y[order][np.searchsorted(passed, passed[-1] / 2)]


def random_problems(
    n_problems: int = 10,
    *,
    regression: bool = False,
    text: bool = False,
    random_state: int = 0,
) -> Iterator[Problem]:
    """Make small random problems to which all laws apply.

    Parameters
    ----------
    n_problems : int, default=10
        The number of problems.
    regression : bool, default=False
        Whether the target is a number.
    text : bool, default=False
        Whether some columns are text; `X` is then an array of objects.
    random_state : int, default=0
        The same number gives the same problems.

    Examples
    --------
    >>> from treeproof.checks import random_problems
    >>> problem = next(random_problems(1))
    >>> len(problem.X) == len(problem.y)
    True
    """
    rng = np.random.default_rng(random_state)
    for _ in range(n_problems):
        n, width = int(rng.integers(12, 40)), int(rng.integers(2, 5))
        codes = rng.integers(0, rng.integers(2, 5, width), (n, width))
        X = codes.astype(float)
        if text:
            X = X.astype(object)
            X[:, 0] = np.array(["red", "green", "blue", "white"])[codes[:, 0]]
        rule = (codes[:, 0] > 0).astype(int) + codes[:, 0] * (codes[:, -1] > 1)
        noisy = rng.random(n) < rng.choice([0.05, 0.25])
        if regression:
            y: NDArray[Any] = rule + 0.25 * rng.integers(-2, 3, n) + 2.0 * noisy
        else:
            labels = np.where(noisy, rng.integers(0, 3, n), rule % 3)
            y = np.array(["low", "high", "odd"])[labels]
        weights = rng.integers(1, 4, n).astype(float)
        yield Problem(
            X,
            y,
            weights if rng.random() < 0.4 else None,
            split_penalty=float(rng.choice([0.01, 0.02, 0.05])),
            max_depth=None if rng.random() < 0.3 else int(rng.integers(1, 4)),
        )

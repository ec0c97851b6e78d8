"""Laws about equivalent forms of a problem: their optimum is the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treeproof.checks.problem import (
    TOLERANCE,
    Answer,
    Factory,
    LawBroken,
    Problem,
    answer,
)

__all__ = [
    "check_column_order",
    "check_constant_feature",
    "check_duplicate_feature",
    "check_duplicate_rows",
    "check_relabelling",
    "check_repetition",
    "check_row_order",
    "check_weightless_rows",
]

_SEED = 7  # of the random orders of rows


def _agree(factory: Factory, first: Problem, second: Problem, what: str) -> None:
    """Raise if two equivalent problems have different optima."""
    _compare(answer(factory, first), answer(factory, second), what)


def _compare(a: Answer, b: Answer, what: str) -> None:
    for one, other in ((a, b), (b, a)):
        if one.lower > other.objective + TOLERANCE:
            raise LawBroken(f"{what}: {_told(a)} before, {_told(b)} after.")


def _told(found: Answer) -> str:
    if found.optimal:
        return f"an optimum of {found.objective:.9g}"
    return f"an optimum from {found.lower:.9g} to {found.objective:.9g}"


def check_row_order(factory: Factory, problem: Problem) -> None:
    """Check that the order of the rows does not matter.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on, in its order and in another.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_row_order, random_problems
    >>> for problem in random_problems(3, text=True):
    ...     check_row_order(OptimalTreeClassifier, problem)
    """
    order = np.random.default_rng(_SEED).permutation(len(problem.y))
    _agree(factory, problem, _rows(problem, order), "the rows came in another order")


def _rows(problem: Problem, chosen: NDArray[np.intp]) -> Problem:
    weights = problem.sample_weight
    return problem.but(
        X=problem.X[chosen],
        y=problem.y[chosen],
        sample_weight=None if weights is None else weights[chosen],
    )


def check_column_order(factory: Factory, problem: Problem) -> None:
    """Check that the order of the columns does not matter.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on, in its order and in the reverse one.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_column_order, random_problems
    >>> for problem in random_problems(2):
    ...     check_column_order(OptimalTreeClassifier, problem)
    """
    turned = problem.but(X=np.ascontiguousarray(problem.X[:, ::-1]))
    _agree(factory, problem, turned, "the columns came in another order")


def check_duplicate_rows(factory: Factory, problem: Problem) -> None:
    """Check that a row given twice is the same as a row of double weight.

    Parameters
    ----------
    factory : callable
        Makes the estimator; its `fit` takes ``sample_weight``.
    problem : Problem
        Every third row is doubled.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_duplicate_rows, random_problems
    >>> for problem in random_problems(2):
    ...     check_duplicate_rows(OptimalTreeClassifier, problem)
    """
    single = problem.but(min_samples_leaf=1)
    n = len(problem.y)
    doubled = np.arange(0, n, 3)
    weights = problem.weights.copy()
    weights[doubled] *= 2
    _agree(
        factory,
        single.but(sample_weight=weights),
        _rows(single, np.concatenate([np.arange(n), doubled])),
        "doubled weights were written as doubled rows",
    )


def check_weightless_rows(factory: Factory, problem: Problem) -> None:
    """Check that rows of weight zero change nothing, whatever they contain.

    Parameters
    ----------
    factory : callable
        Makes the estimator; its `fit` takes ``sample_weight``.
    problem : Problem
        What to fit it on, alone and with rows of weight zero and shuffled labels.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_weightless_rows, random_problems
    >>> for problem in random_problems(2):
    ...     check_weightless_rows(OptimalTreeClassifier, problem)
    """
    n = len(problem.y)
    other = np.random.default_rng(_SEED).permutation(n)
    _agree(
        factory,
        problem,
        problem.but(
            X=np.concatenate([problem.X, problem.X]),
            y=np.concatenate([problem.y, problem.y[other]]),
            sample_weight=np.concatenate([problem.weights, np.zeros(n)]),
        ),
        "rows of weight zero were added",
    )


def check_relabelling(factory: Factory, problem: Problem) -> None:
    """Check that neither the names of classes nor the unit of a target matter.

    Classes get other names, in another order. Numeric targets are transformed linearly,
    which changes no cost relative to the loss of a single leaf.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on, with its labels and with others.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_relabelling, random_problems
    >>> for problem in random_problems(2):
    ...     check_relabelling(OptimalTreeClassifier, problem)
    """
    if np.issubdtype(problem.y.dtype, np.floating):
        other: NDArray[np.generic] = 3.0 - 2.0 * problem.y
    else:
        classes, codes = np.unique(problem.y, return_inverse=True)
        other = -1 - 3 * ((codes + 1) % len(classes))
    _agree(factory, problem, problem.but(y=other), "the labels got other names")


def check_constant_feature(factory: Factory, problem: Problem) -> None:
    """Check that a constant column changes nothing.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on, alone and with such a column in front.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_constant_feature, random_problems
    >>> for problem in random_problems(2):
    ...     check_constant_feature(OptimalTreeClassifier, problem)
    """
    column = np.full((len(problem.y), 1), 3.0).astype(problem.X.dtype)
    wider = problem.but(X=np.concatenate([column, problem.X], axis=1))
    _agree(factory, problem, wider, "a constant column was added")


def check_duplicate_feature(factory: Factory, problem: Problem) -> None:
    """Check that a column given twice changes nothing.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on, alone and with its first column repeated at the end.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_duplicate_feature, random_problems
    >>> for problem in random_problems(2):
    ...     check_duplicate_feature(OptimalTreeClassifier, problem)
    """
    wider = problem.but(X=np.concatenate([problem.X, problem.X[:, :1]], axis=1))
    _agree(factory, problem, wider, "a column was repeated")


def check_repetition(factory: Factory, problem: Problem) -> None:
    """Check that an earlier fit of an estimator does not affect the next one.

    The earlier fit is to half of the rows, with other weights.

    Parameters
    ----------
    factory : callable
        Makes the estimator; its `fit` takes ``sample_weight``.
    problem : Problem
        What to fit it on.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_repetition, random_problems
    >>> for problem in random_problems(2):
    ...     check_repetition(OptimalTreeClassifier, problem)
    """
    used = factory(**problem.parameters())
    half = np.arange(len(problem.y)) % 2 == 0
    used.fit(problem.X[half], problem.y[half], sample_weight=problem.weights[half] + 5)
    first, again = answer(factory, problem), answer(lambda **_: used, problem)
    _compare(first, again, "an estimator was fitted again")

"""Laws about a single answer: it must not contradict itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.checks.problem import (
    TOLERANCE,
    Answer,
    Factory,
    LawBroken,
    Problem,
    answer,
    loss_of,
)

__all__ = ["check_certificate", "check_limits", "check_to_sklearn"]


def check_certificate(factory: Factory, problem: Problem) -> None:
    """Check that a certificate agrees with the tree and with itself.

    The objective is the loss of the predictions on the training rows plus the penalty
    of the splits; the lower bound is not above it; ``gap_`` is their difference;
    ``optimal_`` holds if and only if they are equal, and then ``status_`` agrees.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_certificate, random_problems
    >>> for problem in random_problems(3):
    ...     check_certificate(OptimalTreeClassifier, problem)
    """
    found = answer(factory, problem)
    model = found.model
    cost = found.cost_at(problem.split_penalty)
    if abs(cost - found.objective) > TOLERANCE:
        raise LawBroken(
            f"objective_ is {found.objective:.9g}, but the predictions and the "
            f"{found.splits} splits cost {cost:.9g}."
        )
    if found.lower > found.objective:
        raise LawBroken(
            f"lower_bound_ {found.lower:.9g} is above objective_ {found.objective:.9g}."
        )
    if found.optimal != (found.lower == found.objective):
        raise LawBroken(
            f"optimal_ is {found.optimal}, but the bounds are {found.lower:.9g} and "
            f"{found.objective:.9g}."
        )
    gap = getattr(model, "gap_", found.objective - found.lower)
    if abs(gap - (found.objective - found.lower)) > TOLERANCE:
        raise LawBroken(f"gap_ is {gap:.9g}, not the difference of the bounds.")
    status = getattr(model, "status_", "optimal" if found.optimal else "")
    if (status == "optimal") != found.optimal:
        raise LawBroken(f"status_ is {status!r}, but optimal_ is {found.optimal}.")


def check_limits(factory: Factory, problem: Problem) -> None:
    """Check that a tree keeps its limits.

    The estimator is fitted with the problem's own limits, with a maximum depth of 1,
    and with at least three rows in each leaf. For limits on splits see `check_splits`.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_limits, random_problems
    >>> for problem in random_problems(2):
    ...     check_limits(OptimalTreeClassifier, problem)
    """
    for asked in (
        problem,
        problem.but(max_depth=1),
        problem.but(min_samples_leaf=3),
    ):
        keep_limits(answer(factory, asked))


def keep_limits(found: Answer) -> None:
    """Raise if a tree exceeds a limit of its problem."""
    problem, model = found.problem, found.model
    for name, is_now, limit in (
        ("splits", found.splits, problem.max_splits),
        ("levels", int(model.get_depth()), problem.max_depth),
    ):
        if limit is not None and is_now > limit:
            raise LawBroken(
                f"the tree has {is_now} {name}; at most {limit} were asked."
            )
    sizes = np.unique(model.apply(problem.X), return_counts=True)[1]
    if found.splits and sizes.min() < problem.min_samples_leaf:
        raise LawBroken(
            f"a leaf has {sizes.min()} rows; at least {problem.min_samples_leaf} were "
            "asked."
        )


def check_to_sklearn(factory: Factory, problem: Problem) -> None:
    """Check that the scikit-learn tree of ``to_sklearn()`` has the same loss.

    It must make the same prediction for every training row. (It may have more splits,
    because multiway splits become nested ones.) A table with text is encoded by the
    estimator's ``encode`` first. Estimators without ``to_sklearn`` pass.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        What to fit it on.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_to_sklearn, random_problems
    >>> for problem in random_problems(2):
    ...     check_to_sklearn(OptimalTreeClassifier, problem)
    """
    found = answer(factory, problem)
    if not hasattr(found.model, "to_sklearn"):
        return
    rows: Any = problem.X
    if hasattr(found.model, "encode"):
        rows = found.model.encode(rows)
    predicted = np.asarray(found.model.to_sklearn().predict(rows))
    loss = loss_of(found.model, problem, predicted)
    if abs(loss - found.loss) > TOLERANCE:
        raise LawBroken(
            f"the loss of to_sklearn() is {loss:.9g}, the tree's {found.loss:.9g}."
        )
    own = found.model.predict(problem.X)
    same = (
        np.allclose(predicted, own)
        if np.issubdtype(problem.y.dtype, np.floating)
        else np.array_equal(predicted, own)
    )
    if not same:
        raise LawBroken("to_sklearn() makes other predictions on the training rows.")

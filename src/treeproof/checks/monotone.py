"""Laws about related problems: allowing more trees never raises the optimum.

They are stated with bounds, so that solvers that stop early can be checked, too: a tree
of one problem that is allowed in another one costs at least the lower bound of the
other. If both optima are proved, this is the law about the objectives themselves.
"""

from __future__ import annotations

from itertools import combinations

from treeproof.checks.certificate import keep_limits
from treeproof.checks.problem import (
    TOLERANCE,
    Answer,
    Factory,
    LawBroken,
    Problem,
    answer,
)

__all__ = ["check_depth", "check_leaf_size", "check_penalty", "check_splits"]


def check_depth(factory: Factory, problem: Problem) -> None:
    """Check that the optimum does not rise if trees may be deeper.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        Its depth is replaced by 0, 1, 2, 3 and none.

    Examples
    --------
    >>> from treeproof import OptimalTreeRegressor
    >>> from treeproof.checks import check_depth, random_problems
    >>> for problem in random_problems(3, regression=True):
    ...     check_depth(OptimalTreeRegressor, problem)
    """
    _looser_is_better(
        [answer(factory, problem.but(max_depth=d)) for d in (0, 1, 2, 3, None)],
        "max_depth",
    )


def check_splits(factory: Factory, problem: Problem) -> None:
    """Check that the optimum does not rise if more splits are allowed.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        Its limit on splits is replaced by 0, 1, 2, 3 and none.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_splits, random_problems
    >>> for problem in random_problems(2):
    ...     check_splits(OptimalTreeClassifier, problem)
    """
    answers = [answer(factory, problem.but(max_splits=k)) for k in (0, 1, 2, 3, None)]
    for found in answers:
        keep_limits(found)
    _looser_is_better(answers, "max_splits")


def check_leaf_size(factory: Factory, problem: Problem) -> None:
    """Check that the optimum does not rise if leaves may be smaller.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        Its ``min_samples_leaf`` is replaced by 4, 2 and 1.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_leaf_size, random_problems
    >>> for problem in random_problems(2):
    ...     check_leaf_size(OptimalTreeClassifier, problem)
    """
    _looser_is_better(
        [answer(factory, problem.but(min_samples_leaf=m)) for m in (4, 2, 1)],
        "min_samples_leaf",
    )


def _looser_is_better(answers: list[Answer], name: str) -> None:
    for tight, loose in combinations(answers, 2):
        if loose.lower > tight.objective + TOLERANCE:
            first, second = (getattr(a.problem, name) for a in (tight, loose))
            raise LawBroken(
                f"with {name}={first} a tree costs {tight.objective:.9g}; with "
                f"{name}={second} it is allowed too, but none is said to cost less "
                f"than {loose.lower:.9g}."
            )


def check_penalty(factory: Factory, problem: Problem) -> None:
    """Check that the optimum rises with the penalty, but not by more than is charged.

    The tree that was found for one penalty is allowed for all others: its cost at
    another penalty is at least the lower bound for that penalty. Between proved optima,
    a tree for a higher penalty is never charged more often.

    Parameters
    ----------
    factory : callable
        Makes the estimator.
    problem : Problem
        Its penalty is replaced by several.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_penalty, random_problems
    >>> for problem in random_problems(2):
    ...     check_penalty(OptimalTreeClassifier, problem)
    """
    answers = [
        answer(factory, problem.but(split_penalty=p))
        for p in (0.005, 0.02, 0.06, 0.15, 1.0)
    ]
    for cheap, dear in combinations(answers, 2):
        for mine, other in ((cheap, dear), (dear, cheap)):
            penalty = other.problem.split_penalty
            cost = mine.cost_at(penalty)
            if other.lower > cost + TOLERANCE:
                raise LawBroken(
                    f"at split_penalty={penalty:g} no tree is said to cost less than "
                    f"{other.lower:.9g}, but the one found at "
                    f"{mine.problem.split_penalty:g} costs {cost:.9g}."
                )
        if cheap.lower > dear.objective + TOLERANCE:
            raise LawBroken("the optimum falls as the penalty rises.")
        if cheap.optimal and dear.optimal and dear.penalties > cheap.penalties:
            raise LawBroken(
                f"the optimum has {cheap.penalties} penalties at "
                f"{cheap.problem.split_penalty:g} and {dear.penalties} at "
                f"{dear.problem.split_penalty:g}."
            )

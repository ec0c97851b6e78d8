"""All laws at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from sklearn.base import is_regressor

from treeproof.checks import certificate, invariance, monotone
from treeproof.checks.problem import (
    Factory,
    LawBroken,
    Problem,
    answer,
    random_problems,
)

__all__ = ["LAWS", "check_solver", "yield_checks"]

LAWS: dict[str, Callable[[Factory, Problem], None]] = {
    name: getattr(module, name)
    for module in (certificate, monotone, invariance)
    for name in module.__all__
}
"""All laws, by the names of their functions."""


def yield_checks(
    factory: Factory,
    *,
    problems: Iterable[Problem] | None = None,
    skip: Collection[str] = (),
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield every law on every problem as a name and a function without arguments.

    Parameters
    ----------
    factory : callable
        Makes the estimator from keywords; an estimator class will do.
    problems : iterable of Problem or None, default=None
        What to fit it on; None for ten problems of `random_problems`.
    skip : collection of str, default=()
        Names of laws to leave out, such as those about parameters that the solver does
        not have.

    Examples
    --------
    To run each law as a separate test with pytest::

        @pytest.mark.parametrize("name, check", yield_checks(MyTree))
        def test_law(name, check):
            check()

    Without pytest:

    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import random_problems, yield_checks
    >>> laws = dict(yield_checks(OptimalTreeClassifier, problems=random_problems(1)))
    >>> len(laws)
    15
    >>> for law in laws.values():
    ...     law()
    """
    unknown = sorted(set(skip) - set(LAWS))
    if unknown:
        raise ValueError(f"There is no law {unknown[0]!r}; see treeproof.checks.LAWS.")
    if problems is None:
        problems = random_problems(regression=is_regressor(factory()))
    for number, problem in enumerate(problems):
        for name, law in LAWS.items():
            if name not in skip:
                yield f"{name}[{number}]", partial(law, factory, problem)


def check_solver(
    factory: Factory,
    *,
    problems: Iterable[Problem] | None = None,
    skip: Collection[str] = (),
) -> int:
    """Check all laws on all problems; raise `LawBroken` at the first that is broken.

    A solver that never proves anything obeys every law that is stated with bounds, so
    at least one of the problems has to be solved to optimality.

    Parameters
    ----------
    factory : callable
        Makes the estimator from keywords; an estimator class will do.
    problems : iterable of Problem or None, default=None
        What to fit it on; None for ten problems of `random_problems`.
    skip : collection of str, default=()
        Names of laws to leave out.

    Returns
    -------
    int
        Number of checks made.

    Examples
    --------
    >>> from functools import partial
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.checks import check_solver, random_problems
    >>> solver = partial(OptimalTreeClassifier, solver="branches")
    >>> check_solver(solver, problems=random_problems(2), skip=["check_splits"])
    28
    """
    if problems is None:
        problems = random_problems(regression=is_regressor(factory()))
    problems = list(problems)
    made = 0
    for name, check in yield_checks(factory, problems=problems, skip=skip):
        try:
            check()
        except LawBroken as error:
            raise LawBroken(f"{name}: {error}") from None
        made += 1
    if not any(answer(factory, problem).optimal for problem in problems):
        raise LawBroken("no problem was solved to optimality; nothing was shown.")
    return made

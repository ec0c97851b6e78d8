"""Laws that every solver of optimal trees must obey, as functions for any solver.

It is hard to check an optimum without another solver, but much about it is known in
advance: it does not depend on the order of the rows, it does not rise if trees may be
deeper, and a row given twice is the same as a row of double weight. Each law is a
function ::

    check_...(factory, problem)

that fits estimators made by `factory` to variants of a `Problem`, and raises
`LawBroken` with one sentence if their answers contradict each other. `check_solver`
checks all laws on random problems. The laws do not depend on a particular solver: an
estimator needs `fit`, `predict`, `objective_`, `lower_bound_`, `optimal_` and
`n_splits_`; a law that needs more (`check_to_sklearn`) says so.

The laws are stated with bounds, so that solvers that stop early must obey them, too.
"""

from __future__ import annotations

from treeproof.checks.certificate import (
    check_certificate,
    check_limits,
    check_to_sklearn,
)
from treeproof.checks.invariance import (
    check_column_order,
    check_constant_feature,
    check_duplicate_feature,
    check_duplicate_rows,
    check_relabelling,
    check_repetition,
    check_row_order,
    check_weightless_rows,
)
from treeproof.checks.monotone import (
    check_depth,
    check_leaf_size,
    check_penalty,
    check_splits,
)
from treeproof.checks.problem import LawBroken, Problem, random_problems
from treeproof.checks.run import LAWS, check_solver, yield_checks

__all__ = [
    "LAWS",
    "LawBroken",
    "Problem",
    "check_certificate",
    "check_column_order",
    "check_constant_feature",
    "check_depth",
    "check_duplicate_feature",
    "check_duplicate_rows",
    "check_leaf_size",
    "check_limits",
    "check_penalty",
    "check_relabelling",
    "check_repetition",
    "check_row_order",
    "check_solver",
    "check_splits",
    "check_to_sklearn",
    "check_weightless_rows",
    "random_problems",
    "yield_checks",
]

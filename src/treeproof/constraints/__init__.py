"""Constraints that a tree must keep: fairness, recall, false alarms, budgets.

A constraint limits a sum over the training rows to which every row adds a number that
depends on what its leaf predicts. Pass a list of them as ``constraints=`` to
`treeproof.OptimalTreeClassifier` or `treeproof.policy.OptimalPolicyTree`; the fit finds
the cheapest tree that keeps all of them, over all trees and all actions of their
leaves, and proves that no other such tree is cheaper.
"""

from __future__ import annotations

from treeproof.constraints.kinds import (
    Budget,
    Constraint,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateAtMost,
    Linear,
    RecallAtLeast,
)
from treeproof.constraints.path import (
    ConstraintPath,
    ConstraintPoint,
    constraint_path,
)
from treeproof.constraints.sums import InfeasibleError

__all__ = [
    "Budget",
    "Constraint",
    "ConstraintPath",
    "ConstraintPoint",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "FalsePositiveRateAtMost",
    "InfeasibleError",
    "Linear",
    "RecallAtLeast",
    "constraint_path",
]

"""Survival trees: how long until an event, where some rows leave before they have one.

`OptimalSurvivalTree` finds the tree of least deviance under proportional hazards within
leaves, with proof, over every threshold; rows may enter late (left truncation), leave
early (right censoring), have weights and miss values. It follows the conventions of
scikit-survival, whose arrays it takes and whose metrics take its predictions.

`curves` has the estimators of Nelson and Aalen and of Kaplan and Meier for rows with
entry times, and Harrell's index of concordance.
"""

from __future__ import annotations

from treeproof.survival.curves import (
    StepFunction,
    concordance,
    kaplan_meier,
    nelson_aalen,
)
from treeproof.survival.tree import OptimalSurvivalTree

__all__ = [
    "OptimalSurvivalTree", "StepFunction", "concordance", "kaplan_meier",
    "nelson_aalen",
]  # fmt: skip

"""What a leaf may predict or choose, and what that costs.

A tree costs the sum of its leaves and a penalty for every further leaf. A leaf chooses
one of finitely many *actions* (a class, "abstain", a treatment) and pays the sum of its
rows' costs for that action. One record says everything that the rest of the package
needs to know of such an objective:

* `Labels`: an action is a class, and a row costs its weight unless it is of that class.
  This is misclassification; weights of classes and of rows give balanced accuracy.
* `Costs`: any table of costs, one number for each row and action. Matrices of costs,
  abstention and treatments are made into such tables by `treeproof.border.costs`.
* `Probabilities`: a leaf predicts how likely each class is, and a row costs the log
  loss or the Brier score of that. These go to the engine of regressions.

No engine knows costs. Those of labels search for labels with weights, and every table
of costs is such a problem: see `treeproof.objectives.costs`. Ratios such as F1 are
solved as a sequence of weighted problems: see `treeproof.objectives.ratios`.
"""

from __future__ import annotations

from treeproof.objectives.costs import Costs, Told
from treeproof.objectives.labels import Labels
from treeproof.objectives.objective import Objective, Units
from treeproof.objectives.probabilities import (
    PROBABILITY_CRITERIA,
    Probabilities,
    check_criterion,
)

__all__ = [
    "PROBABILITY_CRITERIA", "Costs", "Labels", "Objective", "Probabilities", "Told",
    "Units", "check_criterion",
]  # fmt: skip

"""Bounds on how a tree will do on new data, and what size they recommend.

A tree of a given *shape* is a machine that partitions rows. The fewer partitions it can
make of a sample, the less can its success on the sample be luck. Leboeuf, LeBlanc and
Marchand (NeurIPS 2020) bound that number for every shape; this package computes their
bounds and what follows from them, and extends them to categorical features:

* `TreeStructure`: shapes; `FeatureSpace`: what the splits may test;
* `partitioning_function_bound`, `growth_function_bound`: how many partitions, how many
  labelings of m rows;
* `vc_dimension_stump` (exact), `vc_dimension_bound`, `vc_dimension_asymptotic`;
* `risk_bound`: the error to expect on new data at worst, with high probability;
  `rows_needed`: the data it takes for that to say something;
* `prune`, `BoundPruner`, `CostComplexityPruner`, `ModifiedCostComplexityPruner`:
  pruning by the bound, and by cross-validation;
* `BoundPrunedTreeClassifier`: grow and prune, as a scikit-learn estimator;
* `select_by_bound`: the size of an *optimal* tree.

Examples
--------
>>> from treeproof.generalization import risk_bound, vc_dimension_stump
>>> vc_dimension_stump(10)
6
>>> stump = ((), ())
>>> round(risk_bound(errors=5, m=10_000, structure=stump, n_features=9, n_classes=2), 3)
0.028
"""

from treeproof.generalization.classifier import BoundPrunedTreeClassifier
from treeproof.generalization.cost_complexity import (
    CostComplexityPruner,
    ModifiedCostComplexityPruner,
)
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.growth import growth_function_bound
from treeproof.generalization.partitioning import partitioning_function_bound
from treeproof.generalization.pruning import (
    BoundPruner,
    Pruner,
    PruningPath,
    PruningStep,
    prune,
)
from treeproof.generalization.risk import RiskBound, risk_bound, rows_needed
from treeproof.generalization.selection import (
    BoundSelection,
    SelectionPoint,
    select_by_bound,
)
from treeproof.generalization.structure import TreeStructure
from treeproof.generalization.vc import (
    vc_dimension_asymptotic,
    vc_dimension_bound,
    vc_dimension_stump,
)

__all__ = [
    "BoundPrunedTreeClassifier",
    "BoundPruner",
    "BoundSelection",
    "CostComplexityPruner",
    "FeatureSpace",
    "ModifiedCostComplexityPruner",
    "Pruner",
    "PruningPath",
    "PruningStep",
    "RiskBound",
    "SelectionPoint",
    "TreeStructure",
    "growth_function_bound",
    "partitioning_function_bound",
    "prune",
    "risk_bound",
    "rows_needed",
    "select_by_bound",
    "vc_dimension_asymptotic",
    "vc_dimension_bound",
    "vc_dimension_stump",
]

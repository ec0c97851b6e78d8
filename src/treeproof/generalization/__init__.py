from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.growth import growth_function_bound
from treeproof.generalization.partitioning import partitioning_function_bound
from treeproof.generalization.risk import risk_bound, rows_needed
from treeproof.generalization.structure import TreeStructure
from treeproof.generalization.vc import (
    vc_dimension_asymptotic,
    vc_dimension_bound,
    vc_dimension_stump,
)

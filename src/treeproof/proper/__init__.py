"""Proper decision trees: any splitting rule, one exact algorithm.

He and Little define decision trees by four axioms and derive one dynamic programme that
is exact for every kind of splitting rule. This package is that theory in a form that
runs:

1. A `Rule` cuts a space in two; `ancestry_matrix` says which rule may stand below
   which.
2. `treeproof.proper.axioms` checks the axioms on a tree.
3. A `splits` function says how the rules are shared out once a root is chosen. It is
   all that tells proper trees from search trees, binary feature trees or matrix chains.
4. One recursion, `grow`, with three ways to `keep` trees, gives the generators, the
   dynamic programme `sodt` and the thinning algorithm; `odt` tries all K-combinations
   of rules.
5. `axis_parallel_rules`, `hyperplane_rules`, `hypersurface_rules` and `mixed_rules`
   make rules from data.
6. The applications: `optimal_bsp`, `optimal_kd_tree`, `optimal_search_tree`,
   `matrix_chain`, `binary_feature_tree`.

Sets of rows are the bits of a Python integer. Everything here is written to be read;
`treeproof.ObliqueTreeClassifier` solves the same problems fast.

References
----------
X. He and M. A. Little, Proper decision trees: An axiomatic framework for solving
optimal decision tree problems with arbitrary splitting rules.
"""

from treeproof.proper.ancestry import ancestry_matrix, relation
from treeproof.proper.axioms import Violation, is_proper, violations
from treeproof.proper.binary_features import binary_feature_tree
from treeproof.proper.bsp import optimal_bsp
from treeproof.proper.data_rules import (
    axis_parallel_rules,
    hyperplane_rules,
    hypersurface_rules,
    mixed_rules,
    n_candidate_surfaces,
)
from treeproof.proper.filters import Subproblem, max_depth, min_leaf_size
from treeproof.proper.generators import (
    binary_feature_trees,
    catalan_trees,
    murtree_trees,
    permutation_trees,
    proper_trees,
)
from treeproof.proper.kd_tree import optimal_kd_tree
from treeproof.proper.matrix_chain import matrix_chain
from treeproof.proper.objective import (
    Objective,
    check_join,
    misclassification,
    squared_error,
    tree_height,
    tree_size,
)
from treeproof.proper.recursion import Solution, cheapest, everything, grow, thin
from treeproof.proper.rule import Rule, bits, divide, merge_rules, rows_of
from treeproof.proper.search_tree import optimal_search_tree
from treeproof.proper.sodt import odt, sodt
from treeproof.proper.splits import (
    binary_feature_splits,
    catalan_splits,
    chain_splits,
    matrix_splits,
    murtree_splits,
    proper_splits,
)
from treeproof.proper.surface import Surface
from treeproof.proper.tree import (
    Leaf,
    Node,
    Tree,
    accumulate,
    depth,
    fold,
    leaves,
    level_order,
    map_leaves,
    paths,
    size,
    to_text,
)

__all__ = [
    "Leaf",
    "Node",
    "Objective",
    "Rule",
    "Solution",
    "Subproblem",
    "Surface",
    "Tree",
    "Violation",
    "accumulate",
    "ancestry_matrix",
    "axis_parallel_rules",
    "binary_feature_splits",
    "binary_feature_tree",
    "binary_feature_trees",
    "bits",
    "catalan_splits",
    "catalan_trees",
    "chain_splits",
    "cheapest",
    "check_join",
    "depth",
    "divide",
    "everything",
    "fold",
    "grow",
    "hyperplane_rules",
    "hypersurface_rules",
    "is_proper",
    "leaves",
    "level_order",
    "map_leaves",
    "matrix_chain",
    "matrix_splits",
    "max_depth",
    "merge_rules",
    "min_leaf_size",
    "misclassification",
    "mixed_rules",
    "murtree_splits",
    "murtree_trees",
    "n_candidate_surfaces",
    "odt",
    "optimal_bsp",
    "optimal_kd_tree",
    "optimal_search_tree",
    "paths",
    "permutation_trees",
    "proper_splits",
    "proper_trees",
    "relation",
    "rows_of",
    "size",
    "sodt",
    "squared_error",
    "thin",
    "to_text",
    "tree_height",
    "tree_size",
    "violations",
]

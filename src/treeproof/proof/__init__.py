"""Proofs that a tree is optimal, and checkers that share nothing with the search.

``OptimalTreeClassifier().fit(X, y, proof="tree.proof.gz")`` writes a proof; `check`
reads it together with the data and accepts it, or names the first step that does not
hold. `check_all_trees` checks the claim that no tree within a margin is missing.
"""

from __future__ import annotations

from treeproof.proof.all_trees import AllTreesVerdict, check_all_trees
from treeproof.proof.checker import Verdict
from treeproof.proof.checking import check

__all__ = ["AllTreesVerdict", "Verdict", "check", "check_all_trees"]

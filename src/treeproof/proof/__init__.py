"""Proofs that a tree is optimal, and checkers that share nothing with the search.

``OptimalTreeClassifier().fit(X, y, proof="tree.proof.gz")`` writes a proof; `check`
reads it together with the data and accepts it, or names the first step that does not
hold.
"""

from __future__ import annotations

from treeproof.proof.checker import Verdict
from treeproof.proof.checking import check

__all__ = ["Verdict", "check"]

"""What the proof file of a fit proves, in words."""

from __future__ import annotations

from typing import Any

from treeproof.solving.certificates import trees_in_words

__all__ = ["proof_in_words"]


def proof_in_words(model: Any) -> str:
    """Say which trees the proof of a fit is about, and what it proves about them.

    Parameters
    ----------
    model : fitted estimator
        Its fit has written a proof.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier(max_depth=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "proof.gz")
    ...     clf = clf.fit([[1], [2], [7], [8]], [0, 0, 1, 1], proof=path)
    >>> proof_in_words(clf)
    'no tree of depth 2 or less costs less than 0.01'
    """
    depth = model.stats_["proof_max_depth"]
    trees = trees_in_words(**(model._allowed_trees() | {"max_depth": depth}))
    known = [level for level in model.certificates_ if level.max_depth == depth]
    if not known or not model.stats_.get("proof_shows_bound", True):
        return f"a lower bound on the cost of any {trees}, which a check states"
    words = model._wording().better(min(known[0].lower_bound, model.objective_))
    tolerance = model._tolerated()
    return f"no {trees} {words}" + (f" by more than {tolerance}" if tolerance else "")

"""`near_optimal` and ``n_best``, as methods of the classifier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet, NearTree
    from treeproof.solving.solvers import Task
    from treeproof.tree import Tree

__all__ = ["Alternatives"]

MOST_KEPT_BYTES = 1 << 26
"""Encoded tables up to this size stay with a fitted classifier, but are never saved."""


class Alternatives:
    """What a fitted classifier knows of trees that are nearly as good as its own."""

    tree_: Tree
    trees_: list[NearTree]
    _task: Task
    stats_: dict[str, Any]
    _engine_costs: tuple[int, int, int]  # unit, one split, the best tree

    def near_optimal(
        self,
        within: float = 0.01,
        *,
        using: Any = (),
        without: Any = (),
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> NearOptimalSet:
        """Find all trees that cost at most a margin more than the best one.

        They are called the Rashomon set: many different trees are often equally good,
        and one of them may be preferred for reasons that no penalty knows. The set is
        counted exactly, without listing it; any tree of it can be had by its number.

        Parameters
        ----------
        within : float, default=0.01
            The margin, added to ``objective_``: 0.01 allows one more error in a hundred
            rows, or as many more splits as cost that. Between 0 and 1, or in the unit
            of the costs or rewards that the tree was fitted to.
        using, without : column or list of columns, default=()
            Only trees that test these columns, every one of them, or none of them.
        X, y, sample_weight : default=None
            The training data. A classifier that was just fitted still has them; one
            that was loaded from a file, or fitted on a very large table, needs them.

        Returns
        -------
        NearOptimalSet
            ``count``, ``best(k)``, ``sample(k)``, ``to_list()``, ``filter(...)``,
            ``feature_use()``.

        Raises
        ------
        LimitReachedError
            If a limit ends the counting (the classifier's ``time_limit`` and
            ``memory_limit`` hold here too). Where depth is not limited, or limited
            above three, smaller depths are tried before this is raised: the set then
            has all trees of that depth within the margin, ``max_depth`` says which, and
            a `ConvergenceWarning` tells.

        Notes
        -----
        Two trees are different if they test different columns or part rows differently
        somewhere; thresholds of one column between which no row of a node lies are one
        test. Every leaf predicts its most frequent class, and a split whose children
        are all leaves of the same class is not counted as one.

        References
        ----------
        R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin. "Exploring the whole
        Rashomon set of sparse decision trees." NeurIPS 2022.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]]
        >>> clf = OptimalTreeClassifier().fit(X, [0, 0, 1, 1])
        >>> trees = clf.near_optimal(0.0)
        >>> trees.count, trees.feature_use()
        (2, {'x0': 1, 'x1': 1, 'x2': 0})
        """
        from treeproof.alternatives.search import near_set

        check_is_fitted(self, "tree_")
        costs = self.tree_.measure in ("cost", "reward")  # in a unit of their own
        if not isinstance(within, Real) or not 0 <= within <= (np.inf if costs else 1):
            most = "at least 0" if costs else "from 0 to 1"
            raise ValueError(f"within={within!r} is not a margin; use a number {most}.")
        if X is not None:
            model: Any = clone(self).fit(X, y, sample_weight)  # type: ignore[type-var]
            return model.near_optimal(within, using=using, without=without)
        if not hasattr(self, "_task"):
            raise ValueError(
                "The classifier no longer has its training data (it was loaded, copied "
                "or fitted on a very large table); give them as X=..., y=...."
            )
        found = near_set(self, self._task, float(within))
        if not using and not without and not isinstance(using, int):
            return found
        return found.filter(using=using, without=without)

    def _remember(self, task: Task, found: Mapping[str, Any], n_best: int) -> None:
        """Keep what other trees are found with, and find the best of them."""
        from treeproof.alternatives.search import best_trees

        # Engines that take turns count costs as the search for alternatives does.
        self.__dict__.pop("_engine_costs", None)  # of an earlier fit
        same_unit = "certificates" in found and task.min_samples_leaf == 1
        own = self.stats_["solver"] == "sparse" and task.first_split is None
        if same_unit or own:
            unit, split_cost = int(found["unit"]), int(found["split_cost"])
            self._engine_costs = (unit, split_cost, int(found["upper"]))
        kept = replace(task, observer=None, ladder=None, proof_log="")
        if task.table.codes.nbytes <= MOST_KEPT_BYTES and not task.table.unread:
            self._task = kept
        else:
            self.__dict__.pop("_task", None)
        if n_best == 1:
            self.__dict__.pop("trees_", None)  # of an earlier fit
            return
        self.trees_, limit = best_trees(self, kept, n_best)
        if limit is not None:
            warnings.warn(
                f"Only {len(self.trees_)} of the n_best={n_best} trees were found "
                f"({limit}); raise the limit or ask for fewer.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __getstate__(self) -> dict[str, Any]:
        # Training data stay out of files. Trees remember their maker, not its data.
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {name: value for name, value in state.items() if name != "_task"}

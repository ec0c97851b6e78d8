"""`near_optimal` and ``n_best``, as methods of the classifier."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from treeproof.notices import warn_user
from treeproof.objectives.ratios import RATIOS
from treeproof.parameters import counts_errors
from treeproof.solving.answer import Answer
from treeproof.solving.shape import restrictions

if TYPE_CHECKING:
    from treeproof.alternatives.near_tree import NearTree
    from treeproof.alternatives.problems import Problem
    from treeproof.alternatives.result import NearOptimalSet
    from treeproof.solving.solvers import Task
    from treeproof.tree import Tree

__all__ = ["MOST_KEPT_BYTES", "Alternatives", "check_limit"]

MOST_KEPT_BYTES = 1 << 26
"""Encoded tables up to this size stay with a fitted classifier, but are never saved."""


def check_limit(limit: Any) -> None:
    """Raise if `limit` is not a valid number of trees."""
    if limit is not None and (not isinstance(limit, Integral) or limit < 1):
        raise ValueError(f"limit={limit!r} must be a whole number from 1 on.")


class Alternatives:
    """Methods of a fitted classifier for trees that are nearly optimal."""

    tree_: Tree
    trees_: list[NearTree]
    _task: Task
    # After a fit with constraints: its search, and the objective of the nodes.
    _constrained: Any
    status_: str
    stats_: dict[str, Any]
    # integer costs of an objective of 1, of a split, and of the best tree
    _engine_costs: tuple[int, int, int]

    def near_optimal(
        self,
        within: float = 0.01,
        *,
        limit: int | None = None,
        using: Any = (),
        without: Any = (),
        count: bool = True,
        distinct: str = "trees",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
    ) -> NearOptimalSet:
        """Find all trees whose cost is within a margin of the optimum.

        These trees are called the Rashomon set. Often many different trees are nearly
        equally good, and one of them may be preferable for reasons that the cost does
        not express. The set is counted exactly without listing it, and any of its trees
        can be retrieved by its number.

        Parameters
        ----------
        within : float, default=0.01
            The margin, which is added to ``objective_``: 0.01 allows errors on one more
            row in a hundred, or as many more leaves as cost that much. Between 0 and 1,
            or in the unit of the costs or rewards to which the tree was fitted.
        limit : int or None, default=None
            Return only the best ``limit`` of these trees. They are found without
            counting the others, so that the first trees of a very large set take about
            as long as a fit.
        count : bool, default=True
            Whether to count the trees at once. If not, they are counted when their
            number is asked for, and iteration starts with the best tree after about
            the time of a fit, however many there are.
        using, without : column or list of columns, default=()
            Only trees that test all of these columns, or none of these columns.
        distinct : {"trees", "predictions", "functions"}, default="trees"
            With "predictions", trees with the same predictions on all training rows
            count once; with "functions", trees with the same predictions for every
            combination of the columns' values do. The cheapest tree stands for all.
        X, y, sample_weight, sensitive_features : default=None
            The training data. They are needed only if the classifier was loaded from a
            file or fitted on a very large table; otherwise it still has them.

        Returns
        -------
        NearOptimalSet
            ``count``, ``complete``, ``best(k)``, ``sample(k)``, ``to_list()``,
            ``filter(...)``, ``feature_use()``, ``votes(X)``. Iteration gives the trees
            from the best one on.

        Raises
        ------
        LimitReachedError
            If a limit ends the counting (``time_limit`` and ``memory_limit`` of the
            classifier apply here too). If the depth is not limited, or limited above
            three, the trees of depth 1, 2, 3, 4, ... are counted as far as time allows:
            the set then contains all trees of that depth within the margin, and
            ``max_depth`` is that depth. Otherwise
            smaller margins are tried: ``complete`` is then False, and ``count`` is a
            lower bound. In both cases a `ConvergenceWarning` is issued.

        Notes
        -----
        Two trees are different if at some node they test different columns or divide
        the rows differently; thresholds of one column that divide the rows of a node in
        the same way count as one test. Every leaf predicts its most frequent class,
        and a split whose children are all leaves of the same class is not counted.

        For a classifier with ``constraints``, the set contains all trees within the
        margin that keep them, with every choice of classes for their leaves: two trees
        are also different if one of their leaves predicts different classes.

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
        from treeproof.alternatives.problems import ClassProblem
        from treeproof.alternatives.result import near_set

        check_is_fitted(self, "tree_")
        costs = self.tree_.measure in ("cost", "reward")  # not shares of the weight
        if not isinstance(within, Real) or not 0 <= within <= (np.inf if costs else 1):
            most = "at least 0" if costs else "from 0 to 1"
            raise ValueError(f"within={within!r} is not a margin; use a number {most}.")
        check_limit(limit)
        self._check_listed(again=X is not None)
        if X is not None:
            groups = {}
            if sensitive_features is not None:
                groups["sensitive_features"] = sensitive_features
            model: Any = clone(self)  # type: ignore[type-var]
            model.fit(X, y, sample_weight, **groups)
            return model.near_optimal(  # type: ignore[no-any-return]
                within, limit=limit, using=using, without=without,
                count=count, distinct=distinct,
            )  # fmt: skip
        constrained = bool(getattr(self, "constraints", None))
        if not hasattr(self, "_constrained" if constrained else "_task"):
            groups = ", and sensitive_features if it has them" if constrained else ""
            raise ValueError(
                "The classifier no longer has its training data (it was loaded, copied "
                f"or fitted on a very large table); give them as X=..., y=...{groups}."
            )
        problem: Problem
        if constrained:
            from treeproof.constraints.near import KeptProblem

            problem = KeptProblem(self, *self._constrained)
        else:
            problem = ClassProblem(self, self._task)
        return near_set(problem, float(within), limit, using, without, count, distinct)

    def _check_listed(self, again: bool) -> None:
        """Raise if trees cannot be listed by their cost for this objective."""
        if self.status_ == "infeasible":
            raise ValueError(
                "No tree that keeps the constraints was found, so there are none to "
                "list; relax the constraints."
            )
        if self.tree_.predicts_probabilities:
            raise ValueError(
                f'criterion="{self.tree_.measure}" has costs that are real numbers, '
                "and near-optimal trees are counted by whole ones; fit the tree to "
                "misclassification for them."
            )
        for name in restrictions(self):
            raise ValueError(
                f"near_optimal() does not know {name}; fit without it to see other "
                "trees."
            )
        metric = getattr(self, "metric", "accuracy")
        if metric in RATIOS:
            raise ValueError(
                f'metric="{metric}" is a ratio, and trees are listed by costs that add '
                "up; fit with a cost_matrix to see other trees."
            )
        if again and self.tree_.measure == "cost" and counts_errors(self):
            raise ValueError(
                "The classifier was fitted with costs=, which are not kept; fit it "
                "again with them and call near_optimal() without X."
            )

    def _forget(self) -> None:
        """Delete what an earlier fit has stored."""
        for name in ("_constrained", "_engine_costs", "_task", "trees_"):
            self.__dict__.pop(name, None)

    def _remember(self, task: Task, found: Answer, n_best: int) -> None:
        """Store what is needed to find other trees, and find the best of them."""
        from treeproof.alternatives.search import best_trees

        # A fit by several engines counts costs in other units than the search for
        # near-optimal trees.
        self.__dict__.pop("_engine_costs", None)  # of an earlier fit
        self.__dict__.pop("_constrained", None)
        same_unit = "certificates" in found and task.min_samples_leaf == 1
        own = self.stats_["solver"] == "sparse" or task.prefix is not None
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
            warn_user(
                f"Only {len(self.trees_)} of the n_best={n_best} trees were found "
                f"({limit}); raise the limit or ask for fewer.",
                ConvergenceWarning,
            )

    def __getstate__(self) -> dict[str, Any]:
        # Training data are not pickled. Trees refer to their estimator, not to its
        # data.
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        data = ("_task", "_constrained")
        return {name: value for name, value in state.items() if name not in data}

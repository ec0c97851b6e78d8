"""`near_optimal` as a method of the regressor."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from treeproof.alternatives.methods import MOST_KEPT_BYTES, check_limit
from treeproof.solving.shape import restrictions

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet

__all__ = ["NumberAlternatives"]

_LISTED = ("squared_error", "poisson")


class NumberAlternatives:
    """Methods of a fitted regressor for trees that are nearly optimal."""

    criterion: str
    leaf: str
    _near: Any  # the task, and the function that makes a tree of a table of splits

    def near_optimal(
        self,
        within: float = 0.01,
        *,
        limit: int | None = None,
        using: Any = (),
        without: Any = (),
        count: bool = True,
        distinct: str = "trees",
    ) -> NearOptimalSet:
        """Find all trees whose cost is within a relative margin of the optimum.

        Parameters
        ----------
        within : float, default=0.01
            The margin, as a share of ``objective_``: 0.01 allows costs up to 1% higher.
        limit : int or None, default=None
            Return only the best ``limit`` of these trees. Hardly any two trees of a
            regression cost the same, so that counting very many of them takes very
            long; the first thousand are found without counting the others.
        using, without : column or list of columns, default=()
            Only trees that test all of these columns, or none of these columns.
        count : bool, default=True
            Whether to count the trees at once. If not, iteration starts with the best
            tree after about the time of a fit.
        distinct : {"trees", "predictions", "functions"}, default="trees"
            With "predictions", trees with the same predictions on all training rows
            count once; with "functions", trees with the same predictions for every
            combination of the columns' values do. The cheapest tree stands for all.

        Returns
        -------
        NearOptimalSet
            See `OptimalTreeClassifier.near_optimal`.

        Raises
        ------
        LimitReachedError
            If a limit ends the counting; see `OptimalTreeClassifier.near_optimal`. The
            trees of a regressor without a limit on its depth are those of depth 3 or
            less.

        Notes
        -----
        A split whose leaves all predict the same is not counted. Costs are compared
        with a relative tolerance of 1e-9.

        Examples
        --------
        >>> from treeproof import OptimalTreeRegressor
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> reg = OptimalTreeRegressor(max_depth=1).fit(X, [0.0, 1.0, 1.0, 2.0])
        >>> trees = reg.near_optimal(0.1)
        >>> trees.count, trees.feature_use()
        (2, {'x0': 1, 'x1': 1})
        """
        from treeproof.alternatives.problems import NumberProblem
        from treeproof.alternatives.result import near_set

        check_is_fitted(self, "tree_")
        if not isinstance(within, Real) or not 0 <= within <= 1:
            raise ValueError(
                f"within={within!r} is not a margin; use a number from 0 to 1."
            )
        check_limit(limit)
        if self.leaf == "linear" or self.criterion not in _LISTED:
            what = f'criterion="{self.criterion}"'
            what = 'leaf="linear"' if self.leaf == "linear" else what
            raise ValueError(
                f"near_optimal() does not know {what}; fit with "
                'criterion="squared_error" or "poisson" to see other trees.'
            )
        for name in restrictions(self):
            raise ValueError(
                f"near_optimal() does not know {name}; fit without it to see other "
                "trees."
            )
        if not hasattr(self, "_near"):
            raise ValueError(
                "The regressor no longer has its training data (it was loaded, copied "
                "or fitted on a very large table); fit it again."
            )
        problem = NumberProblem(self, *self._near)
        return near_set(problem, float(within), limit, using, without, count, distinct)

    def _keep_problem(self, prepared: Any) -> None:
        """Store what is needed to find other trees."""
        table = prepared.task.table
        self.__dict__.pop("_near", None)  # of an earlier fit
        if table.codes.nbytes <= MOST_KEPT_BYTES and not table.unread:
            task = replace(prepared.task, observer=None, ladder=None, proof_log="")
            self._near = (task, prepared.grow)

    def __getstate__(self) -> dict[str, Any]:
        # Training data are not pickled.
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {name: value for name, value in state.items() if name != "_near"}

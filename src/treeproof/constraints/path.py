"""The cost of a constraint: the best tree for each of several bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from sklearn.base import clone

from treeproof.constraints.kinds import Constraint
from treeproof.constraints.sums import InfeasibleError
from treeproof.extras import new_axes

__all__ = ["ConstraintPath", "ConstraintPoint", "constraint_path"]


@dataclass(frozen=True)
class ConstraintPoint:
    """The best tree for one bound.

    Attributes
    ----------
    bound : float
        The bound of the constraint.
    feasible : bool
        Whether there is a tree that keeps the constraint.
    objective : float
        The cost of the best tree that does; NaN if there is none.
    lower_bound : float
        No tree that keeps the constraint costs less.
    optimal : bool
        Whether the two are equal.
    value : float
        The value of the limited rate or amount for the tree.
    price : float
        How much the least cost falls for each unit by which the bound is relaxed, as
        estimated by the prices of the lower bound.
    model : estimator or None
        The fitted estimator; for a bound that no tree keeps, the closest one.

    Examples
    --------
    >>> ConstraintPoint(0.1, True, 0.25, 0.25, True, 0.08, 0.5, None).optimal
    True
    """

    bound: float
    feasible: bool
    objective: float
    lower_bound: float
    optimal: bool
    value: float
    price: float
    model: Any


class ConstraintPath(Sequence[ConstraintPoint]):
    """The points of `constraint_path`, in the order in which bounds were given.

    Examples
    --------
    >>> point = ConstraintPoint(0.1, True, 0.25, 0.25, True, 0.08, 0.5, None)
    >>> len(ConstraintPath("difference_bound", [point]))
    1
    """

    def __init__(self, name: str, points: Sequence[ConstraintPoint]) -> None:
        self.name, self._points = name, list(points)

    @overload
    def __getitem__(self, i: int) -> ConstraintPoint: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[ConstraintPoint]: ...
    def __getitem__(self, i: Any) -> Any:
        """Return a point by its number."""
        return self._points[i]

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[ConstraintPoint]:
        return iter(self._points)

    def __str__(self) -> str:
        lines = [f"{self.name:>16}      cost    value  price  proved"]
        for p in self._points:
            if not p.feasible:
                lines.append(f"{p.bound:16g}  no tree keeps it")
                continue
            proved = (
                "yes" if p.optimal else f"no (gap {p.objective - p.lower_bound:.3g})"
            )
            lines.append(
                f"{p.bound:16g}  {p.objective:8.4f}  {p.value:7.4f}  {p.price:5.3g}  "
                f"{proved}"
            )
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw cost against bound, and what relaxing the bound would save.

        Bars extend down to the lower bound. The second axis has the price of each
        bound: by how much the least cost falls for each unit by which it is relaxed.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib axes
        """
        if ax is None:
            ax = new_axes("plot()", 4.8, 6.4)
        kept = sorted((p for p in self._points if p.feasible), key=lambda p: p.bound)
        bounds, costs = [p.bound for p in kept], [p.objective for p in kept]
        gaps = [p.objective - p.lower_bound for p in kept]
        prices = ax.twinx()
        prices.step(
            bounds,
            [p.price for p in kept],
            where="mid",
            color="tab:gray",
            linestyle=":",
        )
        prices.set_ylabel("price: saving per unit of the bound (dotted)")
        prices.set_ylim(bottom=0)
        ax.errorbar(
            bounds, costs, yerr=[gaps, [0.0] * len(kept)], marker="o", capsize=3
        )
        ax.set_xlabel(self.name.replace("_", " "))
        ax.set_ylabel("least cost")
        for axes in (ax, prices):
            axes.spines["top"].set_visible(False)
        return ax


def constraint_path(
    X: Any,
    y: Any,
    constraint: Constraint,
    bounds: Sequence[float],
    sample_weight: Any = None,
    *,
    estimator: Any = None,
    sensitive_features: Any = None,
) -> ConstraintPath:
    """Find the best tree for each of several bounds of a constraint.

    Parameters
    ----------
    X, y, sample_weight
        As for ``fit``.
    constraint : Constraint
        The constraint whose bound is varied; its own bound is ignored.
    bounds : sequence of float
        The bounds: differences of rates, recalls, rates, shares or amounts.
    estimator : OptimalTreeClassifier, OptimalPolicyTree or None, default=None
        The estimator whose parameters are used, including its other constraints; None
        for a classifier with default parameters. Its time limit is for each bound.
    sensitive_features : array-like of shape (n_samples,) or None, default=None
        The group of each row, for constraints that compare groups.

    Returns
    -------
    ConstraintPath
        One point for each bound.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.constraints import RecallAtLeast, constraint_path
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 1, 0, 0, 1, 1]
    >>> tree = OptimalTreeClassifier(0.0, max_depth=1)
    >>> print(constraint_path(X, y, RecallAtLeast(0), [0.5, 1.0], estimator=tree))
              recall      cost    value  price  proved
                 0.5    0.1667   0.3333      0  yes
                   1    0.3333   0.0000      1  yes
    """
    from treeproof.estimators.classifier import OptimalTreeClassifier

    base = OptimalTreeClassifier() if estimator is None else estimator
    name = constraint.varied
    if name == "share" and getattr(constraint, "amount", None) is not None:
        name = "amount"
    others = list(base.constraints or [])
    points = []
    for bound in bounds:
        own: Any = replace(constraint, **{name: bound})  # type: ignore[type-var]
        model = clone(base).set_params(constraints=[own, *others])
        try:
            model.fit(X, y, sample_weight, sensitive_features=sensitive_features)
        except InfeasibleError as told:
            nothing = float("nan")
            points.append(
                ConstraintPoint(
                    float(bound),
                    False,
                    nothing,
                    nothing,
                    told.proved,
                    nothing,
                    nothing,
                    told.model,
                )
            )
            continue
        kept = model.constraints_[0]
        points.append(
            ConstraintPoint(
                float(bound),
                True,
                model.objective_,
                model.lower_bound_,
                model.optimal_,
                kept.value,
                kept.price,
                model,
            )
        )
    return ConstraintPath(name, points)

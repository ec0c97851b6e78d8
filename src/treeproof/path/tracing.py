"""`penalty_path`: the exact regularisation path of optimal trees."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Real
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from treeproof.estimators.classifier import OptimalTreeClassifier
from treeproof.estimators.prepared import Prepared
from treeproof.estimators.regressor import OptimalTreeRegressor
from treeproof.estimators.variants import model_like
from treeproof.notices import warn_user
from treeproof.parameters import counts_errors
from treeproof.path.envelope import Segment
from treeproof.path.progress import PathListener
from treeproof.path.result import PathPoint, PenaltyPath
from treeproof.path.rungs import Level, Traced, trace_levels
from treeproof.solving.certificates import Certificate
from treeproof.solving.observers import History
from treeproof.solving.solvers import solver_name

__all__ = ["penalty_path"]


def penalty_path(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    costs: Any = None,
    low: float = 0.005,
    high: float = 1.0,
    estimator: Any = None,
) -> PenaltyPath:
    """Find every tree that is optimal for some penalty of a range.

    The lowest cost of a tree is a concave, piecewise linear function of the penalty.
    About one search is needed for each tree of the path, and each search uses what the
    others have proved, so that the whole path takes little more time than a fit at its
    smallest penalty.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        As for ``fit``.
    y : array-like of shape (n_samples,)
        Labels, or numbers if the estimator is a regressor.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows.
    costs : array-like of shape (n_samples, n_classes) or None, default=None
        The cost of each prediction for each row, as for ``fit`` of the classifier.
    low, high : float, default=0.005 and 1.0
        The range of penalties. Small penalties make large trees and long searches.
    estimator : OptimalTreeClassifier, OptimalTreeRegressor or None, default=None
        The estimator whose parameters are used, except for the penalty; None for a
        classifier with default parameters. Its time limit applies to the whole path.

    Returns
    -------
    PenaltyPath
        A sequence of `PathPoint`, small trees first. If a limit ends the work early,
        the points say how far they may be from the optimum, and a `ConvergenceWarning`
        is issued.

    Notes
    -----
    Intervals of classification trees are exact: their ends are fractions
    (`PathPoint.exact_interval`), and no tolerance is involved. Regression trees are
    proved within a relative 1e-9 of the cost.

    References
    ----------
    M. J. Eisner, D. G. Severance. "Mathematical techniques for efficient record
    segmentation in large shared databases." Journal of the ACM 23(4), 1976.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import penalty_path
    >>> X, y = load_iris(return_X_y=True)
    >>> print(penalty_path(X, y, low=0.01))
    splits  leaves  depth      loss  penalty from         to  proved
         0       1      0    0.6667      0.333333   1.000000  yes
         1       2      1    0.3333      0.293333   0.333333  yes
         2       3      2    0.0400      0.020000   0.293333  yes
         3       4      3    0.0200      0.010000   0.020000  yes
    """
    base = OptimalTreeClassifier() if estimator is None else estimator
    if not isinstance(base, OptimalTreeClassifier | OptimalTreeRegressor):
        raise TypeError(
            "estimator must be an OptimalTreeClassifier or an OptimalTreeRegressor, "
            f"not {type(base).__name__}."
        )
    for name in ("first_split", "prefix"):
        if getattr(base, name) is not None:
            raise ValueError(f"A path cannot be combined with {name}; leave it out.")
    if getattr(base, "constraints", None):
        raise ValueError("A path cannot be combined with constraints; leave them out.")
    classes = isinstance(base, OptimalTreeClassifier)
    if costs is not None and not classes:
        raise ValueError(
            "costs are those of a classifier's predictions; leave them out, or pass an "
            "OptimalTreeClassifier."
        )
    in_units = classes and (costs is not None or not counts_errors(base))
    _check_range(low, high, math.inf if in_units else 1.0)
    model = clone(base).set_params(split_penalty=float(low))
    given = {} if costs is None else {"costs": costs}
    prepared = model._prepare(X, y, sample_weight, **given)
    name = solver_name(model.solver, prepared.task)
    with PathListener(bool(model.verbose)) as listener:
        found = trace_levels(name, prepared.task, low, high, listener)
    searches, envelope = found.searches, found.envelope
    # One warning is issued for the whole path.
    answer = envelope.segments[0].solution.answer.copy()
    answer.pop("certificates", None)
    answer["seconds"] = searches.seconds
    answer["status"] = "part of a path"
    prepared.keep(name, answer, History())
    if isinstance(model, OptimalTreeClassifier):
        model._remember(prepared.task, answer, int(model.n_best))
    points = [
        _point(segment, found, prepared, model, (float(low), float(high)))
        for segment in envelope.segments
    ]
    path = PenaltyPath(
        tuple(reversed(points)),
        float(low),
        float(high),
        "optimal" if all(p.optimal for p in points) else searches.status,
        found.n_searches,
        searches.seconds,
        searches.unit / Fraction(searches.units.factor),
        searches.units.offset,
        envelope,
    )
    if not path.optimal:
        worst = max(point.gap for point in points)
        warn_user(
            f"The path is not proved optimal everywhere ({path.status}): trees may be "
            f"up to {worst:.3g} better. Raise time_limit or the smallest penalty.",
            ConvergenceWarning,
        )
    return path


def _point(
    segment: Segment,
    found: Traced,
    prepared: Prepared[Any],
    template: Any,
    ends: tuple[float, float],
) -> PathPoint:
    searches, envelope = found.searches, found.envelope
    units = searches.units
    unit = searches.unit / Fraction(units.factor)  # in the unit of the user's costs
    # The ends of the range are those the user gave, not the rounded ones.
    first, last = envelope.segments[0], envelope.segments[-1]
    exact = (
        Fraction(ends[0]) if segment is first else segment.low / unit,
        Fraction(ends[1]) if segment is last else segment.high / unit,
    )
    penalty = _middle(exact[0], exact[1])
    tree, loss = prepared.grow(segment.solution.answer["tree"])
    gap, _ = envelope.gap(segment)
    split_cost = searches.split_cost(units.engine_penalty(penalty))
    cost_now = segment.solution.at(split_cost)
    lower = min(envelope.lower(Fraction(split_cost)), Fraction(cost_now))
    model = model_like(
        template,
        tree,
        split_penalty=penalty,
        objective=loss + penalty * tree.n_penalties(template.penalize),
        lower=float(lower / unit) + units.offset - units.slack,
        proved=lower == cost_now,
        status=searches.status,
    )
    if lower < cost_now:
        for level in found.levels_at(split_cost, int(cost_now)):
            model.add_level(_certificate(level, cost_now, found, model.objective_))
    if hasattr(template, "_task"):  # for `near_optimal`
        model._task = template._task
        model._engine_costs = (searches.unit, split_cost, cost_now)
    return PathPoint(
        interval=(float(exact[0]), float(exact[1])),
        exact_interval=exact,
        penalty=penalty,
        n_splits=tree.n_splits,
        n_leaves=tree.n_leaves,
        depth=tree.depth,
        loss=loss,
        optimal=gap == 0,
        gap=float(gap / unit),
        model=model,
    )


def _certificate(
    level: Level, cost: Fraction | int, found: Traced, objective: float
) -> Certificate:
    """Return what is known about a level, beside a tree of this cost."""
    units, unit = found.searches.units, found.searches.unit

    def stated(whole: Fraction | int) -> float:
        return units.stated(float(whole / Fraction(unit)))

    best = objective if level.upper == cost else stated(level.upper)
    least = stated(level.lower) - units.slack
    if level.lower >= cost:
        least = max(least, objective)
    proved = level.lower >= level.upper
    lower = best if proved else min(least, math.nextafter(best, -math.inf))
    return Certificate(level.max_depth, best, lower, proved, level.seconds)


def _middle(low: Fraction, high: Fraction) -> float:
    """Return the geometric mean, or half of the upper end if the lower end is 0."""
    a, b = float(low), float(high)
    return min(max(math.sqrt(a * b), a), b) if a > 0 else b / 2


def _check_range(low: float, high: float, most: float) -> None:
    for name, value in (("low", low), ("high", high)):
        if (
            isinstance(value, bool)
            or not isinstance(value, Real)
            or not 0 <= value <= most
            or math.isinf(value)
        ):
            allowed = "from 0 to 1" if most == 1 else "that is not negative"
            raise ValueError(
                f"{name}={value!r} is not a penalty; use a number {allowed}."
            )
    if low > high:
        raise ValueError(f"low={low!r} is above high={high!r}; exchange the two.")

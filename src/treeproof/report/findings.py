"""What a report says about a table: fits, scores, importance, alternatives.

Some rows are held out. A tree fitted to the others is scored on them, beside CART and
boosted trees on the same rows. The tree that is shown is then fitted to all rows, with
the same settings; its certificate speaks of all rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.exceptions import ConvergenceWarning

from treeproof.alternatives.engine import LimitReachedError
from treeproof.importance import DroppedColumn, columns_tested
from treeproof.report.measures import Measure, measure_of
from treeproof.report.peers import GROWN, Score, compare
from treeproof.solving.summary import (
    note_few_rows,
    note_identifier,
    note_single_column,
    note_single_leaf,
)

__all__ = ["Findings", "investigate"]

_FEW_ROWS = 20  # too few to hold any out
_MOST_DROPPED = 8
_MARGIN = 0.01
_CLEARLY = 0.02  # share of a score by which another one is clearly better


@dataclass
class Findings:
    """What was found out about a table.

    Attributes
    ----------
    title, target : str
        The table's name and the column to predict.
    model : estimator
        Fitted to all rows.
    n_rows : int
        How many there are.
    measure : str
        Name of the score.
    scores : list of (str, int or None, float)
        Learners with their leaves and their scores on held-out rows, ours first; empty
        where there were too few rows to hold any out.
    low_is_good : bool
        Whether smaller scores are better.
    larger_is_better : bool
        Whether CART with more leaves predicts held-out rows clearly better.
    n_held_out : int
        How many rows were held out.
    predicted, actual : ndarray
        Predictions for held-out rows, and what they were.
    weights : ndarray or None
        What each held-out row counts; None for 1.
    dropped : list of DroppedColumn
        How much worse the best tree is without each column.
    alternatives : str
        How many trees cost hardly more, in words.
    use : dict
        How many of them test each column.
    notes : list of str
        What was said while the table was read.
    command : str
        How to make the report again.

    Examples
    --------
    >>> found = Findings("robots", "club", None, 432, "accuracy")
    >>> found.title, found.scores, found.n_held_out
    ('robots', [], 0)
    """

    title: str
    target: str
    model: Any
    n_rows: int
    measure: str
    scores: list[Score] = field(default_factory=list)
    low_is_good: bool = False
    larger_is_better: bool = False
    n_held_out: int = 0
    predicted: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    actual: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    weights: NDArray[np.float64] | None = None
    dropped: list[DroppedColumn] = field(default_factory=list)
    alternatives: str = ""
    use: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    command: str = ""


def investigate(
    model: Any,
    X: Mapping[str, Any],
    y: NDArray[Any],
    sample_weight: NDArray[np.float64] | None = None,
    *,
    title: str,
    target: str,
    test_size: float = 0.3,
    random_state: int = 0,
    details: bool = True,
) -> Findings:
    """Fit a tree and find out what a report says.

    Parameters
    ----------
    model : estimator
        An unfitted `OptimalTreeClassifier` or `OptimalTreeRegressor`.
    X : mapping
        The columns of the table.
    y : ndarray
        The target.
    sample_weight : ndarray or None, default=None
        What each row counts; None for 1.
    title, target : str
        What the table and its target are called.
    test_size : float, default=0.3
        The share of the rows to hold out; 0 for none.
    random_state : int, default=0
        Decides which rows.
    details : bool, default=True
        Also search without each column, and count alternatives.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"size": np.arange(40) % 9, "colour": ["red", "blue"] * 20}
    >>> found = investigate(
    ...     OptimalTreeClassifier(), X, X["size"] > 4, title="toys", target="large"
    ... )
    >>> found.model.n_splits_, found.n_held_out, found.scores[0][2]
    (1, 12, 1.0)
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight)
    measure = measure_of(model, y)
    found = Findings(title, target, model, len(y), measure.name)
    found.notes = [
        str(note.message)
        for note in said
        if not issubclass(note.category, ConvergenceWarning)
    ]
    doubts = (
        note_few_rows(model),
        note_single_column(model),
        note_identifier(model),
        note_single_leaf(model),
    )
    found.notes += [doubt for doubt in doubts if doubt is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if test_size > 0 and len(y) >= _FEW_ROWS:
            _hold_out(found, X, y, sample_weight, measure, test_size, random_state)
        if details and model.n_splits_ > 0:
            _without_columns(found, X, y, sample_weight)
            if not is_regressor(model):
                _count_alternatives(found)
    return found


def _hold_out(
    found: Findings,
    X: Mapping[str, Any],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None,
    measure: Measure,
    test_size: float,
    random_state: int,
) -> None:
    from treeproof.report.splitting import split_rows, take

    numeric = is_regressor(found.model)
    train, test = split_rows(y, test_size, random_state, numeric, weights)
    ours = clone(found.model).set_params(verbose=False)
    try:
        if weights is None:
            ours.fit(take(X, train), y[train])
        else:
            ours.fit(take(X, train), y[train], weights[train])
            found.weights = weights[test]
    except ValueError as reason:  # such as costs of a class that has one row
        found.notes.append(f"No rows were held out: {reason}")
        return
    found.predicted, found.actual = ours.predict(take(X, test)), y[test]
    found.n_held_out, found.low_is_good = len(test), measure.low_is_good
    told = measure.of(found.predicted, found.actual, found.weights)
    leaves = ours.get_n_leaves()
    found.scores = [
        ("optimal tree" if ours.optimal_ else "best tree found", leaves, told),
        *compare(
            X, y, train, test,
            measure=measure, numeric=numeric, leaves=leaves, weights=weights,
        ),
    ]  # fmt: skip
    found.larger_is_better = _larger_is_better(found)


def _larger_is_better(found: Findings) -> bool:
    """Whether CART with more leaves predicts the held-out rows clearly better."""
    by_name = {name: (leaves, score) for name, leaves, score in found.scores}
    ours, cart = found.scores[0], by_name.get(GROWN, (0, found.scores[0][2]))
    ahead = ours[2] - cart[1] if found.low_is_good else cart[1] - ours[2]
    return (cart[0] or 0) > (ours[1] or 0) and ahead > _CLEARLY * abs(ours[2])


def _without_columns(
    found: Findings,
    X: Mapping[str, Any],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None,
) -> None:
    model = found.model
    if len(model.tree_.given_columns) < 2:
        return
    shares = model.feature_importances_
    used = columns_tested(model.tree_)
    most = sorted(used, key=lambda j: -shares[j])[:_MOST_DROPPED]
    limit = model.time_limit
    try:
        if limit is not None:  # all of them together take about as long as the fit
            model.set_params(time_limit=max(limit / len(most), 0.5))
        found.dropped = model.drop_column_importance(
            X, y, weights, columns=[model.tree_.columns[j].name for j in most]
        )
    except ValueError as reason:  # such as a given top that tests the column
        found.notes.append(f"No columns were left out to see what they add: {reason}")
    finally:
        model.set_params(time_limit=limit)


def _count_alternatives(found: Findings) -> None:
    try:
        trees = found.model.near_optimal(_MARGIN)
    except (RuntimeError, ValueError, AttributeError) as reason:
        found.alternatives = str(reason)
        return
    n = trees.count
    if n == 0:  # counted for a depth that is too small for a tree within the margin
        found.alternatives = (
            "The trees that cost nearly as little could not be counted before a limit; "
            f"none of depth {trees.max_depth} or less costs at most {_MARGIN:g} more "
            "than the tree above. A smaller --max-depth or a larger --split-penalty "
            "makes counting them easier."
        )
        return
    if found.model.time_limit is not None:
        trees.limit_questions(found.model.time_limit / 2)
    with suppress(LimitReachedError):  # the number of trees is known all the same
        found.use = trees.feature_use()
    which = "" if trees.max_depth is None else f" of depth {trees.max_depth} or less"
    found.alternatives = (
        f"{n:,} {'tree' if n == 1 else 'trees'}{which} cost at most {_MARGIN:g} more "
    )
    deeper = trees.max_depth is not None and found.model.get_depth() > trees.max_depth
    found.alternatives += (
        "than the tree above, which is deeper and not among them."
        if deeper
        else "than the best one, the best one included."
    )

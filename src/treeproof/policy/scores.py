r"""Rewards of treatments that were not given, estimated from those that were.

A row i was given the treatment T and had the outcome Y. With a model of the outcome,
mu(x, t), and one of the propensity, p(x, t) (how likely a row like x was to be given
t), the reward of every treatment t is estimated by one of three *scores*:

=================== ============================================================
direct              mu(x, t)
inverse propensity  Y / p(x, t) if t = T, else 0
doubly robust       mu(x, t), plus (Y - mu(x, t)) / p(x, t) if t = T
=================== ============================================================

The mean of doubly robust scores is right if either model is. Models are *cross-fitted*:
what is predicted for a row comes from models that have not seen it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from treeproof.notices import warn_user

__all__ = ["METHODS", "Nuisances", "clipped", "cross_fit", "score", "together"]

METHODS = ("doubly_robust", "inverse_propensity", "direct")

Numbers = NDArray[np.float64]
Folds = Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]


@dataclass(frozen=True)
class Nuisances:
    """What the models predict for each row and treatment.

    Attributes
    ----------
    outcomes : ndarray of shape (rows, treatments) or None
        The expected outcome under each treatment; None where no score needs it.
    propensities : ndarray of shape (rows, treatments) or None
        The probability of being given each treatment; None where no score needs it.
    """

    outcomes: Numbers | None
    propensities: Numbers | None


def score(
    method: str,
    Y: Numbers,
    given: NDArray[np.intp],
    n_treatments: int,
    found: Nuisances,
) -> Numbers:
    """Return the estimated reward of each treatment for each row.

    Parameters
    ----------
    method : {"doubly_robust", "inverse_propensity", "direct"}
        Which score.
    Y : ndarray of shape (rows,)
        The outcomes.
    given : ndarray of shape (rows,)
        The number of each row's treatment.
    n_treatments : int
        How many treatments there are.
    found : Nuisances
        What the models predict.

    Examples
    --------
    >>> found = Nuisances(np.array([[1.0, 2.0]]), np.array([[0.25, 0.75]]))
    >>> Y, given = np.array([1.5]), np.array([0])
    >>> score("doubly_robust", Y, given, 2, found)
    array([[3., 2.]])
    >>> score("inverse_propensity", Y, given, 2, found)
    array([[6., 0.]])
    """
    rows = np.arange(len(Y))
    rewards = np.zeros((len(Y), n_treatments))
    if method != "inverse_propensity":
        assert found.outcomes is not None
        rewards += found.outcomes
    if method != "direct":
        assert found.propensities is not None
        surprise = Y - rewards[rows, given]
        rewards[rows, given] += surprise / found.propensities[rows, given]
    return rewards


def cross_fit(
    method: str,
    features: Numbers,
    Y: Numbers,
    given: NDArray[np.intp],
    treatments: NDArray[Any],
    folds: Callable[[], Folds],
    model_regression: Any,
    model_propensity: Any,
    weights: Numbers | None,
) -> Nuisances:
    """Return what models that have not seen a row predict for it.

    Parameters
    ----------
    method : str
        Which score the models are for; what it does not need is not fitted.
    features : ndarray of shape (rows, columns)
        What the models may look at.
    Y, given
        Outcomes, and numbers of treatments.
    treatments : ndarray
        The names of the treatments, for messages.
    folds : callable
        Returns pairs of rows to learn from and rows to predict.
    model_regression, model_propensity : estimators
        A regressor of Y on the features and the treatment, of which all but the first
        one have a column of zeros and ones; and a classifier of the treatment.
    weights : ndarray or None
        Weights of the rows, for models that take any.
    """
    n, k = len(Y), len(treatments)
    outcomes = None if method == "inverse_propensity" else np.full((n, k), np.nan)
    chances = None if method == "direct" else np.full((n, k), np.nan)
    for learn, predict in folds():
        _check_fold(given[learn], treatments)
        if outcomes is not None:
            with_treatment = np.hstack([features, np.eye(k)[given][:, 1:]])
            model = _fitted(model_regression, with_treatment, Y, learn, weights)
            for t in range(k):
                told = np.tile(np.eye(k)[t, 1:], (len(predict), 1))
                asked = np.hstack([features[predict], told])
                outcomes[predict, t] = np.asarray(model.predict(asked)).reshape(-1)
        if chances is not None:
            model = _fitted(model_propensity, features, given, learn, weights)
            chances[predict] = model.predict_proba(features[predict])
    _check_every_row(outcomes if chances is None else chances)
    return Nuisances(outcomes, chances)


def together(rounds: list[Nuisances], how: str) -> Nuisances:
    """Return the mean or median of what several rounds of models predict.

    Examples
    --------
    >>> rounds = [Nuisances(np.array([[1.0]]), None), Nuisances(np.array([[4.0]]), None)]
    >>> together(rounds, "mean").outcomes
    array([[2.5]])
    """  # noqa: E501
    average = np.mean if how == "mean" else np.median

    def of(parts: list[Numbers | None]) -> Numbers | None:
        known = [part for part in parts if part is not None]
        return np.asarray(average(known, axis=0)) if known else None

    return Nuisances(
        of([r.outcomes for r in rounds]), of([r.propensities for r in rounds])
    )


def clipped(chances: Numbers, least: float) -> Numbers:
    """Return propensities of at least `least`; warn if some were below."""
    below = chances < least
    if below.any():
        warn_user(
            f"{np.count_nonzero(below)} propensities are below "
            f"min_propensity={least:g} (the least is {chances.min():.3g}) and were "
            "raised to it: these rows were hardly ever given the treatment. Leave such "
            "rows or treatments out, or raise min_propensity."
        )
    return np.maximum(chances, least)


def _fitted(
    model: Any, X: Numbers, y: NDArray[Any], rows: Any, weights: Numbers | None
) -> Any:
    """Return a copy of a model, fitted to some rows."""
    model = clone(model)
    if weights is None:
        return model.fit(X[rows], y[rows])
    last, name = model, "sample_weight"
    if isinstance(model, Pipeline):
        step, last = model.steps[-1]
        name = f"{step}__sample_weight"
    if "sample_weight" not in inspect.signature(last.fit).parameters:
        raise ValueError(
            f"sample_weight was given, but {type(last).__name__} does not take any; "
            "use another model, or leave the weights out."
        )
    return model.fit(X[rows], y[rows], **{name: weights[rows]})


def _check_fold(given: NDArray[np.intp], treatments: NDArray[Any]) -> None:
    there = np.bincount(given, minlength=len(treatments)) > 0
    if not there.all():
        absent = treatments[np.flatnonzero(~there)[0]].item()
        raise ValueError(
            f"The treatment {absent!r} is given to no row of a fold that the models "
            "learn from; use a smaller cv, or leave out rare treatments."
        )


def _check_every_row(predicted: Numbers | None) -> None:
    assert predicted is not None
    left_out = np.flatnonzero(np.isnan(predicted).any(axis=1))
    if len(left_out):
        raise ValueError(
            f"The models have no prediction for {len(left_out)} rows (first: row "
            f"{left_out[0]}); every row must be in the test part of one split of cv."
        )

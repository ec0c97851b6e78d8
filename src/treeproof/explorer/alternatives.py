"""Trees that are nearly as good as the best one, for a user to choose among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treeproof.alternatives.engine import LimitReachedError
from treeproof.explorer.fitting import Fitted
from treeproof.tree import LEAF

__all__ = ["Alternative", "Alternatives", "ColumnUse", "alternatives"]

_MOST_LISTED = 60
_SECONDS = 10.0  # for all questions to the trees together


@dataclass(frozen=True)
class Alternative:
    """One tree: its cost, its size, and the columns that it tests."""

    cost: float
    loss: float
    splits: int
    columns: tuple[str, ...]
    fitted: Fitted


@dataclass(frozen=True)
class ColumnUse:
    """How much the trees use a column.

    Attributes
    ----------
    share : float
        The share of the trees that test it.
    least, most : float or None
        The least and the greatest loss of a tree when the column is shuffled; None if
        that is not known.
    """

    share: float
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Alternatives:
    """The trees within a margin.

    Attributes
    ----------
    count : int
        How many there are, exactly.
    within : float
        The margin; for numbers a share of the cost.
    relative : bool
        Whether the margin is a share of the cost.
    without : tuple of str
        Columns that none of them tests.
    listed : list of Alternative
        The cheapest of them, the best one first.
    use : dict of ColumnUse
        How much they use each column.
    n_predictions : int or None
        In how many ways they predict the training rows; None if that is not known.
    disputed : pair of int or None
        For how many training rows their predictions differ, and the number of rows.
    """

    count: int
    within: float
    relative: bool
    without: tuple[str, ...]
    listed: list[Alternative]
    use: dict[str, ColumnUse]
    n_predictions: int | None = None
    disputed: tuple[int, int] | None = None


def alternatives(
    fitted: Fitted, within: float, without: Sequence[str] = ()
) -> Alternatives:
    """Return the trees that cost at most a margin more than a fitted one.

    Parameters
    ----------
    fitted : Fitted
        The tree.
    within : float
        The margin; for numbers a share of the cost.
    without : sequence of str, default=()
        Columns that the trees must not test.

    Examples
    --------
    >>> from treeproof.explorer.fitting import fit
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("monks")
    >>> found = alternatives(fit(table, first_question(table)), 0.0)
    >>> found.count, found.listed[0].columns
    (8, ('jacket_color', 'head_shape', 'body_shape'))
    """
    if not 0 <= within <= 1:
        raise ValueError(f"The margin is between 0 and 1, not {within:g}.")
    found = fitted.model.near_optimal(within, without=list(without))
    if found.count == 0:
        raise ValueError(
            "Every tree within the margin tests one of these columns; allow one of "
            "them, or choose a larger margin."
        )
    listed = []
    for near in found.best(_MOST_LISTED):
        tests = near.tree.feature[near.tree.kind != LEAF]
        names = [near.tree.columns[j].name for j in dict.fromkeys(tests.tolist())]
        listed.append(
            Alternative(
                near.objective,
                near.loss,
                near.n_splits,
                tuple(names),
                Fitted(fitted.question, fitted.table, near.model),
            )
        )
    numeric = fitted.question.numeric
    use = {name: ColumnUse(n / found.count) for name, n in found.feature_use().items()}
    found.limit_questions(_SECONDS)
    disputed = None  # the quickest question first
    if not numeric and (rows := _answer(found.disagreement)) is not None:
        disputed = (int(rows.disputed.sum()), len(rows.disputed))
    reliance = None if numeric else _answer(lambda: _reliance(found))
    counts = _answer(found.counts)
    return Alternatives(
        found.count, within, numeric, tuple(without), listed,
        reliance or use,
        None if counts is None else counts["predictions"], disputed,
    )  # fmt: skip


def _reliance(found: Any) -> dict[str, ColumnUse]:
    """Return how much the trees use each column and rely on it."""
    return {
        name: ColumnUse(own.use, own.least, own.most)
        for name, own in found.reliance().items()
    }


def _answer(ask: Any) -> Any:
    """Return an answer, or None if there is no time for it or it cannot be given."""
    try:
        return ask()
    except (LimitReachedError, ValueError):
        return None

"""Trees that are nearly as good as the best one, for a user to choose among."""

from __future__ import annotations

from dataclasses import dataclass

from treeproof.explorer.fitting import Fitted
from treeproof.tree import LEAF

__all__ = ["Alternative", "Alternatives", "alternatives"]

_MOST_LISTED = 60


@dataclass(frozen=True)
class Alternative:
    """One tree: its cost, its size, and the columns that it tests."""

    cost: float
    loss: float
    splits: int
    columns: tuple[str, ...]
    fitted: Fitted


@dataclass(frozen=True)
class Alternatives:
    """The trees within a margin.

    Attributes
    ----------
    count : int
        How many there are, exactly.
    within : float
        The margin.
    listed : list of Alternative
        The cheapest of them, the best one first.
    use : dict of float
        For each column, the share of these trees that test it.
    """

    count: int
    within: float
    listed: list[Alternative]
    use: dict[str, float]


def alternatives(fitted: Fitted, within: float) -> Alternatives:
    """Return the trees that cost at most a margin more than a fitted one.

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
    if fitted.question.numeric:
        raise ValueError(
            "Alternatives are listed for classes, not for numbers yet; predict classes."
        )
    if not 0 <= within <= 1:
        raise ValueError(f"The margin is between 0 and 1, not {within:g}.")
    found = fitted.model.near_optimal(within)
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
    total = max(found.count, 1)
    use = {name: n / total for name, n in found.feature_use().items()}
    return Alternatives(found.count, within, listed, use)

"""What an estimator wants of its table: all that the border has to know about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Wanted"]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """How a table is read.

    Attributes
    ----------
    name : str
        The name of the estimator, for messages.
    categorical_features : "from_dtype", None, or array-like
        Which columns are categorical.
    categorical_split : {"either", "multiway", "one-vs-rest", "subset"}
        How columns of categories are split.
    missing : {"error", "branch", "best-side"}
        What is done with missing values.
    allowed_features : list or None
        The columns that splits may test; None for all.
    split_penalty : float
        The penalty, which decides how many children can pay off.
    each_split : bool
        Whether a split costs one penalty, however many children it has.
    counts_errors : bool
        Whether plain misclassification is minimised.
    in_order : bool
        Whether, for two classes or one number to predict, the best subsets of
        categories are found among those that follow their mean target. That holds for
        trees with at most one split.

    Examples
    --------
    >>> Wanted(missing="branch").categorical_split
    'multiway'
    """

    name: str = "OptimalTree"
    categorical_features: Any = "from_dtype"
    categorical_split: str = "multiway"
    missing: str = "error"
    allowed_features: Any = None
    split_penalty: float = 0.0
    each_split: bool = False
    counts_errors: bool = True
    in_order: bool = False

"""Parameters that cannot be combined with a given top or a choice of columns."""

from __future__ import annotations

from typing import Any

__all__ = ["check_top"]


def check_top(model: Any, proof: Any) -> None:
    """Refuse what cannot be combined with a given top or a choice of columns.

    Examples
    --------
    >>> from treeproof import OptimalTreeRegressor
    >>> check_top(OptimalTreeRegressor(allowed_features=["age"]), "proof.gz")
    Traceback (most recent call last):
      ...
    ValueError: allowed_features has no proof files; fit a table with these columns...
    """
    prefix = getattr(model, "prefix", None)
    if prefix is not None:
        unfit = {
            "first_split": model.first_split is not None,
            "quantiles": getattr(model, "quantiles", None) is not None,
            f'solver="{model.solver}"': model.solver == "quant-bnb",
        }
        for name, there in unfit.items():
            if there:
                raise ValueError(
                    f"prefix cannot be combined with {name}; leave one of the two out."
                )
    plain = hasattr(model, "n_best") and not getattr(model, "constraints", None)
    metric = getattr(model, "metric", "accuracy")
    plain = plain and metric in ("accuracy", "balanced_accuracy")
    limited = getattr(model, "allowed_features", None) is not None
    if proof is not None and limited and not plain:
        raise ValueError(
            "allowed_features has no proof files; fit a table with these columns only, "
            "which is the same problem."
        )

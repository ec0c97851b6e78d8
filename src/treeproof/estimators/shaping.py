"""Restrictions of trees as parameters: reading them, and refusing combinations."""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import StrOptions

from treeproof.border import TrainingTable
from treeproof.border.promises import (
    check_two_way,
    read_directions,
    read_interactions,
    read_test_costs,
)
from treeproof.solving.shape import Shape, path_rules, restrictions

__all__ = ["SHAPE_CONSTRAINTS", "check_restrictions", "shape_of"]

SHAPE_CONSTRAINTS: dict[str, list[Any]] = {
    "shape": [StrOptions({"tree", "list"})],
    "interaction_cst": [
        "array-like",
        StrOptions({"pairwise", "no_interactions"}),
        None,
    ],
}
"""Constraints of the parameters that all estimators with restrictions have."""


def check_restrictions(model: Any, **told: Any) -> None:
    """Refuse parameters that cannot be combined with restrictions.

    `told` are arguments of ``fit`` that are None if they were not given.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> check_restrictions(OptimalTreeClassifier(shape="list", first_split="age"))
    Traceback (most recent call last):
      ...
    ValueError: shape="list" cannot be combined with first_split; leave one of...
    """
    given = restrictions(model)
    if not given:
        return
    by_path = [name for name in given if name in ("interaction_cst", "test_costs")]
    if not by_path or hasattr(model, "constraints"):  # proofs of classifiers know all
        told = {**told, "proof": None}
    metric = getattr(model, "metric", "accuracy")
    unfit = {
        **{name: value is not None for name, value in told.items()},
        "first_split": model.first_split is not None,
        "prefix": model.prefix is not None,
        "n_best": getattr(model, "n_best", 1) > 1,
        "constraints": bool(getattr(model, "constraints", None)),
        f'metric="{metric}"': metric not in ("accuracy", "balanced_accuracy"),
        f'solver="{model.solver}"': model.solver not in ("auto", "threshold"),
    }
    for name, there in unfit.items():
        if there:
            raise ValueError(
                f"{given[0]} cannot be combined with {name}; leave one of the two out."
            )
    if by_path and model.max_splits is not None:
        raise ValueError(
            f"{by_path[0]} cannot be combined with max_splits; limit max_depth instead."
        )
    probable = getattr(model, "criterion", "") in ("log_loss", "gini")
    for name in ("monotonic_cst", "test_costs"):
        if name in given and probable:
            raise ValueError(
                f'{name} cannot be combined with criterion="{model.criterion}"; fit '
                "the tree to misclassification."
            )
    if "monotonic_cst" in given and model.abstain_cost is not None:
        raise ValueError(
            "monotonic_cst orders two classes, and cannot be combined with "
            "abstain_cost; leave one of the two out."
        )


def shape_of(model: Any, table: TrainingTable) -> Shape | None:
    """Return the restrictions of an estimator on a table; None if there are none."""
    given = restrictions(model)
    if not given:
        return None
    directions = None
    if "monotonic_cst" in given:
        if len(model.classes_) != 2:
            raise ValueError(
                f"monotonic_cst is for two classes, but y has {len(model.classes_)}."
            )
        directions = read_directions(model.monotonic_cst, table)
        directions = directions if directions.any() else None
    is_list = model.shape == "list"
    if is_list:
        check_two_way(table)
    paths = None
    if "interaction_cst" in given or "test_costs" in given:
        groups = (
            read_interactions(model.interaction_cst, table)
            if "interaction_cst" in given
            else None
        )
        costs = (
            read_test_costs(model.test_costs, table) if "test_costs" in given else []
        )
        paths = path_rules(len(table.columns), groups, costs, model.max_depth)
    shape = Shape(is_list, directions, paths)
    return shape if shape else None

"""Lines in the leaves of a regressor: their columns, and refused combinations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border import RegressionData, TrainingTable
from treeproof.solving.line_fit import LineFit

__all__ = ["check_line_parameters", "check_line_proof", "check_lines", "line_columns"]

MOST_RIDGE, MOST_ROWS = 1e9, 1 << 22  # of proofs: docs/proof-format.md


def check_line_parameters(model: Any) -> None:
    """Refuse parameters that lines cannot be combined with."""
    unfit = {
        "first_split": model.first_split is not None,
        "prefix": model.prefix is not None,
        f'criterion="{model.criterion}"': model.criterion != "squared_error",
        f'solver="{model.solver}"': model.solver not in ("auto", "threshold"),
    }
    for name, there in unfit.items():
        if there:
            raise ValueError(
                f'leaf="linear" cannot be combined with {name}; leave one of the two '
                "out."
            )


def check_line_proof(model: Any, data: RegressionData, leaf: LineFit) -> None:
    """Refuse what a proof cannot state about lines."""
    for number, fine in zip(leaf.numbers, leaf.slopes_in_range(), strict=True):
        if not fine:
            name = data.table.columns[number].name
            raise ValueError(
                f"Column {name!r} and the targets differ too much in size for a proof "
                "to state slopes; multiply the column by a constant, leave it out of "
                "linear_features, or fit without proof."
            )
    if float(model.ridge) > MOST_RIDGE:
        raise ValueError(
            f"A proof of lines takes a ridge of up to {MOST_RIDGE:g}, not "
            f"{model.ridge:g}; lower it, or fit without proof."
        )
    if len(data.weights) >= MOST_ROWS:
        raise ValueError(
            f"A proof of lines is about fewer than {MOST_ROWS:,} rows; fit without "
            "proof."
        )


def check_lines(model: Any, data: RegressionData, reading: Mapping[str, Any]) -> None:
    """Refuse data that lines cannot be combined with."""
    if model.leaf != "linear":
        return
    if data.targets.shape[1] > 1:
        raise ValueError(
            f'leaf="linear" predicts one number, but y has {data.targets.shape[1]} '
            "columns; fit one tree for each."
        )
    if reading:
        raise ValueError(
            'leaf="linear" needs the values of all rows; read the table into memory '
            "and do not use quantiles."
        )


def line_columns(
    linear_features: Any, table: TrainingTable
) -> tuple[list[int], NDArray[np.float64]]:
    """Return the columns that lines may depend on: their numbers and their values.

    Parameters
    ----------
    linear_features : list or None
        Names or numbers of columns; None for all that have numbers in all rows.
    table : TrainingTable
        The columns.
    """
    about = table.columns
    if linear_features is None:
        numbers = [
            k
            for k, column in enumerate(about)
            if not column.is_categorical and not column.has_missing
        ]
        if not numbers:
            raise ValueError(
                'leaf="linear" needs a numeric column without missing values; fill a '
                'column, or use leaf="constant".'
            )
    else:
        numbers = []
        for column in list(linear_features):
            name = column if isinstance(column, str) else int(column)
            number = table.number_of(name, "linear_features")
            assert number is not None
            if number not in numbers:
                numbers.append(number)
            if about[number].is_categorical or about[number].has_missing:
                why = "categories" if about[number].is_categorical else "missing values"
                raise ValueError(
                    f"Column {about[number].name!r} of linear_features has {why}; a "
                    "line needs a number in every row."
                )
        if not numbers:
            raise ValueError("linear_features is empty; name a column, or pass None.")
    values = [
        np.asarray(table.distinct[k], dtype=np.float64)[table.codes[k]] for k in numbers
    ]
    return numbers, np.array(values)

"""Labels, weights and predictions in the kinds of series and frames users have."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["frame_like", "is_frame", "labels_of", "series_like", "weights_of"]


def is_frame(X: Any) -> bool:
    """Whether X is an eager data frame of some library."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return isinstance(frame, nw.DataFrame)


def labels_of(y: Any) -> NDArray[Any]:
    """Return labels as an array of numbers, or of objects.

    Examples
    --------
    >>> labels_of(["a", "b"]).dtype
    dtype('O')
    """
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu":
        return y
    series = nw.from_native(y, series_only=True, pass_through=True)
    items = series.to_list() if isinstance(series, nw.Series) else list(y)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def weights_of(w: Any, n_rows: int) -> NDArray[np.float64]:
    """Return one weight for each row; none may be negative, NaN or infinite."""
    if w is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("Weights must be numbers, one for each row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight "
            "for each row."
        )
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"The weight of row {row} is {weights[row]:g}; weights must be finite and "
            "not negative."
        )
    if not weights.any():
        raise ValueError("All weights are zero: no row is left to learn from.")
    return weights


def series_like(X: Any, values: NDArray[Any]) -> Any:
    """Return values as a series of X's library, with its index if it has one."""
    frame = nw.from_native(X, eager_only=True)
    items = values.tolist()
    made = nw.new_series("", items, backend=nw.get_native_namespace(frame)).to_native()
    return _with_index(X, made)


def frame_like(X: Any, columns: dict[Any, NDArray[np.float64]]) -> Any:
    """Return columns as a frame of X's library, with its index if it has one."""
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas():
        import pandas as pd

        return pd.DataFrame(columns, index=X.index)
    named = {str(name): values for name, values in columns.items()}
    return nw.from_dict(named, backend=nw.get_native_namespace(frame)).to_native()


def _with_index(X: Any, series: Any) -> Any:
    if hasattr(X, "index") and hasattr(series, "index"):
        series.index = X.index
    return series

"""Survival data as a regression: events, relative to the hazard of exposure.

Part of the checker: section 5 of docs/proof-format.md, which defines exposures in
doubles, operation by operation. The standard library and NumPy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, require


def exposures(y: Any, weight: Array) -> tuple[Array, Array]:
    """Return events by exposure, and exposures as weights; 0 for rows without weight.

    Parameters
    ----------
    y : array-like
        For each row, whether an event was observed, the time, and perhaps the entry.
    weight : ndarray
        Weights of the rows.
    """
    event, time, entry = _columns(y)
    kept = weight > 0
    require(bool(np.all((event == 0) | (event == 1))), "an event is neither 0 nor 1.")
    fine = np.all(np.isfinite(time)) and np.all(time >= 0) and np.all(entry < time)
    require(bool(fine), "a time is negative or not finite, or not after its entry.")
    seen = (event == 1) & kept
    moments = np.unique(time[seen])
    events = np.zeros(len(moments))
    np.add.at(events, np.searchsorted(moments, time[seen]), weight[seen])

    def still(at: Array) -> Array:
        """Return for each moment the weight of rows whose time is not before it."""
        order = np.argsort(at[kept], kind="stable")
        total = np.concatenate([[0.0], np.cumsum(weight[kept][order])])
        before = np.searchsorted(at[kept][order], moments, side="left")
        left: Array = total[-1] - total[before]
        return left

    shares = events / (still(time) - still(entry))
    hazard = np.concatenate([[0.0], np.cumsum(shares)])
    exposed = hazard[np.searchsorted(moments, time, side="right")]
    exposed = exposed - hazard[np.searchsorted(moments, entry, side="right")]
    some = (exposed > 0) & kept
    target = np.divide(event, exposed, out=np.zeros(len(event)), where=some)
    return target, weight * exposed


def _columns(y: Any) -> tuple[Array, Array, Array]:
    """Return events, times and entries; without entries, all rows enter at the start.

    `y` is a table of columns, or a structured array with fields in this order; or times
    alone, if every event was observed.
    """
    table = np.asarray(y)
    if table.dtype.names is not None:
        table = np.column_stack([table[name] for name in table.dtype.names])
    try:
        table = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim == 1:
        table = np.column_stack([np.ones(len(table)), table])
    fits = table.ndim == 2 and table.shape[1] in (2, 3)
    require(fits, "lifetimes are not events, times and perhaps entries.")
    event, time = table[:, 0], table[:, 1]
    late = table[:, 2] if table.shape[1] == 3 else np.full(len(table), -np.inf)
    return event, time, late

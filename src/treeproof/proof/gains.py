"""Costs of actions, as gains, which are integers.

Part of the checker: section 7 of docs/proof-format.md. The standard library and NumPy
only.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, require

MAX_WEIGHT = 1 << 30  # the largest sum of all gains
MAX_COST = 1e300
LEAST_SCALE, MOST_SCALE = -1100, 1000  # exponents
MEASURES = ("cost", "reward")


class Gains:
    """The gains: what an action saves compared with the most expensive one of a row.

    Parameters
    ----------
    raw : dict
        The header.
    given : array-like of shape (rows, actions) or None
        Costs or rewards of each row, if the header has no matrix.
    label : ndarray or None
        Codes of the classes, if rows have classes.
    weight : ndarray
        Weights of the rows.
    """

    def __init__(
        self, raw: dict[str, Any], given: Any, label: Array | None, weight: Array
    ) -> None:
        self.actions: Any = raw.get("actions")
        self.measure: Any = raw.get("measure")
        self.matrix: Any = raw.get("cost_matrix")
        self.abstain: Any = raw.get("abstain_cost")
        e: Any = raw.get("scale")
        self.exponent = e
        _check_header(self, raw)
        costs = self._costs(raw, given, label, len(weight))
        fine = np.all(np.abs(costs) <= MAX_COST)
        require(fine, "a cost is not a finite number, or too large.")
        kept = weight > 0
        self.weight, self.costs = weight[kept], costs[kept]
        self.worst = self.costs.max(axis=1)
        with np.errstate(over="ignore"):
            gain = (self.worst[:, None] - self.costs) * self.weight[:, None]
            scaled = np.ldexp(gain, e)
        fine = np.all(np.isfinite(scaled)) and scaled.sum() < MAX_WEIGHT
        require(fine, "the gains add up to too much.")
        self.whole = np.floor(scaled + 0.5).astype(np.int64)
        self.off = np.ldexp(np.abs(scaled - self.whole), -e).max(axis=1)
        self.rounded = bool(self.off.any())
        flat = ~self.whole.any(axis=1)
        self.raised = 0 if flat.all() else int(flat.sum())
        if self.raised:  # rows for which all actions cost the same count as rows, too
            self.whole[flat] = 1
        self.total = int(self.whole.sum())
        require(self.total < MAX_WEIGHT, "the gains add up to too much.")

    def _costs(self, raw: Any, given: Any, label: Any, n: int) -> Array:
        """Return the cost of each action for each row."""
        if self.matrix is not None:
            return _table(self.matrix, (len(raw["classes"]), len(self.actions)))[label]
        asked = self.abstain is not None
        costs = _table(given, (n, len(self.actions) - asked))
        if self.measure == "reward":
            costs = -costs
        if asked:
            costs = np.column_stack([costs, np.full(n, float(self.abstain))])
        return costs + 0.0  # -0.0 is 0.0

    def fraction(self, penalty: float) -> float:
        """Return a penalty as a fraction of all gains, in doubles as on the page."""
        if self.total == 0:
            return 1.0
        factor = math.ldexp(self.total, -self.exponent) / float(self._weights())
        return min(penalty / factor, 1.0) if factor > 0 else 1.0

    def _weights(self) -> Any:
        return np.cumsum(self.weight)[-1]

    def objective(self, action: Array) -> float:
        """Return the mean cost of a row, given the action of each row."""
        paid = self.costs[np.arange(len(action)), action]
        return math.fsum(self.weight * paid) / math.fsum(self.weight)

    def bound(self, gained: float) -> float:
        """Return a lower bound on the mean cost if no tree gains more than this."""
        most = math.ldexp(gained - self.raised, -self.exponent) + math.fsum(self.off)
        base = math.fsum(self.weight * self.worst)
        return (base - most) / math.fsum(self.weight)

    def words(self, raw: dict[str, Any]) -> list[str]:
        """Return what is minimised, in words."""
        said = [f"mean {self.measure} of the actions {json.dumps(self.actions)}"]
        if self.matrix is not None:
            pairs = zip(raw["classes"], self.matrix, strict=True)
            each = (f"{json.dumps(c)}: [{_numbers(row)}]" for c, row in pairs)
            said.append(f"cost matrix {{{', '.join(each)}}}")
        elif self.abstain is not None:
            said.append(
                f"{self.measure}s of each row, {self.abstain:.12g} for the last"
            )
        else:
            said.append(f"{self.measure}s of each row")
        unit = f"gains rounded to 2^{-self.exponent}"
        return [*said, unit if self.rounded else "gains not rounded"]


def _check_header(gains: Gains, raw: dict[str, Any]) -> None:
    actions = gains.actions
    listed = isinstance(actions, list) and len(actions) > 0
    require(listed, "the header has no list of actions.")
    plain = all(a is None or isinstance(a, (str, int, float)) for a in actions)
    distinct = plain and len({json.dumps(a) for a in actions}) == len(actions)
    require(distinct, "the actions are not distinct.")
    require(gains.measure in MEASURES, "the measure is neither cost nor reward.")
    e = gains.exponent
    whole = isinstance(e, int) and not isinstance(e, bool)
    require(whole and LEAST_SCALE <= e <= MOST_SCALE, "scale is out of range.")
    if gains.matrix is not None:
        plainly = gains.abstain is None and gains.measure == "cost"
        require(plainly and "classes" in raw, "a cost matrix needs classes, and costs.")
    if gains.abstain is not None:
        number = isinstance(gains.abstain, (int, float))
        number = number and not isinstance(gains.abstain, bool)
        require(number and len(actions) > 1, "abstain_cost is not a number.")


def _table(given: Any, shape: tuple[int, int]) -> Array:
    """Read a table of numbers."""
    require(given is not None, "the costs of each row are not given.")
    if isinstance(given, list):  # JSON may contain other values than numbers
        plain = all(isinstance(row, (list, tuple, np.ndarray)) for row in given)
        plain = plain and not any(isinstance(c, (bool, str)) for r in given for c in r)
        require(plain, "the costs are not a table of numbers.")
    try:
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.zeros(0)
    require(table.shape == shape, f"the costs are not a table of {shape}.")
    return table


def _numbers(row: Any) -> str:
    return ", ".join(f"{float(cost):.12g}" for cost in row)

"""The first line of a proof: the problem, the tree, and the claims.

Part of the checker: the standard library and NumPy only.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, Rejected, require

UNIT = 1 << 20  # cost of one unit of weight
INFINITE = 1 << 60
MAX_COST = 1 << 52  # sums of many of these do not overflow 64 bits
MAX_NUMBER = 1e300  # integers in JSON can be too large for a double
SPLITS = ("threshold", "order", "multiway", "one-vs-rest", "either", "subset")
MISSING = (None, "best-side", "branch")
PENALIZED = ("splits", "leaves")
EXACT = ("misclassification", "costs")
SHARES = ("log_loss", "gini")  # of probabilities of classes
NUMBERS = (
    *("squared_error", "absolute_error", "quantile", "poisson", "survival"),
    "linear",
)
LOSSES = (*EXACT, *SHARES, *NUMBERS)
VERSIONS = (2, 3, 4)
MAX_LEVELS = 1000
MAX_RIDGE = 1e9
TOLERANCE = 1e-9  # of the root's loss, in regression
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_object(line: bytes | None, what: str) -> dict[str, Any]:
    """Read a line that must be a JSON object, with no key twice."""
    try:
        text = (line or b"").decode("utf-8")
        value = json.loads(text, object_pairs_hook=_members, parse_constant=_no_number)
        # Half of a pair cannot be encoded: UnicodeEncodeError.
        if SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Rejected(f"{what} is not valid JSON, or has a key twice.") from None
    require(isinstance(value, dict), f"{what} is not a JSON object.")
    return value  # type: ignore[no-any-return]


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    # Two programs could read different proofs from one file.
    if len(members) < len(pairs):
        raise ValueError
    return members


def _no_number(word: str) -> Any:
    raise ValueError(word)


def read_number(value: Any, what: str, least: float, whole: bool = False) -> Any:
    """Read a finite number, or an integer, that must be at least `least`."""
    kind, most = (int, INFINITE) if whole else ((int, float), MAX_NUMBER)
    right = isinstance(value, kind) and not isinstance(value, bool)
    require(right, f"{what} is {value!r}, not a {'whole ' * whole}number.")
    require(least <= value <= most, f"{what} is out of range.")
    return value if whole else float(value)


def read_whole(value: Any, what: str, least: int = 0) -> int:
    """Read an integer that must be at least `least`."""
    return read_number(value, what, least, whole=True)  # type: ignore[no-any-return]


def read_limit(value: Any, what: str) -> int | None:
    """Read a limit: a nonnegative integer, or None."""
    return None if value is None else read_whole(value, what)


def covers(limit: int | None, needed: int | None) -> bool:
    """Whether a claim about all trees within `limit` covers those within `needed`."""
    return limit is None or (needed is not None and limit >= needed)


class Header:
    """The first line: the problem, the tree, and the claims."""

    def __init__(self, line: bytes | None) -> None:
        h = self.raw = read_object(line, "the header")
        self.text = (line or b"").decode()
        known = h.get("format") == "treeproof-proof" and h.get("version") in VERSIONS
        known = known and isinstance(h["version"], int)
        require(known, "this is not a treeproof proof of version 2, 3 or 4.")
        require(h.get("loss") in LOSSES, f"the loss {h.get('loss')!r} is unknown.")
        self.exact, self.costly = h["loss"] in EXACT, h["loss"] == "costs"
        self.of_shares = h["loss"] in SHARES
        self.labelled = not self.costly and (self.exact or self.of_shares)
        self.smoothing, self.levels = self._leaf_parameters()
        self.features: list[Any] = h.get("features")  # type: ignore[assignment]
        require(isinstance(self.features, list), "the header has no list of features.")
        for f in self.features:
            known = isinstance(f, dict) and f.get("split") in SPLITS
            known = known and f.get("missing") in MISSING
            require(known, "a feature in the header has no known kind of split.")
            require(isinstance(f.get("name"), str), "a feature's name is no text.")
            side = f.get("monotone")
            known = side is None or (type(side) is int and -1 <= side <= 1)
            require(known, "monotone of a feature is not -1, 0 or 1.")
        self.line_columns, self.ridge = self._lines()
        self.directions = [f.get("monotone") or 0 for f in self.features]
        self.is_list = h.get("shape") == "list"
        known = self.is_list or h.get("shape") in (None, "tree")
        require(known, "the shape is neither tree nor list.")
        names = {f["name"] for f in self.features}
        require(len(names) == len(self.features), "two features have the same name.")
        for limit in ("max_depth", "max_splits"):
            require(limit in h, f"{limit} is missing; null stands for no limit.")
        self.max_depth = read_limit(h.get("max_depth"), "max_depth")
        self.max_splits = read_limit(h.get("max_splits"), "max_splits")
        self.min_leaf = read_whole(h.get("min_samples_leaf"), "min_samples_leaf", 1)
        self.split_penalty = read_number(h.get("split_penalty"), "split_penalty", 0)
        fine = self.split_penalty <= 1 or self.costly or self.of_shares
        require(fine, "split_penalty is above 1.")
        self.penalize = h.get("penalize", "splits")
        known = self.penalize in PENALIZED
        require(known, f"penalize is {self.penalize!r}, not one of {PENALIZED}.")
        costs = ("lower", "upper", "split_cost", "search_split_cost")
        self.lower, self.upper, own, L = (self.cost(h.get(k), k, 0) for k in costs)
        self.split_cost, self.search_cost = own, L
        most = MAX_COST if self.exact else MAX_NUMBER
        require(own <= L <= most, "search_split_cost is out of range.")
        paid = self.max_splits is not None
        require(paid or own == L, "dearer splits prove nothing without max_splits.")

    def _lines(self) -> tuple[list[int], float]:
        """Return the columns of lines, and the penalty of their slopes."""
        if self.raw["loss"] != "linear":
            return [], 0.0
        given: Any = self.raw.get("lines")
        columns: Any = given.get("columns") if isinstance(given, dict) else None
        some = isinstance(columns, list) and len(columns) > 0
        require(some, "the header has no list of columns for lines.")
        for k in columns:
            known = read_whole(k, "a column of lines") < len(self.features)
            require(known, f"there is no column {k} for lines.")
            f = self.features[k]
            plain = f["split"] == "threshold" and f.get("missing") is None
            require(plain, f"the column {f['name']!r} of lines is not one of numbers.")
        require(len(set(columns)) == len(columns), "a column of lines is named twice.")
        ridge = read_number(given.get("ridge"), "the ridge of lines", 0)
        require(0 < ridge <= MAX_RIDGE, "the ridge of lines is not from 0 to 1e9.")
        return columns, ridge

    def _leaf_parameters(self) -> tuple[float, tuple[float, ...]]:
        """Return the smoothing of probabilities and the levels of quantiles."""
        smoothing, levels = 0.0, (0.5,)
        if self.of_shares:
            smoothing = read_number(self.raw.get("smoothing"), "smoothing", 0)
        if self.raw["loss"] == "quantile":
            given: Any = self.raw.get("quantiles")
            some = isinstance(given, list) and 0 < len(given) <= MAX_LEVELS
            require(some, "the header has no list of quantiles.")
            levels = tuple(read_number(q, "a quantile", 0) for q in given)
            fine = all(0 < q < 1 for q in levels)
            require(fine, "a quantile is not between 0 and 1.")
        return smoothing, levels

    def cost(self, value: Any, what: str, least: float | None = None) -> Any:
        """Read a cost: an integer for classification, a number for regression."""
        if least is None:
            least = -INFINITE if self.exact else -MAX_NUMBER
        return read_number(value, what, least, whole=self.exact)

    @property
    def by_leaves(self) -> bool:
        """Whether each child of a split after the second has a cost."""
        return bool(self.penalize == "leaves" and self.split_cost > 0)

    def price(self, n_children: Any) -> Any:
        """Return the costs of splits in the steps, by number of children with rows."""
        further = np.maximum(n_children, 2) - 2
        if not self.by_leaves:
            return self.search_cost + 0 * further
        if self.exact:  # a split that costs more than any leaf is never better
            further = np.minimum(further, MAX_COST // self.split_cost)
        return self.search_cost + further * self.split_cost

    def rounded(self, bound: Any, forced: Any, fewest: int, multiway: bool) -> Array:
        """Round a lower bound on trees with at least this many splits up.

        Their cost is that of the splits and an integer number of weight units, unless
        there are splits of other prices.
        """
        L = self.search_cost
        if L == 0 or (self.by_leaves and multiway and self.split_cost != L):
            return bound  # type: ignore[no-any-return]
        splits = L * np.arange(fewest, fewest + 32)[:, None]
        errors = -(-np.maximum(bound - splits, 0) // UNIT) * UNIT
        few = (splits + np.maximum(forced, errors)).min(axis=0)
        many = np.maximum(bound, (fewest + 32) * L + forced)
        least: Array = np.minimum(few, many)
        return least

"""The answer of an engine: a tree, a proved bound, and why the search ended."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from treeproof.tree.split_table import SplitTable

__all__ = [
    "Answer",
    "DerivedSteps",
    "HeaviestBox",
    "LevelAnswer",
    "PriceAxes",
    "RowPrices",
    "RulesAnswer",
    "ShallowPrices",
    "Share",
]


class LevelAnswer(TypedDict):
    """What is known about all trees up to one maximum depth.

    Attributes
    ----------
    max_depth : int or None
        The level; None for any depth that the parameters allow.
    lower, upper
        The proved bound and the cost of the best tree, as in `Answer`.
    optimal : bool
        Whether the two are equal.
    seconds : float
        When this was known.
    n_splits, n_leaves : int
        The size of the best tree.
    tree : dict
        At the end of the search: the best tree, as in `Answer`.
    unit, offset
        While the search goes on: as in `Answer`.
    """

    max_depth: int | None
    lower: Any
    upper: Any
    optimal: bool
    seconds: float
    n_splits: int
    n_leaves: int
    tree: NotRequired[SplitTable]
    unit: NotRequired[Any]
    offset: NotRequired[float]


class Share(TypedDict):
    """How long an engine worked on a level of depth.

    Attributes
    ----------
    engine : str
        Which engine.
    role : {"whole", "depth", "trees", "prices"}
        What it worked on: trees of any depth, one level of depth, better trees, or
        prices of rows.
    max_depth : int or None
        The level.
    seconds : float
        How long.
    """

    engine: str
    role: str
    max_depth: int | None
    seconds: float


class PriceAnswer(TypedDict):
    """Prices of rows: one for all rows that no test tells apart.

    Every tree of at most ``max_depth`` levels (None: any tree) costs ``bound`` or more.
    """

    max_depth: int | None
    of_point: NDArray[np.int64]
    per_leaf: int
    bound: int


class Answer(TypedDict):
    """The answer of an engine.

    Attributes
    ----------
    tree : SplitTable
        The best tree found.
    lower, upper
        The proved bound and the cost of the tree: whole numbers, or losses of a
        regression.
    unit
        The number that stands for a cost of 1.0.
    split_cost
        The penalty in the same unit.
    status : {"optimal", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    seconds : float
        The time spent in the engine.
    n_merged_rows : int
        The distinct rows that the search saw.
    statistics : dict
        Counters of the search.
    certificates : list of LevelAnswer
        From engines that climb: what is known about every level of depth.
    shares : list of Share
        From engines that climb: which engine worked on what, and how long.
    log_sections, log_complete
        With a log of proof steps: its sections, and whether all of it was written.
    prices : list of PriceAnswer
        For a proof that cites prices of rows: those for trees of any depth and those
        for levels of depth, as far as there are any.
    record
        For a proof that is derived afterwards: the search's record, kept in the core.
    offset, slack : float
        What is added to costs in the user's unit, and what rounding took from them.
    """

    tree: SplitTable
    lower: Any
    upper: Any
    unit: Any
    split_cost: Any
    status: str
    seconds: float
    n_merged_rows: int
    statistics: dict[str, Any]
    certificates: NotRequired[list[LevelAnswer]]
    shares: NotRequired[list[Share]]
    log_sections: NotRequired[list[tuple[int, int, int, int]]]
    log_complete: NotRequired[bool]
    prices: NotRequired[list[PriceAnswer]]
    record: NotRequired[Any]
    offset: NotRequired[float]
    slack: NotRequired[float]


class DerivedSteps(TypedDict):
    """The steps of a proof that was derived after the search.

    Attributes
    ----------
    n_steps, root : int
        How many steps were written, and the number of the one about the whole table.
    bound
        The lower bound that they prove.
    complete : bool
        Whether all of them could be written.
    """

    n_steps: int
    root: int
    bound: Any
    complete: bool


class RulesAnswer(TypedDict):
    """The answer of the search over arbitrary rules.

    Attributes
    ----------
    rule, positive, negative : ndarray of int32
        The nodes of the tree in preorder: the rule of each (-1 for a leaf), and the
        numbers of its children.
    lower, upper, unit : int
        The proved bound, the cost of the tree, and the cost that stands for 1.0.
    status, seconds, statistics
        As in `Answer`.
    """

    rule: NDArray[np.int32]
    positive: NDArray[np.int32]
    negative: NDArray[np.int32]
    lower: int
    upper: int
    unit: int
    status: str
    seconds: float
    statistics: dict[str, int]


class ShallowPrices(TypedDict):
    """Certified prices of rows for trees of limited depth, in units of cost.

    Attributes
    ----------
    prices : ndarray of int64
        The price of each row.
    split_cost, unit : int
        The penalty of a leaf, and the cost that stands for 1.0.
    bound : int
        The lower bound that the prices prove.
    hoped : float
        An estimate of the bound that more work would reach, where 1.0 is all rows.
    factor : float
        What the last prices were multiplied by to become valid.
    nodes, certified : int
        The boxes that were looked at, and how often prices were proved valid.
    """

    prices: NDArray[np.int64]
    split_cost: int
    unit: int
    bound: int
    hoped: float
    factor: NotRequired[float]
    nodes: int
    certified: int


class RowPrices(ShallowPrices):
    """Certified prices of rows for trees of any depth.

    Attributes
    ----------
    lower : float
        The bound, where 1.0 is all rows.
    finished : bool
        Whether there was nothing left to improve.
    parts, bound_with_parts : int
        For how many parts of the table there are prices of their own, and the bound of
        the whole table that these prove.
    """

    lower: float
    finished: bool
    parts: int
    bound_with_parts: int


class HeaviestBox(TypedDict):
    """The largest sum of weights in a box.

    Attributes
    ----------
    done : bool
        Whether the search was finished.
    most : int
        The sum; an upper bound if the search was not finished.
    nodes : int
        The boxes that were looked at.
    """

    done: bool
    most: int
    nodes: int


class PriceAxes(TypedDict):
    """The axes of the boxes that prices are about.

    Attributes
    ----------
    point_of : ndarray of int32
        The number of the point of each row; equal rows are at the same point.
    axes : list of (str, ndarray of int32)
        The kind of condition on each axis, and the codes of all rows.
    """

    point_of: NDArray[np.int32]
    axes: list[tuple[str, NDArray[np.int32]]]

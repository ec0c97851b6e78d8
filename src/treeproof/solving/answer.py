"""The answer of an engine: a tree, a proved bound, and why the search ended."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from treeproof.tree.split_table import SplitTable

__all__ = ["Answer", "LevelAnswer", "Share"]


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
    unit: NotRequired[Any]
    offset: NotRequired[float]


class Share(TypedDict):
    """How long an engine worked on a level of depth.

    Attributes
    ----------
    engine, role : str
        Which engine, and what it did there.
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

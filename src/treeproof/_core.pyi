# ruff: noqa
# fmt: off
# Written by `make stubs`; do not edit.
"""The native engine of treeproof. Private: use the estimators."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

from treeproof.solving.answer import (
    Answer, DerivedSteps, HeaviestBox, PriceAxes, RowPrices, RulesAnswer, ShallowPrices,
)
from treeproof.stream.node_table import NodeTable
from treeproof.tree.split_table import SplitTable

Ints = Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]
Wides = Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]
Doubles = Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]


class EncodedTable:
    """
    An encoded table: the codes of all rows, one column after the other, the weights, and the labels or targets.
    """

    @staticmethod
    def with_labels(*, kinds: Ints, n_values: Ints, codes: Ints, weights: Doubles, labels: Ints, n_classes: int) -> EncodedTable:
        """The table of a classification problem."""

    @staticmethod
    def with_targets(*, kinds: Ints, n_values: Ints, codes: Ints, weights: Doubles, targets: Doubles, n_outputs: int = 1, criterion: str = 'squared_error', smoothing: float = 0.0, quantiles: Sequence[float] = [], lines: Doubles | None = None, ridge: float = 0.0, merge: bool = False) -> EncodedTable:
        """
        The table of a regression problem; with `merge`, equal rows become one.
        """

    @property
    def n_rows(self) -> int: ...

class SearchOptions:
    """The limits on the trees, the limits of the search, and its observer."""

    def __init__(self, *, split_penalty: float = 0.0, penalize: str = 'splits', max_depth: int = -1, max_splits: int = -1, min_samples_leaf: int = 1, list: bool = False, time_limit: float = 0.0, memory_limit: int = 0, observer: Callable | None = None, n_jobs: int = 1) -> None: ...

class SparseOptions:
    """Options of the sparse engine alone."""

    def __init__(self, *, switches: dict = {}, kernel: str = '', fault: str = 'none', helpers_at_once: bool = False, proof_log: str = '', checkpoint: str = '', checkpoint_pause: float = 0.5, key_seed: int = 0, cutoff: int | None = None) -> None: ...

class SolvedLabels:
    """A classification problem that a search has solved."""

    def forget(self) -> None:
        """
        Delete the record of the search, so that the prover has to solve every subproblem again.
        """

    def derive(self, *, bound: int, time_limit: float, steps: str) -> DerivedSteps:
        """Write the steps that prove a lower bound for its trees as JSON lines."""

class SolvedTargets:
    """A regression problem that a search has solved."""

    def forget(self) -> None:
        """
        Delete the record of the search, so that the prover has to solve every subproblem again.
        """

    def derive(self, *, bound: float, unit: float, time_limit: float, steps: str) -> DerivedSteps:
        """Write the steps that prove a lower bound for its trees as JSON lines."""

class NearSearch:
    """A table for which all trees within a budget can be found."""

    def __init__(self, table: EncodedTable, options: SearchOptions, *, columns: Ints, split_cost: int = 0, bounds: str = 'auto', expand_last: bool = False, root_column: int = -1) -> None: ...

    def build(self, budget: int, *, time_limit: float = 0.0, memory_limit: int = 0) -> NearSet:
        """Find the subproblems of all trees that cost at most the budget."""

    def groups(self, codes: Ints) -> list[int]:
        """For each row, the number of the merged row with its codes."""

    def lower(self, groups: Sequence[int], depth: int, enough: int) -> int:
        """
        A lower bound on the cost of all trees on some merged rows; not raised beyond `enough`.
        """

class NearFilter:
    """Which of the trees within a budget are asked about."""

    def __init__(self, *, required: Sequence[int] = [], banned: Sequence[int] = [], max_splits: int = -1) -> None: ...

class NearSet:
    """The subproblems of all trees within a budget."""

    @property
    def status(self) -> str: ...

    @property
    def n_subproblems(self) -> int: ...

    @property
    def n_skipped(self) -> int: ...

    @property
    def n_bounded(self) -> int: ...

    @property
    def n_edges(self) -> int: ...

    def count(self, filter: NearFilter, *, at_most: bool = False, time_limit: float = 0.0) -> NearCounts:
        """
        Count the trees that test all required and no banned features. If a limit has stopped the search, count the trees that are known or, with `at_most`, return an upper bound.
        """

    def frontier(self, sums: NearSums, *, less_is_better: bool = False, time_limit: float = 0.0) -> NearFrontier:
        """Find the trees of least cost for each value of sums over rows."""

    def least_sum(self, filter: NearFilter, values: RowNumbers, *, of_split: int = 0, nearest_zero: bool = False, time_limit: float = 0.0) -> tuple[int, int, SplitTable] | str | None:
        """
        The least sum of numbers of rows and splits, or the one nearest to 0, and a tree that has it.
        """

    def reliance(self, filter: NearFilter, weights: RowNumbers, *, column: int, greatest: bool, time_limit: float = 0.0) -> tuple[int, int, SplitTable] | str | None:
        """
        The least or greatest error if a column is shuffled, as a product of two weights.
        """

    def least_asking(self, filter: NearFilter, prices: ColumnPrices, *, time_limit: float = 0.0) -> tuple[int, int, SplitTable] | str | None:
        """
        The least total price of the columns that are tested on the rows' paths.
        """

    def answers(self, filter: NearFilter, codes: Ints, *, time_limit: float = 0.0) -> list[int] | str:
        """
        For each row and class, the least cost of a tree that predicts it; -1 if none does.
        """

    def distinct(self, filter: NearFilter, *, by: str, time_limit: float = 0.0) -> NearListing:
        """One tree for all trees with the same predictions."""

    def sum_counts(self, filter: NearFilter, sums: NearSums, *, keeping: str = 'trees', of_split: int = 0, at_most: bool = False, time_limit: float = 0.0) -> NearSumCounts:
        """
        Count the trees for each cost and sums over rows, for any choice of the leaves' actions.
        """

class RowNumbers:
    """
    The codes of the rows of a table, one column after the other, and one or more numbers for each row.
    """

    def __init__(self, codes: Ints, numbers: Wides) -> None: ...

class ColumnPrices:
    """
    The price of each column in each state of a path, and the factors by which rows pay it.
    """

    def __init__(self, pays: RowNumbers, *, n_states: int, next: Ints, prices: Wides) -> None: ...

class NearListing:
    """One tree for each of the predictions, or functions, that occur."""

    @property
    def status(self) -> str: ...

    def costs(self) -> list[int]:
        """The costs of the trees, in increasing order."""

    def tree(self, set: NearSet, number: int) -> SplitTable:
        """The tree with this number; trees are sorted by cost."""

class NearSums:
    """
    Sums over rows. The numbers of a row are, for each action, its cost and what it adds to each sum.
    """

    def __init__(self, rows: RowNumbers, *, n_sums: int, split_cost: int, penalize: str = 'splits') -> None: ...

class NearSumCounts:
    """The number of trees for each cost and sums."""

    @property
    def status(self) -> str: ...

    @property
    def bounded(self) -> bool: ...

    @property
    def n_entries(self) -> int: ...

    def entries(self, most: int) -> NDArray[numpy.int64]:
        """
        The entries up to a cost, the least cost first, as one list: each cost, then its sums.
        """

    def number(self, entry: int) -> list[int]:
        """The number of trees of an entry."""

    def functions(self, set: NearSet, entries: Sequence[int], *, time_limit: float = 0.0) -> list[tuple[int, int]] | str:
        """Of the trees of some entries, the first for each distinct function."""

    def reliance(self, set: NearSet, entries: Sequence[int], weights: RowNumbers, *, column: int, greatest: bool, time_limit: float = 0.0) -> tuple[int, int, int] | str | None:
        """
        The least or greatest cost if a column is shuffled, as a product of two weights, and the tree of some entries that has it.
        """

    def least_asking(self, set: NearSet, entries: Sequence[int], prices: ColumnPrices, *, time_limit: float = 0.0) -> tuple[int, int, int] | str | None:
        """
        The least total price of the columns that are tested on the rows' paths, and its tree.
        """

    def tree(self, set: NearSet, entry: int, number: Sequence[int]) -> tuple[SplitTable, NDArray[numpy.int32]]:
        """
        The tree with this number among those of an entry, and the action of each row.
        """

class NearFrontier:
    """The trees of least cost for each value of sums over rows."""

    @property
    def status(self) -> str: ...

    @property
    def n_points(self) -> int: ...

    def points(self) -> list[list[int]]:
        """One list for each tree: its cost, then its sums."""

    def tree(self, set: NearSet, number: int, codes: Ints) -> tuple[SplitTable, list[int]]:
        """The tree of a point, and the action of each row."""

class NearCounts:
    """The number of trees at each cost, and each of the trees."""

    @property
    def status(self) -> str: ...

    @property
    def bounded(self) -> bool: ...

    @property
    def total(self) -> list[int]: ...

    @property
    def n_entries(self) -> int: ...

    def by_cost(self) -> list[tuple[int, list[int]]]:
        """Pairs of a cost and the number of trees at this cost."""

    def tree(self, set: NearSet, number: Sequence[int]) -> SplitTable:
        """The tree with this number; trees are sorted by cost."""

class SharedMemo:
    """The bounds that are known for parts of one table."""

    def __init__(self, max_bytes: int) -> None: ...

    def learn(self, records: bytes) -> None:
        """Add bounds that were proved with another memo."""

    def news(self, least_effort: int, most: int) -> bytes:
        """
        The bounds that were proved since the last call; those that took the most effort (in microseconds) come first.
        """

    def solve(self, table: EncodedTable, options: SearchOptions, *, names: Ints, cutoff: int = 0) -> Answer:
        """
        Search for an optimal tree on some rows of the table, which are given by their numbers.
        """

def weight_scale(weights: Doubles) -> float:
    """The factor by which weights are multiplied before they are rounded."""

def whole_weights(weights: Doubles) -> NDArray[numpy.int32]:
    """The weights as the integers that the engines add."""

def split_cost(penalty: float, total_weight: int) -> int:
    """
    The cost of a two-way split, for a penalty that is given as a fraction of the total weight.
    """

UNIT_COST: int = 1048576

MAX_TOTAL_WEIGHT: int = 1073741824

class PathSearch:
    """A table that is searched at one split cost after the other."""

    def __init__(self, table: EncodedTable, options: SearchOptions, *, reuse_trees: bool = True, reuse_facts: bool = True) -> None: ...

    @property
    def unit(self) -> int: ...

    def solve(self, *, split_cost: int, root_lower: int = 0, time_limit: float = 0.0, memory_limit: int = 0, observer: Callable | None = None) -> Answer:
        """Search for an optimal tree at this split cost, in units of `unit`."""

def solve_path_labels(table: EncodedTable, options: SearchOptions, *, n_states: int, next: Ints, prices: Wides | None = None, pays: Ints | None = None, contract: bool = True, directions: Ints | None = None) -> Answer:
    """
    Search for an optimal classification tree in which the path to a node decides which tests are allowed and what they cost.
    """

def solve_path_targets(table: EncodedTable, options: SearchOptions, *, n_states: int, next: Ints) -> Answer:
    """
    Search for an optimal regression tree in which the path to a node decides which tests are allowed and what they cost.
    """

def climb_labels(table: EncodedTable, options: SearchOptions, *, ladder: Callable | None = None, sparse: bool = True, threshold: bool = True, climb: bool = True, polish: bool = True, levels_first: bool = False, for_proof: bool = False, tolerance: tuple[float, float] = (0.0, 0.0), sparse_options: SparseOptions | None = None) -> Answer:
    """
    Search for an optimal classification tree with several engines that take turns, and prove one level of depth after the other.
    """

def climb_targets(table: EncodedTable, options: SearchOptions, *, ladder: Callable | None = None, climb: bool = True, polish: bool = True, levels_first: bool = False, tolerance: tuple[float, float] = (0.0, 0.0)) -> Answer:
    """The same for a regression tree."""

def prices(table: EncodedTable, options: SearchOptions, *, work: int = 1099511627776, parts: int = 0) -> RowPrices:
    """
    A certified price for each row: on every set of rows that tests can produce, every tree costs at least the sum of the prices of its rows less the cost of one split.
    """

def shallow_prices(table: EncodedTable, options: SearchOptions, *, work: int = 1099511627776) -> ShallowPrices:
    """
    A certified price for each row: every tree of at most `max_depth` levels costs at least the sum of the prices less the cost of one split.
    """

def heaviest_box(table: EncodedTable, row_weights: Ints, *, threshold: int = 0, work: int = 1099511627776, max_conditions: int = -1, n_jobs: int = 1) -> HeaviestBox:
    """
    The largest sum of weights in a box of at most this many conditions (-1: of any number), if it is above the threshold.
    """

def price_axes(table: EncodedTable) -> PriceAxes:
    """
    The axes of the boxes that prices are about, and the number of the point of each row.
    """

def trim_proof(log: str, begin: int, end: int, bound: int, steps: str) -> tuple[int, int, bool]:
    """
    Write the steps on which the bound of the whole table depends as JSON lines. Return their number, the number of the last one, and whether the file could hold them all.
    """

def quant_labels(table: EncodedTable, options: SearchOptions, *, bound: str = 'W1', s: int = 3, s_prime: int = 0) -> Answer:
    """Quant-BnB for classification trees of depth 2 or 3."""

def quant_targets(table: EncodedTable, options: SearchOptions, *, bound: str = 'W1', s: int = 3, s_prime: int = 0) -> Answer:
    """Quant-BnB for regression trees of depth 2 or 3."""

def solve_targets(table: EncodedTable, options: SearchOptions, *, switches: dict = {}, record: bool = False, search: bool = True) -> Answer:
    """
    Search for an optimal regression tree over every threshold; with `record`, the answer has a `SolvedTargets` from which a proof can be derived. Without `search`, nothing is searched, and the answer has only this record.
    """

class RuleStore:
    """Distinct partitions of points by rules."""

    def __init__(self, n_points: int) -> None: ...

    def __len__(self) -> int: ...

    @property
    def n_points(self) -> int: ...

    def family(self, rule: int) -> int: ...

    def side(self, rule: int) -> NDArray[numpy.uint8]:
        """The points on the positive side, as zeros and ones."""

    def add_sides(self, sides: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], family: int = 0) -> int:
        """
        Add partitions, given as rows of a Boolean table; return how many of them were new.
        """

    def find_sides(self, sides: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
        """
        The number of the rule for each partition, or -1. Point 0 is on the negative side.
        """

    def add_family(self, kind: str, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], family: int = 0, max_rules: int = 0, max_bytes: int = 0, max_cuts: int = 0, time_limit: float = 0.0, flats: Ints | None = None) -> str:
        """
        Add all partitions by thresholds ('axis') or hyperplanes ('hyperplane').
        """

def solve_rules(store: RuleStore, table: EncodedTable, options: SearchOptions, *, split_cost: int = 0, min_weight_leaf: int = 0, start: Ints | None = None, switches: dict = {}) -> RulesAnswer:
    """Search for an optimal tree over the rules of a store."""

def solve(table: EncodedTable, options: SearchOptions, *, solver: str, sparse_options: SparseOptions | None = None, memo_branches: int = 0, price_work: int = 0, prices: Wides | None = None) -> Answer:
    """Search for an optimal tree on encoded, clean data."""

def switches() -> dict[str, str]:
    """The switches of the sparse search; for each of them, what it does."""

def faults() -> dict[str, str]:
    """
    Unsound bounds for tests of the checkers; for each of them, what is wrong with it.
    """

def kernels() -> list[str]:
    """The kernels that this machine can run, the fastest first."""

class StreamModel:
    """An online learner with its encoder. Private."""

    def __init__(self, kind: str, options: dict, helper: object, max_categories: int, detector: object | None, discount: float) -> None: ...

    def learn_one(self, x: dict, y: object, w: float) -> int: ...

    def predict_one(self, x: dict) -> Any: ...

    def class_weights_one(self, x: dict) -> list[float]: ...

    def learn_rows(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Ints, weights: Doubles) -> None: ...

    def predict_rows(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

    def find_rows(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

    def codes_of(self, column: int, values: list, learning: bool) -> NDArray[numpy.uint8]: ...

    def numbers_in(self, column: int, values: list) -> NDArray[numpy.float64]: ...

    def labels_of(self, values: list, learning: bool) -> NDArray[numpy.int32]: ...

    def column(self, name: object, first_value: object | None) -> int: ...

    def find_column(self, name: object) -> int: ...

    def missing_code(self, column: int, learning: bool) -> int: ...

    def number_index(self, column: int) -> int: ...

    def categories(self, column: int) -> list[Any]: ...

    def tree(self) -> NodeTable: ...

    def statistics(self) -> dict[str, float]: ...

    def restart(self, recent: int = 0) -> None: ...

    def settle(self, steps: int) -> bool: ...

    def save(self) -> tuple[Any, ...]: ...

    def load(self, state: tuple) -> None: ...

    @property
    def names(self) -> list[Any]: ...

    @property
    def classes(self) -> list[Any]: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def n_numbers(self) -> int: ...

    @property
    def n_splits(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def finished(self) -> bool: ...

    @property
    def drifts(self) -> int: ...

    @property
    def bytes(self) -> int: ...

def solve_threshold(table: EncodedTable, options: SearchOptions, *, switches: dict = {}, divide_weights: bool = True, record: bool = False, price_work: int = 0, prices: Wides | None = None, search: bool = True, directions: Ints | None = None) -> Answer:
    """
    Search for an optimal classification tree over every threshold. With `record`, the answer has a `SolvedLabels` from which a proof can be derived. Without `search`, nothing is searched, and the answer has only this record.
    """

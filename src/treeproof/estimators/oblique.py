"""Optimal trees with hyperplane, curved or mixed splits, for scikit-learn."""

from __future__ import annotations

from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treeproof.arithmetic import UNIT_COST, split_cost, whole_weights
from treeproof.border import check_lengths
from treeproof.border.labels import class_factors, read_labels, read_weights
from treeproof.border.names import check_names, record_names
from treeproof.border.numbers import number_matrix
from treeproof.border.raw import read_raw_table
from treeproof.estimators.base import common_constraints
from treeproof.estimators.class_tree import ClassTree
from treeproof.limits import engine_allowance, parse_memory, thread_count
from treeproof.notices import warn_user
from treeproof.proper.anytime import search
from treeproof.proper.family import FAMILIES, Family, describe_size, make_families
from treeproof.proper.oblique_tree import ObliqueTree, grow_tree
from treeproof.proper.surface import n_monomials
from treeproof.proper.task import Clock, Task
from treeproof.solving.progress import ProgressLine

__all__ = ["ObliqueTreeClassifier"]

_MOST_DIMENSIONS = 40
_HUGE = 1e150
_MOST_TERMS = 20_000_000  # maximum number of entries in the table of monomials
_MEMORY = 2 * 2**30  # memory for the list of rules, in bytes, if there is no limit


class ObliqueTreeClassifier(ClassTree):
    """A classification tree with hyperplane or curved splits, and a proof.

    Among all trees with at most `max_splits` splits, each of which may be any surface
    of the chosen kind, `fit` finds one with the lowest cost, where

        cost = misclassified share of the weight + split_penalty * number of splits,

    and proves that no tree costs less. All ways in which such surfaces can separate the
    rows are considered, also if rows are equal or collinear.

    Parameters
    ----------
    rules : {"hyperplane", "axis", "hypersurface", "mixed"}, default="hyperplane"
        The surfaces a split may be: thresholds on one column ("axis"), hyperplanes,
        polynomial surfaces of the given degree, or all of these ("mixed").
    degree : int, default=2
        Degree of the polynomials of "hypersurface" and "mixed". In "mixed", 1 means
        thresholds and hyperplanes only.
    max_splits : int, default=2
        The maximum number of splits.
    split_penalty : float in [0, 1], default=0.0
        What one split costs, as a fraction of the total weight.
    max_depth : int or None, default=None
        The maximum depth: the number of splits on the longest path from the root to a
        leaf. None for no limit.
    min_samples_leaf : int, default=1
        The minimum number of training rows in a leaf.
    min_weight_fraction_leaf : float in [0, 0.5], default=0.0
        The minimum share of the total weight in a leaf.
    max_candidates : int, default=1_000_000
        All candidate rules are listed if there are at most this many; the search then
        proves the optimum. N rows in D columns have up to :math:`N^D / D!` hyperplanes.
    on_too_many : {"anytime", "raise"}, default="anytime"
        What to do if there are more. "anytime" warns and improves the tree and the
        bound until the time limit; "raise" raises an error. Both report how many there
        are.
    time_limit : float or None, default=60.0
        The time limit in seconds; None for no limit.
    memory_limit : int, str or None, default=None
        The memory limit in bytes, or as text such as "2GB": no more rules are listed
        than fit. None: 2 GiB for the list of rules.
    n_jobs : int or None, default=1
        Number of threads; -1 for all processors. The optimum does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weights of the classes.
    random_state : int, RandomState instance or None, default=None
        The seed of the random choices of the "anytime" search.
    verbose : bool, default=False
        Show a progress line on standard error.

    Attributes
    ----------
    optimal_ : bool
        True if and only if ``lower_bound_ == objective_``.
    objective_, lower_bound_, gap_ : float
        Cost of the tree, the proved bound, and their difference.
    status_ : {"optimal", "time_limit", "interrupted", "too_many_rules"}
        Why the search ended. "too_many_rules" occurs only without a time limit.
    n_splits_ : int
        Number of splits of the tree.
    tree_ : ObliqueTree
        The tree itself.
    stats_ : dict
        Time, number of rules, and counters of the search.
    classes_ : ndarray
        The class labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Numbers are read as the decimals they print as, if a column has at most 15 digits,
    and as exact doubles otherwise; which rules exist is decided without rounding. A
    split is shown, and predicts, with coefficients rounded as far as the training rows
    allow.

    References
    ----------
    X. He and M. A. Little, Proper decision trees: An axiomatic framework for solving
    optimal decision tree problems with arbitrary splitting rules.

    Examples
    --------
    >>> from treeproof import ObliqueTreeClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]
    >>> clf = ObliqueTreeClassifier(max_splits=2).fit(X, ["a", "b", "b", "a", "a"])
    >>> clf.optimal_, clf.objective_, clf.n_splits_
    (True, 0.0, 2)
    >>> print(clf.export_text())
    5 rows
    ├── x0 - x1 <= 0.5
    │   ├── x0 - x1 <= -0.5: b   1 row (20%), 0 wrong
    │   └── x0 - x1 > -0.5: a   3 rows (60%), 0 wrong
    └── x0 - x1 > 0.5: b   1 row (20%), 0 wrong
    """

    tree_: ObliqueTree  # type: ignore[assignment]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: constraint
            for name, constraint in common_constraints(set()).items()
            if name
            not in (
                "penalize",
                "categorical_features",
                "categorical_split",
                "missing",
                "solver",
            )
        },
        "rules": [StrOptions(set(FAMILIES))],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "max_splits": [Interval(Integral, 0, None, closed="left")],
        "split_penalty": [Interval(Real, 0, 1, closed="both")],
        "min_weight_fraction_leaf": [Interval(Real, 0, 0.5, closed="both")],
        "max_candidates": [Interval(Integral, 1, None, closed="left")],
        "on_too_many": [StrOptions({"anytime", "raise"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        rules: str = "hyperplane",
        *,
        degree: int = 2,
        max_splits: int = 2,
        split_penalty: float = 0.0,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_candidates: int = 1_000_000,
        on_too_many: str = "anytime",
        time_limit: float | None = 60.0,
        memory_limit: int | str | None = None,
        n_jobs: int | None = 1,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.rules = rules
        self.degree = degree
        self.max_splits = max_splits
        self.split_penalty = split_penalty
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_candidates = max_candidates
        self.on_too_many = on_too_many
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ObliqueTreeClassifier:
        """Find a tree with the lowest cost, and prove that it is optimal.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Numbers: a NumPy array, a pandas, Polars or Arrow table, or a list of rows.
        y : array-like of shape (n_samples,)
            Class labels: text, whole numbers or booleans.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows; rows of weight zero are left out.

        Returns
        -------
        ObliqueTreeClassifier
            The fitted estimator.
        """
        self._validate_params()
        clock = Clock(self.time_limit)
        rows, labels, weights = self._read_training_data(X, y, sample_weight)
        points, point = np.unique(rows, axis=0, return_inverse=True)
        families = make_families(points, self.rules, self.degree, _MOST_DIMENSIONS)
        max_rules = self._check_size(families, len(points))
        with ProgressLine() if self.verbose else nullcontext() as observer:
            task = Task(
                points,
                families,
                point.reshape(-1).astype(np.int32),
                labels,
                len(self.classes_),
                weights,
                split_cost(self.split_penalty, weights.sum()),
                int(self.max_splits),
                -1 if self.max_depth is None else int(self.max_depth),
                int(self.min_samples_leaf),
                int(np.ceil(self.min_weight_fraction_leaf * weights.sum())),
                thread_count(self.n_jobs),
                clock,
                observer,
            )
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            found = search(task, max_rules, np.random.default_rng(seed))
        degree = 0 if self.rules == "axis" else families[-1].degree
        what = (found.tree, task, degree, rows, self.classes_, self._column_names())
        try:
            tree = grow_tree(*what)
        except KeyboardInterrupt:  # the search has ended, and its tree must not be lost
            clock.interrupted = True
            tree = grow_tree(*what)
        leaves = tree.value[[s is None for s in tree.surfaces]]
        loss = (leaves.sum(axis=1) - leaves.max(axis=1)).sum()
        made = int(loss) * UNIT_COST + tree.n_splits * task.split_cost
        self.stats_ = {
            "solver": "rules",
            "seconds": clock.elapsed(),
            "n_rows": len(rows),
            "n_points": len(points),
            "max_rules": families[-1].n_rules,
            **found.counters,
        }
        proved = found.proved and made == found.upper
        self._set_certificate(
            tree,  # type: ignore[arg-type]
            objective=loss / leaves.sum() + self.split_penalty * tree.n_splits,
            lower=min(found.lower, made) / task.unit,
            proved=proved,
            status="optimal" if proved else _status(clock),
        )
        return self

    def plot(self, X: Any = None, y: Any = None, ax: Any = None) -> Any:
        """Draw the regions of a tree over two columns, with rows if they are given.

        Parameters
        ----------
        X : table of shape (n_rows, 2), optional
            Rows to draw.
        y : array-like, optional
            Their labels.
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self, "tree_")
        return self.tree_.plot(None if X is None else self._read_rows(X), y, ax)

    def plot_tree(self, ax: Any = None) -> Any:
        """Draw the tree, with a surface in each node and a class in each leaf.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self, "tree_")
        return self.tree_.plot_tree(ax)

    def export_text(self, *, collapse: bool = True) -> str:
        """Return the tree as text, one node per line.

        Parameters
        ----------
        collapse : bool, default=True
            Accepted for compatibility; nothing can be collapsed here.
        """
        check_is_fitted(self, "tree_")
        return self.tree_.export_text()

    def _read_training_data(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        raw = read_raw_table(X)
        self.classes_, labels = read_labels(y, type(self).__name__)
        check_lengths(raw.n_rows, len(labels))
        weights = read_weights(sample_weight, raw.n_rows)
        factors = class_factors(self.class_weight, self.classes_, labels, weights)
        weights = weights * factors[labels]
        record_names(self, raw)
        rows = number_matrix(raw)
        weights = whole_weights(weights)
        keep = weights > 0
        degree = self.degree if self.rules in ("hypersurface", "mixed") else 1
        n_terms = n_monomials(rows.shape[1], degree)
        if degree > 1 and n_terms * len(rows) > _MOST_TERMS:
            raise ValueError(
                f"A surface of degree {degree} in {rows.shape[1]} columns has "
                f"{n_terms:,} terms, too many for {len(rows):,} rows; use a lower "
                "degree or fewer columns."
            )
        largest = np.abs(rows).max(axis=0)
        for j in np.flatnonzero(largest > _HUGE ** (1 / degree)).tolist():
            raise ValueError(
                f"{raw.label(j)} holds values as large as {largest[j]:g}, whose "
                "products overflow; rescale the column."
            )
        return rows[keep], labels[keep], weights[keep]

    def _read_rows(self, X: Any, *, all_columns: bool = False) -> Any:
        check_is_fitted(self, "tree_")
        raw = read_raw_table(X)
        check_names(self, raw)
        return number_matrix(raw)

    def _check_size(self, families: list[Family], n_points: int) -> int:
        """Return how many rules may be listed; warn or raise if there are more."""
        memory = parse_memory(self.memory_limit)
        # Rules are stored as sets of points and as sets of rows, in lists that grow by
        # doubling.
        bytes_per_rule = 24 * (n_points // 64 + len(self.classes_) + 2) + 48
        fit = (engine_allowance(memory) or _MEMORY) // bytes_per_rule
        most = max(1, min(int(self.max_candidates), fit))
        if families[-1].n_rules <= most:
            return most
        reason, remedy = "that are listed at most (max_candidates)", "max_candidates"
        if fit < self.max_candidates:
            reason, remedy = "that fit the memory (memory_limit)", "memory_limit"
        message = (
            f"There are {describe_size(families, n_points)}, more than the {most:,} "
            f"{reason}. Use fewer rows or columns"
            + (", a lower degree" if families[-1].degree > 1 else "")
            + f", or raise {remedy}"
        )
        if self.on_too_many == "raise":
            raise ValueError(
                f'{message}; or search with on_too_many="anytime", which keeps the '
                "best tree and a proved bound when the time limit ends."
            )
        warn_user(
            f"{message}, to search them all. Searching anytime: the best tree is kept "
            "with a proved bound.",
            ConvergenceWarning,
        )
        return most

    def _column_names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return tuple(map(str, names))
        return tuple(f"x{j}" for j in range(self.n_features_in_))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        tags.input_tags.string = False
        return tags


def _status(clock: Clock) -> str:
    if clock.interrupted:
        return "interrupted"
    return "too_many_rules" if clock.seconds is None else "time_limit"

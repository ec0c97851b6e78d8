"""What all optimal-tree estimators have in common.

The shared parameters and their constraints are defined here, and so are the certificate
(the fitted attributes that say what was proved), the warning of a fit that stopped
early, and all methods that need only the fitted tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from inspect import signature
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import check_is_fitted

from treeproof.border import TrainingTable, read_rows
from treeproof.border.prefix import prefix_of
from treeproof.border.prefix_words import prefix_in_words
from treeproof.limits import Deadline, engine_allowance, thread_count
from treeproof.notices import warn_user
from treeproof.offered import Offers
from treeproof.parameters import kind_of_split
from treeproof.proof.writer import ProofFile, derived
from treeproof.solving.answer import Answer
from treeproof.solving.certificates import (
    Certificate,
    Wording,
    any_depth,
    certificates_of,
    describe,
    proved_depth,
)
from treeproof.solving.proving import Provable, derive_steps
from treeproof.solving.quant_bnb import QuantBnB
from treeproof.solving.shape import restrictions
from treeproof.solving.statuses import STATUSES, STOPPED
from treeproof.solving.tolerance import GapTolerance
from treeproof.sources.scoring import batches_of, source_to_predict
from treeproof.tree import Columns, Tree

__all__ = ["OptimalTree", "common_constraints"]

# solvers that return a single leaf if no time is left
_CUT_SHORT = ("auto", "sparse", "threshold")
_NO_TIME = 1e-9  # seconds; 0 would mean no limit
_FINISHING = 1e-7  # seconds for each row to compute the values of the nodes


def common_constraints(solvers: set[str]) -> dict[str, list[Any]]:
    """Return the constraints of the shared parameters for scikit-learn's validation."""
    return {
        "split_penalty": [Interval(Real, 0, 1, closed="both")],
        "penalize": [StrOptions({"leaves", "splits"})],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "max_splits": [Interval(Integral, 0, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "first_split": [str, Interval(Integral, 0, None, closed="left"), None],
        "prefix": [dict, None],
        "allowed_features": ["array-like", None],
        "categorical_split": [
            StrOptions({"auto", "either", "multiway", "one-vs-rest", "subset"})
        ],
        "missing": [StrOptions({"error", "branch", "best-side"})],
        "solver": [StrOptions({"auto", *solvers})],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "tolerance": [Interval(Real, 0, None, closed="left"), str],
        "memory_limit": [Interval(Integral, 1, None, closed="left"), str, None],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
        "quantiles": [Interval(Integral, 2, None, closed="left"), None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }


class OptimalTree(Offers, BaseEstimator):
    """Base of the estimators that hold one fitted `Tree` and its certificate."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    tree_: Tree
    optimal_: bool
    objective_: float
    lower_bound_: float
    gap_: float
    certificates_: list[Certificate]
    proved_depth_: float
    status_: str
    n_splits_: int
    stats_: dict[str, Any]

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Read the signature once; that takes a tenth of the time of a small fit."""
        names: list[str] = super()._get_param_names()
        return names

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        """Return the parameters with their defaults."""
        parameters = signature(cls).parameters
        return {name: parameters[name].default for name in cls._get_param_names()}

    def _validate_params(self) -> None:
        """Check all parameters but those at their defaults, which are valid.

        To check them all takes a tenth of the time of a small fit.
        """
        defaults = self._defaults()
        given = {name: getattr(self, name) for name in defaults}
        changed = {
            name: value for name, value in given.items() if value is not defaults[name]
        }
        constraints = self._parameter_constraints
        validate_parameter_constraints(constraints, changed, type(self).__name__)

    def _set_statistics(
        self,
        solver: str,
        found: Answer,
        data: Any,
        reading: Mapping[str, Any],
    ) -> None:
        """Store which solver ran, how long it took, and what it counted."""
        n_rows = data.table.n_rows if data.samples is None else data.samples.sum()
        self.stats_ = {
            "solver": solver,
            "seconds": found["seconds"],
            **reading,
            "n_rows": int(n_rows),
            "n_merged_rows": found["n_merged_rows"],
            **found["statistics"],
        }
        if "shares" in found:
            self.stats_["shares"] = list(found["shares"])

    def _set_certificate(
        self,
        tree: Tree,
        *,
        objective: float,
        lower: float,
        proved: bool,
        status: str,
        found: Answer | None = None,
        warn: bool = True,
        penalty: float | None = None,
    ) -> None:
        """Store tree and bounds; unless told not to, warn if the search stopped early.

        `proved` says whether the engine proved optimality in its own exact arithmetic.
        If it did not, the lower bound stays below the objective, even if rounding to
        doubles would make the two equal. `found` is the answer of the search; without
        it, nothing is known about levels of depth. `penalty` is what its costs contain
        for each leaf but one, or each split; None for ``split_penalty``.
        """
        assert status in STATUSES, status  # others could not be loaded again
        self.tree_ = tree
        self.n_splits_ = tree.n_splits
        self.objective_ = float(objective)
        below = float(np.nextafter(self.objective_, -np.inf))
        self.lower_bound_ = self.objective_ if proved else min(float(lower), below)
        self.gap_ = self.objective_ - self.lower_bound_
        self.optimal_ = self.lower_bound_ == self.objective_
        self.status_ = status
        self.certificates_ = certificates_of(
            found,
            getattr(self, "max_depth", None),
            self.objective_,
            self.lower_bound_,
            float(getattr(self, "split_penalty", 0.0) if penalty is None else penalty),
            getattr(self, "penalize", "leaves"),
        )
        self.proved_depth_ = proved_depth(
            self.certificates_, exact=not self._real_costs
        )
        if warn and status in STOPPED:
            warn_user(self._stopped_early(), ConvergenceWarning)

    def add_level(self, level: Certificate) -> None:
        """Add what is known about trees of a smaller depth to the certificate.

        Parameters
        ----------
        level : Certificate
            A statement about trees of a depth that has no statement yet.
        """
        self.certificates_ = sorted(
            [*self.certificates_, level], key=lambda c: any_depth(c.max_depth)
        )
        self.proved_depth_ = proved_depth(
            self.certificates_, exact=not self._real_costs
        )

    def _stopped_early(self) -> str:
        """Warn that a search ended without proof: why, what was proved, what to try."""
        why, more = STOPPED[self.status_]
        advice = f"Try {more}, or a larger split_penalty"
        depth = self.proved_depth_
        if depth >= 1 and getattr(self, "max_depth", None) != depth:
            advice += f"; max_depth={depth:.0f} asks for no more than was proved"
        return (
            f"The search stopped before the tree was proved optimal: {why}. "
            f"{self.certificate()} {advice}."
        )

    @staticmethod
    def _check_provable(
        proof: Any, reading: Mapping[str, Any], table: TrainingTable
    ) -> None:
        """Refuse a proof about rows that were merged or binned while they were read."""
        if proof is None:
            return
        if table.dates:
            raise TypeError(
                f"Column {table.dates[0]!r} holds dates or times, which proofs do "
                "not support; leave it out of X, or turn it into numbers."
            )
        if reading:
            raise ValueError(
                "A proof describes a table row by row, with all its values; read the "
                "table into memory and do not use quantiles, or fit without proof."
            )

    def _proved_limits(self) -> dict[str, Any]:
        """Return the parameters that are part of a proof."""
        return {
            "split_penalty": float(self.split_penalty),
            "penalize": self.penalize,
            "max_depth": self.max_depth,
            "max_splits": self.max_splits,
            "min_samples_leaf": int(self.min_samples_leaf),
        }

    def _write_argument(
        self,
        writer: ProofFile,
        provable: Provable,
        header: dict[str, Any],
        unit: float,
    ) -> dict[str, Any]:
        """Write the proof of a search over real-valued losses; return figures.

        `unit` is the loss of a single leaf.
        """
        found, task = provable.proved, provable.task
        if task.shape is not None:
            header = task.shape.in_header(header)
        whole = True
        if unit > 0.0:
            steps = derive_steps(task, found, unit, writer.steps)
            self._warn_if_weaker(steps["bound"], found["lower"])
            argument = derived(steps, header["split_cost"], unit)
            whole = steps["bound"] >= found["lower"] * (1 - 1e-9)
        else:  # nothing to lose
            argument = writer.trivial(header["split_cost"])
        return writer.write(argument, header) | {
            "proof_max_depth": task.max_depth, "proof_shows_bound": bool(whole),
        }  # fmt: skip

    def _deadline(self, whole: bool) -> Deadline:
        """Start the clock; a table that is needed as a whole is read completely."""
        free = self.first_split is None and getattr(self, "prefix", None) is None
        plain = free and self.solver in _CUT_SHORT
        return Deadline(self.time_limit, cuts=plain and not whole)

    def _question(
        self,
        table: TrainingTable,
        memory: int,
        deadline: Deadline,
        units: tuple[float, float] = (1.0, 0.0),
    ) -> dict[str, Any]:
        """Return the parameters that all engines are given.

        `units` is the factor and the offset of costs: see `objectives.Units`.
        """
        left = deadline.left()
        if left is not None:  # values of nodes are computed after the search
            left = max(left - _FINISHING * table.n_rows, _NO_TIME)
        return self._proved_limits() | {
            "time_limit": left,
            "tolerance": self._gap_tolerance().in_fractions(*units),
            "memory_allowance": engine_allowance(memory),
            "n_threads": thread_count(self.n_jobs),
            "quant": self._quant_options(),
            "prefix": prefix_of(self, table),
        }

    def _gap_tolerance(self) -> GapTolerance:
        """Return the gap at which a search may end."""
        return GapTolerance.read(getattr(self, "tolerance", 0.0))

    def _quant_options(self) -> QuantBnB:
        """Return the parameters of Quant-BnB."""
        return QuantBnB() if self.quant_bnb is None else self.quant_bnb

    def _warn_if_weaker(self, shown: Any, found: Any) -> None:
        """Warn if a proof shows a lower bound than the search has found."""
        if shown < found * (1 - 1e-9):
            warn_user(
                f"The proof shows {100 * shown / found:.3g}% of the lower bound that "
                "the search found: its time was up. Fit with a larger time_limit, or "
                "none, for a whole proof.",
                ConvergenceWarning,
            )

    def _read_rows(self, X: Any, *, all_columns: bool = False) -> Columns:
        """Read rows to predict; by default encode only columns that the tree uses."""
        check_is_fitted(self, "tree_")
        tree = self.tree_
        needed = range(tree.n_features) if all_columns else tree.used_columns
        missing = getattr(self, "missing", "error")
        return read_rows(self, X, tree.columns, needed, missing)

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the node of `tree_` in which each row ends.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; or a file, relation, dataset
            or Dask data frame that has these columns among others.

        Returns
        -------
        ndarray of shape (n_samples,)
            Node numbers: a leaf, or the inner node at which the row has a category that
            no training row of that node had.
        """
        check_is_fitted(self, "tree_")
        # Oblique trees have no column encoding of their own and accept tables only.
        columns = getattr(self.tree_, "columns", None)
        source = None if columns is None else source_to_predict(X, columns)
        if source is None:
            return self.tree_.apply(self._read_rows(X))
        parts = [
            self.tree_.apply(self._read_rows(table))
            for table, _ in batches_of(source, self.tree_.columns)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Return which nodes each row passes.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            One where the row passes the node, zero elsewhere.
        """
        columns = self._read_rows(X)
        return self.tree_.decision_path(columns)

    def get_depth(self) -> int:
        """Return the number of tests on the longest path from the root to a leaf."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    def export_text(self, *, collapse: bool = True) -> str:
        """Return the tree as text, one node per line.

        Parameters
        ----------
        collapse : bool, default=True
            Show equal siblings of a multiway split as one child for a set of
            categories.
        """
        check_is_fitted(self, "tree_")
        return (self.tree_.collapse() if collapse else self.tree_).export_text()

    def certificate(self) -> str:
        """Return what was proved about the tree, and about which trees, in words.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
        >>> clf.certificate()
        'Optimal: no tree costs less than 0.01.'
        """
        check_is_fitted(self, "tree_")
        words = describe(
            self.certificates_,
            self.proved_depth_,
            self._allowed_trees(),
            self._tolerated(),
            self._wording(),
        )
        if self.status_ != "tolerance":
            return words
        tolerated = self._gap_tolerance().in_words()
        return f"{words} The gap is within the tolerance of {tolerated}."

    def _wording(self) -> Wording:
        """Return the words with which the certificate describes the costs of trees."""
        return Wording()

    @property
    def _real_costs(self) -> bool:
        """Whether costs are real numbers, so that "optimal" has a tolerance."""
        return False

    def _tolerated(self) -> str:
        """Return the tolerance of the certificate in words."""
        return "1e-9 of that" if self._real_costs else ""

    def _allowed_trees(self) -> dict[str, Any]:
        """Return the restrictions that `trees_in_words` describes."""
        columns = getattr(self.tree_, "columns", [])
        first = getattr(self, "first_split", None)
        if first is not None and not isinstance(first, str):
            first = columns[int(first)].name
        wide = any(
            c.categories is not None
            and not c.ordered
            and len(c.categories) + c.has_missing > 2
            for c in columns
        )
        return {
            "max_depth": getattr(self, "max_depth", None),
            "max_splits": getattr(self, "max_splits", None),
            "min_samples_leaf": int(getattr(self, "min_samples_leaf", 1)),
            "first_split": first,
            "begins": self._begins(),
            "allowed": self._allowed_names(),
            "categories": kind_of_split(self) if wide else None,
            "coarsened": self.coarsened_,
            "constrained": bool(getattr(self, "constraints", None)),
            "restricted": [r for r in restrictions(self) if r != "test_costs"],
            "lines": getattr(self, "leaf", "constant") == "linear",
        }

    def _begins(self) -> str | None:
        """Return the given top of the tree in words; None if there is none."""
        given = getattr(self, "prefix", None)
        if given is None:
            return None
        return prefix_in_words(given, [column.name for column in self.tree_.columns])

    def _allowed_names(self) -> list[str] | None:
        """Return the names of the columns that splits may test; None for all."""
        allowed = getattr(self, "allowed_features", None)
        if allowed is None:
            return None
        columns = getattr(self.tree_, "columns", [])
        return [c if isinstance(c, str) else columns[int(c)].name for c in allowed]

    @property
    def coarsened_(self) -> list[str]:
        """The columns that ``quantiles`` has divided into bins.

        If there are any, the certificate holds for trees whose thresholds on these
        columns lie between bins.
        """
        check_is_fitted(self, "tree_")
        return list(self.stats_.get("coarsened", []))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        return tags

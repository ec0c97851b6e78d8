"""The optimal policy tree for given rewards."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from treeproof.constraints.kinds import Constraint
from treeproof.estimators.action_tree import Path
from treeproof.limits import parse_memory
from treeproof.policy.base import PolicyTree, policy_constraints
from treeproof.sources.training import reward_data

__all__ = ["OptimalPolicyTree"]


class OptimalPolicyTree(PolicyTree):
    """A tree that recommends treatments, with a proof that no better one exists.

    Given the reward of every treatment for every row, `fit` finds, among all trees that
    the parameters allow, one of the greatest

        mean reward of the recommended treatments - split_penalty * (leaves - 1),

    and proves that no tree has more. If a limit ends the search early, the best tree
    found so far is kept together with a true bound.

    Parameters
    ----------
    split_penalty : float, default=0.0
        What one further leaf must add to the mean reward to pay off, in the unit of
        the rewards. By default only ``max_depth`` limits the tree, as users of policy
        trees are used to: rewards have no common unit, so that no other number would
        suit all of them.
    penalize : {"leaves", "splits"}, default="leaves"
        What `split_penalty` is charged for: every leaf but one, or every split once.
    max_depth : int or None, default=2
        The maximum depth: the number of tests on the longest path from the root to a
        leaf. None for no limit.
    max_splits : int or None, default=None
        The maximum number of splits; None for no limit.
    min_samples_leaf : int, default=1
        The minimum number of training rows in a leaf.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are categorical; see `treeproof.OptimalTreeClassifier`.
    categorical_split : {"auto", "either", "multiway", "one-vs-rest", "subset"}, \
            default="auto"
        How columns of categories are split; see `treeproof.OptimalTreeClassifier`.
    missing : {"best-side", "branch", "error"}, default="best-side"
        What to do with missing values; see `treeproof.OptimalTreeClassifier`.
    first_split : str, int or None, default=None
        Name or number of the column that the first split must test; None for any. The
        tree is then optimal among the trees with this first split.
    prefix : dict or None, default=None
        The top of the tree, which the search completes; see
        `treeproof.OptimalTreeClassifier`.
    allowed_features : list or None, default=None
        Names or numbers of the columns that splits may test; None for all.
    solver : {"auto", "sparse", "threshold"}, default="auto"
        The engine: "sparse" for binary and categorical columns, "threshold" for
        numbers; "auto" lets those that can win take turns.
    time_limit : float or None, default=60.0
        Seconds after which the search stops; None for no limit.
    tolerance : float, default=0.0
        The gap at which the search may end, in the unit of the rewards.
    memory_limit : int, str or None, default=None
        Bytes, or text such as "2GB", that the whole process should keep to.
    n_jobs : int or None, default=1
        Number of threads; -1 for all processors.
    quantiles : int or None, default=None
        Divide each numeric column with more distinct values than this into this many
        bins of about equal numbers of rows, and try only thresholds between bins. The
        certificate then says so. Useful for long tables whose rows are nearly all
        distinct.
    n_best : int, default=1
        How many of the best trees to find; see ``trees_``.
    constraints : list of Constraint or None, default=None
        What the policy must keep on the training rows, such as
        `treeproof.constraints.Budget`; ``constraints_`` says how each is kept.
    random_state : int, RandomState instance or None, default=None
        Accepted for compatibility; the search makes no random choices.
    verbose : bool, default=False
        Show a progress line on standard error.

    Attributes
    ----------
    policy_value_ : float
        The mean reward of the training rows under the tree's policy.
    always_treat_value_ : ndarray of shape (n_treatments,)
        The mean reward of giving every row the same treatment, for each treatment.
    treatments_ : ndarray of shape (n_treatments,)
        Names of the treatments; the numbers from 0 if the rewards have none.
    optimal_ : bool
        True if and only if ``lower_bound_ == objective_``.
    objective_ : float
        What the search minimises: penalties minus the mean reward. Without a penalty
        ``-policy_value_``.
    lower_bound_ : float
        No tree has a smaller cost, or a mean reward above ``-lower_bound_``.
    gap_ : float
        ``objective_ - lower_bound_``.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    n_splits_ : int
        Number of splits of the tree.
    tree_ : Tree
        The tree itself. ``value`` has the mean reward of each treatment in each node.
    trees_ : list of NearTree
        With ``n_best`` > 1: the best trees, the best first.
    certificates_ : list of Certificate
        What was proved for every level of depth, and last for all trees that the
        parameters allow: ``max_depth`` (None for any), ``objective`` of the best tree
        of that depth, ``lower_bound``, ``optimal`` and ``seconds``.
    proved_depth_ : float
        No tree of this depth or less is better than the fitted one.
    stats_ : dict
        The solver's name, its time and its counters.
    history_ : History
        The lower and upper bound over time; ``history_.plot()`` draws them.
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray
        The names of these columns, if the table had names.

    Notes
    -----
    The interface is that of ``econml.policy.PolicyTree``, so that most code moves over
    by changing an import. What that class needs for its greedy search and for honest
    splitting (``min_samples_split``, ``min_impurity_decrease``, ``honest``, ...) has no
    meaning here. For an honest estimate of a policy's value, take the rewards of its
    treatments on rows that it was not fitted to.

    References
    ----------
    S. Athey, S. Wager. "Policy learning with observational data." Econometrica, 2021.

    Examples
    --------
    >>> from treeproof.policy import OptimalPolicyTree
    >>> X = {"age": [30, 40, 60, 70], "smokes": ["no", "yes", "no", "yes"]}
    >>> rewards = [[10, 2], [8, 3], [1, 9], [3, 7]]
    >>> tree = OptimalPolicyTree(max_depth=1).fit(X, rewards)
    >>> print(tree.export_text())
    4 rows
    ├── age <= 50: 0   2 rows (50%), mean reward 9 (1: 2.5)
    └── age > 50: 1   2 rows (50%), mean reward 8 (0: 2)
    >>> tree.policy_value_, tree.always_treat_value_
    (8.5, array([5.5 , 5.25]))
    >>> tree.certificate()
    'Optimal: no tree of depth 1 or less has a higher mean reward than 8.5.'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **policy_constraints(),
        "constraints": [list, tuple, Constraint, None],
    }

    def __init__(
        self,
        split_penalty: float = 0.0,
        *,
        penalize: str = "leaves",
        max_depth: int | None = 2,
        max_splits: int | None = None,
        min_samples_leaf: int = 1,
        categorical_features: Any = "from_dtype",
        categorical_split: str = "auto",
        missing: str = "best-side",
        first_split: str | int | None = None,
        prefix: dict[str, Any] | None = None,
        allowed_features: Any = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
        tolerance: float | str = 0.0,
        memory_limit: int | str | None = None,
        n_jobs: int | None = 1,
        quantiles: int | None = None,
        n_best: int = 1,
        constraints: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.split_penalty = split_penalty
        self.penalize = penalize
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.missing = missing
        self.first_split = first_split
        self.prefix = prefix
        self.allowed_features = allowed_features
        self.solver = solver
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.quantiles = quantiles
        self.n_best = n_best
        self.constraints = constraints
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        proof: Path | None = None,
        distributed: Any = None,
        checkpoint: Path | None = None,
        sensitive_features: Any = None,
    ) -> OptimalPolicyTree:
        """Find the tree of the greatest mean reward, with proof.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            What the policy may look at: an array, a data frame, or a file; see
            `treeproof.OptimalTreeClassifier`.
        y : array-like of shape (n_samples, n_treatments), or list of str
            The rewards: one of each treatment for each row, more being better. The
            columns of a data frame name the treatments. For a table that is not in
            memory, the names of its columns that hold the rewards.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows; rows of weight zero are left out.
        proof : path or None, default=None
            The file to which a proof is written, for `treeproof.proof.check`; None for
            no proof.
        distributed : dask.distributed.Client or None, default=None
            A Dask cluster whose workers share the search; None for this machine alone.
        checkpoint : path or None, default=None
            The file in which the best tree and all proved subproblems are saved from
            time to time; see `treeproof.OptimalTreeClassifier`.
        sensitive_features : array-like of shape (n_samples,) or None, default=None
            The group of each row, for ``constraints`` that compare groups.

        Returns
        -------
        OptimalPolicyTree
            The fitted estimator.
        """
        self._validate_params()
        memory = parse_memory(self.memory_limit)
        files = {"proof": proof, "distributed": distributed, "checkpoint": checkpoint}
        deadline = self._start(files)
        data, reading = reward_data(self, X, y, sample_weight, memory, deadline)
        self._fit_rewards(data, reading, deadline, files, sensitive_features)
        return self

    def predict_value(self, X: Any) -> NDArray[np.float64]:
        """Return what each treatment is worth for each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples, n_treatments)
            The mean reward of each treatment among the training rows of the row's leaf.
        """
        return self._mean_rewards(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

"""What all policy trees have in common: reading rewards, recommending treatments."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treeproof.border import RewardData
from treeproof.constraints.fit import fit_policy
from treeproof.estimators.action_tree import ActionTree
from treeproof.estimators.base import common_constraints
from treeproof.estimators.given_top import check_top
from treeproof.limits import Deadline
from treeproof.objectives import Costs
from treeproof.solving.certificates import Wording
from treeproof.solving.quant_bnb import QuantBnB
from treeproof.tree import LEAF

__all__ = ["PolicyTree", "policy_constraints"]


def policy_constraints() -> dict[str, list[Any]]:
    """Return what scikit-learn's parameter check allows for the shared parameters."""
    return {
        **common_constraints({"sparse", "threshold"}),
        "split_penalty": [Interval(Real, 0, None, closed="left")],
        "n_best": [Interval(Integral, 1, None, closed="left")],
    }


class PolicyTree(ActionTree):
    """A fitted tree whose nodes hold the mean reward of each treatment."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = policy_constraints()

    def _start(self, files: Mapping[str, Any]) -> Deadline:
        """Refuse what cannot be combined, and start the clock."""
        check_top(self, files["proof"])
        if self._gap_tolerance().relative:
            raise ValueError(
                f"tolerance={self.tolerance!r} is a share of a cost, but a mean reward "
                "may be 0 or below; pass a number in the unit of the rewards."
            )
        others = self.n_best > 1 or getattr(self, "constraints", None)
        return self._deadline(whole=bool(any(files.values()) or others))

    def _fit_rewards(
        self,
        data: RewardData,
        reading: Mapping[str, Any],
        deadline: Deadline,
        files: Mapping[str, Any],
        sensitive_features: Any = None,
    ) -> None:
        """Find the tree of the greatest mean reward."""
        objective = Costs(
            data.table,
            data.weights,
            -data.rewards,
            data.treatments,
            samples=data.samples,
            measure="reward",
        )
        if getattr(self, "constraints", None):
            fit_policy(
                self, data, objective, sensitive_features, files, reading, deadline
            )
            return
        self.__dict__.pop("constraints_", None)  # of an earlier fit
        self._fit_objective(objective, reading, deadline, **files)

    def _quant_options(self) -> QuantBnB:
        return QuantBnB()

    def _wording(self) -> Wording:
        return Wording("mean reward" + (" after penalties" * bool(self.split_penalty)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Recommend a treatment for each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Names of treatments; their numbers from 0 if they have no names.
        """
        leaf = self.apply(X)
        actions = self.tree_.actions
        assert actions is not None
        return actions[self.tree_.action[leaf]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return which treatment is recommended as a table of zeros and ones.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples, n_treatments)
            One where the treatment is recommended.
        """
        leaf = self.apply(X)
        return np.eye(len(self.treatments_))[self.tree_.action[leaf]]

    def _mean_rewards(self, X: Any) -> NDArray[np.float64]:
        """Return the mean reward of each treatment in each row's leaf."""
        leaf = self.apply(X)
        return self.tree_.value[leaf]

    @property
    def treatments_(self) -> NDArray[Any]:
        """The treatments that a leaf may recommend."""
        check_is_fitted(self, "tree_")
        actions = self.tree_.actions
        assert actions is not None
        return actions

    @property
    def policy_value_(self) -> float:
        """The mean reward of the training rows under the policy of the tree."""
        check_is_fitted(self, "tree_")
        tree = self.tree_
        assert tree.cost is not None
        leaves = tree.kind == LEAF
        weights = tree.weighted_n_node_samples[leaves]
        return float(0.0 - weights @ tree.cost[leaves] / weights.sum())

    @property
    def always_treat_value_(self) -> NDArray[np.float64]:
        """The mean reward of giving every training row the same treatment, for each."""
        check_is_fitted(self, "tree_")
        return self.tree_.value[0].copy()

"""The base of the classifiers: predicting classes from a fitted tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treeproof.columns import plain
from treeproof.estimators.base import OptimalTree
from treeproof.notices import warn_user
from treeproof.tree.leaf_facts import smoothed

__all__ = ["ClassTree"]

_MOSTLY = 0.9  # share of one class from which the others are rare


class ClassTree(ClassifierMixin, OptimalTree):
    """A fitted tree whose nodes hold the weight of each class."""

    classes_: NDArray[Any]

    def _note_single_leaf(self) -> None:
        """Say what to do if no split pays because nearly all rows are of one class."""
        tree = self.tree_
        if (
            tree.n_splits
            or getattr(self, "max_depth", None) == 0
            or len(tree.value) > 1
        ):
            return
        weight = tree.value[0]
        share = float(weight.max() / weight.sum())
        if share < _MOSTLY or share == 1:
            return
        label = plain(tree.prediction(0))
        penalty = float(getattr(self, "split_penalty", 0.0))
        saves = "saves" if self.optimal_ else "was found that saves"
        warn_user(
            f"The tree is a single leaf that always predicts {label!r}, which is right "
            f"for {share:.1%} of the rows; no split {saves} more errors than its "
            f"penalty of {penalty:g}. If the other classes matter, use "
            "class_weight='balanced', a cost_matrix, or metric='f1' with a max_depth; "
            "for a larger tree alone, a smaller split_penalty."
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        leaf = self.apply(X)
        actions = self.tree_.actions
        assert actions is not None
        return actions[self.tree_.action[leaf]]

    def predict_proba(self, X: Any, *, smoothing: float = 0.0) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of the weight in each row's leaf.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.
        smoothing : float, default=0.0
            What Laplace smoothing adds to the weight of each class in a leaf. With 1.0
            no probability is 0 or 1, and small leaves are less sure than large ones.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        leaf = self.apply(X)
        return smoothed(self.tree_.value, smoothing)[leaf]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithm of the class probabilities.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities, minus infinity for zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

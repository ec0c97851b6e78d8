"""The base of the classifiers: predicting classes from a fitted tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treeproof.estimators.base import OptimalTree

__all__ = ["ClassTree"]


class ClassTree(ClassifierMixin, OptimalTree):
    """A fitted tree whose nodes hold the weight of each class."""

    classes_: NDArray[Any]

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

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of the weight in each row's leaf.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        leaf = self.apply(X)
        value = self.tree_.value
        share = value / value.sum(axis=1, keepdims=True)
        return share[leaf]

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

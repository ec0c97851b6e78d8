"""The base of the classifiers: predicting classes from a fitted tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treeproof.base import OptimalTree

__all__ = ["ClassTree"]


class ClassTree(ClassifierMixin, OptimalTree):
    """A fitted tree whose nodes hold the weight of each class."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        columns = self._read_rows(X)
        best = np.argmax(self.tree_.value, axis=1)
        return self.classes_[best[self.tree_.apply(columns)]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of the weight in each row's leaf.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        columns = self._read_rows(X)
        value = self.tree_.value
        share = value / value.sum(axis=1, keepdims=True)
        return share[self.tree_.apply(columns)]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithm of the class probabilities.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities, minus infinity for zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

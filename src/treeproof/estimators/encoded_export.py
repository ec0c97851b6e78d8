"""Exports of the estimators that fit tables: scikit-learn's trees and all formats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treeproof.border import kind_of_split
from treeproof.estimators.base import OptimalTree
from treeproof.export import sklearn as sklearn_export
from treeproof.export.methods import TreeExports
from treeproof.picture.methods import EstimatorPictures
from treeproof.tree import Tree

__all__ = ["EncodedExport"]


class EncodedExport(TreeExports, EstimatorPictures, OptimalTree):
    """Estimators whose table can be encoded for a scikit-learn tree."""

    def _sklearn_tree(self, unseen: bool) -> Any:
        """Return the fitted scikit-learn tree with the same predictions."""
        check_is_fitted(self, "tree_")
        model = sklearn_export.to_sklearn(self.tree_, self._one_hot, unseen)
        numeric = not any(c.is_categorical for c in self.tree_.columns)
        if numeric and hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_
        return model

    def encode(self, X: Any) -> NDArray[np.float32]:
        """Return a table as the numbers that the tree of `to_sklearn` takes.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of float32
            Numeric columns as they are, categorical columns as numbers; see
            `treeproof.export.sklearn`. `encoded_names` gives the columns' names.
        """
        columns = self._read_rows(X, all_columns=True)
        return sklearn_export.encode(self.tree_, columns, self._one_hot)

    def encoded_names(self) -> list[str]:
        """Return the names of the columns that `encode` makes."""
        check_is_fitted(self, "tree_")
        return sklearn_export.encoded_names(self.tree_, self._one_hot)

    def _exported(self) -> Tree:
        check_is_fitted(self, "tree_")
        return self.tree_.collapse()

    @property
    def _one_hot(self) -> bool:
        return kind_of_split(self) == "one-vs-rest"

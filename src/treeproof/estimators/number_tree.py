"""The base of the regressor: growing a tree of numbers, predictions and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_pinball_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treeproof.border import RegressionData
from treeproof.estimators.encoded_export import EncodedExport
from treeproof.solving.leaf_fit import LeafFit
from treeproof.solving.line_fit import LineFit
from treeproof.sources.scoring import batches_of, r2_of_source, source_to_predict
from treeproof.sources.training import source_for, split_table
from treeproof.tree import LEAF, Tree
from treeproof.tree.growing import grow
from treeproof.tree.lines import Lines
from treeproof.tree.split_table import SplitTable

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeRegressor

__all__ = ["NumberTree", "grow_numbers"]


class NumberTree(RegressorMixin, EncodedExport):
    """A fitted tree whose leaves predict numbers."""

    n_outputs_: int
    criterion: str
    quantile: Any

    @property
    def _real_costs(self) -> bool:
        return True

    def _levels(self) -> tuple[float, ...]:
        """Return the quantiles that a leaf predicts."""
        several = np.ravel(np.asarray(self.quantile, dtype=np.float64))
        if len(several) == 0 or not ((several > 0) & (several < 1)).all():
            raise ValueError(
                f"quantile={self.quantile!r} is not between 0 and 1; pass a number "
                "such as 0.9, or a list of numbers."
            )
        return tuple(several.tolist())

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The mean, median or quantile of the training rows in each row's leaf. With
            a list of quantiles there is one more axis, for them, at the end. With
            ``criterion="poisson"`` a leaf of zeros predicts the least positive number
            instead of 0, of which there is no logarithm.
        """
        check_is_fitted(self, "tree_")
        if self.tree_.lines is not None:
            return self._on_lines(X)
        leaf = self.apply(X)
        predicted = self.tree_.value[leaf]
        if self.criterion == "poisson":
            predicted = np.maximum(predicted, np.finfo(np.float64).tiny)
        if self._several_quantiles and self.n_outputs_ > 1:
            return predicted.reshape(len(predicted), self.n_outputs_, -1)
        alone = self.n_outputs_ == 1 and not self._several_quantiles
        return predicted[:, 0] if alone else predicted

    def _on_lines(self, X: Any) -> NDArray[np.float64]:
        source = source_to_predict(X, self.tree_.columns)
        if source is None:
            return self.tree_.predict(self._read_rows(X))[:, 0]
        parts = [
            self.tree_.predict(self._read_rows(table))[:, 0]
            for table, _ in batches_of(source, self.tree_.columns)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _outputs_of(self, tree: Tree) -> int:
        """Return the number of columns of y that a tree of these parameters had."""
        n_quantiles = len(self._levels()) if self.criterion == "quantile" else 1
        outputs, rest = divmod(tree.value.shape[1], n_quantiles)
        if rest or not outputs:
            raise ValueError("The tree does not predict the quantiles of the model.")
        return outputs

    @property
    def _several_quantiles(self) -> bool:
        return self.criterion == "quantile" and np.ndim(self.quantile) > 0

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination of the predictions.

        For quantiles it is the share of the pinball loss that the tree explains, the
        mean over quantiles and outputs (`sklearn.metrics.d2_pinball_score`).

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), str or list
            Their targets, or the names of the columns of a source that hold them.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, or the name of a column of a source.

        Returns
        -------
        float
            R squared, averaged over the outputs.
        """
        check_is_fitted(self, "tree_")
        source = source_for(X, y)
        if source is not None and self.criterion == "quantile":
            raise ValueError(
                "Quantiles are scored on tables in memory; read the table first."
            )
        if source is None:
            X, y, sample_weight = split_table(X, y, sample_weight)
            if self.criterion == "quantile":
                return self._pinball_score(X, y, sample_weight)
            return float(super().score(X, y, sample_weight))
        names = [y] if isinstance(y, str) else list(y)
        columns = self.tree_.columns
        return r2_of_source(source, columns, names, sample_weight, self.predict)

    def _pinball_score(self, X: Any, y: Any, sample_weight: Any) -> float:
        levels = self._levels()
        predicted = self.predict(X).reshape(-1, self.n_outputs_, len(levels))
        scores = [
            d2_pinball_score(
                y, predicted[:, :, k], sample_weight=sample_weight, alpha=q
            )
            for k, q in enumerate(levels)
        ]
        return float(np.mean(scores))

    def to_sklearn(self, *, unseen: bool = True) -> DecisionTreeRegressor:
        """Return a fitted scikit-learn tree that makes the same predictions.

        It takes numbers: a table of numbers as it is, any other table as
        ``model.encode(X)``. See `treeproof.export.sklearn` for how categories are
        encoded and for the single precision of scikit-learn's trees.

        Parameters
        ----------
        unseen : bool, default=True
            Whether the tree has leaves for unseen categories, which hold no training
            rows. Without them an unseen category goes the way of a neighbouring one.

        Returns
        -------
        DecisionTreeRegressor
            Multiway splits become nested thresholds.

        Examples
        --------
        >>> from treeproof import OptimalTreeRegressor
        >>> model = OptimalTreeRegressor().fit([[1], [2], [7], [8]], [0, 0, 3, 3])
        >>> model.to_sklearn().predict([[0], [9]])
        array([0., 3.])
        """
        check_is_fitted(self, "tree_")
        if self.tree_.lines is not None:
            raise ValueError(
                "scikit-learn's trees have constants in their leaves, and this one has "
                'lines; fit it with leaf="constant", or export it as SQL or Python.'
            )
        model = self._sklearn_tree(unseen)
        if self.criterion == "quantile":  # scikit-learn's trees have no such criterion
            return model.set_params(criterion="absolute_error")
        return model.set_params(criterion=self.criterion)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def grow_numbers(
    splits: SplitTable, data: RegressionData, leaf: LeafFit
) -> tuple[Tree, float]:
    """Return the tree with its node values, and the loss of its leaves."""
    outputs = data.targets.shape[1]
    if leaf.criterion == "quantile":
        outputs *= len(leaf.levels)

    tree = grow(
        splits,
        data.table,
        weights=data.weights,
        value=leaf.value_and_losses,
        samples=data.samples,
    )
    loss = float(tree.value[tree.kind == LEAF, outputs].sum())
    tree.impurity = tree.value[:, outputs + 1].copy()
    if isinstance(leaf, LineFit):
        column, slope, intercept = tree.value[:, outputs + 2 :].T.copy()
        tree.lines = Lines(column.astype(np.int32), slope, intercept)
    tree.value = tree.value[:, :outputs].copy()
    tree.predicts_means = leaf.criterion == "squared_error" and tree.lines is None
    return tree, loss

"""Exports of the estimators that fit tables: scikit-learn's trees and all formats."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treeproof.estimators.base import OptimalTree
from treeproof.export import sklearn as sklearn_export
from treeproof.export.methods import TreeExports
from treeproof.export.model_card import model_card
from treeproof.export.prefix import tree_to_prefix
from treeproof.importance import DroppedColumn, cost_importances, drop_columns
from treeproof.parameters import kind_of_split
from treeproof.picture.methods import EstimatorPictures
from treeproof.solving.summary import summarise
from treeproof.tree import Tree
from treeproof.tree.leaf_facts import LeafFacts, leaf_facts

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

    def to_prefix(self, max_depth: int | None = None) -> Any:
        """Return the top of the tree as a partial tree, for ``prefix`` of a new fit.

        Parameters
        ----------
        max_depth : int or None, default=None
            The depth from which on a new search decides; None for the whole tree.

        Returns
        -------
        dict, "leaf" or None
            The partial tree, which may be changed before it is used.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
        >>> clf.to_prefix(1)
        {'feature': 'x0', 'threshold': 4.5}
        >>> clf.to_prefix()
        {'feature': 'x0', 'threshold': 4.5, 'yes': 'leaf', 'no': 'leaf'}
        """
        check_is_fitted(self, "tree_")
        return tree_to_prefix(self.tree_, max_depth=max_depth)

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

    def export_text(
        self, *, collapse: bool = True, details: bool = False, smoothing: float = 0.0
    ) -> str:
        """Return the tree as text, one node per line.

        Parameters
        ----------
        collapse : bool, default=True
            Show equal siblings of a multiway split as one child for a set of
            categories.
        details : bool, default=False
            Also say how many rows of each class a leaf holds, and a 95% confidence
            interval for its share or mean.
        smoothing : float, default=0.0
            Also say how likely the class of a leaf is, with Laplace smoothing that adds
            this to the weight of each class; 1.0 is usual.
        """
        check_is_fitted(self, "tree_")
        tree = self.tree_.collapse() if collapse else self.tree_
        return tree.export_text(details=details, smoothing=smoothing)

    def leaf_facts(
        self, *, smoothing: float = 0.0, confidence: float = 0.95
    ) -> list[LeafFacts]:
        """Return what is known about the rows of every leaf, from left to right.

        Parameters
        ----------
        smoothing : float, default=0.0
            What Laplace smoothing adds to the weight of each class; 1.0 is usual.
        confidence : float, default=0.95
            Probability with which the intervals shall cover the truth, were the leaf
            not chosen to fit these rows.

        Returns
        -------
        list of LeafFacts
            Prediction, rows, rows per class, probabilities and interval of each leaf.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> X = [[1]] * 9 + [[2]] * 8
        >>> clf = OptimalTreeClassifier().fit(X, [0] * 8 + [1] * 9)
        >>> clf.leaf_facts(smoothing=1)[0].rows_per_class
        {0: 8, 1: 1}
        """
        check_is_fitted(self, "tree_")
        return leaf_facts(self.tree_, smoothing=smoothing, confidence=confidence)

    def to_model_card(
        self,
        *,
        title: str = "A decision tree",
        target: str | None = None,
        description: str = "",
        intended_use: str = "",
        limitations: str = "",
        scores: Mapping[str, float] | None = None,
        proof: str | os.PathLike[str] | None = None,
    ) -> str:
        """Return a model card in Markdown, with the certificate.

        Parameters
        ----------
        title, description, intended_use, limitations : str
            What only the author knows.
        target : str or None, default=None
            What the tree predicts.
        scores : mapping or None, default=None
            Scores by name, such as the accuracy on held-out rows.
        proof : path or None, default=None
            The proof file of the fit; the card names it and the data that it is about
            by their fingerprints.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
        >>> print(clf.to_model_card(title="Toys", target="size").splitlines()[0])
        # Toys
        """
        check_is_fitted(self, "tree_")
        return model_card(
            self,
            title=title,
            target=target,
            description=description,
            intended_use=intended_use,
            limitations=limitations,
            scores=scores,
            proof=proof,
        )

    def summary(self) -> str:
        """Return the main facts about the fit as text.

        The certificate in words, what was proved about each depth, the tree, and the
        share of each column in what the splits save.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> X = {"size": [1, 2, 7, 8] * 5, "age": [3, 1, 4, 1] * 5}
        >>> clf = OptimalTreeClassifier().fit(X, ["no", "no", "yes", "yes"] * 5)
        >>> print(clf.summary().splitlines()[0])
        Optimal: no tree costs less than 0.01.
        """
        check_is_fitted(self, "tree_")
        return summarise(self)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in what the splits save, in the order of columns.

        A split saves the loss of its node as a leaf minus the losses of its children as
        leaves; the shares add up to 1, unless nothing is saved. A column whose split
        pays only together with others may have a small share: see
        `drop_column_importance` for what is lost without a column.
        """
        check_is_fitted(self, "tree_")
        return cost_importances(self.tree_)

    def drop_column_importance(
        self, X: Any, y: Any, sample_weight: Any = None, *, columns: Any = None
    ) -> list[DroppedColumn]:
        """Return how much worse the best tree is without each column.

        One exact fit for every column that the tree tests. A column that it does not
        test needs none: without it, the same tree is still there.

        Parameters
        ----------
        X, y, sample_weight
            What `fit` was given: a table in memory, its targets and its weights.
        columns : list of str or None, default=None
            The columns to leave out, one at a time; None for all.

        Returns
        -------
        list of DroppedColumn
            The largest increase first. Each states the best cost without the column, a
            lower bound, and between which numbers the increase lies.

        Examples
        --------
        >>> import numpy as np
        >>> from treeproof import OptimalTreeClassifier
        >>> X = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5, "c": [0, 1, 1, 0] * 5}
        >>> y = np.array(X["a"]) ^ np.array(X["b"])
        >>> clf = OptimalTreeClassifier().fit(X, y)
        >>> for found in clf.drop_column_importance(X, y):
        ...     print(found)
        c: without it the best tree costs 0.02 more (0.03, proved).
        a: without it the best tree costs no more (0.01, proved).
        b: without it the best tree costs no more (0.01, proved).
        """
        check_is_fitted(self, "tree_")
        return drop_columns(self, X, y, sample_weight, columns)

    def _exported(self) -> Tree:
        check_is_fitted(self, "tree_")
        return self.tree_.collapse()

    @property
    def _one_hot(self) -> bool:
        return kind_of_split(self) == "one-vs-rest"

"""The ``to_...`` methods that trees and estimators share.

Estimators write the tree with equal siblings merged (`Tree.collapse`): it is smaller
and predicts the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treeproof.export.rules import Rule
    from treeproof.tree import Tree

__all__ = ["TreeExports"]


class TreeExports:
    """Gives a class that has a tree its exports."""

    def _exported(self) -> Tree:
        """Return the tree to write."""
        raise NotImplementedError

    def _checked(self) -> Tree:
        from treeproof.export.branches import check_exportable

        return check_exportable(self._exported())

    def to_sql(
        self,
        dialect: str = "duckdb",
        *,
        table: str | None = None,
        name: str = "prediction",
        proba: bool = False,
    ) -> str:
        """Return the tree as SQL; needs ``pip install 'treeproof[export]'``.

        Parameters
        ----------
        dialect : str, default="duckdb"
            A dialect that sqlglot knows, such as "sqlite", "postgres" or "bigquery".
        table : str or None, default=None
            With the name of a table the result is a complete ``SELECT`` that adds the
            prediction to its columns; without one it is the expression alone.
        name : str, default="prediction"
            The name of the predicted column.
        proba : bool, default=False
            Add a column with the probability of each class; needs a table.

        Returns
        -------
        str
            NULL goes where ``predict`` sends missing values; if it refuses them, a row
            with NULL in a column tested on its way gets NULL.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> X = {"colour": ["red", "blue", "red", "blue"]}
        >>> clf = OptimalTreeClassifier().fit(X, [1, 0, 1, 0])
        >>> print(clf.to_sql("sqlite", table="paint"))
        SELECT
          *,
          CASE WHEN "colour" = 'blue' THEN 0 WHEN "colour" = 'red' THEN 1 ELSE 0 END AS "prediction" FROM "paint"
        """  # noqa: E501
        from treeproof.export.sql import to_sql

        return to_sql(self._checked(), dialect, table=table, name=name, proba=proba)

    def to_onnx(self) -> Any:
        """Return the tree as an ONNX model; needs ``pip install 'treeproof[export]'``.

        Returns
        -------
        onnx.ModelProto
            Inputs and outputs are described in `treeproof.export.onnx`.
        """
        from treeproof.export.onnx import to_onnx

        return to_onnx(self._checked())

    def to_python(self, *, name: str = "predict", proba: bool = False) -> str:
        """Return the source of a function that predicts a row and needs no library.

        Parameters
        ----------
        name : str, default="predict"
            The name of the function. It takes a mapping from column names to values.
        proba : bool, default=False
            Return a dictionary of class probabilities instead of the class.
        """
        from treeproof.export.python import to_python

        return to_python(self._checked(), name=name, proba=proba)

    def to_json(self, *, target: str | None = None, indent: int | None = None) -> str:
        """Return a JSON document from which `treeproof.from_json` makes the same again.

        Parameters
        ----------
        target : str or None, default=None
            The name of the predicted column, to be remembered.
        indent : int or None, default=None
            Spaces for each level; None for one line.
        """
        from treeproof.export.json import to_json

        self._checked()  # complains about an estimator that is not fitted
        return to_json(self, target=target, indent=indent)

    def to_dot(self) -> str:
        """Return the tree in Graphviz's language."""
        from treeproof.export.dot import to_dot

        return to_dot(self._exported())

    def to_rules(self, *, unseen: bool = False, smoothing: float = 0.0) -> list[Rule]:
        """Return the tree as if-then rules, one of which holds for every training row.

        Parameters
        ----------
        unseen : bool, default=False
            Add the rules for categories that no training row had.
        smoothing : float, default=0.0
            What Laplace smoothing adds to the weight of each class, for the
            probabilities of the rules.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
        >>> for rule in clf.to_rules():
        ...     print(rule)
        If x0 <= 4.5, predict 0 (2 rows, 100%).
        If x0 > 4.5, predict 1 (2 rows, 100%).
        """
        from treeproof.export.rules import to_rules

        return to_rules(self._checked(), unseen=unseen, smoothing=smoothing)

"""The common base of the four online learners: two APIs, drift and trees.

A learner is a thin wrapper around a native model, which is created at the first row.
The parameters are validated then, and every error message about data is one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rich.text import Text
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from treeproof._core import StreamModel
from treeproof.columns import is_missing
from treeproof.limits import parse_memory
from treeproof.stream import frames, table
from treeproof.stream.reading import Reading
from treeproof.stream.river_api import RiverClassifier, default_detector, register
from treeproof.stream.trees import sorted_order, to_tree
from treeproof.tree import Tree

__all__ = ["StreamTreeClassifier"]

_MAX_CODES = 250  # a code is one byte, and a few codes are reserved
_LONG_ENOUGH = 5000  # minimum number of rows for an efficient call


class StreamTreeClassifier(RiverClassifier, ClassifierMixin, BaseEstimator):
    """Base of the online learners; use one of its subclasses."""

    _kind: ClassVar[str]
    _fit_samples: ClassVar[int] = 20_000

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "split_penalty": [Interval(Real, 0, 1, closed="both")],
        "numeric_features": ["array-like", set, StrOptions({"auto"})],
        "categorical_features": ["array-like", set, None],
        "numeric_bins": [Interval(Integral, 2, _MAX_CODES, closed="both")],
        "max_categories": [Interval(Integral, 1, _MAX_CODES, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left")],
        "memory_limit": [Interval(Integral, 1, None, closed="left"), str, None],
        "drift_detector": "no_validation",  # type: ignore[dict-item]
        "on_drift": [StrOptions({"restart", "reweight"})],
        "drift_discount": [Interval(Real, 0, 1, closed="left")],
    }

    # --------------------------------------------------------------- the native model

    def _options(self) -> dict[str, Any]:
        """Return the options of the native learner that subclasses add."""
        raise NotImplementedError

    def _make_model(self) -> Any:
        return StreamModel(
            self._kind,
            {
                "split_penalty": float(self.split_penalty),
                "numeric_bins": int(self.numeric_bins),
                "memory_limit": parse_memory(self.memory_limit),
                **self._options(),
            },
            self._reading,
            int(self.max_categories),
            default_detector()
            if isinstance(self.drift_detector, str)
            else self.drift_detector,
            -1.0 if self.on_drift == "restart" else float(self.drift_discount),
        )

    def _started(self) -> Any:
        """Return the native model, made now if this is the first row."""
        model = getattr(self, "_model", None)
        if model is None:
            self._validate_params()
            self._check_detector()
            self._reading = Reading(
                self.numeric_features,
                () if self.categorical_features is None else self.categorical_features,
                int(self.max_categories),
                int(self.max_features),
            )
            model = self._model = self._make_model()
        return model

    def _check_detector(self) -> None:
        detector = self.drift_detector
        if detector is None or detector == "auto":
            return
        if not hasattr(detector, "update") or not hasattr(detector, "drift_detected"):
            raise TypeError(
                "drift_detector must be 'auto', None, or a drift detector with "
                f"update(x) and drift_detected, as River's are; got {detector!r}."
            )

    def _forget(self) -> None:
        for name in ("_model", "_reading", "_declared"):
            if hasattr(self, name):
                delattr(self, name)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())  # type: ignore[misc]
        model = state.pop("_model", None)
        if model is not None:
            state["_saved"] = model.save()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        saved = state.pop("_saved", None)
        super().__setstate__(state)  # type: ignore[misc]
        if saved is not None:
            self._model = self._make_model()
            self._model.load(saved)

    # -------------------------------------------------------------------- River's API

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : dict
            Values by feature name. ``None``, NaN and absent keys are missing values;
            new names and new categories may appear at any time.
        y : label
            Any text, whole number or boolean.
        w : float, default=1.0
            The row's weight, > 0.
        """
        model = self._started()
        row = _row(x)
        if is_missing(y):
            raise ValueError(f"The label y is {y!r}; leave out rows without a label.")
        declared = getattr(self, "_declared", None)
        if declared is not None and y not in declared:
            raise ValueError(_not_declared(y, declared))
        if not isinstance(w, Real) or not 0 < float(w) < math.inf:
            raise ValueError(f"The weight w must be a finite number > 0, got {w!r}.")
        try:
            model.learn_one(row, y, float(w))
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            raise TypeError(
                f"The label {y!r} is a {type(y).__name__}; labels must be text, whole "
                "numbers or booleans."
            ) from None

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """Return the predicted label of one row; None before anything was learnt."""
        row = _row(x)
        model = getattr(self, "_model", None)
        return None if model is None else model.predict_one(row)

    def predict_proba_one(
        self, x: Mapping[Any, Any], **kwargs: Any
    ) -> dict[Any, float]:
        """Return the share of each label in the leaf that a row falls into."""
        row = _row(x)
        model = getattr(self, "_model", None)
        if model is None:
            return {}
        weights = model.class_weights_one(row)
        labels = model.classes
        weights = [*weights, *[0.0] * (len(labels) - len(weights))]
        total = sum(weights)
        if total <= 0:
            return {label: 1 / len(labels) for label in labels}
        return {
            label: weight / total for label, weight in zip(labels, weights, strict=True)
        }

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn from the rows of a data frame, in order.

        The same as `learn_one` row by row, but faster. Interrupted by Ctrl-C, it keeps
        the rows learnt so far.

        Parameters
        ----------
        X : data frame
            pandas, Polars or Arrow.
        y : series, array or list
            One label for each row.
        w : series, array or list, optional
            One weight > 0 for each row.
        """
        columns = table.columns_of(X)
        self._learn_columns(columns, frames.labels_of(y), w)

    def predict_many(self, X: Any) -> Any:
        """Return the predicted labels of the rows, as a series of X's kind."""
        labels = self._predict_columns(table.columns_of(X))
        return frames.series_like(X, labels)

    def predict_proba_many(self, X: Any) -> Any:
        """Return the share of each label for each row, as a data frame of X's kind."""
        columns = table.columns_of(X)
        if not hasattr(self, "_model"):
            return frames.frame_like(X, {})
        shares = self._shares(columns)
        return frames.frame_like(
            X, {label: shares[:, k] for k, label in enumerate(self._model.classes)}
        )

    # ------------------------------------------------------------- scikit-learn's API

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> StreamTreeClassifier:
        """Learn from the rows of a table, in order.

        Parameters
        ----------
        X : table of shape (rows, columns)
            An array or a data frame. Numbers that are whole by type are categories.
        y : array of shape (rows,)
            Labels.
        classes : array, optional
            All labels that may ever come. Given once, others are refused from then on.
        sample_weight : array of shape (rows,), optional
            Weights > 0.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_model")
        columns = self._validated(X, y, reset=first)
        labels = _checked_labels(y, columns)
        self._started()
        if classes is not None:
            self._declare(classes)
        self._learn_columns(columns, labels, sample_weight)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StreamTreeClassifier:
        """Learn from a whole table, forgetting everything before.

        The rows are fed in order, again and again until enough samples for a search
        have been seen; Online-BRANCHES sees them once and then searches to the end.

        Parameters
        ----------
        X, y, sample_weight
            As in `partial_fit`.

        Returns
        -------
        self
        """
        columns = self._validated(X, y, reset=True)
        labels = _checked_labels(y, columns)
        self._forget()
        model = self._started()
        self._declare(np.unique(labels))
        self._learn_all(model, columns, labels, sample_weight)
        return self

    def _learn_all(self, model: Any, columns: Any, labels: Any, weights: Any) -> None:
        encoded = self._encoded(columns, labels, weights)
        n_rows = len(encoded[2])
        rounds = -(-self._fit_samples // n_rows)
        # Short tables are repeated in one array, so that Python is not in the inner
        # loop.
        copies = min(rounds, -(-_LONG_ENOUGH // n_rows))
        if copies > 1:
            encoded = tuple(
                np.tile(part, (copies, *[1] * (part.ndim - 1))) for part in encoded
            )
        for _ in range(-(-rounds // copies)):
            model.learn_rows(*encoded)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted label of each row."""
        check_is_fitted(self, "_model")
        columns = self._validated(X, None, reset=False)
        return self.classes_[self._class_order()[1][self._predicted(columns)]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of each class of `classes_` for each row."""
        check_is_fitted(self, "_model")
        columns = self._validated(X, None, reset=False)
        return self._shares(columns)[:, self._class_order()[0]]

    def _validated(self, X: Any, y: Any, *, reset: bool) -> table.Columns:
        """Read a table with scikit-learn's checks; NaN is allowed."""
        if frames.is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(X) == 0:
                raise ValueError(
                    f"Found array with 0 sample(s) (shape={X.shape}) while a minimum "
                    "of 1 is required."
                )
            return table.columns_of(X)
        array = validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan"
        )
        return table.columns_of(array)

    def _declare(self, classes: Any) -> None:
        wanted = np.unique(np.asarray(classes)).tolist()
        declared = getattr(self, "_declared", None)
        if declared is not None and set(wanted) != set(declared):
            raise ValueError(
                f"`classes={wanted!r}` is not the same as on the last call, which was "
                f"{sorted(declared)!r}."
            )
        self._declared = set(wanted)
        self._model.labels_of(wanted, True)

    # ----------------------------------------------------------------- shared workings

    def _learn_columns(self, columns: table.Columns, y: Any, w: Any) -> None:
        encoded = self._encoded(columns, y, w)
        self._model.learn_rows(*encoded)

    def _encoded(
        self, columns: table.Columns, y: Any, w: Any
    ) -> tuple[NDArray[Any], ...]:
        """Return codes, numbers, labels and weights of a table after all checks."""
        n_rows = len(next(iter(columns.values()))) if columns else 0
        if not columns:
            raise ValueError("X has no columns; a row needs at least one feature.")
        if len(y) != n_rows:
            raise ValueError(f"X has {n_rows} rows, but y has {len(y)} labels.")
        weights = frames.weights_of(w, n_rows)
        missing = [i for i, label in enumerate(y.tolist()) if is_missing(label)]
        if missing:
            raise ValueError(
                f"y contains NaN or None (first: row {missing[0]}); leave out rows "
                "without a label."
            )
        declared = getattr(self, "_declared", None)
        if declared is not None:
            for label in np.unique(y).tolist():
                if label not in declared:
                    raise ValueError(_not_declared(label, declared))
        model = self._started()
        codes, numbers = table.encode(
            model, self._reading, columns, n_rows, learning=True
        )
        labels = table.encode_labels(model, y)
        # Rows of weight zero are skipped.
        kept = weights > 0
        if not kept.all():
            codes, numbers = codes[kept], numbers[kept]
            labels, weights = labels[kept], weights[kept]
        return codes, numbers, labels, weights

    def _predicted(self, columns: table.Columns) -> NDArray[np.int32]:
        n_rows = len(next(iter(columns.values())))
        codes, numbers = table.encode(
            self._model, self._reading, columns, n_rows, learning=False
        )
        return self._model.predict_rows(codes, numbers)

    def _predict_columns(self, columns: table.Columns) -> NDArray[Any]:
        n_rows = len(next(iter(columns.values()))) if columns else 0
        if not hasattr(self, "_model"):
            return np.full(n_rows, None, dtype=object)
        labels = np.empty(len(self._model.classes) + 1, dtype=object)
        labels[:-1] = self._model.classes
        return labels[self._predicted(columns)]

    def _shares(self, columns: table.Columns) -> NDArray[np.float64]:
        """Return the class shares of each row, classes in order of appearance."""
        n_rows = len(next(iter(columns.values())))
        codes, numbers = table.encode(
            self._model, self._reading, columns, n_rows, learning=False
        )
        nodes = self._model.find_rows(codes, numbers)
        tree = self._model.tree()
        n_classes = len(self._model.classes)
        weights = np.zeros((len(tree["feature"]), n_classes))
        known = tree["n_classes"]
        if known:
            weights[:, :known] = tree["weight"].reshape(-1, known)
        total = weights.sum(axis=1, keepdims=True)
        shares = np.full_like(weights, 1 / max(1, n_classes))
        np.divide(weights, total, out=shares, where=total > 0)
        return shares[nodes]

    def _class_order(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the sorting permutation of the classes and its inverse."""
        order = np.array(sorted_order(self._model.classes), dtype=np.intp)
        inverse = np.empty(len(order), dtype=np.intp)
        inverse[order] = np.arange(len(order))
        return order, inverse

    # --------------------------------------------------------------------- attributes

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen so far, sorted where they can be."""
        check_is_fitted(self, "_model")
        labels = self._model.classes
        return np.array([labels[k] for k in self._class_order()[0]])

    @property
    def tree_(self) -> Tree:
        """The current tree, which makes the predictions."""
        check_is_fitted(self, "_model")
        return to_tree(self._model)

    @property
    def n_splits_(self) -> int:
        """How many splits that tree has."""
        return self._model.n_splits if hasattr(self, "_model") else 0

    @property
    def stats_(self) -> dict[str, float]:
        """Counters of the search: samples, states, branches, bytes, drifts."""
        return dict(self._model.statistics()) if hasattr(self, "_model") else {}

    @property
    def n_drifts_(self) -> int:
        """How often the drift detector made the learner start again."""
        return self._model.drifts if hasattr(self, "_model") else 0

    def get_depth(self) -> int:
        """Return the number of tests on the longest path to a leaf."""
        return self._model.depth if hasattr(self, "_model") else 0

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        return self.tree_.n_leaves

    def export_text(self, *, collapse: bool = True) -> str:
        """Return the tree as lines of text, equal siblings as one."""
        return (self.tree_.collapse() if collapse else self.tree_).export_text()

    def draw(self, *, collapse: bool = True) -> Text:
        """Return the tree in colour, to be printed by rich or shown in a notebook."""
        from treeproof.tree.drawing import draw

        return draw(self.tree_.collapse() if collapse else self.tree_)

    def restart(self) -> None:
        """Forget all rows; the last tree predicts until a new one is ready."""
        if hasattr(self, "_model"):
            self._model.restart(0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")


register(StreamTreeClassifier)


def _row(x: Any) -> dict[Any, Any]:
    if not isinstance(x, dict):
        if not isinstance(x, Mapping):
            raise TypeError(
                f"x must be a dictionary of features, got a {type(x).__name__}."
            )
        x = dict(x)
    if not x:
        raise ValueError("x is empty; a row needs at least one feature.")
    return x


def _not_declared(label: Any, declared: set[Any]) -> str:
    names = sorted(declared, key=lambda c: (type(c).__name__, str(c)))
    return (
        f"The label {label!r} is none of the classes {names!r} that were given to "
        "partial_fit; name all classes there in the first call."
    )


def _checked_labels(y: Any, columns: table.Columns) -> NDArray[Any]:
    if y is None:
        raise ValueError(
            "A classifier requires y to be passed, but the target y is None."
        )
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    return labels

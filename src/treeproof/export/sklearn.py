"""A fitted scikit-learn tree with the same predictions.

scikit-learn's trees know one test, ``x <= threshold``, on single-precision numbers. So
the table is encoded as numbers (`encode`), and every test of ours becomes one or more
thresholds on them:

* A *numeric* column is itself. Thresholds are rounded to single precision, as
  scikit-learn rounds its input; rounding keeps the order of numbers, so that every
  training row goes the same way, unless two of its values are the same number in single
  precision.
* A *multiway* categorical column is one number: a category that is a whole number (or a
  boolean) is itself, other categories are their place 0, 1, ... among the sorted
  categories, and an unseen category is one less than the smallest number. Every
  category owns the interval of half a unit around its number; the children of a split
  are then found by nested thresholds, and whatever belongs to no child ends in a leaf
  with the majority class (or the mean) of the split's node, as with us.
* A *one-vs-rest* categorical column becomes one 0/1 column for each category, unless it
  is ordered. Where a column may be split either way, it becomes what the tree's tests
  of it need: one number, 0/1 columns, or the number and the 0/1 columns after it.
* A *missing* value is NaN in all columns made of its column. scikit-learn's trees know
  NaN, with one exception: with ``criterion="absolute_error"`` they refuse it.

The counts in all nodes are those of the training rows; the leaves that wait for unseen
categories hold none. Their weight is not quite zero, since SHAP's explainer of paths
divides by the weights of leaves. Nodes that only exist there, inside a multiway split,
show what their children hold together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import Column
from treeproof.export.intervals import Cut, Piece, merged, nest
from treeproof.kinds import ABSENT, BY_CATEGORY, EQUALS, NO, OWN, STAYS, THRESHOLD, YES
from treeproof.tree import Columns, Tree

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["encode", "encoded_names", "to_sklearn"]

_SINGLE_EXACT = 2**24  # whole numbers below this are exact in single precision
_HARDLY_ANY = 2.0**-40  # share of the weight that an empty leaf pretends to have


def encode(tree: Tree, columns: Columns, one_hot: bool) -> NDArray[np.float32]:
    """Return encoded rows as the matrix that the scikit-learn tree takes.

    Parameters
    ----------
    tree : Tree
        The tree whose columns are meant.
    columns : sequence of ndarray
        Rows column by column, as the input border makes them.
    one_hot : bool
        Whether all categorical columns become one column for each category, or only
        those of which the tree asks whether they are one category.
    """
    parts = []
    for j, (column, form) in enumerate(
        zip(tree.columns, _forms(tree, one_hot), strict=True)
    ):
        x = columns[j]
        if column.categories is None:
            parts.append(x.astype(np.float32)[:, None])
            continue
        if form.number:
            number = _numbers(column)
            # The code -1 of an unseen category finds the last entry.
            unseen = number.min(initial=0) - 1
            parts.append(np.append(number, [np.nan, unseen])[x][:, None])
        if form.hot:
            hot = (x[:, None] == np.arange(len(column.categories))).astype(np.float32)
            hot[x == column.missing_code] = np.nan
            parts.append(hot)
    return np.hstack(parts).astype(np.float32)


def encoded_names(tree: Tree, one_hot: bool) -> list[str]:
    """Return the names of the columns that `encode` makes."""
    names = []
    for column, form in zip(tree.columns, _forms(tree, one_hot), strict=True):
        names += [column.name] * form.number
        names += [f"{column.name}={column.text(k)}" for k in range(form.hot)]
    return names


def to_sklearn(
    tree: Tree, one_hot: bool, unseen: bool = True
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a fitted scikit-learn tree that predicts what the tree does.

    Parameters
    ----------
    tree : Tree
        A classification or regression tree.
    one_hot : bool
        As for `encode`.
    unseen : bool, default=True
        Whether there are leaves for unseen categories. They hold no training rows,
        which some tools do not like; without them an unseen category goes the way of
        a neighbouring one.
    """
    forms = _forms(tree, one_hot)
    start = np.concatenate([[0], np.cumsum([form.number + form.hot for form in forms])])
    n_columns = int(start[-1])
    model, builder = _empty_model(tree, n_columns), _Builder(tree, start, forms, unseen)
    builder.build()
    state = model.tree_.__getstate__()
    state.update(builder.state(state["nodes"].dtype))
    model.tree_ = type(model.tree_)(
        n_columns, model.tree_.n_classes, model.tree_.n_outputs
    )
    model.tree_.__setstate__(state)
    return model


class _Form(NamedTuple):
    """The encoded columns of a column: perhaps one number, then 0/1 columns."""

    number: bool
    hot: int


def _forms(tree: Tree, one_hot: bool) -> list[_Form]:
    """Return what each column of a tree becomes."""
    asked = {int(f) for f in tree.feature[tree.kind == EQUALS]}
    whole = {int(f) for f in tree.feature[np.isin(tree.kind, BY_CATEGORY)]}
    forms = []
    for j, column in enumerate(tree.columns):
        hot = column.is_categorical and not column.ordered and (one_hot or j in asked)
        forms.append(_Form(not hot or j in whole, column.missing_code if hot else 0))
    return forms


def _empty_model(tree: Tree, n_columns: int) -> Any:
    """Return a model on which everything but the tree is right."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if tree.actions is None:
        outputs = tree.value.shape[1]
        y = np.zeros(1) if outputs == 1 else np.zeros((1, outputs))
        return DecisionTreeRegressor().fit(np.zeros((1, n_columns)), y)
    # Fitting on one row for each class sets every attribute but the tree.
    model = DecisionTreeClassifier()
    codes = np.arange(len(tree.actions))
    model.fit(np.zeros((len(codes), n_columns)), codes)
    model.classes_ = tree.actions
    return model


def _numbers(column: Column) -> NDArray[np.float64]:
    """Return the number that stands for each category."""
    categories = column.categories
    assert categories is not None
    if categories.dtype != object and not column.ordered:
        numbers = categories.astype(np.float64)
        if np.all(numbers == np.rint(numbers)) and np.all(
            np.abs(numbers) < _SINGLE_EXACT
        ):
            return numbers
    return np.arange(len(categories), dtype=np.float64)


class _Builder:
    """Fills the node table of a scikit-learn tree."""

    def __init__(
        self, tree: Tree, start: NDArray[np.int64], forms: list[_Form], unseen: bool
    ) -> None:
        self.tree = tree
        self.start = start
        self.forms = forms
        self.unseen = unseen
        self.counts: list[tuple[int, float]] = []
        self.values: list[NDArray[np.float64]] = []
        self.impurities: list[float] = []

    def build(self) -> None:
        """Translate the tree."""
        self.nested = nest(self.tree, self._pieces)
        for pieces in self.nested.pieces:
            self._add_counts(pieces)

    def _pieces(self, node: int) -> Cut:
        """Cut the encoded column of a test into the intervals of its children."""
        tree = self.tree
        feature = int(tree.feature[node])
        column = int(self.start[feature])
        child = tree.child_by_outcome(node)
        kind, missing = tree.kind[node], int(tree.missing[node])
        gone = child.get(missing)
        if kind in (THRESHOLD, EQUALS, ABSENT):
            pieces: list[Piece] = []
            if missing == OWN or kind == ABSENT:
                assert gone is not None
                pieces.append((-np.inf, gone))
            if kind == THRESHOLD:
                t = float(np.float32(tree.threshold[node]))
                pieces += [(t, child[YES]), (np.inf, child[NO])]
            elif kind == EQUALS:
                column += self.forms[feature].number + int(tree.category[node])
                pieces += [(0.5, child[NO]), (np.inf, child[YES])]
            else:
                pieces += [(np.inf, child[NO])]
            return column, pieces, gone
        about = tree.columns[feature]
        nowhere = -1 - node
        gone = nowhere if missing == STAYS else child.get(about.missing_code)
        pieces = []
        closed = about.categories is not None and about.categories.dtype == bool
        end = -np.inf
        for code, number in enumerate(_numbers(about)):
            if number - 0.5 > end and not closed:
                pieces.append((number - 0.5, nowhere))
            end = number + 0.5
            pieces.append((end, child.get(code, nowhere)))
        if gone not in (None, *(to for _, to in pieces)):
            assert gone is not None
            pieces.insert(0, (-np.inf, gone))
        if not self.unseen:
            pieces = [piece for piece in pieces if piece[1] != nowhere]
        if closed or not self.unseen:
            pieces[-1] = (np.inf, pieces[-1][1])
        else:
            pieces.append((np.inf, nowhere))
        return column, merged(pieces), gone

    def _add_counts(self, pieces: list[Piece]) -> None:
        tree = self.tree
        nodes = sorted({target for _, target in pieces if target >= 0})
        weights = tree.weighted_n_node_samples[nodes]
        samples, weight = int(tree.n_node_samples[nodes].sum()), float(weights.sum())
        if not nodes:  # a leaf that waits for unseen categories
            nodes, weights = [-1 - pieces[0][1]], np.ones(1)
            weight = _HARDLY_ANY * float(tree.weighted_n_node_samples[0])
        self.counts.append((samples, weight))
        values = tree.value[nodes]
        if tree.actions is not None:
            if not tree.says_heaviest:
                said = np.eye(len(tree.actions))[tree.action[nodes]]
                values = weights[:, None] * said
            value = values.sum(axis=0) / values.sum()
            impurity = 1.0 - float((value**2).sum())  # Gini
        else:
            value = np.average(values, axis=0, weights=weights)
            within = 0.0 if tree.impurity is None else tree.impurity[nodes]
            between = ((values - value) ** 2).mean(axis=1)
            impurity = float(np.average(within + between, weights=weights))
        self.values.append(value)
        self.impurities.append(impurity)

    def state(self, dtype: np.dtype[Any]) -> dict[str, Any]:
        """Return the node table as scikit-learn stores it."""
        nested = self.nested
        nodes = np.zeros(len(nested.left), dtype=dtype)
        nodes["left_child"] = nested.left
        nodes["right_child"] = nested.right
        nodes["feature"] = nested.column
        nodes["threshold"] = nested.threshold
        nodes["missing_go_to_left"] = nested.missing_left
        values = np.array(self.values)
        nodes["impurity"] = self.impurities
        nodes["n_node_samples"] = [samples for samples, _ in self.counts]
        nodes["weighted_n_node_samples"] = [weight for _, weight in self.counts]
        return {
            "max_depth": nested.depth,
            "node_count": len(nodes),
            "nodes": nodes,
            # (nodes, outputs, classes)
            "values": values[:, :, None]
            if self.tree.actions is None
            else values[:, None, :],
        }

"""Trees as ONNX models, in double precision throughout.

The model is a tree that finds the number of the node in which a row ends, and tables
that give that node's label, probabilities or values. So the numbers that come out are
exactly those of ``predict`` and ``predict_proba``, and no score in single precision
decides a class.

Inputs: a table of numbers is one input ``X`` of doubles with the training table's
columns. A table with categories has one input for each column, by its name, of shape
(rows, 1): doubles, or strings for text. Text is looked up in the list of categories,
-1 for an unseen one; a category that is a number c owns the interval from the double
just below c to c, which contains no other double. Missing values are NaN among numbers,
and the text ``MISSING_TEXT`` among text, which `input_arrays` writes for them.

Outputs: ``label`` and ``probabilities`` of a classification tree, ``label`` and
``rewards`` (the mean reward of each treatment) of a policy tree, ``prediction`` of a
regression tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import Column, is_missing
from treeproof.export.branches import Among, AtMost, Nothing, branches
from treeproof.export.intervals import Cut, Nested, Piece, merged, nest
from treeproof.export.payload import node_predictions, node_shares
from treeproof.extras import need
from treeproof.tree import Tree

__all__ = ["MISSING_TEXT", "input_arrays", "to_onnx"]

MISSING_TEXT = "<missing>"
"""What stands for a missing text: ONNX has no missing strings."""

_OPSET, _ML_OPSET, _IR = 17, 3, 8


def to_onnx(tree: Tree) -> Any:
    """Return the tree as an ONNX model.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    onnx.ModelProto
        Checked by onnx. ``model.SerializeToString()`` is what a file holds.

    Examples
    --------
    >>> import numpy as np, onnxruntime
    >>> from treeproof import OptimalTreeClassifier
    >>> X = np.array([[1.0], [2.0], [7.0], [8.0]])
    >>> clf = OptimalTreeClassifier().fit(X, ["a", "a", "b", "b"])
    >>> model = to_onnx(clf.tree_)
    >>> session = onnxruntime.InferenceSession(model.SerializeToString())
    >>> session.run(["label"], {"X": X})
    [array(['a', 'a', 'b', 'b'], dtype=object)]
    """
    onnx = need("onnx", "export", "to_onnx()")
    tested = {int(feature) for feature in tree.feature if feature >= 0}
    for j, column in enumerate(tree.columns):
        if column.date is not None and j in tested:
            raise ValueError(
                f"ONNX has no dates, and the tree tests column {column.date.column!r}, "
                "which holds some; fit with numbers made of them, or export the tree "
                "as SQL or Python."
            )
    try:
        return _model(onnx, tree)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"ONNX keeps text as UTF-8, which cannot hold {error.object!r}, with half "
            "of a surrogate pair; rename the column, category or label."
        ) from None


def _model(onnx: Any, tree: Tree) -> Any:
    helper = onnx.helper
    inputs, nodes = _inputs(helper, onnx.TensorProto, tree)
    nodes += _leaf_number(onnx, tree)
    outputs, tables = _outputs(onnx, tree, nodes)
    graph = helper.make_graph(nodes, "treeproof", inputs, outputs, tables)
    model = helper.make_model(
        graph,
        producer_name="treeproof",
        opset_imports=[
            helper.make_opsetid("", _OPSET),
            helper.make_opsetid("ai.onnx.ml", _ML_OPSET),
        ],
        ir_version=_IR,
    )
    onnx.checker.check_model(model)
    return model


def input_arrays(tree: Tree, table: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return what to feed an ONNX runtime for a table given column by column.

    Parameters
    ----------
    tree : Tree
        The tree of the model.
    table : mapping
        The columns by name: arrays, lists or series. A data frame is such a mapping.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"size": [1, 2], "colour": ["red", "blue"]}
    >>> tree = OptimalTreeClassifier().fit(X, [0, 1]).tree_
    >>> {name: array.dtype for name, array in input_arrays(tree, X).items()}
    {'size': dtype('float64'), 'colour': dtype('O')}
    """
    columns = {}
    for column in _fed(tree):
        values = np.asarray(table[column.name])
        columns[column.name] = _input(column, values)[:, None]
    if _is_matrix(tree):
        return {"X": np.hstack(list(columns.values()))}
    return columns


def _input(column: Column, values: NDArray[Any]) -> NDArray[Any]:
    if not _is_text(column):
        if values.dtype == object:
            items = [np.nan if is_missing(v) else v for v in values.tolist()]
            return np.array(items, dtype=np.float64)
        return values.astype(np.float64)
    items = values.astype(object).tolist()
    return np.array([MISSING_TEXT if is_missing(v) else v for v in items], dtype=object)


def _is_text(column: Column) -> bool:
    return column.categories is not None and column.categories.dtype == object


def _fed(tree: Tree) -> list[Column]:
    """Return the columns that a model is given: all but those of dates."""
    dates = {column.date.source for column in tree.columns if column.date is not None}
    return [c for j, c in enumerate(tree.given_columns) if j not in dates]


def _is_matrix(tree: Tree) -> bool:
    return not any(column.is_categorical for column in _fed(tree))


def _inputs(helper: Any, types: Any, tree: Tree) -> tuple[list[Any], list[Any]]:
    """Return the inputs, and the operations that make one matrix ``X`` of them."""
    if _is_matrix(tree):
        shape = [None, len(_fed(tree))]
        return [helper.make_tensor_value_info("X", types.DOUBLE, shape)], []
    inputs, nodes, parts = [], [], []
    for j, column in enumerate(_fed(tree)):
        text = _is_text(column)
        kind = types.STRING if text else types.DOUBLE
        inputs.append(helper.make_tensor_value_info(column.name, kind, [None, 1]))
        if not text:
            parts.append(column.name)
            continue
        assert column.categories is not None
        if MISSING_TEXT in column.categories:
            raise ValueError(
                f"The column {column.name!r} has the category {MISSING_TEXT!r}, which "
                "stands for missing text in ONNX models; give the category another "
                "name."
            )
        code, number = f"treeproof code {j}", f"treeproof number {j}"
        nodes.append(
            helper.make_node(
                "LabelEncoder",
                [column.name],
                [code],
                domain="ai.onnx.ml",
                keys_strings=[*column.categories.tolist(), MISSING_TEXT],
                values_int64s=list(range(len(column.categories) + 1)),
                default_int64=-1,
            )
        )
        nodes.append(helper.make_node("Cast", [code], [number], to=types.DOUBLE))
        parts.append(number)
    matrix = "treeproof matrix"
    nodes.append(helper.make_node("Concat", parts, [matrix], axis=1))
    return inputs, nodes


def _leaf_number(onnx: Any, tree: Tree) -> list[Any]:
    """Return the operations that find the number of the node where a row ends."""
    helper, nested = onnx.helper, nest(tree, lambda node: _pieces(tree, node))
    matrix = "X" if _is_matrix(tree) else "treeproof matrix"
    leaves = [k for k, left in enumerate(nested.left) if left == -1]
    places = {column.name: j for j, column in enumerate(_fed(tree))}
    of_matrix = [places.get(column.name, 0) for column in tree.columns]
    return [
        helper.make_node(
            "TreeEnsembleRegressor",
            [matrix],
            ["treeproof place"],
            domain="ai.onnx.ml",
            n_targets=1,
            target_treeids=[0] * len(leaves),
            target_nodeids=leaves,
            target_ids=[0] * len(leaves),
            target_weights_as_tensor=_tensor(onnx, "places", _places(nested, leaves)),
            **_node_table(onnx, nested, of_matrix),
        ),
        helper.make_node(
            "Cast", ["treeproof place"], ["treeproof row"], to=onnx.TensorProto.INT64
        ),
        helper.make_node(
            "Reshape", ["treeproof row", "treeproof shape"], ["treeproof node"]
        ),
    ]


def _node_table(onnx: Any, nested: Nested, of_matrix: Sequence[int]) -> dict[str, Any]:
    n = len(nested.left)
    inner = [left != -1 for left in nested.left]
    values = np.where(inner, nested.threshold, 0.0)
    return {
        "nodes_treeids": [0] * n,
        "nodes_nodeids": list(range(n)),
        "nodes_featureids": [of_matrix[c] if c >= 0 else 0 for c in nested.column],
        "nodes_modes": ["BRANCH_LEQ" if i else "LEAF" for i in inner],
        "nodes_missing_value_tracks_true": [int(m) for m in nested.missing_left],
        "nodes_truenodeids": [max(k, 0) for k in nested.left],
        "nodes_falsenodeids": [max(k, 0) for k in nested.right],
        "nodes_values_as_tensor": _tensor(onnx, "thresholds", values),
    }


def _places(nested: Nested, leaves: list[int]) -> NDArray[np.float64]:
    """Return the node of our tree for each leaf of the nested one."""
    targets = [nested.pieces[k][0][1] for k in leaves]
    return np.array([t if t >= 0 else -1 - t for t in targets], dtype=np.float64)


def _pieces(tree: Tree, node: int) -> Cut:
    """Cut the number line of a tested column into the intervals of the branches."""
    feature = int(tree.feature[node])
    column = tree.columns[feature]
    *conditions, otherwise = branches(tree, node)
    rest = -1 - node if otherwise.stays else otherwise.target
    gone = rest if otherwise.missing else None
    pieces: list[Piece] = []
    points: list[tuple[float, int]] = []
    for way in conditions:
        target = -1 - node if way.stays else way.target
        gone = target if way.missing else gone
        if isinstance(way.condition, AtMost):
            pieces.append((way.condition.threshold, target))
        elif isinstance(way.condition, Nothing):
            if way.missing and not _is_text(column):
                pieces.append((-np.inf, target))
        else:
            assert isinstance(way.condition, Among)
            numbers = (
                way.condition.codes
                if _is_text(column)
                else way.condition.values(column)
            )
            points += [(float(number), target) for number in numbers]
    if gone is not None and _is_text(column):
        points.append((float(column.missing_code), gone))
    for number, target in sorted(points):
        pieces.append((float(np.nextafter(number, -np.inf)), rest))
        pieces.append((number, target))
    return feature, merged([*pieces, (np.inf, rest)]), gone


def _outputs(onnx: Any, tree: Tree, nodes: list[Any]) -> tuple[list[Any], list[Any]]:
    """Add the look-ups of the payload; return the outputs and all tables."""
    helper, types = onnx.helper, onnx.TensorProto
    tables = [_tensor(onnx, "treeproof shape", np.array([-1]))]
    outputs = []

    def look_up(output: str, table: Any, kind: int, width: int | None) -> None:
        tables.append(table)
        nodes.append(helper.make_node("Gather", [table.name, "treeproof node"],
                                      [output]))  # fmt: skip
        shape = [None] if width is None else [None, width]
        outputs.append(helper.make_tensor_value_info(output, kind, shape))

    if tree.lines is not None:
        raise ValueError(
            "The ONNX export knows constants, and this tree has lines in its leaves; "
            'export it as SQL or Python, or fit it with leaf="constant".'
        )
    if tree.actions is None:
        width = tree.value.shape[1]
        values = tree.value[:, 0] if width == 1 else tree.value
        table = _tensor(onnx, "treeproof values", values)
        look_up("prediction", table, types.DOUBLE, None if width == 1 else width)
        return outputs, tables
    names = node_predictions(tree)
    if len({type(name) for name in names}) > 1 or None in names:
        raise ValueError(
            "ONNX has one type for all labels, but this tree predicts "
            f"{', '.join(sorted({repr(name) for name in names}))}; give "
            "abstain_label, or all treatments, the type of the other labels."
        )
    if isinstance(names[0], str):
        text = [name.encode() for name in names]
        table = helper.make_tensor("treeproof labels", types.STRING, [len(text)], text)
        look_up("label", table, types.STRING, None)
    else:
        numbers = np.array(names)
        kind = {"b": types.BOOL, "i": types.INT64}.get(numbers.dtype.kind, types.DOUBLE)
        if kind == types.DOUBLE:
            numbers = numbers.astype(np.float64)
        look_up("label", _tensor(onnx, "treeproof labels", numbers), kind, None)
    if tree.classes is None:
        table = _tensor(onnx, "treeproof rewards", tree.value)
        look_up("rewards", table, types.DOUBLE, tree.value.shape[1])
        return outputs, tables
    shares = node_shares(tree)
    table = _tensor(onnx, "treeproof shares", shares)
    look_up("probabilities", table, types.DOUBLE, shares.shape[1])
    return outputs, tables


def _tensor(onnx: Any, name: str, array: NDArray[Any]) -> Any:
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)

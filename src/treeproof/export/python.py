"""Trees as Python: the source of one function that needs no library.

The function takes one row as a mapping from column names to values. Subtrees that would
be indented too far (Python allows 100 levels) become functions of their own. Missing
are None, NaN and pandas' NA.
"""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from typing import Any

from treeproof.columns import Column, plain
from treeproof.export.branches import Among, AtMost, Branch, Otherwise, branches
from treeproof.export.payload import labels, node_predictions, node_shares
from treeproof.kinds import LEAF, REFUSED
from treeproof.tree import Tree
from treeproof.tree.lines import Line

__all__ = ["to_python"]

_MOST_LEVELS = 40
_INDENT = "    "
_MISSING = "value is None or type(value).__name__ == 'NAType' or value != value"


def to_python(tree: Tree, *, name: str = "predict", proba: bool = False) -> str:
    """Return the source of a function that predicts one row.

    Parameters
    ----------
    tree : Tree
        The tree.
    name : str, default="predict"
        The name of the function.
    proba : bool, default=False
        Return a dictionary with the probability of each class instead of the class.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"size": [1, 2, 7, 8], "colour": ["red", "blue", "red", "blue"]}
    >>> clf = OptimalTreeClassifier().fit(X, ["no", "no", "yes", "yes"])
    >>> source = to_python(clf.tree_)
    >>> print(source)
    def predict(row):
        if _predict_misses(row['size']) or float(row['size']) <= 4.5:
            return 'no'
        else:
            return 'yes'
    <BLANKLINE>
    <BLANKLINE>
    def _predict_misses(value):
        return value is None or type(value).__name__ == 'NAType' or value != value
    <BLANKLINE>
    >>> exec(source)
    >>> predict({"size": 7.5, "colour": "green"})
    'yes'
    """
    if not name.isidentifier() or iskeyword(name):
        raise ValueError(f"{name!r} cannot be the name of a Python function.")
    if proba:
        shares = node_shares(tree).tolist()
        keys = labels(tree)
        values: list[Any] = [dict(zip(keys, row, strict=True)) for row in shares]
    else:
        values = node_predictions(tree)
    lines: list[str] = []
    functions = [(0, name)]
    for node, function in functions:
        lines += [f"def {function}(row):"]
        if node == 0:
            lines += list(_check(tree, name))
        lines += _body(tree, node, values, name, functions)
        lines += ["", ""]
    if any(column.date is not None for column in tree.columns):
        tested = [tree.columns[j] for j in tree.feature if j >= 0]
        if any(column.date is not None for column in tested):
            lines += _date_function(name)
    if any(_misses(name) in line for line in lines):
        lines += [f"def {_misses(name)}(value):"]
        lines += [f"{_INDENT}return {_MISSING}", "", ""]
    return "\n".join(lines[:-1])


def _value(column: Column, name: str) -> str:
    """Return the expression of a column's value."""
    if column.date is None:
        return f"row[{column.name!r}]"
    about = column.date
    origin = f", {about.origin!r}" if about.part == "days" else ""
    return f"_{name}_date(row[{about.column!r}], {about.part!r}{origin})"


def _date_function(name: str) -> list[str]:
    """Return a function that makes a number of a date; None for a missing one."""
    return [
        f"def _{name}_date(value, part, origin=None):",
        "    from datetime import date",
        "",
        f"    if {_misses(name)}(value) or str(value) == 'NaT':",
        "        return None",
        "    day = date.fromisoformat(str(value)[:10])",
        "    if part == 'days':",
        "        return (day - date.fromisoformat(origin)).days",
        "    return day.isoweekday() if part == 'weekday' else getattr(day, part)",
        "",
        "",
    ]


def _misses(name: str) -> str:
    return f"_{name}_misses"


def _check(tree: Tree, name: str) -> Iterator[str]:
    """Refuse missing values where ``predict`` does."""
    refused = (tree.kind != LEAF) & (tree.missing == REFUSED)
    tested = sorted(set(tree.feature[refused].tolist()))
    about = [tree.columns[j] for j in tested]
    found = [c.name if c.date is None else c.date.column for c in about]
    names = tuple(dict.fromkeys(found))
    if names:
        yield f"    for column in {names!r}:"
        yield f"        if {_misses(name)}(row[column]):"
        yield '            raise ValueError(f"The value of {column!r} is missing.")'


def _body(
    tree: Tree,
    root: int,
    values: list[Any],
    name: str,
    functions: list[tuple[int, str]],
) -> list[str]:
    """Return the lines of one function; subtrees too deep are added to `functions`."""
    lines = []
    # Either a line that is ready, or a node with the number of levels above it.
    stack: list[tuple[str | int, int]] = [(root, 1)]
    while stack:
        item, level = stack.pop()
        indent = _INDENT * level
        if isinstance(item, str):
            lines.append(indent + item)
        elif tree.kind[item] == LEAF:
            lines.append(f"{indent}return {_said(values[item], name)}")
        elif level > _MOST_LEVELS:
            function = f"_{name}_{item}"
            functions.append((item, function))
            lines.append(f"{indent}return {function}(row)")
        else:
            about = tree.columns[tree.feature[item]]
            parts: list[tuple[str | int, int]] = []
            word = "if"
            there = tree.missing[item] == REFUSED  # whether the value is for sure
            for way in branches(tree, item):
                head = _condition(way, about, name, there)
                there = there or way.missing
                parts.append((f"{word} {head}:" if head else "else:", level))
                parts.append(
                    (
                        f"return {_said(values[item], name)}"
                        if way.stays
                        else way.target,
                        level + 1,
                    )
                )
                word = "elif"
            stack += reversed(parts)
    return lines


def _said(value: Any, name: str) -> str:
    """Return the expression of what a node predicts."""
    if not isinstance(value, Line):
        return repr(value)
    x = f"row[{value.column!r}]"
    line = f"{value.intercept!r} + {value.slope!r} * float({x})"
    return f"{value.otherwise!r} if {_misses(name)}({x}) else {line}"


def _condition(way: Branch, column: Column, name: str, there: bool) -> str:
    """Return the condition of a branch; nothing for "otherwise"."""
    value, condition = _value(column, name), way.condition
    gone = f"{_misses(name)}({value})"
    if isinstance(condition, Otherwise):
        return ""
    if isinstance(condition, AtMost):
        test = f"float({value}) <= {condition.threshold!r}"
    elif isinstance(condition, Among):
        options = [plain(v) for v in condition.values(column)]
        if len(options) > 1:
            test = f"{value} in {{{', '.join(map(repr, options))}}}"
            there = True  # a missing value is not in the set, and that is no error
        else:
            test = f"{value} == {options[0]!r}"
    else:
        return gone if way.missing else "False"
    if way.missing:
        return f"{gone} or {test}"
    return test if there else f"not {gone} and {test}"

"""Trees as Graphviz source, for ``dot -Tpdf`` and everything that reads its language.

An inner node shows the column it tests and the edges show the outcomes; a leaf shows
its prediction, its rows and, for a classification tree, the share of the predicted
class, on the colour of that class.
"""

from __future__ import annotations

import numpy as np

from treeproof.palette import class_colour, mixed, text_on
from treeproof.tree import LEAF, Tree
from treeproof.tree.drawing import (
    action_text,
    mean_text,
    other_rewards,
    outcomes,
)
from treeproof.tree.lines import Line
from treeproof.words import counted, number, percent

__all__ = ["to_dot"]


def to_dot(tree: Tree) -> str:
    r"""Return the tree in Graphviz's language.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> print(to_dot(clf.tree_))
    digraph tree {
      node [shape=box, style="filled,rounded", fontname="Helvetica", fillcolor="#ffffff"];
      edge [fontname="Helvetica", fontsize=11];
      0 [label="x0\n4 rows"];
      1 [label="0\n2 rows, 100%", fillcolor="#59a3cd", fontcolor="#1b1f24"];
      2 [label="1\n2 rows, 100%", fillcolor="#efc159", fontcolor="#1b1f24"];
      0 -> 1 [label="<= 4.5"];
      0 -> 2 [label="> 4.5"];
    }
    """  # noqa: E501
    lines = [
        "digraph tree {",
        '  node [shape=box, style="filled,rounded", fontname="Helvetica", '
        'fillcolor="#ffffff"];',
        '  edge [fontname="Helvetica", fontsize=11];',
    ]
    lines += [f"  {node} [{_node(tree, node)}];" for node in range(tree.node_count)]
    for node in range(tree.node_count):
        if tree.kind[node] == LEAF:
            continue
        name = tree.columns[tree.feature[node]].name
        for child, text in outcomes(tree, node):
            lines.append(
                f"  {node} -> {child} [label={_quoted(text[len(name) + 1 :])}];"
            )
    return "\n".join([*lines, "}"])


def _node(tree: Tree, node: int) -> str:
    samples = int(tree.n_node_samples[node])
    rows = counted(samples, "row")
    if tree.kind[node] != LEAF:
        return f"label={_quoted(tree.columns[tree.feature[node]].name, rows)}"
    value = tree.prediction(node)
    if isinstance(value, Line):
        return f"label={_quoted(str(value), rows)}"
    if tree.actions is None:
        numbers = np.atleast_1d(value)
        return f"label={_quoted(', '.join(map(number, numbers)), rows)}"
    chosen = int(tree.action[node])
    if tree.cost is None:
        by_class = tree.shown_per_class[node]
        share = by_class[chosen] / by_class.sum()
        detail = f"{rows}, {percent(share)}"
    else:
        detail = f"{rows}, {mean_text(tree, node)}"
    fill = mixed(class_colour(chosen), 0.65)
    notes = [f"{name}: {reward}" for name, reward in other_rewards(tree, node)]
    return (
        f"label={_quoted(action_text(value), detail, *notes)}, "
        f'fillcolor="{fill}", fontcolor="{text_on(fill)}"'
    )


def _quoted(*lines: str) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'

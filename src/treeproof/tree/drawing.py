"""Trees as text: plain lines, and the same lines in colour for a terminal.

Each line shows the outcome that leads to a node and, for a leaf, what it predicts, how
many rows it holds and how many of them it gets wrong::

    150 rows
    ├── petal width (cm) <= 0.8: setosa   50 rows (33%), 0 wrong
    └── petal width (cm) > 0.8
        ├── petal width (cm) <= 1.75: versicolor   54 rows (36%), 5 wrong
        └── petal width (cm) > 1.75: virginica   46 rows (31%), 1 wrong
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.text import Text

from treeproof.columns import plain
from treeproof.kinds import ABSENT, BY_CATEGORY, LEAF, OWN, SUBSET, THRESHOLD, YES
from treeproof.tree import Tree
from treeproof.tree.leaf_facts import interval_of, likely
from treeproof.tree.lines import Line
from treeproof.words import count, counted, number, percent

__all__ = ["detail_texts", "draw", "export_text", "other_rewards", "outcome_text",
           "smoothed_text"]  # fmt: skip

_SHOWN_CATEGORIES = 8
_SHOWN_TREATMENTS = 6
# Readable on dark and light backgrounds, and told apart by colour-blind readers.
_CLASS_STYLES = ("bold blue", "bold yellow", "bold magenta", "bold cyan", "bold green")


@dataclass
class _Line:
    """One node: the lines of the tree, the outcome that leads here, the leaf's text."""

    prefix: str
    condition: str
    verdict: str
    detail: str
    class_code: int


def export_text(tree: Tree, *, details: bool = False, smoothing: float = 0.0) -> str:
    """Return the tree as plain text, one node per line; see `Tree.export_text`.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> print(export_text(clf.tree_))
    4 rows
    ├── x0 <= 4.5: 0   2 rows (50%), 0 wrong
    └── x0 > 4.5: 1   2 rows (50%), 0 wrong
    """
    return "\n".join(_plain(line) for line in _lines(tree, details, smoothing))


def _plain(line: _Line) -> str:
    text = line.prefix + line.condition
    if line.verdict:
        text += (": " if line.condition else "") + line.verdict
    return text + ("   " if line.condition or line.verdict else "") + line.detail \
        if line.detail else text  # fmt: skip


def draw(tree: Tree, *, details: bool = False) -> Text:
    """Return the tree as coloured text for a rich console."""
    text = Text()
    for line in _lines(tree, details):
        if len(text):
            text.append("\n")
        text.append(line.prefix, style="dim")
        text.append(line.condition)
        if line.verdict:
            text.append(": " if line.condition else "")
            style = _CLASS_STYLES[line.class_code % len(_CLASS_STYLES)]
            text.append(line.verdict, style=style)
        if line.detail:
            gap = "   " if line.condition or line.verdict else ""
            text.append(gap + line.detail, style="dim")
    return text


def _lines(tree: Tree, details: bool, smoothing: float = 0.0) -> Iterator[_Line]:
    stack: list[tuple[int, str, str, str]] = [(0, "", "", "")]
    while stack:
        node, prefix, child_prefix, condition = stack.pop()
        leaf = tree.kind[node] == LEAF
        yield _Line(
            prefix,
            condition,
            _verdict(tree, node) if leaf else "",
            _detail(tree, node, details, smoothing)
            if leaf
            else (_rows(tree, 0) if node == 0 else ""),
            max(0, int(tree.action[node])),
        )
        children = outcomes(tree, node)
        for k, (child, text) in reversed(list(enumerate(children))):
            last = k == len(children) - 1
            stack.append(
                (
                    child,
                    child_prefix + ("└── " if last else "├── "),
                    child_prefix + ("    " if last else "│   "),
                    text,
                )
            )


def outcomes(tree: Tree, node: int) -> list[tuple[int, str]]:
    """Return the children of a node, each with the outcome that leads to it."""
    if tree.kind[node] == LEAF:
        return []
    if tree.kind[node] in BY_CATEGORY:
        return [
            (child, outcome_text(tree, node, codes))
            for child, codes in tree.outcome_groups(node)
        ]
    slots = tree.slots(node)
    return [
        (child, outcome_text(tree, node, [outcome]))
        for child, outcome in zip(
            tree.children[slots].tolist(),
            tree.child_outcome[slots].tolist(),
            strict=True,
        )
    ]


def outcome_text(tree: Tree, node: int, outcome: list[int]) -> str:
    """Return the outcome of a node's test in words, such as ``x3 = red``.

    The direction of missing values is shown only if there can be some.
    """
    column = tree.columns[tree.feature[node]]
    if tree.kind[node] in BY_CATEGORY:
        return _category_text(tree, node, outcome)
    (which,) = outcome
    if tree.kind[node] == ABSENT:
        return f"{column.name} is {'missing' if which == YES else 'not missing'}"
    if which == OWN:
        return f"{column.name} is missing"
    if tree.kind[node] == THRESHOLD:
        sign = "<=" if which == YES else ">"
        text = f"{column.name} {sign} {number(tree.threshold[node])}"
    else:
        sign = "=" if which == YES else "!="
        text = f"{column.name} {sign} {column.text(int(tree.category[node]))}"
    told = tree.meets_missing[node] and which == tree.missing[node]
    return text + (" or missing" if told else "")


def _category_text(tree: Tree, node: int, codes: list[int]) -> str:
    column = tree.columns[tree.feature[node]]
    known = [code for code in codes if code != column.missing_code]
    if not known:
        return f"{column.name} is missing"
    end = " or missing" if len(known) < len(codes) else ""
    cut = order_cut(tree, node, known)
    if cut is not None:
        sign, code = cut
        return f"{column.name} {sign} {column.text(code)}{end}"
    names = [column.text(code) for code in known]
    if len(names) == 1:
        return f"{column.name} = {names[0]}{end}"
    if len(names) > _SHOWN_CATEGORIES:
        hidden = len(names) - _SHOWN_CATEGORIES + 1
        names = [*names[: _SHOWN_CATEGORIES - 1], f"and {hidden} more"]
    return f"{column.name} in {{{', '.join(names)}}}{end}"


def order_cut(tree: Tree, node: int, codes: list[int]) -> tuple[str, int] | None:
    """Return a part of ordered categories as a comparison: "<=" or ">", and a code."""
    column = tree.columns[tree.feature[node]]
    if not column.ordered or tree.kind[node] != SUBSET or not codes:
        return None
    if codes == list(range(len(codes))):
        return "<=", codes[-1]
    return ">", codes[0] - 1


def _verdict(tree: Tree, node: int) -> str:
    prediction = tree.prediction(node)
    if tree.actions is not None:
        return action_text(prediction)
    if isinstance(prediction, Line):
        return str(prediction)
    if isinstance(prediction, np.ndarray):
        return "[" + ", ".join(number(v) for v in prediction) + "]"
    return ("risk " if tree.measure == "risk" else "") + number(prediction)


def _rows(tree: Tree, node: int) -> str:
    samples, weight = tree.n_node_samples[node], tree.weighted_n_node_samples[node]
    text = counted(int(samples), "row")
    if samples == weight or not tree.rows_differ_in_weight:
        return text
    return f"{text}, weight {count(weight)}"


def _detail(tree: Tree, node: int, details: bool, smoothing: float) -> str:
    by_weight = tree.rows_differ_in_weight
    if by_weight or tree.rows_per_class is None:
        share = tree.weighted_n_node_samples[node] / tree.weighted_n_node_samples[0]
    else:
        share = tree.n_node_samples[node] / tree.n_node_samples[0]
    text = f"{_rows(tree, node)} ({percent(share)})"
    if details:
        return ", ".join([text, *detail_texts(tree, node, smoothing)])
    end = smoothed_text(tree, node, smoothing)
    if tree.actions is None:
        return text
    if tree.cost is not None:
        others = ", ".join(f"{n}: {v}" for n, v in other_rewards(tree, node))
        text = f"{text}, {mean_text(tree, node)}" + (f" ({others})" if others else "")
        return text + end
    if tree.predicts_probabilities:
        return f"{text}, probability {likely(tree, node, smoothing):.3g}"
    by_class = tree.shown_per_class[node]
    wrong = count(by_class.sum() - by_class[tree.action[node]])
    return f"{text}, {f'weight {wrong}' if by_weight else wrong} wrong{end}"


def smoothed_text(tree: Tree, node: int, smoothing: float) -> str:
    """Return the smoothed probability of a leaf's class as the end of its text."""
    share = likely(tree, node, smoothing) if smoothing else None
    return "" if share is None else f", probability {share:.3g}"


def detail_texts(tree: Tree, node: int, smoothing: float = 0.0) -> list[str]:
    """Return what else can be said about a leaf: rows per class, an interval.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1]] * 9 + [[2]] * 8, [0] * 8 + [1] * 9)
    >>> detail_texts(clf.tree_, 1)
    ['0: 8, 1: 1', '89% (57% to 98%)']
    """
    texts = []
    counts = tree.rows_per_class
    if counts is not None and tree.classes is not None:
        by_size = np.argsort(-counts[node], kind="stable")
        there = [k for k in by_size if counts[node, k]]
        few = len(there) <= _SHOWN_CATEGORIES
        most = sorted(there if few else there[: _SHOWN_CATEGORIES - 1])
        shown = [f"{plain(tree.classes[k])}: {counts[node, k]:,}" for k in most]
        if len(most) < len(there):
            shown.append(f"and {len(there) - len(most)} more classes")
        texts.append(", ".join(shown))
    interval = interval_of(tree, node)
    if interval is not None:
        low, high = interval
        if counts is None:
            texts.append(f"mean between {number(low, 5)} and {number(high, 5)}")
        else:
            share = counts[node, tree.action[node]] / tree.n_node_samples[node]
            texts.append(f"{percent(share)} ({low:.0%} to {high:.0%})")
    if smoothing:
        texts += [t[2:] for t in [smoothed_text(tree, node, smoothing)] if t]
    if tree.cost is not None:
        texts.append(mean_text(tree, node))
    return texts


def action_text(prediction: Any) -> str:
    """Return the prediction of a leaf in words; None means that it abstains."""
    return "abstain" if prediction is None else str(plain(prediction))


def mean_text(tree: Tree, node: int) -> str:
    """Return the mean cost or reward of the rows of a node in words."""
    assert tree.cost is not None
    cost = float(tree.cost[node])
    if tree.measure == "reward":
        return f"mean reward {number(-cost if cost else 0.0)}"
    return f"mean cost {number(cost)}"


def other_rewards(tree: Tree, node: int) -> list[tuple[str, str]]:
    """Return the treatments that a node does not choose, with their mean rewards.

    The best of them only, if there are many; nothing if the tree is no policy.
    """
    if tree.measure != "reward" or tree.actions is None:
        return []
    rewards = tree.value[node]
    others = [k for k in range(len(rewards)) if k != tree.action[node]]
    best = sorted(others, key=lambda k: -rewards[k])[: _SHOWN_TREATMENTS - 1]
    return [(action_text(tree.actions[k]), number(rewards[k], 4)) for k in sorted(best)]

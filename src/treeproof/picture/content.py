"""The texts of nodes and edges in a picture, and the room that they take.

Widths are those of DejaVu Sans, matplotlib's own font, and of Verdana, which has the
same metrics; a few classes of characters are precise enough to lay boxes out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from treeproof.export.branches import AtMost, Branch, Nothing, Otherwise, branches
from treeproof.palette import INK, class_colour, mixed, text_on
from treeproof.tree import EQUALS, LEAF, Tree
from treeproof.tree.drawing import (
    action_text,
    detail_texts,
    mean_text,
    order_cut,
    other_rewards,
    smoothed_text,
)
from treeproof.tree.leaf_facts import likely
from treeproof.tree.lines import Line
from treeproof.words import counted, number, percent

__all__ = ["NodeContent", "edge_lines", "node_content", "shortened", "text_width"]

_NAME_LENGTH = 28
_LINE_OF_LEAF = 32  # the most characters in the line of a leaf
_LINE_LENGTH = 22
_EDGE_LINES = 3
_NARROW = set("iljtfrI.,:;'|!()[]{} ")
_WIDE = set("mwMW@%—")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the approximate width of a text, in points.

    Examples
    --------
    >>> text_width("will", 10) < text_width("wall", 10) < text_width("wall", 10, True)
    True
    """
    total = 0.0
    for letter in text:
        if letter in _NARROW:
            total += 0.36
        elif letter in _WIDE:
            total += 0.95
        elif letter.isdigit():
            total += 0.64
        elif ord(letter) > 0x2E80:  # Chinese, Japanese, Korean
            total += 1.0
        else:
            total += 0.70 if letter.isupper() else 0.62
    return total * size * (1.1 if bold else 1.0)


def shortened(text: str, length: int = _NAME_LENGTH) -> str:
    """Return a text of at most this many letters, on one line.

    Examples
    --------
    >>> shortened("a very long name", 8)
    'a very…'
    """
    text = " ".join(text.split()) or "(empty)"
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


@dataclass
class NodeContent:
    """The texts and colours of one node.

    Attributes
    ----------
    title : str
        The tested column, or the prediction.
    detail : str
        Rows and, for a leaf of a classification tree, the share of its class.
    fill, ink : str
        Colours of the box and of the title on it.
    bar : list of (float, str)
        Shares of the classes with their colours; empty for regression, and where all
        rows have one class.
    notes : list of str
        Further lines: the mean rewards of the treatments that a leaf does not choose.
    """

    title: str
    detail: str
    fill: str
    ink: str
    bar: list[tuple[float, str]]
    notes: list[str] = field(default_factory=list)


def node_content(
    tree: Tree, details: bool = False, smoothing: float = 0.0
) -> list[NodeContent]:
    """Return the content of every node; with `details`, leaves show more lines.

    With `smoothing`, the shares of the classes that leaves predict are smoothed.
    """
    leaves = tree.kind == LEAF
    low, high = (
        (0.0, 0.0)
        if tree.actions is not None
        else (tree.value[leaves, 0].min(), tree.value[leaves, 0].max())
    )
    if smoothing:
        likely(tree, 0, smoothing)  # refuses trees without classes
    result = []
    by_class_of = tree.shown_per_class
    for node in range(tree.node_count):
        rows = counted(int(tree.n_node_samples[node]), "row")
        bar = _bar(tree, node)
        if not leaves[node]:
            column = tree.columns[tree.feature[node]]
            result.append(
                NodeContent(shortened(column.name), rows, "#ffffff", INK, bar)
            )
            continue
        if tree.actions is None:
            place = 0.5 if high == low else (tree.value[node, 0] - low) / (high - low)
            fill = mixed(class_colour(0), 0.12 + 0.78 * float(place))
            title = ", ".join(number(v, 4) for v in tree.value[node])
            title = f"risk {title}" if tree.measure == "risk" else title
            if isinstance(tree.prediction(node), Line):
                title = shortened(str(tree.prediction(node)), _LINE_OF_LEAF)
            detail = rows
        else:
            chosen = int(tree.action[node])
            title = shortened(action_text(tree.actions[chosen]))
            if tree.cost is None:
                by_class = by_class_of[node]
                share = by_class[chosen] / by_class.sum()
                if smoothing:
                    share = likely(tree, node, smoothing) or 0.0
                strength = 2 * max(share, 0.5) - 1
                detail = f"{rows}, {percent(share)}"
            else:
                end = smoothed_text(tree, node, smoothing)
                strength, detail = 0.6, f"{rows}, {mean_text(tree, node)}{end}"
            fill = mixed(class_colour(chosen), 0.35 + 0.5 * strength)
        notes = [f"{shortened(n)}: {value}" for n, value in other_rewards(tree, node)]
        if details:
            notes = detail_texts(tree, node)
        result.append(NodeContent(title, detail, fill, text_on(fill), bar, notes))
    return result


def _bar(tree: Tree, node: int) -> list[tuple[float, str]]:
    if tree.classes is None:
        return []
    shares = tree.value[node] / tree.value[node].sum()
    bar = [(float(s), class_colour(k)) for k, s in enumerate(shares) if s > 0]
    return bar if len(bar) > 1 else []


def edge_lines(
    tree: Tree, node: int, units: Mapping[str, str]
) -> list[tuple[int, list[str]]]:
    """Return the children of a node, each with the lines of its edge."""
    result: list[tuple[int, list[str]]] = []
    before: list[str] = []
    for way in branches(tree, node):
        column = tree.columns[tree.feature[node]]
        unit = f" {units[column.name]}" if column.name in units else ""
        lines, opposite = _condition_lines(tree, node, way, unit)
        before = opposite or before
        lines = lines or before
        if way.missing and tree.meets_missing[node] and lines != ["missing"]:
            lines = [*lines, "or missing"]
        if not way.stays:
            result.append((way.target, lines))
    return sorted(result)


def _condition_lines(
    tree: Tree, node: int, way: Branch, unit: str
) -> tuple[list[str], list[str]]:
    """Return the lines of a condition and of its opposite; none for "otherwise"."""
    column = tree.columns[tree.feature[node]]
    condition = way.condition
    if isinstance(condition, AtMost):
        limit = f"{number(condition.threshold)}{unit}"
        return [f"≤ {limit}"], [f"> {limit}"]
    if isinstance(condition, Nothing):
        return ["missing"], ["not missing"]
    if isinstance(condition, Otherwise):
        return [], []
    cut = order_cut(tree, node, list(condition.codes))
    if cut is not None:
        sign = "≤" if cut[0] == "<=" else ">"
        return [f"{sign} {shortened(column.text(cut[1]), _LINE_LENGTH)}{unit}"], []
    names = [column.text(code) for code in condition.codes]
    sign = "= " if tree.kind[node] == EQUALS else ""
    lines = _wrapped([sign + names[0], *names[1:]], unit)
    return lines, [f"≠ {shortened(names[0], _LINE_LENGTH)}{unit}"]


def _wrapped(names: list[str], unit: str) -> list[str]:
    """Write names on a few lines, with the number of names that are left out."""
    names = [shortened(name, _LINE_LENGTH) + unit for name in names]
    lines: list[str] = []
    for k, name in enumerate(names):
        comma = "," if k < len(names) - 1 else ""
        if lines and len(lines[-1]) + len(name) + 2 <= _LINE_LENGTH:
            lines[-1] += f" {name}{comma}"
        elif len(lines) < _EDGE_LINES:
            lines.append(name + comma)
        else:
            lines[-1] = f"{lines[-1].rstrip(',')} +{len(names) - k}"
            break
    return lines

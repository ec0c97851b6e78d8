"""A scene as SVG, and the HTML that notebooks show for a fitted estimator.

All names and labels are escaped, and characters that XML cannot hold are replaced; the
picture contains no scripts and refers to nothing outside itself.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from treeproof.palette import MUTED
from treeproof.picture.scene import SMALL, Scene

__all__ = ["badge", "estimator_html", "readable", "to_svg"]

# Control characters, halves of surrogate pairs, and two that are no characters.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LEAST = 12.0  # pixels of words that are read on a screen
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
_FONT = "Verdana, 'DejaVu Sans', sans-serif"


def to_svg(scene: Scene) -> str:
    """Return a scene as an SVG element."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(scene.width)}" '
        f'height="{_n(scene.height)}" viewBox="0 0 {_n(scene.width)} '
        f'{_n(scene.height)}" font-family="{_FONT}" role="img">',
        f'<rect width="{_n(scene.width)}" height="{_n(scene.height)}" fill="#ffffff"/>',
    ]
    for line in scene.lines:
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in line.points)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{MUTED}" '
            f'stroke-width="{_n(line.width)}"/>'
        )
    for box in scene.boxes:
        edge = "" if box.edge is None else f' stroke="{box.edge}" stroke-width="0.8"'
        rounded = f' rx="{_n(box.radius)}"' if box.radius else ""
        node = "" if box.node is None else f' data-node="{box.node}"'
        label = f' aria-label="{_text(box.label)}"' if box.label else ""
        parts.append(
            f'<rect x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(box.width)}" '
            f'height="{_n(box.height)}" fill="{box.fill}"{edge}{rounded}{node}{label}/>'
        )
    for words in scene.words:
        weight = ' font-weight="bold"' if words.bold else ""
        parts.append(
            f'<text x="{_n(words.x)}" y="{_n(words.y)}" dy="0.36em" '
            f'font-size="{_n(words.size)}" fill="{words.colour}" '
            f'text-anchor="{words.anchor}"{weight}>{_text(words.text)}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def readable(svg: str, label: str | None = None) -> str:
    """Return a picture of a tree enlarged until its smallest words are 12 pixels high.

    Pictures are drawn for paper, with words of the sizes 8 and 10.

    Parameters
    ----------
    svg : str
        As `to_svg` returns it.
    label : str or None
        What a screen reader says about it.

    Examples
    --------
    >>> readable('<svg width="100" height="50.5" viewBox="0 0 100 50.5"></svg>', "Tree")
    '<svg aria-label="Tree" width="150" height="75.75" viewBox="0 0 100 50.5"></svg>'
    """
    factor = _LEAST / SMALL

    def enlarged(found: re.Match[str]) -> str:
        width, height = (_n(float(size) * factor) for size in found.groups())
        return f'width="{width}" height="{height}"'

    svg = _SIZE.sub(enlarged, svg, count=1)
    if label is None:
        return svg
    return svg.replace("<svg", f'<svg aria-label="{escape(label)}"', 1)


def _text(words: str) -> str:
    """Return a text without the characters that XML does not allow."""
    return escape(_NOT_IN_XML.sub("\ufffd", words))


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def badge(model: Any) -> str:
    """Return the certificate of an estimator as a coloured line of HTML."""
    colour, word = ("#00664a", "proved optimal")
    if not model.optimal_:
        colour, word = "#8a4b00", f"not proved: {model.status_.replace('_', ' ')}"
        if model.proved_depth_ >= 1:
            word = f"proved for depth {model.proved_depth_:.0f}"
    bounds = f"{model._wording().named(model.objective_)}. {model.certificate()}"
    return (
        f'<span style="background:{colour};color:#fff;border-radius:10px;padding:2px '
        f'10px;font-weight:bold">{escape(word)}</span> <span>{escape(bounds)}</span>'
    )


def estimator_html(model: Any, svg: str) -> str:
    """Return name, badge and picture of a fitted estimator."""
    tree = model.tree_
    about = (
        f"{escape(type(model).__name__)}: {tree.n_splits} splits, {tree.n_leaves} "
        f"leaves, depth {tree.depth}"
    )
    style = (
        "font-family:Verdana,'DejaVu Sans',sans-serif;font-size:12px;background:#fff;"
        "color:#1b1f24;padding:6px"
    )
    return (
        f'<div style="{style}"><div style="margin-bottom:6px">{badge(model)}</div>'
        f'<div style="margin-bottom:4px">{about}</div>'
        f'<div style="overflow:auto;max-height:70vh">{svg}</div></div>'
    )

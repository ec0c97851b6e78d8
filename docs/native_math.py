"""Formulas as MathML, which browsers draw by themselves: no script is fetched."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert


def _inline(writer, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _display(writer, node: nodes.math_block) -> None:
    writer.body.append(
        f'<div class="formula">{convert(node.astext(), display="block")}</div>\n'
    )
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    """Register the two writers with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True}

"""What keeps words on the page at least 12 pixels high.

Pictures of trees are drawn for paper, with words of the sizes 8 and 10. On the screen
they are enlarged, and the box around them scrolls where they are wider than it.
"""

from __future__ import annotations

import re
from html import escape

from treeproof.picture.scene import SMALL

__all__ = ["CHART_FONT", "readable"]

# Charts are drawn on a canvas, which falls back to 10 pixels for the font "inherit".
CHART_FONT = "Roboto, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"

_LEAST = 12.0  # pixels
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def readable(svg: str, label: str) -> str:
    """Return a picture of a tree enlarged until its smallest words can be read.

    Parameters
    ----------
    svg : str
        As `to_svg` returns it.
    label : str
        What a screen reader says about it.

    Examples
    --------
    >>> readable('<svg width="100" height="50.5" viewBox="0 0 100 50.5"></svg>', "Tree")
    '<svg aria-label="Tree" width="150" height="75.75" viewBox="0 0 100 50.5"></svg>'
    """
    factor = _LEAST / SMALL

    def enlarged(found: re.Match[str]) -> str:
        width, height = (f"{float(size) * factor:g}" for size in found.groups())
        return f'width="{width}" height="{height}"'

    svg = _SIZE.sub(enlarged, svg, count=1)
    return svg.replace("<svg", f'<svg aria-label="{escape(label)}"', 1)

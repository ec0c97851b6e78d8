"""The font of charts, whose words would be 10 pixels high without one.

Charts are drawn on a canvas, which ignores the font "inherit" and takes its own.
"""

from __future__ import annotations

__all__ = ["CHART_FONT"]

CHART_FONT = "Roboto, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"

"""A report on one table: one HTML file that needs no server and no network."""

from __future__ import annotations

from treeproof.report.findings import Findings, investigate
from treeproof.report.page import to_html

__all__ = ["Findings", "investigate", "to_html"]

"""Tables and figures of the papers, computed again, with theirs beside ours.

``treeproof reproduce NAME`` does it on the command line. To add a target, write a
`Target` in a module of this package, in its ``TARGETS``, and name the module here.
"""

from __future__ import annotations

from importlib import import_module

from treeproof.reproduce.report import as_json, markdown, write_csv
from treeproof.reproduce.run import Outcome, run
from treeproof.reproduce.store import Store
from treeproof.reproduce.target import Column, Request, Row, Target

__all__ = [
    "TARGETS",
    "Column",
    "Outcome",
    "Request",
    "Row",
    "Store",
    "Target",
    "as_json",
    "markdown",
    "run",
    "write_csv",
]

_MODULES = (
    "complexity_bounds",
    "sparse_trees",
    "fronts",
    "drawn_trees",
    "depth_limits",
    "online_trees",
    "pruning",
    "search_spaces",
    "numeric_trees",
    "heuristics",
)

TARGETS: dict[str, Target] = {
    target.name: target
    for module in _MODULES
    for target in import_module(f"treeproof.reproduce.{module}").TARGETS
}
"""Every target by its name."""

"""Figures printed in He and Little, "Proper decision trees"."""

from __future__ import annotations

from treeproof.reproduce.figures.reading import Printed

__all__ = ["FIGURE_10", "SOURCE"]

SOURCE = "He, Little, Proper decision trees"

FIGURE_10: Printed = {
    ("3", "search trees"): {"trees": "5"},
    ("3", "MurTree model"): {"trees": "27"},
    ("3", "binary features"): {"trees": "30"},
    ("5", "MurTree model"): {"trees": "2830"},
    ("5", "binary features"): {"trees": "5040"},
}
"""Numbers of trees by number of rules (Figure 10 and Section 6.2)."""

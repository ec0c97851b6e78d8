"""Optimal decision trees with a proof that no better tree exists."""

__version__ = "0.1.0"

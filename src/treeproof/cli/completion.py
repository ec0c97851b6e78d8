"""Completions for the shell: columns of the file, and the choices of an option."""

from __future__ import annotations

from typing import Any

__all__ = ["charges", "columns", "dialects", "solvers", "split_kinds"]


def columns(ctx: Any, incomplete: str) -> list[str]:
    """Return the columns of DATA that begin with the word; a list A,B is continued."""
    from treeproof.cli.tables import column_names

    data = ctx.params.get("data")
    try:
        names = column_names(data) if data else []
    except Exception:  # an error would disturb the shell that asked for completions
        return []
    head, comma, last = incomplete.rpartition(",")
    return [f"{head}{comma}{name}" for name in names if name.startswith(last)]


def solvers(incomplete: str) -> list[str]:
    """Return the solvers that begin with the word."""
    from treeproof.solving.solvers import REGRESSION_SOLVERS, SOLVERS

    names = dict.fromkeys(["auto", *SOLVERS, *REGRESSION_SOLVERS])
    return [name for name in names if name.startswith(incomplete)]


def charges(incomplete: str) -> list[str]:
    """Return the values of --penalize that begin with the word."""
    return [n for n in ("leaves", "splits") if n.startswith(incomplete)]


def split_kinds(incomplete: str) -> list[str]:
    """Return the kinds of categorical splits that begin with the word."""
    kinds = ("auto", "either", "multiway", "one-vs-rest", "subset")
    return [n for n in kinds if n.startswith(incomplete)]


def missing_modes(incomplete: str) -> list[str]:
    """Return the treatments of missing values that begin with the word."""
    return [n for n in ("best-side", "branch", "error") if n.startswith(incomplete)]


def dialects(incomplete: str) -> list[str]:
    """Return the SQL dialects that begin with the word."""
    try:
        from treeproof.export.sql import dialect_names

        return [name for name in dialect_names() if name.startswith(incomplete)]
    except ImportError:
        return []

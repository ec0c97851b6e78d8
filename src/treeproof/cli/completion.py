"""What the shell offers when Tab is pressed: columns of the file, names of choices."""

from __future__ import annotations

from typing import Any

__all__ = ["charges", "columns", "dialects", "solvers", "split_kinds"]


def columns(ctx: Any, incomplete: str) -> list[str]:
    """Return the columns of DATA that begin as the word does; A,B lists go on."""
    from treeproof.cli.tables import column_names

    data = ctx.params.get("data")
    try:
        names = column_names(data) if data else []
    except Exception:  # a shell that waits for Tab must see no error
        return []
    head, comma, last = incomplete.rpartition(",")
    return [f"{head}{comma}{name}" for name in names if name.startswith(last)]


def solvers(incomplete: str) -> list[str]:
    """Return the solvers that begin as the word does."""
    from treeproof.solving.solvers import REGRESSION_SOLVERS, SOLVERS

    names = dict.fromkeys(["auto", *SOLVERS, *REGRESSION_SOLVERS])
    return [name for name in names if name.startswith(incomplete)]


def charges(incomplete: str) -> list[str]:
    """Return what a penalty may be for that begins as the word does."""
    return [n for n in ("leaves", "splits") if n.startswith(incomplete)]


def split_kinds(incomplete: str) -> list[str]:
    """Return the ways to split categories that begin as the word does."""
    kinds = ("auto", "either", "multiway", "one-vs-rest", "subset")
    return [n for n in kinds if n.startswith(incomplete)]


def missing_modes(incomplete: str) -> list[str]:
    """Return the ways to treat missing values that begin as the word does."""
    return [n for n in ("best-side", "branch", "error") if n.startswith(incomplete)]


def dialects(incomplete: str) -> list[str]:
    """Return the dialects of SQL that begin as the word does."""
    try:
        from treeproof.export.sql import dialect_names

        return [name for name in dialect_names() if name.startswith(incomplete)]
    except ImportError:
        return []

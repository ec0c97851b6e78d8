"""Optional packages: imported when needed, with one sentence if they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["need", "new_axes"]


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional package.

    Parameters
    ----------
    module : str
        What to import.
    extra : str
        The extra of treeproof that installs it.
    purpose : str
        What needs it, as the beginning of a sentence.

    Examples
    --------
    >>> need("no_such_package", "plot", "plot()")
    Traceback (most recent call last):
    ...
    ImportError: plot() needs no_such_package, which is not installed: pip install 'treeproof[plot]'.
    """  # noqa: E501
    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        if error.name is not None and error.name.split(".")[0] != package:
            raise
        raise ImportError(
            f"{purpose} needs {package}, which is not installed: pip install "
            f"'treeproof[{extra}]'.",
            name=package,
        ) from None


def new_axes(purpose: str, height: float = 3.6, width: float = 6.0) -> Any:
    """Return the axes of a new matplotlib figure, whose size is given in inches."""
    pyplot = need("matplotlib.pyplot", "plot", purpose)
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]

"""Saving and loading fitted models.

A model file is the JSON document of `treeproof.export.json`: it carries the tree and
its certificate, not the training data, and loading it runs no code, whoever wrote it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from treeproof.export.json import from_document, parse, to_json

__all__ = ["load", "save"]


def save(model: Any, path: str | Path, *, target: str | None = None) -> None:
    """Write a fitted model to a file, completely or not at all.

    Parameters
    ----------
    model : estimator
        A fitted estimator of treeproof.
    path : str or Path
        Where to write.
    target : str or None, default=None
        The name of the predicted column, to be remembered.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.persistence import load, save
    >>> model = OptimalTreeClassifier().fit([[0], [1]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.json"))
    ...     load(os.path.join(folder, "model.json")).predict([[1]])
    array(['yes'], dtype='<U3')
    """
    write_whole(path, to_json(model, target=target, indent=1).encode())


def load(path: str | Path) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    estimator
        The fitted model.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeRegressor
    >>> from treeproof.persistence import load, save
    >>> model = OptimalTreeRegressor().fit([[0], [1]], [1.5, 2.5])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.json"))
    ...     load(os.path.join(folder, "model.json")).predict([[1]])
    array([2.5])
    """
    return load_with_target(path)[0]


def load_with_target(path: str | Path) -> tuple[Any, str | None]:
    """Read a model and the name of the column it predicts."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    try:
        return from_document(parse(path.read_bytes()))
    except ValueError as error:
        raise ValueError(
            f"{str(path)!r} is not a model saved by treeproof: {error}"
        ) from None


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file through a temporary one, so that it is never half written."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        # Not tempfile: its files are for the owner only, whatever the umask says.
        with open(temporary, "xb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

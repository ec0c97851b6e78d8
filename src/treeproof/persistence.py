"""Saving and loading fitted models.

A model file is a joblib pickle of a small dictionary around the estimator; it carries
the tree, not the training data. As with every pickle, load only files you trust.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import joblib

__all__ = ["load", "save"]

_KIND = "treeproof model"
_FORMAT = 1


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
    ...     save(model, os.path.join(folder, "model"))
    ...     load(os.path.join(folder, "model")).predict([[1]])
    array(['yes'], dtype='<U3')
    """
    from treeproof import __version__

    path = Path(path)
    content = {
        "kind": _KIND,
        "format": _FORMAT,
        "version": __version__,
        "target": target,
        "model": model,
    }
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            joblib.dump(content, file)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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
    """
    return load_with_target(path)[0]


def load_with_target(path: str | Path) -> tuple[Any, str | None]:
    """Read a model and the name of the column it predicts."""
    from treeproof import __version__

    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    try:
        content = joblib.load(path)
    except Exception as error:
        raise ValueError(
            f"{str(path)!r} is not a model saved by treeproof: {error}"
        ) from error
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise ValueError(f"{str(path)!r} is not a model saved by treeproof.")
    if content["format"] != _FORMAT:
        raise ValueError(
            f"{str(path)!r} was saved by treeproof {content['version']} in a format "
            f"that version {__version__} does not read. Fit the model again."
        )
    return content["model"], content["target"]

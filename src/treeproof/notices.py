"""Warnings that point at the user's own line, however deep they arise.

A fixed ``stacklevel`` is right for one way of calling only: `fit` may be called
directly, by a subclass, by an estimator that cross-validates, or by a pipeline of
scikit-learn. The first frame outside of these packages is the line to look at.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings

__all__ = ["warn_user"]

_OWN = os.path.dirname(__file__) + os.sep


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that is shown with the line of the user's program.

    Parameters
    ----------
    message : str
        What to say.
    category : type
        The class of the warning.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("The search stopped.")
    >>> caught[0].message
    UserWarning('The search stopped.')
    >>> caught[0].filename == __file__
    False
    """
    warnings.warn(message, category, stacklevel=_level())


def _level() -> int:
    """Return how far up the caller of the package is, as `warnings.warn` counts.

    Inside a worker there is no such caller; then it is the first frame that does not
    belong to treeproof.
    """
    between = _between()
    frame = sys._getframe(1)  # warn_user
    level, first = 0, 0
    while frame is not None:
        level += 1
        file = frame.f_code.co_filename
        if not file.startswith(_OWN):
            first = first or level
            if not file.startswith(between):
                return level
        frame = frame.f_back  # type: ignore[assignment]
    return first or level


def _between() -> tuple[str, ...]:
    """Return where files are that may stand between a user and treeproof."""
    names = ("sklearn", "joblib")
    modules = [sys.modules[name] for name in names if name in sys.modules]
    folders = [os.path.dirname(m.__file__ or "") + os.sep for m in modules]
    return (*folders, contextlib.__file__, "<frozen ")

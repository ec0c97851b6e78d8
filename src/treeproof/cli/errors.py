"""Bad input becomes one sentence on standard error and exit status 2."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treeproof.cli.option_names import in_options

__all__ = ["BAD_INPUT", "INTERRUPTED", "one_sentence"]

BAD_INPUT = 2
INTERRUPTED = 130


@contextmanager
def one_sentence() -> Iterator[None]:
    """Print errors that the user can fix as one line, without a traceback.

    Warnings are printed as one line as well, without the place in the code.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            yield
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        text = " ".join(str(error).split()) or type(error).__name__
        print(f"treeproof: {in_options(text)}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _note(message: Warning | str, *place: Any, **more: Any) -> None:
    text = " ".join(str(message).split())
    print(f"treeproof: note: {in_options(text)}", file=sys.stderr)

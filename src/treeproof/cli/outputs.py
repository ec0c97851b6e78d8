"""The files that ``fit`` and ``export`` write: pictures, SQL, ONNX, Python, DOT.

The options are checked before the search begins, so that nobody waits for a tree that
cannot be written afterwards.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["Outputs", "check_folder", "say_proved", "say_written"]

_PICTURES = ("eps", "jpeg", "jpg", "pdf", "png", "ps", "svg", "tif", "tiff", "webp")


@dataclass
class Outputs:
    """Names of the files to write; None for those that were not requested."""

    plot: str | None = None
    bounds: str | None = None
    sql: str | None = None
    onnx: str | None = None
    python: str | None = None
    dot: str | None = None
    sql_dialect: str = "duckdb"
    sql_table: str | None = None

    def check(self) -> None:
        """Raise an error for missing packages, missing folders and unknown formats."""
        for option, module, extra in (
            ("plot", "matplotlib", "plot"),
            ("bounds", "matplotlib", "plot"),
            ("sql", "sqlglot", "export"),
            ("onnx", "onnx", "export"),
        ):
            if getattr(self, option) is not None and find_spec(module) is None:
                raise ImportError(
                    f"--{option} needs {module}, which is not installed: pip install "
                    f"'treeproof[{extra}]'."
                )
        for path in (self.plot, self.bounds):
            if path is not None and path.rsplit(".", 1)[-1].lower() not in _PICTURES:
                raise ValueError(
                    f"{path!r} does not end in a format for pictures; use one of "
                    f"{', '.join(_PICTURES)}."
                )
        if self.sql is not None:
            from treeproof.export.sql import known_dialect

            known_dialect(self.sql_dialect)
        for path in (self.plot, self.bounds, self.sql, self.onnx, self.python,
                     self.dot):  # fmt: skip
            check_folder(path)

    def write(self, model: Any, *, table: str) -> list[str]:
        """Write all requested files and return their names."""
        from treeproof.persistence import write_whole
        from treeproof.picture.figure import save_bounds, save_scene

        if self.plot is not None:
            save_scene(model.picture_scene(), self.plot)
        if self.bounds is not None:
            save_bounds(model.history_, self.bounds)
        if self.sql is not None:
            text = model.to_sql(self.sql_dialect, table=self.sql_table or table)
            write_whole(self.sql, f"{text}\n".encode())
        if self.onnx is not None:
            write_whole(self.onnx, model.to_onnx().SerializeToString())
        if self.python is not None:
            write_whole(self.python, model.to_python().encode())
        if self.dot is not None:
            write_whole(self.dot, f"{model.to_dot()}\n".encode())
        names = (self.plot, self.bounds, self.sql, self.onnx, self.python, self.dot)
        return [name for name in names if name is not None]


def say_written(*names: str | None) -> None:
    """Say which files were written, on standard error; None for none."""
    for name in names:
        if name is not None:
            print(f"wrote {name}", file=sys.stderr)


def say_proved(name: str, model: Any) -> None:
    """Say that the proof of a fit was written, and what it proves."""
    from treeproof.solving.proof_words import proof_in_words

    print(f"wrote {name}: {proof_in_words(model)}", file=sys.stderr)


def check_folder(path: str | None) -> None:
    """Raise an error if the folder of a file does not exist."""
    if path is None:
        return
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(folder)!r} to write {Path(path).name!r} in."
        )
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path!r} is a folder; give the name of a file.")

"""The files that can be downloaded for a fitted tree, each as a name and bytes."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treeproof.explorer.fitting import Fitted, estimator, fit

__all__ = ["DOWNLOADS", "Download", "make_download"]


@dataclass(frozen=True)
class Download:
    """One kind of file: its title, a line about it, its ending, and how it is made."""

    title: str
    about: str
    ending: str
    make: Callable[[Fitted], bytes]


def _json(fitted: Fitted) -> bytes:
    return fitted.model.to_json(target=fitted.question.target, indent=1).encode()


def _proof(fitted: Fitted) -> bytes:
    with tempfile.TemporaryDirectory(prefix="treeproof-") as folder:
        path = Path(folder) / "tree.proof.gz"
        fit(fitted.table, fitted.question, proof=path)
        return path.read_bytes()


def _svg(fitted: Fitted) -> bytes:
    return fitted.model.to_svg().encode()


def _png(fitted: Fitted) -> bytes:
    from treeproof.picture.figure import save_scene

    with tempfile.TemporaryDirectory(prefix="treeproof-") as folder:
        path = Path(folder) / "tree.png"
        save_scene(fitted.model.picture_scene(), str(path))
        return path.read_bytes()


def _sql(fitted: Fitted) -> bytes:
    return f"{fitted.model.to_sql(table=fitted.table.stem)}\n".encode()


def _python(fitted: Fitted) -> bytes:
    return fitted.model.to_python().encode()


def _rules(fitted: Fitted) -> bytes:
    lines = io.StringIO()
    for rule in fitted.model.to_rules():
        print(rule, file=lines)
    return lines.getvalue().encode()


def _report(fitted: Fitted) -> bytes:
    from treeproof.report import investigate, to_html

    question, table = fitted.question, fitted.table
    found = investigate(
        estimator(question),
        table.take(question.columns),
        table.columns[question.target],
        title=table.name,
        target=question.target,
    )
    return to_html(found).encode()


DOWNLOADS: dict[str, Download] = {
    "report": Download(
        "Report",
        "one HTML page: certificate, tree, scores on held-out rows, importance",
        ".html",
        _report,
    ),
    "model": Download(
        "Model", "JSON, for treeproof predict and export", ".json", _json
    ),
    "proof": Download(
        "Proof", "for treeproof check; the search is run once more", ".proof.gz", _proof
    ),
    "svg": Download("Picture", "SVG, for pages and papers", ".svg", _svg),
    "png": Download("Picture", "PNG", ".png", _png),
    "sql": Download("SQL", "a SELECT statement that predicts", ".sql", _sql),
    "python": Download("Python", "a function that needs no libraries", ".py", _python),
    "rules": Download("Rules", "if-then sentences", ".txt", _rules),
}
"""Name of each kind of file."""


def make_download(fitted: Fitted, kind: str) -> tuple[str, bytes]:
    """Return the name and the content of a file.

    Examples
    --------
    >>> from treeproof.explorer.fitting import fit
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("iris")
    >>> name, content = make_download(fit(table, first_question(table)), "svg")
    >>> name, content[:4]
    ('iris.svg', b'<svg')
    """
    if kind not in DOWNLOADS:
        raise ValueError(
            f"There is no file {kind!r}; the files are {', '.join(DOWNLOADS)}."
        )
    download = DOWNLOADS[kind]
    return fitted.table.stem + download.ending, download.make(fitted)

"""Runs the command line inside the process of a test."""

from typing import Any

from typer.testing import CliRunner

from treeproof.cli import app


def run(*arguments: object) -> Any:
    """Return the result of a command; exceptions inside it are raised."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result

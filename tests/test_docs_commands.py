"""Commands shown in the README and the documentation run as they are written."""

import csv
import gzip
import io
import re
import shlex
from pathlib import Path

import pytest
from test_docs import DOCS, PAGES, ROOT, names
from typer.testing import CliRunner

from treeproof.cli import app

BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)^```", re.MULTILINE)
PROMPTED = re.compile(r"^(?:\$ )?(treeproof .*?|make [a-z-]+)\s*(?:#.*)?$")
LONG = {"explore", "bench", "reproduce"}  # run for long, or until stopped
COMMANDS = [
    (page, match[1])
    for page in [ROOT / "README.md", *PAGES]
    for language, block in BLOCK.findall(page.read_text())
    if language in ("", "sh")
    for line in block.replace("\\\n", " ").splitlines()
    if (match := PROMPTED.match(line))
]
SHOWN = list(dict.fromkeys(page for page, _ in COMMANDS))


def runner():
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"})


def write_table(path, target):
    """Write rows with the columns that commands name, for a file that is not there."""
    rows = [["doors", "colour", "size", target]]
    for i in range(24):
        rows.append([i % 3, ["red", "blue"][i % 2], i / 4, ["no", "yes"][i % 5 == 0]])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    data = text.getvalue().encode()
    Path(path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)


def test_there_are_commands():
    assert len(COMMANDS) > 15
    assert (DOCS / "start" / "index.md") in SHOWN


@pytest.mark.parametrize("page", SHOWN, ids=names)
def test_commands_of_a_page_run(page, tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    target = "y"
    for command in [c for p, c in COMMANDS if p == page and c.startswith("treeproof")]:
        _, name, *words = shlex.split(command)
        if name in LONG:
            continue
        if "--target" in words:
            target = words[words.index("--target") + 1]
        for word in words:
            table = re.search(r"\.csv(\.gz)?$", word)
            if table and not Path(word).exists():
                write_table(word, target)
        result = runner().invoke(app, [name, *words])
        assert result.exit_code == 0, f"{command}\n{result.output}"


@pytest.mark.parametrize(("page", "command"), COMMANDS, ids=lambda x: str(x)[-60:])
def test_options_of_a_command_exist(page, command):
    if command.startswith("make "):
        target = command.split()[1]
        makefile = (ROOT / "Makefile").read_text()
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
        return
    _, name, *words = shlex.split(command)
    shown = runner().invoke(app, [name, "--help"])
    assert shown.exit_code == 0
    for word in words:
        if word.startswith("--"):
            assert word in shown.output, f"{page.name}: {command}"

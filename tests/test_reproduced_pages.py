"""The pages of docs/reproduced agree with the rows stored beside them."""

import importlib
import importlib.util
import tomllib
from pathlib import Path

import pytest

from treeproof.reproduce import TARGETS
from treeproof.reproduce.data import Absent

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "docs" / "reproduced"
PLAN = tomllib.loads((PLACE / "plan.toml").read_text())


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "reproduced_pages.py"
    spec = importlib.util.spec_from_file_location("reproduced_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_plan_names_every_target():
    assert set(PLAN["targets"]) == set(TARGETS)


def test_pages_are_those_of_the_rows(tool, tmp_path, monkeypatch):
    def missing(target, name, case, request):
        raise Absent("there is no row, and nothing is measured in a test")

    running = importlib.import_module("treeproof.reproduce.run")
    monkeypatch.setattr(running, "_measured", missing)
    tool.main(["--place", str(tmp_path), "--no-pictures"])
    written = sorted(path.name for path in tmp_path.glob("*.md"))
    assert written == sorted(path.name for path in PLACE.glob("*.md"))
    for name in written:
        assert (tmp_path / name).read_text() == (PLACE / name).read_text(), (
            f"docs/reproduced/{name} is not what `make reproduce` writes"
        )


@pytest.mark.parametrize("name", TARGETS)
def test_pictures_are_there_and_small(name):
    if TARGETS[name].plot is not None:
        assert 2_000 < (PLACE / f"{name}.png").stat().st_size < 150_000


def test_a_difference_without_a_reason_is_refused(tool):
    settings = dict(PLAN["targets"]["thesis-4.2"])
    outcome = tool.measure("thesis-4.2", settings, None, fresh=False)
    del settings["differs"]
    with pytest.raises(SystemExit, match=r"thesis-4\.2: \d+ figures differ"):
        tool.page(outcome, settings, "a machine")

"""The documentation tells the truth: its code runs, its links lead somewhere."""

import contextlib
import doctest
import io
import os
import re
import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not {"generated", "gallery"} & set(page.relative_to(DOCS).parts)
)
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))


def names(path):
    return str(path.relative_to(ROOT))


@pytest.fixture(autouse=True)
def quiet_place(tmp_path, monkeypatch):
    """Work in an empty folder, and draw nothing on a screen."""
    monkeypatch.chdir(tmp_path)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_code_of_a_page_runs(page):
    blocks = re.findall(
        r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL
    )
    space = {"__name__": "docs"}
    for block in blocks:
        try:
            run_block(block, space, page.name)
        except ModuleNotFoundError as error:
            pytest.skip(f"needs {error.name}")


def run_block(block, space, name):
    if block.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block, space, name, name, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        report = io.StringIO()
        runner.run(test, out=report.write, clear_globs=False)
        space.update(test.globs)
        assert runner.failures == 0, report.getvalue()
    else:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, name, "exec"), space)


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_of_a_page_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", text):
        if target.startswith(("http://", "https://", "#")):
            continue
        place = page.parent / target.split("#")[0]
        generated = "gallery" in place.parts or "api" in place.parts
        assert generated or place.exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_files_that_a_page_names_exist(page):
    named = re.findall(
        r"`((?:cpp|src|tests|tools|examples|docs)/[\w./*-]+)`", page.read_text()
    )
    for path in named:
        found = [*ROOT.glob(path.rstrip("/")), *ROOT.glob(path + ".*")]
        assert found, f"{page.name} speaks of {path}"


def test_a_page_at_the_top_is_listed_in_the_guide():
    """The guide lists all of them by a pattern that leaves out names with i."""
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or not page.name.startswith("i"), page.name


def test_every_target_of_reproduce_is_in_the_docs():
    from treeproof.reproduce import TARGETS

    text = (DOCS / "about" / "reproduce.md").read_text()
    for name, target in TARGETS.items():
        assert f"| `{name}` | {target.title} |" in text


def test_the_gallery_is_large_enough_and_each_page_asks_a_question():
    assert len(GALLERY) >= 15
    for script in GALLERY:
        title = script.read_text().splitlines()[1]
        assert "?" in title, f"{script.name}: {title}"


@pytest.mark.parametrize("script", GALLERY, ids=names)
def test_a_gallery_script_runs(script):
    if "stream" in script.name or "production" in script.name:
        pytest.importorskip("sqlglot" if "production" in script.name else "river")
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(os.fspath(script), run_name="__main__")

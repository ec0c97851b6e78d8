"""Clears what earlier builds of the site left behind: pages of what is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_ALWAYS = {"genindex", "py-modindex", "search"}


def clear_gallery(folder: Path, examples: Path) -> list[Path]:
    """Delete what the gallery made of examples that are gone; return those files."""
    there = {example.stem for example in examples.glob("plot_*.py")}
    made = [path for path in folder.rglob("*plot_*") if path.is_file()]
    old = [path for path in made if not any(stem in path.name for stem in there)]
    for path in old:
        path.unlink()
    return old


def clear_pages(app: Any, error: Exception | None) -> None:
    """Delete the pages of the built site that have no source any more."""
    if error is not None or app.builder.name != "html":
        return
    modules = getattr(app.env, "_viewcode_modules", {})
    wanted = set(app.env.found_docs) | _ALWAYS | {"_modules/index"}
    wanted |= {"_modules/" + module.replace(".", "/") for module in modules}
    site = Path(app.outdir)
    for page in site.rglob("*.html"):
        place = page.relative_to(site)
        if (
            place.parts[0] != "_static"
            and place.with_suffix("").as_posix() not in wanted
        ):
            page.unlink()

"""Writes the pages of the API reference: one for each public module of treeproof.

Every package below treeproof is public except those in `INTERNAL`; single modules are
public if they are in `MODULES`. A new package therefore appears by itself.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import treeproof

MODULES = ("collapse", "complexity", "observers", "persistence", "tao", "tree")
INTERNAL = {
    "bench", "border", "cli", "cluster", "explorer", "picture", "reproduce", "sources",
}  # fmt: skip


def public_modules() -> list[str]:
    """Return the names of all modules that have pages."""
    names = ["treeproof"]
    for found in pkgutil.iter_modules(treeproof.__path__):
        wanted = found.ispkg and found.name not in INTERNAL
        if (wanted or found.name in MODULES) and public_names(
            f"treeproof.{found.name}"
        ):
            names.append(f"treeproof.{found.name}")
    return names


def public_names(module: str) -> dict[str, object]:
    """Return what a module offers, by name."""
    found = import_module(module)
    names = [n for n in getattr(found, "__all__", []) if not n.startswith("_")]
    return {name: getattr(found, name) for name in names}


def write_api_pages(folder: Path) -> list[str]:
    """Write an index and a page for each module; return the files of the latter."""
    modules = public_modules()
    lines = ["API reference", "=============", ""]
    lines += ["Every public name, each with an example that runs.", ""]
    for module in modules:
        about = (import_module(module).__doc__ or "").strip().splitlines()[0]
        lines.append(f"- :doc:`{module}`: {about}")
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {module}" for module in modules]
    _write(folder / "index.rst", lines)
    names = {
        f"{module}.{name}"
        for module in modules
        for name, thing in public_names(module).items()
        if _has_page(thing)
    }
    for old in folder.rglob("treeproof*.rst"):  # what is public no more
        if old.stem not in {*modules, *names}:
            old.unlink()
    shown: set[int] = set()  # what a module above has a page for already
    for module in modules:
        head = [module, "=" * len(module), "", f".. automodule:: {module}", ""]
        head += [f".. currentmodule:: {module}", ""]
        table = [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        objects = public_names(module)
        paged = {n: found for n, found in objects.items() if _has_page(found)}
        table += [f"   {n}" for n, found in paged.items() if id(found) not in shown]
        for name in sorted(objects.keys() - paged.keys()):
            head += _constant(module, name, objects[name])
        shown |= {id(found) for found in paged.values()}
        _write(folder / f"{module}.rst", head + table)
    return [str(folder / f"{module}.rst") for module in modules]


def _has_page(thing: object) -> bool:
    """Say whether something is a class or function; constants stand on one page."""
    return inspect.isclass(thing) or inspect.isroutine(thing)


def _constant(module: str, name: str, value: object) -> list[str]:
    """Describe a constant by the string below it, wherever in the package it stands."""
    from sphinx.pycode import ModuleAnalyzer

    lines = ["", f".. py:data:: {name}"]
    if isinstance(value, int):
        lines.append(f"   :value: {value}")
    for place in sorted(m for m in sys.modules if f"{m}.".startswith(f"{module}.")):
        described = ModuleAnalyzer.for_module(place).find_attr_docs().get(("", name))
        if described:
            return [*lines, "", *(f"   {line}" for line in described), ""]
    return [*lines, ""]


def _write(path: Path, lines: list[str]) -> None:
    """Write a file, unless it says the same already, so that nothing is rebuilt."""
    text = "\n".join(lines) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)

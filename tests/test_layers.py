"""The architecture is a test: who may know whom, and what the engine must never do."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CPP = ROOT / "cpp"
SOURCES = sorted(
    p for p in CPP.rglob("*") if p.suffix in {".cpp", ".hpp", ".inl"} and p.is_file()
)

# Lower layers first; a file may include its own layer and those before it.
LAYERS = [
    "core",
    "data",
    "tree",
    "loss",
    "bounds",
    "search",
    "stream",
    "proof",
    "bindings",
    "tests",
]


def layer(path: str) -> int:
    return LAYERS.index(path.split("/")[0])


def includes(source: Path) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', source.read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: str(p.relative_to(CPP)))
def test_includes_point_downwards(source):
    own = source.relative_to(CPP).as_posix()
    for header in includes(source):
        assert (CPP / header).exists(), f"{own} includes {header}, which does not exist"
        assert layer(header) <= layer(own), f"{own} must not include {header}"


def test_search_engines_do_not_know_each_other():
    """Only the portfolio, which runs them in turns, knows them all."""
    for source in SOURCES:
        own = source.relative_to(CPP).parts
        if own[0] != "search" or len(own) < 3 or own[1] == "portfolio":
            continue
        for header in includes(source):
            parts = header.split("/")
            if parts[0] == "search" and len(parts) > 2:
                assert parts[1] == own[1], f"{'/'.join(own)} includes {header}"


FORBIDDEN = {
    r"(?<![\w.:])(exit|abort|quick_exit)\s*\(": "a library never ends the process",
    r"std::c(out|err|log)\b|(?<!\w)f?printf\s*\(": "a library never prints",
    r"^\s*using namespace(?! nb::literals)": "names come with their namespace",
    r"\bnew\s+\w+\s*\[|\bmalloc\s*\(|\bfree\s*\(": "memory is owned by containers",
}


@pytest.mark.parametrize("pattern", sorted(FORBIDDEN))
def test_the_engine_never(pattern):
    for source in SOURCES:
        if source.is_relative_to(CPP / "tests"):
            continue
        code = re.sub(r"//.*", "", source.read_text())
        found = re.search(pattern, code, flags=re.MULTILINE)
        assert found is None, f"{source}: {found[0]!r}: {FORBIDDEN[pattern]}"


def test_files_stay_readable():
    for source in [*SOURCES, *(ROOT / "src").rglob("*.py")]:
        lines = len(source.read_text().splitlines())
        assert lines <= 600, f"{source} has {lines} lines: one idea per file"


def test_python_border_knows_no_estimator():
    for module in (ROOT / "src/treeproof/border").glob("*.py"):
        imports = re.findall(r"from treeproof\.(\w+)", module.read_text())
        known = {"border", "columns", "kinds", "limits"}
        assert set(imports) <= known, f"{module} imports {imports}"

"""The layers of the engine: which files include which, and what is forbidden."""

import ast
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


CODE = [
    *SOURCES,
    *(p for p in CPP.rglob("*.inc")),
    *(p for p in (ROOT / "tools").rglob("*") if p.suffix in {".cpp", ".hpp", ".py"}),
    *(
        p
        for part in ("src", "tests", "benchmarks")
        for p in (ROOT / part).rglob("*.py")
    ),
]
MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 60


def test_files_stay_readable():
    for source in CODE:
        lines = len(source.read_text().splitlines())
        assert lines <= MOST_LINES_OF_A_FILE, (
            f"{source} has {lines} lines: one idea per file"
        )


def python_functions(text: str):
    """Yield each function: its name, the lines of its body, and its docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            first = body[0].lineno if body else node.end_lineno
            yield node.name, node.end_lineno - first + 1, ast.get_docstring(node) or ""


def cpp_functions(text: str):
    """Yield each function of a formatted source: its first line, lines, first comment.

    A function begins at the level of the file or of a class; its body begins with the
    brace that ends its signature, and ends with a brace at the level of the signature.
    """
    lines = text.splitlines()
    types = r"\s*(template|namespace|struct|class|enum|union|for|switch)\b"
    for k, line in enumerate(lines):
        begins = re.match(r"( {0,2})[\w~:]", line)
        if begins is None or re.match(types, line):
            continue
        first = next((j for j in range(k, len(lines)) if lines[j][-1:] in "{;}"), k)
        if not lines[first].endswith("{") or "= {" in lines[first]:
            continue
        closed = (
            j for j in range(first, len(lines)) if lines[j].startswith(begins[1] + "}")
        )
        end = next(closed, first)  # a lambda, whose brace is closed elsewhere
        yield line.strip(), end - first - 1, lines[first + 1].strip()


@pytest.mark.parametrize("source", CODE, ids=lambda p: str(p.relative_to(ROOT)))
def test_functions_stay_readable(source):
    """Longer functions say in the first line of their body why they are long."""
    functions = python_functions if source.suffix == ".py" else cpp_functions
    for name, lines, first in functions(source.read_text()):
        excused = first.startswith("// Long: ") or "Long: " in first
        assert lines <= MOST_LINES_OF_A_FUNCTION or excused, (
            f"{source}: {name} has {lines} lines; divide it, or say why it is long"
        )


def test_python_border_knows_no_estimator():
    for module in (ROOT / "src/treeproof/border").glob("*.py"):
        imports = re.findall(r"from treeproof\.(\w+)", module.read_text())
        known = {
            "border",
            "columns",
            "date_parts",
            "kinds",
            "limits",
            "notices",
            "words",
        }
        assert set(imports) <= known, f"{module} imports {imports}"

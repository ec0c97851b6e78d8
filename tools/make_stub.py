"""Write src/treeproof/_core.pyi, the types of the native module, from the module.

Usage: python tools/make_stub.py [FILE]

`make stubs` runs this; tests/test_stub.py says when it is needed. The dictionaries that
engines return are given their types (`treeproof.solving.answer`), and the types of
arrays get short names.
"""

import re
import subprocess
import sys
from pathlib import Path

ANSWERS = {
    "PathSearch.solve", "climb_labels", "climb_targets", "quant_labels",
    "quant_targets", "solve", "solve_path_labels", "solve_path_targets",
    "solve_targets", "solve_threshold",
}  # fmt: skip
TREES = {"NearCounts.tree"}
ARRAYS = {"int32": "Ints", "int64": "Wides", "float64": "Doubles"}
VECTOR = "Annotated[NDArray[numpy.{}], dict(shape=(None,), order='C', device='cpu', writable=False)]"  # noqa: E501
IMPORTS = """from treeproof.solving.answer import Answer
from treeproof.tree.split_table import SplitTable
"""


def with_types(text: str) -> str:
    """Return the stub with the types of answers and short names of arrays."""
    for dtype, name in ARRAYS.items():
        text = text.replace(VECTOR.format(dtype), name)
    lines, owner = [], ""
    for line in text.splitlines():
        opened = re.match(r"(\s*)(class|def) (\w+)", line)
        if opened and opened[2] == "class":
            owner = opened[3] + "."
        elif opened:
            name = opened[3] if not opened[1] else owner + opened[3]
            kind = "Answer" if name in ANSWERS else "SplitTable"
            if name in ANSWERS | TREES:
                line = line.replace("-> dict:", f"-> {kind}:")
        lines.append(line.rstrip())
    text = "\n".join(lines)
    aliases = "".join(f"{n} = {VECTOR.format(d)}\n" for d, n in ARRAYS.items())
    after = "from numpy.typing import NDArray\n"
    return text.replace(after, f"{after}\n{IMPORTS}\n{aliases}", 1)


target = Path(sys.argv[1] if len(sys.argv) > 1 else "src/treeproof/_core.pyi")
subprocess.run(
    [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "treeproof._core",
     "-o", str(target)],
    check=True,
)  # fmt: skip
head = ["# ruff: noqa", "# fmt: off", "# Written by `make stubs`; do not edit."]
written = with_types(target.read_text().rstrip())
target.write_text("\n".join([*head, written]) + "\n")

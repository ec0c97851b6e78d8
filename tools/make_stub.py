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

# What functions return, where nanobind only knows that it is a Python object.
RETURNS = {
    name: kind
    for kind, names in {
        "Answer": "PathSearch.solve SharedMemo.solve climb_labels climb_targets "
        "quant_labels quant_targets solve solve_path_labels solve_path_targets "
        "solve_targets solve_threshold",
        "DerivedSteps": "SolvedLabels.derive SolvedTargets.derive",
        "HeaviestBox": "heaviest_box",
        "PriceAxes": "price_axes",
        "RowPrices": "prices",
        "RulesAnswer": "solve_rules",
        "ShallowPrices": "shallow_prices",
        "SplitTable": "NearCounts.tree NearListing.tree",
        "tuple[SplitTable, list[int]]": "NearFrontier.tree",
        "tuple[SplitTable, NDArray[numpy.int32]]": "NearSumCounts.tree",
        "tuple[int, int, SplitTable] | str | None": "NearSet.least_asking "
        "NearSet.least_sum NearSet.reliance",
        "tuple[int, int, int] | str | None": "NearSumCounts.least_asking "
        "NearSumCounts.reliance",
        "list[tuple[int, int]] | str": "NearSumCounts.functions",
        "list[int] | str": "NearSet.answers",
        "list[list[int]]": "NearFrontier.points",
        "list[int]": "NearCounts.total NearListing.costs NearSearch.groups "
        "NearSumCounts.number",
        "list[tuple[int, list[int]]]": "NearCounts.by_cost",
        "NDArray[numpy.int64]": "NearSumCounts.entries",
        "NDArray[numpy.int32]": "RuleStore.find_sides StreamModel.find_rows "
        "StreamModel.labels_of StreamModel.predict_rows whole_weights",
        "NDArray[numpy.uint8]": "RuleStore.side StreamModel.codes_of",
        "NDArray[numpy.float64]": "StreamModel.numbers_in",
        "tuple[int, int, bool]": "trim_proof",
        "dict[str, str]": "faults switches",
        "list[str]": "kernels",
        # values of the caller's tables, which may have any type
        "Any": "StreamModel.predict_one",
        "list[Any]": "StreamModel.categories StreamModel.classes StreamModel.names",
        "list[float]": "StreamModel.class_weights_one",
        "NodeTable": "StreamModel.tree",
        "dict[str, float]": "StreamModel.statistics",
        "tuple[Any, ...]": "StreamModel.save",
    }.items()
    for name in names.split()
}
ARRAYS = {"int32": "Ints", "int64": "Wides", "float64": "Doubles"}
VECTOR = "Annotated[NDArray[numpy.{}], dict(shape=(None,), order='C', device='cpu', writable=False)]"  # noqa: E501
IMPORTS = """from treeproof.solving.answer import (
    Answer, DerivedSteps, HeaviestBox, PriceAxes, RowPrices, RulesAnswer, ShallowPrices,
)
from treeproof.stream.node_table import NodeTable
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
            if name in RETURNS:
                line = re.sub(r"-> \w+:", f"-> {RETURNS[name]}:", line)
        lines.append(line.rstrip())
    text = "\n".join(lines)
    aliases = "".join(f"{n} = {VECTOR.format(d)}\n" for d, n in ARRAYS.items())
    after = "from numpy.typing import NDArray\n"
    text = text.replace("import Annotated", "import Annotated, Any")
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

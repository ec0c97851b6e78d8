"""Write src/treeproof/_core.pyi, the types of the native module, from the module.

Usage: python tools/make_stub.py [FILE]

`make stubs` runs this; tests/test_stub.py says when it is needed.
"""

import subprocess
import sys
from pathlib import Path

target = Path(sys.argv[1] if len(sys.argv) > 1 else "src/treeproof/_core.pyi")
subprocess.run(
    [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "treeproof._core",
     "-o", str(target)],
    check=True,
)  # fmt: skip
lines = target.read_text().rstrip().splitlines()
head = ["# ruff: noqa", "# fmt: off", "# Written by `make stubs`; do not edit."]
target.write_text("\n".join([*head, *(line.rstrip() for line in lines)]) + "\n")

"""Run pytest on the package in another folder, not on the one installed for editing.

Usage: python tools/run_sanitized.py FOLDER [pytest arguments]

`make sanitize` and `make test-checked` install copies whose engine has sanitizers or
assertions built in. The editable
installation in the environment comes first wherever Python looks for modules, so its
finder is taken out before anything is imported.
"""

import sys
from pathlib import Path

folder = str(Path(sys.argv[1]).resolve())
sys.meta_path = [
    finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__
]
sys.path.insert(0, folder)

import treeproof._core

if not treeproof._core.__file__.startswith(folder):
    sys.exit(f"treeproof was found in {treeproof._core.__file__}, not in {folder}")

import pytest

sys.exit(pytest.main(sys.argv[2:]))

"""Starts the worker under any interpreter: the file to run, not to import.

Another solver may live in an environment of its own, without treeproof. This file
makes a package of the folder it lies in and runs the worker in it, so that nothing
else of treeproof is imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

_NAME = "treeproof_bench"


def main() -> None:
    """Run the worker."""
    folder = Path(__file__).resolve().parent
    # The folder of a script is on the path; its modules must not shadow others.
    sys.path[:] = [
        place for place in sys.path if Path(place or ".").resolve() != folder
    ]
    spec = importlib.util.spec_from_file_location(
        _NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = package
    spec.loader.exec_module(package)
    importlib.import_module(f"{_NAME}.worker").main()


if __name__ == "__main__":
    main()

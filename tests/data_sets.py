"""Data sets that are not part of the repository; tests without them are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def data_folder() -> Path:
    """Return the folder that TREEPROOF_DATA names, or the usual one."""
    usual = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("TREEPROOF_DATA") or usual)


def data_file(folder: str, name: str) -> Path:
    """Return a file of the data folder, or skip the calling test where it is absent."""
    path = data_folder() / folder / name
    if not path.exists():
        pytest.skip(f"{name} is not there; set TREEPROOF_DATA to the data folder")
    return path

"""Dates in a table that is not read into memory are refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from treeproof import OptimalTreeClassifier


def test_a_file_with_dates_is_refused(tmp_path: Path):
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file = tmp_path / "table.csv"
    rows = [f"2024-{1 + i % 12:02d}-01,{i},{i % 2}" for i in range(40)]
    file.write_text("\n".join(["when,x,y", *rows]))
    with pytest.raises(TypeError, match="Column 'when' holds dates or times"):
        OptimalTreeClassifier().fit(file, "y")

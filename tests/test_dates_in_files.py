"""Dates in files: refused in files that are only counted; time zones are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier
from treeproof.cli import app


def test_a_file_with_dates_is_refused(tmp_path: Path):
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file = tmp_path / "table.csv"
    rows = [f"2024-{1 + i % 12:02d}-01,{i},{i % 2}" for i in range(40)]
    file.write_text("\n".join(["when,x,y", *rows]))
    with pytest.raises(TypeError, match="Column 'when' holds dates or times"):
        OptimalTreeClassifier().fit(file, "y")


@pytest.mark.parametrize("zone", ["Z", "+02:00", "-0500", " UTC"])
def test_times_with_a_zone_are_dates_on_the_command_line(tmp_path: Path, zone: str):
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file = tmp_path / "table.csv"
    rows = [
        f"2024-{1 + i % 12:02d}-{1 + i % 27:02d}T23:30:0{i % 9}{zone},{i},"
        f"{'late' if i % 12 > 6 else 'early'}"
        for i in range(120)
    ]
    rows[5] = f"NA,5,{rows[5].split(',')[2]}"
    file.write_text("\n".join(["when,x,y", *rows]))
    with pytest.warns(UserWarning, match=r"read as missing in: 'when' \(1\)"):
        run = CliRunner().invoke(app, ["fit", str(file), "--target", "y", "--quiet"])
    assert run.exit_code == 0, run.output
    # The date as it is written counts: half past eleven is no new day.
    assert "days of when since 2024-01-01 <= 206" in run.output


def test_text_that_only_begins_like_a_time_stays_text(tmp_path: Path):
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file = tmp_path / "table.csv"
    rows = [f"2024-01-01T10:00:00Z{'ab'[i % 2]},{i % 2}" for i in range(60)]
    file.write_text("\n".join(["when,y", *rows]))
    run = CliRunner().invoke(app, ["fit", str(file), "--target", "y", "--quiet"])
    assert run.exit_code == 0, run.output
    assert "when = 2024-01-01T10:00:00Za" in run.output

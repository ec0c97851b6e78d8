"""Dates in files: refused in files that are only counted; time zones are read."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize("layout", ["{1:02d}/{2:02d}/{0}", "{2:02d}-{1:02d}-{0}"])
def test_days_and_months_are_not_guessed(tmp_path: Path, layout: str):
    """Dates such as 03/04/2024 stay text; the note has a query that reads them."""
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file = tmp_path / "table.csv"
    days = [(2022 + i % 3, 1 + i % 12, 1 + i % 11) for i in range(120)]
    rows = [f"{layout.format(*day)},{i % 2},{day[1] > 6}" for i, day in enumerate(days)]
    file.write_text("\n".join(["when,x,y", *rows]))
    fit = ["--target", "y", "--quiet", "--max-depth", "1"]
    with pytest.warns(
        UserWarning, match="Column 'when' is left out.*otherwise"
    ) as said:
        assert CliRunner().invoke(app, ["fit", str(file), *fit]).exit_code == 0
    note = next(str(one.message) for one in said if "left out" in str(one.message))
    query = re.search(r'the query "(.*?)(?<!\\)"', note)[1].replace("\\", "")
    run = CliRunner().invoke(app, ["fit", query, *fit])
    assert run.exit_code == 0 and "month of when <= 6: False" in run.output


def test_a_model_does_not_read_dates_in_two_ways(tmp_path: Path):
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file, model = tmp_path / "table.csv", str(tmp_path / "model.json")
    days = [(2024, 1 + i % 12, 1 + i % 11) for i in range(60)]
    head = "when,y\n"
    rows = "".join(f"{y}-{m:02d}-{d:02d},{m > 6}\n" for y, m, d in days)
    file.write_text(head + rows)
    run = ["fit", str(file), "--target", "y", "--save", model, "--quiet"]
    assert CliRunner().invoke(app, run).exit_code == 0
    file.write_text(head + "".join(f"{m:02d}/{d:02d}/{y},0\n" for y, m, d in days))
    refused = CliRunner().invoke(app, ["predict", model, str(file)])
    assert refused.exit_code and "convert it" in str(refused.exception)
    file.write_text(head + "".join(f"{d:02d}.{m:02d}.{y},0\n" for y, m, d in days))
    told = CliRunner().invoke(app, ["predict", model, str(file)])
    assert told.output.split()[1:] == [str(m > 6) for _, m, _ in days]


def test_text_that_only_begins_like_a_time_stays_text(tmp_path: Path):
    pytest.importorskip("duckdb", reason="files are read by DuckDB, an extra")
    file = tmp_path / "table.csv"
    rows = [f"2024-01-01T10:00:00Z{'ab'[i % 2]},{i % 2}" for i in range(60)]
    file.write_text("\n".join(["when,y", *rows]))
    run = CliRunner().invoke(app, ["fit", str(file), "--target", "y", "--quiet"])
    assert run.exit_code == 0, run.output
    assert "when = 2024-01-01T10:00:00Za" in run.output

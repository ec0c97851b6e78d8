"""Cells such as "NA" and "?" in columns of numbers, from files and from Python."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from command_line import run

from treeproof import OptimalTreeClassifier
from treeproof.cli import tables
from treeproof.cli.errors import one_sentence
from treeproof.proof import check

MARKS = ["NA", "N/A", "?", "", "null", " - "]


@pytest.fixture
def spoilt(tmp_path):
    """A column of numbers with all marks, one of dates, one of text with "NA"."""
    path = tmp_path / "spoilt.csv"
    lines = ["age,seen,kind,size,y"]
    for i in range(60):
        age = MARKS[i % len(MARKS)] if i % 5 == 0 else str(i % 17)
        seen = "NA" if i % 7 == 0 else f"2020-01-{1 + i % 28:02d}"
        kind = ["NA", "big", "small"][i % 3]
        size = "-999" if i % 6 == 0 else str(i % 4)
        lines.append(f"{age},{seen},{kind},{size},{'ab'[i % 17 > 8]}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(params=["duckdb", "plain", "large"])
def reader(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(tables, "find_spec", lambda name: None)
    else:
        pytest.importorskip("duckdb", reason="DuckDB is not installed")
    if request.param == "large":
        monkeypatch.setattr(tables, "LARGE_FILE", 0)
    return request.param


def fitted(*arguments):
    options = (
        "--target", "y", "--drop", "seen", "--json", "--quiet", "--max-depth", "2",
    )  # fmt: skip
    found = run("fit", *arguments, *options)
    columns = json.loads(found.stdout)["tree"]["columns"]
    return {column["name"]: column for column in columns}


def test_usual_marks_are_missing_in_columns_of_numbers(spoilt, reader):
    with pytest.warns(UserWarning, match=r"read as missing in: 'age' \(\d+\)"):
        columns = fitted(spoilt)
    assert "categories" not in columns["age"] and columns["age"]["has_missing"]
    assert columns["kind"]["categories"] == ["NA", "big", "small"]
    assert "has_missing" not in columns["size"]


def test_named_marks_are_missing_in_all_columns(spoilt, reader):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns = fitted(spoilt, "--na", "NA,N/A,?,null,-,-999", "--keep", "kind")
    assert "categories" not in columns["age"] and columns["age"]["has_missing"]
    assert columns["kind"]["categories"] == ["big", "small"]
    assert columns["kind"]["has_missing"] and columns["size"]["has_missing"]


def test_no_marks_at_all(spoilt, reader):
    columns = fitted(spoilt, "--na", "")
    assert "NA" in columns["age"]["categories"]


def test_dates_with_marks_are_dates(spoilt):
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    table = tables.read_table(str(spoilt))
    assert "timestamp" in str(table["seen"].type)
    assert table["seen"].null_count == 9


def test_predict_and_check_read_alike(spoilt, tmp_path):
    model, proof = tmp_path / "m.json", tmp_path / "p.gz"
    options = ("--target", "y", "--drop", "seen", "--quiet", "--max-depth", "1")
    run("fit", spoilt, *options, "--save", model, "--proof", proof)
    assert run("check", proof, spoilt, *options[:4]).exit_code == 0
    predicted = run("predict", model, spoilt).stdout.splitlines()
    assert len(predicted) == 61
    with pytest.raises(ValueError, match="--na is for CSV files"):
        run("fit", "select 1 as a, 2 as y", "--target", "y", "--na", "NA")


def test_python_names_the_line_that_helps():
    rng = np.random.default_rng(0)
    numbers = [str(v) for v in rng.integers(0, 12, 40)]
    numbers[3] = "?"
    X, y = pd.DataFrame({"nuclei": numbers, "b": rng.normal(size=40)}), [0, 1] * 20
    with pytest.warns(UserWarning, match=r"pd\.to_numeric\(X\['nuclei'\], errors="):
        OptimalTreeClassifier(max_depth=1).fit(X, y)
    X["nuclei"] = pd.to_numeric(X["nuclei"], errors="coerce")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert not clf.tree_.columns[0].is_categorical
    mixed = pd.DataFrame({"n": [1, 2, "NA", 4] * 10})
    with pytest.raises(TypeError, match=r"'NA'.*pd\.to_numeric\(X\['n'\]"):
        OptimalTreeClassifier().fit(mixed, y)


def test_proofs_of_tables_with_marks_hold(spoilt, tmp_path):
    frame = pd.read_csv(spoilt, na_values=["?", " - "]).drop(columns=["seen", "y"])
    frame["kind"] = frame["kind"].fillna("NA")
    y = pd.read_csv(spoilt)["y"]
    path = tmp_path / "p.gz"
    OptimalTreeClassifier(max_depth=1).fit(frame, y, proof=path)
    assert check(path, frame, y).accepted


def test_rows_without_a_label_are_left_out(spoilt, tmp_path):
    lines = spoilt.read_text().splitlines()
    lines[3], lines[9] = lines[3][:-1], lines[9][:-1]
    spoilt.write_text("\n".join(lines) + "\n")
    proof = tmp_path / "p.gz"
    options = ("--target", "y", "--drop", "seen", "--max-depth", "1", "--quiet")
    with pytest.warns(UserWarning, match="2 rows without a value of 'y' are left out"):
        found = run("fit", spoilt, *options, "--json", "--proof", proof)
    assert json.loads(found.stdout)["rows"] == 58
    assert run("check", proof, spoilt, *options[:4]).exit_code == 0


@pytest.fixture
def endless(tmp_path):
    """A column of numbers in which a division by zero left infinities of all kinds."""
    path = tmp_path / "endless.csv"
    odd = ["inf", "-inf", "Infinity", "1e999"]
    lines = ["a,kind,y"]
    for i in range(60):
        a = odd[i // 10 % 4] if i % 10 == 0 else str(i % 17)
        lines.append(f"{a},{['inf', 'big', 'Infinity'][i % 3]},{'ab'[i % 17 > 8]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def columns_of(data, *arguments):
    options = ("--target", "y", "--json", "--quiet", "--max-depth", "2")
    found = run("fit", data, *options, *arguments)
    columns = json.loads(found.stdout)["tree"]["columns"]
    return {column["name"]: column for column in columns}


def test_infinite_cells_are_missing_if_inf_is_named(endless, reader):
    with pytest.raises(ValueError, match=r"'a'.*(--na 'inf'|contains infinity)"):
        columns_of(endless)
    columns = columns_of(endless, "--na", "inf")
    assert "categories" not in columns["a"] and columns["a"]["has_missing"]
    # In text the mark is an ordinary word, and another spelling is another word.
    assert columns["kind"]["categories"] == ["Infinity", "big"]
    with pytest.raises(ValueError, match=r"'a'.*(--na 'inf'|contains infinity)"):
        columns_of(endless, "--na", "-inf")


def test_infinite_cells_and_other_marks(endless, reader):
    endless.write_text(endless.read_text().replace("\n3,", "\nNA,"))
    with pytest.raises(ValueError, match=r"'a' .*--na 'NA,inf'"):
        columns_of(endless)
    columns = columns_of(endless, "--na", "NA,inf")
    assert "categories" not in columns["a"] and columns["a"]["has_missing"]


@pytest.mark.parametrize("size", [0, 1 << 30])
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_infinite_numbers_of_other_files(tmp_path, monkeypatch, form, size):
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.setattr(tables, "LARGE_FILE", size)
    values = np.arange(60) % 17.0
    values[[3, 30]] = np.inf, -np.inf
    y = np.where(np.arange(60) % 17 > 8, "a", "b")
    frame = pd.DataFrame({"a": values, "n": np.arange(60) % 3, "y": y})
    path = tmp_path / f"t.{form}"
    (frame.to_parquet if form == "parquet" else frame.to_feather)(path)
    with pytest.raises(ValueError, match="'a' contains infinity"):
        columns_of(path)
    assert columns_of(path, "--na", "inf")["a"]["has_missing"]
    with pytest.raises(ValueError, match="'a' contains infinity in 1 row"):
        columns_of(path, "--na=-inf")
    with pytest.raises(ValueError, match="CSV files, except for --na inf"):
        columns_of(path, "--na", "NA,inf")


def test_infinite_numbers_of_a_query():
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    query = (
        "select if(i % 9 = 0, 'inf'::double, i % 17) as a, i % 17 > 8 as y "
        "from range(60) as t(i)"
    )
    assert columns_of(query, "--na", "inf")["a"]["has_missing"]


def test_the_command_line_names_the_option_for_infinite_values(capsys):
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    query = "select if(i = 3, 'inf'::double, i) as a, i > 2 as y from range(9) as t(i)"
    with pytest.raises(SystemExit), one_sentence():
        columns_of(query)
    told = capsys.readouterr().err
    assert "'a' contains infinity in 1 row" in told
    assert "Read infinite values as missing with --na inf" in told

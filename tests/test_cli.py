"""The command line: reading files, printing trees and JSON, exit status."""

import gzip
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import treeproof as treeproof_package
from treeproof import OptimalTreeClassifier, __version__
from treeproof.cli import app, tables
from treeproof.datasets import load_monks
from treeproof.persistence import load
from treeproof.solving.progress import ProgressLine

FIELDS = {
    "status", "objective", "lower_bound", "gap", "optimal", "splits", "depth",
    "leaves", "seconds", "solver", "accuracy",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    frame = load_monks(1, as_frame=True).frame
    frame.to_csv(folder / "monks.csv", index=False)
    frame.to_csv(folder / "monks.tsv", index=False, sep="\t")
    frame.to_parquet(folder / "monks.parquet")
    frame.to_feather(folder / "monks.arrow")
    with gzip.open(folder / "monks.csv.gz", "wt") as file:
        frame.to_csv(file, index=False)
    return folder


def test_fit_draws_the_tree_and_its_certificate(treeproof, folder):
    once = "--penalize", "splits"
    status, out, _ = treeproof("fit", folder / "monks.csv", "--target", "class", *once)
    assert status == 0
    assert "head_shape" in out and "jacket_color = red: 1" in out
    assert "Optimal: no tree with multiway splits of categories costs less than" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    "name", ["monks.csv", "monks.csv.gz", "monks.tsv", "monks.parquet", "monks.arrow"]
)
def test_json_is_one_object_for_every_format(treeproof, folder, name):
    status, out, err = treeproof(
        "fit", folder / name, "--target", "class", "--split-penalty", "0.005",
        "--categorical-split", "multiway", "--json", "--quiet",
    )  # fmt: skip
    assert status == 0 and err == ""
    result = json.loads(out)
    assert result.keys() >= FIELDS
    assert result["optimal"] is True and result["status"] == "optimal"
    assert result["objective"] == result["lower_bound"] == pytest.approx(0.13)
    assert (result["splits"], result["depth"]) == (10, 3)
    assert result["accuracy"] == 1.0 and result["gap"] == 0


def test_sql(treeproof, folder):
    query = f"select * from '{folder / 'monks.parquet'}' where has_tie = 'yes'"
    status, out, _ = treeproof("fit", query, "--target", "class", "--json")
    assert status == 0 and json.loads(out)["rows"] == 216


def test_all_options_reach_the_estimator(treeproof, folder):
    model = folder / "options.model"
    status, _, _ = treeproof(
        "fit", folder / "monks.csv", "--target", "class", "--split-penalty", "0.02",
        "--max-depth", "2", "--min-samples-leaf", "5", "--time-limit", "30",
        "--memory-limit", "1GB", "--categorical-split", "one-vs-rest", "--solver",
        "auto", "--missing", "branch", "--class-weight", "balanced", "--n-jobs", "1",
        "--drop", "has_tie,holding", "--quantiles", "9", "--first-split", "body_shape",
        "--penalize", "splits", "--save", model,
    )  # fmt: skip
    assert status == 0
    fitted = load(model)
    assert fitted.get_params() == {
        "split_penalty": 0.02, "penalize": "splits", "max_depth": 2,
        "max_splits": None, "quantiles": 9,
        "min_samples_leaf": 5, "time_limit": 30.0, "tolerance": "0",
        "memory_limit": "1GB",
        "categorical_split": "one-vs-rest", "missing": "branch", "solver": "auto",
        "class_weight": "balanced", "n_jobs": 1, "random_state": None,
        "categorical_features": "from_dtype", "verbose": False,
        "quant_bnb": None, "first_split": "body_shape",
        "n_best": 1, "cost_matrix": None, "abstain_cost": None, "abstain_label": None,
        "metric": "accuracy", "pos_label": None, "beta": 1.0, "constraints": None,
        "monotonic_cst": None, "shape": "tree", "interaction_cst": None,
        "test_costs": None, "prefix": None, "allowed_features": None,
        "criterion": "misclassification", "smoothing": 0.0,
    }  # fmt: skip
    names = ["head_shape", "body_shape", "is_smiling", "jacket_color"]
    assert fitted.feature_names_in_.tolist() == names


def test_regression(treeproof, tmp_path):
    if not hasattr(treeproof_package, "OptimalTreeRegressor"):
        pytest.skip("no regression trees in this version")
    frame = pd.DataFrame({"a": np.arange(20.0), "y": np.arange(20) // 10 * 2.5})
    frame.to_csv(tmp_path / "data.csv", index=False)
    data, model = tmp_path / "data.csv", tmp_path / "model"
    status, out, _ = treeproof(
        "fit", data, "--target", "y", "--regression", "--json", "--save", model
    )
    result = json.loads(out)
    assert status == 0 and result.keys() >= FIELDS - {"accuracy"} | {"r2"}
    assert result["r2"] == pytest.approx(1.0) and result["splits"] == 1
    status, out, _ = treeproof("predict", model, data, "--json")
    assert json.loads(out)["predictions"] == frame["y"].tolist()
    assert treeproof("predict", model, data, "--proba")[0] == 2
    status, out, _ = treeproof("fit", data, "--target", "y", "--regression")
    assert status == 0 and "R² 1.0000" in out


def test_weights_and_categorical_numbers(treeproof, tmp_path):
    frame = pd.DataFrame({"code": [1, 2, 3] * 4, "name": list("pqpq") * 3})
    frame["y"] = (frame["code"] == 2).map({True: "t", False: "f"})
    frame["w"] = 2
    frame.to_csv(tmp_path / "data.csv", index=False)
    status, out, _ = treeproof(
        "fit", tmp_path / "data.csv", "--target", "y", "--weight", "w",
        "--categorical", "code", "--json",
    )  # fmt: skip
    result = json.loads(out)
    assert status == 0 and result["splits"] == 1
    assert result["tree"]["classes"] == ["f", "t"]
    assert result["tree"]["nodes"][0]["weight"] == 24
    assert result["tree"]["columns"][0]["categories"] == [1, 2, 3]
    assert result["tree"]["columns"][1]["categories"] == ["p", "q"]


@pytest.fixture(scope="module")
def model(folder):
    frame = pd.read_csv(folder / "monks.csv")
    path = folder / "model"
    CliRunner().invoke(
        app,
        ["fit", str(folder / "monks.csv"), "--target", "class", "--split-penalty",
         "0.005", "--save", str(path)],
    )  # fmt: skip
    return path, frame


def test_predict(treeproof, folder, model):
    path, frame = model
    status, out, err = treeproof("predict", path, folder / "monks.parquet")
    assert status == 0 and err == ""
    lines = out.splitlines()
    assert lines[0] == "class"
    assert [int(v) for v in lines[1:]] == frame["class"].tolist()


def test_predict_json_and_output(treeproof, folder, model, tmp_path):
    path, frame = model
    status, out, _ = treeproof(
        "predict", path, folder / "monks.csv", "--json", "--proba"
    )
    result = json.loads(out)
    assert status == 0 and result["predictions"] == frame["class"].tolist()
    assert result["rows"] == 432 and result["classes"] == [0, 1]
    assert np.array(result["probabilities"]).shape == (432, 2)
    target = tmp_path / "out.csv"
    status, out, _ = treeproof(
        "predict", path, folder / "monks.csv", "--proba", "--output", target
    )
    written = pd.read_csv(target)
    assert status == 0 and out == ""
    assert list(written) == ["class", "probability of 0", "probability of 1"]


def test_text_stays_text_at_predict(treeproof, tmp_path):
    """A column of text may look like numbers in the file to predict on."""
    train = pd.DataFrame({"size": ["1", "2", "x"] * 4, "y": [0, 1, 1] * 4})
    train.to_csv(tmp_path / "train.csv", index=False)
    pd.DataFrame({"size": ["2", "1"]}).to_csv(tmp_path / "test.csv", index=False)
    saved = tmp_path / "model"
    treeproof("fit", tmp_path / "train.csv", "--target", "y", "--save", saved)
    status, out, _ = treeproof("predict", saved, tmp_path / "test.csv", "--json")
    assert status == 0 and json.loads(out)["predictions"] == [1, 0]


def test_fit_writes_all_formats(treeproof, folder, tmp_path):
    """One command from a table to a picture, SQL and ONNX."""
    import duckdb
    import onnxruntime

    names = ["tree.png", "bounds.pdf", "out.sql", "out.onnx", "out.py", "out.dot"]
    options = ["plot", "plot-bounds", "sql", "onnx", "python", "dot"]
    asked = [
        part
        for option, name in zip(options, names, strict=True)
        for part in (f"--{option}", tmp_path / name)
    ]
    model = tmp_path / "model.json"
    data = folder / "monks.csv.gz"
    asked += ["--split-penalty", "0.005", "--save", model]
    status, _, _ = treeproof("fit", data, "--target", "class", *asked)
    assert status == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*names, "model.json"])
    assert os.stat(model).st_mode == os.stat(tmp_path / "tree.png").st_mode
    frame = pd.read_csv(folder / "monks.csv")
    expected = frame["class"].tolist()
    with duckdb.connect() as base:
        base.register("monks", frame.drop(columns="class"))
        found = base.execute((tmp_path / "out.sql").read_text()).fetchall()
    assert [row[-1] for row in found] == expected
    session = onnxruntime.InferenceSession((tmp_path / "out.onnx").read_bytes())
    feeds = {
        c: frame[[c]].to_numpy(dtype=object) for c in frame.columns if c != "class"
    }
    assert session.run(["label"], feeds)[0].tolist() == expected
    place = {}
    exec((tmp_path / "out.py").read_text(), place)
    assert [place["predict"](row) for row in frame.to_dict("records")] == expected
    assert (tmp_path / "out.dot").read_text().startswith("digraph tree {")
    for name in ("out.sql", "out.py"):
        before = (tmp_path / name).read_text()
        option = "--sql" if name == "out.sql" else "--python"
        status, out, err = treeproof(
            "export", model, option, tmp_path / name, "--sql-table", "monks"
        )
        assert status == 0 and out == "" and f"wrote {tmp_path / name}" in err
        assert (tmp_path / name).read_text() == before
    status, out, _ = treeproof("export", model, "--rules")
    assert status == 0 and out.count("predict") == len(load(model).to_rules())


def test_completion_knows_columns_and_choices(folder):
    from treeproof.cli import completion

    class Context:
        params = {"data": str(folder / "monks.csv.gz")}  # noqa: RUF012

    assert completion.columns(Context, "h") == ["head_shape", "holding", "has_tie"]
    assert completion.columns(Context, "class,has") == ["class,has_tie"]
    Context.params = {"data": str(folder / "monks.parquet")}
    assert completion.columns(Context, "cl") == ["class"]
    Context.params = {"data": "nothing.csv"}
    assert completion.columns(Context, "") == []
    assert completion.solvers("b") == ["branches"]
    assert completion.split_kinds("o") == ["one-vs-rest"]
    assert completion.dialects("sqli") == ["sqlite"]


def test_help_teaches_and_is_plain_when_piped(treeproof):
    status, out, _ = treeproof("--help")
    assert status == 0 and "treeproof predict iris.json" in out and "\x1b" not in out
    status, out, _ = treeproof("fit", "--help")
    assert "treeproof fit iris.csv --target species" in out and "The search" in out


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return str(path)


BAD = {
    "no such file": (lambda f: ["fit", str(f / "no.csv"), "--target", "y"],
                     "There is no file"),
    "no such target": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"),
                                  "--target", "z"],
                       "The target 'z' is not a column; the columns are 'a', 'b'."),
    "no such weight": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"),
                                  "--target", "b", "--weight", "z"],
                       "--weight names 'z', which is not a column"),
    "empty file": (lambda f: ["fit", write(f, "e.csv", b""), "--target", "y"],
                   "is empty"),
    "header only": (lambda f: ["fit", write(f, "h.csv", b"a,b\n"), "--target", "b"],
                    "has a first line but no rows"),
    "only a target": (lambda f: ["fit", write(f, "t.csv", b"y\n1\n2\n"), "--target",
                                 "y"],
                      "No column is left to split on"),
    "missing value": (lambda f: ["fit", write(f, "m.csv", b"a,y\n1,0\n,1\n"),
                                 "--target", "y", "--missing", "error"],
                      "Column 'a' contains NaN in 1 row (first: row 1)"),
    "missing label": (lambda f: ["fit", write(f, "l.csv", b"a,y\n1,\n2,\n"),
                                 "--target", "y"],
                      "has no value in any of the"),
    "fractions": (lambda f: ["fit", write(f, "f.csv", b"a,y\n1,0.5\n2,1.5\n"),
                             "--target", "y", "--classes"],
                  "Unknown label type: continuous"),
    "depth": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"), "--target", "b",
                         "--max-depth", "-1"],
              "'max_depth'"),
    "penalty": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"), "--target",
                           "b", "--split-penalty", "1.5"],
                "--split-penalty 1.5 is above 1"),
    "solver": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"), "--target", "b",
                          "--solver", "magic"],
               "'solver'"),
    "memory": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"), "--target", "b",
                          "--memory-limit", "much"],
               "not an amount of memory"),
    "class weight": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"),
                                "--target", "b", "--regression", "--class-weight",
                                "balanced"],
                     "--class-weight is for classes"),
    "no parquet": (lambda f: ["fit", write(f, "p.parquet", b"nonsense"), "--target",
                              "b"],
                   "is not a Parquet file"),
    "no arrow": (lambda f: ["fit", write(f, "p.arrow", b"nonsense"), "--target", "b"],
                 "is not an Arrow file"),
    "bad query": (lambda f: ["fit", "select * from nothing", "--target", "b"],
                  "The query failed"),
    "no database": (lambda f: ["fit", "select 1", "--target", "b", "--database",
                               str(f / "no.db")],
                    "There is no database"),
    "not UTF-8": (lambda f: ["fit", write(f, "u.csv", b"a,b\n\xff\xfe,1\n\xe9,2\n"),
                             "--target", "b"],
                  "is not UTF-8 text; save the file as UTF-8"),
    "not a model": (lambda f: ["predict", write(f, "x", b"nonsense"), "y.csv"],
                    "is not a model saved by treeproof"),
    "no model": (lambda f: ["predict", str(f / "none"), "y.csv"], "There is no file"),
    "unwritable": (lambda f: ["fit", write(f, "a.csv", b"a,b\n1,2\n3,4\n"), "--target",
                              "b", "--save", str(f / "no" / "model")],
                   "There is no folder"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(BAD))
def test_bad_input_is_one_sentence(treeproof, tmp_path, case):
    arguments, words = BAD[case]
    status, out, err = treeproof(*arguments(tmp_path))
    assert status == 2 and out == ""
    assert words in err and err.startswith("treeproof: ")
    assert len(err.strip().splitlines()) == 1 and "Traceback" not in err


def test_missing_columns_at_predict(treeproof, tmp_path, model):
    path = write(tmp_path, "other.csv", b"head_shape\nround\n")
    status, _, err = treeproof("predict", model[0], path)
    assert status == 2 and "lacks the column 'body_shape'" in err


def test_usage_errors(treeproof):
    assert treeproof("fit")[0] == 2
    assert treeproof("nonsense")[0] == 2
    status, out, _ = treeproof("--version")
    assert status == 0 and out.strip() == __version__
    status, out, _ = treeproof("fit", "--help")
    assert status == 0 and "--split-penalty" in out


def test_without_duckdb_and_pyarrow(monkeypatch, treeproof, folder):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    for name in ("monks.csv", "monks.csv.gz", "monks.tsv"):
        once = "--penalize", "splits", "--json"
        status, out, _ = treeproof("fit", folder / name, "--target", "class", *once)
        assert status == 0 and json.loads(out)["splits"] == 10
    for data in (folder / "monks.parquet", folder / "monks.arrow", "select 1"):
        status, _, err = treeproof("fit", data, "--target", "class")
        assert status == 2 and "treeproof[data]" in err


def test_plain_csv_reports_ragged_lines_and_gaps(monkeypatch, treeproof, tmp_path):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    path = write(tmp_path, "r.csv", b"a,y\n1,0\n2\n")
    assert "Line 3 of " in treeproof("fit", path, "--target", "y")[2]
    path = write(tmp_path, "g.csv", b"a,y\np,0\n,1\n")
    arguments = ("fit", path, "--target", "y")
    assert "Column 'a' contains NaN" in treeproof(*arguments, "--missing", "error")[2]
    assert "a is missing" in treeproof(*arguments, "--split-penalty", "0.1")[1]
    path = write(tmp_path, "u.csv", b"a,y\n\xff\xe9,0\n")
    assert "is not UTF-8 text" in treeproof("fit", path, "--target", "y")[2]


@pytest.mark.parametrize("regression", [False, True])
def test_a_tree_saved_alone_predicts(treeproof, tmp_path, regression):
    kind = (
        treeproof_package.OptimalTreeRegressor if regression else OptimalTreeClassifier
    )
    table = pd.DataFrame({"a": [0, 1, 0, 1], "kind": list("ppqq")})
    fitted = kind().fit(table, [1, 3, 1, 3])
    write(tmp_path, "tree", fitted.tree_.to_json().encode())
    path = write(tmp_path, "t.csv", table.to_csv(index=False).encode())
    code, out, _ = treeproof("predict", str(tmp_path / "tree"), path, "--json")
    assert code == 0
    assert json.loads(out)["predictions"] == fitted.predict(table).tolist()
    code, _, err = treeproof("prune", str(tmp_path / "tree"), path, "--target", "a")
    assert code == 2 and "a tree without its estimator" in err


def test_models_of_another_format_are_refused(tmp_path):
    path = tmp_path / "model"
    content = json.loads(OptimalTreeClassifier().fit([[0], [1]], [0, 1]).to_json())
    path.write_text(json.dumps(content | {"format_version": 99}))
    with pytest.raises(ValueError, match=r"version 99 of the format; this treeproof"):
        load(path)
    path.write_text(json.dumps({"format": "something else"}))
    with pytest.raises(ValueError, match="is not a model saved by treeproof"):
        load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    from treeproof.persistence import save

    path = tmp_path / "model"
    fitted = OptimalTreeClassifier().fit([[0], [1]], [0, 1])
    save(fitted, path)
    before = path.read_bytes()

    def full_disk(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        save(fitted, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model"]


def test_ctrl_c_shows_the_tree_and_exits_with_130(treeproof, tmp_path, monkeypatch):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 2, (800, 40))).add_prefix("x")
    frame["y"] = random.integers(0, 2, 800)
    frame.to_csv(tmp_path / "hard.csv", index=False)
    # The first news of the search is answered by Ctrl-C.
    monkeypatch.setattr(
        ProgressLine, "__call__", lambda *_: os.kill(os.getpid(), signal.SIGINT)
    )
    status, out, _ = treeproof(
        "fit", tmp_path / "hard.csv", "--target", "y", "--split-penalty", "0.0001",
        "--json", "--save", tmp_path / "model",
    )  # fmt: skip
    result = json.loads(out)
    assert status == 130
    assert result["status"] == "interrupted" and result["gap"] > 0
    assert load(tmp_path / "model").status_ == "interrupted"


def test_ctrl_c_before_the_search_is_one_line(treeproof, folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("treeproof.cli.training.read_table", interrupted)
    status, out, err = treeproof("fit", folder / "monks.csv", "--target", "class")
    assert status == 130 and out == "" and "Traceback" not in err


def test_the_installed_command(folder):
    """Once through the operating system: the script, its output, its status."""
    command = [sys.executable, "-c", "from treeproof.cli import main; main()"]
    done = subprocess.run(
        [*command, "fit", str(folder / "monks.csv"), "--target", "class", "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and json.loads(done.stdout)["optimal"] is True

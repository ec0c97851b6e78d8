"""What a stranger's first tables showed: targets, amounts, scores and help in words."""

from __future__ import annotations

import inspect
import json
import warnings

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.border.frequencies import frequencies_of
from treeproof.border.row_names import row_names_of
from treeproof.cli import app
from treeproof.cli.fitted import scores
from treeproof.cli.training import Training
from treeproof.persistence import load
from treeproof.policy import OptimalPolicyTree
from treeproof.report.findings import Findings, _count_alternatives, investigate
from treeproof.solving.summary import (
    note_few_rows,
    note_identifier,
    note_single_column,
    note_single_leaf,
)
from treeproof.survival import OptimalSurvivalTree

DUCKDB = "the query runs in DuckDB"


def amounts(n: int = 120) -> tuple[list[str], list[float]]:
    """Return amounts as they are written in Europe, and what they mean."""
    numbers = [float(v) for v in np.round(np.linspace(7.5, 23456.78, n), 2)]
    english = [f"{v:,.2f}" for v in numbers]
    swapped = [text.translate(str.maketrans(",.", ".,")) + " €" for text in english]
    return swapped, numbers


def test_a_target_without_any_value(tmp_path, treeproof):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n" + "1,\n2,\n" * 20)
    status, _, err = treeproof("fit", path, "--target", "y")
    assert status == 2
    assert "The target 'y' has no value in any of the 40 rows" in err


@pytest.mark.parametrize("marks", [False, True])
def test_amounts_with_a_decimal_comma(marks):
    texts, numbers = amounts()
    if marks:
        texts[5] = "n/a"
        numbers[5] = float("nan")
    (found,) = row_names_of({"turnover €": texts, "x": [1.0, 2.0] * 60})
    assert found.kind == "text numbers" and found.gaps == marks
    assert found.example == "'7,50 €'" and found.layout == ","
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"turnover €": texts})
    code = found.warning.split("make a number of it, ")[1].split(", or leave")[0]
    exec(code, {"X": X, "pd": pd})
    np.testing.assert_array_equal(X["turnover €"].to_numpy(float), numbers)
    duckdb = pytest.importorskip("duckdb", reason=DUCKDB)
    base = duckdb.connect()
    base.register("t", pd.DataFrame({"turnover €": texts}))
    read = base.execute(f"{found.query} from t").fetchall()
    expected = [None if np.isnan(v) else v for v in numbers]
    assert [value for (value,) in read] == expected


def test_english_amounts_keep_their_point():
    texts = [f"${v:,.2f}" for v in np.linspace(5, 5000, 90)]
    (found,) = row_names_of({"price": texts, "x": [1.0, 2.0] * 45})
    assert found.layout == "" and not found.gaps and "[^0-9.-]" in found.warning
    words = [f"{k},{k} miles {k % 3}" for k in range(90)]
    (other,) = row_names_of({"price": words, "x": [1.0, 2.0] * 45})
    assert other.kind == "categories"


def test_a_decimal_comma_comes_with_a_query(tmp_path, treeproof):
    pytest.importorskip("duckdb", reason=DUCKDB)
    path = tmp_path / "t.csv"
    path.write_text("a;y\n" + "".join(f"{k},5;{k > 20}\n" for k in range(40)))
    status, _, err = treeproof("fit", path, "--target", "y")
    assert status == 2 and "decimal comma such as" in err
    query = err.split('the query "')[1].split('"')[0]
    status, out, _ = treeproof("fit", query, "--target", "y")
    assert status == 0 and "a <= 21" in out


def test_a_comma_may_separate_thousands(tmp_path, treeproof):
    """Both readings are named, and each query reads the numbers as it says."""
    pytest.importorskip("duckdb", reason=DUCKDB)
    path = tmp_path / "t.csv"
    rows = [f'"{k * 100:,}",{k > 20}' for k in range(40)]  # 900 and 1,000
    path.write_text("a,y\n" + "\n".join(rows) + "\n")
    status, _, err = treeproof("fit", path, "--target", "y")
    assert status == 2 and "if it separates the thousands" in err
    thousands, decimals = err.split('"')[1:4:2]
    assert "thousands=','" in thousands and "decimal_separator=','" in decimals
    status, out, _ = treeproof("fit", thousands, "--target", "y")
    assert status == 0 and "a <= 2050" in out
    path.write_text(
        "b,a,y\n"
        + "\n".join(f"{'no' if 'F' in row else 'yes'},{row}" for row in rows)
        + "\n"
    )
    dropped = treeproof("fit", path, "--target", "y", "--drop", "a", "--max-depth", "1")
    assert dropped[0] == 0 and "b = " in dropped[1] and "'a'" not in dropped[2]
    path.write_text("a;y\n" + "".join(f"1,{k % 4},2;{k % 4 > 1}\n" for k in range(40)))
    assert treeproof("fit", path, "--target", "y")[0] == 0  # lists are categories


def test_a_search_that_was_stopped_says_so(tmp_path, treeproof):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 8)).round(6), rng.integers(0, 2, 300)
    path = tmp_path / "noise.csv"
    head = ",".join([*(f"x{j}" for j in range(8)), "y"])
    np.savetxt(path, np.column_stack([X, y]), "%g", ",", header=head, comments="")
    fit = ("fit", path, "--target", "y", "--quiet", "--split-penalty", "0.001")
    _, out, _ = treeproof(*fit, "--time-limit", "0.3")
    assert "The search was stopped (the time limit was reached): this tree costs" in out
    _, out, _ = treeproof(*fit, "--max-depth", "1")
    assert "was stopped" not in out and "Optimal" in out


def test_weights_of_classes_are_scored_by_class():
    X = np.arange(60.0).reshape(-1, 1)
    y = (np.arange(60) >= 54).astype(int)
    y[[3, 55]] = 1, 0
    X = X // 2
    model = OptimalTreeClassifier(max_depth=1, class_weight="balanced").fit(X, y)
    rows = Training(X, y, None, None)
    told = scores(model, False, rows, rows)
    each = [np.mean(model.predict(X)[y == k] == k) for k in (0, 1)]
    assert told["balanced_accuracy"] == pytest.approx(np.mean(each), abs=1e-12)
    assert told["held_out_balanced_accuracy"] == told["balanced_accuracy"]
    plain = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert "balanced_accuracy" not in scores(plain, False, rows, rows)


def test_weights_have_separators_as_rows_have():
    X, y = [[1], [1], [3], [3]], ["a", "b", "b", "a"]
    weights = [4282, 1206, 4527, 999]
    clf = OptimalTreeClassifier().fit(X, y, sample_weight=weights)
    lines = clf.export_text().splitlines()
    assert lines[0] == "4 rows, weight 11,014"
    assert "weight 5,488 (50%), weight 1,206 wrong" in lines[1]


def test_no_tree_within_the_margin_is_not_counted_as_the_best():
    class Trees:
        count, max_depth = 0, 1

        def feature_use(self):
            return {"a": 0}

    class Model:
        def near_optimal(self, margin):
            return Trees()

    found = Findings.__new__(Findings)
    found.model, found.use, found.alternatives = Model(), {}, ""
    _count_alternatives(found)
    assert found.use == {} and "could not be counted before a limit" in (
        found.alternatives
    )


def test_help_shows_brackets():
    shown = CliRunner().invoke(app, ["fit", "--help"], terminal_width=200).output
    assert '[cost, "group"' in " ".join(shown.replace("│", " ").split())


def test_leaves_for_outliers_are_noted():
    rng = np.random.default_rng(1)
    x = np.arange(200.0) + 0.5  # whole numbers without gaps would number the rows
    y = np.where(x < 100, 0.0, 1.0) + rng.normal(size=200) / 9
    fitted = OptimalTreeRegressor(max_depth=2).fit(x.reshape(-1, 1) % 150, y)
    assert note_few_rows(fitted) is None
    y[149] = 90.0  # alone in its place
    spoilt = OptimalTreeRegressor(max_depth=2).fit(x.reshape(-1, 1), y)
    assert "fewer than 5 rows" in (note_few_rows(spoilt) or "")
    kept = OptimalTreeRegressor(max_depth=2, min_samples_leaf=5)
    assert note_few_rows(kept.fit(x.reshape(-1, 1), y)) is None
    weights = np.where(y > 50, 9, 9 + np.arange(200) % 2)  # frequencies
    spoilt.fit(x.reshape(-1, 1), y, weights)
    assert note_few_rows(spoilt) is None


def test_two_columns_of_lifetimes_come_with_the_line_that_joins_them():
    times, died = np.arange(1.0, 41.0), np.arange(40) % 3 > 0
    X = times.reshape(-1, 1) // 4
    with pytest.raises(ValueError, match="From two columns") as told:
        OptimalSurvivalTree(max_depth=1).fit(X, np.column_stack([died, times]))
    line = str(told.value).split("From two columns: ")[1].removesuffix(".")
    y = eval(line, {"np": np, "died": died, "times": times})
    assert OptimalSurvivalTree(max_depth=1).fit(X, y).optimal_


FREQUENCIES = """smoker,sex,ill,people
yes,f,yes,310
yes,f,no,105
no,f,yes,20
no,f,no,960
yes,m,yes,280
yes,m,no,1900
no,m,yes,35
no,m,no,1200
"""


def test_paths_and_alternatives_count_rows_by_their_weights(tmp_path, treeproof):
    path, rows = tmp_path / "counts.csv", tmp_path / "rows.csv"
    path.write_text(FREQUENCIES)
    head, *lines = [line.rsplit(",", 1) for line in FREQUENCIES.splitlines()]
    rows.write_text("\n".join([head[0], *(n for n, k in lines for _ in range(int(k)))]))
    same = "--target", "ill", "--json", "--class-weight", "balanced"
    for command in (("path", "--low", "0.001"), ("alternatives", "--within", "0.1")):
        _, out, _ = treeproof(*command, path, *same, "--weight", "people")
        _, expected, _ = treeproof(*command, rows, *same)
        told, known = json.loads(out), json.loads(expected)
        if command[0] == "path":
            losses = [[row["loss"] for row in one["path"]] for one in (told, known)]
            assert losses[0] == pytest.approx(losses[1]) and len(losses[0]) > 2
        else:
            assert told["objective"] == pytest.approx(known["objective"])
            assert told["feature_use"] == known["feature_use"] and told["count"] > 1
    _, out, _ = treeproof("path", rows, *same, "--low", "0.001", "--cv", "3")
    scores = [row["held_out_score"] for row in json.loads(out)["path"]]
    assert scores[0] == pytest.approx(0.5) and max(scores) > 0.7  # a leaf knows nothing


def test_a_report_ends_with_the_command_that_made_it(tmp_path, treeproof):
    rows, page = tmp_path / "t.csv", tmp_path / "t.html"
    rows.write_text("a,y\n" + "".join(f"{k % 7},{k % 7 > 3}\n" for k in range(60)))
    options = ("--max-depth", "1", "--classes", "--time-limit", "5.0")
    status, _, _ = treeproof(
        "report", rows, "--target", "y", "-o", page, *options, "--test-size", "0.0"
    )
    assert status == 0
    assert " --classes --max-depth 1 --test-size 0.0 --time-limit 5.0" in (
        page.read_text()
    )


def test_a_single_leaf_knows_that_rows_have_weights(tmp_path, treeproof):
    path = tmp_path / "counts.csv"
    path.write_text(FREQUENCIES)
    fit = ("fit", path, "--target", "ill", "--weight", "people", "--max-depth", "0")
    _, out, _ = treeproof(*fit, "--save", tmp_path / "leaf.json")
    assert "8 rows, weight 4,810 (100%), weight 645 wrong" in out
    model = load(tmp_path / "leaf.json")
    assert model.tree_.rows_differ_in_weight and "weight 645" in model.export_text()
    X, y = [[1], [1], [2], [2]], ["no", "no", "no", "yes"]
    leaf = OptimalTreeClassifier(max_depth=0, class_weight={"no": 2, "yes": 3})
    assert leaf.fit(X, y).export_text() == "no   4 rows (100%), 1 wrong"
    leaf.set_params(class_weight=None).fit(X, y, [2, 2, 2, 3])
    assert leaf.export_text() == "no   4 rows (100%), 1 wrong"


def test_help_fits_into_eighty_columns():
    group, examples = typer.main.get_command(app), 0
    for name in group.list_commands(None):
        text = inspect.cleandoc(group.get_command(None, name).help)
        examples += f"\ntreeproof {name}" in text
        for line in text.splitlines():
            assert len(line) <= 78, f"treeproof {name}: {line}"
    assert examples > 6  # the help of the commands, not their one line in the list


def test_a_column_that_tells_the_target_is_named():
    code, size = np.arange(60) % 3, np.arange(60) % 7
    y = np.where(code == 2, "refused", "granted")
    X = {"code": code, "size": size}
    model = OptimalTreeClassifier().fit(X, y)
    note = note_single_column(model)
    assert note is not None and note.startswith("One split on 'code'")
    assert note in model.summary()
    found = investigate(model, X, y, title="t", target="y", details=False)
    assert note in found.notes
    assert note_single_column(OptimalTreeClassifier().fit({"code": code}, y)) is None
    few = {name: values[:45] for name, values in X.items()}
    assert note_single_column(OptimalTreeClassifier().fit(few, y[:45])) is None
    y[0] = "refused"
    assert note_single_column(OptimalTreeClassifier(0.02).fit(X, y)) is None
    X, y = {"code": np.tile(code, 3), "size": np.tile(size, 3)}, np.tile(y, 3)
    y[[60, 120]] = "granted"  # one of 61 refusals is left
    note = note_single_column(OptimalTreeClassifier(0.02).fit(X, y))
    assert note is not None and "right for all but 1 of the 180 training rows" in note


def test_thresholds_on_numbers_of_persons_are_noted():
    X = {"patient_id": np.arange(90) // 3, "age": np.arange(90) % 7}
    y = X["patient_id"] > 12
    model = OptimalTreeClassifier().fit(X, y)
    note = note_identifier(model)
    assert note is not None and "'patient_id'" in note and note in model.summary()
    found = investigate(model, X, y, title="t", target="y", details=False)
    assert note in found.notes
    assert note_identifier(OptimalTreeClassifier().fit(X, X["age"] > 3)) is None
    codes = OptimalTreeClassifier(categorical_features=["patient_id"], max_depth=1)
    assert note_identifier(codes.fit(X, y)) is None


def test_a_single_leaf_of_a_stopped_search_is_explained():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 8)), rng.random(400) < 0.3
    model = OptimalTreeClassifier(0.03, max_depth=2).fit(X, y)
    assert model.n_splits_ == 0 and "No split saves more" in note_single_leaf(model)
    model.optimal_ = False
    assert "No split was found that saves more" in note_single_leaf(model)


def test_leaves_of_few_patients_are_noted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    times = rng.exponential(np.exp(X[:, 0]))
    y = np.array(
        list(zip(rng.random(300) < 0.5, times, strict=True)),
        dtype=[("event", bool), ("time", float)],
    )
    model = OptimalSurvivalTree(0.001, max_depth=2).fit(X, y)
    assert "fewer than 10 rows" in model.summary()
    model = OptimalSurvivalTree(0.001, max_depth=2, min_samples_leaf=10).fit(X, y)
    assert "fewer than" not in model.summary()
    rewards = rng.normal(size=(300, 2)) * 5
    assert "fewer than 10 rows" in OptimalPolicyTree().fit(X, rewards).summary()


def test_a_table_of_frequencies_is_recognised(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(FREQUENCIES.replace("people", "Freq"))
    run = CliRunner().invoke
    fit = ["fit", str(path), "--target", "ill", "--quiet"]
    with pytest.warns(UserWarning, match="'Freq' seems to say how many rows"):
        run(app, fit)
    for more in (["--weight", "Freq"], ["--keep", "Freq"], ["--drop", "Freq"]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert run(app, [*fit, *more]).exit_code == 0
    levels = {"a": [1, 2] * 5, "b": [k // 2 for k in range(10)]}
    assert frequencies_of({**levels, "count": range(10)}) == "count"
    assert frequencies_of({**levels, "size": range(10)}) is None
    assert frequencies_of({**levels, "count": [3] * 10}) is None
    assert frequencies_of({**levels, "count": [k / 2 for k in range(10)]}) is None
    twice = {"a": [1, 2] * 5, "b": [1] * 10, "count": range(10)}
    assert frequencies_of(twice) is None
    assert frequencies_of({**levels, "x": range(10), "count": range(10)}) is None


def test_rules_speak_of_weights_and_of_risks(tmp_path, treeproof):
    path = tmp_path / "counts.csv"
    path.write_text(FREQUENCIES)
    saved = tmp_path / "model.json"
    fit = ("fit", path, "--target", "ill", "--weight", "people", "--max-depth", "1")
    treeproof(*fit, "--save", saved)
    _, out, _ = treeproof("export", saved, "--rules")
    assert out == "Always predict no (8 rows, weight 4,810, 87%).\n"
    times = np.arange(1.0, 41.0)
    model = OptimalSurvivalTree(max_depth=1).fit(times.reshape(-1, 1) // 4, times)
    assert all("predict risk " in str(rule) for rule in model.to_rules())


def test_how_much_costs_were_rounded_is_a_plain_number():
    rewards = np.array([[3e5 + 1 / 3, 0.0], [0.0, 3e5 + 1 / 7]] * 10)
    tree = OptimalPolicyTree(max_depth=1).fit([[0], [1]] * 10, rewards)
    told = tree.certificate().rsplit(" by more than ", 1)[1].removesuffix(".")
    assert "e" not in told and 0.0001 <= float(told) < 1000


def test_columns_that_say_the_same_as_an_amount_are_named(tmp_path, treeproof):
    rng = np.random.default_rng(0)
    wage, age = rng.lognormal(3, 1, 80).round(2), rng.integers(20, 60, 80)
    path = tmp_path / "t.csv"
    rows = zip(wage, np.log(wage).round(6), age, strict=True)
    path.write_text(
        "wage,logwage,age\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    )
    fit = ("fit", path, "--target", "wage", "--max-depth", "1", "--quiet")
    _, _, err = treeproof(*fit)
    assert "Column 'logwage' says nearly the same as 'wage' (correlation 1.000)" in err
    assert "'age'" not in err
    assert "nearly the same" not in treeproof(*fit, "--drop", "logwage")[2]
    _, _, err = treeproof("report", path, *fit[2:-1], "-o", tmp_path / "t.html")
    assert "nearly the same" in (tmp_path / "t.html").read_text()
    path.write_text(path.read_text() + "inf,1,1\n2,inf,\n")
    status, _, err = treeproof(*fit)
    assert status == 2 and "RuntimeWarning" not in err and "infinit" in err

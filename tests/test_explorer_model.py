"""The explorer without a browser: tables, questions, jobs, nodes, path, comparison."""

import gzip
import json
import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier, from_json
from treeproof.datasets import load_monks
from treeproof.datasets.bundled import BUNDLED, load_bundled
from treeproof.explorer.alternatives import alternatives
from treeproof.explorer.comparison import compare, divide
from treeproof.explorer.downloads import DOWNLOADS, make_download
from treeproof.explorer.fitting import fit
from treeproof.explorer.job import Job
from treeproof.explorer.nodes import histogram, node_facts, table_column
from treeproof.explorer.path import trees_of_all_sizes
from treeproof.explorer.question import first_question, looks_numeric
from treeproof.explorer.session import Session
from treeproof.explorer.tables import Table, bundled_table, read_path, read_upload
from treeproof.proof import check
from treeproof.tree import LEAF

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def frame():
    return load_monks(1, as_frame=True).frame


@pytest.fixture(scope="module")
def iris():
    table = bundled_table("iris")
    return fit(table, first_question(table))


@pytest.fixture(scope="module")
def monks():
    table = bundled_table("monks")
    return fit(table, first_question(table))


@pytest.fixture(scope="module")
def diabetes():
    table = bundled_table("diabetes")
    return fit(table, replace(first_question(table), max_depth=2))


# ---- tables --------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_set_can_be_asked_about(name):
    table = bundled_table(name)
    first_question(table).check(table)
    assert f"{table.n_rows:,} rows" in BUNDLED[name][0]


def test_unknown_set_and_unknown_target():
    with pytest.raises(ValueError, match="There is no bundled set 'nothing'"):
        load_bundled("nothing")
    with pytest.raises(ValueError, match="target 'colour' is not a column"):
        first_question(bundled_table("iris"), "colour")


def test_files_uploads_and_sets_give_the_same_tree(tmp_path, frame, monks):
    frame.to_csv(tmp_path / "m.csv", index=False)
    frame.to_parquet(tmp_path / "m.parquet")
    (tmp_path / "m.csv.gz").write_bytes(
        gzip.compress((tmp_path / "m.csv").read_bytes())
    )
    for name in ("m.csv", "m.csv.gz", "m.parquet"):
        path = tmp_path / name
        for table in (read_path(str(path)), read_upload(name, path.read_bytes())):
            assert table.n_rows == 432 and table.target == "class"
            found = fit(table, first_question(table))
            assert found.model.objective_ == monks.model.objective_
    assert read_upload("../../x.csv", b"a,y\n1,2\n").name == "x.csv"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "The file 'empty.csv' is empty."),
        ("one.csv", b"a\n1\n2\n", "'one.csv' has one column only"),
        ("rows.csv", b"a,b\n1,2\n3\n", "Line 3 of 'rows.csv' has 1 cell"),
        ("wrong.parquet", b"PAR1 and more", "'wrong.parquet' is not a Parquet file"),
        ("bytes.csv", b"a,b\n\xff\xfe,2\n", "Line 2 of 'bytes.csv' is not UTF-8 text"),
        ("excel.csv", b"PK\x03\x04", "'excel.csv' is an Excel or zip file"),
        ("cut.csv.gz", b"\x1f\x8b\x08\x00", "'cut.csv.gz' is not a whole gzip file"),
    ],
)
def test_bad_uploads_are_one_sentence_with_the_file_s_own_name(name, content, message):
    with pytest.raises(ValueError) as caught:
        read_upload(name, content)
    assert message in str(caught.value)
    assert "treeproof-" not in str(caught.value)  # nothing of the temporary folder


def test_facts_of_columns():
    table = read_upload("t.csv", b"n,t,d,y\n1,a,2024-01-01,0\n2,,2024-01-02,1\n")
    facts = {f.name: (f.kind, f.distinct, f.missing) for f in table.facts()}
    assert facts["n"] == ("numbers", 2, 0)
    assert facts["t"] == ("categories", 1, 1)
    assert facts["d"] == ("dates", 2, 0)
    assert first_question(table).columns == ("n", "t", "d")


# ---- questions -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": ()}, "Choose at least one column"),
        ({"columns": ("species", "petal width (cm)")}, "target 'species' is among"),
        ({"columns": ("nothing",)}, "no column 'nothing' to split on"),
        ({"target": "nothing"}, "no column 'nothing' to predict"),
        ({"penalty": 1.5}, "penalty is between 0 and 1, not 1.5"),
        ({"max_depth": -1}, "depth is at least 0"),
        ({"time_limit": 0}, "seconds above 0"),
        ({"first": "nothing"}, "must test 'nothing'"),
        ({"numeric": True}, "holds no numbers to predict"),
    ],
)
def test_questions_that_cannot_be_asked(iris, changes, message):
    with pytest.raises(ValueError, match=message):
        replace(iris.question, **changes).check(iris.table)


def test_forbidding_a_column_takes_it_out_of_everything(iris):
    question = replace(iris.question, first="petal width (cm)")
    fresh = question.without("petal width (cm)")
    assert "petal width (cm)" not in fresh.columns and fresh.first is None
    tree = fit(iris.table, fresh).tree
    names = {tree.columns[j].name for j in tree.feature[tree.kind != LEAF]}
    assert "petal width (cm)" not in names


def test_the_first_split_can_be_demanded(iris):
    forced = fit(iris.table, replace(iris.question, first="sepal width (cm)"))
    assert forced.tree.columns[forced.tree.feature[0]].name == "sepal width (cm)"
    assert forced.model.optimal_
    assert forced.model.objective_ >= iris.model.objective_


def test_numbers_are_amounts_only_if_there_are_many(iris):
    assert looks_numeric(iris.table, "petal width (cm)")
    assert not looks_numeric(bundled_table("monks"), "class")
    assert looks_numeric(bundled_table("monks"), "class", amounts=False)


# ---- jobs and sessions ---------------------------------------------------------------


def test_a_job_that_fails_says_one_sentence():
    def broken(job):
        raise ValueError("Column 'a' holds\n  nothing.")

    job = Job(broken)
    job.wait(30)
    assert (job.state, job.error) == ("failed", "Column 'a' holds nothing.")


def test_a_fit_runs_beside_stops_on_request_and_keeps_its_tree():
    session = Session()
    session.use(bundled_table("noisy"))
    session.ask(penalty=0.003, time_limit=600.0)
    session.start_fit()
    job = session.jobs["fit"]
    seen = threading.Event()
    while not job.events and job.running:
        seen.wait(0.01)
    assert session.running("fit") and session.fitted is None
    session.stop("fit")
    job.wait(60)
    model = session.fitted.model
    assert model.status_ == "interrupted" and model.n_splits_ > 0
    assert 0 < model.lower_bound_ < model.objective_


def test_a_session_lives_through_bad_questions_and_new_tables():
    session = Session()
    with pytest.raises(ValueError, match="Load a table first"):
        session.start_fit()
    session.use(bundled_table("monks"))
    with pytest.raises(ValueError, match="Fit a tree first"):
        session.start_comparison()
    session.ask(columns=())
    with pytest.raises(ValueError, match="at least one column"):
        session.start_fit()
    with pytest.raises(ValueError, match="is not a column"):
        session.use(bundled_table("iris"), "nothing")
    assert session.table.name == "monks"  # the old table is still there
    session.ask(columns=("head_shape", "body_shape", "jacket_color"))
    session.ask(categories="multiway")
    session.start_fit()
    session.jobs["fit"].wait(60)
    assert session.fitted.model.objective_ == pytest.approx(0.2466667)
    session.use(bundled_table("iris"))
    assert session.fitted is None and session.question.target == "species"


def test_a_new_target_brings_its_own_columns_and_kind():
    session = Session()
    session.use(bundled_table("iris"))
    session.ask(target="petal width (cm)")
    assert session.question.numeric
    assert "species" in session.question.columns
    assert "petal width (cm)" not in session.question.columns


def test_the_slider_moves_along_the_path():
    session = Session()
    session.use(bundled_table("iris"))
    session.start_fit()
    session.jobs["fit"].wait(60)
    before = session.fitted
    session.start_path()
    session.jobs["path"].wait(60)
    assert session.fitted is before
    sizes = []
    for place in range(len(session.path)):
        session.show(place)
        sizes.append(session.fitted.model.n_splits_)
    assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes) > 2
    with pytest.raises(ValueError, match="has no tree"):
        session.show(len(sizes))
    session.show(None)
    assert session.fitted is before


def test_an_error_of_a_fit_is_the_border_s_sentence():
    session = Session()
    session.use(read_upload("t.csv", b"a,y\n1,0\n2,0\n3,0\n"))
    session.start_fit()
    job = session.jobs["fit"]
    job.wait(60)
    if job.state == "failed":  # one class: refused, or a tree without splits
        assert job.error.endswith(".") and "\n" not in job.error
    else:
        assert session.fitted.model.n_splits_ == 0


# ---- nodes ---------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["iris", "monks", "diabetes"])
def test_rows_rules_and_histograms_agree(which, request):
    fitted = request.getfixturevalue(which)
    tree = fitted.tree
    frame = pd.DataFrame(fitted.table.columns)
    for node in range(tree.node_count):
        rows = fitted.rows_of(node)
        facts = node_facts(fitted, node)
        assert len(rows) == facts.n_rows == tree.n_node_samples[node]
        assert (facts.tested is None) == (tree.kind[node] == LEAF)
        for column in fitted.question.columns[:2]:
            counts = histogram(fitted, node, column)
            assert sum(map(sum, counts.series.values())) == len(rows)
            assert all(len(v) == len(counts.places) for v in counts.series.values())
        if which == "iris":  # the rule, read by pandas, picks the same rows
            query = " and ".join(
                c.replace("petal length (cm)", "`petal length (cm)`").replace(
                    "petal width (cm)", "`petal width (cm)`"
                )
                for c in facts.rule
            )
            picked = frame.query(query) if query else frame
            assert picked.index.tolist() == rows.tolist()


def test_the_cut_of_a_split_is_in_its_histogram(iris):
    counts = histogram(iris, 0, node_facts(iris, 0).tested)
    assert counts.threshold == iris.tree.threshold[0]
    assert 0 < counts.cut < len(counts.places)
    other = histogram(iris, 0, "sepal length (cm)")
    assert other.cut is None


def test_rows_are_plain_values(iris):
    (row,) = iris.table.rows(np.array([4]))
    assert row["row"] == 5 and row["species"] == "setosa"
    json.dumps(row)


def test_a_node_that_is_not_there(iris):
    with pytest.raises(ValueError, match="no node 99"):
        node_facts(iris, 99)


# ---- path and comparison -------------------------------------------------------------


@pytest.mark.parametrize("which", ["iris", "monks"])
def test_the_path_is_optimal_everywhere(which, request):
    fitted = request.getfixturevalue(which)
    path = trees_of_all_sizes(fitted.table, fitted.question, smallest=0.004)
    assert path[-1].low == pytest.approx(0.004) and path[0].high == pytest.approx(1.0)
    for small, large in pairwise(path):
        assert small.low == pytest.approx(large.high) and small.splits < large.splits
    for penalty in (0.005, 0.011, 0.03, 0.08, 0.2):
        (point,) = [p for p in path if p.low <= penalty < p.high]
        free = fit(fitted.table, replace(fitted.question, penalty=penalty)).model
        paid = point.fitted.model.tree_.n_penalties(free.penalize)
        assert point.loss + penalty * paid == pytest.approx(free.objective_)


def test_alternatives_are_counted_listed_and_shown(monkeypatch):
    monkeypatch.setattr("treeproof.explorer.alternatives._SECONDS", 1000.0)
    session = Session()
    session.use(bundled_table("iris"))
    session.start_fit()
    session.jobs["fit"].wait(60)
    best = session.fitted
    session.start_alternatives(0.01)
    session.jobs["alternatives"].wait(1000)
    found = session.alternatives
    assert found.count > len(found.listed) > 5
    costs = [one.cost for one in found.listed]
    assert costs == sorted(costs) and costs[0] == pytest.approx(best.model.objective_)
    assert costs[-1] <= best.model.objective_ + 0.01 + 1e-9
    assert 0 < max(own.share for own in found.use.values()) <= 1
    assert all(own.least <= own.most for own in found.use.values())
    assert 0 < found.disputed[0] < found.disputed[1] == 150
    assert 1 < found.n_predictions <= found.count
    spare = next(name for name, own in found.use.items() if 0 < own.share < 1)
    few = alternatives(best, 0.01, [spare])
    assert 0 < few.count < found.count and few.use[spare].share == 0
    with pytest.raises(ValueError, match="tests one of these columns"):
        alternatives(best, 0.0, list(found.use))
    session.show_alternative(3)
    assert session.fitted is found.listed[3].fitted
    assert node_facts(session.fitted, 0).n_rows == 150
    with pytest.raises(ValueError, match="no alternative 999"):
        session.show_alternative(998)
    session.start_fit()
    session.jobs["fit"].wait(60)
    assert session.alternatives is None and session.fitted.model.optimal_


def test_alternatives_that_cannot_be_had(iris, diabetes):
    with pytest.raises(ValueError, match="margin is between 0 and 1"):
        alternatives(iris, 2.0)
    found = alternatives(diabetes, 0.01)  # a share of the cost
    assert found.relative and found.count >= 1 and found.disputed is None


@pytest.mark.parametrize("which", ["iris", "diabetes"])
def test_greedy_is_never_better_where_it_may_do_the_same(which, request):
    both = compare(request.getfixturevalue(which))
    assert both.optimal.cost <= both.greedy.cost + 1e-9
    assert both.greedy.splits == both.greedy.leaves - 1
    assert both.n_train + both.n_test == len(
        request.getfixturevalue(which).table.columns[
            request.getfixturevalue(which).question.target
        ]
    )


def test_cart_s_tree_predicts_what_cart_predicts(monks):
    both = compare(fit(monks.table, replace(monks.question, categories="one-vs-rest")))
    tree = both.greedy.tree
    model = OptimalTreeClassifier().fit(
        monks.table.take(monks.question.columns), monks.table.columns["class"]
    )
    columns = model._read_rows(
        monks.table.take(monks.question.columns), all_columns=True
    )
    predicted = tree.classes[tree.predict(columns).argmax(axis=1)]
    share = np.mean(predicted.astype(str) == monks.table.columns["class"].astype(str))
    assert share == pytest.approx(both.greedy.score)


def test_missing_values_go_all_the_way():
    rng = np.random.default_rng(0)
    lines = ["a,c,y"]
    for _ in range(80):
        a, c = int(rng.integers(0, 6)), str(rng.choice(list("rgb")))
        y = "yes" if (a > 2) ^ (c == "r") else "no"
        lines.append(
            f"{'' if rng.random() < 0.2 else a},{'' if rng.random() < 0.2 else c},{y}"
        )
    table = read_upload("gaps.csv", "\n".join(lines).encode())
    for categories in ("multiway", "one-vs-rest", "subset"):
        question = replace(first_question(table), categories=categories)
        fitted = fit(table, question)
        assert fitted.model.optimal_
        for node in range(fitted.tree.node_count):
            rows = fitted.rows_of(node)
            assert len(rows) == node_facts(fitted, node).n_rows
            for name in ("a", "c"):
                counts = histogram(fitted, node, name)
                gone = counts.left_out if name == "a" and counts.threshold else 0
                shown = sum(map(sum, counts.series.values()))
                assert shown + gone <= len(rows) and shown > 0
    both = compare(fitted)
    assert 0 < both.greedy.score <= 1 and "<svg" in both.greedy.tree.to_svg()


def test_too_few_rows_to_hold_out():
    with pytest.raises(ValueError, match="too few"):
        divide(np.array(["a"]), numeric=False)


# ---- downloads -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", DOWNLOADS)
def test_every_file_holds_the_tree(kind, monks):
    name, content = make_download(monks, kind)
    assert name.startswith("monks.") and len(content) > 100
    if kind == "model":
        X = monks.table.take(monks.question.columns)
        again = from_json(content.decode())
        assert (again.predict(X) == monks.model.predict(X)).all()
    elif kind == "png":
        assert content.startswith(b"\x89PNG")
    elif kind == "sql":
        assert b"SELECT" in content and b'"monks"' in content


def test_the_proof_is_accepted(monks, tmp_path):
    _, content = make_download(monks, "proof")
    path = tmp_path / "p.gz"
    path.write_bytes(content)
    X = monks.table.take(monks.question.columns)
    assert check(path, X, monks.table.columns["class"]).accepted


def test_the_proof_for_numbers_is_accepted(diabetes, tmp_path):
    _, content = make_download(diabetes, "proof")
    path = tmp_path / "p.gz"
    path.write_bytes(content)
    X = diabetes.table.take(diabetes.question.columns)
    verdict = check(path, X, diabetes.table.columns[diabetes.question.target])
    assert verdict.accepted and verdict.optimal == diabetes.model.optimal_
    assert verdict.objective == pytest.approx(diabetes.model.objective_)


def test_there_is_no_other_download(diabetes):
    with pytest.raises(ValueError, match="no file 'nothing'"):
        make_download(diabetes, "nothing")


def test_a_column_that_names_the_rows_is_not_asked_for_at_first():
    n = np.arange(80)
    names = np.array([f"S{i}" for i in n], dtype=object)
    kind = np.array(["a", "b"] * 40, dtype=object)
    columns = {"id": names, "kind": kind, "y": n % 2}
    assert first_question(Table("t", columns, "y")).columns == ("kind",)
    alone = {"id": names, "y": n % 2}
    assert first_question(Table("t", alone, "y")).columns == ("id",)


@pytest.mark.parametrize("gap", [None, np.nan])
def test_rows_without_a_target_are_left_out(gap):
    labels = [gap, *(0.0 if gap is not None else "a" for _ in range(20)), gap]
    labels += [1.0 if gap is not None else "b"] * 20
    values = np.array(labels, dtype=float if gap is not None else object)
    table = Table("t.csv", {"x": np.arange(42.0), "k": values}, "k")
    fitted = fit(table, replace(first_question(table), numeric=False))
    assert fitted.model.optimal_ and fitted.score == 1.0
    shown = fitted.table.rows(fitted.rows_of(0))
    assert [row["row"] for row in shown] == [*range(2, 22), *range(23, 43)]
    assert compare(fitted).optimal.score == 1.0


def test_dates_are_split_and_shown(tmp_path):
    """A date is chosen at first, and all parts of the page can show its numbers."""
    path = tmp_path / "sales.csv"
    days = np.datetime64("2024-01-01") + np.arange(0, 360, 3)
    months = days.astype("datetime64[M]").astype(int) % 12
    pd.DataFrame({"day": days, "size": months % 5, "sold": months >= 6}).to_csv(
        path, index=False
    )
    table = read_path(str(path))
    assert [facts.kind for facts in table.facts()] == ["dates", "numbers", "categories"]
    question = replace(first_question(table, "sold"), max_depth=1)
    assert question.columns == ("day", "size")
    fitted = fit(table, question)
    tested = node_facts(fitted, 0).tested
    assert "of day" in tested and table_column(fitted, tested) == "day"
    shown = histogram(fitted, 0, tested)
    assert shown.cut is not None and sum(map(sum, shown.series.values())) == 120
    both = compare(fitted)
    assert both.greedy.held_out == 1.0 and both.optimal.cost <= both.greedy.cost
    assert b"What predicts sold?" in make_download(fitted, "report")[1]

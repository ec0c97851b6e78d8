"""Columns of dates: the numbers that stand for them are the same everywhere."""

import datetime
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.date_parts import PARTS, DatePart
from treeproof.persistence import load, save

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FIRST = "days of sold since 2019-12-30"


@pytest.fixture
def sales():
    rng = np.random.default_rng(0)
    days = pd.Series(pd.date_range("2019-12-30", "2023-03-01")).sample(
        400, random_state=0
    )
    sold = days.reset_index(drop=True)
    sold[0] = pd.Timestamp("2019-12-30")
    X = pd.DataFrame({"price": rng.integers(1, 50, 400), "sold": sold})
    return X


def targets(X):
    weekday, month = X.sold.dt.isocalendar().day, X.sold.dt.month
    return {
        "weekday": (weekday >= 6).astype(int).to_numpy(),
        "month": (month <= 3).astype(int).to_numpy(),
        "year": (X.sold.dt.year <= 2020).astype(int).to_numpy(),
        "days": (X.sold <= "2021-05-05").astype(int).to_numpy(),
    }


@pytest.mark.parametrize("part", PARTS)
def test_each_number_is_found_and_drawn_by_its_name(sales, part):
    y = targets(sales)[part]
    model = OptimalTreeClassifier(max_depth=1).fit(sales, y)
    assert model.optimal_ and model.n_splits_ == 1
    about = model.tree_.columns[model.tree_.feature[0]]
    # the days since the first date can say every year as well
    found = about.date.part if part == "year" else part
    assert about.date == DatePart(1, "sold", found, "2019-12-30")
    name = {"weekday": "weekday of sold (1 = Monday)", "days": FIRST}
    assert name.get(found, f"{found} of sold") in model.export_text()
    assert model.score(sales, y) == 1
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["price", "sold"]
    assert model.feature_importances_.tolist() == [0, 1]
    assert "sold" in model.to_svg()


def fitted(sales, **parameters):
    """Return a model that tests all numbers of dates, with some dates missing."""
    rng = np.random.default_rng(1)
    X = sales.copy()
    X.loc[rng.random(len(X)) < 0.1, "sold"] = pd.NaT
    known = {name: values.copy() for name, values in targets(sales).items()}
    dear = (X.price > 20).to_numpy().astype(int)
    y = known["weekday"] ^ known["month"] ^ (known["year"] & dear)
    gone = X.sold.isna().to_numpy()
    y[gone] = rng.integers(0, 2, gone.sum())
    model = OptimalTreeClassifier(0.001, max_depth=4, time_limit=10, **parameters)
    return model.fit(X, y), X, y


@pytest.mark.parametrize("missing", ["best-side", "branch"])
def test_all_exports_agree(sales, missing, tmp_path):
    model, X, _ = fitted(sales, missing=missing)
    tested = {model.tree_.columns[f].date for f in model.tree_.feature if f >= 0}
    assert {about.part for about in tested if about} >= {"weekday", "month"}
    new = X.copy()
    new["sold"] += pd.to_timedelta(np.arange(len(new)) * 3 - 800, unit="D")
    for rows in (X, new):
        expected = model.predict(rows)
        space = {}
        exec(model.to_python(), space)
        python = [space["predict"](row) for row in rows.to_dict("records")]
        assert python == expected.tolist()
        iso = rows.assign(sold=rows.sold.dt.strftime("%Y-%m-%d")).to_dict("records")
        assert [space["predict"](row) for row in iso] == expected.tolist()
        found = duckdb.sql(model.to_sql("duckdb", table="rows")).df()
        assert found.prediction.tolist() == expected.tolist()
        with sqlite3.connect(":memory:") as base:
            rows.assign(sold=rows.sold.dt.strftime("%Y-%m-%d")).to_sql("t", base)
            found = base.execute(model.to_sql("sqlite", table="t")).fetchall()
        assert [row[-1] for row in found] == expected.tolist()
        rules = model.to_rules()
        for row, said in zip(rows.to_dict("records"), expected, strict=True):
            assert [r.prediction for r in rules if r.holds(row)] == [said]
        single = model.to_sklearn().predict(model.encode(rows))
        assert single.tolist() == expected.tolist()
        save(model, tmp_path / "m.json")
        again = load(tmp_path / "m.json")
        assert again.predict(rows).tolist() == expected.tolist()
        assert again.tree_ == model.tree_
    for dialect in ("postgres", "mysql", "bigquery", "snowflake", "tsql", "spark"):
        assert "sold" in model.to_sql(dialect)
    with pytest.raises(ValueError, match="the tree tests column 'sold'"):
        model.to_onnx()


def test_tables_of_every_kind_give_the_same_tree(sales):
    y = targets(sales)["weekday"] ^ targets(sales)["year"]
    expected = OptimalTreeClassifier(max_depth=2).fit(sales, y)
    dates = sales.sold.dt.date
    tables = [
        sales.assign(sold=dates),
        sales.assign(sold=sales.sold + pd.Timedelta(hours=23)),
        sales.assign(sold=sales.sold.dt.tz_localize("Asia/Tokyo")),
        pl.from_pandas(sales),
        pl.from_pandas(sales).with_columns(pl.col("sold").cast(pl.Date)),
        pa.Table.from_pandas(sales),
        {"price": sales.price.to_numpy(), "sold": sales.sold.to_numpy()},
    ]  # fmt: skip
    for table in tables:
        model = OptimalTreeClassifier(max_depth=2).fit(table, y)
        assert model.tree_ == expected.tree_
        assert (model.predict(table) == expected.predict(sales)).all()
    bare = sales.to_numpy()
    model = OptimalTreeClassifier(max_depth=2).fit(bare, y)
    assert model.objective_ == expected.objective_
    assert (model.predict(bare) == expected.predict(sales)).all()
    alone = np.array(sales[["sold"]].to_numpy(), dtype="datetime64[D]")
    model = OptimalTreeClassifier(max_depth=2).fit(alone, y)
    assert model.objective_ == expected.objective_


def test_the_tree_is_the_best_over_the_same_numbers(sales):
    model, X, y = fitted(sales)
    made = pd.DataFrame(
        {"price": X.price, "year": X.sold.dt.year, "month": X.sold.dt.month,
         "weekday": X.sold.dt.day_of_week + 1,
         "days": (X.sold - pd.Timestamp("2019-12-30")).dt.days}
    )  # fmt: skip
    by_hand = OptimalTreeClassifier(0.001, max_depth=4, time_limit=10)
    by_hand.fit(made, y)
    if model.optimal_ and by_hand.optimal_:
        assert by_hand.objective_ == model.objective_
    small = OptimalTreeClassifier(0.001, max_depth=2).fit(X, y)
    other = OptimalTreeClassifier(0.001, max_depth=2).fit(made, y)
    assert small.optimal_ and small.objective_ == other.objective_


def test_regression_prefix_and_dropping_the_column(sales):
    y = sales.sold.dt.month * 2.0 + sales.price / 100
    model = OptimalTreeRegressor(0.01, max_depth=3).fit(sales, y)
    assert set(model.tree_.feature) == {-2, 3}
    found = model.drop_column_importance(sales, y)
    assert found[0].name == "sold" and found[0].increase[0] > 0.5
    top = {"feature": "weekday of sold (1 = Monday)", "threshold": 5}
    begun = OptimalTreeRegressor(0.01, max_depth=3, prefix=top).fit(sales, y)
    assert begun.tree_.threshold[0] == 5 and begun.objective_ > model.objective_
    assert model.get_params()["categorical_features"] == "from_dtype"
    mask = OptimalTreeRegressor(0.01, max_depth=3, categorical_features=[False, False])
    assert mask.fit(sales, y).objective_ == model.objective_


def test_what_is_refused(sales, tmp_path):
    y = targets(sales)["year"]
    model = OptimalTreeClassifier(max_depth=1).fit(sales, y)
    text = sales.assign(sold=sales.sold.dt.strftime("%Y-%m-%d"))
    with pytest.raises(
        ValueError, match=r"held dates when .* holds '20.*pd.to_datetime"
    ):
        model.predict(text)
    gone = sales.copy()
    gone.loc[7, "sold"] = pd.NaT
    with pytest.raises(ValueError, match="'sold' lacks the date in 1 row"):
        OptimalTreeClassifier(missing="error").fit(gone, y)
    with pytest.raises(TypeError, match="holds dates or times, which proofs do not"):
        OptimalTreeClassifier(max_depth=1).fit(sales, y, proof=tmp_path / "p")
    took = sales.assign(took=pd.to_timedelta(sales.price, unit="D")).drop(
        columns="sold"
    )
    with pytest.warns(UserWarning, match="'took' holds lengths of time"):
        OptimalTreeClassifier(max_depth=1).fit(took, y)
    empty = sales.assign(sold=pd.Series([pd.NaT] * 400))
    assert OptimalTreeClassifier(max_depth=1).fit(empty, y).n_features_in_ == 2
    assert (model.predict(empty) == model.predict(empty)[0]).all()


def test_the_oldest_and_the_newest_dates():
    old = [
        datetime.date(1, 1, 1),
        datetime.date(1969, 12, 31),
        datetime.date(9999, 12, 31),
    ]
    X = pl.DataFrame({"when": old * 10})
    y = [0, 1, 0] * 10
    model = OptimalTreeClassifier(0.0).fit(X, y)
    assert model.score(X, y) == 1
    space = {}
    exec(model.to_python(), space)
    assert [space["predict"]({"when": d}) for d in old] == [0, 1, 0]


def test_command_line(sales, tmp_path):
    y = targets(sales)["weekday"]
    sales.assign(sold=sales.sold.dt.strftime("%Y-%m-%d"), y=y).to_csv(
        tmp_path / "t.csv", index=False
    )
    run = CliRunner().invoke
    done = run(app, ["fit", str(tmp_path / "t.csv"), "--target", "y", "--save",
                     str(tmp_path / "m.json"), "--max-depth", "2"])  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "weekday of sold (1 = Monday) <= 5" in done.stdout
    done = run(app, ["predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv")])
    assert done.exit_code == 0, done.output
    assert [int(v) for v in done.stdout.split()[1:]] == y.tolist()


def test_other_learners_of_a_report_get_the_same_numbers(sales):
    from treeproof.report import investigate

    y = targets(sales)["weekday"]
    found = investigate(
        OptimalTreeClassifier(max_depth=2), {c: sales[c] for c in sales}, y,
        title="sales", target="weekend", details=False,
    )  # fmt: skip
    assert [score for _, _, score in found.scores[:2]] == [1, 1]

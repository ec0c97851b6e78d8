"""Fits on tables that are not in memory: the same trees as on the table itself."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.sources.bins import bin_number_sql, quantile_cuts

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
dd = pytest.importorskip("dask.dataframe")

N = 20_000
KINDS = ["parquet", "pattern", "csv", "csv.gz", "arrow", "table", "dataset",
         "relation", "dask"]  # fmt: skip


def make_table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 4, 2, 3]
    table = pd.DataFrame(
        {f"f{j}": rng.choice(list("abcd")[:k], n) for j, k in enumerate(sizes)}
    )
    table["n"] = rng.integers(0, 6, n)
    table['odd "name"'] = rng.choice(["1", "x 2", "it's"], n)
    good = (table.f0 == "a") & (table.n > 2) | (table.f1 == "c")
    noisy = good ^ (rng.random(n) < 0.15)
    table["label"] = np.where(noisy, "yes", "no")
    table["weight"] = rng.integers(0, 4, n)
    return table


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    table = make_table()
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    from pyarrow import dataset, feather, parquet

    parquet.write_table(arrow, folder / "rows.parquet")
    for k in range(3):
        parquet.write_table(arrow.slice(k * 7000, 7000), folder / f"part{k}.pq")
    table.to_csv(folder / "rows.csv", index=False)
    table.to_csv(folder / "rows.csv.gz", index=False)
    feather.write_feather(arrow, folder / "rows.arrow")
    sources = {
        "parquet": folder / "rows.parquet",
        "pattern": str(folder / "part*.pq"),
        "csv": str(folder / "rows.csv"),
        "csv.gz": str(folder / "rows.csv.gz"),
        "arrow": folder / "rows.arrow",
        "table": arrow,
        "dataset": dataset.dataset(folder / "rows.parquet"),
        "relation": duckdb.read_parquet(str(folder / "rows.parquet")),
        "dask": dd.from_pandas(table, npartitions=11),
    }
    return SimpleNamespace(
        table=table,
        X=table.drop(columns=["label", "weight"]),
        y=table["label"],
        w=table["weight"],
        sources=sources,
        folder=folder,
    )


def same(one, other):
    assert one.optimal_ and other.optimal_
    assert one.objective_ == other.objective_
    assert one.stats_["n_rows"] == other.stats_["n_rows"]
    assert list(one.feature_names_in_) == list(other.feature_names_in_)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.tree_ == other.tree_


@pytest.mark.parametrize("kind", KINDS)
def test_same_tree_as_in_memory(world, kind):
    model = OptimalTreeClassifier(0.005, max_depth=4)
    known = clone(model).fit(world.table.drop(columns="weight"), "label")
    same(known, clone(model).fit(world.X, world.y))
    weighted = clone(model).fit(world.X, world.y, world.w)
    found = model.fit(world.sources[kind], "label", sample_weight="weight")
    same(found, weighted)
    assert found.stats_["distinct_rows"] < N / 4
    assert found.stats_["read_seconds"] > 0
    assert found.score(world.sources[kind], "label") == pytest.approx(
        weighted.score(world.X, world.y)
    )
    assert found.score(world.sources[kind], "label", "weight") == pytest.approx(
        weighted.score(world.X, world.y, world.w)
    )
    if kind != "table":  # that one is in memory and must have the right columns
        predicted = found.predict(world.sources[kind])
        assert predicted.tolist() == weighted.predict(world.X).tolist()


@pytest.mark.parametrize("kind", ["parquet", "dask"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_leaf": 700},
        {"class_weight": {"yes": 0.0}},
        {"categorical_features": ["f0", "f1", "f2", "f3", "f4", "n", 'odd "name"']},
        {"categorical_split": "one-vs-rest", "max_splits": 4},
        {"solver": "threshold", "max_depth": 2, "min_samples_leaf": 900},
        {"solver": "branches", "penalize": "splits", "max_depth": 2},
    ],
)
def test_same_tree_with_other_parameters(world, kind, parameters):
    model = OptimalTreeClassifier(0.004, **parameters)
    known = clone(model).fit(world.X, world.y, world.w)
    same(model.fit(world.sources[kind], "label", "weight"), known)


@pytest.mark.parametrize("kind", ["parquet", "dask"])
def test_balanced_classes(world, kind):
    # The factors are sums of doubles in another order.
    model = OptimalTreeClassifier(class_weight="balanced", max_depth=3)
    known = clone(model).fit(world.X, world.y, world.w)
    found = model.fit(world.sources[kind], "label", "weight")
    assert found.optimal_
    assert found.objective_ == pytest.approx(known.objective_, rel=1e-9)
    assert found.tree_.n_node_samples.tolist() == known.tree_.n_node_samples.tolist()


def test_fractional_weights(world):
    table = world.table.assign(weight=world.w / 3)
    known = OptimalTreeClassifier().fit(world.X, world.y, table.weight)
    found = OptimalTreeClassifier().fit(
        duckdb.from_df(table), "label", sample_weight="weight"
    )
    assert found.objective_ == pytest.approx(known.objective_, abs=1e-9)
    assert found.tree_.n_node_samples.tolist() == known.tree_.n_node_samples.tolist()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("kind", ["relation", "dask"])
def test_regression(world, criterion, kind):
    rng = np.random.default_rng(3)
    table = world.X.assign(price=world.table.n * 2 + rng.integers(0, 3, N))
    source = duckdb.from_df(table) if kind == "relation" else dd.from_pandas(table, 4)
    model = OptimalTreeRegressor(criterion=criterion, max_depth=2, min_samples_leaf=50)
    known = clone(model).fit(world.X, table.price)
    found = model.fit(source, "price")
    assert found.optimal_
    assert found.objective_ == pytest.approx(known.objective_, rel=1e-9)
    assert found.tree_.n_node_samples.tolist() == known.tree_.n_node_samples.tolist()
    assert found.score(source, "price") == pytest.approx(
        known.score(world.X, table.price)
    )


def test_two_targets(world):
    table = world.X.assign(a=world.table.n * 1.0, b=world.table.n % 2)
    known = OptimalTreeRegressor(max_depth=2).fit(world.X, table[["a", "b"]])
    found = OptimalTreeRegressor(max_depth=2).fit(duckdb.from_df(table), ["a", "b"])
    assert found.objective_ == pytest.approx(known.objective_, rel=1e-9)
    assert found.predict(duckdb.from_df(table)).shape == (N, 2)


@pytest.mark.parametrize("kind", ["relation", "dask"])
def test_missing_values(world, kind):
    hole = np.random.default_rng(4).random(world.X.shape) < 0.1
    X = world.X.mask(hole)
    known = OptimalTreeClassifier(max_depth=3).fit(X, world.y)
    table = X.assign(label=world.y)
    source = duckdb.from_df(table) if kind == "relation" else dd.from_pandas(table, 4)
    found = OptimalTreeClassifier(max_depth=3).fit(source, "label")
    same(found, known)
    assert found.score(source, "label") == pytest.approx(known.score(X, world.y))
    with pytest.raises(ValueError, match="missing"):
        OptimalTreeClassifier(missing="error").fit(source, "label")


def numbers(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.normal(size=n), "z": rng.integers(0, 9, n) * 1.0})
    table["label"] = np.where((table.x > 0.3) ^ (rng.random(n) < 0.1), 1, 0)
    return table


def test_quantiles(world):
    table = numbers()
    model = OptimalTreeClassifier(max_depth=2, quantiles=16)
    known = clone(model).fit(table, "label")
    found = clone(model).fit(duckdb.from_df(table), "label")
    same(known, found)
    assert found.coarsened_ == ["x"]  # z has few values
    assert found.stats_["distinct_rows"] <= 16 * 9 * 2
    assert "quantile bins of 'x'" in found.certificate()
    fine = OptimalTreeClassifier(max_depth=2).fit(table, "label")
    assert fine.coarsened_ == [] and "bins" not in fine.certificate()
    assert fine.objective_ <= found.objective_
    # The counts of the tree are those of its own thresholds.
    leaves = found.apply(table[["x", "z"]])
    counts = np.bincount(leaves, minlength=found.tree_.node_count)
    is_leaf = found.tree_.kind == 0
    assert counts[is_leaf].tolist() == found.tree_.n_node_samples[is_leaf].tolist()
    few = OptimalTreeClassifier(max_depth=2, quantiles=5000).fit(table, "label")
    assert few.coarsened_ == [] and few.objective_ == fine.objective_


def test_quantiles_on_dask():
    table = numbers()
    model = OptimalTreeClassifier(max_depth=2, quantiles=16)
    found = model.fit(dd.from_pandas(table, npartitions=5), "label")
    assert found.optimal_ and found.coarsened_ == ["x"]
    leaves = found.apply(table[["x", "z"]])
    counts = np.bincount(leaves, minlength=found.tree_.node_count)
    is_leaf = found.tree_.kind == 0
    assert counts[is_leaf].tolist() == found.tree_.n_node_samples[is_leaf].tolist()


def test_quantile_cuts_in_sql_and_numpy():
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = np.round(rng.normal(size=300), int(rng.integers(1, 4)))
        bins = int(rng.integers(2, 40))
        distinct, counts = np.unique(values, return_counts=True)
        cuts = quantile_cuts(distinct, counts, bins)
        model = OptimalTreeClassifier(max_depth=1, quantiles=bins)
        source = duckdb.from_df(pd.DataFrame({"x": values, "y": values > 0}))
        model.fit(source, "y")
        assert (cuts is None) == (model.coarsened_ == [])
        if cuts is None:
            continue
        assert len(cuts) <= bins and cuts[-1] == distinct[-1]
        frame = pd.DataFrame({"x": values})
        sql = duckdb.from_df(frame).project(bin_number_sql("x", cuts)).fetchnumpy()
        (number,) = sql.values()
        assert number.tolist() == np.searchsorted(cuts, values).tolist()


def test_too_many_distinct_rows(world):
    table = numbers(n=30_000)
    model = OptimalTreeClassifier(memory_limit="4MB")
    with pytest.raises(ValueError, match=r"30,000 rows, of which 30,000 are distinct"):
        model.fit(duckdb.from_df(table), "label")
    with pytest.raises(ValueError, match=r"'x' \(about .*quantiles=64"):
        model.fit(duckdb.from_df(table), "label")
    with pytest.raises(ValueError, match=r"of which at least .* are distinct"):
        model.fit(dd.from_pandas(table, npartitions=3), "label")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(quantiles=32, max_depth=2).fit(duckdb.from_df(table), "label")
    assert model.optimal_


@pytest.mark.parametrize("kind", ["relation", "dask"])
def test_bad_sources(world, kind):
    def fit(table, y="label", weight=None):
        source = dd.from_pandas(table, npartitions=2)
        if kind == "relation":
            source = duckdb.from_df(table)
        OptimalTreeClassifier().fit(source, y, weight)

    table = world.table.head(50)
    with pytest.raises(ValueError, match="target 'lable' is not a column of"):
        fit(table, "lable")
    with pytest.raises(ValueError, match="weight 'wait' is not a column of"):
        fit(table, weight="wait")
    with pytest.raises(TypeError, match="y must be the name of its target"):
        fit(table, table.label)
    with pytest.raises(TypeError, match="sample_weight must be the name"):
        fit(table, weight=table.weight)
    with pytest.raises(ValueError, match="both target and weight"):
        fit(table, "n", "n")
    with pytest.raises(ValueError, match="nothing to split on"):
        fit(table[["label"]])
    with pytest.raises(ValueError, match="has 50 negative values"):
        fit(table.assign(weight=-1.0), weight="weight")
    with pytest.raises(ValueError, match="holds no numbers"):
        fit(table, weight="f0")
    with pytest.raises(ValueError, match="no rows of positive weight"):
        fit(table.assign(weight=0.0), weight="weight")
    missing = table.assign(label=table.label.where(np.arange(50) > 2, None))
    with pytest.raises(ValueError, match="'label' is missing in 3 rows"):
        fit(missing)
    with pytest.raises(TypeError, match="Column 'when' holds dates"):
        fit(table.assign(when=pd.Timestamp("2020-01-01")))


def test_bad_files(world, tmp_path):
    model = OptimalTreeClassifier()
    with pytest.raises(FileNotFoundError, match="There is no file"):
        model.fit(tmp_path / "none.parquet", "label")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        model.fit(tmp_path, "label")
    (tmp_path / "bad.parquet").write_text("hello")
    with pytest.raises(ValueError, match="is not a Parquet file"):
        model.fit(tmp_path / "bad.parquet", "label")
    (tmp_path / "a.csv").write_text("a,label\n1,0\n2,1\n")
    (tmp_path / "b.csv").write_text("b,label\n1,0\n2,1\n")
    with pytest.raises(ValueError, match="does not have the same first line"):
        model.fit(str(tmp_path / "*.csv"), "label")
    (tmp_path / "c.csv").write_text("a,label\n1,0\nn/a,1\n")
    with pytest.warns(UserWarning, match=r"read as missing in: 'a' \(1\)"):
        model.fit(tmp_path / "c.csv", "label")
    (tmp_path / "d.csv").write_text("a,label\n1,0\n2,1,7\n")
    with pytest.raises(ValueError, match="Line 3"):
        model.fit(tmp_path / "d.csv", "label")
    with pytest.raises(ValueError, match="proof describes a table row by row"):
        model.fit(world.sources["parquet"], "label", proof=tmp_path / "p")
    with pytest.raises(ValueError, match="without column names"):
        model.fit([[1], [2]], "label")
    with pytest.raises(ValueError, match="X has no column 'lable'"):
        model.fit(world.table, "lable")
    fitted = OptimalTreeClassifier(max_depth=1).fit(world.X, world.y)
    with pytest.raises(ValueError, match="lacks the column 'f0'"):
        fitted.predict(tmp_path / "a.csv")


def test_a_file_name_may_look_like_a_pattern(world, tmp_path):
    path = tmp_path / "rows[1].parquet"
    path.write_bytes((world.folder / "rows.parquet").read_bytes())
    model = OptimalTreeClassifier().fit(path, "label", "weight")
    assert model.stats_["n_rows"] == int((world.w > 0).sum())


def test_saved_models_remember_their_bins(world, tmp_path):
    from treeproof.persistence import load, save

    model = OptimalTreeClassifier(max_depth=2, quantiles=16).fit(numbers(), "label")
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").certificate() == model.certificate()


def test_command_line_counts_large_files(world, monkeypatch, capsys):
    import json

    from treeproof.cli import main, tables

    monkeypatch.setattr(tables, "LARGE_FILE", 1000)
    path = str(world.folder / "rows.parquet")
    options = ["--target", "label", "--drop", "weight", "--json", "--quiet"]
    answers = []
    for more in (["--memory-limit", "1GB"], ["--categorical", "n"]):
        with pytest.raises(SystemExit) as ended:
            monkeypatch.setattr("sys.argv", ["treeproof", "fit", path, *options, *more])
            main()
        assert ended.value.code == 0
        answers.append(json.loads(capsys.readouterr().out))
    known = OptimalTreeClassifier().fit(world.X, world.y)
    assert answers[0]["objective"] == known.objective_
    assert answers[0]["rows"] == N
    assert answers[0]["accuracy"] == pytest.approx(known.score(world.X, world.y))
    categories = [name for name in world.X]
    known = OptimalTreeClassifier(categorical_features=categories)
    assert answers[1]["objective"] == known.fit(world.X, world.y).objective_
    with pytest.raises(SystemExit) as ended:
        monkeypatch.setattr("sys.argv", ["treeproof", "fit", path, "--target", "lable"])
        main()
    assert ended.value.code == 2
    assert "The target 'lable' is not a column" in capsys.readouterr().err


def test_only_partitions_with_rows_count():
    table = make_table(n=3000).drop(columns="weight")
    parts = [table[:0], table[:2000], table[:0], table[2000:]]
    frame = dd.from_map(lambda k: parts[k], range(4), meta=table[:0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = OptimalTreeClassifier(0.01).fit(frame, "label")
    X, y = table.drop(columns="label"), table["label"]
    assert found.objective_ == OptimalTreeClassifier(0.01).fit(X, y).objective_

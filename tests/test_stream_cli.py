"""``treeproof stream``, and the streams of the thesis."""

import gzip
import json
import pickle

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof.cli import app
from treeproof.reproduce.figures.thesis import STREAMS as PAPER
from treeproof.stream.datasets import STREAMS, stream, xor

runner = CliRunner()


@pytest.fixture
def table(tmp_path):
    rows = list(xor(6, 1, 3000))
    lines = [",".join([*rows[0][0], "y"])]
    lines += [",".join(map(str, [*x.values(), ["no", "yes"][y]])) for x, y in rows]
    path = tmp_path / "xor.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("learner", ["online-branches", "ucdt", "egdt", "tsdt"])
def test_stream_a_file(table, learner):
    result = runner.invoke(
        app, ["stream", str(table), "--target", "y", "--learner", learner, "--json"]
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["splits"] == 3 and report["recent_accuracy"] == 1
    assert report["samples"] == 3000


def test_stream_from_standard_input_and_save(table, tmp_path):
    saved = tmp_path / "model"
    arguments = ["stream", "-", "--target", "y", "--save", str(saved), "--quiet"]
    result = runner.invoke(app, [*arguments, "--rows", "2000"], input=table.read_text())
    assert result.exit_code == 0, result.output
    assert "2,000 rows" in result.stdout and "x1 <= 0.5" in result.stdout
    model = pickle.loads(saved.read_bytes())
    assert model.predict_one({"x0": 1, "x1": 0}) == "yes"
    model.learn_one({"x0": 1, "x1": 0}, "yes")
    assert model.stats_["samples"] == 2001


def test_other_formats_give_the_same(table, tmp_path):
    packed = tmp_path / "xor.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    files = [table, packed]
    pq = pytest.importorskip("pyarrow.parquet")
    from pyarrow import csv

    pq.write_table(csv.read_csv(table), tmp_path / "xor.parquet")
    files.append(tmp_path / "xor.parquet")
    trees = set()
    for file in files:
        result = runner.invoke(app, ["stream", str(file), "--target", "y", "--quiet"])
        assert result.exit_code == 0, result.output
        trees.add(result.stdout.split("3,000 rows")[0])
    assert len(trees) == 1


def test_cells_are_read_by_their_column(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["number,whole,text,y"]
    for _ in range(2000):
        x = round(rng.normal(), 3)
        lines.append(f"{x},{rng.integers(3)},{rng.choice(['a', ''])},{int(x > 0)}")
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(lines))
    result = runner.invoke(app, ["stream", str(path), "--target", "y", "--quiet"])
    assert result.exit_code == 0, result.output
    assert "number <=" in result.stdout


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--target", "z"], "There is no column 'z'"),
        (["--target", "y", "--learner", "cart"], "There is no learner 'cart'"),
        (["--target", "y", "--window", "0"], "window_size"),
        (["--target", "y", "--drop", "q"], "There is no column 'q'"),
    ],
)
def test_bad_requests_say_what_is_wrong(table, arguments, words):
    result = runner.invoke(app, ["stream", str(table), *arguments])
    assert result.exit_code != 0 and words in str(result.exception)


def test_every_stream_has_its_row():
    assert {name for name, _ in PAPER} == set(STREAMS)
    pytest.importorskip("river")
    for name, settings in STREAMS.items():
        rows = list(stream(name, n_samples=200))
        assert len(rows[0][0]) == settings.n_features
        assert len({y for _, y in rows}) == settings.n_classes
        values = {v for x, _ in rows for v in x.values()}
        assert len(values) == settings.n_categories
    with pytest.raises(ValueError, match="There is no stream"):
        stream("nile")

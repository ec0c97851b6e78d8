"""From raw files to a plotted optimal tree, its SQL and ONNX, in one command each."""

import sys
from pathlib import Path

import duckdb
import onnxruntime
import pandas as pd
import pytest
from data_sets import data_file

from treeproof.cli import main
from treeproof.export.onnx import input_arrays
from treeproof.persistence import load

ROOT = Path(__file__).resolve().parents[1]
NAMES = ["balance-scale", "car", "mushroom", "nursery", "tic-tac-toe"]


@pytest.mark.parametrize("name", NAMES)
def test_one_command(name, tmp_path, monkeypatch, capsys):
    source = data_file("raw", f"{name}.csv.gz")
    monkeypatch.chdir(tmp_path)
    arguments = [
        "fit", str(source), "--target", "class", "--quiet", "--plot", "tree.png",
        "--sql", "tree.sql", "--onnx", "tree.onnx", "--save", "tree.json",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["treeproof", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    assert "Optimal: no tree" in capsys.readouterr().out
    assert Path("tree.png").stat().st_size > 10_000
    model = load("tree.json")
    text = {c.name for c in model.tree_.columns if c.is_categorical}
    frame = pd.read_csv(source, dtype=dict.fromkeys(text, str), keep_default_na=False)
    frame = frame.drop(columns="class")
    expected = model.predict(frame).tolist()
    with duckdb.connect() as base:
        base.register(name, frame)
        rows = base.execute(Path("tree.sql").read_text()).fetchall()
    assert [row[-1] for row in rows] == expected
    session = onnxruntime.InferenceSession(Path("tree.onnx").read_bytes())
    labels = session.run(["label"], input_arrays(model.tree_, frame))[0]
    assert labels.tolist() == expected

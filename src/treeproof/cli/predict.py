"""``treeproof predict``: apply a saved model to a table."""

from __future__ import annotations

import csv
import json
import sys
from typing import Annotated, Any

import numpy as np
import typer

from treeproof.cli.fitted import text_columns
from treeproof.cli.outputs import say_written
from treeproof.cli.tables import read_table
from treeproof.cli.training import marks
from treeproof.cli.tree_options import Database, JsonOutput, MissingMarks, TableFile

__all__ = ["predict", "register"]


def predict(
    model: Annotated[str, typer.Argument(help="A file written by fit --save.")],
    data: TableFile,
    proba: Annotated[
        bool, typer.Option("--proba", help="Also write the probability of each class.")
    ] = False,
    na: MissingMarks = None,
    database: Database = None,
    output: Annotated[
        str | None,
        typer.Option(
            help="Write the predictions to this CSV file instead of the screen."
        ),
    ] = None,
    as_json: JsonOutput = False,
) -> None:
    """Predict with a saved model; columns that the model does not use are ignored.

    treeproof predict iris.json new_flowers.csv > predictions.csv
    treeproof predict iris.json new_flowers.parquet --proba --output shares.csv
    treeproof predict iris.json "select * from flowers" --database garden.db
    """
    from treeproof.columns import plain
    from treeproof.persistence import load_with_target

    loaded, target = load_with_target(model)
    fitted = _estimator(loaded)
    columns = fitted.tree_.columns
    table = read_table(
        data, text=text_columns(columns), database=database, na=marks(na)
    )
    names = [column.name for column in columns if column.date is None]
    missing = [name for name in names if name not in table]
    if missing:
        raise ValueError(
            f"The table lacks the column {missing[0]!r} that the model was fitted on; "
            f"its columns are {', '.join(map(repr, table))}."
        )
    rows = {name: table[name] for name in names}
    values = [plain(v) for v in fitted.predict(rows)]
    header = [target or "prediction"]
    lines: list[list[Any]] = [[value] for value in values]
    if proba:
        if not hasattr(fitted, "predict_proba"):
            raise ValueError("--proba needs a classifier; this model is a regressor.")
        shares = fitted.predict_proba(rows)
        header += [f"probability of {plain(label)}" for label in fitted.classes_]
        lines = [
            [*line, *share] for line, share in zip(lines, shares.tolist(), strict=True)
        ]
    if as_json:
        typer.echo(json.dumps(_object(fitted, header, lines, proba)))
    elif output is not None:
        with open(output, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *lines])
        say_written(output)
    else:
        csv.writer(sys.stdout, lineterminator="\n").writerows([header, *lines])


def _estimator(model: Any) -> Any:
    """Return an object with `predict`: the estimator, or one made for a bare tree."""
    from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, Tree

    if not isinstance(model, Tree):
        return model
    fitted: Any
    if model.classes is None:
        fitted = OptimalTreeRegressor()
        fitted.n_outputs_ = model.value.shape[1]
    else:
        fitted = OptimalTreeClassifier()
        fitted.classes_ = model.classes
    fitted.tree_ = model
    names = [column.name for column in model.given_columns]
    fitted.n_features_in_ = len(names)
    fitted.feature_names_in_ = np.array(names, dtype=object)
    return fitted


def _object(
    fitted: Any, header: list[str], lines: list[list[Any]], proba: bool
) -> dict[str, Any]:
    from treeproof.columns import plain

    result: dict[str, Any] = {
        "target": header[0],
        "rows": len(lines),
        "predictions": [line[0] for line in lines],
    }
    if proba:
        result["classes"] = [plain(label) for label in fitted.classes_]
        result["probabilities"] = np.array([line[1:] for line in lines]).tolist()
    return result


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(predict)

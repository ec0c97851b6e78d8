"""Table 1 of Leboeuf, LeBlanc and Marchand (2020): pruning on random splits."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treeproof.cli.reproduce import ReproducedTable, Request

__all__ = ["PAPER", "table_1"]


@dataclass(frozen=True)
class PaperRow:
    """Size of a data set and the published mean and deviation of the test accuracy."""

    shape: tuple[int, int, int]  # rows, features, classes
    original: tuple[float, float]
    cart: tuple[float, float]
    m_cart: tuple[float, float]
    bound: tuple[float, float]


_PUBLISHED = """
breast-cancer     569 30  2  .928 .024  .923 .027  .930 .017  .942 .022
cardiotocography 2126 21 10  .566 .023  .562 .023  .566 .024  .567 .022
climate           540 18  2  .903 .024  .920 .021  .922 .017  .921 .014
sonar             208 60  2  .727 .061  .702 .054  .695 .084  .724 .053
retinopathy      1151 19  2  .613 .027  .576 .044  .602 .040  .622 .023
fertility         100  9  2  .790 .060  .878 .051  .878 .051  .866 .056
haberman          306  3  2  .660 .062  .746 .043  .721 .043  .719 .043
image-segments    210 19  7  .862 .048  .814 .144  .844 .050  .858 .050
ionosphere        351 34  2  .891 .035  .772 .108  .867 .057  .892 .032
iris              150  4  3  .933 .030  .860 .139  .838 .158  .937 .028
parkinsons        195 22  2  .859 .062  .848 .064  .858 .065  .863 .065
planning-relax    182 12  2  .595 .075  .725 .049  .729 .048  .595 .075
qsar-biodeg      1055 41  2  .752 .031  .741 .033  .757 .026  .761 .028
seeds             210  7  3  .918 .034  .914 .040  .905 .081  .925 .033
spambase         4601 57  2  .844 .027  .839 .028  .842 .029  .846 .026
vertebral-column  310  6  3  .800 .050  .725 .139  .804 .046  .819 .044
wall-robot       5456 24  4  .995 .002  .994 .002  .994 .002  .994 .001
wine              178 13  3  .908 .041  .902 .045  .903 .043  .904 .046
yeast            1484  8 10  .429 .019  .368 .059  .384 .058  .442 .019
"""
# Name; rows, features, classes; then mean and deviation of the unpruned tree, CART,
# M-CART and the bound.


def _read(line: str) -> tuple[str, PaperRow]:
    name, *cells = line.split()
    rows, features, classes = map(int, cells[:3])
    numbers = list(map(float, cells[3:]))
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return name, PaperRow((rows, features, classes), *pairs)


PAPER = dict(map(_read, _PUBLISHED.strip().splitlines()))
"""The rows of the published table."""

_BUNDLED = ("iris", "wine", "breast-cancer")

_OPENML = {
    "cardiotocography": "cardiotocography",
    "climate": "climate-model-simulation-crashes",
    "sonar": "sonar",
    "retinopathy": "diabetic-retinopathy",
    "fertility": "fertility",
    "haberman": "haberman",
    "image-segments": "segment",
    "ionosphere": "ionosphere",
    "parkinsons": "parkinsons",
    "planning-relax": "planning-relax",
    "qsar-biodeg": "qsar-biodeg",
    "seeds": "seeds",
    "spambase": "spambase",
    "vertebral-column": "vertebra-column",
    "wall-robot": "wall-robot-navigation",
    "yeast": "yeast",
}
"""Their names at OpenML; a set of another size than the paper's is refused."""

_LABELS = {"original": "unpruned", "cart": "CART", "m-cart": "M-CART", "bound": "bound"}


def table_1(request: Request) -> ReproducedTable:
    """Run the protocol on each set, and put the published numbers beside ours."""
    from treeproof.generalization.comparison import MODELS, compare_pruners

    n_splits = request.repeats or 25
    rows: list[list[str]] = []
    data: list[dict[str, Any]] = []
    skipped: list[str] = []
    for name in _chosen(request.datasets):
        try:
            X, y = load(name)
        except _NotHere as reason:
            skipped.append(f"{name} was left out: {reason}")
            request.say(skipped[-1])
            continue
        request.say(f"{name}: {X.shape[0]} rows, {X.shape[1]} features")
        results = compare_pruners(X, y, n_splits=n_splits, seed=request.seed)
        paper = PAPER.get(name)
        rows.append([name, *_cells(results, paper)])
        entry: dict[str, Any] = {"dataset": name, "splits": n_splits}
        for model in MODELS:
            result = results[model]
            entry[model] = {
                "accuracy": result.mean,
                "deviation": result.deviation,
                "leaves": float(np.mean(result.leaves)),
                "milliseconds": 1000 * float(np.mean(result.seconds)),
            }
            if paper is not None:
                mean, deviation = getattr(paper, model.replace("-", "_"))
                entry[model] |= {"paper": mean, "paper_deviation": deviation}
        entry["bound"]["risk_bound"] = float(np.mean(results["bound"].bound))
        data.append(entry)
    if not rows:
        raise ValueError(" ".join(skipped))
    return ReproducedTable(
        f"Test accuracy over {n_splits} random splits: mean ± deviation (paper's mean)",
        ["data set", *(_LABELS[model] for model in MODELS), "leaves", "bound"],
        rows,
        [
            "Leaves: unpruned, CART, M-CART, bound. The last column is the mean value "
            "of the risk bound with r = 2^-13.7; above 1 it ranks trees and promises "
            "nothing.",
            *skipped,
        ],
        data,
    )


def _cells(results: dict[str, Any], paper: PaperRow | None) -> list[str]:
    cells = []
    for model, result in results.items():
        text = f"{result.mean:.3f} ± {result.deviation:.3f}"
        if paper is not None:
            text += f" ({getattr(paper, model.replace('-', '_'))[0]:.3f})"
        cells.append(text)
    leaves = ", ".join(f"{np.mean(r.leaves):.1f}" for r in results.values())
    return [*cells, leaves, f"{np.mean(results['bound'].bound):.2f}"]


class _NotHere(Exception):
    """A data set cannot be had."""


def _chosen(asked: list[str]) -> list[str]:
    if asked == ["all"]:
        return list(PAPER)
    known = {*PAPER, *_folder_sets()}
    for name in asked:
        if name not in known:
            raise ValueError(
                f"There is no data set {name!r}; there are {', '.join(sorted(known))}."
            )
    return asked or list(_BUNDLED)


def load(name: str) -> tuple[Any, Any]:
    """Return the features and labels of a set by its name in `PAPER`."""
    if name in _BUNDLED:
        from sklearn import datasets

        loaders: dict[str, Callable[..., Any]] = {
            "iris": datasets.load_iris,
            "wine": datasets.load_wine,
            "breast-cancer": datasets.load_breast_cancer,
        }
        X, y = loaders[name](return_X_y=True)
        return X, y
    files = _folder_sets()
    if name in files:
        return _read_csv(files[name])
    return _fetch(name)


def _folder_sets() -> dict[str, Path]:
    """Return the CSV files with numeric features in the folder $TREEPROOF_DATA."""
    folder = os.environ.get("TREEPROOF_DATA")
    if not folder:
        return {}
    files = Path(folder, "continuous").glob("*.csv.gz")
    return {file.name.removesuffix(".csv.gz"): file for file in sorted(files)}


def _read_csv(path: Path) -> tuple[Any, Any]:
    from treeproof.cli.tables import pop_column, read_table

    table = read_table(str(path))
    y = np.asarray(pop_column(table, "y", "target"))
    columns = [np.asarray(column, dtype=float) for column in table.values()]
    return np.column_stack(columns), y


def _fetch(name: str) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about each new attempt
            X, y = fetch_openml(
                _OPENML[name], version=1, return_X_y=True, as_frame=False
            )
    except Exception as error:
        raise _NotHere(f"OpenML did not answer ({type(error).__name__})") from None
    found = (*X.shape, len(np.unique(y)))
    if found != PAPER[name].shape:
        raise _NotHere(
            f"OpenML's copy has {found[0]} rows, {found[1]} features and {found[2]} "
            f"classes, the paper's has {PAPER[name].shape}"
        )
    return X.astype(float), y

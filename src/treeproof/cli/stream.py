"""``treeproof stream``: learn from rows one at a time, with a live display."""

from __future__ import annotations

import contextlib
import json
import pickle
import time
from collections import deque
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from treeproof.cli.errors import INTERRUPTED
from treeproof.cli.outputs import say_written
from treeproof.cli.stream_rows import read_rows
from treeproof.cli.training import listed
from treeproof.cli.tree_options import JsonOutput
from treeproof.persistence import write_whole
from treeproof.words import counted

__all__ = ["LEARNERS", "register", "stream"]

LEARNERS = {
    "online-branches": "OnlineBranchesClassifier",
    "ucdt": "UpperConfidenceTreeClassifier",
    "egdt": "EpsilonGreedyTreeClassifier",
    "tsdt": "ThompsonTreeClassifier",
}

_RECENT = 1000  # number of rows of the recent accuracy
_REFRESH = 0.1  # seconds between two updates of the display


def stream(
    data: Annotated[
        str, typer.Argument(help="CSV (also .gz) or Parquet file; - for CSV on stdin.")
    ],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    learner: Annotated[str, typer.Option(help=", ".join(LEARNERS))] = "online-branches",
    split_penalty: Annotated[
        float, typer.Option(help="Cost of each split, as a fraction of the rows.")
    ] = 0.01,
    window: Annotated[
        int, typer.Option(help="Number of rows in the window of online-branches.")
    ] = 1000,
    numeric: Annotated[
        str | None,
        typer.Option(help="Columns A,B of numbers, whatever their first rows hold."),
    ] = None,
    categorical: Annotated[
        str | None,
        typer.Option(help="Columns A,B of numbers that are categories, not amounts."),
    ] = None,
    max_categories: Annotated[
        int,
        typer.Option(
            help="Maximum number of categories of a column; others are read alike."
        ),
    ] = 50,
    drop: Annotated[
        str | None, typer.Option(help="Columns A,B that are not used.")
    ] = None,
    drift: Annotated[
        bool, typer.Option(help="Start a new search when the stream changes.")
    ] = True,
    memory_limit: Annotated[
        str, typer.Option(help="Memory limit, such as 500MB or 2GB.")
    ] = "128MB",
    seed: Annotated[
        int, typer.Option(help="Seed of the random choices of ucdt, egdt and tsdt.")
    ] = 0,
    rows: Annotated[int | None, typer.Option(help="Stop after this many rows.")] = None,
    save: Annotated[
        str | None, typer.Option(help="Pickle the learner into this file at the end.")
    ] = None,
    as_json: JsonOutput = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No live display.")] = False,
) -> None:
    """Predict each row, then learn it; accuracy, splits and speed are shown live."""
    model = _make(
        learner, split_penalty, window, drift, memory_limit, seed,
        max_categories=max_categories, categorical_features=listed(categorical),
    )  # fmt: skip
    counts = _Counts(model)
    table = read_rows(
        data,
        target,
        numeric=listed(numeric),
        categorical=listed(categorical),
        drop=listed(drop),
    )
    interrupted = False
    display = (
        contextlib.nullcontext()
        if quiet or as_json
        else Live(console=Console(stderr=True), transient=True, auto_refresh=False)
    )
    with display as live:
        shown = 0.0
        try:
            for x, y in table:
                if rows is not None and counts.samples >= rows:
                    break
                counts.add(model.predict_one(x) == y)
                model.learn_one(x, y)
                if live is not None and counts.samples % 64 == 0:
                    now = time.perf_counter()
                    if now - shown > _REFRESH:
                        shown = now
                        live.update(counts.show(), refresh=True)
        except KeyboardInterrupt:
            interrupted = True
    if counts.samples == 0:
        raise ValueError(f"{data!r} has no rows to learn from.")
    if save is not None:
        # The whole learner is pickled, so that it can continue learning later.
        write_whole(save, pickle.dumps(model))
        say_written(save)
    result = counts.report(learner)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        console = Console(highlight=False)
        console.print(model.draw(), soft_wrap=True)
        console.print(_sentence(result), style="bold", soft_wrap=True)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _make(
    learner: str,
    penalty: float,
    window: int,
    drift: bool,
    memory: str,
    seed: int,
    **reading: Any,
) -> Any:
    import treeproof.stream as learners

    if learner not in LEARNERS:
        raise ValueError(
            f"There is no learner {learner!r}; there are {', '.join(LEARNERS)}."
        )
    params: dict[str, Any] = {
        "split_penalty": penalty,
        "memory_limit": memory,
        **reading,
    }
    if not drift:
        params["drift_detector"] = None
    params |= (
        {"window_size": window} if learner == "online-branches" else {"seed": seed}
    )
    model = getattr(learners, LEARNERS[learner])(**params)
    model._validate_params()
    return model


class _Counts:
    """The counts that are kept while rows are read."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.samples = self.hits = 0
        self.recent: deque[bool] = deque(maxlen=_RECENT)
        self.start = time.perf_counter()

    def add(self, hit: bool) -> None:
        self.samples += 1
        self.hits += hit
        self.recent.append(hit)

    def report(self, learner: str) -> dict[str, Any]:
        seconds = time.perf_counter() - self.start
        model = self.model
        result = {
            "learner": learner,
            "samples": self.samples,
            "accuracy": self.hits / max(1, self.samples),
            "recent_accuracy": sum(self.recent) / max(1, len(self.recent)),
            "splits": model.n_splits_,
            "depth": model.get_depth(),
            "drifts": model.n_drifts_,
            "seconds": seconds,
            "samples_per_second": self.samples / max(seconds, 1e-9),
        }
        if hasattr(model, "finished_"):
            result["finished"] = model.finished_
            result["samples_consumed"] = model.n_samples_consumed_
        return result

    def show(self) -> Table:
        result = self.report("")
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_row(
            f"[bold]{self.samples:,}[/bold] rows",
            f"accuracy [bold]{result['recent_accuracy']:.3f}[/bold] of the last "
            f"{len(self.recent)}, {result['accuracy']:.3f} of all",
            f"[bold]{result['splits']}[/bold] splits",
            f"{result['drifts']} drifts",
            f"{result['samples_per_second']:,.0f} rows/s",
        )
        return table


def _sentence(result: dict[str, Any]) -> str:
    text = (
        f"{result['samples']:,} rows; accuracy {result['recent_accuracy']:.4f} lately, "
        f"{result['accuracy']:.4f} overall; {counted(result['splits'], 'split')}; "
        f"{counted(result['drifts'], 'drift')}; "
        f"{result['samples_per_second']:,.0f} rows/s"
    )
    if result.get("finished"):
        text += f"; search ended after {result['samples_consumed']:,} rows"
    return text


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(stream)

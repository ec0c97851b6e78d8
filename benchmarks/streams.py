"""Trees that learn from streams: ``python -m benchmarks.streams``.

Two questions, answered in one process and in processor time:

1. What do the four online learners make of the thesis' streams (Table 5.1) within
   200,000 rows, over seed 42 and ten further ones? Accuracy is that of the final tree
   on the 2,000 rows that come next. Rows are fed as tables, 5,000 at a time. Every seed
   has a random tree of its own; in the "same tree" stream (``--same-tree``), for
   Online-BRANCHES alone, all seeds have
   the thesis' tree, that of seed 42, and other rows.
2. How fast are they, row by row, beside River's Hoeffding tree (VFDT) in the same run?

Every run is stored in ``benchmarks/results/streams.csv`` at once, and a stored run is
not repeated; delete the file, or give ``--anew``, to measure again.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from treeproof.reproduce.figures.thesis import STREAMS as PAPER
from treeproof.stream.comparison import make_learner
from treeproof.stream.datasets import STREAMS, random_tree, stream, xor_arrays

OURS = ("Online-BRANCHES", "UCDT", "EGDT", "TSDT")
SEEDS = (42, *range(1, 11))
SAMES = {"random-tree-3, same tree": "random-tree-3"}
RESULTS = Path(__file__).parent / "results" / "streams.csv"
TEST_ROWS = 2000
CHUNK = 1000
TABLE_ROWS = 5000

# Accuracy 1 with so many splits on every seed.
SOLVED = {
    "Online-BRANCHES": {
        "led": 9, "led-irrelevant": 9, "stagger": 2,
        "xor-1": 3, "xor-2": 3, "xor-3": 3, "xor-4": 3,
    },
    "UCDT": {f"xor-{k}": 3 for k in (1, 2, 3, 4)},
    "EGDT": {f"xor-{k}": 3 for k in (1, 2, 3)},
    "TSDT": {f"xor-{k}": 3 for k in (1, 2, 3)},
}  # fmt: skip
# Median accuracy.
REACHED = {
    "Online-BRANCHES": {
        "random-tree-1": 1.0,
        "random-tree-2": 0.89,
        "random-tree-3": 0.88,
    },
    "TSDT": {"random-tree-1": 0.96},
}


@dataclass
class Run:
    """One learner on one stream."""

    part: str  # "table" or "speed"
    stream: str
    seed: int
    learner: str
    accuracy: float
    splits: int
    samples: int
    seconds: float
    finished: bool

    @property
    def key(self) -> tuple[str, str, int, str]:
        return self.part, self.stream, self.seed, self.learner

    @property
    def rate(self) -> float:
        return self.samples / max(self.seconds, 1e-9)


class Store:
    """Runs in a CSV file, appended one by one."""

    def __init__(self, path: Path, *, anew: bool) -> None:
        self.path = path
        self.runs: dict[tuple[str, str, int, str], Run] = {}
        if anew or not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", newline="") as file:
                csv.writer(file).writerow([f.name for f in fields(Run)])
            return
        with path.open(newline="") as file:
            for record in csv.DictReader(file):
                run = Run(
                    record["part"],
                    record["stream"],
                    int(record["seed"]),
                    record["learner"],
                    float(record["accuracy"]),
                    int(record["splits"]),
                    int(record["samples"]),
                    float(record["seconds"]),
                    record["finished"] == "True",
                )
                self.runs[run.key] = run

    def add(self, run: Run) -> None:
        self.runs[run.key] = run
        with self.path.open("a", newline="") as file:
            csv.DictWriter(file, [f.name for f in fields(Run)]).writerow(asdict(run))
        print(
            f"{run.part} {run.stream}, seed {run.seed}, {run.learner}: accuracy "
            f"{run.accuracy:.4f}, {run.splits} splits, {run.samples:,} rows, "
            f"{run.seconds:.2f} s",
            flush=True,
        )


def rows_of(name: str, seed: int) -> Iterator[tuple[dict[Any, Any], int]]:
    """Return the rows of a stream or of one with the thesis' random tree."""
    if name in SAMES:
        return stream(SAMES[name], seed, seed_tree=42)
    return stream(name, seed)


def arrays_of(name: str, seed: int, n_rows: int) -> tuple[Any, Any]:
    """Return the first rows of a stream as a matrix and labels."""
    if name.startswith("xor"):
        return xor_arrays(STREAMS[name].n_features, n_rows, seed)
    rows = list(islice(rows_of(name, seed), n_rows))
    names = list(rows[0][0])
    X = np.array([[x[key] for key in names] for x, _ in rows])
    return X, np.array([int(y) for _, y in rows])


def learn_table(
    store: Store, names: list[str], seeds: list[int], n_samples: int
) -> None:
    """Fill the first part of the store."""
    for name in names:
        for seed in seeds:
            missing = [
                learner
                for learner in (OURS[:1] if name in SAMES else OURS)
                if ("table", name, seed, learner) not in store.runs
            ]
            if not missing:
                continue
            X, y = arrays_of(name, seed, n_samples + TEST_ROWS)
            for learner in missing:
                store.add(learn_arrays(learner, name, seed, X, y, n_samples))


def learn_arrays(
    learner: str, name: str, seed: int, X: Any, y: Any, n_samples: int
) -> Run:
    """Feed a table chunk by chunk until the learner ends or the rows do."""
    model = make_learner(learner, SAMES.get(name, name), seed, [])
    start = time.process_time()
    at = 0
    while at < n_samples and not getattr(model, "finished_", False):
        model.partial_fit(X[at : at + TABLE_ROWS], y[at : at + TABLE_ROWS])
        at += TABLE_ROWS
    seconds = time.process_time() - start
    test = slice(at, at + TEST_ROWS)
    return Run(
        "table",
        name,
        seed,
        learner,
        float(np.mean(model.predict(X[test]) == y[test])),
        model.n_splits_,
        getattr(model, "n_samples_consumed_", None) or at,
        round(seconds, 3),
        getattr(model, "finished_", True),
    )


def measure_speed(store: Store, names: list[str], n_samples: int, limit: float) -> None:
    """Fill the second part: every learner row by row on the same rows."""
    for name in names:
        missing = [
            learner
            for learner in (*OURS, "VFDT")
            if ("speed", name, 42, learner) not in store.runs
        ]
        for learner in missing:
            store.add(learn_rows(learner, name, n_samples, limit))


def learn_rows(learner: str, name: str, n_samples: int, limit: float) -> Run:
    """Learn row by row; making the rows is not timed, River's trees get a limit."""
    rows = rows_of(name, 42)
    part = list(islice(rows, CHUNK))
    model = make_learner(learner, name, 42, list(part[0][0]))
    samples, seconds = 0, 0.0
    while True:
        start = time.process_time()
        for x, y in part:
            model.learn_one(x, y)
        seconds += time.process_time() - start
        samples += len(part)
        if samples >= n_samples or getattr(model, "finished_", False):
            break
        if learner not in OURS and seconds > limit:
            break
        part = list(islice(rows, CHUNK))
    hits = [model.predict_one(x) == y for x, y in islice(rows, TEST_ROWS)]
    splits = model.n_splits_ if learner in OURS else model.n_branches or 0
    return Run(
        "speed",
        name,
        42,
        learner,
        sum(hits) / len(hits),
        int(splits),
        samples,
        round(seconds, 3),
        getattr(model, "finished_", samples >= n_samples),
    )


def optimum(name: str, seed: int) -> float | None:
    """Return the accuracy of the cheapest pruning of the tree that labels the rows.

    Only random trees have one. A learner that minimises the thesis' cost finds this
    tree, or a cheaper one, when rows are without number.
    """
    settings = STREAMS[SAMES.get(name, name)]
    if settings.maker != "random_tree":
        return None
    rows = random_tree(
        42 if name in SAMES else seed,
        n_features=settings.n_features,
        n_categories=settings.n_categories,
    )
    next(iter(rows))  # the tree is made with the first row

    def prune(node: Any, share: float) -> tuple[float, float, float]:
        """Cost and errors of the best pruning, and the share of class one inside."""
        if not node.children:
            return 0.0, 0.0, float(node.class_label)
        parts = [prune(child, share / len(node.children)) for child in node.children]
        ones = sum(part[2] for part in parts) / len(parts)
        leaf = share * min(ones, 1 - ones)
        split = settings.split_penalty + sum(part[0] for part in parts)
        if leaf <= split:
            return leaf, leaf, ones
        return split, sum(part[1] for part in parts), ones

    return 1 - prune(rows.tree_root, 1.0)[1]


def table_report(store: Store) -> list[str]:
    """Return the first table, with the thesis' figures and the targets."""
    lines = [
        "| stream | learner | seeds | median accuracy | least | median splits | "
        "solved | median rows | most seconds | thesis | target |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in (*STREAMS, *SAMES):
        for learner in OURS:
            runs = [
                r
                for r in store.runs.values()
                if (r.part, r.stream, r.learner) == ("table", name, learner)
            ]
            if not runs:
                continue
            accuracy = [r.accuracy for r in runs]
            paper = PAPER[SAMES.get(name, name), learner]
            target, solved = verdict(name, learner, runs)
            lines.append(
                f"| {name} | {learner} | {len(runs)} | {median(accuracy):.3f} | "
                f"{min(accuracy):.3f} | {median(r.splits for r in runs):g} | "
                f"{solved} | {median(r.samples for r in runs):,.0f} | "
                f"{max(r.seconds for r in runs):.1f} | "
                f"{paper['accuracy']}, {paper['splits']} splits | {target} |"
            )
    return lines


def verdict(name: str, learner: str, runs: list[Run]) -> tuple[str, str]:
    """Return whether the target is met, and on how many seeds the stream is solved."""
    splits = SOLVED.get(learner, {}).get(name)
    paper = PAPER[SAMES.get(name, name), "Online-BRANCHES"]
    wanted = splits or int(paper["splits"])
    solved = sum(r.accuracy == 1 and r.splits == wanted for r in runs)
    count = f"{solved}/{len(runs)}" if name not in SAMES and "tree" not in name else ""
    if splits is not None:
        return "met" if solved == len(runs) else "MISSED", count
    least = REACHED.get(learner, {}).get(name)
    if least is None:
        return "", count
    reached = median(r.accuracy for r in runs)
    return f"{least:g}: {'met' if reached >= least else 'MISSED'}", count


def optimum_report(store: Store) -> list[str]:
    """Return what the trees of least cost reach on the random trees."""
    lines = ["| stream | accuracy of the tree of least cost, median over the seeds |"]
    lines.append("|---|---|")
    for name in (*STREAMS, *SAMES):
        seeds = {r.seed for r in store.runs.values() if r.stream == name}
        found = [a for seed in sorted(seeds) if (a := optimum(name, seed)) is not None]
        if found:
            lines.append(f"| {name} | {median(found):.3f} |")
    return lines


def speed_report(store: Store) -> list[str]:
    """Return the second table."""
    learners = (*OURS, "VFDT")
    lines = ["| stream | " + " | ".join(learners) + " |", "|---" * 6 + "|"]
    for name in STREAMS:
        cells = []
        for learner in learners:
            run = store.runs.get(("speed", name, 42, learner))
            cells.append(
                ""
                if run is None
                else f"{run.rate:,.0f}/s ({run.samples:,} rows in {run.seconds:.1f} s)"
            )
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", default=",".join(STREAMS), help="A,B,...")
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)), help="42,1,...")
    parser.add_argument("--samples", type=int, default=200_000, help="rows at most")
    parser.add_argument(
        "--limit", type=float, default=30.0, help="seconds for one of River's trees"
    )
    parser.add_argument(
        "--same-tree", action="store_true", help="also one tree for all"
    )
    parser.add_argument(
        "--part", choices=["table", "speed", "report"], help="only this"
    )
    parser.add_argument("--anew", action="store_true", help="forget stored runs")
    options = parser.parse_args()
    names = options.streams.split(",")
    seeds = [int(seed) for seed in options.seeds.split(",")]
    store = Store(RESULTS, anew=options.anew)
    if options.part in (None, "table"):
        same = list(SAMES) if options.same_tree else []
        learn_table(store, [*names, *same], seeds, options.samples)
    if options.part in (None, "speed"):
        measure_speed(store, names, options.samples, options.limit)
    report = "\n".join(
        [
            "## Accuracy and splits", "", *table_report(store), "",
            "## What the least cost allows", "", *optimum_report(store), "",
            "## Rows per second, one by one", "", *speed_report(store), "",
        ]
    )  # fmt: skip
    RESULTS.with_suffix(".md").write_text(report)
    print(report)


if __name__ == "__main__":
    main()

"""A million rows: memory and speed over time, ``python -m benchmarks.streams_million``.

XOR among 50 bits, where the two bits that matter change every 100,000 rows, so that no
search may rest: drift is found and a new search begins. Rows come as tables of 10,000.
For each 20,000 rows: processor time, resident memory of the process, and what the
learner says it uses. The learners run one after the other, each in a process of its
own; figures go to ``benchmarks/results/streams_million.csv``, and into a plot:

    python -m benchmarks.streams_million --plot docs/images/stream_million.png
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "streams_million.csv"
COLUMNS = ("learner", "rows", "seconds", "resident_mb", "learner_mb", "splits", "hits")
COLORS = {
    "UCDT": "#2a9d8f",
    "EGDT": "#e0a030",
    "TSDT": "#c9622b",
    "Online-BRANCHES": "#1d4e89",
}
N_FEATURES, PHASE, STEP, CHUNK = 50, 100_000, 20_000, 10_000


def resident_mb() -> float:
    """Return the memory the process has now; its peak where the system does not say."""
    status = Path("/proc/self/statm")
    if status.exists():
        pages = int(status.read_text().split()[1])
        return pages * resource.getpagesize() / 1e6
    unit = 1 if sys.platform == "darwin" else 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def make(learner: str) -> Any:
    """Return an untrained learner with its default drift detector."""
    from treeproof import stream

    kind = {
        "Online-BRANCHES": stream.OnlineBranchesClassifier,
        "UCDT": stream.UpperConfidenceTreeClassifier,
        "EGDT": stream.EpsilonGreedyTreeClassifier,
        "TSDT": stream.ThompsonTreeClassifier,
    }[learner]
    options: dict[str, Any] = {"split_penalty": 0.01, "memory_limit": "32MB"}
    if learner == "Online-BRANCHES":
        return kind(**options, window_size=5000)
    return kind(**options, seed=42)


def follow(learner: str, n_rows: int) -> list[tuple[Any, ...]]:
    """Feed a learner and note how it stands every `STEP` rows."""
    rng = np.random.default_rng(42)
    model = make(learner)
    notes = []
    seconds, hits = 0.0, 0
    for at in range(0, n_rows, CHUNK):
        X = rng.integers(0, 2, (CHUNK, N_FEATURES), dtype=np.uint8)
        first = 2 * (at // PHASE) % N_FEATURES
        y = X[:, first] ^ X[:, first + 1]
        if at:
            hits += int(np.sum(model.predict(X) == y))
        start = time.process_time()
        model.partial_fit(X, y)
        seconds += time.process_time() - start
        if (at + CHUNK) % STEP == 0:
            size = model.stats_["bytes"] / 1e6
            notes.append(
                (learner, at + CHUNK, round(seconds, 3), round(resident_mb(), 2),
                 round(size, 3), model.n_splits_, hits)
            )  # fmt: skip
            seconds, hits = 0.0, 0
    return notes


def measure(learners: list[str], n_rows: int) -> None:
    """Run each learner in a fresh process and store its notes."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for learner in learners:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                notes = pool.apply(follow, (learner, n_rows))
            writer.writerows(notes)
            file.flush()
            report(learner, notes)


def report(learner: str, notes: list[tuple[Any, ...]]) -> None:
    """Print the second tenth of the run beside the last."""
    tenth = max(1, len(notes) // 10)
    early, late = notes[tenth : 2 * tenth], notes[-tenth:]
    cost = [
        sum(n[2] for n in part) / (len(part) * STEP) * 1e6 for part in (early, late)
    ]
    memory = [max(n[3] for n in part) for part in (early, late)]
    total = sum(n[2] for n in notes)
    accuracy = sum(n[6] for n in notes) / max(1, notes[-1][1] - CHUNK)
    print(
        f"{learner}: {notes[-1][1]:,} rows in {total:.1f} s; second tenth and last: "
        f"{cost[0]:.1f} and {cost[1]:.1f} us a row, "
        f"{memory[0]:.1f} and {memory[1]:.1f} MB; "
        f"accuracy table by table {accuracy:.3f}",
        flush=True,
    )


def plot(target: Path) -> None:
    """Draw memory and time per row against the rows learnt."""
    import matplotlib.pyplot as plt

    with RESULTS.open(newline="") as file:
        records = list(csv.DictReader(file))
    plt.rcParams.update({"font.size": 11, "font.family": "sans-serif"})
    figure, (memory, speed) = plt.subplots(1, 2, figsize=(11, 3.8))
    for learner, color in COLORS.items():
        mine = [r for r in records if r["learner"] == learner]
        rows = [int(r["rows"]) / 1e6 for r in mine]
        style = {"color": color, "linewidth": 1.8, "label": learner}
        memory.plot(rows, [float(r["resident_mb"]) for r in mine], **style)
        speed.plot(rows, [float(r["seconds"]) / STEP * 1e6 for r in mine], **style)
    memory.set_title("memory of the process, MB", loc="left", fontsize=11)
    speed.set_title("processor time a row, µs", loc="left", fontsize=11)
    for axis in (memory, speed):
        axis.set_ylim(0, 1.2 * axis.get_ylim()[1])
        axis.set_xlabel("million rows learnt")
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#eeeeee")
    figure.legend(
        *memory.get_legend_handles_labels(), loc="lower center", ncols=4, frameon=False
    )
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(target, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--learners", default=",".join(COLORS), help="A,B,...")
    parser.add_argument("--plot", type=Path, help="draw the figures into this file")
    parser.add_argument("--only-plot", action="store_true", help="of a stored run")
    options = parser.parse_args()
    if not options.only_plot:
        measure(options.learners.split(","), options.rows)
    if options.plot:
        plot(options.plot)


if __name__ == "__main__":
    main()

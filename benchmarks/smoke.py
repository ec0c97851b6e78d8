"""Every suite of `treeproof bench`, a table of a paper, and small noisy tables.

Neither other solvers nor files of data are needed. Nearly all of the time goes into
starting processes, one for each fit, so there are few: each suite runs the solvers that
no suite before it has run. A fit that does not come back with a tree is a failure.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from treeproof.cli import app
from treeproof.cli.errors import one_sentence

from . import real

__all__ = ["SUITES", "main"]

SUITES = (
    "monks --solvers treeproof,cart",
    "iris --suite numbers --max-depth 2 --solvers treeproof,quant-bnb",
    "diabetes --suite regression --max-depth 2 --solvers treeproof",
    "xor-1 --suite streams --rows 4000 --solvers online-branches,ucdt",
)
TABLE = "reproduce thesis-4.3 --sets balance-o --fresh"


def _failures(figures: Path) -> list[str]:
    """Return who brought no tree, and which exact solver no proof."""
    with figures.open(newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = {"treeproof": {"optimal"}, "quant-bnb": {"optimal"}}
    return [
        f"{row['solver']} on {row['problem']}: {row['status']} {row['detail']}"
        for row in rows
        if row["status"] not in wanted.get(row["solver"], {"open"})
    ] or ([] if rows else ["nothing was run"])


def main(folder: Path = Path("build/smoke")) -> int:
    """Run them one after the other as the command line does; return how many failed."""
    folder.mkdir(parents=True, exist_ok=True)
    figures, failed = folder / "figures.csv", []
    for suite in SUITES:
        line = f"bench {suite} --limit 5 --csv {figures}"
        print(f"\n$ treeproof {line}", flush=True)
        app(line.split(), standalone_mode=False)
        failed += _failures(figures)
    print(f"\n$ treeproof {TABLE} --out {folder}", flush=True)
    app([*TABLE.split(), "--out", str(folder)], standalone_mode=False)
    print("\n$ python -m benchmarks.real --smoke --limit 1", flush=True)
    real.main(limit=1.0, output=folder, peers=False, smoke=True)
    for sentence in failed:
        print(f"FAILED {sentence}")
    return len(failed)


if __name__ == "__main__":
    with one_sentence():
        sys.exit(main())

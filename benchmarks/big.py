"""A table of a hundred million rows: from Parquet to a proved tree.

DuckDB writes a table of twelve categorical columns with a planted tree and noise. Then
one process after another fits it: through DuckDB, and through Dask with two worker
processes. Each says how long reading and searching took and the most memory it
occupied.

    python -m benchmarks.big --rows 1000000
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = ["north", "east", "south", "west"]
SIZES = [2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4]
NOISE = 0.1
PENALTY = 0.005
MEMORY = "1600MB"
ROW_GROUP = 500_000


def _planted() -> str:
    """Six splits, one of them with four outcomes."""
    return (
        "CASE WHEN f0 = 'north' THEN CASE f10 WHEN 'north' THEN f6 = 'north' "
        "WHEN 'east' THEN true WHEN 'south' THEN false ELSE f1 = 'north' END "
        "ELSE CASE WHEN f7 = 'east' THEN f2 = 'north' ELSE false END END"
    )


def write(path: Path, rows: int) -> float:
    """Write the table; its values are hashes, so that it is always the same."""
    import duckdb

    def column(j: int, size: int) -> str:
        words = ", ".join(f"'{w}'" for w in WORDS[:size])
        return f"[{words}][1 + (hash(i * 16 + {j}) % {size})::INT] AS f{j}"

    columns = ", ".join(column(j, k) for j, k in enumerate(SIZES))
    wrong = f"hash(i * 16 + 15) % 1000 < {int(1000 * NOISE)}"
    start = time.perf_counter()
    with duckdb.connect(
        config={"memory_limit": "1GB", "preserve_insertion_order": "false"}
    ) as base:
        base.execute(
            f"COPY (SELECT * EXCLUDE i, CASE WHEN ({_planted()}) <> ({wrong}) "
            "THEN 'yes' ELSE 'no' END AS label FROM "
            f"(SELECT i, {columns} FROM range({rows}) t(i))) "
            f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {ROW_GROUP})"
        )
    return time.perf_counter() - start


def scan(path: Path) -> float:
    """Return the time DuckDB takes to read every column once."""
    import duckdb

    start = time.perf_counter()
    columns = ", ".join(f"f{j}" for j in range(len(SIZES)))
    # A hash of all values: the answer is in no statistics of the file.
    duckdb.sql(f"SELECT bit_xor(hash({columns}, label)) FROM '{path}'").fetchall()
    return time.perf_counter() - start


def _report(model, seconds: float, peak: list[float]) -> dict:
    return {
        "rows": model.stats_["n_rows"],
        "distinct": model.stats_["distinct_rows"],
        "seconds": seconds,
        "read": model.stats_["read_seconds"],
        "search": model.stats_["seconds"],
        "peak_mb": peak,
        "objective": model.objective_,
        "status": model.status_,
        "tree": model.export_text(),
    }


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fit(path: str) -> dict:
    from treeproof import OptimalTreeClassifier

    model = OptimalTreeClassifier(PENALTY, memory_limit=MEMORY, time_limit=None)
    start = time.perf_counter()
    model.fit(path, y="label")
    return _report(model, time.perf_counter() - start, [_peak()])


def fit_on_cluster(path: str) -> dict:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from treeproof import OptimalTreeClassifier

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", memory_limit=0,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        model = OptimalTreeClassifier(PENALTY, memory_limit=MEMORY, time_limit=None)
        start = time.perf_counter()
        model.fit(dd.read_parquet(path, split_row_groups=True), y="label")
        seconds = time.perf_counter() - start
        peaks = [_peak(), *client.run(_peak).values()]
    return _report(model, seconds, peaks)


def _in_process(how: str, path: Path) -> dict:
    """Run one fit in a process of its own, which knows its peak of memory."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.big", "--worker", how, str(path)],
        check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def _line(name: str, found: dict) -> str:
    peaks = " + ".join(f"{p:.0f}" for p in found["peak_mb"])
    return (
        f"{name:8} {found['status']}, objective {found['objective']:.6f}; "
        f"{found['seconds']:.1f} s: reading {found['read']:.1f}, search "
        f"{found['search']:.2f}; peak {peaks} MB; {found['rows']:,} rows, "
        f"{found['distinct']:,} distinct"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--file", type=Path, help="keep the table here")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        how, path = options.worker
        print(json.dumps({"duckdb": fit, "dask": fit_on_cluster}[how](path)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "big.parquet"
        if not path.exists():
            seconds = write(path, options.rows)
            print(f"written in {seconds:.1f} s: {path.stat().st_size / 1e6:,.0f} MB")
        print(f"every column read once in {scan(path):.1f} s")
        one = _in_process("duckdb", path)
        print(_line("DuckDB", one), one["tree"], sep="\n", flush=True)
        two = _in_process("dask", path)
        print(_line("Dask", two))
        same = one["tree"] == two["tree"] and one["objective"] == two["objective"]
        print("The two trees are the same." if same else "THE TREES DIFFER.")
        sys.exit(0 if same else 1)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()

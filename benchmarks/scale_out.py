"""What many workers would do: the task graph, simulated with measured times.

The search of `fit(..., distributed=client)` runs here with workers that do not exist.
The coordinator is the real one, and so is every subproblem, solved one after the other;
only the clock is made up: a task starts on the first free worker and takes the
processor time it was measured to take, the coordinator's own thinking included (list
scheduling). The second part does the same for counting rows: partitions and joins with
measured times per row.

    python -m benchmarks.scale_out --workers 1 2 8 64 1000
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import queue
import time

import numpy as np

from treeproof import OptimalTreeClassifier
from treeproof.cluster import coordinator, worker
from treeproof.solving.solvers import Task
from treeproof.sources.training import classification_data

TASK_OVERHEAD = 0.005  # seconds from submit to start and from end to answer


class Finished:
    """A future whose work is done, though its time has not come."""

    status = "finished"

    def __init__(self, value) -> None:
        self._value = value

    def add_done_callback(self, callback) -> None:
        pass

    def result(self):
        return self._value


class VirtualCluster:
    """A client and its queue of answers, with a clock of its own."""

    def __init__(self, workers: int) -> None:
        self._free = {f"worker {k}": 0.0 for k in range(workers)}
        self._waiting: list = []
        self._order = itertools.count()
        self._thought = time.thread_time()
        self.now = 0.0
        self.busy = 0.0

    def nthreads(self) -> dict[int, int]:
        return dict.fromkeys(self._free, 1)

    def scatter(self, value, **_) -> Finished:
        return Finished(value)

    def cancel(self, _) -> None:
        pass

    def run(self, function, run: str, **_) -> None:
        for name in self._free:
            function(f"{run} {name}")

    def _think(self) -> None:
        """The coordinator's own time passes too."""
        now = time.thread_time()
        self.now += now - self._thought
        self._thought = now

    def submit(
        self, function, shared, slices, run, *arguments, workers, **_
    ) -> Finished:
        self._think()
        start = time.thread_time()
        name = workers[0]  # has a memory of its own
        future = Finished(
            function(shared.result(), slices, f"{run} {name}", *arguments)
        )
        seconds = time.thread_time() - start
        self._thought = time.thread_time()
        begin = max(self.now, self._free[name]) + TASK_OVERHEAD
        self._free[name] = begin + seconds
        done = begin + seconds + TASK_OVERHEAD
        heapq.heappush(self._waiting, (done, next(self._order), future))
        self.busy += seconds
        return future

    def put(self, future: Finished) -> None:
        raise AssertionError("answers come in the order of the virtual clock")

    def get(self, timeout: float = 0.0) -> Finished:
        self._think()
        done, _, future = heapq.heappop(self._waiting)
        self.now = max(self.now, done)
        return future

    def get_nowait(self) -> Finished:
        self._think()
        if not self._waiting or self._waiting[0][0] > self.now:
            raise queue.Empty
        return heapq.heappop(self._waiting)[2]


def problem(rows: int, features: int, penalty: float) -> Task:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (rows, features))
    y = rng.integers(0, 2, rows)
    model = OptimalTreeClassifier(penalty)
    data, _ = classification_data(model, X, y, None, 0)
    return Task(
        table=data.table, labels=data.labels, n_classes=2, weights=data.weights,
        split_penalty=penalty,
    )  # fmt: skip


def search(task: Task, workers: int) -> tuple[float, float, dict]:
    cluster = VirtualCluster(workers)
    run = coordinator._Run(cluster, task)
    run._answers = cluster
    found = run.solve()
    return cluster.now, cluster.busy, found


def count_rows(
    rows: int, workers: int, per_row: float, per_joined: float, distinct: int
) -> float:
    """Time of counting on a cluster: a million rows a partition, joins of eight."""
    free = [0.0] * workers
    heapq.heapify(free)

    def place(seconds: float, ready: float) -> float:
        begin = max(heapq.heappop(free), ready) + TASK_OVERHEAD
        heapq.heappush(free, begin + seconds)
        return begin + seconds

    level = [place(1e6 * per_row, 0.0) for _ in range(max(1, rows // 10**6))]
    while len(level) > 1:
        groups = [level[k : k + 8] for k in range(0, len(level), 8)]
        level = [place(len(g) * distinct * per_joined, max(g)) for g in groups]
    return level[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 8, 64, 1000])
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--features", type=int, default=18)
    parser.add_argument("--penalty", type=float, default=0.006)
    parser.add_argument(
        "--stretch",
        type=float,
        default=1.0,
        help="slices are this much longer: on a busy machine, wall time over CPU time",
    )
    parser.add_argument("--per-row", type=float, default=1.5e-6)
    parser.add_argument("--per-joined-row", type=float, default=0.2e-6)
    options = parser.parse_args()
    worker.MOST_MEMOS = max(options.workers)  # of all workers, in this process
    for name in ("ROOT_SECONDS", "FIRST_SECONDS", "NEXT_SECONDS"):
        setattr(coordinator, name, getattr(coordinator, name) * options.stretch)
    task = problem(options.rows, options.features, options.penalty)
    start = time.process_time()
    from treeproof.solving.solvers import solve

    _, alone = solve("sparse", task)
    one = time.process_time() - start
    print(f"one process: {one:.2f} s, {alone['status']}")
    for workers in options.workers:
        seconds, busy, found = search(task, workers)
        same = found["upper"] == alone["upper"] and found["lower"] == alone["lower"]
        counts = found["statistics"]
        print(
            f"{workers:5} workers: {seconds:7.2f} s, {one / seconds:6.2f} times one "
            f"process; work {busy:7.2f} s in {counts['tasks']} tasks, "
            f"{counts['nodes_split']} subproblems split; "
            f"{'same optimum' if same else 'ANOTHER OPTIMUM'}",
            flush=True,
        )
    for rows in (10**8, 10**9):
        costs = options.per_row, options.per_joined_row
        times = [(w, count_rows(rows, w, *costs, 165_888)) for w in options.workers]
        listed = ", ".join(f"{w}: {seconds:.0f} s" for w, seconds in times)
        print(f"counting {rows:,} rows by workers:", listed)


if __name__ == "__main__":
    main()

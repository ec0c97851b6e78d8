"""The coordinator: which subproblem to send, for how long, and when to split it.

The whole problem is tried first, for a second: most are solved by then. What is left is
split at its root, and every subproblem is tried briefly, many to a message, since most
are cut off or solved at once. The others come back for longer slices, to the worker
that had them before if it is free; one that has come back twice is split further as
soon as workers would idle. A subproblem is sent with the budget it has at that moment,
so that the best tree known anywhere cuts off searches everywhere else.

Every worker remembers what it has proved; with an answer it sends what took some
effort, and the coordinator passes that on with the next task for each of the others.

Nothing depends on a worker that is lost: Dask runs its tasks elsewhere, and a task that
Dask gives up is sent again. Bounds only ever come from finished slices, so that the
certificate is the same as on one machine.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from treeproof.cluster.graph import Graph, Node, flatten
from treeproof.cluster.table import SharedTable, shared_table
from treeproof.cluster.worker import RECORD_BYTES, Slice, forget, work
from treeproof.extras import need
from treeproof.solving.answer import Answer
from treeproof.solving.solvers import Task
from treeproof.solving.stopping import stop_wanted

__all__ = ["solve_on_cluster"]

ROOT_SECONDS = 1.0
FIRST_SECONDS = 0.1
NEXT_SECONDS = 0.5
GROWTH = 2
# maximum length of a slice; more with many workers, to relieve the coordinator
MOST_SECONDS = 2.0
SECONDS_PER_WORKER = 0.1
BATCH = 8
# records that are sent with the answers of all workers, and with one task
MOST_RECORDS = 40_000
_LOST = ("KilledWorker", "FutureCancelledError", "FutureLostError", "CancelledError",
         "CommClosedError")  # fmt: skip


def solve_on_cluster(client: Any, solver: str, task: Task) -> tuple[str, Answer]:
    """Solve a classification problem with the workers of a Dask client.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    solver : str
        "auto" or "sparse".
    task : Task
        The problem.

    Returns
    -------
    str, dict
        The solver's name and its answer, as returned by
        `treeproof.solving.solvers.solve`.
    """
    need("distributed", "dask", "fit(..., distributed=client)")
    if not hasattr(client, "submit") or not hasattr(client, "scatter"):
        raise TypeError(
            "distributed must be a dask.distributed.Client, not a "
            f"{type(client).__name__}."
        )
    if solver not in ("auto", "sparse"):
        raise ValueError(
            f'solver="{solver}" runs on one machine only; use solver="auto" or '
            'solver="sparse" with distributed.'
        )
    if task.max_splits is not None:
        raise ValueError(
            "max_splits cannot be combined with distributed: subproblems share the "
            "number of splits. Use split_penalty or max_depth."
        )
    if task.prefix is not None:
        name = task.prefix.parameter
        raise ValueError(f"{name} cannot be combined with distributed; leave one out.")
    if task.proof_log:
        raise ValueError(
            "A proof is written on one machine only; leave out distributed."
        )
    return "sparse", _Run(client, task).solve()


class _Run:
    def __init__(self, client: Any, task: Task) -> None:
        self._client = client
        self._task = task
        self._start = time.perf_counter()
        self._table: SharedTable = shared_table(task)
        self._graph = Graph(self._table)
        self._shared: Any = None
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._running: dict[Any, tuple[str, list[tuple[Node, Slice]]]] = {}
        self._threads: Mapping[str, int] = {}  # of each worker
        self._load: Counter[str] = Counter()  # tasks at each worker
        self._name = uuid.uuid4().hex
        # records that each worker has not received yet
        self._news: dict[str, list[bytes]] = {}
        self._counts = {"tasks": 0, "slices": 0, "nodes_split": 0, "tasks_lost": 0}
        self._worker_seconds = 0.0
        self._reported = (-1, -1)

    def solve(self) -> Answer:
        self._share()
        status = "optimal"
        root = self._graph.root
        try:
            while not root.solved:
                if stop_wanted():
                    status = "interrupted"
                    break
                if self._seconds_left() <= 0:
                    status = "time_limit"
                    break
                self._send()
                self._receive()
                self._report()
        except KeyboardInterrupt:
            status = "interrupted"
        finally:
            self._client.cancel(list(self._running))
            self._client.run(forget, self._name, on_error="ignore")
        if root.solved:
            status = "optimal"
        return self._answer(status)

    def _share(self) -> None:
        """Give the table to every worker."""
        self._shared = self._client.scatter(self._table, broadcast=True, hash=False)

    def _seconds(self) -> float:
        return time.perf_counter() - self._start

    def _seconds_left(self) -> float:
        limit = self._task.time_limit
        return float("inf") if limit is None else limit - self._seconds()

    def _n_places(self) -> int:
        return sum(self._threads.values())

    def _send(self) -> None:
        """Keep every worker busy, and one task waiting for each."""
        self._threads = self._client.nthreads() or {"": 1}
        places = 2 * self._n_places() - len(self._running)
        while places > 0:
            wanted = self._graph.open_nodes(places * BATCH)
            if len(wanted) < places and self._split_one():
                continue
            if not wanted:
                return
            batch: list[tuple[Node, Slice]] = []
            single: list[tuple[Node, Slice]] = []
            for node, cutoff in wanted:
                part = (node, self._slice(node, cutoff))
                (batch if node.visits == 1 and node.branch else single).append(part)
            size = max(1, min(BATCH, -(-len(batch) // places)))
            groups = [[part] for part in single]
            groups += [batch[k : k + size] for k in range(0, len(batch), size)]
            for group in groups[:places]:
                self._submit(group)
            for group in groups[places:]:
                for node, _ in group:
                    node.visits -= 1
            return

    def _slice(self, node: Node, cutoff: int) -> Slice:
        node.visits += 1
        if not node.branch:
            seconds, cutoff = ROOT_SECONDS, 0
        elif node.visits == 1:
            seconds = FIRST_SECONDS
        else:
            most = max(MOST_SECONDS, SECONDS_PER_WORKER * self._n_places())
            seconds = min(most, NEXT_SECONDS * GROWTH ** (node.visits - 2))
        seconds = max(0.01, min(seconds, self._seconds_left()))
        return Slice(node.branch, node.depth_left, seconds, cutoff)

    def _submit(self, parts: list[tuple[Node, Slice]]) -> None:
        home = self._home(parts[0][0])
        future = self._client.submit(
            work,
            self._shared,
            [part for _, part in parts],
            self._name,
            self._news_for(home),
            max(100, MOST_RECORDS // self._n_places()),
            workers=[home] if home else None,
            allow_other_workers=bool(home),
            pure=False,
        )
        for node, _ in parts:
            node.running = True
            node.home = home
        self._running[future] = home, parts
        self._load[home] += 1
        self._counts["tasks"] += 1
        self._counts["slices"] += len(parts)
        future.add_done_callback(self._answers.put)

    def _home(self, node: Node) -> str:
        """Return the worker that knows a subproblem, or the one with least to do."""
        free = {w: 2 * n - self._load[w] for w, n in self._threads.items()}
        if free.get(node.home, 0) > 0:
            return node.home
        return max(free, key=free.__getitem__)

    def _news_for(self, worker: str) -> bytes:
        """Return the records of the others that this worker has not received yet."""
        records = b"".join(self._news.pop(worker, []))
        return records[-MOST_RECORDS * RECORD_BYTES :]

    def _split_one(self) -> bool:
        """Split the most visited subproblem that is waiting; False if there is none."""
        waiting = [
            node
            for node, _ in self._graph.open_nodes(1 << 30)
            if node.visits >= (1 if not node.branch else 2)
        ]
        if not waiting:
            return False
        self._split(max(waiting, key=lambda node: (node.visits, len(node.rows))))
        return True

    def _split(self, node: Node) -> None:
        self._counts["nodes_split"] += 1
        self._graph.split(node)

    def _receive(self) -> None:
        """Wait for an answer and take it in, with all others that are there."""
        if not self._running:
            return
        try:
            future = self._answers.get(timeout=0.25)
        except queue.Empty:
            return
        while True:
            self._take(future)
            try:
                future = self._answers.get_nowait()
            except queue.Empty:
                return

    def _take(self, future: Any) -> None:
        if future not in self._running:
            return
        home, parts = self._running.pop(future)
        self._load[home] -= 1
        for node, _ in parts:
            node.running = False
        try:
            report = future.result()
        except Exception as error:  # the worker was lost, or the work itself failed
            if type(error).__name__ not in _LOST:
                raise
            self._lost(parts)
            return
        for worker in self._threads:
            if worker != home:
                self._news.setdefault(worker, []).append(report.news)
        for (node, _), found in zip(parts, report.outcomes, strict=True):
            self._worker_seconds += found.seconds
            self._graph.learn(node, found)
            if not node.branch and not node.solved:
                self._split(node)

    def _lost(self, parts: list[tuple[Node, Slice]]) -> None:
        """Make the work of a lost worker wait to be sent again."""
        self._counts["tasks_lost"] += 1
        if self._shared.status != "finished":
            self._share()
        for node, _ in parts:
            node.visits -= 1

    def _report(self) -> None:
        root = self._graph.root
        now = root.lower, root.upper
        if self._task.observer is None or now == self._reported:
            return
        unit = self._unit()
        kind = 0 if now[1] != self._reported[1] else 1
        self._reported = now
        self._task.observer(
            kind, self._seconds(), now[0] / unit, now[1] / unit, len(self._graph)
        )

    def _unit(self) -> int:
        return int(self._table.weights.sum()) << 20

    def _answer(self, status: str) -> Answer:
        root = self._graph.root
        statistics = {
            "workers": len(self._client.nthreads()),
            "subproblems": len(self._graph),
            "bounds_shared": self._graph.shared,
            "worker_seconds": self._worker_seconds,
            **self._counts,
        }
        return {
            "tree": flatten(root.tree),
            "lower": root.lower,
            "upper": root.upper,
            "unit": self._unit(),
            "split_cost": self._table.split_cost,
            "status": status,
            "seconds": self._seconds(),
            "n_merged_rows": self._table.n_rows,
            "statistics": statistics,
        }

"""What the measured rows say: tables of text, made once, shown in two ways."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from treeproof.bench.solvers import SOLVERS

from .store import Row, Store, starved
from .suites import SUITES

OURS = "treeproof"
SAME_VALUE = 1e-9  # objectives are recomputed from whole numbers: this is rounding
SLOW_PEER_SECONDS = 0.5  # below it, calls measure overhead rather than search


@dataclass
class Table:
    """A title, columns of text and remarks below."""

    title: str
    header: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def counted_seconds(row: Row, clock: str) -> float:
    """Return the time of a run; one without a proof counts as the whole limit."""
    return row[clock] if row["status"] == "optimal" else row["limit"]


def seconds_text(row: Row | None, clock: str) -> str:
    """Return the time of a run for a table."""
    if row is None:
        return ""
    if row["status"] == "error":
        return "error"
    if row["status"] == "optimal":
        return f"{row[clock]:.3g}" if row[clock] < 1 else f"{row[clock]:.1f}"
    reason = " (memory)" if row["status"] == "memory" else ""
    return f"> {row['limit']:g}{reason}"


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive numbers."""
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs))


@dataclass
class Group:
    """All runs on one question."""

    problem: str
    max_depth: int | None
    runs: dict[str, Row]

    @property
    def name(self) -> str:
        """Return the name of the question."""
        depth = "" if self.max_depth is None else f", depth {self.max_depth}"
        return self.problem + depth

    def fastest_peer(self, clock: str) -> Row | None:
        """Return the peer's run to beat."""
        peers = [
            r
            for s, r in self.runs.items()
            if SOLVERS[s].peer and r["status"] != "error"
        ]
        return min(peers, key=lambda r: counted_seconds(r, clock), default=None)

    def ratio(self, clock: str) -> float | None:
        """Return how many times faster ours is than the fastest peer."""
        ours, peer = self.runs.get(OURS), self.fastest_peer(clock)
        if ours is None or peer is None or ours["status"] != "optimal":
            return None
        return counted_seconds(peer, clock) / ours[clock]

    def ratio_text(self, clock: str) -> str:
        """Return the ratio; ">" where the peer was still running."""
        ratio = self.ratio(clock)
        if ratio is None:
            return ""
        open_end = self.fastest_peer(clock)["status"] != "optimal"
        number = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
        return f"> {number}" if open_end else number

    def proved_value(self) -> float | None:
        """Return the objective that was proved optimal, ours first."""
        order = sorted(self.runs, key=lambda s: s != OURS)
        proved = [self.runs[s] for s in order if self.runs[s]["status"] == "optimal"]
        return proved[0]["objective"] if proved else None

    def contradictions(self) -> list[str]:
        """Return every pair of claims that cannot both be true."""
        found = []
        best = self.proved_value()
        for solver, row in self.runs.items():
            value, title = row["objective"], SOLVERS[solver].title
            if value is None:
                continue
            if best is not None:
                if row["status"] == "optimal" and abs(value - best) > SAME_VALUE:
                    found.append(f"{self.name}: {title} proves {value:.6f}")
                elif value < best - SAME_VALUE:
                    found.append(f"{self.name}: {title} found {value:.6f}")
            claimed = value if row["claimed"] is None else row["claimed"]
            if not SOLVERS[solver].peer and abs(claimed - value) > SAME_VALUE:
                found.append(
                    f"{self.name}: {title} says {claimed:.9f}, its tree has {value:.9f}"
                )
        return found


def groups(rows: list[Row], order: Iterable[str]) -> list[Group]:
    """Return the rows by question, in the order of the suite's problems."""
    by_question: dict[tuple[str, int | None], dict[str, Row]] = {}
    for row in rows:
        key = (row["problem"], row["max_depth"])
        by_question.setdefault(key, {})[row["solver"]] = row
    rank = {name: i for i, name in enumerate(order)}
    keys = sorted(
        by_question, key=lambda k: (rank.get(k[0], len(rank)), k[0], k[1] or 0)
    )
    return [Group(p, d, by_question[p, d]) for p, d in keys]


def comparison(store: Store, suite_name: str, clock: str) -> Table | None:
    """Seconds to proof of every solver of a suite, and ours against the best peer."""
    suite = SUITES[suite_name]
    found = groups(store.select(suite_name), suite.problems)
    if not found:
        return None
    solvers = [s for s in suite.solvers if any(s in g.runs for g in found)]
    has_peer = any(g.fastest_peer(clock) for g in found)
    table = Table(
        f"{suite.title}; {clock} seconds of the fit call",
        ["set", "size", "penalty"]
        + [SOLVERS[s].title for s in solvers]
        + (["times faster"] if has_peer else [])
        + ["1 - objective"],
    )
    for g in found:
        some = next((r for r in g.runs.values() if r["rows"]), None)
        shape = f"{some['rows']} x {some['features']}" if some else ""
        value = g.proved_value()
        table.rows.append(
            [g.name, shape, f"{next(iter(g.runs.values()))['penalty']:g}"]
            + [seconds_text(g.runs.get(s), clock) for s in solvers]
            + ([g.ratio_text(clock)] if has_peer else [])
            + ["" if value is None else f"{1 - value:.5f}"]
        )
    table.notes = [*totals(found, solvers, clock), *speed(found, clock)]
    table.notes += claims(found, solvers)
    return table


def totals(found: list[Group], solvers: list[str], clock: str) -> list[str]:
    """Return how much each solver proved, and in what time."""
    notes = []
    for solver in solvers:
        rows = [g.runs[solver] for g in found if solver in g.runs]
        proved = [r for r in rows if r["status"] == "optimal"]
        total = sum(counted_seconds(r, clock) for r in rows)
        wall = sum(counted_seconds(r, "wall") for r in rows)
        peak = max((r["peak_mb"] or 0.0 for r in rows), default=0.0)
        notes.append(
            f"{SOLVERS[solver].title}: {len(proved)} of {len(rows)} proved, together "
            f"{total:.2f} s ({wall:.2f} s wall), peak {peak:,.0f} MB."
        )
    return notes


def speed(found: list[Group], clock: str) -> list[str]:
    """Return the speed of ours against the fastest peer, over slow and all rows."""
    rated = [(g, g.ratio(clock)) for g in found if g.ratio(clock) is not None]
    if not rated:
        return []
    slow = [
        (g, r)
        for g, r in rated
        if counted_seconds(g.fastest_peer(clock), clock) > SLOW_PEER_SECONDS
    ]
    notes = []
    if slow:
        worst = min(slow, key=lambda pair: pair[1])
        notes.append(
            f"Where the fastest peer needs over {SLOW_PEER_SECONDS:g} s ({len(slow)} "
            f"rows): {worst[1]:.1f} times faster at least ({worst[0].name}), "
            f"{geometric_mean(r for _, r in slow):.0f} times in geometric mean."
        )
    both = [r for g, r in rated if g.fastest_peer(clock)["status"] == "optimal"]
    notes.append(
        f"All {len(rated)} rows: {geometric_mean(r for _, r in rated):.1f} times in "
        "geometric mean, a peer without proof counted at the limit"
        + (
            f"; the {len(both)} rows that a peer proved too: "
            f"{geometric_mean(both):.1f} times."
            if both
            else "."
        )
    )
    return notes


def claims(found: list[Group], solvers: list[str]) -> list[str]:
    """Return what the solvers agree on, contradict, or did not survive."""
    wrong = [text for g in found for text in g.contradictions()]
    shared = sum(
        sum(r["status"] == "optimal" for r in g.runs.values()) > 1 for g in found
    )
    notes = []
    if wrong:
        notes.append("CONTRADICTION: " + "; ".join(wrong) + ".")
    elif shared:
        notes.append(f"All proofs agree on the {shared} rows with more than one.")
    troubles: dict[str, Callable[[Row], bool]] = {
        "Over the memory cap": lambda row: row["status"] == "memory",
        "Failed": lambda row: row["status"] == "error",
        "Stopped by wall time, short of CPU (raise --patience)": starved,
    }
    for text, holds in troubles.items():
        hit = [
            f"{SOLVERS[s].title} on {g.name}"
            for g in found
            for s in solvers
            if s in g.runs and holds(g.runs[s])
        ]
        if hit:
            notes.append(f"{text}: {', '.join(hit)}.")
    return notes


def kernels(store: Store, clock: str) -> Table | None:
    """Seconds of ours under each counting kernel."""
    suite = SUITES["kernels"]
    found = groups(store.select("kernels"), suite.problems)
    solvers = [
        s
        for s in suite.solvers
        if any(s in g.runs and g.runs[s]["status"] != "absent" for g in found)
    ]
    if not solvers:
        return None
    table = Table(
        f"{suite.title}; {clock} seconds of the fit call",
        ["set"] + [SOLVERS[s].title for s in solvers] + ["slowest / fastest"],
    )
    worst: tuple[float, str] = (0.0, "")
    for g in found:
        times = [
            g.runs[s][clock]
            for s in solvers
            if s in g.runs and g.runs[s]["status"] == "optimal"
        ]
        ratio = max(times) / min(times) if len(times) > 1 else None
        if ratio and max(times) > 0.01:
            worst = max(worst, (ratio, g.name))
        table.rows.append(
            [g.name]
            + [seconds_text(g.runs.get(s), clock) for s in solvers]
            + [f"{ratio:.2f}" if ratio else ""]
        )
    table.notes = [*totals(found, solvers, clock), *claims(found, solvers)]
    absent = [SOLVERS[s].title for s in suite.solvers if s not in solvers]
    if absent:
        table.notes.append(f"Not on this machine: {', '.join(absent)}.")
    if worst[1]:
        table.notes.append(
            f"Largest ratio where a fit takes over 10 ms: {worst[0]:.2f} ({worst[1]})."
        )
    return table


def all_tables(store: Store, clock: str) -> list[Table]:
    """Return every table that has rows."""
    made = [
        kernels(store, clock) if name == "kernels" else comparison(store, name, clock)
        for name in SUITES
    ]
    return [table for table in made if table is not None]

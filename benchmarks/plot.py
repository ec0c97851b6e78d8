"""The plot: seconds to proof of every solver on every one-hot set, on a log axis."""

from __future__ import annotations

from pathlib import Path

from treeproof.bench.solvers import SOLVERS

from .store import Store
from .suites import SUITES
from .tables import OURS, counted_seconds, groups

# Okabe and Ito's palette: told apart with any colour vision, and by shape besides.
MARKS = {
    "treeproof": ("#D55E00", "o"),
    "branches": ("#E69F00", "s"),
    "streed": ("#0072B2", "^"),
    "gosdt": ("#009E73", "D"),
}


def plot_times(store: Store, path: Path, clock: str) -> bool:
    """Draw the one-hot suite; return False when there is nothing to draw."""
    found = groups(store.select("onehot"), SUITES["onehot"].problems)
    solvers = [s for s in MARKS if any(s in g.runs for g in found)]
    if not found or not solvers:
        return False
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def hardness(group) -> float:
        lead = group.runs.get(OURS) or group.fastest_peer(clock)
        return counted_seconds(lead, clock) if lead else 0.0

    found.sort(key=hardness)
    figure, axes = plt.subplots(figsize=(8, 0.32 * len(found) + 1.6))
    for i, group in enumerate(found):
        times = [counted_seconds(r, clock) for r in group.runs.values()]
        axes.plot([min(times), max(times)], [i, i], color="0.85", lw=1, zorder=1)
    for solver in solvers:
        colour, marker = MARKS[solver]
        for proved in (True, False):
            points = [
                (counted_seconds(g.runs[solver], clock), i)
                for i, g in enumerate(found)
                if solver in g.runs
                and (g.runs[solver]["status"] == "optimal") == proved
            ]
            if not points:
                continue
            x, y = zip(*points, strict=True)
            axes.scatter(
                x,
                y,
                marker=marker,
                s=42,
                zorder=3 if solver == OURS else 2,
                edgecolors=colour,
                facecolors=colour if proved else "white",
                linewidths=1.3,
                label=SOLVERS[solver].title + ("" if proved else ", not proved"),
            )
    axes.set_xscale("log")
    axes.set_yticks(range(len(found)), [g.name for g in found])
    axes.set_xlabel(f"{clock} seconds of the fit call (hollow: no proof at the limit)")
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=3, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return True

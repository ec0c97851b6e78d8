"""Performance profiles: who is how often how close to the fastest.

For each problem the fastest solver that solves it is the measure; a solver's ratio is
how many times longer it took, infinite where it did not solve it. Its profile at x is
the share of problems with a ratio of at most x: the height at 1 says how often it is
the fastest, the height far to the right how often it solves at all. Solved means
proved; for learners of streams, which prove nothing, nearly as accurate as the best.

References
----------
E. D. Dolan, J. J. Moré. "Benchmarking optimization software with performance profiles."
Mathematical Programming, 2002.
"""

from __future__ import annotations

import math
from typing import Any

from treeproof.bench.contest import Contest
from treeproof.bench.solvers import SOLVERS
from treeproof.extras import need
from treeproof.palette import INK, class_colour

__all__ = ["plot_profile", "ratios"]

_LEAST_SECONDS = 0.001  # below this, differences are noise
_DASHES = ("-", "--", "-.", ":")


def ratios(contest: Contest) -> dict[str, list[float]]:
    """Return each solver's ratios, one for each problem that somebody solved."""
    found: dict[str, list[float]] = {}
    solvers = list(dict.fromkeys(r.solver for r in contest.results))
    for name in contest.problems:
        seconds = {
            r.solver: max(r.seconds, _LEAST_SECONDS)
            for r in contest.of(name)
            if contest.solved(r) and r.seconds is not None
        }
        if not seconds:
            continue
        fastest = min(seconds.values())
        asked = {r.solver for r in contest.of(name)}
        for solver in solvers:
            if solver in asked:
                ratio = seconds[solver] / fastest if solver in seconds else math.inf
                found.setdefault(solver, []).append(ratio)
    return found


def plot_profile(contest: Contest, path: str) -> None:
    """Draw the profile of all solvers that solve anything to a file."""
    figures = need("matplotlib.figure", "plot", "--plot")
    figure = figures.Figure(figsize=(6.4, 3.8), layout="constrained")
    draw_profile(contest, figure.add_subplot())
    figure.savefig(path, dpi=150)


def draw_profile(contest: Contest, ax: Any) -> Any:
    """Draw the profile on matplotlib axes."""
    all_ratios = {s: r for s, r in ratios(contest).items() if min(r) < math.inf}
    finite = [x for r in all_ratios.values() for x in r if x < math.inf]
    right = max([2.0, *finite]) * 1.3
    for k, (solver, values) in enumerate(all_ratios.items()):
        steps = sorted(x for x in values if x < math.inf)
        heights = [(i + 1) / len(values) for i in range(len(steps))]
        ax.step(
            [1.0, *steps, right], [0.0, *heights, heights[-1]], where="post",
            color=class_colour(k), linestyle=_DASHES[k % len(_DASHES)], linewidth=2,
            label=SOLVERS[solver].title,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(1.0, right)
    ax.set_ylim(0.0, 1.03)
    proofs = contest.close is None
    ax.set_xlabel(
        "CPU time, as a multiple of the fastest " + ("proof" if proofs else "good tree")
    )
    ax.set_ylabel("share of problems " + ("proved" if proofs else "learnt"))
    ax.set_title(
        f"{len(contest.problems)} problems, {contest.limit:g} s each", loc="left",
        fontsize=10, color=INK,
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.93")
    ax.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax

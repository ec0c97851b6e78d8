"""How time and memory grow when one size of a problem doubles.

Rows, features, classes, depth and 1/penalty are doubled in turn, the others staying at
a common middle, for both engines. Each fit runs in a process of its own, which tells
its processor time and how much memory it took on top of the data; the fastest of some
fits counts, since other programs on the machine only make one slower. Slopes are fitted
on log-log axes, through the last four points.

    python -m benchmarks.growth --doublings 4 --limit 20
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
import warnings
from pathlib import Path

import numpy as np

from treeproof import OptimalTreeClassifier
from treeproof.limits import resident_bytes

HERE = Path(__file__).parent
FIGURE = HERE.parent / "docs" / "images" / "growth.png"

# The sizes that stay the same while one of them doubles, and where the doubling starts.
BASES = {
    "sparse": {"rows": 8000, "features": 20, "classes": 2, "depth": 4, "splits": 200},
    "threshold": {"rows": 8000, "features": 8, "classes": 2, "depth": 2, "splits": 200},
}
STARTS = {
    "sparse": {"rows": 4000, "features": 10, "classes": 2, "depth": 1, "splits": 25},
    "threshold": {"rows": 4000, "features": 5, "classes": 2, "depth": 1, "splits": 25},
}
SERIES = ["rows", "features", "classes", "depth", "splits"]
TITLES = {"splits": "1 / penalty"}
DEEPEST = {"sparse": 8, "threshold": 4}
NOISE = 0.3


def make(engine: str, size: dict, seed: int = 0):
    """A planted tree of depth three over random columns, with much noise."""
    rng = np.random.default_rng(seed)
    n, d, k = size["rows"], size["features"], size["classes"]
    X = rng.integers(0, 2, (n, d)) if engine == "sparse" else rng.random((n, d))
    high = X[:, :3] > 0.5
    leaf = high @ [1, 2, 4]
    y = np.where(rng.random(n) < NOISE, rng.integers(0, k, n), leaf % k)
    return X, y


def _measure(engine: str, size: dict, limit: float, answer) -> None:
    X, y = make(engine, size)
    model = OptimalTreeClassifier(
        1 / size["splits"], max_depth=size["depth"], solver=engine, time_limit=limit
    )
    before = resident_bytes()
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    answer.put((seconds, max(peak - before, 1 << 16) / 2**20, model.status_))


def run(engine: str, size: dict, limit: float, fits: int) -> dict:
    """Fit several times; the fastest that was proved counts."""
    points = []
    while len(points) < fits and all(p["status"] == "optimal" for p in points):
        points.append(fit_once(engine, size, limit))
    return min(points, key=lambda p: (p["status"] != "optimal", p["seconds"]))


def fit_once(engine: str, size: dict, limit: float) -> dict:
    """Fit in a process of its own."""
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    child = context.Process(target=_measure, args=(engine, size, limit, answer))
    child.start()
    seconds, megabytes, status = answer.get()
    child.join()
    return size | {"seconds": seconds, "megabytes": megabytes, "status": status}


def slope(xs, ys) -> float:
    """The exponent of a power law through the last points, where there is one."""
    xs, ys = np.log(xs[-4:]), np.log(ys[-4:])
    return float(np.polyfit(xs, ys, 1)[0]) if len(xs) > 1 else float("nan")


def measure(doublings: int, limit: float, fits: int) -> dict:
    found: dict = {}
    for engine, base in BASES.items():
        for name in SERIES:
            points = []
            for k in range(doublings + 1):
                value = STARTS[engine][name] * 2**k
                if name == "depth" and value > DEEPEST[engine]:
                    break
                point = run(engine, base | {name: value}, limit, fits)
                if point["status"] != "optimal":
                    break
                points.append(point)
            found[f"{engine} {name}"] = points
            times = [p["seconds"] for p in points]
            print(
                f"{engine:10} {name:9}",
                " ".join(f"{p[name]}: {p['seconds']:.3f} s" for p in points),
                f"slope {slope([p[name] for p in points], times):.2f}",
                flush=True,
            )
    return found


def plot(found: dict, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = {"sparse": "#0072b2", "threshold": "#d55e00"}
    figure, axes = plt.subplots(2, len(SERIES), figsize=(14, 5.4), sharey="row")
    for column, name in enumerate(SERIES):
        for row, what in enumerate(("seconds", "megabytes")):
            ax = axes[row, column]
            for engine, colour in colours.items():
                points = found[f"{engine} {name}"]
                xs, ys = [p[name] for p in points], [p[what] for p in points]
                label = f"{engine}: slope {slope(xs, ys):.2f}"
                ax.loglog(xs, ys, "o-", color=colour, ms=4, label=label)
            ax.legend(fontsize=8, frameon=False, loc="upper left")
            ax.spines[["top", "right"]].set_visible(False)
            ax.xaxis.minorticks_off()
            ticks = sorted({p[name] for e in colours for p in found[f"{e} {name}"]})
            ax.set_xticks(ticks[:: -(-len(ticks) // 5)])
            ax.get_xaxis().set_major_formatter(matplotlib.ticker.ScalarFormatter())
            ax.get_yaxis().set_minor_formatter(matplotlib.ticker.NullFormatter())
            ax.tick_params(axis="x", labelsize=8)
        axes[0, column].set_title(TITLES.get(name, name))
    for ax in axes[:, 0]:
        ax.set_ylim(top=8 * ax.get_ylim()[1])  # room for the legends
    axes[0, 0].set_ylabel("processor seconds")
    axes[1, 0].set_ylabel("MB on top of the data")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--doublings", type=int, default=6)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for a fit")
    parser.add_argument("--fits", type=int, default=3, help="for each point")
    parser.add_argument("--plot", type=Path, default=FIGURE)
    parser.add_argument("--results", type=Path, default=HERE / "results/growth.json")
    options = parser.parse_args()
    OptimalTreeClassifier().fit([[0], [1]], [0, 1])  # everything is imported now
    found = measure(options.doublings, options.limit, options.fits)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    options.results.write_text(json.dumps(found, indent=1) + "\n")
    plot(found, options.plot)


if __name__ == "__main__":
    main()

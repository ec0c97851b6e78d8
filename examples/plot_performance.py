"""The plots of docs/about/performance.md, drawn from the tables that the docs print.

Run it with the folder to write to: ``python examples/plot_performance.py docs/images``.
"""

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[1]
OURS, GREEN, ORANGE = "#0072B2", "#009E73", "#E69F00"  # Okabe and Ito
LIMIT = 60.0
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def rows(page, head):
    """Return the cells of the table in a page whose first line begins with `head`."""
    lines = (ROOT / page).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(head))
    body = lines[start + 2 :]
    end = next(i for i, line in enumerate(body) if not line.startswith("|"))
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in body[:end]
    ]


def draw(ax, names, series, limit=None):
    """Draw one row for each set; what was not solved stands at the limit, hollow."""
    for label, values, marker, colour in series:
        ax.plot([], [], marker, color=colour, markersize=7, label=label)
        for y, value in enumerate(values):
            hollow = limit is not None and value == limit
            if value is not None:
                face = "white" if hollow else colour
                ax.plot(
                    value, y, marker, color=colour, markersize=7, markerfacecolor=face
                )
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.grid(axis="x", color="#dddddd", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def seconds(cell):
    """Return the seconds in a cell; the limit if the fit did not end with a proof."""
    return LIMIT if not re.fullmatch(r"[\d.]+", cell) else float(cell)


table = rows("README.md", "| data set | STreeD")
fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
series = [
    ("treeproof", [seconds(row[3]) for row in table], "o", OURS),
    ("STreeD 1.4", [seconds(row[1]) for row in table], "s", GREEN),
    ("GOSDT 1.0", [seconds(row[2]) for row in table], "^", ORANGE),
]
draw(ax, [row[0] for row in table], series, LIMIT)
ax.set_xlabel("CPU seconds to a proof; hollow: none in 60 s and 8 GB")
fig.legend(loc="outside upper center", ncols=3, frameon=False)
fig.savefig(folder / "performance_sparse.png", dpi=110)

table = rows("docs/numeric.md", "| set | rows x features")
fig, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained", sharey=True)
for depth, ax in zip((2, 3), axes, strict=True):
    pairs = [re.findall(r"[\d.]+(?= /|$| \()|stopped", row[depth]) for row in table]
    ours = [float(pair[0]) for pair in pairs]
    theirs = [None if pair[1] == "stopped" else float(pair[1]) for pair in pairs]
    label = {2: ("treeproof", "ConTree 1.0.8"), 3: (None, None)}[depth]
    draw(
        ax,
        [row[0] for row in table],
        [(label[0], ours, "o", OURS), (label[1], theirs, "s", GREEN)],
    )
    if depth == 3:
        ax.invert_yaxis()
    ax.set_xlabel(f"CPU seconds, depth {depth}")
fig.legend(loc="outside upper center", ncols=2, frameon=False)
fig.savefig(folder / "performance_numeric.png", dpi=110)

"""Prices of rows on two columns: what each row is worth, and the boxes that are tight.

Certified prices bound every tree at once (docs/bounds/prices.md). A box is tight where
its prices sum to what it costs as a leaf; leaves of the best tree are among these. Run

    python examples/plot_prices.py docs/images/prices.png
"""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np

from treeproof import OptimalTreeClassifier, _core
from treeproof.solving.answer import RowPrices

mpl.use("Agg")
import matplotlib.pyplot as plt

PENALTY, SIDE, ROWS = 0.02, 24, 420
UNIT = 1 << 20  # of cost, for each row


def noisy_square(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a grid; those of a corner are mostly of class 1."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, SIDE, (ROWS, 2))
    corner = (points[:, 0] >= 10) & (points[:, 1] >= 8)
    flipped = rng.random(ROWS) < 0.22
    return points, (corner ^ flipped).astype(np.int32)


def certified_prices(points: np.ndarray, labels: np.ndarray) -> RowPrices:
    """Return what the core certifies for every box of these rows."""
    table = _core.EncodedTable.with_labels(
        kinds=np.zeros(2, np.int32),
        n_values=np.full(2, SIDE, np.int32),
        codes=np.ascontiguousarray(points.T.astype(np.int32)).reshape(-1),
        labels=labels,
        n_classes=2,
        weights=np.ones(len(labels)),
    )
    options = _core.SearchOptions(split_penalty=PENALTY, penalize="leaves")
    return _core.prices(table, options, work=4 * 10**9)


def tight_boxes(
    points: np.ndarray, labels: np.ndarray, prices: np.ndarray, split: int
) -> list[tuple[int, int, int, int]]:
    """Return boxes that are worth nearly what they cost: x0, x1, y0, y1.

    Of boxes with the same rows the smallest one is listed.
    """
    found: dict[bytes, tuple[int, int, int, int]] = {}
    x, y = points.T
    for x0 in range(SIDE):
        for x1 in range(x0, SIDE):
            inside = (x >= x0) & (x <= x1)
            grid = np.zeros((3, SIDE))  # prices and rows of both classes, by y
            np.add.at(grid[0], y[inside], prices[inside])
            for k in (0, 1):
                np.add.at(grid[1 + k], y[inside & (labels == k)], 1)
            sums = np.hstack([np.zeros((3, 1)), np.cumsum(grid, axis=1)])
            for y0 in range(SIDE):
                worth, *counts = sums[:, y0 + 1 :] - sums[:, y0 : y0 + 1]
                cost = np.minimum(*counts) * UNIT + split
                for k in np.flatnonzero(worth >= 0.995 * cost):
                    y1 = y0 + int(k)
                    rows = inside & (y >= y0) & (y <= y1)
                    own = x[rows], y[rows]
                    found[rows.tobytes()] = (
                        int(own[0].min()), int(own[0].max()),
                        int(own[1].min()), int(own[1].max()),
                    )  # fmt: skip
    return list(found.values())


def main(path: str) -> None:
    """Draw the picture."""
    points, labels = noisy_square()
    made = certified_prices(points, labels)
    prices = np.asarray(made["prices"])
    boxes = tight_boxes(points, labels, prices, int(made["split_cost"]))
    tree = OptimalTreeClassifier(split_penalty=PENALTY).fit(points, labels)
    leaf = tree.apply(points)
    rng = np.random.default_rng(0)
    shifted = points + rng.uniform(-0.3, 0.3, points.shape)
    figure, axes = plt.subplots(figsize=(7.4, 5.6), layout="constrained")
    for x0, x1, y0, y1 in boxes:
        corner, size = (x0 - 0.5, y0 - 0.5), (x1 - x0 + 1, y1 - y0 + 1)
        axes.add_patch(
            plt.Rectangle(corner, *size, fill=False, color="#c9622b", lw=1.1, alpha=0.7)
        )
    for number in np.unique(leaf):
        own = points[leaf == number]
        low, high = own.min(axis=0) - 0.5, own.max(axis=0) + 0.5
        axes.add_patch(
            plt.Rectangle(low, *(high - low), fill=False, color="black", lw=2.2)
        )
    drawn = None
    for k, marker in enumerate("o^"):
        own = labels == k
        drawn = axes.scatter(
            *shifted[own].T, c=prices[own] / UNIT, marker=marker, s=26, cmap="viridis",
            vmin=0, vmax=float(prices.max()) / UNIT, edgecolors="white", linewidths=0.4,
            label=f"class {k}",
        )  # fmt: skip
    figure.colorbar(drawn, ax=axes, label="price of a row, in errors")
    axes.set(xlabel="first column", ylabel="second column")
    axes.set_xlim(-1.2, SIDE + 0.2)
    axes.set_ylim(-1.2, SIDE + 0.2)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    axes.set_title(
        f"{len(boxes)} tight boxes (thin), leaves of the best tree (thick)\n"
        f"all prices less one split: {made['lower']:.4f}; "
        f"best tree: {tree.objective_:.4f}",
        fontsize=10,
    )
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/images/prices.png")

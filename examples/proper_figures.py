"""Draw the figures of docs/proper.md: the paper's examples, computed.

Run with ``python examples/proper_figures.py``; it writes to docs/images.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from treeproof import ObliqueTreeClassifier, proper
from treeproof.proper.example import FOUR_LINES, four_lines
from treeproof.proper.matrix_chain import MatrixChain
from treeproof.proper.plot import draw_ancestry_graph, draw_plane_partition, draw_tree

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
BOX = (-1.0, -1.0, 11.0, 11.0)


def save(figure, name):
    figure.savefig(IMAGES / f"{name}.png", dpi=110, bbox_inches="tight")
    plt.close(figure)


def line_of(rule):
    (a, b), c = rule.surface.coefficients, rule.surface.threshold
    return a, b, c


def ancestry():
    """Figure 2: the ancestry graph of four lines beside its matrix."""
    matrix = proper.ancestry_matrix(four_lines())
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.6))
    draw_ancestry_graph(matrix, ax=left)
    right.imshow(matrix, cmap="RdBu", vmin=-2, vmax=2)
    for (i, j), value in np.ndenumerate(matrix):
        right.text(j, i, f"{value}", ha="center", va="center", fontsize=12)
    names = [f"$r_{i}$" for i in range(4)]
    right.set_xticks(range(4), names)
    right.set_yticks(range(4), names)
    right.tick_params(length=0)
    right.set_title("K[i, j]", fontsize=11)
    save(figure, "proper_ancestry")


def hyperplanes():
    """Figure 5: the four lines, the points that pin them, and their positive sides."""
    figure, ax = plt.subplots(figsize=(4.6, 4.6))
    left, bottom, right, top = BOX
    ax.plot(FOUR_LINES[:, 0], FOUR_LINES[:, 1], "o", color="#1b1f24", zorder=4)
    for number, rule in enumerate(four_lines()):
        a, b, _ = line_of(rule)
        p, q = FOUR_LINES[2 * number : 2 * number + 2].astype(float)
        ends = [p + t * (q - p) for t in (-9.0, 9.0)]
        ax.plot(*zip(*ends, strict=True), "-", color="#1565c0", lw=1.4)
        middle, normal = (p + q) / 2, np.array([a, b]) / np.hypot(a, b)
        ax.annotate("", middle + 1.2 * normal, middle, arrowprops={"arrowstyle": "->"})
        ax.text(*(middle - 0.6 * normal), f"$r_{number}$", ha="center", va="center")
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    save(figure, "proper_lines")


def trees_and_partitions():
    """Figure 6: the three proper trees of the four lines and what they cut."""
    trees = proper.proper_trees(four_lines())
    figure, axes = plt.subplots(2, 3, figsize=(9.5, 6.2))
    for tree, above, below in zip(trees, axes[0], axes[1], strict=True):
        draw_tree(tree, above, rule_text=lambda r: f"${r.name[0]}_{r.name[1]}$")
        draw_plane_partition(
            tree, BOX, line_of, below, text=lambda r: f"${r.name[0]}_{r.name[1]}$"
        )
        below.set(aspect="equal", xticks=[], yticks=[])
    save(figure, "proper_trees")


def kd_tree():
    """Figure 9: an optimal K-D tree of seven points."""
    points = [[5, 5], [2, 7], [8, 3], [1, 2], [3, 9], [7, 8], [9, 6]]
    best = proper.optimal_kd_tree(points)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.8))
    best.plot(left)
    draw_tree(best.tree, right)
    save(figure, "proper_kd_tree")


def search_spaces():
    """Figure 10: 5 search trees; 30 labelled trees, 27 of them in MurTree's model."""
    rules = ["$r_1$", "$r_2$", "$r_3$"]
    catalan = proper.catalan_trees(rules)
    murtree = set(proper.murtree_trees(rules))
    every = proper.binary_feature_trees(rules)
    figure = plt.figure(figsize=(11, 11))
    above, below = figure.add_gridspec(2, 1, height_ratios=[1, 5], hspace=0.12)
    for tree, cell in zip(catalan, above.subgridspec(1, 5), strict=True):
        draw_tree(tree, figure.add_subplot(cell), fontsize=8)
    for tree, cell in zip(every, below.subgridspec(5, 6), strict=True):
        color = "#1b1f24" if tree in murtree else "#c62828"
        draw_tree(tree, figure.add_subplot(cell), fontsize=8, color=color)
    save(figure, "proper_search_spaces")


def chains():
    """Figure 11: the five ways to multiply four matrices."""
    found = proper.grow(
        range(4),
        splits=proper.chain_splits,
        keep=proper.everything,
        leaf=lambda chain, data: proper.Leaf(chain[0]) if len(chain) == 1 else None,
        divide=lambda rule, data: (data, data),
    )
    figure, axes = plt.subplots(1, 5, figsize=(11, 2.4))
    for solution, ax in zip(found, axes, strict=True):
        chain = MatrixChain(None, solution.tree)
        chain.plot(ax)
        ax.set_title(str(chain), fontsize=10)
    save(figure, "proper_chains")


def partitions_of_segments():
    """The smallest binary space partition of six segments."""
    segments = [
        ((0, 0), (3, 1)),
        ((1, 4), (2, 2)),
        ((3, 4), (6, 3)),
        ((4, 0), (5, 2)),
        ((0, 3), (1, 1)),
        ((5, 5), (6, 4)),
    ]
    figure, ax = plt.subplots(figsize=(5, 4.2))
    proper.optimal_bsp(segments).plot(ax)
    save(figure, "proper_bsp")


def oblique_trees():
    """The same rows cut by thresholds, by hyperplanes and by curved surfaces."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2)).round(2)
    y = np.where(X[:, 0] ** 2 + 1.3 * X[:, 1] ** 2 < 1.1, "in", "out")
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.9))
    for (rules, k), ax in zip(
        [("axis", 3), ("hyperplane", 3), ("hypersurface", 1)], axes, strict=True
    ):
        clf = ObliqueTreeClassifier(rules, max_splits=k).fit(X, y)
        clf.plot(X, y, ax)
        wrong = int((clf.predict(X) != y).sum())
        ax.set_title(f"{rules}, {k} split{'s' * (k > 1)}: {wrong} wrong", fontsize=10)
    save(figure, "proper_oblique")


if __name__ == "__main__":
    IMAGES.mkdir(parents=True, exist_ok=True)
    ancestry()
    hyperplanes()
    trees_and_partitions()
    kd_tree()
    search_spaces()
    chains()
    partitions_of_segments()
    oblique_trees()

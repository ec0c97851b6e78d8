"""When the concept changes: prequential accuracy with and without a drift detector.

Two of River's ConceptDriftStreams, each with a change after 10,000 rows: from one
random tree to another, and from STAGGER's first rule to its second. Online-BRANCHES has
a window of 1,000 rows (shaded: the two windows after the change); it runs with River's
ADWIN detector and without any, beside River's adaptive Hoeffding tree:

    python examples/plot_stream_drift.py docs/images/stream_drift.png
"""

import sys

import matplotlib.pyplot as plt
from river import tree
from river.datasets import synth

from treeproof.stream import OnlineBranchesClassifier
from treeproof.stream.datasets import random_tree, stagger
from treeproof.stream.prequential import prequential

CHANGE, N_ROWS, WINDOW = 10_000, 16_000, 1000


def concepts():
    """The two streams by name."""
    trees = [
        random_tree(seed, n_features=8, max_tree_depth=4, first_leaf_level=3)
        for seed in (42, 7)
    ]
    rules = [stagger(k, classification_function=k) for k in (0, 1)]
    return {
        name: synth.ConceptDriftStream(*pair, position=CHANGE, width=100, seed=1)
        for name, pair in {"two random trees": trees, "STAGGER": rules}.items()
    }


def learners(names):
    """Untrained learners by name, with their style."""

    def ours(**more):
        return OnlineBranchesClassifier(
            0.002, window_size=WINDOW, numeric_features=[], **more
        )

    hat = tree.HoeffdingAdaptiveTreeClassifier(nominal_attributes=names, seed=42)
    return {
        "Online-BRANCHES with ADWIN": (ours(), "#1d4e89", "-"),
        "Online-BRANCHES without": (ours(drift_detector=None), "#c9622b", "-"),
        "River: HAT": (hat, "#b8b8b8", "-"),
    }  # fmt: skip


def main(target):
    plt.rcParams.update({"font.size": 11, "font.family": "sans-serif"})
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), sharey=True)
    for axis, (name, rows) in zip(axes, concepts().items(), strict=True):
        names = list(next(iter(rows))[0])
        for label, (model, color, line) in learners(names).items():
            steps = list(prequential(model, rows.take(N_ROWS), window=500, every=100))
            axis.plot(
                [step.samples for step in steps],
                [step.accuracy for step in steps],
                color=color, linestyle=line, linewidth=1.8, label=label,
            )  # fmt: skip
        axis.axvspan(CHANGE, CHANGE + 2 * WINDOW, color="#f3f0e6", zorder=0)
        axis.set_title(name, loc="left", fontsize=11, fontweight="bold")
        axis.set_xlabel("rows learnt")
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#eeeeee")
        axis.set_xlim(5000, N_ROWS)
        axis.set_ylim(0.3, 1.03)
    axes[0].set_ylabel("accuracy, last 500 rows")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="lower center", ncols=3, frameon=False
    )
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(target, dpi=150)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stream_drift.png")

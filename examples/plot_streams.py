"""Online trees on XOR and LED: accuracy and splits over time, ours against River's.

XOR of two bits among a hundred, and the digit that a seven-segment display shows, with
17 dead segments added. Every row is predicted before it is learnt; the curves are the
accuracy over the last 500 rows and the number of splits of the tree in use:

    python examples/plot_streams.py docs/images/streams.png
"""

import sys

import matplotlib.pyplot as plt

from treeproof.stream.comparison import make_learner
from treeproof.stream.datasets import stream
from treeproof.stream.prequential import prequential

STREAMS = {
    "xor-2": ("XOR of 2 bits among 100", 12_000),
    "led-irrelevant": ("LED digits, 7 segments of 24 matter", 6_000),
}
STYLES = {
    "VFDT": ("#b8b8b8", "-", "River: VFDT"),
    "EFDT": ("#b8b8b8", "--", "River: EFDT"),
    "HAT": ("#b8b8b8", ":", "River: HAT"),
    "UCDT": ("#2a9d8f", "-", "UCDT"),
    "EGDT": ("#e0a030", "-", "EGDT"),
    "TSDT": ("#c9622b", "-", "TSDT"),
    "Online-BRANCHES": ("#1d4e89", "-", "Online-BRANCHES"),
}


def curve(learner, name, n_rows):
    """Rows, accuracy and splits of one learner over time."""
    rows = list(stream(name, n_samples=n_rows))
    model = make_learner(learner, name, 42, list(rows[0][0]))
    steps = list(prequential(model, rows, window=500, every=n_rows // 100))
    return (
        [step.samples for step in steps],
        [step.accuracy for step in steps],
        [step.n_splits for step in steps],
    )


def main(target):
    plt.rcParams.update({"font.size": 11, "font.family": "sans-serif"})
    figure, axes = plt.subplots(2, 2, figsize=(11, 6.4), sharex="col")
    for column, (name, (title, n_rows)) in zip(axes.T, STREAMS.items(), strict=True):
        for learner, (color, line, label) in STYLES.items():
            samples, accuracy, splits = curve(learner, name, n_rows)
            width = 2.2 if learner == "Online-BRANCHES" else 1.5
            style = {"color": color, "linestyle": line, "linewidth": width}
            column[0].plot(samples, accuracy, label=label, **style)
            column[1].plot(samples, splits, **style)
        column[0].set_title(title, loc="left", fontsize=11, fontweight="bold")
        column[0].set_ylim(0, 1.03)
        column[1].set_xlabel("rows learnt")
        column[1].xaxis.set_major_formatter("{x:,.0f}")
        column[1].set_ylim(bottom=0)
        column[1].yaxis.get_major_locator().set_params(integer=True)
    axes[0, 0].set_ylabel("accuracy, last 500 rows")
    axes[1, 0].set_ylabel("splits of the tree")
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#eeeeee")
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="lower center", ncols=len(STYLES), frameon=False, fontsize=10,
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(target, dpi=150)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "streams.png")

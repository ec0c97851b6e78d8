"""How large should a tree be? Errors and the risk bound along a pruning sequence.

Grows a greedy tree on half of the breast cancer data, with one label in ten made wrong,
prunes it node by node down to a single leaf, and draws training error, test error and
the risk bound against the number of leaves, averaged over 20 random halves. The bound
is shown for two prices of an error (the parameter r):

    python examples/plot_generalization.py docs/images/generalization.png
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from treeproof.generalization import prune

N_REPEATS = 20
SIZES = np.arange(1, 41)
TRAIN, TEST = "#2c6fbb", "#c9622b"
BOUNDS = {
    2**-13.7: ("a leaf must save 1.2 errors (r = 2$^{-13.7}$)", "#333333", 1.0),
    2**-7.0: ("a leaf must save 2.2 errors (r = 2$^{-7}$)", "#7a4b94", -0.7),
}


def curves(seed, r):
    """Train error, test error and bound for each number of leaves, and the choice."""
    rng = np.random.default_rng(seed)
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(rng.random(len(y)) < 0.1, 1 - y, y)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    tree = DecisionTreeClassifier(max_leaf_nodes=40, random_state=seed).fit(X, y)
    path = prune(tree, X, y, r=r, to_root=True)
    leaves = np.array([step.n_leaves for step in path])
    values = np.array(
        [
            (
                step.errors / len(y),
                1 - path.tree_at(i).score(X_test, y_test),
                step.bound,
            )
            for i, step in enumerate(path)
        ]
    )
    # The sequence skips sizes; each size gets the largest tree that is not larger.
    step_of_size = [np.flatnonzero(leaves <= size)[0] for size in SIZES]
    return values[step_of_size], values[path.best], path.chosen.n_leaves


def averages(r):
    runs = [curves(seed, r) for seed in range(N_REPEATS)]
    return tuple(np.mean(part, axis=0) for part in zip(*runs, strict=True))


def main(target):
    plt.rcParams.update({"font.size": 11, "font.family": "sans-serif"})
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7.5, 6.6), sharex=True, height_ratios=(1, 1)
    )
    beside = {"fontsize": 11, "va": "center"}
    for r, (name, colour, offset) in BOUNDS.items():
        values, at_choice, chosen = averages(r)
        train, test, bound = values.T
        below.plot(SIZES, bound, color=colour, lw=2)
        below.plot(chosen, np.interp(chosen, SIZES, bound), "o", color=colour, ms=7)
        below.text(14, bound[19] + offset, name, color=colour, **beside)
        for axis in (above, below):
            axis.axvline(chosen, color=colour, lw=1, ls="--", zorder=0)
        if r == min(BOUNDS):
            above.plot(SIZES, train, color=TRAIN, lw=2)
            above.plot(SIZES, test, color=TEST, lw=2)
            above.text(40.8, train[-1], "training rows", color=TRAIN, **beside)
            above.text(40.8, test[-1], "new rows", color=TEST, **beside)
        print(
            f"{name}: {chosen:.1f} leaves, test error {at_choice[1]:.3f}; "
            f"at 40 leaves {test[-1]:.3f}"
        )
    below.axhline(1, color="#888888", lw=1)
    below.text(40.8, 1, "below 1 it\nsays something", color="#666666", **beside)
    above.set_ylim(0, 0.3)
    below.set_ylim(0, 10)
    above.set_ylabel("share predicted wrong")
    below.set_ylabel("risk bound")
    below.set_xlabel("leaves of the tree")
    above.set_title("Errors", loc="left", fontsize=12)
    below.set_title(
        "The bound, from training rows alone; dots mark its least value",
        loc="left",
        fontsize=12,
    )
    for axis in (above, below):
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_xlim(0.5, 40.5)
    figure.tight_layout()
    figure.savefig(target, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "generalization.png")

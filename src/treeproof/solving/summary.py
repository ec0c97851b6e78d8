"""The main facts about a fit as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.words import counted, number

__all__ = ["summarise"]

_MOST_COLUMNS = 10


def summarise(model: Any) -> str:
    """Return the summary of a fitted estimator."""
    tree = model.tree_.collapse()
    part = "leaf but one" if model.penalize == "leaves" else "split"
    lines = [
        model.certificate(),
        f"{counted(int(model.stats_['n_rows']), 'row')}, "
        f"{counted(model.n_features_in_, 'column')}; a cost of "
        f"{number(model.split_penalty)} for every {part}; "
        f"{model.stats_['seconds']:.2f} s with solver {model.stats_['solver']}.",
        "",
        f"{counted(tree.n_splits, 'split')}, "
        f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}:",
        tree.export_text(details=True),
    ]
    if len(model.certificates_) > 1:
        lines += ["", "depth   best cost   no tree below   proved"]
        for known in model.certificates_:
            depth = "any" if known.max_depth is None else str(known.max_depth)
            lines.append(
                f"{depth:>5}{number(known.objective):>12}"
                f"{number(known.lower_bound):>16}   {'yes' if known.optimal else 'no'}"
            )
    shares = model.feature_importances_ if tree.n_splits else np.zeros(0)
    order = [j for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    if order:
        lines += ["", "share of each column in what the splits save:"]
        for j in order[:_MOST_COLUMNS]:
            lines.append(f"{shares[j]:>6.0%}  {model.tree_.columns[j].name}")
    return "\n".join(lines)

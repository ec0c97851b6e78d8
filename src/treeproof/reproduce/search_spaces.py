"""Figure 10 of He and Little: how many trees each search space holds, counted."""

from __future__ import annotations

from functools import partial

from treeproof.proper import binary_feature_trees, catalan_trees, murtree_trees
from treeproof.reproduce.figures import proper
from treeproof.reproduce.plots import ours_and_theirs
from treeproof.reproduce.target import Column, Record, Request, Target

__all__ = ["TARGETS"]

SPACES = {
    "search trees": catalan_trees,
    "MurTree model": murtree_trees,
    "binary features": binary_feature_trees,
}


def _measure(name: str, case: str, request: Request) -> Record:
    rules = [f"r{i + 1}" for i in range(int(name))]
    return {"trees": len(set(SPACES[case](rules))), "proved": True}


TARGETS = (
    Target(
        name="proper-10",
        title="Different trees with K rules, each used once",
        source=f"{proper.SOURCE}, Figure 10",
        columns=(Column("trees", better=0),),
        sets=("1", "2", "3", "4", "5"),
        cases=tuple(SPACES),
        published=proper.FIGURE_10,
        heads=("rules", "search space"),
        measure=_measure,
        notes=(
            "Every tree is generated; docs/proper.md draws those with three rules.",
        ),
        plot=partial(ours_and_theirs, keys=["trees"], label="trees", log=True),
    ),
)

"""Figure 10 of He and Little: how many trees each search space holds, counted."""

from __future__ import annotations

from treeproof.cli.reproduce import ReproducedTable, Request
from treeproof.proper import binary_feature_trees, catalan_trees, murtree_trees

__all__ = ["PUBLISHED", "figure_10"]

SPACES = {
    "search trees": catalan_trees,
    "MurTree model": murtree_trees,
    "binary features": binary_feature_trees,
}
PUBLISHED = {
    3: {"search trees": 5, "MurTree model": 27, "binary features": 30},
    5: {"MurTree model": 2830, "binary features": 5040},
}
"""Numbers of trees in Figure 10 and Section 6.2, by number of rules."""


def figure_10(request: Request) -> ReproducedTable:
    """Generate all trees of each kind with one to five rules, and count them."""
    rows, data = [], []
    for n_rules in range(1, 6):
        request.say(f"{n_rules} rules")
        rules = [f"r{i + 1}" for i in range(n_rules)]
        paper = PUBLISHED.get(n_rules, {})
        cells = [str(n_rules)]
        for space, generate in SPACES.items():
            trees = generate(rules)
            published = paper.get(space)
            cells += [f"{len(set(trees)):,}", f"{published:,}" if published else ""]
            data.append(
                {
                    "rules": n_rules,
                    "space": space,
                    "trees": len(set(trees)),
                    "published": published,
                }
            )
        rows.append(cells)
    columns = ["rules"]
    for space in SPACES:
        columns += [space, "paper"]
    return ReproducedTable(
        "Different trees with K rules, each used once (He and Little, Figure 10)",
        columns,
        rows,
        ["Every tree is generated; docs/proper.md draws those with three rules."],
        data,
    )

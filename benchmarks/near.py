"""All near-optimal trees: treeproof beside TreeFARMS, on binarised sets.

`python -m benchmarks.near` runs both on the same rows, one process per run, and
compares the sets of trees themselves: their splits, as equally heavy classes of a leaf
are a matter of taste. TreeFARMS (`make peers`) knows binary columns; its objective is
the share of wrong rows and a penalty for each leaf, ours is less by one penalty, so
that the same margin is given to both. Its depth counts the leaves' level. It sometimes
lists trees beyond the margin; these are left out of the comparison.
CPU seconds, without imports and reading: TreeFARMS's fit, our fit and `near_optimal`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Annotated, Any

import typer

from .isolated import OWN_PYTHON, PEERS_PYTHON
from .problems import data_folder
from .report import show, wide_console
from .tables import Table

# Set, penalty, margin, depth: sets that TreeFARMS finishes in a minute. No tree costs
# exactly the margin more, where rounding would decide.
RUNS = [
    ("monk1-l", 0.02, 0.022, 4), ("monk1-f", 0.01, 0.012, 4),
    ("monk2-f", 0.01, 0.012, 3), ("monk3-f", 0.01, 0.015, 4),
    ("zoo-f", 0.02, 0.015, 3), ("lymph-f", 0.02, 0.005, 3),
    ("balance-f", 0.01, 0.005, 4), ("careval-f", 0.005, 0.002, 4),
    ("tictactoe-f", 0.01, 0.005, 3), ("tictactoe-f", 0.01, 0.003, 4),
    ("mushroom-f", 0.005, 0.002, 3), ("nursery-f", 0.01, 0.005, 4),
    ("krvskp", 0.01, 0.005, 3),
]  # fmt: skip
MOST_COMPARED = 50_000  # trees whose sets are compared one by one

COMMON = """
import gzip, hashlib, json, sys, time
import numpy as np, pandas as pd
path, penalty, margin, depth, most = sys.argv[1:]
penalty, margin, depth, most = float(penalty), float(margin), int(depth), int(most)
data = pd.read_csv(path)
X, y = data.iloc[:, :-1], data.iloc[:, -1]

def tell(cpu, count, trees):
    said = {"cpu": cpu, "count": count, "set": None}
    if count <= most:
        names = [json.dumps(tree).encode() for tree in trees()]
        names = [hashlib.sha256(name).hexdigest()[:16] for name in names]
        assert len(set(names)) == len(names)
        said["set"] = names
    print("\\n" + json.dumps(said))
"""
TREEFARMS = (
    COMMON
    + """
from treefarms.model.treefarms import TREEFARMS

begin = time.process_time()
model = TREEFARMS({
    "regularization": penalty, "rashomon_bound_adder": margin,
    "rashomon_bound_multiplier": 0.0, "depth_budget": depth + 1,
}).fit(X, y)
cpu = time.process_time() - begin

def plain(node):
    if "prediction" in node:
        return None
    return [node["feature"], plain(node["true"]), plain(node["false"])]

found = model.model_set
costs = [found.get_tree_metric_at_idx(i)["objective"] for i in range(found.model_count)]
kept = [i for i, c in enumerate(costs) if c <= min(costs) + margin + 1e-6]
tell(cpu, len(kept), lambda: (plain(found.get_tree_at_idx_raw(i)) for i in kept))
"""
)
OURS = (
    COMMON
    + """
import treeproof.alternatives.result, treeproof.path.budget
from treeproof import OptimalTreeClassifier

begin = time.process_time()
clf = OptimalTreeClassifier(
    penalty, max_depth=depth, penalize="leaves", time_limit=None
)
trees = clf.fit(X, y).near_optimal(margin)
cpu = time.process_time() - begin

def plain(tree, node=0):
    if tree.kind[node] == 0:
        return None
    low, high = tree.children[tree.first_child[node]:][:2].tolist()
    return [int(tree.feature[node]), plain(tree, high), plain(tree, low)]

tell(cpu, trees.count, lambda: (plain(near.tree) for near in trees))
"""
)


def run(program: str, python: Any, chosen: tuple[Any, ...], limit: float) -> Any:
    """Return what a program has told, or None if it did not end in time."""
    name, *numbers = chosen
    path = data_folder() / "table42" / f"{name}.csv.gz"
    arguments = [str(path), *map(str, numbers), str(MOST_COMPARED)]
    try:
        done = subprocess.run(
            [str(python), "-c", program, *arguments],
            capture_output=True, text=True, timeout=limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def compared(own: list[str] | None, other: list[str] | None) -> str:
    """Say whether two sets of trees are the same, and what is missing otherwise."""
    if own is None or other is None:
        return "not compared"
    ours, theirs = set(own), set(other)
    words = [f"{len(ours - theirs)} missing in TreeFARMS"] * bool(ours - theirs)
    words += [f"{len(theirs - ours)} missing in treeproof"] * bool(theirs - ours)
    return ", ".join(words) or "yes"


def main(
    sets: Annotated[str, typer.Option(help="Names of sets, or all.")] = "all",
    limit: Annotated[float, typer.Option(help="Seconds for a run.")] = 120.0,
) -> None:
    """All trees within a margin, by TreeFARMS and by treeproof."""
    columns = ["set", "penalty", "margin", "depth", "trees", "TreeFARMS", "treeproof",
               "ratio", "same trees"]  # fmt: skip
    table = Table("All trees within a margin, CPU seconds", columns)
    for chosen in RUNS:
        if sets != "all" and chosen[0] not in sets.split(","):
            continue
        own = run(OURS, OWN_PYTHON, chosen, limit)
        other = run(TREEFARMS, PEERS_PYTHON, chosen, limit)
        name, *numbers = chosen
        row = [name, *map(str, numbers), "", f"> {limit:g}", f"> {limit:g}", "", ""]
        if own is not None:
            row[4], row[6] = f"{own['count']:,}", f"{own['cpu']:.2f}"
        if other is not None:
            row[5] = f"{other['cpu']:.2f}"
        if own is not None and other is not None:
            row[7] = f"{other['cpu'] / own['cpu']:.1f}"
            row[8] = compared(own["set"], other["set"])
        table.rows.append(row)
        print("  ".join(row), flush=True)
    show(table, wide_console())


if __name__ == "__main__":
    typer.run(main)

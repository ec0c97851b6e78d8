"""An HTML file in which a person can explore near-optimal trees.

The file needs no server and loads nothing: it contains the best trees of a set and a
short script. The reader chooses the first test among those that the trees have, sees
how many trees are left, continues with the next node, and keeps a tree.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from treeproof.tree import LEAF, Tree
from treeproof.tree.drawing import outcomes
from treeproof.words import counted

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet

__all__ = ["walk_page"]

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p data-part="about">{about}</p>
<p data-part="left" aria-live="polite"></p>
<p><button data-part="back">Back</button>
<button data-part="again">Start again</button></p>
<h2 data-part="place"></h2>
<ul data-part="choices"></ul>
<h2>The tree so far</h2>
<div data-part="tree" class="tree"></div>
<p><button data-part="keep">Keep this tree</button></p>
<h2>Kept</h2>
<ol data-part="kept"></ol>
</main>
<script type="application/json" id="trees">{trees}</script>
<script>
{script}
</script>
</body>
</html>
"""


def walk_page(trees: NearOptimalSet, most: int) -> str:
    """Return the page.

    Parameters
    ----------
    trees : NearOptimalSet
        The set.
    most : int
        How many of the best trees the page holds.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[0, 0], [1, 1]] * 3, [0, 1] * 3)
    >>> page = walk_page(clf.near_optimal(0.0), 10)
    >>> "2 trees" in page
    True
    """
    listed = trees.best(most)
    content = [
        {"cost": near.objective, "loss": near.loss, "splits": near.n_splits,
         "root": _node(near.tree, 0)}
        for near in listed
    ]  # fmt: skip
    all_of_them = counted(trees.count, "tree")
    about = f"{all_of_them} within {trees.within:g} of {trees.objective:.6g}."
    if len(listed) < trees.count:
        about = (
            f"The best {len(listed):,} of {all_of_them} within {trees.within:g} of "
            f"{trees.objective:.6g}."
        )
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=True)
    here = files("treeproof.alternatives")
    return _PAGE.format(
        title="Trees that are nearly as good",
        style=(here / "walk.css").read_text(encoding="utf-8"),
        about=escape(about),
        # escaped so that no text of the data can end the script
        trees=text.replace("<", "\\u003c"),
        script=(here / "walk.js").read_text(encoding="utf-8"),
    )


def _node(tree: Tree, node: int) -> dict[str, Any]:
    """Return a node for the page: a leaf's prediction, or a test and its children."""
    rows = int(tree.n_node_samples[node])
    if tree.kind[node] == LEAF:
        return {"says": _says(tree.prediction(node)), "rows": rows}
    return {
        "column": tree.columns[int(tree.feature[node])].name,
        "rows": rows,
        "below": [[words, _node(tree, child)] for child, words in outcomes(tree, node)],
    }


def _says(prediction: Any) -> str:
    if isinstance(prediction, float):
        return f"{prediction:.6g}"
    return str(prediction)

"""supertree on an optimal tree: an interactive page to zoom and follow rows.

Needs ``pip install supertree``.

    python examples/view_supertree.py FOLDER
"""

import sys
from pathlib import Path

from sklearn.datasets import load_iris
from supertree import SuperTree

from treeproof import OptimalTreeClassifier

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
iris = load_iris()
model = OptimalTreeClassifier(split_penalty=0.01, max_depth=3)
model.fit(iris.data, iris.target)

page = SuperTree(
    model.to_sklearn(), iris.data, iris.target, iris.feature_names, iris.target_names
)
page.save_html(str(folder / "supertree"))
print(f"wrote {folder / 'supertree.html'}")

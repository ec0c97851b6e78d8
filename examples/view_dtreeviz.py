"""dtreeviz on an optimal tree: the training rows at every split.

Needs ``pip install dtreeviz`` and, for the whole tree, the program ``dot`` of Graphviz.

    python examples/view_dtreeviz.py FOLDER
"""

import shutil
import sys
from pathlib import Path

import dtreeviz
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from treeproof import OptimalTreeClassifier

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
iris = load_iris(as_frame=True)
model = OptimalTreeClassifier(split_penalty=0.01, max_depth=3)
model.fit(iris.data, iris.target)

view = dtreeviz.model(
    model.to_sklearn(),
    X_train=iris.data,
    y_train=iris.target,
    feature_names=list(iris.data),
    target_name="species",
    class_names=list(iris.target_names),
)
view.ctree_leaf_distributions()
plt.savefig(folder / "dtreeviz_leaves.png")
print(f"wrote {folder / 'dtreeviz_leaves.png'}")
flower = iris.data.to_numpy()[100]
print(view.explain_prediction_path(flower))
if shutil.which("dot"):
    view.view().save(str(folder / "dtreeviz_tree.svg"))
    print(f"wrote {folder / 'dtreeviz_tree.svg'}")

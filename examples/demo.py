"""An optimal tree on a bundled data set, drawn in the terminal with its certificate.

The first MONK's problem: robots belong to the club if head and body have the same shape
or the jacket is red. A greedy tree does not see it, because no single feature but the
jacket tells members from others; the optimal tree does.
"""

import time

from rich.console import Console
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_monks
from treeproof.tree.drawing import draw

console = Console(highlight=False, soft_wrap=True)
X, y = load_monks(1, as_frame=True, return_X_y=True)
y = y.map({0: "stranger", 1: "member"})
console.print(
    f"MONK's problem 1: {len(X)} robots, {X.shape[1]} categorical features.\n"
)

start = time.perf_counter()
model = OptimalTreeClassifier(split_penalty=0.005).fit(X, y)
seconds = time.perf_counter() - start
tree = model.tree_.collapse()

console.print(draw(tree))
console.print()
style = "bold green" if model.optimal_ else "bold yellow"
console.print(f"Certificate: {model.certificate()}", style=style)
console.print(
    f"{model.n_splits_} splits ({tree.n_splits} after merging equal siblings), "
    f"accuracy {model.score(X, y):.1%}, found and proved in {seconds:.3f} s.",
)

greedy = DecisionTreeClassifier(max_leaf_nodes=tree.n_leaves, random_state=0)
codes = OrdinalEncoder().fit_transform(X)
accuracy = greedy.fit(codes, y).score(codes, y)
console.print(
    f"A greedy tree (CART) with as many leaves: accuracy {accuracy:.1%}.",
)

"""
Which tree gives the best probabilities?
========================================

A tree of least error need not give good probabilities: a split whose sides predict the
same class corrects no error, and yet may tell a safe case from a doubtful one. With
``criterion="log_loss"`` or ``"gini"`` the probabilities themselves are optimised, with
proof.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss

from treeproof import OptimalTreeClassifier

bunch = load_breast_cancer(as_frame=True)
X, y = bunch.data.iloc[:, :10], bunch.target_names[bunch.target]

fewest_errors = OptimalTreeClassifier(0.005, max_depth=2).fit(X, y)
clf = OptimalTreeClassifier(0.005, criterion="log_loss", smoothing=1.0, max_depth=2)
clf.fit(X, y)
print(clf.certificate())
clf.plot()

# %%
# Both trees on the training rows: how many errors, and how good are the probabilities?

for name, model in (("errors", fewest_errors), ("log loss", clf)):
    loss = log_loss(y, model.predict_proba(X))
    errors = int((model.predict(X) != y).sum())
    print(f"fitted to {name}: {errors} errors, log loss {loss:.3f}")

# %%
# Smoothing puts imaginary rows of each class into every leaf, so that no leaf is ever
# sure. Without it a leaf of 20 rows of one class says 100%, and a single row of the
# other class at prediction costs infinitely much.

amounts = [0.0, 0.5, 1.0, 2.0, 4.0]
surest = [
    clf.set_params(smoothing=amount).fit(X, y).predict_proba(X).max()
    for amount in amounts
]
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(amounts, 1 - np.array(surest), "o-")
ax.set_xlabel("smoothing")
ax.set_ylabel("least doubt of any leaf")

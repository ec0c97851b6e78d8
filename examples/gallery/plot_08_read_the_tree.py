"""
How do I read a tree, and how do I show it?
===========================================

As a picture for a paper, as text in a terminal, as one sentence for each answer.
"""

from sklearn.datasets import load_iris

from treeproof import OptimalTreeClassifier

iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
y = iris.target_names[iris.target]
clf = OptimalTreeClassifier(0.01, max_depth=3).fit(X, y)
clf.plot(units=dict.fromkeys(X, "cm"))

# %%
# As text:

print(clf.export_text())

# %%
# As rules:

for rule in clf.to_rules():
    print(rule)

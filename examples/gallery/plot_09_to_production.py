"""
How does a tree get into production?
====================================

It can be exported as SQL, which runs where the data are, as a Python function without
dependencies, or as JSON to store it. All exports make the predictions of ``predict``.
"""

import matplotlib.pyplot as plt

from treeproof import OptimalTreeClassifier, from_json
from treeproof.datasets import load_monks

X, y = load_monks(1, as_frame=True, return_X_y=True)
clf = OptimalTreeClassifier(0.01).fit(X, y)

# %%
# SQL, in the dialect of your database:

print(clf.to_sql("duckdb"))

# %%
# A Python function without dependencies:

print(clf.to_python(name="is_member"))

# %%
# And back again from JSON:

again = from_json(clf.to_json())
assert (again.predict(X) == clf.predict(X)).all()
again.plot()
plt.show()

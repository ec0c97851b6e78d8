"""SHAP values of an optimal tree: how much each feature moves each prediction.

Needs ``pip install shap``. TreeExplainer reads the scikit-learn tree that `to_sklearn`
makes; a table with categories is encoded by `encode`. SHAP weighs paths by their
training rows, so that the leaves for unseen categories, which hold none, are left out.
"""

import numpy as np
import shap

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_monks

X, y = load_monks(1, as_frame=True, return_X_y=True)
model = OptimalTreeClassifier(split_penalty=0.01).fit(X, y)
rows = model.encode(X)

explainer = shap.TreeExplainer(model.to_sklearn(unseen=False))
values = explainer.shap_values(rows)[:, :, 1]  # of class 1

# The values of a row add up to its probability, up from that of an average row.
total = explainer.expected_value[1] + values.sum(axis=1)
assert np.allclose(total, model.predict_proba(X)[:, 1])

print("mean |SHAP value| of each feature for class 1:")
for name, size in sorted(
    zip(model.encoded_names(), np.abs(values).mean(axis=0), strict=True),
    key=lambda pair: -pair[1],
):
    print(f"  {name:14s} {size:.3f}")

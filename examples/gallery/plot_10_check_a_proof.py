"""
Why should I believe that it is optimal?
========================================

Because you can check it. A fit writes its argument to a file, and a small program that
shares no code with the search verifies it step by step against your data.
"""

import gzip
import tempfile
from pathlib import Path

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_monks
from treeproof.proof import check

X, y = load_monks(1, return_X_y=True)
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "monk1.proof.gz"
clf = OptimalTreeClassifier(0.01).fit(X, y, proof=path)
print(check(path, X, y))

# %%
# A proof about other data is refused:

print(check(path, X, list(y)[::-1]))

# %%
# So is one in which a step is missing:

lines = gzip.decompress(path.read_bytes()).decode().splitlines()
forged = path.with_name("forged.proof.gz")
with gzip.open(forged, "wt") as file:
    file.write("\n".join([*lines[:-2], lines[-1]]) + "\n")  # without the last but one
print(check(forged, X, y))

# %%
# What the search did while it wrote this:

print(len(lines) - 1, "steps,", path.stat().st_size, "bytes")
clf.history_.plot()
folder.cleanup()

"""Which settings prove optimality in seconds? The table of docs/start/decisions.md.

The labels of every table follow a rule of three levels: one column chooses between a
second column and the exclusive or of two others. In noisy tables, one label in five is
flipped. Run `python -m benchmarks.settings`.
"""

import time
import warnings

import numpy as np
import pandas as pd

from treeproof import OptimalTreeClassifier

PENALTY = 0.01
LIMIT = 20.0  # wall seconds of one fit


def make_table(kind, rows, columns, noise):
    """Return a table whose columns are numbers, 0/1 or four categories, and labels."""
    rng = np.random.default_rng(0)
    if kind == "numbers":
        X = rng.normal(size=(rows, columns))
        bits = X[:, :4].T > 0.3
    else:
        n_values = 2 if kind == "bits" else 4
        codes = rng.integers(0, n_values, (rows, columns))
        middle = n_values // 2
        bits = (codes[:, :4] >= middle).T
        X = pd.DataFrame(codes.astype(str), columns=[f"c{j}" for j in range(columns)])
    y = np.where(bits[0], bits[1], bits[2] ^ bits[3]) ^ (rng.random(rows) < noise)
    return X, y


def main():
    """Print CPU seconds and what is proved, for each table and maximum depth."""
    for kind in ("bits", "categories", "numbers"):
        for noise in (0.0, 0.2):
            for rows in (1_000, 10_000, 100_000):
                for columns in (10, 30):
                    X, y = make_table(kind, rows, columns, noise)
                    for depth in (2, 3, 4, None):
                        clf = OptimalTreeClassifier(
                            PENALTY, max_depth=depth, time_limit=LIMIT
                        )
                        start = time.process_time()
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            clf.fit(X, y)
                        seconds = time.process_time() - start
                        print(
                            f"{kind}, noise {noise}, {rows:,} x {columns}, "
                            f"max_depth={depth}: {seconds:.2f} s, "
                            f"{'proved' if clf.optimal_ else 'not proved'}",
                            flush=True,
                        )


if __name__ == "__main__":
    main()

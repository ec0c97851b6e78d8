"""Measurements: treeproof and its peers on the same problems under the same limits.

`python -m benchmarks` runs the tables, `python -m benchmarks.noisy` and
`python -m benchmarks.stops` the two studies on generated data. See README.md.
"""

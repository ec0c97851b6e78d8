"""One search on many machines: `fit(..., distributed=client)`.

The coordinator, in the process that calls `fit`, holds the top of the search as a graph
of subproblems (`graph`); Dask workers solve subproblems with the sparse engine in
slices of time (`worker`); `coordinator` decides what to send, when to look closer, and
when all is proved.
"""

from __future__ import annotations

from treeproof.cluster.coordinator import solve_on_cluster

__all__ = ["solve_on_cluster"]

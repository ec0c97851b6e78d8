"""Tables that are too large to read: files, relations, datasets, cluster frames.

A tree needs only the *distinct* rows of a table with the weight of each class on them.
For categorical data that is a small table however long the file is, so the engine that
holds the data computes it: DuckDB for files, relations and Arrow datasets (larger than
memory, spilling to disk), Dask for data frames on a cluster. What comes back is an
ordinary small table with counts, which the input border reads like any other.

`open_source` recognises a source, `merged_rows` asks it for its distinct rows.
"""

from __future__ import annotations

from treeproof.sources.merged import MergedRows, merged_rows
from treeproof.sources.opening import open_source
from treeproof.sources.source import Source

__all__ = ["MergedRows", "Source", "merged_rows", "open_source"]

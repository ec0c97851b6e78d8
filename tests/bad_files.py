"""Files with errors, for the tests of the messages of the command line."""

import gzip
from pathlib import Path

import pyarrow as pa
from pyarrow import feather, parquet

GOOD = b"a,b,y\n1,x,0\n2,z,1\n3,x,1\n"

FILES = {
    "good.csv": GOOD,
    "empty.csv": b"",
    "blank.csv": b"\n\n",
    "header.csv": b"a,y\n",
    "twice.csv": b"a,a,y\n1,2,0\n3,4,1\n",
    "latin1.csv": "a,y\nété,0\nb,1\n".encode("latin1"),
    "utf16.csv": "a,y\n1,0\n2,1\n".encode("utf-16"),
    "long.csv": b"a,y\n1,0\n2,1,9\n3,0\n",
    "short.csv": b"a,b,y\n1,2,0\n2\n3,4,1\n",
    "not.csv.gz": b"not gzip",
    "cut.csv.gz": gzip.compress(b"a,y\n1,0\n" * 1000, mtime=0)[:40],
    "zipped.csv": gzip.compress(GOOD, mtime=0),
    "bytes.csv": bytes(range(256)) * 10,
    "book.xlsx": b"PK\x03\x04rest",
    "list.json": b'[{"a": 1}]',
    "quote.csv": b'a,y\n"1,0\n2,1\n',
    "infinite.csv": b"a,y\ninf,0\n2,1\n",
    "date.csv": b"a,y\n2024-01-02,0\n2024-01-03,1\n",
    "gap.csv": b"a,y\n1,0\n,1\n",
    "text_gap.csv": b"a,y\np,0\n,1\n",
    "no_name.csv": b"a,,y\n1,2,0\n3,4,1\n",
    "fractions.csv": b"a,y\n1,0.5\n2,1.5\n",
    "one_column.csv": b"y\n1\n2\n",
    "bad.parquet": b"nonsense",
    "bad.arrow": b"nonsense",
}


def write_files(folder: Path) -> None:
    """Write all of them into a folder."""
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    twice = pa.table([pa.array([1, 2])] * 3, names=["a", "a", "y"])
    parquet.write_table(twice, folder / "twice.parquet")
    feather.write_feather(twice, str(folder / "twice.arrow"))


FIT = ["fit", "--target", "y", "--quiet"]
COMMANDS = {
    **{f"fit {name}": ["fit", name, *FIT[1:], "--missing", "error"] for name in FILES
       if name != "good.csv"},
    "fit fractions.csv": ["fit", "fractions.csv", *FIT[1:], "--classes"],
    "fit twice.parquet": ["fit", "twice.parquet", *FIT[1:]],
    "fit twice.arrow": ["fit", "twice.arrow", *FIT[1:]],
    "no such file": ["fit", "none.csv", *FIT[1:]],
    "a folder": ["fit", ".", *FIT[1:]],
    "almost a query": ["fit", "selct 1", *FIT[1:]],
    "a bad query": ["fit", "select * from", *FIT[1:]],
    "an unknown table": ["fit", "select * from nothing", *FIT[1:]],
    "a query with a name twice": ["fit", "select 1 as a, 2 as a, 3 as y", *FIT[1:]],
    "an empty query": ["fit", "select 1 as a, 2 as y limit 0", *FIT[1:]],
    "no such database": ["fit", "select 1", *FIT[1:], "--database", "no.db"],
    "a database for a file": ["fit", "good.csv", *FIT[1:], "--database", "no.db"],
    "no such target": ["fit", "good.csv", "--target", "z"],
    "target as weight": ["fit", "good.csv", *FIT[1:], "--weight", "y"],
    "target dropped": ["fit", "good.csv", *FIT[1:], "--drop", "y"],
    "target as category": ["fit", "good.csv", *FIT[1:], "--categorical", "a,y"],
    "no such weight": ["fit", "good.csv", *FIT[1:], "--weight", "z"],
    "no such drop": ["fit", "good.csv", *FIT[1:], "--drop", "a,z"],
    "no such category": ["fit", "good.csv", *FIT[1:], "--categorical", "z"],
    "everything dropped": ["fit", "good.csv", *FIT[1:], "--drop", "a,b"],
    "text as weight": ["fit", "good.csv", *FIT[1:], "--weight", "b"],
    "text to regress on": ["fit", "good.csv", "--target", "b", "--regression",
                           "--quiet"],
    "classes to regress on": ["fit", "good.csv", *FIT[1:], "--regression",
                              "--class-weight", "balanced"],
    "unknown picture": ["fit", "good.csv", *FIT[1:], "--plot", "tree.doc"],
    "no folder": ["fit", "good.csv", *FIT[1:], "--onnx", "no/tree.onnx"],
    "a folder to write": ["fit", "good.csv", *FIT[1:], "--save", "."],
    "a bad table name": ["fit", "good.csv", *FIT[1:], "--sql", "tree.sql",
                         "--sql-table", "a..b"],
    "an amount of memory": ["fit", "good.csv", *FIT[1:], "--memory-limit", "much"],
    "not a model": ["predict", "good.csv", "good.csv"],
    "no such model": ["predict", "none.json", "good.csv"],
    "a column less": ["predict", "model.json", "gap.csv"],
    "text for numbers": ["predict", "model.json", "changed.csv"],
    "nothing to write": ["export", "model.json"],
}  # fmt: skip

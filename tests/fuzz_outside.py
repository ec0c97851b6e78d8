"""Attacks that involve other programs: clusters, browsers, queries.

The same as `fuzz_attacks`, with programs that are not everywhere: `OUTSIDE` holds the
attacks that this machine can run.
"""

from __future__ import annotations

import atexit
import csv
import random
import tempfile
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from explorer_browser import CHROMIUM, DRIVER, User, browser, server

from treeproof import OptimalTreeClassifier

PARTS = [
    "<script>window.struck=1</script>", "<img src=x onerror=window.struck=1>", '"', "'",
    "]]>", "\\", "{{1+1}}", "${window.struck=1}", "é", "</svg>", "</title>", "&lt;",
    "\u202e", "javascript:window.struck=1", "' onload='window.struck=1",
]  # fmt: skip


@cache
def _client() -> Any:
    """Return a client of a cluster of two workers in this process."""
    import distributed

    from treeproof.cluster import coordinator

    # Slices so short that small problems have to be shared out.
    coordinator.ROOT_SECONDS = 0.001
    coordinator.FIRST_SECONDS = 0.02
    stack = ExitStack()
    atexit.register(stack.close)
    local = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False,
        dashboard_address="127.0.0.1:0",
    )  # fmt: skip
    return stack.enter_context(distributed.Client(stack.enter_context(local)))


def cluster(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Check that a search on a cluster finds the same optimum as one machine."""
    made = np.random.default_rng(rng.randrange(2**32))
    n, q = rng.randint(4, 120), rng.randint(1, 6)
    X: dict[str, Any] = {
        f"f{j}": made.choice(list("abcd")[: rng.randint(1, 4)], n) for j in range(q)
    }
    X["n"] = made.integers(0, 5, n).astype(float)
    if rng.random() < 0.3:
        X["n"][made.random(n) < 0.2] = np.nan
    y = np.where((X["n"] > 2) ^ (made.random(n) < 0.2), "yes", "no")
    weights = made.choice([1.0, 2.0, 0.5], n) if rng.random() < 0.4 else None
    model = OptimalTreeClassifier(
        split_penalty=rng.choice([0.005, 0.02, 0.1]),
        penalize=rng.choice(["leaves", "splits"]),
        max_depth=rng.choice([None, 1, 2, 3]),
        min_samples_leaf=rng.choice([1, 1, 3]),
        categorical_split=rng.choice(["multiway", "one-vs-rest"]),
        missing=rng.choice(["best-side", "branch"]),
        solver="sparse",
        time_limit=None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = model.fit(X, y, weights).objective_
        model.fit(X, y, weights, distributed=_client())
    assert model.optimal_ and abs(model.objective_ - alone) < 1e-9


@cache
def _browser() -> Any:
    """Return a browser that runs until this process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    return stack.enter_context(browser(folder))


def page(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Show column names and labels that try to break the explorer in a browser."""

    def name() -> str:
        return "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 3)))

    columns = list(dict.fromkeys([name(), name(), name() + "y"]))
    labels, categories = ([name() + end for end in "pq"] for _ in range(2))
    table = folder / "page.csv"
    rows = [
        [rng.choice(categories) for _ in columns[:-1]] + [rng.choice(labels)]
        for _ in range(30)
    ]
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    with server(str(table), "--target", columns[-1]) as address:
        user = User(_browser(), (1280, 800))
        user.open(address)
        user.click("fit")
        user.see("badge", "Proved optimal")
        user.wait(user.nodes)
        for node in user.nodes():
            shown = node.get_attribute("aria-label")
            assert shown is not None
        struck = user.driver.execute_script("return window.struck === undefined")
        assert struck, "a name was run as a script"
        scripts = "return document.querySelectorAll('[data-part=tree] script').length"
        assert user.driver.execute_script(scripts) == 0
        faults = user.faults()
        assert faults == [], faults
        # the next page must not inherit complaints about a server that has ended
        user.driver.get("about:blank")
        user.faults()


def queries(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Query a foreign database whose views and queries ask for files outside it."""
    import duckdb

    from treeproof.cli.tables import read_table

    secret, taken = folder / "secret.csv", folder / "taken.csv"
    secret.write_text("word\nxyzzy\nplugh\n")
    base = folder / f"base{rng.randrange(10**9)}.duckdb"
    reading = [
        f"select * from '{secret}'",
        f"select * from read_csv('{secret}')",
        f"select content from read_text('{secret}')",
        f"select content from read_blob('{secret}')",
        f"select file from glob('{folder}/*')",
        f"select * from '{folder}/*.csv'",
    ]
    chosen = rng.choice(reading)
    with duckdb.connect(str(base)) as made:
        made.sql("create table own as select range as a from range(5)")
        made.sql(f"create view lure as {chosen}")
    asked = rng.choice(
        [
            "select * from lure",
            "from lure",
            "with t as (select * from lure) select * from t",
            "select own.a, lure.* from own, lure",
            chosen,
            f"select 1; copy own to '{taken}'",
            "select 1; set enable_external_access = true; select * from lure",
            f"select 1; attach '{folder}/other.duckdb'; select 1 as a",
            "select 1; install httpfs",
        ]
    )
    try:
        found = read_table(asked, database=str(base))
    except ValueError as error:
        assert str(error).startswith("The query failed:"), error
        assert "xyzzy" not in str(error)
    else:
        raise AssertionError(f"{asked} was answered: {found}")
    finally:
        assert not taken.exists() and not (folder / "other.duckdb").exists()
    own = read_table("select a from own order by a", database=str(base))
    assert own["a"].to_pylist() == list(range(5))
    base.unlink()


def uploads(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Upload files with dangerous names and contents."""
    from treeproof.explorer.tables import read_upload

    parts = ["..", "/", "\\", "*", "?", "[a]", "\x00", "select * from x", ".csv", ".gz",
             ".parquet", ".arrow", "~", "$HOME", "%2e", " ", "é", "a" * 300, "'", "--",
             "s3://b/", "https://h/", ";", "\n", "con", "-"]  # fmt: skip
    name = "".join(rng.choice(parts) for _ in range(rng.randint(0, 5)))
    table = b"x,y\n" + b"".join(b"%d,%d\n" % (i % 3, i % 2) for i in range(9))
    content = bytearray(
        rng.choice([table, table * 2, b"", b"PAR1", b"ARROW1", b"\xff"])
    )
    for _ in range(rng.choice([0, 0, 3]) if content else 0):
        content[rng.randrange(len(content))] = rng.randrange(256)
    try:
        found = read_upload(name, bytes(content))
    except ValueError as error:
        assert str(error) and "Traceback" not in str(error)
    else:
        assert all(len(c) == len(next(iter(found.columns.values())))
                   for c in found.columns.values())  # fmt: skip


Attack = Callable[[random.Random, Path, Path | None], None]
_WITH: dict[Attack, bool] = {
    cluster: find_spec("distributed") is not None,
    page: bool(CHROMIUM and DRIVER and find_spec("selenium")),
    queries: bool(find_spec("duckdb") and find_spec("pyarrow")),
    uploads: True,
}
OUTSIDE = {f.__name__: f for f, there in _WITH.items() if there}

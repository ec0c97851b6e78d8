"""Ordinary tables with the defaults: what is proved, how soon, and beside whom.

``python -m benchmarks.real`` fits the tables of `real_tables` with a penalty of .01 and
everything else as it comes, and reports for each the cost, the bound at any depth, when
each level of depth was proved, the objective over time, and the score on held-out rows,
beside CART and TAO pruned exactly for the same cost and, where installed (`make peers`)
and the table has no missing values, STreeD on the same table cut at quantiles.
"""

from __future__ import annotations

import csv
import json
import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.bench.tables import amounts_problem, binary_problem

from . import isolated
from .greedy import OneHot, Rows, cart, tao
from .problems import ROOT
from .real_plots import plot_all
from .real_tables import CLASSES, GENERATED, NUMBERS, RealTable, load
from .report import show, to_markdown, wide_console
from .tables import SAME_VALUE, Table

__all__ = ["main", "measure"]

PENALTY = 0.01
RESULTS = Path(__file__).parent / "results"
PEERS = ("streed",)
ANY = "any"  # how the level without a depth limit is written
LEVELS = ("1", "2", "3", "4", "5", ANY)


def measure(name: str, limit: float, peers: bool = True) -> dict[str, Any]:
    """Fit one table in every way and return all figures."""
    table = load(name)
    row: dict[str, Any] = {
        "table": name,
        "task": "number" if table.numeric else "classes",
        "rows": len(table.X),
        "columns": table.X.shape[1],
        "limit": limit,
    }
    row |= _ours(table, limit) | _greedy(table)
    if peers:
        for solver in PEERS:
            row |= _peer(solver, table, limit)
    return row


def _ours(table: RealTable, limit: float) -> dict[str, Any]:
    kind = OptimalTreeRegressor if table.numeric else OptimalTreeClassifier
    model = kind(PENALTY, time_limit=limit)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table.X, table.y)
        seconds = time.perf_counter() - start
        score = float(model.score(table.X_held_out, table.y_held_out))
    history = model.history_
    events = zip(history.seconds, history.lower, history.upper, strict=True)
    proved = model.proved_depth_
    return {
        "cost": model.objective_,
        "bound": model.lower_bound_,
        "status": model.status_,
        "seconds": seconds,
        "proved_depth": ANY if np.isinf(proved) else int(proved),
        "splits": model.n_splits_,
        "depth": model.get_depth(),
        "score": score,
        "certificate": model.certificate(),
        "levels": [
            {
                "depth": ANY if level.max_depth is None else str(level.max_depth),
                "cost": level.objective,
                "bound": level.lower_bound,
                # A deep level may be settled without a best tree of its own: none of
                # its trees costs less than the one that was fitted.
                "proved": bool(level.optimal)
                or level.lower_bound >= model.objective_ * (1 - SAME_VALUE),
                "seconds": level.seconds,
            }
            for level in model.certificates_
        ],
        "events": [list(event) for event in events],
    }


def _greedy(table: RealTable) -> dict[str, Any]:
    encode = OneHot(table.X, PENALTY)
    X, held_out = encode(table.X), encode(table.X_held_out)
    if table.numeric:
        y, truth = table.y.to_numpy(float), table.y_held_out.to_numpy(float)
    else:
        classes, y = np.unique(table.y.astype(str), return_inverse=True)
        truth = np.searchsorted(classes, table.y_held_out.astype(str))
    problem = Rows(X, y, table.numeric, PENALTY)
    row: dict[str, Any] = {}
    for name, learn in (("cart", cart), ("tao", tao)):
        start = time.perf_counter()
        tree = learn(problem)
        found = tree.predict(np.nan_to_num(held_out, nan=_MISSING[name]))
        row |= {
            f"{name}_cost": tree.cost,
            f"{name}_splits": tree.splits,
            f"{name}_score": _score(truth, found, table.numeric),
            f"{name}_seconds": time.perf_counter() - start,
        }
    return row


# TAO was given missing values as the least numbers there are; CART knows them.
_MISSING = {"cart": np.nan, "tao": float(np.finfo(np.float32).min / 2)}


def _score(truth: Any, found: Any, numeric: bool) -> float:
    if not numeric:
        return float((truth == found).mean())
    return 1.0 - float(
        ((truth - found) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    )


def _peer(solver: str, table: RealTable, limit: float) -> dict[str, Any]:
    """Give a peer the same table as 0/1 tests; nothing where it cannot read it."""
    if not isolated.available(solver) or table.X.isna().any(axis=None):
        return {}
    labels = np.zeros(len(table.y), int) if table.numeric else table.y.astype(str)
    columns = {name: values.to_numpy() for name, values in table.X.items()}
    problem = binary_problem(table.name, columns, labels, penalty=PENALTY)
    if table.numeric:
        problem = amounts_problem(problem, table.y.to_numpy(float))
    python = isolated.interpreter(solver)
    caps = isolated.Caps(limit)
    found = isolated.run_fit(solver, problem, PENALTY, None, caps, python)
    return {
        f"{solver}_cost": found.get("objective"),
        f"{solver}_status": found["status"],
        f"{solver}_seconds": found.get("wall"),
    }


# ------------------------------------------------------------------------ tables


def cost_table(rows: list[dict[str, Any]]) -> Table:
    """Costs and bounds, beside the other methods; a star marks the least cost."""
    table = Table(
        f"Cost of the tree found in {rows[0]['limit']:g} s (penalty {PENALTY:g})",
        ["table", "rows x columns", "cost", "bound, any depth", "proved to depth",
         "seconds", "CART", "TAO", "STreeD ¹"],
    )  # fmt: skip
    behind = []
    for row in rows:
        others = [row["cart_cost"], row["tao_cost"]]
        best = min([row["cost"], *others])
        if row["cost"] > min(others) + SAME_VALUE:
            behind.append(row["table"])

        def cell(value: float | None, best: float = best) -> str:
            if value is None:
                return ""
            return f"{value:.5f}" + ("*" if value <= best + SAME_VALUE else "")

        streed = row.get("streed_cost")
        table.rows.append(
            [row["table"], f"{row['rows']} x {row['columns']}", cell(row["cost"]),
             f"{row['bound']:.5f}", str(row["proved_depth"]), f"{row['seconds']:.2f}",
             *map(cell, others), "" if streed is None else f"{streed:.5f}"]
        )  # fmt: skip
    table.notes.append(
        f"Ours costs more than CART or TAO on {', '.join(behind)}."
        if behind
        else f"Ours never costs more than CART or TAO ({len(rows)} tables)."
    )
    whole = sum(row["proved_depth"] == ANY for row in rows)
    table.notes.append(f"Proved at any depth: {whole} of {len(rows)}.")
    table.notes.append(
        "¹ On the table cut at eight quantiles of each column of numbers, where "
        "nothing is missing: another set of trees, so its costs are not compared."
    )
    return table


def level_table(rows: list[dict[str, Any]]) -> Table:
    """When each level was proved; the bound where it was not."""
    table = Table(
        "Seconds to the proof of each depth (or the bound that was reached)",
        ["table", *(f"depth {d}" if d != ANY else "any depth" for d in LEVELS)],
    )
    for row in rows:
        known = {level["depth"]: level for level in row["levels"]}
        cells = []
        for depth in LEVELS:
            level = known.get(depth)
            if level is None:
                cells.append("")
            elif level["proved"]:
                cells.append(f"{level['seconds']:.2f}")
            else:
                cells.append(f"none below {level['bound']:.3f}")
        table.rows.append([row["table"], *cells])
    return table


def score_table(rows: list[dict[str, Any]]) -> Table:
    """Held-out scores and sizes."""
    table = Table(
        "Score on the 30% held out (accuracy; R² for numbers), and splits",
        ["table", "ours", "CART", "TAO", "splits: ours", "CART", "TAO"],
    )
    for row in rows:
        scores = [row["score"], row["cart_score"], row["tao_score"]]
        sizes = [row["splits"], row["cart_splits"], row["tao_splits"]]
        table.rows.append(
            [row["table"], *(f"{s:.4f}" for s in scores), *map(str, sizes)]
        )
    means = np.mean(
        [[r["score"], r["cart_score"], r["tao_score"]] for r in rows], axis=0
    )
    table.notes.append(
        f"Mean: ours {means[0]:.4f}, CART {means[1]:.4f}, TAO {means[2]:.4f}."
    )
    return table


def write(rows: list[dict[str, Any]], folder: Path) -> list[Table]:
    """Write figures as JSON and CSV, tables as Markdown, and the plots."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "real.json").write_text(json.dumps(rows, indent=1))
    flat = [{k: v for k, v in r.items() if k not in ("levels", "events")} for r in rows]
    for row, kept in zip(rows, flat, strict=True):
        kept |= {
            f"depth_{level['depth']}": level["seconds"]
            for level in row["levels"]
            if level["proved"]
        }
    columns = list(dict.fromkeys(key for row in flat for key in row))
    with (folder / "real.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(flat)
    tables = [cost_table(rows), level_table(rows), score_table(rows)]
    (folder / "real.md").write_text("\n".join(map(to_markdown, tables)))
    plot_all(rows, folder)
    return tables


def main(
    tables: Annotated[str, typer.Option(help="Tables A,B; all if empty.")] = "",
    limit: Annotated[float, typer.Option(help="Seconds for a fit.")] = 30.0,
    output: Annotated[Path, typer.Option(help="Folder of the results.")] = RESULTS,
    peers: Annotated[bool, typer.Option(help="Run other solvers as well.")] = True,
    resume: Annotated[bool, typer.Option(help="Keep tables that are done.")] = False,
    report: Annotated[bool, typer.Option(help="Only draw and write again.")] = False,
    smoke: Annotated[bool, typer.Option(help="Small generated tables only.")] = False,
) -> None:
    """Fit ordinary tables with the defaults, beside other methods."""
    names = list(GENERATED) if smoke else [*CLASSES, *NUMBERS]
    names = tables.split(",") if tables else names
    kept = output / "real.json"
    again = resume or report
    rows = json.loads(kept.read_text()) if again and kept.exists() else []
    console = wide_console()
    for name in names if not report else []:
        if any(row["table"] == name for row in rows):
            continue
        row = measure(name, limit, peers)
        rows.append(row)
        console.print(f"{name}: {row['certificate']}", highlight=False, soft_wrap=True)
        output.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(rows))
    for table in write(rows, output):
        show(table, console)
    where = output.relative_to(ROOT) if output.is_relative_to(ROOT) else output
    console.print(f"Written: {where}/real.csv, real.json, real.md and real_*.png")


if __name__ == "__main__":
    typer.run(main)

"""Shows the tables: in the terminal, as Markdown, and the plot beside them."""

from __future__ import annotations

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

from .plot import plot_times
from .store import Store
from .tables import Table, all_tables


def to_markdown(table: Table) -> str:
    """Return the table as Markdown, text left, figures right."""
    width = [
        max(len(row[i]) for row in [table.header, *table.rows])
        for i in range(len(table.header))
    ]
    lines = [
        f"## {table.title}",
        "",
        "| " + " | ".join(map(str.ljust, table.header, width)) + " |",
        "|"
        + "|".join("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(width))
        + "|",
    ]
    for row in table.rows:
        cells = map(str.rjust, row[1:], width[1:])
        lines.append("| " + " | ".join([row[0].ljust(width[0]), *cells]) + " |")
    lines += ["", *(f"- {note}" for note in table.notes), ""]
    return "\n".join(lines)


def wide_console() -> Console:
    """Return a console that does not squeeze tables when it writes to a file."""
    console = Console()
    return console if console.is_terminal else Console(width=140)


def show(table: Table, console: Console) -> None:
    """Print the table."""
    shown = RichTable(title=table.title, title_justify="left", box=SIMPLE_HEAD)
    for i, name in enumerate(table.header):
        shown.add_column(name, justify="right" if i else "left", no_wrap=True)
    for row in table.rows:
        shown.add_row(*row)
    console.print(shown)
    for note in table.notes:
        style = "bold red" if note.startswith("CONTRADICTION") else None
        console.print(f"- {note}", style=style, highlight=False)
    console.print()


def conditions(store: Store) -> str:
    """Return where, when and with what the rows were measured."""
    machines = sorted({r["machine"] for r in store.rows if r["machine"]})
    days = sorted({r["when"][:10] for r in store.rows if r["when"]})
    versions = sorted(
        {f"{r['solver']} {r['version']}" for r in store.rows if r["version"]}
    )
    limits = sorted({f"{r['limit']:g}" for r in store.rows})
    caps = sorted({f"{r['memory_cap_mb'] / 1000:g}" for r in store.rows})
    period = " to ".join(sorted({days[0], days[-1]}))
    return (
        f"Measured {period} on {', '.join(machines)}; "
        f"one process at a time, one thread each, limit {' / '.join(limits)} s and "
        f"{' / '.join(caps)} GB per fit. {', '.join(versions)}.\n"
    )


def write_report(store: Store, folder: Path, console: Console, clock: str) -> None:
    """Print all tables and write `tables.md` and `times.png`."""
    tables = all_tables(store, clock)
    if not tables:
        console.print("No rows measured yet.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join([conditions(store), *(to_markdown(t) for t in tables)])
    (folder / "tables.md").write_text(text)
    for table in tables:
        show(table, console)
    written = [folder / "runs.csv", folder / "tables.md"]
    if plot_times(store, folder / "times.png", clock):
        written.append(folder / "times.png")
    console.print("Written: " + ", ".join(str(p) for p in written), highlight=False)

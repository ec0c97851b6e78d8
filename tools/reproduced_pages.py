"""Writes the pages of docs/reproduced: every target of `treeproof reproduce`.

python tools/reproduced_pages.py [NAME ...] [--data DIR] [--fresh]

docs/reproduced/plan.toml says under which limits a target is measured and, by hand, why
our figures differ from those printed. Rows that are known, in docs/reproduced/rows, are
not measured again; so without --fresh this only writes pages, unless rows are missing.
A target whose figures differ and that the plan does not explain is an error.
"""

from __future__ import annotations

import argparse
import io
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from treeproof import __version__
from treeproof.reproduce import TARGETS, Outcome, Request, Store, run
from treeproof.reproduce.data import data_folder
from treeproof.reproduce.report import differences, heads, lines

PLACE = Path(__file__).resolve().parents[1] / "docs" / "reproduced"
MOST_ROWS = 160  # in one table; longer ones are folded, one part for each set
MOST_BYTES = 140_000  # of a picture


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is missing, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all targets")
    parser.add_argument("--data", type=Path, help="folder with the papers' data sets")
    parser.add_argument("--fresh", action="store_true", help="measure everything anew")
    parser.add_argument("--place", type=Path, default=PLACE, help="where pages go")
    parser.add_argument("--no-pictures", action="store_true", help="pages only")
    asked = parser.parse_args(words)
    plan = tomllib.loads((PLACE / "plan.toml").read_text())
    outcomes = [
        measure(name, plan["targets"][name], asked.data, asked.fresh)
        for name in asked.names or TARGETS
    ]
    for outcome in outcomes:
        name = outcome.target.name
        settings = plan["targets"][name]
        text = page(outcome, settings, plan["machine"])
        (asked.place / f"{name}.md").write_text(text)
        if outcome.target.plot is not None and not asked.no_pictures:
            (asked.place / f"{name}.png").write_bytes(picture(outcome))
    if not asked.names:
        (asked.place / "index.md").write_text(index(outcomes, plan))


def measure(
    name: str, settings: dict[str, Any], data: Path | None, fresh: bool
) -> Outcome:
    """Return the rows of a target, known or measured now."""
    target = TARGETS[name]
    path = PLACE / "rows" / target.rows_file
    if fresh:
        path.unlink(missing_ok=True)
    request = Request(
        settings.get("sets", []),
        float(settings.get("time_limit", target.time_limit)),
        int(settings.get("repeats", target.repeats)),
        data=data_folder(data),
        say=print if fresh or data else lambda line: None,
        limits=settings.get("limits", {}),
    )
    outcome = run(target, request, Store(path, __version__))
    if outcome.interrupted:
        raise SystemExit(130)
    return outcome


# ---- a page --------------------------------------------------------------------------


def page(outcome: Outcome, settings: dict[str, Any], machine: str) -> str:
    """Return the page of a target."""
    target = outcome.target
    compared, differing = differences(outcome)
    reason = settings.get("differs", "").strip()
    if differing and not reason:
        raise SystemExit(
            f"{target.name}: {differing} figures differ, the plan is mute."
        )
    parts = [
        f"# `{target.name}`",
        f"**{target.title}.** {target.source}.",
        f"```sh\n{command(target.name, settings)}\n```",
        f"Measured on {when(outcome)} in {duration(outcome)}, "
        f"{limits(outcome)}, on {machine}.",
        agreement(compared, differing, any(row.paper for row in outcome.rows)),
    ]
    if reason:
        parts += ["## What differs, and why", reason]
    drawn = [f"![{target.title}]({target.name}.png)"] if target.plot else []
    shown = tables(outcome)
    parts += ["## Figures", *(drawn + shown if len(shown) > 1 else shown + drawn)]
    if target.text is not None:
        parts.append(f"```text\n{target.text(outcome.rows).rstrip()}\n```")
    done = {row.set for row in outcome.rows}
    remarks = [f"- {k}: {v}" for k, v in target.remarks.items() if k in done]
    parts += [*target.notes, "\n".join(remarks), left_out(outcome)]
    return "\n\n".join(part for part in parts if part) + "\n"


def command(name: str, settings: dict[str, Any]) -> str:
    """Return what a user types to get these figures."""
    words = [f"treeproof reproduce {name}"]
    if settings.get("sets"):
        words.append(f"--sets {','.join(settings['sets'])}")
    words += [
        f"--{option.replace('_', '-')} {settings[option]:g}"
        for option in ("time_limit", "repeats")
        if option in settings
    ]
    return " ".join([*words, "--data DIR"])


def when(outcome: Outcome) -> str:
    """Return the day or days of measuring."""
    days = sorted({row.ours["measured"] for row in outcome.rows if row.ours})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def seconds_of(outcome: Outcome) -> float:
    """Return the wall time that measuring took."""
    return sum(row.ours["took"] for row in outcome.rows if row.ours)


def duration(outcome: Outcome) -> str:
    """Return it in words."""
    seconds = seconds_of(outcome)
    if seconds < 1:
        return "less than a second"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def limits(outcome: Outcome) -> str:
    """Say what a search and a row were given."""
    seconds = outcome.request.time_limit
    unit = "processor second" if seconds == 1 else "processor seconds"
    text = f"{seconds:g} {unit} for each search"
    others = [f"{s:g} for {name}" for name, s in outcome.request.limits.items()]
    text += f" ({', '.join(others)})" if others else ""
    repeats = outcome.request.repeats
    return text if repeats == 1 else f"{text}, {repeats} repetitions"


def agreement(compared: int, differing: int, printed: bool) -> str:
    """Say how many figures are those of the paper."""
    if not compared:
        return "The paper's figures stand in brackets." if printed else ""
    text = (
        f"The paper's figures stand in brackets. {compared - differing} of {compared} "
    )
    text += "figures that can be compared agree"
    return text + (
        "; ▲ better than printed, ▼ worse, ≠ different." if differing else "."
    )


def tables(outcome: Outcome) -> list[str]:
    """Return one table, or one for each set, folded."""
    if len(outcome.rows) <= MOST_ROWS:
        return [table(outcome)]
    found = []
    for name in dict.fromkeys(row.set for row in outcome.rows):
        part = replace(outcome, rows=[row for row in outcome.rows if row.set == name])
        found += [f"<details><summary>{name}</summary>", table(part), "</details>"]
    return found


def table(outcome: Outcome) -> str:
    """Return rows as Markdown."""
    head = heads(outcome)
    rows = [head, ["---"] * len(head), *lines(outcome)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def left_out(outcome: Outcome) -> str:
    """Name the sets of the paper that are not at hand, once for each reason."""
    names = [text.split(" was left out")[0] for text in outcome.skipped]
    return f"Not at hand, and left out: {', '.join(names)}." if names else ""


def picture(outcome: Outcome) -> bytes:
    """Return the picture as PNG in few colours, coarser if it would be too large."""
    from PIL import Image

    figure = outcome.target.plot(outcome.target, outcome.rows)
    for dpi in (110, 95, 80, 68, 58, 50):
        drawn, small = io.BytesIO(), io.BytesIO()
        figure.savefig(drawn, dpi=dpi)
        Image.open(drawn).convert("RGB").quantize(96).save(small, "PNG", optimize=True)
        if small.tell() < MOST_BYTES:
            break
    return small.getvalue()


# ---- all pages -----------------------------------------------------------------------


def index(outcomes: Sequence[Outcome], plan: dict[str, Any]) -> str:
    """Return the page that lists the others."""
    rows = [
        "| target | what it is | compared | agree | took | differs |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for outcome in outcomes:
        target = outcome.target
        compared, differing = differences(outcome)
        agree = str(compared - differing) if compared else ""
        short = plan["targets"][target.name].get("short", "")
        rows.append(
            f"| [`{target.name}`]({target.name}.md) | {target.title} | "
            f"{compared or ''} | {agree} | {duration(outcome)} | {short} |"
        )
    total = sum(seconds_of(outcome) for outcome in shared_once(outcomes)) / 60
    days = re.findall(r"\d{4}-\d\d-\d\d", " ".join(when(o) for o in outcomes))
    span = min(days) if min(days) == max(days) else f"{min(days)} to {max(days)}"
    return "\n\n".join([
        "# Every table, measured here",
        plan["introduction"].strip(),
        f"Measured on {span} in {total:.0f} minutes altogether, on {plan['machine']}. "
        "Targets that share rows measured them once; `make reproduce` writes these "
        "pages again from the rows kept beside them.",
        "\n".join(rows),
        "```{toctree}\n:hidden:\n:glob:\n\n*\n```",
    ]) + "\n"  # fmt: skip


def shared_once(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes so that every stored row is in one of them only."""
    seen: set[tuple[str, str, str]] = set()
    found = []
    for outcome in outcomes:
        file = outcome.target.rows_file
        new = [row for row in outcome.rows if (file, row.set, row.case) not in seen]
        seen |= {(file, row.set, row.case) for row in new}
        found.append(replace(outcome, rows=new))
    return found


if __name__ == "__main__":
    main()

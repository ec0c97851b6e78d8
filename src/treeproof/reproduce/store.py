"""What has been measured, kept in a file so that an interrupted run goes on.

One line of JSON for each row, appended as soon as it is known. A row answers a request
if target, set, case, seed, repetitions and version of the library are the same, and the
time limit too, unless the row says that it was proved within the one asked for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from treeproof.reproduce.target import Record, Request

__all__ = ["Store"]


class Store:
    """Measured rows of one target.

    Parameters
    ----------
    path : Path
        The file; it need not exist.
    version : str
        Version of the library; rows of others are left alone and not used.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "rows.jsonl", "1.0")
    ...     store.put("monk1", "", Request(time_limit=1), {"splits": 6, "proved": True})
    ...     again = Store(store.path, "1.0")
    >>> again.find("monk1", "", Request(time_limit=5))
    {'splits': 6, 'proved': True}
    >>> again.find("monk1", "", Request(time_limit=5, seed=1)) is None
    True
    """

    def __init__(self, path: Path, version: str) -> None:
        self.path = path
        self._version = version
        self._entries: list[dict[str, Any]] = []
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    self._entries.append(json.loads(line))
                except json.JSONDecodeError:  # a line cut off by a crash
                    continue

    def find(self, name: str, case: str, request: Request) -> Record | None:
        """Return the stored record that answers a request, or None."""
        wanted = self._key(name, case, request)
        for entry in reversed(self._entries):
            if all(entry[key] == value for key, value in wanted.items()):
                record: Record = entry["record"]
                took = min(entry["time_limit"], record.get("seconds", float("inf")))
                in_time = took <= request.time_limit
                proved = record.get("proved") is True and in_time
                if proved or entry["time_limit"] == request.time_limit:
                    return record
        return None

    def put(self, name: str, case: str, request: Request, record: Record) -> None:
        """Append a record to the file."""
        entry = {
            **self._key(name, case, request),
            "time_limit": request.time_limit,
            "record": record,
        }
        self._entries.append(entry)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def _key(self, name: str, case: str, request: Request) -> dict[str, Any]:
        return {
            "set": name,
            "case": case,
            "seed": request.seed,
            "repeats": request.repeats,
            "version": self._version,
        }

"""Bytes that strangers send: proofs, saved models and CSV files.

Usage: python tests/fuzz_bytes.py {proof,model,csv} [--seconds S | --count N] [--seed K]

Each entry point takes any bytes; only the documented answers may come out of it, never
another exception, and an accepted proof must tell the truth. With atheris installed
(``pip install atheris``; Linux) its coverage guides the changes; otherwise, and in
`make test`, a mutator with a seed makes them from genuine files.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import importlib.util
import inspect
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import cpp_checker
import numpy as np

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, from_json
from treeproof.cli.tables import read_table
from treeproof.proof.checker import check
from treeproof.proof.native import check_natively
from treeproof.sources.csv_files import read_csv_plain

ROWS = [[0, "p"], [0, "q"], [1, "p"], [1, "q"], [1, "q"], [2, "p"]]
TABLE = {"a": [row[0] for row in ROWS], "b": [row[1] for row in ROWS]}
LABELS = ["no", "yes", "yes", "no", "no", "yes"]
PROGRAM = cpp_checker.compiled()


class Entry:
    """Something that parses, genuine inputs for it, and words that occur in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tried = 0

    def seeds(self) -> list[bytes]:
        raise NotImplementedError

    def words(self) -> list[bytes]:
        long = b"1" + b"0" * 400
        return [b"0", b"-1", b"1e999", b"null", b"true", b'""', b"[]", b"NaN", long]

    def try_bytes(self, data: bytes) -> None:
        raise NotImplementedError


class Proofs(Entry):
    """Checkers of proofs: any bytes get a verdict, and an accepted claim is true."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.truth = self._fit().objective_
        self.csv = folder / "data.csv"
        lines = [f"{a},{b},{y}" for (a, b), y in zip(ROWS, LABELS, strict=True)]
        self.csv.write_text("\n".join(["a,b,y", *lines, ""]))

    def _fit(self, path: Path | None = None, **more: object) -> OptimalTreeClassifier:
        model = OptimalTreeClassifier(0.02, max_depth=2, **more)
        return model.fit(TABLE, LABELS, proof=path)

    def seeds(self) -> list[bytes]:
        path = self.folder / "proof"
        found = []
        for split in ("multiway", "one-vs-rest"):
            self._fit(path, categorical_split=split)
            found += [path.read_bytes(), gzip.decompress(path.read_bytes())]
        return found

    def words(self) -> list[bytes]:
        keys = ["bound", "uses", "branch", "depth", "splits", "tree", "lower", "upper"]
        return super().words() + [f'"{key}": '.encode() for key in keys]

    def try_bytes(self, data: bytes) -> None:
        verdict = check(io.BytesIO(data), TABLE, LABELS)
        assert verdict.accepted or verdict.reason.endswith("."), verdict
        module = check_natively(io.BytesIO(data), TABLE, LABELS)
        assert module.accepted or module.reason.endswith("."), module
        assert verdict.accepted or not module.accepted, (verdict, module)
        self.tried += 1
        if PROGRAM is None or (not verdict.accepted and self.tried % 20):
            return
        if data[:2] == b"\x1f\x8b":
            with contextlib.suppress(OSError, EOFError, Exception):
                data = gzip.decompress(data)
        second = subprocess.run(
            [PROGRAM, "-", self.csv, "--target", "y"],
            input=data, capture_output=True, timeout=60,
        )  # fmt: skip
        assert second.returncode in (0, 1, 2), (second.returncode, second.stderr)
        assert second.stderr == b""
        if verdict.accepted:  # the exact checker may be stricter about the notation
            assert second.returncode != 1, second.stdout
        # A proof of another statement (other limits, another penalty) may be accepted,
        # but its claim has to be true of this table.
        if verdict.accepted and self._same_statement(data):
            assert verdict.lower_bound <= self.truth + 1e-6, verdict
            assert verdict.objective >= self.truth - 1e-6, verdict

    def _same_statement(self, data: bytes) -> bool:
        header = json.loads(data.split(b"\n")[0])
        return all(
            header.get(key) == value
            for key, value in {
                "split_penalty": 0.02, "max_depth": 2, "max_splits": None,
                "min_samples_leaf": 1, "class_weight": [1.0, 1.0],
            }.items()
        )  # fmt: skip


class Models(Entry):
    """Model files: `from_json` gives a model that works, or raises ValueError."""

    def seeds(self) -> list[bytes]:
        y = [float(len(label)) for label in LABELS]
        models = [
            OptimalTreeClassifier(0.01).fit(TABLE, LABELS),
            OptimalTreeClassifier(0.01, categorical_split="one-vs-rest",
                                  class_weight={"no": 2.0}).fit(TABLE, LABELS),
            OptimalTreeClassifier(0.0).fit(np.array([[0.5], [1.5]]), [1, 2]),
            OptimalTreeRegressor(0.01).fit(TABLE, y),
        ]  # fmt: skip
        texts = [model.to_json(target="y") for model in models]
        return [text.encode() for text in [*texts, models[0].tree_.to_json()]]

    def words(self) -> list[bytes]:
        keys = ["tree", "nodes", "columns", "categories", "threshold", "children"]
        return super().words() + [f'"{key}": '.encode() for key in keys]

    def try_bytes(self, data: bytes) -> None:
        try:
            model = from_json(data)
        except ValueError:
            return
        tree = getattr(model, "tree_", model)
        tree.export_text()
        again = from_json(model.to_json())
        assert getattr(again, "tree_", again) == tree
        if model is tree:
            return
        with contextlib.suppress(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other columns, or other kinds of them
            model.predict(TABLE)


class Tables(Entry):
    """CSV files: both readers give columns of equal length, or raise ValueError."""

    def seeds(self) -> list[bytes]:
        plain = b"a,b,y\n1,p,0\n2,q,1\n3.5,p,0\n"
        return [
            plain,
            plain.replace(b",", b";"),
            plain.replace(b"\n", b"\r\n"),
            b'\xef\xbb\xbfa,"b ""c""",y\n"1,5","p\nq",0\n2,,1\n',
            b"a\ty\n2020-01-01\tt\n2021-12-31\tf\n",
            "größe,y\n1e3,ja\n-0.0,nein\n".encode(),
        ]

    def words(self) -> list[bytes]:
        odd = [b"inf", b"nan", b"1e400", b"2020-01-01", b"\xff", b"\0", b'"', b"\r"]
        return [b",", b";", b"\n", b"\t", b"|", b"0x1F", b"1_000", b"9" * 25, *odd]

    def try_bytes(self, data: bytes) -> None:
        path = self.folder / "table.csv"
        path.write_bytes(data)
        self.tried += 1
        readers = [lambda: read_csv_plain(path, ())]
        if self.tried % 8 == 0:  # DuckDB takes its time to start
            readers.append(lambda: read_table(str(path)))
        for read in readers:
            try:
                table = read()
            except ValueError as error:
                assert str(error), repr(error)
                continue
            assert len({len(column) for column in table.values()}) == 1
            *_, target = table
            labels = table.pop(target)
            with contextlib.suppress(ValueError, TypeError), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                OptimalTreeClassifier(max_depth=1).fit(table, labels)


ENTRIES: dict[str, Callable[[Path], Entry]] = {
    "proof": Proofs,
    "model": Models,
    "csv": Tables,
}


def mutants(entry: Entry, rng: random.Random) -> Iterator[bytes]:
    """Yield changed inputs without end: bits, bytes, words, cuts, copies, splices."""
    seeds, words = entry.seeds(), entry.words()
    while True:
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            at = rng.randrange(len(data) + 1)
            to = min(len(data), at + rng.choice([1, 1, 2, 5, 20, 100]))
            change = rng.randrange(9)
            if change == 0 and data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            elif change == 1:
                data[at:to] = rng.randbytes(rng.randrange(4))
            elif change == 2:
                data[at:to] = rng.choice(words)
            elif change == 3:
                data[at:at] = data[at:to]
            elif change == 4:
                del data[at:to]
            elif change == 5:
                other = rng.choice(seeds)
                begin = rng.randrange(len(other) + 1)
                data[at:to] = other[begin : begin + rng.randrange(60)]
            elif change == 6:
                _other_number(data, at, rng)
            else:
                _other_value(data, rng)
        yield bytes(data)


def _other_number(data: bytearray, at: int, rng: random.Random) -> None:
    """Replace the next digit, so that the text remains well formed."""
    for place in range(at, len(data)):
        if chr(data[place]).isdigit():
            data[place : place + 1] = rng.choice([b"0", b"7", b"12", b"-3", b"4.5"])
            return


ODD = [None, True, 0, -1, 3, 1 << 40, 10**400, 0.5, -2.5, 1e300, "x", "", [], [1], {}]


def _other_value(data: bytearray, rng: random.Random) -> None:
    """Replace some value in a line of JSON by an unusual one, if there is one."""
    lines = data.split(b"\n")
    k = rng.randrange(len(lines))
    try:
        document = json.loads(lines[k])
    except (ValueError, RecursionError):
        return
    place = document
    while isinstance(place, (dict, list)) and place:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = rng.choice(keys)
        if not isinstance(place[key], (dict, list)) or rng.random() < 0.2:
            place[key] = rng.choice(ODD)
            break
        place = place[key]
    lines[k] = json.dumps(document).encode()
    data[:] = b"\n".join(lines)


def run(name: str, *, seconds: float | None, count: int | None, seed: int) -> int:
    """Try changed inputs until time or count runs out; return how many."""
    end = time.monotonic() + (seconds or float("inf"))
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        entry = ENTRIES[name](Path(folder))
        for data in mutants(entry, random.Random(seed)):
            if time.monotonic() > end or (count is not None and tried >= count):
                break
            try:
                entry.try_bytes(data)
            except Exception:
                print(f"{name}: these bytes fail: {data!r}", file=sys.stderr)
                raise
            tried += 1
    return tried


def _instrument(atheris: ModuleType) -> None:
    """Make atheris instrument treeproof, which it does not import by its own loader."""
    for name, module in list(sys.modules.items()):
        if name.startswith("treeproof"):
            for thing in list(vars(module).values()):
                inside = vars(thing).values() if inspect.isclass(thing) else [thing]
                for function in inside:
                    if inspect.isfunction(function) and function.__module__ == name:
                        atheris.instrument_func(function)


def run_atheris(name: str, seconds: float | None, count: int | None) -> None:
    """Run atheris, which chooses the bytes and ends the process when it is done."""
    atheris = importlib.import_module("atheris")
    _instrument(atheris)
    with tempfile.TemporaryDirectory() as folder:
        entry = ENTRIES[name](Path(folder))
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for k, data in enumerate(entry.seeds()):
            (corpus / str(k)).write_bytes(data)
        options = [sys.argv[0], str(corpus), "-max_len=20000", "-print_final_stats=1"]
        if seconds is not None:
            options.append(f"-max_total_time={int(seconds)}")
        if count is not None:
            options.append(f"-runs={count}")
        atheris.Setup(options, entry.try_bytes)
        atheris.Fuzz()


def main() -> None:
    """Fuzz one entry point."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("entry", choices=list(ENTRIES))
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--no-atheris", action="store_true")
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") and not options.no_atheris:
        run_atheris(options.entry, options.seconds, options.count)
        return
    tried = run(
        options.entry, seconds=options.seconds, count=options.count, seed=options.seed
    )
    print(f"{options.entry}: {tried:,} inputs tried; nothing found")


if __name__ == "__main__":
    main()

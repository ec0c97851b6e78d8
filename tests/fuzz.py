"""The fuzzer: random problems through every solver, until time or count runs out.

Usage: python tests/fuzz.py [--seconds S | --count N] [--seed K] [--processes P]
       python tests/fuzz.py --attack NAME --seed K

Hypothesis draws the cases (`fuzz_case`), `fuzz_check` solves and checks them, and a
case that fails is shrunk and kept in tests/regressions, which `make test` replays. Half
of the time goes to attacks (`fuzz_attacks`), random instances of what broke before. One
that fails is named with its seed, and the second line above repeats it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import secrets
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import cpp_checker
import hypothesis
from fuzz_attacks import ATTACKS, MUTANTS
from fuzz_case import Case, cases
from fuzz_check import check_case, told
from hypothesis import HealthCheck, Phase, settings

REGRESSIONS = Path(__file__).parent / "regressions"
BATCH = 100
SHRINKING = 120.0  # seconds that hypothesis may spend on a failure
MUTANTS_SHARE = 0.5  # of the time of all attacks: 100,000 mutants in ten minutes


class Failure(Exception):
    """A case that fails, as small as hypothesis could make it."""

    def __init__(self, case: Case, trace: str) -> None:
        super().__init__(case, trace)
        self.case, self.trace = case, trace


def batch(
    seed: int,
    count: int,
    attempt: Callable[[Case], None],
    go_on: Callable[[], bool] = lambda: True,
) -> None:
    """Try cases drawn with a seed; raise Failure with the smallest that fails."""
    failed: list[tuple[Case, str]] = []
    began: list[float] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        print_blob=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(cases())
    def run(case: Case) -> None:
        late = bool(began) and time.monotonic() - began[0] > SHRINKING
        if (not failed and not go_on()) or late:
            return
        try:
            attempt(case)
        except Exception:
            began.append(time.monotonic())
            failed.append((case, traceback.format_exc()))
            raise

    try:
        run()
    except Exception:
        if not failed:
            raise
    if failed:
        raise Failure(*min(failed, key=lambda f: len(json.dumps(f[0]))))


def keep(case: Case, folder: Path = REGRESSIONS) -> Path:
    """Write a failing case to a file of its own."""
    text = json.dumps(case, indent=None)
    path = folder / f"case-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
    folder.mkdir(exist_ok=True)
    path.write_text(text + "\n")
    return path


def fuzz(seconds: float | None, count: int | None, seed: int) -> Counter[str]:
    """Run until time or count runs out; return what was done."""
    done: Counter[str] = Counter()
    program = cpp_checker.compiled()
    end = time.monotonic() + (seconds or float("inf"))
    said = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def attempt(case: Case) -> None:
            done.update(check_case(case, folder, program))

        while time.monotonic() < end and (count is None or done["instances"] < count):
            left = BATCH if count is None else count - done["instances"]
            batch(seed, min(BATCH, left), attempt, lambda: time.monotonic() < end)
            seed += 1
            if time.monotonic() - said > 30:
                said = time.monotonic()
                print(f"{summary(done)} so far", file=sys.stderr, flush=True)
    return done


def attack(
    name: str, seed: int, seconds: float | None, count: int | None
) -> Counter[str]:
    """Run one class of attacks; an AssertionError names the seed that repeats it."""
    done: Counter[str] = Counter()
    program = cpp_checker.compiled()
    end = time.monotonic() + (seconds or float("inf"))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while time.monotonic() < end and (count is None or done[name] < count):
            try:
                ATTACKS[name](random.Random(seed), Path(folder), program)
            except Exception as error:
                again = f"python tests/fuzz.py --attack {name} --seed {seed}"
                raise AssertionError(f"{again}\n{traceback.format_exc()}") from error
            done[name] += 1
            seed += 1
    return done


def attacks(
    seconds: float | None, count: int | None, seed: int, processes: int
) -> Counter[str]:
    """Run all classes, each in a process of its own, which may crash."""
    done: Counter[str] = Counter()

    def share(name: str) -> float | None:
        if seconds is None:
            return None
        rest = (1 - MUTANTS_SHARE) / (len(ATTACKS) - 1)
        return seconds * processes * (MUTANTS_SHARE if name == "mutants" else rest)

    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        order = sorted(ATTACKS, key=lambda name: name != "mutants")  # the longest first
        runs = {
            name: pool.submit(attack, name, seed, share(name), count) for name in order
        }
        for name, run in runs.items():
            try:
                done.update(run.result())
            except BrokenProcessPool:
                raise AssertionError(
                    f"a process died, perhaps in the attack {name!r} from {seed} on"
                ) from None
    return done


def summary(done: Counter[str]) -> str:
    """Tell the numbers in one line."""
    told = (
        f"{done['instances']:,} instances solved and checked: {done['solves']:,} runs "
        f"of the engines, {done['fits']:,} fits, {done['proofs']:,} proofs checked, "
        f"{done['levels']:,} certificates of levels compared"
    )
    done = Counter({**done, "mutants": MUTANTS * done["mutants"]})
    each = [f"{done[name]:,} {name}" for name in ATTACKS if done[name]]
    return f"{told}; attacks: {', '.join(each)}" if each else told


def main() -> int:
    """Fuzz, report, and keep what fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--attack", choices=ATTACKS, default=None)
    options = parser.parse_args()
    if options.attack is not None:
        attack(options.attack, options.seed, options.seconds, options.count or 1)
        return 0
    if options.seconds is None and options.count is None:
        options.seconds = 60.0
    half = None if options.seconds is None else options.seconds / 2
    print(f"seed {options.seed}", file=sys.stderr)
    each = None if options.count is None else -(-options.count // options.processes)
    seeds = [options.seed + 1_000_000 * k for k in range(options.processes)]
    try:
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            tasks = [(half, each, seed) for seed in seeds]
            done = sum(pool.starmap(fuzz, tasks, chunksize=1), Counter())
        done += attacks(half, options.count, options.seed, options.processes)
    except Failure as failure:
        print(failure.trace, told(failure.case), sep="\n")
        print(f"kept as {keep(failure.case)}; make test replays it")
        return 1
    except AssertionError as error:
        print(error)
        return 1
    print(f"{summary(done)}; nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())

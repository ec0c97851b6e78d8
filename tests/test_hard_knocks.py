"""Hard knocks: Ctrl-C everywhere, processes, full disks, kill -9, other threads.

No test here depends on how fast the machine is: each waits until a search says that it
runs, knocks, and waits for the end. `make bench-limits` measures the delays.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hard_problem import bits
from load import put_under_load

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, stop_when
from treeproof.datasets import load_monks
from treeproof.proof import check

TESTS = str(Path(__file__).parent)
PATIENCE = 120.0  # seconds until a test gives up; never reached if all is well

# Fits a hard problem, prints a line as soon as the search runs, and what came of it.
PROGRAM = """
import sys, warnings
sys.path.insert(0, {tests!r})
warnings.simplefilter("ignore")
from hard_problem import bits
from treeproof import OptimalTreeClassifier, watch
said = []
def say(*event):
    if not said:
        said.append(print("searching", flush=True))
clf = OptimalTreeClassifier(0.0005, time_limit={patience})
with watch(say):
    clf.fit(*bits{size}, **{options})
print(clf.status_, clf.n_splits_ > 0, clf.lower_bound_ < clf.objective_, flush=True)
"""


def program(size=(), **options):
    return PROGRAM.format(tests=TESTS, patience=PATIENCE, size=size, options=options)


def read_until(read, words):
    """Read text until some words have come."""
    text = ""
    while words not in text:
        more = read()
        assert more, f"the program ended after {text!r}"
        text += more
    return text


def test_ctrl_c_in_a_terminal():
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", program()])
    try:

        def read():
            return os.read(terminal, 4096).decode()

        read_until(read, "searching")
        os.write(terminal, b"\x03")  # the key itself: the terminal makes the signal
        assert "interrupted True True" in read_until(read, "True True")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def test_ctrl_c_in_jupyter():
    client = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    manager, kernel = client.manager.start_new_kernel()
    try:
        kernel.execute(program())
        said = ""
        while "True True" not in said:
            message = kernel.get_iopub_msg(timeout=PATIENCE)
            if message["msg_type"] == "stream":
                said += message["content"]["text"]
                if said.strip() == "searching":
                    manager.interrupt_kernel()
            assert message["msg_type"] != "error", message["content"]
        assert said.split() == ["searching", "interrupted", "True", "True"]
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)


def test_the_interpreter_lock_is_released():
    """Another thread keeps running during a fit (the interpreter lock is released)."""
    beats = [0]
    done = threading.Event()

    def beat():
        while not done.wait(0.001):
            beats[0] += 1

    heart = threading.Thread(target=beat)
    heart.start()
    try:
        clf = OptimalTreeClassifier(0.0005, time_limit=PATIENCE)
        with stop_when(lambda: beats[0] >= 30), pytest.warns(match="interrupted"):
            clf.fit(*bits())
    finally:
        done.set()
        heart.join()
    assert clf.status_ == "interrupted" and beats[0] >= 30


def fitted_objective(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (60, 5)), rng.integers(0, 2, 60)
    return OptimalTreeClassifier(0.01, max_depth=3, n_jobs=2).fit(X, y).objective_


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(method, monkeypatch):
    """Also after this process has searched with threads of its own."""
    monkeypatch.setenv("PYTHONPATH", TESTS)
    alone = [fitted_objective(seed) for seed in range(4)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(fitted_objective, range(4)).get(PATIENCE) == alone


def test_a_model_goes_to_workers_and_back():
    joblib = pytest.importorskip("joblib")
    X, y = load_monks(1, return_X_y=True)
    models = [OptimalTreeClassifier(0.005, max_depth=d) for d in (1, 2, 3)]
    fits = joblib.Parallel(n_jobs=2)(joblib.delayed(m.fit)(X, y) for m in models)
    assert [m.get_depth() for m in fits] == [1, 2, 3]


# -- disks


FULL_DISK = """
import json, os, pathlib, resource, sys
from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_monks
from treeproof.persistence import save
X, y = load_monks(2, return_X_y=True)
for what in ("proof", "model"):
    for earlier in (None, "earlier"):
        for room in (0, 1000, 30_000):
            folder = pathlib.Path(sys.argv[1], f"{what} {earlier} {room}")
            folder.mkdir()
            path = folder / "file"
            if earlier:
                path.write_text(earlier)
            clf = OptimalTreeClassifier(
                0.005, categorical_split="one-vs-rest", max_depth=4
            )
            sentence = None
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            try:
                clf.fit(X, y, proof=path if what == "proof" else None)
                if what == "model":
                    save(clf, path)
            except OSError as error:
                sentence = str(error)
            resource.setrlimit(
                resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )
            print(json.dumps({
                "room": room, "sentence": sentence, "kept": hasattr(clf, "tree_"),
                "files": os.listdir(folder), "earlier": earlier,
                "unchanged": path.exists() and path.read_bytes() == b"earlier",
            }))
"""


def test_a_full_disk(tmp_path):
    """The error is one sentence, no partial file is left, and an older file remains."""
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, tmp_path], capture_output=True, text=True,
        timeout=PATIENCE, check=True,
    )  # fmt: skip
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(cases) == 12 and not done.stderr
    for case in cases:
        assert case["kept"], case
        if case["sentence"] is None:
            assert case["files"] == ["file"] and not case["unchanged"], case
        else:
            assert case["files"] == (["file"] if case["earlier"] else []), case
            assert case["unchanged"] == bool(case["earlier"]), case
    failed = [case for case in cases if case["sentence"]]
    assert {case["room"] for case in failed} >= {0, 1000} and len(failed) < 12


@pytest.mark.parametrize("earlier", [False, True])
def test_kill_while_a_proof_is_written(tmp_path, earlier):
    """A complete earlier file is left, or no file."""
    path = tmp_path / "tree.proof.gz"
    X, y = load_monks(1, return_X_y=True)
    if earlier:
        OptimalTreeClassifier(0.01).fit(X, y, proof=path)
    child = subprocess.Popen(
        [sys.executable, "-c", program(size=(400, 30), proof=str(path))],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout.readline() == "searching\n"
        logs = []
        deadline = time.monotonic() + PATIENCE
        while not any(log.stat().st_size for log in logs):
            logs = list(tmp_path.glob(".tree.proof.gz.*/steps.log"))
            assert time.monotonic() < deadline, "no steps were written"
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    if earlier:
        assert check(path, X, y).optimal
    else:
        assert not path.exists()


# -- many fits


def test_fits_from_many_threads():
    """A short run of what `make load` does at length."""
    report = put_under_load(n_fits=120, n_threads=8, seed=1)
    assert report.fits == 120 and not report.wrong
    assert report.proved > 20 and report.stopped > 5


def test_a_regressor_and_a_classifier_in_two_threads():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (80, 4))
    label, number = X[:, 0] ^ (X[:, 1] > 1), X[:, 0] * 1.5 + rng.integers(0, 2, 80)
    models = [
        (OptimalTreeClassifier(0.01, max_depth=3), label),
        (OptimalTreeRegressor(0.01, max_depth=3), number),
    ]
    alone = [model.fit(X, y).objective_ for model, y in models]
    found = [[], []]

    def work(k):
        for _ in range(10):
            model, y = models[k]
            found[k].append(model.fit(X, y).objective_)

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(values) for values in found] == [{value} for value in alone]

"""A fit that was killed continues: same optimum, accepted proof."""

import gzip
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from cpp_checker import compiled
from test_sparse_limits import hard_table

from treeproof import OptimalTreeClassifier
from treeproof.proof import check

FIT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from test_checkpoint import long_problem
from treeproof import OptimalTreeClassifier, _core, watch

X, y, parameters = long_problem()
left = int(sys.argv[5])

def count_down(*event):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

often = _core.SparseOptions
_core.SparseOptions = lambda **k: often(**k, checkpoint_pause=0.0, helpers_at_once=True)
with watch(count_down):
    OptimalTreeClassifier(n_jobs=int(sys.argv[4]), **parameters).fit(
        X, y, checkpoint=sys.argv[2], proof=sys.argv[3]
    )
"""


def problem():
    table = hard_table(150, 12, seed=3)
    parameters = {"split_penalty": 0.013, "solver": "sparse", "time_limit": None}
    return table.codes, table.labels, parameters


def long_problem():
    """Long enough to be killed three times with something done each time."""
    table = hard_table(200, 14, seed=3)
    parameters = {"split_penalty": 0.009, "solver": "sparse", "time_limit": None}
    return table.codes, table.labels, parameters


def is_accepted(proof, X, y, folder):
    """Check a long proof: by the program in C++, or without a compiler in Python."""
    program = compiled()
    if program is None:
        return check(proof, X, y).accepted
    names = [f"x{f}" for f in range(X.shape[1])]
    table = folder / "table.csv"
    rows = np.column_stack([X, y]).astype(str)
    table.write_text("\n".join(map(",".join, [[*names, "y"], *rows])) + "\n")
    done = subprocess.run(
        [program, "-", table, "--target", "y"],
        input=gzip.decompress(Path(proof).read_bytes()),
        capture_output=True,
        check=False,
    )
    return done.returncode == 0 and done.stdout.startswith(b"accepted: ")


def fit_and_kill(checkpoint, proof, n_jobs, events):
    """Fit in a process that is killed after so many events; its exit status."""
    tests = str(Path(__file__).parent)
    command = [sys.executable, "-c", FIT, tests, checkpoint, proof, n_jobs, events]
    return subprocess.run([str(c) for c in command], check=False).returncode


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_three_times_and_resumed(tmp_path, n_jobs):
    X, y, parameters = long_problem()
    wanted = OptimalTreeClassifier(**parameters).fit(X, y)
    checkpoint, proof = tmp_path / "fit.checkpoint", tmp_path / "proof"
    # A new fit has written something by its eighth event.
    moments = [8, *np.random.default_rng(n_jobs).integers(2, 5, size=2)]
    for events in moments:
        status = fit_and_kill(checkpoint, proof, n_jobs, events)
        assert status in (0, -signal.SIGKILL)
        if n_jobs == 1:  # several threads may be ready before
            assert status == -signal.SIGKILL and checkpoint.exists()
    model = OptimalTreeClassifier(n_jobs=n_jobs, **parameters)
    model.fit(X, y, checkpoint=checkpoint, proof=proof)
    assert model.optimal_
    assert model.objective_ == wanted.objective_
    assert is_accepted(proof, X, y, tmp_path)
    assert list(tmp_path.glob("fit*")) == []


def test_work_done_before_is_not_done_again(tmp_path):
    X, y, parameters = problem()
    whole = OptimalTreeClassifier(**parameters).fit(X, y)
    model = OptimalTreeClassifier(**(parameters | {"time_limit": 0.005}))
    with pytest.warns(match="time limit"):
        model.fit(X, y, checkpoint=tmp_path / "c")
    assert model.stats_["checkpoints"] >= 1
    # How far a fit gets in its time depends on the machine; after a few fits little
    # work is left.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(10):
            if not model.optimal_:
                model.fit(X, y, checkpoint=tmp_path / "c")
    if not model.optimal_:
        model.set_params(time_limit=None).fit(X, y, checkpoint=tmp_path / "c")
    assert model.optimal_ and model.objective_ == whole.objective_
    assert model.stats_["expansions"] < whole.stats_["expansions"]


def test_bounds_without_their_steps_are_not_used_for_a_proof(tmp_path):
    X, y, parameters = problem()
    with pytest.warns(match="time limit"):
        OptimalTreeClassifier(**(parameters | {"time_limit": 0.005})).fit(
            X, y, checkpoint=tmp_path / "c"
        )
    model = OptimalTreeClassifier(**parameters)
    model.fit(X, y, checkpoint=tmp_path / "c", proof=tmp_path / "proof")
    verdict = check(tmp_path / "proof", X, y)
    assert verdict.accepted, verdict


@pytest.mark.parametrize("what", ["table", "penalty", "damage", "text"])
def test_foreign_files_are_refused(tmp_path, what):
    X, y, parameters = problem()
    path = tmp_path / "c"
    with pytest.warns(match="time limit"):
        OptimalTreeClassifier(**(parameters | {"time_limit": 0.005})).fit(
            X, y, checkpoint=path
        )
    if what == "table":
        y = np.roll(y, 1)
    elif what == "penalty":
        parameters["split_penalty"] = 0.014
    elif what == "damage":
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    else:
        path.write_text("a letter")
    words = "another table" if what in ("table", "penalty") else "damaged"
    with pytest.raises(ValueError, match=f"checkpoint '.*' is .*{words}"):
        OptimalTreeClassifier(**parameters).fit(X, y, checkpoint=path)


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"solver": "branches"}, 'solver="branches" writes no checkpoints'),
        ({"max_splits": 3}, "max_splits"),
    ],
)
def test_what_has_no_checkpoints_says_so(tmp_path, changed, words):
    X, y, parameters = problem()
    with pytest.raises(ValueError, match=words):
        OptimalTreeClassifier(**(parameters | changed)).fit(
            X, y, checkpoint=tmp_path / "c"
        )


def test_a_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        OptimalTreeClassifier().fit([[0], [1]], [0, 1], checkpoint=tmp_path)

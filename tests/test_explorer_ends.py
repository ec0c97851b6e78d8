"""Ending the explorer while it searches: the search is stopped, and nothing aborts."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("nicegui", reason="the explorer needs nicegui")

# The server is replaced by one that is interrupted once a search is running.
PROGRAM = """
import threading
import uvicorn
from treeproof.explorer.job import Job
from treeproof.explorer.server import serve
from treeproof.explorer.session import Session
from treeproof.explorer.tables import bundled_table

session = Session()

def run(server, sockets):
    session.use(bundled_table("noisy"))
    session.ask(penalty=0.0001, time_limit=600.0)
    session.start_fit()
    job = session.jobs["fit"]
    while not job.events and job.running:
        threading.Event().wait(0.01)
    raise KeyboardInterrupt

uvicorn.Server.run = run
serve(None, None, port=0, browser=False, idle=None, announce=print)
print(session.jobs["fit"].state, session.jobs["fit"].stopped)
"""


def test_the_server_ends_with_its_searches():
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "done True"
    assert "terminate" not in ended.stderr

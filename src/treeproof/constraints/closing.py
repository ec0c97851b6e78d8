"""Decides whether a proof with constraints lets checkers close its gap by a list.

The checkers make the list of trees themselves. The writer finds out whether the list is
short enough by running the checker in C++ on the file.
"""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

from treeproof.proof.header import Header
from treeproof.proof.native import check_natively
from treeproof.proof.problem import Problem
from treeproof.proof.writer import ProofFile

__all__ = ["close_by_list"]


def close_by_list(file: ProofFile, X: Any, y: Any, weight: Any, groups: Any) -> None:
    """Let the proof in a file say that a list of trees closes its gap, if one does.

    Parameters
    ----------
    file : ProofFile
        A proof that was written.
    X, y, weight, groups : array-like
        The table, labels, weights and groups that it is about.
    """
    with gzip.open(file.path, "rb") as lines:
        first, steps = lines.readline(), lines.read()
    problem = Problem(Header(first), X, y, weight, None, groups)
    problem.check_tree()
    wrong, penalties, bound = problem.check_limits()
    if problem.limits is None or bound >= wrong + penalties * problem.limits.penalty:
        return
    header = json.loads(first)
    header["constraints"]["listed"] = True
    proof = io.BytesIO(json.dumps(header).encode() + b"\n" + steps)
    verdict = check_natively(proof, X, y, weight, sensitive_features=groups)
    if verdict.accepted and verdict.optimal:
        file.replace_header(header)

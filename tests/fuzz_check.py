"""Runs one fuzz case through every solver, brute force, and both checkers of proofs.

``"auto"``, the default, is the portfolio with its ladder: each of its certificates is
compared with brute force (`fuzz_levels`).
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import native
import numpy as np
from fuzz_case import (
    SWITCHES,
    Case,
    columns_of,
    exact,
    is_regression,
    limits_of,
    penalized,
    table_of,
    whole_weights,
)
from fuzz_levels import check_certificates, climb
from mutants import same
from oracle import UNIT, TreeFacts, engine_arguments, optimal_cost, tree_facts
from regression_oracle import optimal_loss, target_arguments, tree_loss

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    QuantBnB,
    stop_when,
    watch,
)
from treeproof.proof.checker import check
from treeproof.proof.native import check_natively
from treeproof.solving.solvers import REGRESSION_SOLVERS, SOLVERS

CLOSE = 2e-6  # shares that rounding of weights and penalties may set apart
SLOW = {"dt-miner": 0.05, "branches": 0.2}  # they list whole trees: bounds suffice
REFUSALS = (
    "cannot limit the number of splits",
    'solver="quant-bnb"',
    "writes no proof",
    "charges each split once",  # the published methods, as engines
    "charges one penalty for each split",  # and as estimators
)


class Disturbed(Exception):
    """Raised by an observer to see that it comes out of the search."""


def check_case(case: Case, folder: Path, program: Path | None = None) -> Counter[str]:
    """Solve a case in every way; return how often what was done.

    Every engine solves it on its own level, under the case's switches; those that write
    proofs, and one other, also as an estimator. Files go to `folder`.

    Raises
    ------
    AssertionError
        If a solver or a checker is wrong.
    """
    truth = Truth(case)
    done: Counter[str] = Counter(instances=1)
    solvers = list(REGRESSION_SOLVERS if is_regression(case) else SOLVERS)
    proving = PROVING["regression" if is_regression(case) else "classes"]
    others = [solver for solver in solvers if solver not in proving]
    as_estimator = proving | {others[len(case["codes"]) % len(others)], "auto"}
    for solver in [*solvers, "auto"]:
        try:
            done["levels"] += _check_native(case, truth, solver)
        except ValueError as error:  # what a published method does not do
            assert any(words in str(error) for words in REFUSALS), error
            done["refusals"] += 1
        else:
            done["solves"] += 1
        if solver in as_estimator and case["split"] != "mixed":
            done.update(_check_estimator(case, truth, solver, folder, program))
    return done


class Truth:
    """The results of brute force for a case."""

    def __init__(self, case: Case) -> None:
        self.case, self.table = case, table_of(case)
        best = optimal_loss if is_regression(case) else optimal_cost
        self.penalty = case["split_penalty"]
        self.penalize = penalized(case)
        self.whole = 1 if is_regression(case) else self.table.total_weight * UNIT
        self._best = partial(best, self.table, self.penalty, penalize=self.penalize)
        self._shares: dict[int | None, float] = {}
        self.share = self.at(case["max_depth"])

    def at(self, depth: int | None) -> float:
        """Return the cost of the best tree of a depth, as a share."""
        if depth not in self._shares:
            limits = limits_of({**self.case, "max_depth": depth})
            self._shares[depth] = self._best(**limits) / self.whole
        return self._shares[depth]

    def facts(self, tree: Any) -> tuple[float, TreeFacts]:
        """Return the cost of a tree as a share, and its shape."""
        if is_regression(self.case):
            return tree_loss(self.table, tree, self.penalty, self.penalize)
        facts = tree_facts(self.table, tree, self.penalty, self.penalize)
        return facts.cost / self.whole, facts

    def holds(self, status: str, lower: float, upper: float, exactly: bool) -> None:
        """Check that the bounds enclose the optimum, and meet if that is claimed."""
        close = 0.0 if exactly else CLOSE
        assert lower <= self.share + close, (status, lower, self.share)
        assert upper >= self.share - close, (status, upper, self.share)
        if status == "optimal":
            assert abs(upper - self.share) <= close, (upper, self.share)


def _check_native(case: Case, truth: Truth, solver: str) -> int:
    """Run an engine itself, under switches and with disturbances.

    Returns how many certificates of levels of depth were compared.
    """
    stopped, levels = _disturbance(case, solver), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if solver == "auto":
                found, levels = climb(case, truth, stopped, CLOSE)
            else:
                run, arguments = _native(case, truth, solver)
                found = run(**arguments, **stopped)
        except Disturbed:
            assert case["stop"] == "error"
            return 0
    cost, facts = truth.facts(found["tree"])
    lower, upper = found["lower"], found["upper"]
    whole = not is_regression(case) and found["unit"] == truth.whole
    if whole:
        assert found["upper"] == facts.cost, (solver, found["upper"], facts.cost)
    assert abs(upper / found["unit"] - cost) <= CLOSE, (solver, upper, cost)
    truth.holds(found["status"], lower / found["unit"], upper / found["unit"], whole)
    assert (found["status"] == "optimal") == (lower == upper), (solver, found)
    if case["stop"] in (None, "error") and solver not in SLOW:
        assert found["status"] == "optimal", (solver, found["status"])
    limits = limits_of(case)
    assert limits["max_depth"] < 0 or facts.depth <= limits["max_depth"]
    assert limits["max_splits"] < 0 or facts.splits <= limits["max_splits"]
    assert facts.splits == 0 or facts.smallest_leaf >= limits["min_samples_leaf"]
    return levels


def _native(
    case: Case, truth: Truth, solver: str
) -> tuple[Callable[..., Any], dict[str, Any]]:
    regression = is_regression(case)
    arguments = (target_arguments if regression else engine_arguments)(truth.table)
    if solver == "quant-bnb":
        if _beyond_quant(case):
            raise ValueError('solver="quant-bnb" is not made for this.')
        bound, s, s_prime = case["switches"]["quant"]
        arguments |= {"max_depth": case["max_depth"], "bound": bound, "s": s}
        run = native.quant_targets if regression else native.quant_labels
        return run, arguments | {"s_prime": s_prime or 0}
    arguments |= {"split_penalty": truth.penalty, **limits_of(case)}
    arguments["penalize"] = truth.penalize
    if solver == "threshold":
        known = set(case["switches"]["threshold"]) - {
            "unit_step" if regression else "partitions"
        }
        switches = {k: case["switches"]["threshold"][k] for k in known}
        run = native.solve_targets if regression else native.solve_threshold
        switches["helpers_first"] = True
        return run, arguments | {"switches": switches, "n_jobs": case["n_jobs"]}
    if solver == "sparse":
        off = case["switches"]["sparse_off"]
        arguments["switches"] = {name: name not in off for name in SWITCHES}
    return native.solve, arguments | {"solver": solver}


def _beyond_quant(case: Case) -> bool:
    return (
        case["max_depth"] not in (2, 3)
        or case["split_penalty"] != 0
        or case["max_splits"] is not None
        or case["min_samples_leaf"] != 1
        or any(case["kinds"])
    )


def _observer(case: Case) -> Callable[..., None]:
    calls = [0]

    def observe(*_: Any) -> None:
        calls[0] += 1
        if calls[0] > case["after"]:
            raise KeyboardInterrupt if case["stop"] == "interrupt" else Disturbed

    return observe


def _disturbance(case: Case, solver: str) -> dict[str, Any]:
    """Return what stops the search early, as arguments of the engine."""
    extra: dict[str, Any] = {"time_limit": SLOW.get(solver, 0.0)}
    if case["stop"] == "time":
        extra["time_limit"] = 1e-9
    elif case["stop"] == "memory":
        extra["memory_limit"] = 1000 * 8 ** case["after"]
    elif case["stop"] in ("interrupt", "error") and solver != "quant-bnb":
        extra["observer"] = _observer(case)
    return extra


def _check_estimator(
    case: Case, truth: Truth, solver: str, folder: Path, program: Path | None
) -> Counter[str]:
    """Fit as a user would, with a proof where possible, and check the proof twice."""
    X, y, weights = columns_of(case), _targets(case), case["weights"]
    path = folder / "proof"
    path.unlink(missing_ok=True)
    try:
        model = _fit(case, solver, X, y, weights, path)
    except Disturbed:
        assert case["stop"] == "error" and not path.exists()
        return Counter()
    except ValueError as error:
        assert any(words in str(error) for words in REFUSALS), error
        return Counter(refusals=1)
    truth.holds(model.status_, model.lower_bound_, model.objective_, False)
    assert model.optimal_ == (model.lower_bound_ == model.objective_)
    levels = check_certificates(truth, model, CLOSE)
    assert abs(_own_cost(case, truth, model, X) - model.objective_) <= CLOSE
    if path.exists():
        _check_proof(case, truth, model, path, program)
    return Counter(fits=1, proofs=int(path.exists()), levels=levels)


def _targets(case: Case) -> list[Any]:
    if is_regression(case):
        return case["targets"]
    return [f"k{label}" for label in case["labels"]]


def _fit(
    case: Case, solver: str, X: Any, y: Any, weights: Any, path: Path
) -> OptimalTreeClassifier | OptimalTreeRegressor:
    bound, s, s_prime = case["switches"]["quant"]
    limit = 1e-9 if case["stop"] == "time" else SLOW.get(solver)
    parameters = {
        "split_penalty": case["split_penalty"],
        "max_depth": case["max_depth"],
        "max_splits": case["max_splits"],
        "min_samples_leaf": case["min_samples_leaf"],
        "categorical_split": case["split"],
        "penalize": penalized(case),
        "solver": solver,
        "time_limit": limit,
        "memory_limit": 4000 * 8 ** case["after"] if case["stop"] == "memory" else None,
        "n_jobs": case["n_jobs"],
        "quant_bnb": QuantBnB(bound, s, s_prime),
    }
    if is_regression(case):
        model: Any = OptimalTreeRegressor(criterion=case["criterion"], **parameters)
    else:
        factors = case["class_weight"]
        if factors is not None:
            present = sorted(set(y))
            factors = {k: factors[int(k[1:])] for k in present}
        model = OptimalTreeClassifier(class_weight=factors, **parameters)
    observer = _observer(case) if case["stop"] in ("interrupt", "error") else _ignore
    stop = case["stop"] == "condition"
    with warnings.catch_warnings(), watch(observer), stop_when(lambda: stop):
        warnings.simplefilter("ignore")
        if solver in PROVING["regression" if is_regression(case) else "classes"]:
            return model.fit(X, y, weights, proof=path)
        return model.fit(X, y, weights)


def _ignore(*_: Any) -> None:
    pass


def _proving(kind: type, solvers: Any, y: list[Any]) -> set[str]:
    """Return the solvers that write proofs."""
    found = set()
    with tempfile.TemporaryDirectory() as folder:
        for solver in solvers:
            model = kind(0.0, solver=solver, max_depth=2)
            try:
                model.fit([[0.0], [1.0]], y, proof=Path(folder) / "p")
            except (ValueError, TypeError):
                continue
            found.add(solver)
    return found


PROVING = {
    "classes": _proving(OptimalTreeClassifier, SOLVERS, ["a", "b"]),
    "regression": _proving(OptimalTreeRegressor, REGRESSION_SOLVERS, [0.0, 1.0]),
}


def _own_cost(case: Case, truth: Truth, model: Any, X: Any) -> float:
    """Return the cost of the predictions, computed from the predictions alone."""
    table, kept = truth.table, whole_weights(case) > 0
    weights = table.weights / table.weights.sum()
    predicted = np.asarray(model.predict(X))[kept]
    penalty = case["split_penalty"] * model.tree_.n_penalties(penalized(case))
    if not is_regression(case):
        wrong = predicted != np.array(_targets(case))[kept]
        return float(weights[wrong].sum()) + penalty
    single = table.loss(np.arange(len(table.labels)))
    away = table.targets - predicted.reshape(table.targets.shape)
    power = 2 if case["criterion"] == "squared_error" else 1
    loss = float((table.weights[:, None] * np.abs(away) ** power).sum())
    return (loss / single if single >= 1e-12 else 0.0) + penalty


def _check_proof(
    case: Case, truth: Truth, model: Any, path: Path, program: Path | None
) -> None:
    X, y, weights = columns_of(case), _targets(case), case["weights"]
    verdict = check(path, X, y, weights)
    assert verdict.accepted, verdict
    level, bound = _stated_depth(path), model.lower_bound_
    if level == case["max_depth"]:
        assert model.optimal_ or model.proved_depth_ < 1, model.certificate()
        # Only a time limit may leave a proof shorter, and a warning says so.
        whole = model.stats_.get("proof_shows_bound", True)
        assert whole or case["stop"] == "time", model.certificate()
        agree = verdict.optimal == model.optimal_ if whole else not verdict.optimal
        assert agree, (verdict, model.certificate())
        assert verdict.lower_bound <= truth.share + 1e-6, (verdict, truth.share)
        assert abs(verdict.objective - model.objective_) <= 1e-5
    else:  # a fit that was stopped proves the highest level of depth that it settled
        assert not model.optimal_ and level is not None, model.certificate()
        assert level == model.proved_depth_, (level, model.certificate())
        [known] = [c for c in model.certificates_ if c.max_depth == level]
        assert verdict.optimal or not known.optimal, verdict
        assert verdict.lower_bound >= model.objective_ - 1e-5, verdict
        assert verdict.objective >= model.objective_ - 1e-5
        bound = known.lower_bound if known.optimal else verdict.lower_bound
    assert model.stats_["proof_max_depth"] == level
    if exact(case) and not is_regression(case):
        assert abs(verdict.lower_bound - bound) <= 1e-6
    module = check_natively(path, X, y, weights)
    assert same(verdict, module)[0], module
    if program is None or np.array(y).ndim > 1:  # one column of targets in its CSV
        return
    table = path.with_name("data.csv")
    with table.open("w", newline="") as file:
        rows = zip(*X.values(), y, weights or [1.0] * len(y), strict=True)
        csv.writer(file).writerows([[*X, "y", "w"], *rows])
    second = subprocess.run(
        [program, "-", table, "--target", "y", "--weight", "w"],
        input=gzip.decompress(path.read_bytes()),
        capture_output=True,
        timeout=60,
    )
    said = second.stdout.decode() + second.stderr.decode()
    assert second.returncode == 0, said
    assert ("optimal" in said) == verdict.optimal, said


def _stated_depth(path: Path) -> int | None:
    """Return the depth of the trees that a proof is about; None: any depth."""
    with gzip.open(path) as file:
        depth: int | None = json.loads(file.readline())["max_depth"]
    return depth


def told(case: Case) -> str:
    """Return a case in a few lines, for the report of a failure."""
    out = io.StringIO()
    for key, value in case.items():
        print(f"  {key}: {value}", file=out)
    return out.getvalue()

"""Fitting a tree whose leaves choose among finitely many actions.

The classifier and the policy trees differ in how they read their data and in what a
leaf predicts. Everything else is the same: an `Objective` defines the problem for the
engines, the answer becomes a tree, and the certificate is stated in the user's unit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from treeproof.alternatives.methods import Alternatives
from treeproof.cluster import solve_on_cluster
from treeproof.estimators.base import OptimalTree
from treeproof.estimators.encoded_export import EncodedExport
from treeproof.estimators.path_proof import (
    check_path_proof,
    has_paths,
    write_path_proof,
)
from treeproof.estimators.prepared import Prepared
from treeproof.estimators.shaping import shape_of
from treeproof.limits import Deadline, parse_memory
from treeproof.notices import warn_user
from treeproof.objectives import Costs, Objective
from treeproof.proof.writer import (
    ProofFile,
    action_header,
    derived,
    shares_header,
    trimmed,
)
from treeproof.solving.answer import Answer
from treeproof.solving.checkpoint import CheckpointFile
from treeproof.solving.observers import History, climbing, observing
from treeproof.solving.progress import say_result
from treeproof.solving.proving import Provable, derive_steps, solve_task
from treeproof.solving.shape import grow_in_order
from treeproof.solving.solvers import RegressionTask, Task
from treeproof.words import number

__all__ = ["ActionTree"]

_CLOSE = 1e-6  # shares that different roundings of weights may set apart

Path = str | os.PathLike[str]


class ActionTree(Alternatives, EncodedExport, OptimalTree):
    """An estimator whose leaves choose among finitely many actions."""

    history_: History

    def _fit_objective(
        self,
        objective: Objective,
        reading: Mapping[str, Any],
        deadline: Deadline,
        *,
        proof: Path | None = None,
        distributed: Any = None,
        checkpoint: Path | None = None,
    ) -> None:
        """Find the best tree for an objective, and store it with its certificate."""
        self._check_provable(proof, reading, objective.table)
        prepared = self._prepared(objective, reading, deadline)
        with ExitStack() as stack:
            history, observer = stack.enter_context(observing(bool(self.verbose)))
            kept = None if checkpoint is None else CheckpointFile(checkpoint)
            writer = None
            if proof is not None:
                writer = stack.enter_context(ProofFile(proof))
            task: Task | RegressionTask = replace(
                prepared.task,
                observer=objective.units.listening(observer),
                ladder=climbing(objective.grow, objective.units.translate),
                proof_log="" if writer is None else writer.log,
            )
            name: str
            found: Answer
            by_path = writer is not None and has_paths(task)
            if by_path:
                check_path_proof(self, objective, task)
                task = replace(task, proof_log="")
            if isinstance(task, RegressionTask):
                self._fit_shares(prepared, task, history, writer, objective)
                stack.close()
                say_result(self)
                return
            if kept is not None:
                task = replace(task, checkpoint=str(kept.path))
                kept.check("cluster" if distributed else self.solver, task)
            provable: Provable | None = None
            if distributed is not None:
                name, found = solve_on_cluster(distributed, self.solver, task)
                provable = Provable(name, found, task, found)
            else:
                name, found, provable = solve_task(
                    self.solver, task, prove=writer is not None and not by_path
                )
            prepared.keep(name, found, history)
            if writer is not None and by_path:
                self.stats_ |= write_path_proof(self, writer, task, objective, found)
            if task.shape is None:
                self._remember(task, found, int(self.n_best))
            else:  # other trees would not keep the restrictions
                self._forget()
            if writer is not None and provable is not None:
                self.stats_ |= self._write_proof(writer, provable, objective)
            if kept is not None:
                kept.finish(found)
        say_result(self)

    def _fit_shares(
        self,
        prepared: Prepared[Any],
        task: RegressionTask,
        history: History,
        writer: ProofFile | None,
        objective: Any,
    ) -> None:
        """Find the best tree of class probabilities, and store it."""
        name, found, provable = solve_task(self.solver, task, prove=writer is not None)
        prepared.keep(name, found, history)
        if writer is not None and provable is not None:
            self.stats_ |= self._prove_shares(writer, provable, objective)
        self._forget()

    def _prove_shares(
        self, writer: ProofFile, provable: Provable, objective: Any
    ) -> dict[str, Any]:
        """Write the proof of a tree of class probabilities; return its statistics."""
        limits = self._proved_limits() | {"max_depth": provable.task.max_depth}
        header = shares_header(objective, provable.proved, limits)
        return self._write_argument(writer, provable, header, objective.root_loss)

    def _prepared(
        self, objective: Objective, reading: Mapping[str, Any], deadline: Deadline
    ) -> Prepared[Any]:
        """Return the problem of an objective, ready to be solved."""

        def keep(name: str, found: Answer, history: History) -> None:
            self._keep(name, found, objective, reading, history)

        return Prepared(
            self._task_for(objective, deadline), objective.grow_costed, keep
        )

    def _task_for(
        self, objective: Objective, deadline: Deadline
    ) -> Task | RegressionTask:
        """Return the problem in the form that the engines solve."""
        memory = parse_memory(self.memory_limit)
        units = (objective.units.factor, objective.units.offset)
        question = self._question(objective.table, memory, deadline, units)
        question |= objective.question(int(self.min_samples_leaf))
        question["split_penalty"] = objective.units.engine_penalty(
            float(self.split_penalty)
        )
        shape = shape_of(self, objective.table)
        question["shape"] = shape and shape.in_unit(objective.units.factor)
        if "targets" in question:
            return RegressionTask(**question)
        return Task(**question, objective=objective)

    def _write_proof(
        self,
        writer: ProofFile,
        provable: Provable,
        objective: Objective,
        more: Callable[[int], dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Write the proof, and return its statistics for `stats_`.

        `more` returns further entries of the header, given the bound that the steps
        prove.
        """
        found, task = provable.proved, provable.task
        assert isinstance(task, Task)
        if isinstance(objective, Costs) and objective.engine_total == 0:
            argument = writer.trivial(0)
        elif provable.alone:
            lower, split_cost = int(found["lower"]), int(found["split_cost"])
            argument = writer.claim(lower, split_cost, task.max_depth)
        elif provable.solver == "sparse" and "record" not in found:
            argument = trimmed(found, self.max_splits, writer)
        else:
            steps = derive_steps(task, found, 1.0, writer.steps)
            argument = derived(steps, int(found["split_cost"]))
            self._warn_if_weaker(steps["bound"], found["lower"])
        limits = self._proved_limits() | {"max_depth": task.max_depth}
        header = action_header(objective, found, limits, task.shape)
        if provable.prices is not None:
            header |= {"version": 3, "prices": provable.prices}
        if more is not None:
            header |= {"split_penalty": task.split_penalty} | more(argument.lower)
        written = writer.write(argument, header)
        # What one search has proved, another one may not have, if a limit ended it.
        answers = (found, provable.found)
        least = max(answer["lower"] / answer["unit"] for answer in answers)
        whole = bool(argument.lower / found["unit"] >= least - _CLOSE)
        return written | {
            "proof_max_depth": task.max_depth, "proof_shows_bound": whole,
        }  # fmt: skip

    def _warn_if_not_shown(self, shown: int, found: int) -> None:
        """Warn if the checkers cannot show the lower bound of the search."""
        if shown < found:
            warn_user(
                "The proof file has no lower bound worth telling: the checkers would "
                "take too long to show the one of the search. Limit max_depth, or use "
                "fewer columns or thresholds.",
                ConvergenceWarning,
            )

    def _tolerated(self) -> str:
        """Return how much the rounding of costs may have changed the optimum, in words.

        The rounded cost of any tree differs from its cost by at most the slack, so a
        tree that is optimal for rounded costs is worse than another by at most twice
        the slack.
        """
        rounding = self.stats_.get("rounding", 0.0)
        if not isinstance(rounding, float) or not rounding > 0:
            return super()._tolerated()
        digit = 10.0 ** math.floor(math.log10(rounding))
        return number(math.ceil(rounding / digit) * digit, 1)

    def _keep(
        self,
        name: str,
        found: Answer,
        objective: Objective,
        reading: Mapping[str, Any],
        history: History,
    ) -> None:
        """Store the tree that was found, and what was proved about it."""
        self._set_statistics(name, found, objective, reading)
        units = objective.units
        shape = shape_of(self, objective.table)
        along = None if shape is None else shape.engine_directions(objective.table)
        if along is None:
            tree = objective.grow(found["tree"])
        else:
            tree = grow_in_order(objective, found["tree"], along)
        if units.slack > 0:
            self.stats_["rounding"] = 2 * units.slack
        paid = 0.0
        if shape is not None and shape.paths is not None and shape.paths.prices.any():
            paid = self.stats_["test_cost"] = shape.paths.paid(tree)
        penalties = tree.n_penalties(self.penalize)
        self._set_certificate(
            tree,
            objective=objective.loss(tree) + self.split_penalty * penalties + paid,
            lower=units.stated(found["lower"] / found["unit"]) - units.slack,
            proved=found["lower"] == found["upper"],
            status=found["status"],
            found=units.translate(found),
        )
        bounds = self.lower_bound_, self.objective_
        history.finish(found["seconds"], *bounds, self.certificates_)
        self.history_ = history

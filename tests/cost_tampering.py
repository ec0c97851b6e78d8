"""Changes to proofs about costs, rewards and ratios, one function for each kind."""

from __future__ import annotations

import copy
import dataclasses
from fractions import Fraction

from small_costs import SmallCosts
from small_proofs import UNIT
from tampering import Forgery, tree_cost


def other(value, rng):
    return value + rng.choice([-1, 1, 2, 0.5])


def header_costs(f, rng):
    """The matrix in the header, or the cost of abstaining."""
    if f.header["cost_matrix"] is not None:
        row = rng.choice(f.header["cost_matrix"])
        place = rng.randrange(len(row))
        row[place] = other(row[place], rng)
    elif f.header["abstain_cost"] is not None:
        f.header["abstain_cost"] = other(f.header["abstain_cost"], rng)


def name_of_an_action(f, rng):
    place = rng.randrange(len(f.header["actions"]))
    f.header["actions"][place] = rng.choice(["other", 17, False])


def number_of_actions(f, rng):
    if rng.random() < 0.5:
        f.header["actions"].append("more")
    else:
        f.header["actions"].pop()


def value_of_the_objective(f, rng):
    f.header["upper"] += rng.choice([-1, 1, UNIT, -UNIT])


def scale_of_gains(f, rng):
    f.header["scale"] += rng.choice([-1, 1, 3])


def measure(f, rng):
    f.header["measure"] = "cost" if f.header["measure"] == "reward" else "reward"


def costs_of_rows(f, rng):
    """Change costs in the data, sometimes with the fingerprint that belongs to them."""
    small = f.small
    if small.table is None:
        return
    table = [list(row) for row in small.table]
    row = rng.choice([table[i] for i in small.rows])
    place = rng.randrange(len(row))
    row[place] = other(row[place], rng)
    f.small = dataclasses.replace(small, table=table)
    if rng.random() < 0.5:
        f.header["fingerprint"] = f.small.fingerprint()
        cost = f.small.split_cost()
        f.header["split_cost"] = f.header["search_split_cost"] = cost


def action_of_a_leaf(f, rng):
    nodes, stack = [], [f.header["tree"]]
    while stack:
        node = stack.pop()
        stack += [child for _, child in node.get("children", [])]
        nodes += [node] if "predict" in node else []
    node = rng.choice(nodes)
    count = len(f.header.get("actions", f.header.get("classes", [])))
    node["predict"] = (node["predict"] + rng.randint(1, count - 1)) % count


def action_and_cost(f, rng):
    """Claim that a worse leaf, with its true cost, is optimal."""
    action_of_a_leaf(f, rng)
    cost = tree_cost(f.small, f.header["tree"])
    more = cost - f.header["upper"]
    f.header["upper"] = cost
    f.header["lower"] += more
    f.steps[f.header["root"]]["bound"] += more


def bound_by_one(f, rng):
    f.steps[f.header["root"]]["bound"] += 1
    f.header["lower"] += 1
    if rng.random() < 0.5:
        f.header["upper"] += 1


def nearby(pair, rng):
    part = Fraction(*pair) + Fraction(rng.choice([-1, 1]), rng.choice([7, 100, 10**6]))
    part = min(max(part, Fraction(0)), Fraction(1))
    return [part.numerator, part.denominator]


def ratio_of_the_tree(f, rng):
    f.header["metric"]["value"] = nearby(f.header["metric"]["value"], rng)


def ratio_weighed_at(f, rng):
    metric = f.header["metric"]
    metric["weighed_at"] = nearby(metric["weighed_at"], rng)


def all_of_the_ratio(f, rng):
    metric = f.header["metric"]
    metric["value"] = metric["bound"] = nearby(metric["value"], rng)
    if rng.random() < 0.5:
        metric["weighed_at"] = metric["value"]


def bound_of_the_ratio(f, rng):
    bound = Fraction(*f.header["metric"]["bound"]) * Fraction(999, 1000)
    f.header["metric"]["bound"] = [bound.numerator, bound.denominator]


def positive_class(f, rng):
    f.header["metric"]["positive"] ^= 1


def name_of_the_metric(f, rng):
    names = {"f1", "fbeta", "jaccard"} - {f.header["metric"]["name"]}
    f.header["metric"]["name"] = rng.choice(sorted(names))


def beta(f, rng):
    f.header["metric"]["name"] = "fbeta"
    f.header["metric"]["beta"] = rng.choice([[3, 1], [1, 3], [5, 2]])


def class_weights(f, rng):
    place = rng.randrange(2)
    f.header["class_weight"][place] += rng.choice([1.0, 2.0])
    f.small = dataclasses.replace(f.small, class_weight=f.header["class_weight"])
    f.header["fingerprint"] = f.small.fingerprint()
    f.header["upper"] = tree_cost(f.small, f.header["tree"])


OF_COSTS = [
    header_costs, name_of_an_action, number_of_actions, value_of_the_objective,
    scale_of_gains, measure, costs_of_rows, action_of_a_leaf, action_and_cost,
    bound_by_one,
]  # fmt: skip
OF_RATIOS = [
    value_of_the_objective, action_of_a_leaf, action_and_cost, bound_by_one,
    ratio_of_the_tree, ratio_weighed_at, all_of_the_ratio, bound_of_the_ratio,
    positive_class, name_of_the_metric, beta, class_weights,
]  # fmt: skip
ALWAYS_REJECTED = [
    name_of_an_action, number_of_actions, ratio_weighed_at, class_weights
]  # fmt: skip


def changed_objective(small, lines, rng):
    changes = OF_COSTS if isinstance(small, SmallCosts) else OF_RATIOS
    forgery = Forgery(small, copy.deepcopy(lines))
    change = rng.choice(changes)
    forgery.what = change.__name__
    change(forgery, rng)
    return forgery

"""Costs, abstaining and metrics on the command line."""

import json


def test_costs_abstaining_and_metrics(treeproof, tmp_path):
    rows = [f"{x},{'ill' if x > 5 or x == 3 else 'well'}" for x in range(12)]
    table = tmp_path / "clinic.csv"
    table.write_text("\n".join(["x,state", *rows]))
    costs = tmp_path / "costs.json"
    costs.write_text('{"ill": {"well": 20}, "well": {"ill": 1}}')
    fit = ("fit", table, "--target", "state", "--max-depth", "1")
    _, out, _ = treeproof(*fit, "--cost-matrix", costs, "--json")
    found = json.loads(out)
    assert found["optimal"] and found["tree"]["measure"] == "cost"
    _, out, _ = treeproof(*fit, "--abstain-cost", "0.1")
    assert "abstains on 50%" in " ".join(out.split())
    _, out, _ = treeproof(*fit, "--metric", "f1", "--pos-label", "ill")
    assert "has a higher F1 than" in out
    status, _, err = treeproof(*fit, "--metric", "f1", "--regression")
    assert status != 0 and "for classes" in err
    costs.write_text("[1, 2]")
    status, _, err = treeproof(*fit, "--cost-matrix", costs)
    assert status != 0 and "object of objects" in err


def test_names_of_classes_in_a_file_of_costs_may_be_numbers(treeproof, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "\n".join(f"{x},{int(x > 3)}" for x in range(8)))
    costs = tmp_path / "costs.json"
    costs.write_text('{"0": {"1": 1}, "1": {"0": 5}}')
    status, out, _ = treeproof(
        "fit", table, "--target", "y", "--cost-matrix", costs, "--json"
    )
    assert status == 0 and json.loads(out)["optimal"]

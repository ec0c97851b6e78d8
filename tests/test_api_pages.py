"""The API reference: every public name has a page, and an example that runs."""

import inspect
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from api_pages import public_modules, public_names

NAMES = [
    (module, name, thing)
    for module in public_modules()
    for name, thing in public_names(module).items()
    if inspect.isclass(thing) or inspect.isroutine(thing)
]


def test_there_are_many():
    assert len(NAMES) > 120
    assert ("treeproof", "OptimalTreeClassifier") in [(m, n) for m, n, _ in NAMES]


@pytest.mark.parametrize(
    ("module", "name", "thing"), NAMES, ids=[f"{m}.{n}" for m, n, _ in NAMES]
)
def test_a_public_name_has_an_example(module, name, thing):
    """The examples themselves run as doctests."""
    text = inspect.getdoc(thing) or ""
    assert "Examples\n--------" in text, f"{module}.{name}"
    assert ">>>" in text.split("Examples\n--------")[1]

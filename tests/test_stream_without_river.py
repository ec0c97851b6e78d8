"""River is optional."""

import subprocess
import sys

SCRIPT = """
import pickle
import sys

sys.meta_path.insert(0, type("Hide", (), {
    "find_spec": staticmethod(lambda name, *rest: (_ for _ in ()).throw(
        ModuleNotFoundError(name)) if name.split(".")[0] == "river" else None)}))
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "river" else found(
    name, *rest)

import treeproof.stream as learners
from treeproof.stream.datasets import led, xor
from treeproof.stream.river_api import RIVER_INSTALLED, default_detector

assert not RIVER_INSTALLED and default_detector() is None
for name in learners.__all__:
    if not name.endswith("Classifier"):
        continue
    model = getattr(learners, name)().clone()
    for x, y in xor(10, 1, 6000):
        model.learn_one(x, y)
    model = pickle.loads(pickle.dumps(model))
    assert model.n_splits_ == 3, name
    assert model.predict_one({"x0": 1, "x1": 0}) == 1
try:
    led()
except ImportError as error:
    print(error)
"""


def test_the_learners_work_without_river():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "pip install 'treeproof[stream]'" in done.stdout

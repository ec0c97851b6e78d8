"""Pictures: complete, without overlaps, and the same in every backend."""

import sys
import xml.etree.ElementTree as xml
from itertools import combinations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from export_checks import random_case
from trees import random_table

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, watch
from treeproof.columns import Column
from treeproof.palette import class_colour
from treeproof.picture.figure import save_scene
from treeproof.picture.layout import arrange
from treeproof.picture.scene import tree_scene
from treeproof.tree import LEAF

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def model():
    X, y = random_table(3)
    return OptimalTreeClassifier(0.02).fit(X, y)


def overlap(a, b):
    return (
        a.x < b.x + b.width - 1e-6
        and b.x < a.x + a.width - 1e-6
        and a.y < b.y + b.height - 1e-6
        and b.y < a.y + a.height - 1e-6
    )


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("seed", range(12))
def test_nodes_do_not_overlap(seed, orientation):
    tree = random_case(seed).tree
    scene = tree_scene(tree, orientation=orientation, caption="caption")
    nodes = [box for box in scene.boxes if box.radius]
    assert len(nodes) == tree.node_count
    assert not any(overlap(a, b) for a, b in combinations(nodes, 2))
    for box in nodes:
        assert box.x >= 0 and box.x + box.width <= scene.width
        assert box.y >= 0 and box.y + box.height <= scene.height
    # The white backgrounds of the texts on edges; those of bars are lower.
    words = [box for box in scene.boxes if not box.radius and box.height >= 9]
    assert len(words) == len(scene.lines) == tree.node_count - 1
    assert not any(overlap(a, b) for a in nodes for b in words)
    assert not any(overlap(a, b) for a, b in combinations(words, 2))


def test_arrange_random_trees():
    random = np.random.default_rng(0)
    for _ in range(50):
        children, depth = [[]], [0]
        while len(children) < 40:
            parent = int(random.integers(len(children)))
            children[parent].append(len(children))
            depth.append(depth[parent] + 1)
            children.append([])
        breadth = random.uniform(1, 30, len(children))
        place = np.array(arrange(children, breadth, gap=2))
        for level in range(max(depth) + 1):
            own = np.flatnonzero(np.array(depth) == level)
            own = own[np.argsort(place[own])]
            room = np.diff(place[own]) - (breadth[own][1:] + breadth[own][:-1]) / 2
            assert (room >= 2 - 1e-9).all()
        for node, own in enumerate(children):
            if own:
                assert place[node] == pytest.approx(
                    (place[own[0]] + place[own[-1]]) / 2
                )
        assert (place - breadth / 2).min() == pytest.approx(0)


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_words_fit_into_their_boxes(model, orientation):
    """Measured by matplotlib, with the font it really uses."""
    ax = model.plot(orientation=orientation)
    ax.figure.canvas.draw()
    rounded = [p.get_window_extent() for p in ax.patches if hasattr(p, "get_boxstyle")]
    shown = {text.get_text(): text.get_window_extent() for text in ax.texts}
    columns = {model.tree_.columns[j].name for j in set(model.tree_.feature) - {-2}}
    for name in columns | set(model.classes_):
        words = shown[name]
        holding = [
            box for box in rounded
            if box.x0 <= words.x0 and words.x1 <= box.x1
            and box.y0 <= words.y0 and words.y1 <= box.y1
        ]  # fmt: skip
        assert name in model.classes_ or len(holding) == 1
    figure = ax.figure.bbox
    for words in shown.values():
        assert figure.x0 <= words.x0 and words.x1 <= figure.x1
        assert figure.y0 <= words.y0 and words.y1 <= figure.y1
    assert model.certificate() in " ".join(shown)
    plt.close("all")


def test_plot_into_given_axes(model):
    _, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
    assert model.plot(left) is left and model.tree_.plot(right) is right
    sizes = [text.get_fontsize() for text in left.texts]
    assert max(sizes) < 10  # scaled down to fit
    plt.close("all")


def test_units_and_counts_are_shown(model):
    X = pd.DataFrame({"length": [1.0, 2, 7, 8] * 300, "kind": list("ab") * 600})
    y = ["no", "no", "yes", "yes"] * 300
    model = OptimalTreeClassifier().fit(X, y)
    words = [w.text for w in tree_scene(model.tree_, units={"length": "cm"}).words]
    assert {"≤ 4.5 cm", "> 4.5 cm", "1,200 rows", "600 rows, 100%"} <= set(words)


def test_many_categories_are_wrapped_and_counted():
    names = [f"category {k:03}" for k in range(60)]
    X = pd.DataFrame({"c": names * 2})
    y = [k % 3 for k in range(60)] * 2
    tree = OptimalTreeClassifier(0.0).fit(X, y).tree_.collapse()
    words = [w.text for w in tree_scene(tree).words]
    assert any(text.endswith("+17") for text in words)


def test_long_and_odd_names_are_shortened_and_escaped():
    name = "<script>alert('x')</script> & a $very$ long name of a column"
    X = pd.DataFrame({name: ["<b>", "&amp;"] * 5})
    model = OptimalTreeClassifier().fit(X, ['"<i>"', "</svg>"] * 5)
    html = model._repr_html_()
    assert "<script" not in html and "<b>" not in html and "</svg></text>" not in html
    root = xml.fromstring(model.to_svg())
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>alert('x')</script>…" in texts and "</svg>" in texts
    ax = model.plot()
    ax.figure.canvas.draw()  # dollar signs are not mathematics
    plt.close("all")


def test_notebooks_show_the_tree_with_its_badge(model):
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"] == model._repr_html_()
    assert "proved optimal" in model._repr_html_() and "<svg" in model._repr_html_()
    assert model.tree_._repr_svg_().startswith("<svg")
    fresh = OptimalTreeClassifier()
    assert "<svg" not in fresh._repr_html_() and "OptimalTree" in fresh._repr_html_()
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (300, 40)), random.integers(0, 2, 300)
    with pytest.warns(UserWarning, match="stopped before"):
        stopped = OptimalTreeClassifier(1e-4, time_limit=0.01).fit(X, y)
    html = stopped._repr_html_()
    assert "not proved: time limit" in html and "proved optimal" not in html


@pytest.mark.parametrize("seed", [2, 5, 8])
def test_regression_trees(seed):
    tree = random_case(seed).tree
    assert tree.classes is None
    fills = [box.fill for box in tree_scene(tree).boxes if box.radius]
    assert len(fills) == tree.node_count
    tree.plot()
    plt.close("all")


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_files(model, tmp_path, ending):
    path = tmp_path / f"tree.{ending}"
    save_scene(tree_scene(model.tree_), str(path))
    assert path.stat().st_size > 1000
    with pytest.raises(ValueError, match=r"does not end in a format.*pdf, .*png"):
        save_scene(tree_scene(model.tree_), str(tmp_path / "tree.doc"))


def test_bad_requests(model, monkeypatch):
    with pytest.raises(ValueError, match="'auto', 'down' or 'right', not 'up'"):
        model.plot(orientation="up")
    with pytest.raises(ValueError, match="units names the column 'z', which the tree"):
        model.plot(units={"z": "cm"})
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"plot\(\) needs matplotlib.*\[plot\]"):
        model.plot()
    with pytest.raises(ImportError, match=r"plot_bounds\(\) needs matplotlib"):
        model.history_.plot()


def test_history_is_what_the_search_said(model):
    X, y = random_table(3)
    seen = []
    with watch(lambda *event: seen.append(event)):
        model.fit(X, y)
    history = model.history_
    assert history.upper[: len(seen)] == [event[3] for event in seen]
    assert history.upper[-1] == model.objective_ == history.lower[-1]
    assert list(history.seconds) == sorted(history.seconds)
    assert all(
        lo <= up + 1e-12 for lo, up in zip(history.lower, history.upper, strict=True)
    )
    ax = history.plot()
    assert "proved optimal" in ax.get_title(loc="left")
    history.finish(9.0, 0.0, 1.0)
    assert "gap of 1" in history.plot().get_title(loc="left")
    plt.close("all")
    assert OptimalTreeClassifier().fit([[0]], [1]).history_.plot() is not None
    plt.close("all")


def test_history_of_a_regression():
    X = np.linspace(0, 1, 60)[:, None]
    model = OptimalTreeRegressor(0.001, max_depth=2).fit(X, np.sin(7 * X[:, 0]))
    history = model.history_
    assert history.upper[-1] == model.objective_ and max(history.upper) < 1.5
    assert "<svg" in model._repr_html_()


def test_watchers_leave_with_the_block():
    seen = []
    with watch(lambda *event: seen.append(event)):
        pass
    OptimalTreeClassifier().fit(*random_table(1))
    assert seen == []


def test_a_watcher_can_stop_a_search():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (300, 30)), random.integers(0, 2, 300)

    def fail(*event):
        raise RuntimeError("enough")

    with watch(fail), pytest.raises(RuntimeError, match="enough"):
        OptimalTreeClassifier(1e-4).fit(X, y)

    def stop(*event):
        raise KeyboardInterrupt

    with watch(stop), pytest.warns(UserWarning, match="it was interrupted"):
        model = OptimalTreeClassifier(1e-4).fit(X, y)
    assert model.status_ == "interrupted" and model.gap_ > 0


def simulated(colour, matrix):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.clip(np.array(matrix) @ linear, 0, 1)


# Linear approximations of complete dichromacy (Machado, Oliveira, Fernandes 2009).
DICHROMATS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip


@pytest.mark.parametrize("name", list(DICHROMATS))
def test_colour_blind_readers_tell_the_classes_apart(name):
    def lab(colour):
        r, g, b = simulated(colour, DICHROMATS[name])
        xyz = [
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        ]
        x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
        return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

    colours = [lab(class_colour(k)) for k in range(6)]
    for a, b in combinations(colours, 2):
        assert np.linalg.norm(a - b) > 10


def test_the_column_of_a_leaf_is_not_asked_for():
    tree = OptimalTreeClassifier().fit([[1], [2]], ["a", "a"]).tree_
    assert tree.kind.tolist() == [LEAF] and tree.columns == (Column("x0"),)
    assert [w.text for w in tree_scene(tree).words] == ["a", "2 rows, 100%"]


def test_bounds_over_time_never_get_worse():
    from treeproof.solving.observers import observing

    with observing(False) as (history, tell):
        for lower, upper in ((0.1, 0.5), (0.0, 0.4), (0.2, 0.45)):
            tell(1, 0.0, lower, upper, 1)
    assert history.lower == [0.1, 0.1, 0.2]
    assert history.upper == [0.5, 0.4, 0.4]


def test_a_long_caption_does_not_widen_a_small_picture():
    tree = OptimalTreeClassifier().fit([[k] for k in range(9)], [0] * 4 + [1] * 5).tree_
    words = "No tree of depth 4 or less costs less than 0.780818 (in 4.0 s). " * 3
    narrow, wide = tree_scene(tree), tree_scene(tree, caption=words)
    lines = [word.text for word in wide.words if word not in narrow.words]
    assert " ".join(lines) == words.strip() and len(lines) > 2
    assert wide.width < 360 and wide.height > narrow.height + 8 * len(lines)

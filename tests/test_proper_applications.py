"""Each application of the theory against brute force or a textbook algorithm."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from effort import rounds

from treeproof import proper
from treeproof.proper import Leaf, Objective


def test_matrix_chain_costs_what_the_textbook_says():
    best = proper.matrix_chain([30, 35, 15, 5, 10, 20, 25])
    assert best.cost == 15125
    assert str(best) == "((A(BC))((DE)F))"


def test_matrix_chain_equals_brute_force():
    def brute(dimensions):
        if len(dimensions) == 2:
            return 0
        first, last = dimensions[0], dimensions[-1]
        return min(
            brute(dimensions[: i + 1]) + brute(dimensions[i:]) + first * d * last
            for i, d in enumerate(dimensions[1:-1], start=1)
        )

    rng = np.random.default_rng(0)
    for n in [*range(2, 9)] * rounds(1, 20):
        dimensions = rng.integers(1, 30, size=n).tolist()
        assert proper.matrix_chain(dimensions).cost == brute(dimensions)


@pytest.mark.parametrize("bad", [[], [3], [3, 0], [2.5, 3], ["a", 3], [1] * 400])
def test_matrix_chain_refuses_bad_dimensions(bad):
    with pytest.raises(ValueError, match="dimensions"):
        proper.matrix_chain(bad)


def textbook_search_tree(weights, gaps):
    """Return the cost by the bottom-up table of textbooks, counting comparisons."""
    n = len(weights)
    cost = np.zeros((n + 1, n + 1))
    weight = np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        weight[i, i] = gaps[i]
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            j = i + length
            weight[i, j] = weight[i, j - 1] + weights[j - 1] + gaps[j]
            cost[i, j] = weight[i, j] + min(
                cost[i, r] + cost[r + 1, j] for r in range(i, j)
            )
    return cost[0, n]


def test_search_tree_equals_the_textbook():
    rng = np.random.default_rng(1)
    for n in [1, 2, 3, 5, 9, 14] * rounds(1, 20):
        for with_gaps in (False, True):
            weights = rng.integers(0, 20, size=n).tolist()
            gaps = rng.integers(0, 9, size=n + 1).tolist() if with_gaps else None
            keys = rng.choice(100, size=n, replace=False).tolist()
            in_order = [w for _, w in sorted(zip(keys, weights, strict=True))]
            best = proper.optimal_search_tree(keys, weights, gaps)
            assert best.cost == textbook_search_tree(in_order, gaps or [0] * (n + 1))
            if gaps is None:
                visits = [
                    w * best.depth_of(k) for k, w in zip(keys, weights, strict=True)
                ]
                assert sum(visits) == best.cost


def test_search_tree_refuses_bad_input():
    with pytest.raises(ValueError, match="occurs twice"):
        proper.optimal_search_tree([1, 1], [1, 2])
    with pytest.raises(ValueError, match=r"weights\[1\] is -2"):
        proper.optimal_search_tree([1, 3], [1, -2])
    with pytest.raises(ValueError, match="a key is NaN"):
        proper.optimal_search_tree([1.0, np.nan], [1, 1])
    with pytest.raises(ValueError, match="1000 keys take about 166,666,666 steps"):
        proper.optimal_search_tree(range(1000), [1] * 1000)
    with pytest.raises(ValueError, match="2 keys but 1 weights"):
        proper.optimal_search_tree([1, 3], [1])
    with pytest.raises(KeyError):
        proper.optimal_search_tree([1, 3], [1, 1]).depth_of(2)


def brute_kd_costs(points, axis, weights, height):
    """Return the costs of all K-D trees, without a memo and in floating point."""
    if not points:
        return [0]
    costs = []
    below = (axis + 1) % len(points[0][1])
    for root in points:
        others = [p for p in points if p is not root]
        left = [p for p in others if p[1][axis] < root[1][axis]]
        right = [p for p in others if not p[1][axis] < root[1][axis]]
        here = sum(weights[i] for i, _ in points)
        for a in brute_kd_costs(left, below, weights, height):
            for b in brute_kd_costs(right, below, weights, height):
                costs.append(1 + max(a, b) if height else a + b + here)
        costs = [min(costs)] if len(points) > 5 else costs
    return costs


@pytest.mark.parametrize("height", [False, True])
def test_kd_tree_equals_brute_force(height):
    rng = np.random.default_rng(2)
    for n in [1, 2, 3, 4, 5, 6, 7, 8] * rounds(1, 20):
        points = rng.integers(0, 5, size=(n, 2)).tolist()
        weights = rng.integers(1, 9, size=n).tolist()
        objective = "height" if height else "path_length"
        best = proper.optimal_kd_tree(points, objective, None if height else weights)
        assert best.cost == min(
            brute_kd_costs(list(enumerate(points)), 0, weights, height)
        )


def test_kd_tree_takes_any_objective_and_refuses_bad_ones():
    leaves = Objective("leaves", lambda data: 1, lambda a, r, b: a + b)
    assert proper.optimal_kd_tree([[0, 0], [1, 1]], leaves).cost == 3
    with pytest.raises(ValueError, match="'path_length', 'height'"):
        proper.optimal_kd_tree([[0, 0]], "width")
    with pytest.raises(ValueError, match="2 points but 1 weights"):
        proper.optimal_kd_tree([[0, 0], [1, 1]], weights=[1])
    with pytest.raises(ValueError, match="too many"):
        proper.optimal_kd_tree(np.zeros((100, 2)))


def same_line(a, b):
    (px, py), (qx, qy) = a
    return all((qx - px) * (y - py) == (qy - py) * (x - px) for x, y in b)


def brute_bsp(segments):
    """Return the smallest number of cuts: every root is tried, without a memo."""
    lines = [
        next(i for i, other in enumerate(segments) if same_line(other, segment))
        for segment in segments
    ]
    return fewest_cuts(list(zip(segments, lines, strict=True)))


def fewest_cuts(pieces):
    if not pieces:
        return 0
    best = np.inf
    for ((px, py), (qx, qy)), _ in pieces:
        above, below = [], []
        for (start, end), line in pieces:
            s, e = (
                (qx - px) * (y - py) - (qy - py) * (x - px) for x, y in (start, end)
            )
            if s == 0 and e == 0:
                continue
            if s * e < 0:
                t = Fraction(s) / (s - e)
                middle = tuple(a + t * (b - a) for a, b in zip(start, end, strict=True))
                (above if s > 0 else below).append(((start, middle), line))
                (above if e > 0 else below).append(((middle, end), line))
            else:
                (above if s + e > 0 else below).append(((start, end), line))
        # Every line on either side needs a cut of its own; roots that leave too many
        # cannot give the minimum.
        least = sum(len({line for _, line in side}) for side in (above, below))
        if 1 + least < best:
            best = min(best, 1 + fewest_cuts(above) + fewest_cuts(below))
    return best


def random_segments(rng, n, size=6):
    segments = []
    while len(segments) < n:
        start, end = rng.integers(0, size, size=(2, 2)).tolist()
        if start != end:
            segments.append((tuple(start), tuple(end)))
    return segments


def test_bsp_equals_brute_force():
    rng = np.random.default_rng(3)
    for n in [0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7] * rounds(1, 20):
        segments = random_segments(rng, n)
        best = proper.optimal_bsp(segments)
        cuts = brute_bsp(segments)
        assert best.n_pieces == cuts
        assert best.cost == 2 * cuts + 1


def test_bsp_is_never_larger_than_any_fixed_order():
    rng = np.random.default_rng(4)
    segments = random_segments(rng, 5)

    def fixed_order(pieces, order):
        if not pieces:
            return 0
        root = min(pieces, key=lambda piece: order.index(piece.origin))
        above, below = [], []
        for piece in pieces:
            a, b = proper.bsp.cut(root, piece)
            above += [a] if a else []
            below += [b] if b else []
        return 1 + fixed_order(above, order) + fixed_order(below, order)

    best = proper.optimal_bsp(segments)
    sizes = {fixed_order(best.segments, order) for order in permutations(range(5))}
    assert best.n_pieces <= min(sizes) < max(sizes)


def test_bsp_refuses_bad_segments():
    with pytest.raises(ValueError, match="segment 1 has no length"):
        proper.optimal_bsp([((0, 0), (1, 1)), ((2, 2), (2, 2))])
    with pytest.raises(ValueError, match="segment 0 is"):
        proper.optimal_bsp([((0, 0), (1,))])
    with pytest.raises(ValueError, match="13 segments"):
        proper.optimal_bsp([((0, i), (1, i)) for i in range(13)])


def brute_feature_tree(X, y, k):
    """Return the fewest errors with k splits, where features may be repeated."""
    if len(y) == 0:
        return 0
    least = len(y) - max(np.bincount(y))
    for j in range(X.shape[1]) if k else ():
        yes = X[:, j] == 1
        for a in range(k):
            left = brute_feature_tree(X[yes], y[yes], a)
            right = brute_feature_tree(X[~yes], y[~yes], k - 1 - a)
            least = min(least, left + right)
    return least


def test_binary_feature_tree_equals_brute_force():
    rng = np.random.default_rng(5)
    for _ in range(20):
        X = rng.integers(0, 2, size=(10, 4))
        y = rng.integers(0, 2, size=10)
        for k in range(4):
            best = proper.binary_feature_tree(X, y.tolist(), k)
            assert best.cost == brute_feature_tree(X, y, k)
            assert np.sum(np.array(best.predict(X)) != y) == best.cost
            assert proper.size(best.tree) <= k


def test_distinct_features_are_the_paper_s_search_space():
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, size=(12, 4))
    y = rng.integers(0, 2, size=12).tolist()
    best = proper.binary_feature_tree(X, y, 3, distinct=True)
    rules = proper.level_order(best.tree)
    assert len(rules) == len({rule.column for rule in rules})
    assert best.cost >= proper.binary_feature_tree(X, y, 3).cost
    objective = proper.misclassification(y)
    features = [
        proper.Rule(
            f"x{j}",
            proper.bits(np.flatnonzero(X[:, j]).tolist()),
            proper.bits(np.flatnonzero(X[:, j] == 0).tolist()),
            0,
        )
        for j in range(4)
    ]
    brute = min(
        objective(proper.accumulate(tree, (1 << 12) - 1, proper.divide))
        for k in range(4)
        for order in permutations(features, k)
        for tree in proper.catalan_trees(order)
    )
    assert best.cost == brute


def test_binary_feature_tree_refuses_other_values():
    with pytest.raises(ValueError, match="row 1, column 0 holds"):
        proper.binary_feature_tree([[0], [2]], ["a", "b"], 1)
    with pytest.raises(ValueError, match="2 rows but y has 1"):
        proper.binary_feature_tree([[0], [1]], ["a"], 1)


def test_binary_feature_tree_counts_before_it_starts():
    X, y = np.zeros((50, 60)), [0, 1] * 25
    with pytest.raises(ValueError, match="K = 6 make up to 182,851,505 sets of rows"):
        proper.binary_feature_tree(X, y, 6)
    with pytest.raises(ValueError, match="267,775,200 trees"):
        proper.binary_feature_tree(X[:, :25], y, 5, distinct=True)


@pytest.mark.parametrize("kind", ["chain", "search", "kd", "bsp", "binary"])
def test_every_application_has_a_picture(kind, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    result = {
        "chain": lambda: proper.matrix_chain([2, 3, 4, 5]),
        "search": lambda: proper.optimal_search_tree("abc", [1, 2, 3]),
        "kd": lambda: proper.optimal_kd_tree([[0, 1], [2, 3], [4, 0]]),
        "bsp": lambda: proper.optimal_bsp([((0, 0), (1, 2)), ((0, 2), (2, 0))]),
        "binary": lambda: proper.binary_feature_tree([[0], [1]], "ab", 1),
    }[kind]()
    figure = result.plot().figure
    figure.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_text_shows_every_node():
    tree = proper.optimal_search_tree("abc", [1, 5, 1]).tree
    text = proper.to_text(tree, leaf=lambda gap: f"gap {gap}")
    assert text.splitlines()[0] == "b"
    assert len(text.splitlines()) == 7
    assert proper.to_text(Leaf("x")) == "x"

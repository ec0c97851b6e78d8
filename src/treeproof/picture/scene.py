"""A picture as boxes, lines and texts, in points from the upper left corner.

Small trees grow downwards, as in books. A tree with many leaves would become metres
wide that way, so it grows to the right: every leaf then takes one line of text, and
forty splits fit on a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from treeproof.columns import plain
from treeproof.palette import INK, MUTED, class_colour
from treeproof.picture.content import (
    NodeContent,
    edge_lines,
    node_content,
    shortened,
    text_width,
)
from treeproof.picture.layout import arrange
from treeproof.tree import Tree

__all__ = ["Box", "Line", "Scene", "Words", "tree_scene"]

LARGE = 10.0  # font sizes
SMALL = 8.0
_MARGIN = 8.0
_CAPTION = 320.0  # width of a line of the caption, at least
_MOST_LEAVES_DOWN = 9
_LEGEND_CLASSES = 10


@dataclass
class Box:
    """A filled rectangle, with its node and a description if it belongs to one."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str | None = None
    radius: float = 0.0
    node: int | None = None
    label: str = ""


@dataclass
class Line:
    """A line through several points."""

    points: list[tuple[float, float]]
    width: float = 1.0


@dataclass
class Words:
    """One line of text, centred vertically at y."""

    x: float
    y: float
    text: str
    size: float
    colour: str = INK
    anchor: str = "middle"  # or "start"
    bold: bool = False


@dataclass
class Scene:
    """A picture: lines are below, boxes above them, and texts on top."""

    width: float = 0.0
    height: float = 0.0
    lines: list[Line] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)


def tree_scene(
    tree: Tree,
    *,
    orientation: str = "auto",
    units: Mapping[str, str] | None = None,
    caption: str | None = None,
    details: bool = False,
    smoothing: float = 0.0,
) -> Scene:
    """Return the picture of a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows; "auto" is down for up to nine leaves.
    units : mapping or None, default=None
        Units by column name, written after thresholds.
    caption : str or None, default=None
        Words below the tree.
    details : bool, default=False
        Leaves also show the rows of each class and a confidence interval.
    smoothing : float, default=0.0
        What is added to the weight of each class for the share that leaves show.
    """
    if orientation not in ("auto", "down", "right"):
        raise ValueError(
            f"orientation must be 'auto', 'down' or 'right', not {orientation!r}."
        )
    for name in units or {}:
        if all(column.name != name for column in tree.columns):
            raise ValueError(f"units names the column {name!r}, which the tree lacks.")
    down = orientation == "down" or (
        orientation == "auto" and tree.n_leaves <= _MOST_LEAVES_DOWN
    )
    drawing = (_Down if down else _Right)(tree, units or {}, details, smoothing)
    top = drawing.legend()
    drawing.place(top)
    scene = drawing.scene
    if caption:
        _write_caption(scene, caption)
    return scene


def _write_caption(scene: Scene, caption: str) -> None:
    """Write lines below a tree; they make a narrow picture a little wider."""
    most = max(scene.width - 2 * _MARGIN, _CAPTION)
    lines = [""]
    for word in caption.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, SMALL) > most and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    for line in lines:
        y = scene.height + SMALL
        scene.words.append(Words(_MARGIN, y, line, SMALL, MUTED, "start"))
        scene.height += 1.5 * SMALL
        scene.width = max(scene.width, 2 * _MARGIN + text_width(line, SMALL))
    scene.height += 0.5 * SMALL


class _Drawing:
    """The part of a drawing that does not depend on the direction of growth."""

    box_height = 0.0

    def __init__(
        self, tree: Tree, units: Mapping[str, str], details: bool, smoothing: float
    ) -> None:
        self.tree = tree
        self.scene = Scene()
        self.content = node_content(tree, details, smoothing)
        self.children: list[list[int]] = []
        self.edge: dict[int, list[str]] = {0: []}  # by child
        for node in range(tree.node_count):
            ways = edge_lines(tree, node, units)
            self.children.append([child for child, _ in ways])
            self.edge.update(ways)
        self.depth = tree.node_depth.tolist()

    def legend(self) -> float:
        """Write the colours of the classes in one row; return its height."""
        tree = self.tree
        classes = tree.actions if tree.classes is None else tree.classes
        if classes is None or not 2 <= len(classes) <= _LEGEND_CLASSES:
            return 0.0
        x, y = _MARGIN, _MARGIN + SMALL / 2
        for k, label in enumerate(classes):
            name = shortened(str(plain(label)), 20)
            self.scene.boxes.append(Box(x, y - 4, 8, 8, class_colour(k)))
            self.scene.words.append(Words(x + 12, y, name, SMALL, INK, "start"))
            x += 12 + text_width(name, SMALL) + 14
        self.scene.width = x
        return 2.5 * SMALL

    def edge_size(self, node: int) -> tuple[float, float]:
        """Return width and height of the text on the edge to a node."""
        lines = self.edge[node]
        width = max((text_width(line, SMALL) for line in lines), default=0.0)
        return width, len(lines) * 1.25 * SMALL

    def write_edge(self, node: int, x: float, y: float, anchor: str) -> None:
        """Write the text of the edge to a node around a point, on a white ground."""
        width, height = self.edge_size(node)
        left = x - width / 2 if anchor == "middle" else x
        self.scene.boxes.append(
            Box(left - 2, y - height / 2, width + 4, height, "#ffffff")
        )
        first = y - height / 2 + 0.625 * SMALL
        for k, line in enumerate(self.edge[node]):
            place = first + 1.25 * SMALL * k
            self.scene.words.append(Words(x, place, line, SMALL, INK, anchor))

    def node_box(
        self, node: int, x: float, y: float, width: float, radius: float
    ) -> None:
        """Draw the box of a node."""
        content = self.content[node]
        label = ", ".join([content.title, content.detail, *content.notes])
        height = self.height_of(node)
        self.scene.boxes.append(
            Box(x, y, width, height, content.fill, MUTED, radius, node, label)
        )

    def height_of(self, node: int) -> float:
        """Return the height of a node's box."""
        return self.box_height

    def bar(
        self, content: NodeContent, x: float, y: float, width: float, height: float
    ) -> None:
        """Draw the shares of the classes side by side."""
        self.scene.boxes.append(
            Box(x - 0.7, y - 0.7, width + 1.4, height + 1.4, "#ffffff")
        )
        for share, colour in content.bar:
            self.scene.boxes.append(Box(x, y, share * width, height, colour))
            x += share * width

    def place(self, top: float) -> None:
        """Add everything to the scene, below `top`."""
        raise NotImplementedError


class _Down(_Drawing):
    """A drawing with the root at the top."""

    box_height = 40.0

    def height_of(self, node: int) -> float:
        """Return the height of a node's box, in which every note takes a line."""
        return self.box_height + 1.3 * SMALL * len(self.content[node].notes)

    def place(self, top: float) -> None:
        """Add everything to the scene, below `top`."""
        widths = [
            max(
                text_width(c.title, LARGE, bold=True),
                *(text_width(line, SMALL) for line in (c.detail, *c.notes)),
                44.0,
            )
            + 14
            for c in self.content
        ]
        rooms = [max(w, self.edge_size(k)[0] + 6) for k, w in enumerate(widths)]
        xs = arrange(self.children, rooms, gap=12.0)
        n_levels = max(self.depth) + 1
        labels = [0.0] * n_levels  # height of the words above each level
        heights = [0.0] * n_levels
        for node, depth in enumerate(self.depth):
            labels[depth] = max(labels[depth], self.edge_size(node)[1])
            heights[depth] = max(heights[depth], self.height_of(node))
        y = top + _MARGIN
        level_y = [y]
        for depth in range(1, n_levels):
            y += heights[depth - 1] + 20 + labels[depth] + 8
            level_y.append(y)
        shift = max(0.0, (self.scene.width - max(xs)) / 2 - max(xs) / 2)
        for node in range(len(self.content)):
            x = xs[node] + _MARGIN + shift
            y = level_y[self.depth[node]]
            self._node(node, x, y, widths[node])
            for child in self.children[node]:
                end = (xs[child] + _MARGIN + shift, level_y[self.depth[child]])
                self.scene.lines.append(Line([(x, y + self.height_of(node)), end]))
                self.write_edge(
                    child, end[0], end[1] - self.edge_size(child)[1] / 2 - 5, "middle"
                )
        right = max(x + room / 2 for x, room in zip(xs, rooms, strict=True))
        self.scene.width = max(self.scene.width, right + 2 * _MARGIN + shift)
        self.scene.height = level_y[-1] + heights[-1] + _MARGIN

    def _node(self, node: int, x: float, y: float, width: float) -> None:
        content, height = self.content[node], self.height_of(node)
        left = x - width / 2
        self.node_box(node, left, y, width, radius=4)
        first = y + (10.5 if content.bar else 14.0)
        self.scene.words.append(
            Words(x, first, content.title, LARGE, content.ink, bold=True)
        )
        detail = MUTED if content.fill == "#ffffff" else content.ink
        for k, line in enumerate((content.detail, *content.notes)):
            place = first + 12.5 + 1.3 * SMALL * k
            self.scene.words.append(Words(x, place, line, SMALL, detail))
        if content.bar:
            self.bar(content, left + 7, y + height - 9, width - 14, 5)


class _Right(_Drawing):
    """A drawing with the root at the left and one line of text for each node."""

    box_height = 17.0
    bar_width = 34.0

    def place(self, top: float) -> None:
        """Add everything to the scene, below `top`."""
        widths = [self._width(content) for content in self.content]
        rooms = [
            max(self.box_height, self.edge_size(k)[1]) for k in range(len(self.content))
        ]
        ys = arrange(self.children, rooms, gap=4.0)
        n_levels = max(self.depth) + 1
        edges, boxes = [0.0] * n_levels, [0.0] * n_levels
        for node, depth in enumerate(self.depth):
            edges[depth] = max(edges[depth], self.edge_size(node)[0])
            boxes[depth] = max(boxes[depth], widths[node])
        level_x = [_MARGIN]
        for depth in range(1, n_levels):
            level_x.append(level_x[-1] + boxes[depth - 1] + 20 + edges[depth] + 12)
        top += _MARGIN
        right = 0.0
        for node in range(len(self.content)):
            x, y = level_x[self.depth[node]], ys[node] + top
            self._node(node, x, y, widths[node])
            right = max(right, x + widths[node])
            for child in self.children[node]:
                self._way(child, x + widths[node], y, level_x, ys[child] + top, edges)
        self.scene.width = max(self.scene.width, right + _MARGIN)
        bottom = max(y + room / 2 for y, room in zip(ys, rooms, strict=True))
        self.scene.height = top + bottom + _MARGIN

    def _width(self, content: NodeContent) -> float:
        words = text_width(content.title, LARGE, bold=True)
        words += text_width(self._line(content), SMALL) + 20
        return words + (self.bar_width + 8 if content.bar else 0)

    @staticmethod
    def _line(content: NodeContent) -> str:
        notes = f" ({', '.join(content.notes)})" if content.notes else ""
        return content.detail + notes

    def _way(
        self,
        child: int,
        start: float,
        y: float,
        level_x: list[float],
        child_y: float,
        edges: list[float],
    ) -> None:
        depth = self.depth[child]
        end = level_x[depth]
        words = end - 6 - edges[depth]
        elbow = words - 8
        self.scene.lines.append(
            Line([(start, y), (elbow, y), (elbow, child_y), (end, child_y)])
        )
        self.write_edge(child, words, child_y, "start")

    def _node(self, node: int, x: float, y: float, width: float) -> None:
        content = self.content[node]
        self.node_box(node, x, y - self.box_height / 2, width, radius=3)
        self.scene.words.append(
            Words(x + 6, y, content.title, LARGE, content.ink, "start", bold=True)
        )
        place = x + 6 + text_width(content.title, LARGE, bold=True) + 8
        detail = MUTED if content.fill == "#ffffff" else content.ink
        line = self._line(content)
        self.scene.words.append(Words(place, y, line, SMALL, detail, "start"))
        if content.bar:
            self.bar(content, x + width - self.bar_width - 6, y - 3, self.bar_width, 6)

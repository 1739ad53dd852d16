"""The structure graph as a picture: a box for every link, a line for every pair.

Lines are coloured by the class of the pair and carry its name and symbol; the base is hatched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...display import Drawing
from ...libraries import undisturbed
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.count import CLASS
from ...topology.graph import Graph, graph_of, spanning_tree
from ..schemes.svg_sheet import legend, picture, words

COLORS = ("#6b7280", "#1d4ed8", "#047857", "#b45309", "#7c3aed", "#0e7490", "#6b7280")
"""Line colours of classes 0 ... VI."""

LARGEST_ROUND = 40
"""Mechanisms with loops and at most so many links are drawn round."""

SPACING = 110.0
"""Least scale of the picture, in pixels."""

HEIGHT = 30.0
MIDDLE = " text-anchor='middle'"
HATCH = (
    "<defs><pattern id='hatch-{theme}' width='6' height='6' patternUnits='userSpaceOnUse' "
    "patternTransform='rotate(45)'><rect width='6' height='6' fill='#e5e7eb'/>"
    "<line x1='0' y1='0' x2='0' y2='6' stroke='#9ca3af' stroke-width='2'/></pattern></defs>"
)


def structure_graph(m: Mechanism, *, theme: str = "light") -> Drawing:
    """The structure graph of a mechanism, as the text of an SVG picture, on light or dark paper."""
    graph = graph_of(m)
    symbols = [joint.symbol for joint in m.joints]
    places = _places(graph)
    low, high = places.min(axis=0), places.max(axis=0)
    margin = np.array([max(map(_width, graph.bodies)) / 2 + 40, 50.0])
    used = sorted(set(graph.freedoms))
    margin[0] = max(margin[0], (110 * len(used) + 16 - (high - low)[0]) / 2)
    places = places - low + margin
    width, height = (high - low) + 2 * margin
    lines = list(_lines(graph, symbols, places))
    curves, labels = [curve for curve, _ in lines], [label for _, label in lines]
    classes = {f"class {CLASS[k]}": COLORS[k] for k in used}
    key = legend(classes, 16, height + 14, step=110, mark=24)
    body = [HATCH.format(theme=theme), *curves, *_boxes(graph, places, theme), *labels, *key]
    return picture(f"Structure of {m.name or 'the mechanism'}", width, height + 40, body, theme)


def _places(graph: Graph) -> Array:
    """Places of the links in pixels: loops round, trees and large mechanisms in rows."""
    if len(graph.joints) == graph.moving or len(graph.bodies) > LARGEST_ROUND:
        return _in_rows(graph)
    places = _base_down(_round(graph)) * np.array([1.25, 0.85])
    return places * min(max(_needed_scale(graph, places), SPACING), 4 * SPACING)


def _round(graph: Graph) -> Array:
    """Places without crossings where all links lie on loops and it can be done, else by springs."""
    with undisturbed():
        import networkx as nx

    net = nx.Graph(list(graph.ends))
    net.add_nodes_from(range(len(graph.bodies)))
    planar, embedding = nx.check_planarity(net)
    if planar and len(net) > 2 and nx.is_biconnected(net):
        found = _without_crossings(embedding)
    elif len(net) > 2:
        found = nx.kamada_kawai_layout(net, pos=nx.circular_layout(net))
    else:
        found = {0: np.array([0.0, 1.0]), 1: np.array([0.0, -1.0])}
    return np.array([found[b] for b in range(len(graph.bodies))])


def _in_rows(graph: Graph) -> Array:
    """The spanning tree from left to right: a row for each end, a column for each step."""
    with undisturbed():
        import networkx as nx

    tree = spanning_tree(graph)
    net = nx.DiGraph([(tree.body_before[body], body) for body in tree.order[1:]])
    net.add_node(0)
    row, ends = np.zeros(len(graph.bodies)), 0
    for body in nx.dfs_postorder_nodes(net, 0):
        if children := list(net.successors(body)):
            row[body] = np.mean(row[children])
        else:
            row[body], ends = ends, ends + 1
    step = (
        max(map(_width, graph.bodies)) + max((7.0 * len(j) for j in graph.joints), default=0) + 60
    )
    return np.column_stack([np.array(tree.depth) * step, row * 44.0])


def _needed_scale(graph: Graph, places: Array) -> float:
    """The scale at which the labels of lines fit between the boxes of their links."""
    scales = []
    for j, (a, b) in enumerate(graph.ends):
        d = places[b] - places[a]
        length = float(np.linalg.norm(d))
        boxes = (_width(graph.bodies[a]) + _width(graph.bodies[b])) / 2
        room = boxes * abs(d[0]) / max(length, 1e-9) + 8.0 * len(graph.joints[j]) + 40
        scales.append(room / max(length, 1e-9))
    return max(scales, default=1.0)


def _width(name: str) -> float:
    """Width of the box of a link."""
    return max(8.0 * len(name) + 20, 44.0)


def _without_crossings(embedding: Any) -> dict[int, Array]:
    """Places in the plane without crossings: the outer loop round, all others in the middle.

    Every inner link stands at the mean of its neighbours (Tutte 1963).
    """
    faces = {frozenset(f): f for a, b in embedding.edges if (f := embedding.traverse_face(a, b))}
    outer = max(faces.values(), key=lambda face: (len(face), 0 in face, [-b for b in sorted(face)]))
    angles = 2 * np.pi * np.arange(len(outer)) / len(outer)
    fixed = {b: np.array([np.cos(a), np.sin(a)]) for b, a in zip(outer, angles, strict=True)}
    count = len(embedding)
    A, right = np.eye(count), np.zeros((count, 2))
    for b in range(count):
        if b in fixed:
            right[b] = fixed[b]
        else:
            neighbours = list(embedding.neighbors(b))
            A[b, neighbours] -= 1 / len(neighbours)
    return dict(enumerate(np.linalg.solve(A, right)))


def _base_down(places: Array) -> Array:
    """The picture turned so that the base is at its foot (y points down)."""
    x, y = places[0] - places.mean(axis=0)
    length = float(np.hypot(x, y))
    if length < 1e-9:
        return places
    turn = np.array([[y, -x], [x, y]]) / length
    return np.asarray((places - places.mean(axis=0)) @ turn.T)


def _lines(graph: Graph, symbols: list[str], places: Array) -> Iterator[tuple[str, str]]:
    """A curve and a label for every pair; several pairs between two links fan out."""
    total = Counter(frozenset(ends) for ends in graph.ends)
    seen: Counter[frozenset[int]] = Counter()
    for j, ends in enumerate(graph.ends):
        a, b = sorted(ends)
        key = frozenset(ends)
        bend = seen[key] - (total[key] - 1) / 2
        seen[key] += 1
        p, q = places[a], places[b]
        across = np.array([p[1] - q[1], q[0] - p[0]])
        across = across / max(float(np.linalg.norm(across)), 1e-9)
        control = (p + q) / 2 + across * bend * 70
        start, end = _edge(p, q, graph.bodies[a]), _edge(q, p, graph.bodies[b])
        middle = (start + end) / 2 + across * bend * 35
        color = COLORS[graph.freedoms[j]]
        curve = (
            f"<path d='M{p[0]:.1f},{p[1]:.1f} Q{control[0]:.1f},{control[1]:.1f} "
            f"{q[0]:.1f},{q[1]:.1f}' fill='none' stroke='{color}' stroke-width='2'/>"
        )
        yield curve, _label(f"{graph.joints[j]} ({symbols[j]})", middle, color)


def _edge(p: Array, q: Array, name: str) -> Array:
    """Where the line from p to q leaves the box of the link at p."""
    d = q - p
    share = min(_width(name) / 2 / max(abs(d[0]), 1e-9), HEIGHT / 2 / max(abs(d[1]), 1e-9), 0.5)
    return np.asarray(p + share * d)


def _label(text: str, at: Array, color: str) -> str:
    wide = 7.0 * len(text) + 6
    return (
        f"<rect x='{at[0] - wide / 2:.1f}' y='{at[1] - 9:.1f}' width='{wide:.1f}' height='18' "
        "fill='white' opacity='0.85'/>"
    ) + words((at[0], at[1] + 4), text, color, 12, MIDDLE)


def _boxes(graph: Graph, places: Array, theme: str) -> Iterator[str]:
    for b, (name, (x, y)) in enumerate(zip(graph.bodies, places, strict=True)):
        wide = _width(name)
        fill = f"url(#hatch-{theme})" if b == 0 else "#eef2ff"
        yield (
            f"<rect x='{x - wide / 2:.1f}' y='{y - HEIGHT / 2:.1f}' width='{wide:.1f}' "
            f"height='{HEIGHT}' rx='6' fill='{fill}' stroke='#111827' stroke-width='1.5'/>"
        )
        yield words((x, y + 4.5), name, "#111827", 13, MIDDLE)

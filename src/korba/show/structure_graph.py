"""The structure graph as a picture: a box for every link, a line for every pair.

Lines are coloured by the class of the pair and carry its name and symbol; the base is hatched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.count import CLASS
from ..topology.graph import Graph, graph_of

COLORS = ("#6b7280", "#1d4ed8", "#047857", "#b45309", "#7c3aed", "#be123c", "#6b7280")
"""Line colours of classes 0 ... VI."""

FONT = "font-family='Helvetica, Arial, sans-serif'"
SPACING = 150.0
HEIGHT = 30.0


def structure_graph(m: Mechanism) -> str:
    """The structure graph of a mechanism, as the text of an SVG picture.

    >>> Path("graph.svg").write_text(kb.structure_graph(m))                  # doctest: +SKIP
    """
    graph = graph_of(m)
    symbols = [joint.symbol for joint in m.joints]
    places = _places(graph)
    low, high = places.min(axis=0), places.max(axis=0)
    margin = np.array([110.0, 60.0])
    places = places - low + margin
    width, height = (high - low) + 2 * margin
    used = sorted(set(graph.freedoms))
    body = [*_lines(graph, symbols, places), *_boxes(graph, places), *_legend(used, height)]
    size = f"width='{width:.0f}' height='{height + 40:.0f}'"
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'>",
            f"<title>Structure of {escape(m.name or 'the mechanism')}</title>",
            "<defs><pattern id='hatch' width='6' height='6' patternUnits='userSpaceOnUse' "
            "patternTransform='rotate(45)'><rect width='6' height='6' fill='#e5e7eb'/>"
            "<line x1='0' y1='0' x2='0' y2='6' stroke='#9ca3af' stroke-width='2'/></pattern>"
            "</defs>",
            "<rect width='100%' height='100%' fill='white'/>",
            *body,
            "</svg>",
            "",
        ]
    )


def _places(graph: Graph) -> Array:
    """Places of the links: springs between neighbours for small graphs, layers for large ones."""
    import networkx as nx

    net = nx.Graph()
    net.add_nodes_from(range(len(graph.bodies)))
    net.add_edges_from(graph.ends)
    if len(graph.bodies) == 1:
        return np.zeros((1, 2))
    if len(graph.bodies) <= 60:
        start = nx.circular_layout(net)
        found = nx.kamada_kawai_layout(net, pos=start)
    else:
        layers = nx.single_source_shortest_path_length(net, 0)
        nx.set_node_attributes(net, layers, "layer")
        found = nx.multipartite_layout(net, subset_key="layer")
    places = np.array([found[b] for b in range(len(graph.bodies))])
    steps = [float(np.linalg.norm(places[a] - places[b])) for a, b in graph.ends]
    near = float(np.median(steps)) if steps else 1.0
    places = places * (SPACING / max(near, 1e-9)) * np.array([1.25, 0.85])
    if places[0, 1] < places[:, 1].mean():
        places[:, 1] *= -1.0
    return places


def _lines(graph: Graph, symbols: list[str], places: Array) -> Iterator[str]:
    """A curve for every pair; several pairs between two links fan out."""
    total = Counter(frozenset(ends) for ends in graph.ends)
    seen: Counter[frozenset[int]] = Counter()
    for j, (a, b) in enumerate(graph.ends):
        key = frozenset((a, b))
        bend = seen[key] - (total[key] - 1) / 2
        seen[key] += 1
        p, q = places[min(a, b)], places[max(a, b)]
        across = np.array([p[1] - q[1], q[0] - p[0]])
        across = across / max(float(np.linalg.norm(across)), 1e-9)
        control = (p + q) / 2 + across * bend * 70
        middle = (p + q) / 4 + control / 2
        color = COLORS[graph.freedoms[j]]
        yield (
            f"<path d='M{p[0]:.1f},{p[1]:.1f} Q{control[0]:.1f},{control[1]:.1f} "
            f"{q[0]:.1f},{q[1]:.1f}' fill='none' stroke='{color}' stroke-width='2'/>"
        )
        yield _label(f"{graph.joints[j]} ({symbols[j]})", middle, color)


def _label(text: str, at: Array, color: str) -> str:
    wide = 7.0 * len(text) + 6
    return (
        f"<rect x='{at[0] - wide / 2:.1f}' y='{at[1] - 9:.1f}' width='{wide:.1f}' height='18' "
        f"fill='white' opacity='0.85'/><text x='{at[0]:.1f}' y='{at[1] + 4:.1f}' {FONT} "
        f"font-size='12' text-anchor='middle' fill='{color}'>{escape(text)}</text>"
    )


def _boxes(graph: Graph, places: Array) -> Iterator[str]:
    for b, name in enumerate(graph.bodies):
        x, y = places[b]
        wide = max(8.0 * len(name) + 20, 44.0)
        fill = "url(#hatch)" if b == 0 else "#eef2ff"
        yield (
            f"<rect x='{x - wide / 2:.1f}' y='{y - HEIGHT / 2:.1f}' width='{wide:.1f}' "
            f"height='{HEIGHT}' rx='6' fill='{fill}' stroke='#111827' stroke-width='1.5'/>"
            f"<text x='{x:.1f}' y='{y + 4.5:.1f}' {FONT} font-size='13' text-anchor='middle' "
            f"fill='#111827'>{escape(name)}</text>"
        )


def _legend(classes: list[int], top: float) -> Iterator[str]:
    for i, k in enumerate(classes):
        x = 16 + 110 * i
        yield (
            f"<line x1='{x}' y1='{top + 14:.0f}' x2='{x + 24}' y2='{top + 14:.0f}' "
            f"stroke='{COLORS[k]}' stroke-width='3'/><text x='{x + 30}' y='{top + 18:.0f}' {FONT} "
            f"font-size='12' fill='#374151'>class {CLASS[k]}</text>"
        )

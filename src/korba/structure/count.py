"""Theoretical mobility: what the counts of links and pairs say, before any dimension.

    W_T = s k - sum (s - i) p_i            (1.1)-(1.4)   s = 3 plane, 6 space, or chosen
    l_k = sum p_i - k + 1                  (1.5)         loops with the outer one
    W^K = sum i p_i - s                    (1.9)         of one loop
    W^(K1 K2) = W^K1 + W^K2 - sum i p_i    (1.12)        of two that share pairs

Every coupling p = F(q) takes one more freedom. Source: Gronowicz (2003), section 1.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from ..display import Displayed, columns
from ..door import public
from ..model.mechanism import Mechanism
from ..topology.graph import Graph, Loop, graph_of, independent_loops, joints_of

UNIONS_UP_TO = 8
"""Largest number of loops of one part whose unions are all listed (2^8 of them)."""

MOST_ROWS = 20
"""Loops and unions that are printed; all of them are in the data."""

CLASS = ("0", "I", "II", "III", "IV", "V", "VI")
"""Classes of pairs in Roman numbers: the count of freedoms that the pair leaves."""


@dataclass(frozen=True)
class LoopMobility(Displayed):
    """A loop or a union of loops, and its theoretical mobility."""

    name: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    mobility: int
    walk: str
    """The loop as the book writes it: `0-P1-1-P3-2-P2`."""


def theoretical_mobility(graph: Graph, size: int, couplings: int = 0) -> int:
    """W_T by (1.4), less one for each coupling."""
    return size * graph.moving - sum(size - f for f in graph.freedoms) - couplings


def count_rows(
    space: int, links: int, classes: dict[int, int], couplings: int, theoretical: int
) -> list[tuple[str, str, str]]:
    """The count line by line: what, its value, the equation of the book."""
    terms = "".join(f" - {space - i}*{p}" for i, p in classes.items())
    terms += f" - {couplings}" if couplings else ""
    equation = {3: "(1.1)", 6: "(1.2)"}.get(space, "(1.4)")
    rows = [("moving links", f"k    = {links}", "")]
    rows += [(f"pairs of class {CLASS[i]}", f"p{i}   = {p}", "") for i, p in classes.items()]
    if couplings:
        rows.append(("couplings p = F(q)", f"     {couplings}", ""))
    result = f"W_T  = {space}*{links}{terms} = {theoretical}"
    return [*rows, ("theoretical mobility", result, equation)]


def loop_lines(loops: Sequence[LoopMobility], unions: Sequence[LoopMobility]) -> list[str]:
    """The loops, and the unions that do not move by counting, as a table under a blank line."""
    if not loops:
        return ["", "No loops: an open chain or tree."]
    rows = [("loop", "W", "links and classes of pairs")]
    rows += [(k.name, str(k.mobility), k.walk) for k in loops[:MOST_ROWS]]
    stiff = [k for k in unions if k.mobility <= 0]
    rows += [(k.name, str(k.mobility), f"links {', '.join(k.bodies)}") for k in stiff[:MOST_ROWS]]
    notes = []
    if (hidden := len(loops) + len(stiff) - (len(rows) - 1)) > 0:
        notes.append(f"  ... and {hidden} more")
    if len(loops) > UNIONS_UP_TO:
        notes.append(f"  (unions are listed for up to {UNIONS_UP_TO} loops)")
    elif moving := len(unions) - len(stiff):
        notes.append(f"  ({moving} union{'s' * (moving > 1)} of loops with W > 0)")
    count = f"{len(loops)} independent, l_k = {len(loops) + 1} with the outer one (1.5)"
    return ["", f"Loops: {count}", *columns(rows), *notes]


def loop_table(graph: Graph, size: int) -> tuple[LoopMobility, ...]:
    """The independent loops with their mobility (1.9)."""
    return tuple(
        LoopMobility(
            f"K{n}",
            graph.body_names(loop.bodies),
            graph.joint_names(loop.joints),
            union_mobility(graph, size, [loop]),
            _walk(graph, loop),
        )
        for n, loop in enumerate(independent_loops(graph), start=1)
    )


@public
def loops(m: Mechanism) -> tuple[LoopMobility, ...]:
    """The independent loops of a mechanism with their theoretical mobility (1.9)."""
    return loop_table(graph_of(m), 3 if m.plane else 6)


def union_mobility(graph: Graph, size: int, loops: Sequence[Loop]) -> int:
    """Mobility of a union of independent loops, each pair counted once: (1.12) repeated."""
    return sum(graph.freedoms[j] for j in joints_of(loops)) - size * len(loops)


def _walk(graph: Graph, loop: Loop) -> str:
    """`0-P1-1-P3-2-P2`: bodies by name and pairs by class."""
    steps = zip(loop.bodies, loop.joints, strict=True)
    return "-".join(f"{graph.bodies[b]}-P{graph.freedoms[j]}" for b, j in steps)


def unions(graph: Graph, size: int) -> Iterator[LoopMobility]:
    """All connected unions of two or more loops, where there are at most UNIONS_UP_TO loops."""
    loops = independent_loops(graph)
    if len(loops) > UNIONS_UP_TO:
        return
    for chosen in _connected_sets(loops):
        members = [loops[i] for i in chosen]
        inside = sorted(joints_of(members))
        bodies = sorted({b for j in inside for b in graph.ends[j]})
        yield LoopMobility(
            "+".join(f"K{i + 1}" for i in chosen),
            graph.body_names(bodies),
            graph.joint_names(inside),
            union_mobility(graph, size, members),
            "",
        )


def _connected_sets(loops: Sequence[Loop]) -> Iterable[tuple[int, ...]]:
    """Sets of loops that hang together by shared pairs, smaller sets first."""
    shares = [
        {k for k, other in enumerate(loops) if set(loop.joints) & set(other.joints)}
        for loop in loops
    ]
    layer: set[tuple[int, ...]] = {(i,) for i in range(len(loops))}
    while layer:
        layer = {
            tuple(sorted((*chosen, k)))
            for chosen in layer
            for i in chosen
            for k in shares[i]
            if k not in chosen
        }
        yield from sorted(layer)


@public
def single_loops(links: int, mobility: int, size: int = 6) -> list[tuple[int, ...]]:
    """Class lists of single loops with the given count of links and theoretical mobility.

    A loop has as many pairs as links, and the classes add up to `size + mobility` (1.9); for
    mobility <= 0 these are the rigid and over-rigid loops of Figs. 1.22 and 1.23.

        >>> kb.course.single_loops(2, 0)
        [(1, 5), (2, 4), (3, 3)]
    """
    tried = combinations_with_replacement(range(1, size), links)
    return [classes for classes in tried if sum(classes) == size + mobility]


@dataclass(frozen=True)
class PlacementMatrix(Displayed):
    """The matrix MR over the links, the base first; entries are classes of pairs, 0 for none.

    Two pairs between the same links stand in one entry, which the book's matrix cannot do.
    """

    bodies: tuple[str, ...]
    entries: tuple[tuple[tuple[int, ...], ...], ...]

    def __str__(self) -> str:
        """The matrix with the links' names beside it."""
        cells = [["+".join(f"P{k}" for k in entry) or "0" for entry in row] for row in self.entries]
        width = max(len(cell) for row in cells for cell in row)
        margin = max(map(len, self.bodies))
        return "\n".join(
            f"{name:>{margin}} [ " + " ".join(f"{cell:>{width}}" for cell in row) + " ]"
            for name, row in zip(self.bodies, cells, strict=True)
        )


@public
def placement_matrix(m: Mechanism) -> PlacementMatrix:
    """The placement matrix MR: which links are joined, by pairs of which class (1.2.2).

    `kb.course.structure` goes the other way, from a matrix to what counting says of it.
    """
    return matrix_of(graph_of(m))


def matrix_of(graph: Graph) -> PlacementMatrix:
    """The placement matrix of a graph."""
    count = len(graph.bodies)
    found: list[list[list[int]]] = [[[] for _ in range(count)] for _ in range(count)]
    for (a, b), freedoms in zip(graph.ends, graph.freedoms, strict=True):
        found[a][b].append(freedoms)
        found[b][a].append(freedoms)
    return PlacementMatrix(
        graph.bodies, tuple(tuple(tuple(entry) for entry in row) for row in found)
    )

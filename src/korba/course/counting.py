"""Structure without geometry: what the counts, or the placement matrix MR, say of a mechanism.

    W_T = (6 - c_w) k - sum (6 - c_w - i) p_i         (1.3)   c_w = 3 plane, 0 space, or others
    l_k = sum p_i - k + 1,  W^K = sum i p_i - s_w     (1.5), (1.9)   with s_w = 6 - c_w

The matrix says which links are joined by pairs of which class, the base first. It defines the
structure completely, so loops, their unions (1.12) and sub-chains that cannot move follow; what
special dimensions do does not (`kb.mobility`). Source: Gronowicz (2003), sections 1.2.1 and 1.2.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..display import Displayed, columns
from ..door import public
from ..errors import StructureError
from ..structure.count import (
    LoopMobility,
    PlacementMatrix,
    count_rows,
    loop_lines,
    loop_table,
    matrix_of,
    unions,
)
from ..structure.pebbles import RigidChain, rigid_sub_chains
from ..topology.graph import Graph, spanning_tree


@dataclass(frozen=True)
class Structure(Displayed):
    """What counting says of a structure; `print` shows it as a table."""

    matrix: PlacementMatrix
    space: int
    """s_w = 6 - c_w."""
    links: int
    """Moving links k."""
    classes: dict[int, int]
    """Counts p_i by class."""
    theoretical: int
    """W_T."""
    loops: tuple[LoopMobility, ...]
    unions: tuple[LoopMobility, ...]
    rigid: tuple[RigidChain, ...]
    """Sub-chains with W <= 0."""

    @property
    def loop_count(self) -> int:
        """l_k of (1.5), with the outer loop."""
        return sum(self.classes.values()) - self.links + 1

    @property
    def complete(self) -> bool:
        """Whether no sub-chain is rigid: all links can move."""
        return not self.rigid

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, ready for JSON."""
        classes = {str(i): p for i, p in self.classes.items()}
        return asdict(self) | {"classes": classes, "complete": self.complete}

    def __str__(self) -> str:
        """The count, the loops, and what cannot move."""
        rows = count_rows(self.space, self.links, self.classes, 0, self.theoretical)
        told = [
            f"  links {', '.join(chain.bodies)} cannot move against each other: W = "
            f"{chain.mobility}"
            for chain in self.rigid
        ]
        kind = "complete mobility" if self.complete else "incomplete mobility"
        title = f"Structure of {self.links + 1} links (s_w = {self.space}): {kind}"
        return "\n".join([title, "", *columns(rows), *loop_lines(self.loops, self.unions), *told])


@public
def theoretical_mobility(k: int, pairs: Mapping[int, int], c_w: int = 3) -> int:
    """W_T of k moving links and `pairs`, {class: how many}; c_w constraints are common to all.

    c_w = 3 is the plane (1.1), 0 is space (1.2), and other numbers are allowed (1.3).

    >>> kb.course.theoretical_mobility(7, {1: 6, 3: 3}, c_w=0)
    3
    """
    size = _size(c_w)
    if k < 1:
        raise StructureError(f"k: expected one moving link or more, got {k}")
    for i, p in pairs.items():
        _check_class(i, size, "pairs")
        if isinstance(p, bool) or not isinstance(p, int) or p < 0:
            raise StructureError(f"pairs: expected how many pairs of class {i} there are, got {p}")
    return size * k - sum((size - i) * p for i, p in pairs.items())


@public
def structure(matrix: Any, c_w: int = 3, *, names: Sequence[str] | None = None) -> Structure:
    """What counting says of a placement matrix MR: mobility, loops, sub-chains that are rigid.

    Entries are classes of pairs, 1 or `"P1"`, and 0 for none; two pairs between the same links,
    which the book's matrix cannot hold, are `"P1+P2"` or (1, 2). Links are called 0, 1, 2 ...
    without `names`; the base is the first. A `kb.course.placement_matrix(m)` is taken as it is.

    >>> four_bar = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    >>> kb.course.structure(four_bar).theoretical
    1
    """
    size, graph = _size(c_w), _graph(matrix, names)
    for joint, i in zip(graph.joints, graph.freedoms, strict=True):
        _check_class(i, size, f"pair {joint}")
    left = [graph.bodies[i] for i, depth in enumerate(spanning_tree(graph).depth) if depth < 0]
    if left:
        raise StructureError(
            f"matrix: no pairs lead from the base to {', '.join(left)}; join every link"
        )
    classes = dict(sorted(Counter(graph.freedoms).items()))
    return Structure(
        matrix_of(graph),
        size,
        graph.moving,
        classes,
        theoretical_mobility(graph.moving, classes, c_w),
        loop_table(graph, size),
        tuple(unions(graph, size)),
        rigid_sub_chains(graph, size),
    )


def _size(c_w: int) -> int:
    if not 0 <= c_w <= 4:
        raise StructureError(
            f"c_w: expected how many constraints are common to all links, 0 (space) to 4, got {c_w}"
        )
    return 6 - c_w


def _check_class(i: Any, size: int, what: str) -> None:
    if isinstance(i, bool) or not isinstance(i, int) or not 0 < i < size:
        raise StructureError(
            f"{what}: expected a class from 1 to {size - 1}, the freedoms that a pair leaves of "
            f"s_w = {size}, got {i!r}"
        )


def _graph(matrix: Any, names: Sequence[str] | None) -> Graph:
    """The links as vertices and the pairs as edges, those of a symmetric matrix."""
    if isinstance(matrix, PlacementMatrix):
        names, matrix = names or matrix.bodies, matrix.entries
    rows = [[_classes(entry) for entry in row] for row in matrix]
    bodies = tuple(names or map(str, range(len(rows))))
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows) or len(bodies) != len(rows):
        raise StructureError(
            "matrix: expected as many columns as rows, two or more, and a name for each link, got "
            f"rows of {', '.join(str(len(row)) for row in rows) or 'nothing'} for "
            f"{len(bodies)} links"
        )
    ends, freedoms = [], []
    for a, row in enumerate(rows):
        for b, entry in enumerate(row):
            if sorted(entry) != sorted(rows[b][a]) or (a == b and entry):
                raise StructureError(
                    f"matrix: row {bodies[a]!r}, column {bodies[b]!r} has {_told(entry)} and row "
                    f"{bodies[b]!r}, column {bodies[a]!r} {_told(rows[b][a])}; a placement matrix "
                    "is symmetric, and no link is joined to itself"
                )
            if a < b:
                ends += [(a, b)] * len(entry)
                freedoms += entry
    counted = Counter(ends)
    seen: Counter[tuple[int, int]] = Counter()
    joints = []
    for a, b in ends:
        seen[a, b] += 1
        several = f" ({seen[a, b]})" if counted[a, b] > 1 else ""
        joints.append(f"{bodies[a]}-{bodies[b]}{several}")
    return Graph(bodies, tuple(joints), tuple(ends), tuple(freedoms))


def _classes(entry: Any) -> list[int]:
    """Classes of the pairs of an entry: 1, "P1", "P1+P2", (1, 2), 0."""
    parts = entry.split("+") if isinstance(entry, str) else entry
    try:
        parts = list(parts)
    except TypeError:  # a number
        parts = [parts]
    try:
        found = [int(str(part).strip().removeprefix("P")) for part in parts]
    except ValueError:
        raise StructureError(
            f"matrix: expected 0, a class such as 1 or 'P1', or several such as 'P1+P2', got "
            f"{entry!r}"
        ) from None
    return [i for i in found if i]


def _told(entry: Sequence[int]) -> str:
    return "+".join(f"P{i}" for i in entry) or "0"

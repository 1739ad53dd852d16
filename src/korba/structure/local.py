"""Local mobility: motion of a link, or of a few that move as one, while all others stand still.

For a link held by pairs with freedom spaces U_1, U_2, ... the local mobility is the dimension of
their intersection: the freedoms of its columns of the constraint matrix. A chain of links with two
pairs each is tested as one body as well: a strut between two balls spins about its own axis (but
without drives a strut one link of which turns alone is taken to turn for use: the steering of a
McPherson strut). A link that hangs on one other link only, such as a rotor in two bearings, moves
for use and not alone; so does what a drive moves. With drives given, links without a pair on the
base may also float while all drives are held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..display import Displayed
from ..positions.rank import rank_of
from ..spatial.rotation import Array
from ..topology.components import connected
from ..topology.graph import Graph, parts
from .finite import lasts
from .placement import Blocks, Placement

LONGEST_STRUT = 4
"""Links in a row that are tested as one body."""


@dataclass(frozen=True)
class LocalFreedom(Displayed):
    """Links that can move alone, in how many ways, and the joints that let them."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    count: int


Motion = dict[int, Array]
"""Twists of the links that move, in columns; all others stand still."""


def local_freedoms(
    place: Placement, general: Placement | None = None, *, lasting: bool = False
) -> tuple[LocalFreedom, ...]:
    """The links that have a local mobility; their counts add up to W_L.

    With constraints at a `general` position nearby, what is local in the drawing only (axes that
    happen to coincide there) does not count; where `lasting` is asked for, neither does what moves
    by an infinitesimal amount only (a cam whose roller stands at its highest point).
    """
    graph = place.graph
    known: dict[int, list[Motion]] = {}
    found: list[LocalFreedom] = []
    links = _links(graph)
    link = {body: members[0] for members in links for body in members}
    held = _held(place)
    loops_of = {j: n for n, part in enumerate(parts(graph)) if len(part) > 1 for j in part}
    candidates = (*map(tuple, links[1:]), *_struts(graph))
    groups = [(group, _as_one(place, group, link, loops_of, held)) for group in candidates]
    if general is not None:
        rows = _held(general)
        groups = [
            (group, motion)
            for group, motion in groups
            if motion and _as_one(general, group, link, loops_of, rows)
        ]
    for group, motion in (*groups, *_floating(place)):
        if lasting and not _lasting(place, motion):
            continue
        if not place.m.drives and len({link[b] for b in group}) > 1 and known.keys() & {*group}:
            continue
        touching = {id(k): k for b in group for k in known.get(b, [])}
        if fresh := _new_directions(list(touching.values()), motion, place.size):
            for b in group:
                known.setdefault(b, []).append(motion)
            edge = [j for j, ends in enumerate(graph.ends) if len({*ends} & {*group}) == 1]
            found.append(LocalFreedom(graph.body_names(group), graph.joint_names(edge), fresh))
    return tuple(found)


def _lasting(place: Placement, motion: Motion) -> bool:
    """Whether every column of a group's motion is one over a finite way."""
    bodies = range(1, len(place.X_WB))
    return bool(motion) and all(lasts(place, u) for u in _stacked(motion, bodies, place.size).T)


def _held(place: Placement) -> list[Blocks]:
    """Rows of all couplings and drives."""
    couplings = place.rows[len(place.graph.joints) :]
    return [row for _, row in (*couplings, *place.drive_rows(place.m.drives))]


def _links(graph: Graph) -> list[list[int]]:
    """Every body with those that fixed joints weld it to, the base and its own first."""
    welds = (ends for ends, f in zip(graph.ends, graph.freedoms, strict=True) if f == 0)
    return connected(range(len(graph.bodies)), welds)


def _struts(graph: Graph) -> Iterator[tuple[int, ...]]:
    """Rows of two or more links with two pairs each."""
    binary = {b for b in range(1, len(graph.bodies)) if len(graph.incident[b]) == 2}
    seen: set[frozenset[int]] = set()
    for start in sorted(binary):
        layer: list[tuple[int, ...]] = [(start,)]
        for _ in range(LONGEST_STRUT - 1):
            layer = [
                (*row, other)
                for row in layer
                for j in graph.incident[row[-1]]
                if (other := graph.other(j, row[-1])) in binary and other not in row
            ]
            for row in layer:
                if frozenset(row) not in seen:
                    seen.add(frozenset(row))
                    yield row


def _as_one(
    place: Placement,
    group: tuple[int, ...],
    link: dict[int, int],
    loops_of: dict[int, int],
    held: list[Blocks],
) -> Motion:
    """Twists of a group moving as one body that all pairs on its edge and the rows `held` allow.

    Only what a loop holds on two sides can be idle: the links of an open chain move for use.

    Pairs to one other link only do not count: the turning of a rotor in two bearings is its use.
    What a drive moves is of use as well; `held` are the rows of all couplings and drives.
    """
    graph = place.graph
    inside = set(group)
    edge = [j for b in group for j in graph.incident[b] if len(set(graph.ends[j]) & inside) == 1]
    held_by = {link[b] for j in edge for b in graph.ends[j]} - {link[b] for b in group}
    looped = Counter(loops_of[j] for j in edge if j in loops_of)
    if len(held_by) < 2 or max(looped.values(), default=0) < 2:
        return {}
    lead = group[0]
    on_edge = [(j, b) for j in edge for b in graph.ends[j] if b in inside]
    rows = [place.relative(j, place.blocked[j].T)[b] @ place.carried(lead, b) for j, b in on_edge]
    rows += [
        np.sum([blocks[b] @ place.carried(lead, b) for b in moving], axis=0)
        for blocks in held
        if (moving := inside & blocks.keys())
    ]
    allowed = rank_of(np.concatenate(rows)).null
    return {body: place.carried(lead, body) @ allowed for body in group} if allowed.size else {}


def _new_directions(known: list[Motion], motion: Motion, size: int) -> int:
    """How many columns of `motion` are independent of the known ones."""
    if not motion:
        return 0
    bodies = sorted({b for m in (*known, motion) for b in m})
    columns = [_stacked(m, bodies, size) for m in (*known, motion)]
    before = rank_of(np.column_stack(columns[:-1])).rank if known else 0
    return rank_of(np.column_stack(columns)).rank - before


def _stacked(motion: Motion, bodies: Iterable[int], size: int) -> Array:
    count = next(iter(motion.values())).shape[1]
    return np.concatenate([motion.get(b, np.zeros((size, count))) for b in bodies])


def _floating(place: Placement) -> Iterator[tuple[tuple[int, ...], Motion]]:
    """What links without a pair on the base still do when all others and all drives are held."""
    graph = place.graph
    on_base = {b for ends in graph.ends if 0 in ends for b in ends}
    free = [b for b in range(1, len(graph.bodies)) if b not in on_base]
    if not free or not place.m.drives:
        return
    A = place.matrix([*place.rows, *place.drive_rows(place.m.drives)])
    columns = [(b - 1) * place.size + i for b in free for i in range(place.size)]
    allowed = rank_of(A[:, columns]).null.reshape(len(free), place.size, -1)
    motion = {
        b: block
        for b, block in zip(free, allowed, strict=True)
        if np.abs(block).max(initial=0.0) > 1e-9
    }
    if motion:
        yield tuple(motion), motion

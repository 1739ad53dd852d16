"""The verb `mobility`: in how many ways it moves, and why that is not what the count says.

    W_R = W_T - W_L + W_B                                                            (1.14)

W_T theoretical, W_L local, W_B passive constraints, W_R the mobility that is left for use. W_T
comes from counting, W_L and W_B from the rank of the screw system at the drawing and near it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import StructureError
from ..kinematics.constraints import Constraints, constraints_at, drive_rows, largest
from ..kinematics.placement import drawn_placement
from ..model.mechanism import Mechanism
from ..topology.graph import Graph
from ..topology.loops import Loop, independent_loops
from .count import class_counts, loop_table, theoretical_mobility, unions
from .edits import edits_against_passive
from .finite import Finite, finite_mobility
from .local import LocalFreedom, local_freedoms
from .pebbles import rigid_sub_chains
from .rank import DENSE_UP_TO, Rank, rank_of
from .report import Mobility, Reason, RigidChain
from .space import MotionSpace, loop_spaces, motion_space

SPACES = {"planar": 3, "spherical": 3, "spatial": 6}
SPATIAL = tuple(range(6))
"""Components of a twist when a planar mechanism is counted as spatial."""

NEARLY_SPECIAL = 1e-4


def mobility(m: Mechanism, space: str | int | None = None) -> Mobility:
    """What can move: theoretical, local and actual mobility, passive constraints, loops, reasons.

    `space` is the space of motion of the count: "planar", "spherical" (3), "spatial" (6), a number
    s = 6 - c_w, or "detect" for the smallest space that the joints' screws span. Without it a
    planar mechanism counts with 3 and a spatial one with 6; the actual mobility is the same.

    Drives tell motion for use from local mobility: what a drive moves is not local.

        >>> print(kb.mobility(m))                                                # doctest: +SKIP
    """
    c = constraints_at(drawn_placement(m))
    graph = c.place.graph
    common = motion_space(c.place, range(len(graph.joints)))
    size = _size(m, space, common)
    if m.plane and size == 6:
        c = Constraints(c.place, SPATIAL)
    rank = rank_of(c.matrix())
    narrow = loop_spaces(c.place, max(c.size, size))
    finite = finite_mobility(c, rank, sum(max(c.size - space.size, 0) for _, space in narrow))
    settled = Constraints(finite.place, c.components) if finite.sampled else c
    locals_ = local_freedoms(settled)
    local = sum(freedom.count for freedom in locals_)
    theoretical = theoretical_mobility(graph, size, len(m.couplings))
    actual = finite.mobility - local
    undriven = _undriven(settled, local)
    rigid = _rigid(graph, size)
    loops = loop_table(graph, size)
    return Mobility(
        mechanism=m.name,
        space=size,
        motion=common.name,
        motion_size=common.size,
        links=graph.moving,
        classes=class_counts(graph),
        couplings=len(m.couplings),
        theoretical=theoretical,
        actual=actual,
        local=local,
        passive=max(finite.mobility - theoretical, 0),
        blocked=max(theoretical - finite.mobility, 0),
        instantaneous=rank.null.shape[1] - local,
        loop_count=len(loops) + 1 if loops else 0,
        loops=loops,
        unions=tuple(unions(graph, size)),
        rigid=rigid,
        complete=not rigid,
        locals=locals_,
        drives=sum(drive.count for drive in m.drives),
        undriven=undriven,
        reasons=(
            *(_local_reason(c, freedom) for freedom in locals_),
            *_position_reasons(c, rank, finite),
            *_blocked_reasons(theoretical - finite.mobility),
            *_drive_reasons(m, undriven, actual),
            *_passive_reasons(c, size, rank, finite.mobility - theoretical, narrow),
            *map(_rigid_reason, rigid),
        ),
    )


def _size(m: Mechanism, space: str | int | None, common: MotionSpace) -> int:
    if space is None:
        return 3 if m.plane else 6
    if space == "detect":
        return common.size
    size = SPACES.get(space) if isinstance(space, str) else space
    if size is None or isinstance(size, bool) or not 1 <= size <= 6:
        known = ", ".join([*map(repr, SPACES), "'detect'"])
        raise StructureError(f"space: expected {known} or a number from 1 to 6, got {space!r}")
    if m.plane and size == 6 and (flat := [j.name for j in m.joints if not j.spatial]):
        raise StructureError(
            f"space: joints {', '.join(flat)} exist in the plane only, so the mechanism cannot be "
            "counted as spatial; use the gear contacts, point-on-line or point-on-plane of space"
        )
    return size


def _rigid(graph: Graph, size: int) -> tuple[RigidChain, ...]:
    return tuple(
        RigidChain(
            tuple(graph.bodies[b] for b in chain.bodies),
            tuple(graph.joints[j] for j in chain.joints),
            chain.mobility,
        )
        for chain in rigid_sub_chains(graph, size)
    )


def _undriven(c: Constraints, local: int) -> int:
    """Freedoms, besides local ones, that are left when all drives are held."""
    held = [
        (name, {b: block / largest(row) for b, block in row.items()})
        for name, row in drive_rows(c, c.place.m.drives)
    ]
    rows = [*c.rows, *held]
    return max(rank_of(c.matrix(rows)).null.shape[1] - local, 0)


def _local_reason(c: Constraints, freedom: LocalFreedom) -> Reason:
    links = ", ".join(freedom.bodies)
    types = {name: c.place.m.joint(name).type for name in freedom.joints}
    ball = next((name for name, kind in types.items() if kind == "spherical"), None)
    edit = (
        f"to take it out, use universal instead of spherical at joint {ball!r}"
        if ball
        else "it does no harm where the link is round about it; else guide the link"
    )
    return Reason(
        "local",
        freedom.joints,
        -freedom.count,
        f"{links} can move alone in {freedom.count} way{'s' * (freedom.count > 1)} while all other "
        f"links stand still (joints {', '.join(freedom.joints)}): counted in W_T, of no use",
        (edit,),
    )


def _position_reasons(c: Constraints, rank: Rank, finite: Finite) -> Iterator[Reason]:
    """The drawing position is special, or nearly so."""
    velocities = rank.null.shape[1]
    if velocities > finite.mobility:
        yield Reason(
            "special position",
            (),
            finite.mobility - velocities,
            f"the drawing position is special: velocities have {velocities} freedoms there, but "
            f"only {finite.mobility} last beyond it (links {', '.join(_moving(c, rank))})",
            ("draw the mechanism in another position, or change a dimension if it must pass here",),
        )
    if 0 < rank.smallest < NEARLY_SPECIAL:
        yield Reason(
            "nearly special",
            (),
            0,
            f"the geometry is nearly special (smallest singular value {rank.smallest:.1e})",
            ("if equal lengths or axes that meet are meant, give the dimensions more exactly",),
        )


def _blocked_reasons(blocked: int) -> Iterator[Reason]:
    """Special dimensions may also block motion that the count allows."""
    if blocked > 0:
        yield Reason(
            "blocked",
            (),
            -blocked,
            f"special dimensions block {blocked} of the freedoms that the count allows: the links "
            "fit together in this position only",
            ("make the longest link shorter than all others of its loop together",),
        )


def _drive_reasons(m: Mechanism, undriven: int, actual: int) -> Iterator[Reason]:
    """Enough drives that do not determine the motion: a dead position of an input."""
    if m.drives and undriven and sum(drive.count for drive in m.drives) >= actual:
        names = ", ".join(drive.name for drive in m.drives)
        yield Reason(
            "dead position",
            (),
            0,
            f"the drives ({names}) do not determine the motion in the drawing position: it is a "
            "dead position of an input, or two drives prescribe the same motion",
            ("draw the mechanism in another position, or drive another joint",),
        )


def _moving(c: Constraints, rank: Rank) -> list[str]:
    speed = np.abs(rank.null).reshape(c.place.graph.moving, -1).max(axis=1, initial=0.0)
    names = c.place.graph.bodies[1:]
    return [name for name, v in zip(names, speed, strict=True) if v > 1e-6][:12]


def _passive_reasons(
    c: Constraints,
    size: int,
    rank: Rank,
    passive: int,
    narrow: list[tuple[Loop, MotionSpace]],
) -> Iterator[Reason]:
    """Passive constraints: loop by loop from its space of motion, the rest from dimensions."""
    if passive <= 0:
        return
    graph = c.place.graph
    left = passive
    numbers = {loop.joints: n for n, loop in enumerate(independent_loops(graph), start=1)}
    for loop, common in narrow:
        if common.size < size:
            n = numbers[loop.joints]
            left -= size - common.size
            names = [graph.joints[j] for j in loop.joints]
            yield Reason(
                "passive",
                tuple(names),
                size - common.size,
                f"loop K{n} ({', '.join(names)}) makes {common.name} only: "
                f"{size - common.size} of its {size} closure conditions are always met",
                tuple(map(str, edits_against_passive(c, names))) if left >= 0 else (),
            )
    if left > 0:
        names = _dependent(c, rank)
        yield Reason(
            "passive",
            tuple(names),
            left,
            f"{left} constraint{'s' * (left > 1)} repeat{'s' * (left == 1)} others because of "
            f"special dimensions (equal lengths, axes that meet): {_listed(names)}",
            tuple(map(str, edits_against_passive(c, names))),
        )


def _dependent(c: Constraints, rank: Rank) -> list[str]:
    """Joints with a part in the dependencies of the constraints; all where it is not known."""
    if rank.left is None or max(c.matrix().shape) > DENSE_UP_TO:
        return list(c.place.graph.joints)
    weight = np.abs(rank.left).max(axis=1, initial=0.0)
    names = dict.fromkeys(o for o, w in zip(c.owners, weight, strict=True) if w > 1e-6)
    return [name for name in names if name in c.place.graph.joints]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:12])
    return f"joints {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _rigid_reason(chain: RigidChain) -> Reason:
    word = "a rigid" if chain.mobility == 0 else "an over-rigid"
    return Reason(
        "rigid",
        chain.joints,
        0,
        f"links {', '.join(chain.bodies)} form {word} sub-chain by counting "
        f"(W = {chain.mobility}): they move as one body unless their dimensions are special",
        ("give one of its pairs a higher class, or take a pair out",),
    )

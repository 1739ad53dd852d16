"""The verb `mobility`: in how many ways it moves, and why that is not what the count says.

    W_R = W_T - W_L + W_B                                                            (1.14)

W_T theoretical, W_L local, W_B passive constraints, W_R the mobility that is left for use. W_T
comes from counting, W_L and W_B from the rank of the screw system at the drawing and near it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..system.system import SPACE
from .count import class_counts, loop_table, theoretical_mobility, unions
from .finite import Finite, finite_mobility, general_place
from .local import LocalFreedom, local_freedoms
from .pebbles import rigid_sub_chains
from .placement import Placement, drawn_placement
from .rank import Rank, rank_of
from .reasons import (
    blocked_reasons,
    drive_reasons,
    local_reason,
    passive_reasons,
    position_reasons,
    rigid_reason,
)
from .report import Mobility
from .space import MotionSpace, loop_spaces, motion_space

SPACES = {"planar": 3, "spherical": 3, "spatial": 6}


@np.errstate(over="ignore", invalid="ignore")  # absurd sizes are judged by rank_of
def mobility(m: Mechanism, space: str | int | None = None) -> Mobility:
    """What can move: theoretical, local and actual mobility, passive constraints, loops, reasons.

    `space` is the space of motion of the count: "planar", "spherical" (3), "spatial" (6), a number
    s = 6 - c_w, or "detect" for the smallest space that the joints' screws span. Without it a
    planar mechanism counts with 3 and a spatial one with 6; the actual mobility is the same.

    Drives tell motion for use from local mobility: what a drive moves is not local.

        >>> print(kb.mobility(m))                                                # doctest: +SKIP
    """
    place = drawn_placement(m)
    graph = place.graph
    common = motion_space(place, range(len(graph.joints)))
    size = _size(m, space, common)
    if m.plane and size == 6:
        place = replace(place, space=SPACE)
    rank = rank_of(place.matrix())
    narrow = loop_spaces(place, max(place.size, size))
    finite = finite_mobility(
        place, rank, sum(max(place.size - space.size, 0) for _, space in narrow)
    )
    settled, locals_ = _settled(place, rank, finite)
    local = sum(freedom.count for freedom in locals_)
    theoretical = theoretical_mobility(graph, size, len(m.couplings))
    lasting = max(finite.mobility, local)
    actual = lasting - local
    undriven = _undriven(settled, local)
    rigid = rigid_sub_chains(graph, size)
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
        passive=max(lasting - theoretical, 0),
        blocked=max(theoretical - lasting, 0),
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
            *(local_reason(place, freedom) for freedom in locals_),
            *position_reasons(place, rank, finite),
            *blocked_reasons(theoretical - lasting),
            *drive_reasons(m, undriven, actual),
            *passive_reasons(place, size, rank, lasting - theoretical, narrow),
            *(rigid_reason(chain, theoretical, actual) for chain in rigid),
        ),
    )


def _settled(
    place: Placement, rank: Rank, finite: Finite
) -> tuple[Placement, tuple[LocalFreedom, ...]]:
    """A general position, and the freedoms that are local there.

    Axes that coincide in the drawing only make no local freedom.
    """
    if finite.sampled:
        return finite.place, local_freedoms(finite.place)
    found = local_freedoms(place)
    if not found:
        return place, found
    return place, local_freedoms(place, general_place(place, rank))


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


def _undriven(place: Placement, local: int) -> int:
    """Freedoms, besides local ones, that are left when all drives are held."""
    rows = [*place.rows, *place.drive_rows(place.m.drives)]
    return max(rank_of(place.matrix(rows)).null.shape[1] - local, 0)

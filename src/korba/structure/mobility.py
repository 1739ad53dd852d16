"""The verb `mobility`: in how many ways it moves, and why that is not what the count says.

    W_R = W_T - W_L + W_B                                                            (1.14)

W_T theoretical, W_L local, W_B passive constraints, W_R the mobility that is left for use. W_T
comes from counting, W_L and W_B from the rank of the screw system at the drawing and near it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..display import Displayed, columns
from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..positions.rank import Rank
from ..system.store import kept
from ..system.system import SPACE, slipping
from .count import (
    LoopMobility,
    count_rows,
    loop_lines,
    loop_table,
    theoretical_mobility,
    unions,
)
from .finite import Finite, finite_mobility, general_place
from .local import LocalFreedom, local_freedoms
from .pebbles import RigidChain, rigid_sub_chains
from .placement import Placement, drawn_placement
from .reasons import (
    Reason,
    blocked_reasons,
    drive_reasons,
    local_reason,
    passive_reasons,
    position_reasons,
    rigid_reason,
    rolling_reasons,
)
from .space import MotionSpace, loop_spaces, motion_space

SPACES = {"planar": 3, "spherical": 3, "spatial": 6}


@dataclass(frozen=True)
class Mobility(Displayed):
    """The answer of `mobility`; `print` shows it as a table."""

    mechanism: str
    space: int
    """Space of motion s = 6 - c_w of the count."""
    motion: str
    """What the joints' screws can generate together."""
    motion_size: int
    links: int
    classes: dict[int, int]
    couplings: int
    theoretical: int
    """W_T."""
    actual: int
    """W_R, over finite motions."""
    local: int
    """W_L."""
    passive: int
    """W_B."""
    blocked: int
    """Freedoms of the count that special dimensions block."""
    instantaneous: int
    """Mobility of the velocities at the drawing position, without local freedoms."""
    loop_count: int
    """l_k of (1.5), with the outer loop."""
    loops: tuple[LoopMobility, ...]
    unions: tuple[LoopMobility, ...]
    rigid: tuple[RigidChain, ...]
    complete: bool
    """Whether no sub-chain is rigid by counting."""
    locals: tuple[LocalFreedom, ...]
    drives: int
    undriven: int
    """Freedoms of velocity that no drive moves."""
    velocities: int
    """Freedoms of velocity at the drawing: fewer than W_R where pairs roll."""
    reasons: tuple[Reason, ...]

    @property
    def edits(self) -> tuple[str, ...]:
        """All proposed edits."""
        return tuple(dict.fromkeys(edit for reason in self.reasons for edit in reason.edits))

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, ready for JSON."""
        table = asdict(self)
        table["classes"] = {str(k): v for k, v in self.classes.items()}
        return table | {"edits": list(self.edits)}

    def __str__(self) -> str:
        """The table a student can follow."""
        space = {3: "plane, s = 3", 6: "space, s = 6"}.get(self.space, f"s = {self.space}")
        heading = f"Mobility of {self.mechanism or 'the mechanism'!r} ({space})"
        table = columns(self.rows)
        return "\n".join(
            [heading, "", *table, *loop_lines(self.loops, self.unions), *self._reasons()]
        )

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The count and the balance, line by line: what, its value, the equation of the book."""
        count = self.space, self.links, self.classes, self.couplings, self.theoretical
        return [*count_rows(*count), *self._balance()]

    def _balance(self) -> list[tuple[str, str, str]]:
        rows = [
            ("local mobility", f"W_L  = {self.local}", "(1.13)"),
            ("passive constraints", f"W_B  = {self.passive}", "(1.14)"),
            (
                "actual mobility",
                f"W_R  = {self.theoretical} - {self.local} + {self.passive}"
                + (f" - {self.blocked}" if self.blocked else "")
                + f" = {self.actual}",
                "(1.14)",
            ),
        ]
        if self.blocked:
            rows.insert(2, ("blocked by dimensions", f"       {self.blocked}", ""))
        if self.instantaneous != self.actual:
            rows.append(("at the drawing position only", f"       {self.instantaneous}", ""))
        if bound := self.actual - self.velocities:
            text = f"W_V  = {self.actual} - {bound} = {self.velocities}"
            rows.append(("freedoms of velocity, as pairs roll", text, ""))
        if self.motion_size < self.space:
            rows.append(("space of motion", f"s    = {self.motion_size}: {self.motion}", "(1.3)"))
        if self.drives:
            left = f", {self.undriven} freedom{'s' * (self.undriven > 1)} left"
            left = left if self.undriven else ""
            rows.append(("drives", f"       {self.drives}{left}", ""))
        return rows

    def _reasons(self) -> list[str]:
        if not self.reasons:
            return ["", "The count and the geometry agree."]
        lines = ["", "Why"]
        for reason in self.reasons:
            lines.append(f"  - {reason.text}.")
            lines += [f"      edit: {edit}." for edit in reason.edits]
        return lines


@public
def mobility(m: Mechanism, space: str | int | None = None) -> Mobility:
    """What can move: theoretical, local and actual mobility, passive constraints, loops, reasons.

    `space` is the space of motion of the count: "planar", "spherical" (3), "spatial" (6), a number
    s = 6 - c_w, or "detect" for the smallest space that the joints' screws span. Without it a
    planar mechanism counts with 3 and a spatial one with 6; the actual mobility is the same.
    Drives tell motion for use from local mobility: what a drive moves is not local.

    Where pairs roll, W_R are the freedoms of its places, those of the pairs that slip; of velocity
    it has fewer, `velocities`, and `undriven` is how many of these no drive moves.

        >>> kb.mobility(m).actual
        1
    """
    return kept(m, ("mobility", type(space), space), lambda: _counted(m, space))


@np.errstate(all="ignore")  # absurd sizes are judged by rank_of
def _counted(m: Mechanism, space: str | int | None) -> Mobility:
    place = drawn_placement(slipping(m))
    graph = place.graph
    common = motion_space(place, range(len(graph.joints)))
    size = _size(m, space, common)
    if m.plane and size == 6:
        place = replace(place, space=SPACE)
    rank = place.rank
    narrow = loop_spaces(place, max(place.size, size))
    implied = sum(max(place.size - space.size, 0) for _, space in narrow)
    finite = finite_mobility(place, rank, implied)
    settled, locals_ = _settled(place, rank, finite)
    if rolling := [joint.name for joint in m.joints if joint.rolls]:
        settled = drawn_placement(m)
        locals_ = local_freedoms(settled)
    local = sum(freedom.count for freedom in locals_)
    theoretical = theoretical_mobility(graph, size, len(m.couplings))
    lasting = max(finite.mobility, local)
    actual = lasting - local
    undriven = _undriven(settled, local)
    left = settled.rank.null.shape[1] - local if rolling else actual
    rigid = rigid_sub_chains(graph, size)
    loops = loop_table(graph, size)
    return Mobility(
        mechanism=m.name,
        space=size,
        motion=common.name,
        motion_size=common.size,
        links=graph.moving,
        classes=dict(sorted(Counter(graph.freedoms).items())),
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
        velocities=left,
        reasons=(
            *rolling_reasons(rolling, left - actual),
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
    found = local_freedoms(finite.place)
    if finite.sampled:
        if sum(freedom.count for freedom in found) > finite.mobility:
            found = local_freedoms(finite.place, lasting=True)
        return finite.place, found
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
    return max(place.rank_of(rows).null.shape[1] - local, 0)

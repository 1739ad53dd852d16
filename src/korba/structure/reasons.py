"""Why the actual mobility is not the theoretical one, in sentences, and what could be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..display import Displayed
from ..model.mechanism import Mechanism
from ..topology.graph import Loop, independent_loops
from .edits import proposed_edits
from .finite import Finite
from .local import LocalFreedom
from .pebbles import RigidChain
from .placement import Placement
from .rank import DENSE_UP_TO, Rank
from .space import MotionSpace

NEARLY_SPECIAL = 1e-4
"""Singular values below this share of the largest are told of."""

MOST_LOOPS = 10
"""Edits are proposed for so many loops; the others are alike."""

LARGEST_SEARCH = 25
"""Mechanisms with more moving bodies get edits for single loops only."""


@dataclass(frozen=True)
class Reason(Displayed):
    """Why the actual mobility differs from the theoretical one, and what could be done."""

    kind: str
    joints: tuple[str, ...]
    change: int
    text: str
    edits: tuple[str, ...] = ()


def local_reason(place: Placement, freedom: LocalFreedom) -> Reason:
    """Links that move alone."""
    joints = [place.m.joint(name) for name in freedom.joints]
    ball = next((joint for joint in joints if joint.role == "ball"), None)
    edit = (
        f"to take it out, use universal instead of {ball.type} at joint {ball.name!r}, with no "
        "axis along the line about which it spins"
        if ball
        else "it does no harm where the link is round about it; else guide the link"
    )
    return Reason(
        "local",
        freedom.joints,
        -freedom.count,
        f"{shortened(freedom.bodies)} can move alone in {counted(freedom.count, 'way')} while all "
        f"other links stand still (joints {shortened(freedom.joints)}): counted in W_T, of no use",
        (edit,),
    )


def position_reasons(place: Placement, rank: Rank, finite: Finite) -> Iterator[Reason]:
    """The drawing position is special, or nearly so."""
    velocities = rank.null.shape[1]
    if velocities > finite.mobility:
        yield Reason(
            "special position",
            (),
            finite.mobility - velocities,
            f"the drawing position is special: velocities have {counted(velocities, 'freedom')} "
            f"there, but only {finite.mobility} last beyond it "
            f"(links {shortened(_moving(place, rank))})",
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


def _moving(place: Placement, rank: Rank) -> list[str]:
    speed = np.abs(rank.null).reshape(place.graph.moving, -1).max(axis=1, initial=0.0)
    names = place.graph.bodies[1:]
    return [name for name, v in zip(names, speed, strict=True) if v > 1e-6]


def blocked_reasons(blocked: int) -> Iterator[Reason]:
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


def drive_reasons(m: Mechanism, undriven: int, actual: int) -> Iterator[Reason]:
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


def passive_reasons(
    place: Placement,
    size: int,
    rank: Rank,
    passive: int,
    narrow: list[tuple[Loop, MotionSpace]],
) -> Iterator[Reason]:
    """Passive constraints: loop by loop from its space of motion, the rest from dimensions."""
    if passive <= 0:
        return
    graph, left = place.graph, passive
    loops = independent_loops(graph)
    numbers = {loop.joints: n for n, loop in enumerate(loops, start=1)}
    uses = Counter(j for loop in loops for j in loop.joints)
    for count, (loop, common) in enumerate(narrow):
        met = size - common.size
        if met > 0:
            left -= met
            names = graph.joint_names(loop.joints)
            own = [j for j in loop.joints if uses[j] == 1] if count < MOST_LOOPS else []
            yield Reason(
                "passive",
                names,
                met,
                f"loop K{numbers[loop.joints]} ({shortened(names)}) makes {common.name} only: "
                f"{met} of its {counted(size, 'closure condition')} "
                f"{'is' if met == 1 else 'are'} always met",
                proposed_edits(place, own, loop.joints) if own else (),
            )
    if left > 0:
        yield _special_dimensions(place, rank, left)


def _special_dimensions(place: Placement, rank: Rank, left: int) -> Reason:
    names = _dependent(place, rank)
    joints = [j for j, name in enumerate(place.graph.joints) if name in names]
    couplings = [coupling.name for coupling in place.m.couplings if coupling.name in names]
    edits: tuple[str, ...] = tuple(f"leave out coupling {name!r}" for name in couplings)
    if not edits and place.graph.moving <= LARGEST_SEARCH:
        edits = proposed_edits(place, joints, range(len(place.graph.joints)))
    return Reason(
        "passive",
        tuple(names),
        left,
        f"{counted(left, 'constraint')} repeat{'s' * (left == 1)} others because of special "
        "dimensions or directions (equal lengths, parallel axes, axes that meet): "
        f"{'couplings and joints' if couplings else 'joints'} {shortened(names)}",
        edits,
    )


def _dependent(place: Placement, rank: Rank) -> list[str]:
    """What has a part in the dependencies of the constraints; all joints where it is not known."""
    if rank.left is None or max(place.matrix().shape) > DENSE_UP_TO:
        return list(place.graph.joints)
    weight = np.abs(rank.left).max(axis=1, initial=0.0)
    return list(dict.fromkeys(o for o, w in zip(place.owners, weight, strict=True) if w > 1e-6))


def rigid_reason(chain: RigidChain, theoretical: int, actual: int) -> Reason:
    """A sub-chain without mobility of its own; incomplete mobility where the whole has some."""
    word = "a rigid" if chain.mobility == 0 else "an over-rigid"
    text = (
        f"links {shortened(chain.bodies)} form {word} sub-chain by counting (W = {chain.mobility})"
    )
    if theoretical > 0:
        text += ": incomplete mobility, they move as one body unless their dimensions are special"
    elif actual > 0:
        return Reason("rigid", chain.joints, 0, f"{text}; special geometry lets them move")
    edit = "give one of its pairs a higher class, or take a pair out"
    return Reason("rigid", chain.joints, 0, text, (edit,))


def shortened(names: Sequence[str]) -> str:
    """Names in a row, the first dozen of many."""
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return ", ".join(names[:12]) + more


def counted(count: int, word: str) -> str:
    """`1 way`, `2 ways`."""
    return f"{count} {word}" + ("s" if count != 1 else "")

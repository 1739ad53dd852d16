"""Why the actual mobility is not the theoretical one, in sentences, and what could be done.

A pair may be replaced by one with more freedoms if the mobility stays as it is: then every freedom
added takes out one passive constraint (section 1.2.4). Surface contacts (lower pairs) are preferred
to point contacts because they carry more load; pairs on the base are left alone as long as others
will do, driven ones always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import permutations

import numpy as np

from ..display import Displayed
from ..kinematics.rows import in_rows
from ..model.joint import Joint
from ..model.joints import JOINT_TYPES
from ..model.joints.guided import Guided
from ..model.mechanism import Mechanism
from ..positions.rank import DENSE_UP_TO, Rank, rank_of
from ..spatial.pose import in_axes
from ..spatial.rotation import Array
from ..spatial.subspace import complement, spanned
from ..topology.graph import Loop, independent_loops
from .finite import Finite
from .local import LocalFreedom
from .pebbles import RigidChain
from .placement import Placement, dense
from .space import MotionSpace

Axes = tuple[tuple[float, ...], tuple[float, ...]]

TRIES = 600
"""Ranks that are taken in search of edits, divided by the count of bodies."""


@dataclass(frozen=True)
class Edit(Displayed):
    """Replace a joint by one of another type."""

    joint: str
    old: str
    new: str
    more: int
    axes: Axes | None = None
    """Directions of `axis` and `x_axis` where they are not the old joint's."""

    def __str__(self) -> str:
        """`give joint 'B' two more freedoms: spherical instead of revolute`."""
        count = ("no", "one", "two", "three", "four", "five")[self.more]
        freedoms = "freedom" if self.more == 1 else "freedoms"
        change = f"{self.new} instead of {self.old}"
        along = ", ".join(f"{x + 0.0:.3g}" for x in self.axes[0]) if self.axes else ""
        turned = f", its axis along [{along}]" if along else ""
        return f"give joint {self.joint!r} {count} more {freedoms}: {change}{turned}"


def proposed_edits(
    place: Placement, may_change: Iterable[int], joints: Iterable[int]
) -> tuple[str, ...]:
    """Edits, as sentences, that leave the mobility alone and take out passive constraints.

    Only the constraints of `joints` (one loop, or all) are looked at; driven pairs never change. If
    the search does not take out all of them, the last sentence says how many stay.
    """
    edits, left = edits_against_passive(place, may_change, joints)
    told = tuple(map(str, edits))
    if left and edits:
        told += (f"{left} passive constraint{'s' * (left > 1)} would stay after these edits",)
    return told


def edits_against_passive(
    place: Placement, may_change: Iterable[int], joints: Iterable[int]
) -> tuple[tuple[Edit, ...], int]:
    """The edits that are found, and how many constraints stay passive after them."""
    driven = {drive.coordinate for drive in place.m.drives}
    names = place.graph.joints
    free = [j for j in may_change if names[j] not in driven]
    search = _Search(place, list(joints))
    base_last = sorted(free, key=lambda j: (0 in place.graph.ends[j], j))
    return search.best(base_last, list(place.freedom))


class _Search:
    """Depth-first over the joints and what each may become, until nothing is passive."""

    def __init__(self, place: Placement, joints: list[int]) -> None:
        self.place, self.joints = place, joints
        self.bodies = sorted({b for j in joints for b in place.graph.ends[j]})
        self.tries = TRIES // len(self.bodies)
        self.options = cache(lambda j: list(_upgrades(place, j)))
        _, self.nullity = self._passive(list(place.freedom))

    def best(self, joints: list[int], freedom: list[Array]) -> tuple[tuple[Edit, ...], int]:
        """The edits of some joints that leave the fewest passive constraints, and how many."""
        passive, _ = self._passive(freedom)
        found: tuple[Edit, ...] = ()
        left = passive
        for n, j in enumerate(joints):
            for edit, added in self.options(j) if self.tries > 0 else ():
                wider = [*freedom[:j], np.column_stack([freedom[j], added]), *freedom[j + 1 :]]
                if edit.more > passive or not self._sound(wider, passive - edit.more):
                    continue
                others, fewer = self.best(joints[n + 1 :], wider)
                if fewer < left:
                    found, left = (edit, *others), fewer
                if left == 0:
                    return found, left
        return found, left

    def _sound(self, freedom: list[Array], passive: int) -> bool:
        """Whether these freedoms leave the mobility alone and so many constraints passive."""
        self.tries -= 1
        return self.tries >= 0 and self._passive(freedom) == (passive, self.nullity)

    def _passive(self, freedom: list[Array]) -> tuple[int, int]:
        """Passive constraints and instantaneous mobility with the given freedoms.

        Over the bodies of the search only, the first of them (the base, if it is one) at rest.
        """
        place = self.place
        blocks = [place.relative(j, complement(freedom[j]).T) for j in self.joints]
        if len(self.joints) == len(place.graph.joints):
            blocks += [row for _, row in place.rows[len(self.joints) :]]
        A = dense(blocks, self.bodies[1:], place.size)
        rank = rank_of(A).rank
        return A.shape[0] - rank, A.shape[1] - rank


def _upgrades(place: Placement, j: int) -> Iterator[tuple[Edit, Array]]:
    """Edits of a joint to types that contain its freedoms, with those added; lower pairs first.

    The types are tried with the joint's own axes in every order, their own order first.
    """
    joint = place.m.joints[j]
    options: list[tuple[bool, int, Edit, Array]] = []
    for name, cls in JOINT_TYPES.items():
        if not _fits(joint, cls, place.size):
            continue
        for turn in _TURNS:
            R = place.X_WM[j].R @ turn
            added = _added(place, j, cls, R)
            if added is not None:
                axes = None if turn is _TURNS[0] else (tuple(R[:, 2]), tuple(R[:, 0]))
                edit = Edit(joint.name, joint.type, name, added.shape[1], axes)
                options.append((not cls.lower_pair, -edit.more, edit, added))
    for _, _, edit, added in sorted(options, key=lambda option: option[:2]):
        yield edit, added


_TURNS = [np.eye(3)[list(order)] for order in permutations(range(3))]


def _fits(joint: Joint, cls: type[Joint], size: int) -> bool:
    stands = cls.planar if size == 3 else cls.spatial
    count = len(cls.velocity_names)
    known = {each.name for each in fields(Guided)}
    plain = all(each.name in known for each in fields(cls))  # no sizes of its own to be given
    return stands and plain and cls.proposed and joint.nv < count < size


def _added(place: Placement, j: int, cls: type[Joint], R: Array) -> Array | None:
    """Freedoms that `cls`, with axes R, has beyond those of joint j; None if it lacks one."""
    probe = cls("probe", "a", "b")
    S = probe.motion_subspace(np.array(probe.rest))
    wide = in_rows(place, place.X_WM[j].R, in_axes(R, S))
    old = place.freedom[j]
    if spanned(np.column_stack([wide, old])).shape[1] > spanned(wide).shape[1]:
        return None
    W = complement(old)
    return spanned(W @ W.T @ wide)


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


def rolling_reasons(names: Sequence[str], bound: int) -> tuple[Reason, ...]:
    """Pairs that roll: their conditions bind velocities alone."""
    if not names:
        return ()
    text = f"what rolls ({', '.join(names)}) binds {-bound} velocities and no places"
    return (Reason("rolling", tuple(names), bound, text),)


def local_reason(place: Placement, freedom: LocalFreedom) -> Reason:
    """Links that move alone."""
    joints = [place.m.joint(name) for name in freedom.joints]
    ball = next((joint for joint in joints if joint.turns_all_ways), None)
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

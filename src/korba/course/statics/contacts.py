"""The two contacts of a prismatic guide: what each carries, and on which side.

A slider touches its guide at two places, l_o apart along it, each on one face or the other. They
carry the force F and the moment M about the middle that the joint transmits across the guide,

    N1, N2 = F / 2 -+ M / l_o         at -l_o/2 and l_o/2 along the guide                    (1)

(in space M x d for M, d being the direction). The sign of each force tells the face that carries:
a normal force can only push. Both together are one force at the distance e from the middle

    F = N1 + N2,        e = l_o/2 (N2 - N1) / (N1 + N2)                                      (2)

which lies outside the guide where the faces are different. A slider of the length l carries near
its ends, l_o = 2l/3 or 3l/4. Source: Gronowicz (2003), section 4.3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...display import Displayed, columns
from ...door import public
from ...errors import StructureError
from ...model.drawing import drawing
from ...model.rubbing import guide_forces
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from ...verbs.forces.reactions import reactions

SHARES = {"2/3": 2 / 3, "3/4": 3 / 4}
"""l_o beside the length of the slider."""
NOTHING = 1e-12
"""Part of the largest force below which a contact carries nothing."""


@dataclass(frozen=True, eq=False)
class GuideContacts(Displayed):
    """Forces of the parent on the child at the two contacts of a guide, over a motion."""

    joint: str
    length: float
    """l_o."""
    direction: Array
    """Unit vectors along the guide, (times, 3)."""
    first: Array
    """Force at -l_o/2, (times, 3), in world axes."""
    second: Array
    """Force at l_o/2."""
    normal: Array
    """The direction in which N1 and N2 count: across the guide in the plane, to its left; in space
    the first axis of the joint's frame across it."""

    @property
    def N1(self) -> Array:
        """Component along the normal of the force at -l_o/2, (times,)."""
        return np.asarray(np.sum(self.first * self.normal, axis=-1))

    @property
    def N2(self) -> Array:
        """The same at l_o/2."""
        return np.asarray(np.sum(self.second * self.normal, axis=-1))

    @property
    def offset(self) -> Array:
        """e of (2): where the one force acts, along the guide from its middle; inf for a couple."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(0.5 * self.length * (self.N2 - self.N1) / (self.N1 + self.N2))

    @property
    def sides(self) -> Array:
        """The face that carries at each contact, (times, 2): 1 pushes along the normal, -1 against
        it, 0 carries nothing.
        """
        N = np.stack([self.N1, self.N2], axis=-1)
        return np.asarray(np.where(np.abs(N) > NOTHING * np.abs(N).max(initial=0.0), np.sign(N), 0))

    def __str__(self) -> str:
        """What the contacts range over, and how often each face carries."""
        rows = [("contact", "least", "largest", "along the normal", "against it")]
        for name, N, side in zip(("N1", "N2"), (self.N1, self.N2), self.sides.T, strict=True):
            share = (f"{np.mean(side == way):.0%}" for way in (1, -1))
            rows.append((name, f"{N.min():.6g}", f"{N.max():.6g}", *share))  # type: ignore[arg-type]
        title = f"Contacts of guide {self.joint!r}, {self.length:g} m apart [N]"
        return "\n".join([title, *columns(rows)])


@public
def guide_contacts(
    motion: Trajectory,
    joint: str,
    length: float | None = None,
    friction: bool = False,
    *,
    slider: float | None = None,
    share: str | float = "2/3",
) -> GuideContacts:
    """What the two contacts of a prismatic guide carry in a motion, without friction or with it.

    `length` is the distance l_o of the contacts; or `slider` is the length l of the slider, and l_o
    the book's 2l/3, or 3l/4 with share="3/4". Without them the joint's `guide_length` is taken, and
    with friction it always is.

    >>> moved = kb.motion(kb.linkages.slider_crank("50 mm", "150 mm"), [0.0, 0.1])
    >>> kb.course.guide_contacts(moved, "slide", length=0.04).sides[0]
    array([1., 1.])
    """
    m = motion.mechanism
    guide = m.joint(joint)
    if not guide.shifts_only:
        raise StructureError(
            f"joint {joint!r} is no prismatic guide, but {guide.type}; guides here are "
            + (", ".join(j.name for j in m.joints if j.shifts_only) or "none")
        )
    if slider is not None:
        length = _part(share) * slider
    span = guide.contact_distance if length is None or friction else length
    if span is None or not span > 0:
        raise StructureError(
            f"joint {joint!r}: its two contacts need a distance; give the joint guide_length=, or "
            f"length= here (found {span!r})"
        )
    R_WM = motion.body(guide.child).rotation @ drawing(m).X_BM(guide).R
    d = R_WM[..., 2]
    normal = np.stack([-d[:, 1], d[:, 0], 0 * d[:, 0]], axis=-1) if m.plane else R_WM[..., 0]
    both = _rubbing(motion, joint) if friction else _smooth(motion, joint, d, span)
    return GuideContacts(joint, float(span), d, both[:, 0], both[:, 1], normal)


def _part(share: str | float) -> float:
    """l_o over l."""
    part = SHARES.get(share) if isinstance(share, str) else share
    if part is None or not 0 < part <= 1:
        raise StructureError(
            f'share: expected "2/3" or "3/4" as in the book, or a number up to 1, got {share!r}'
        )
    return part


def _smooth(motion: Trajectory, joint: str, d: Array, length: float) -> Array:
    """(1): both forces in world axes, (times, 2, 3)."""
    wrench = reactions(motion.mechanism, motion.q, motion.v, motion.a, t=motion.t)[joint]
    wrenches = np.concatenate([wrench.moment, wrench.force], axis=-1)
    pairs = [guide_forces(length, way, F) for way, F in zip(d, wrenches, strict=True)]
    return np.array(pairs, dtype=float).reshape(-1, 2, 3)


def _rubbing(motion: Trajectory, joint: str) -> Array:
    """The same where friction acts in all joints."""
    m = motion.mechanism
    found = reactions(m, motion.q, motion.v, motion.a, t=motion.t, friction=True).contacts
    if joint not in found:
        raise StructureError(
            f"joint {joint!r} has no friction; give it friction=kb.Friction(coefficient=...)"
        )
    return found[joint]

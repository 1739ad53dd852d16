"""Proposed edits: which pair should get more freedoms so that no constraint is passive.

A pair may be replaced by one with more freedoms if the mobility stays as it is: then every freedom
added takes out one passive constraint (section 1.2.4). Surface contacts (lower pairs) are preferred
to point contacts because they carry more load; pairs on the base and driven ones are left alone as
long as others will do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from ..kinematics.constraints import Constraints, complement
from ..model.joint import Joint
from ..model.joints import JOINT_TYPES
from ..spatial.rotation import Array
from .count import CLASS
from .rank import rank_of

Axes = tuple[tuple[float, ...], tuple[float, ...]]

LARGEST = 60
"""Mechanisms with more moving bodies get no proposals: too many to read."""


@dataclass(frozen=True)
class Edit:
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


def edits_against_passive(c: Constraints, involved: list[str]) -> tuple[Edit, ...]:
    """Edits that leave the mobility alone and take out passive constraints, all if possible.

    Lower pairs are tried first; if some constraints stay passive, pairs with the most freedoms.
    """
    if c.place.graph.moving > LARGEST:
        return ()
    joints = sorted(involved, key=lambda name: _reluctance(c, name))
    found, left = _greedy(c, joints, lower_first=True)
    if left:
        others, fewer = _greedy(c, joints, lower_first=False)
        found = others if fewer < left else found
    return found


def _greedy(
    c: Constraints, joints: list[str], *, lower_first: bool
) -> tuple[tuple[Edit, ...], int]:
    """One edit at most for each joint, in order, and how many constraints stay passive."""
    freedom = list(c.freedom)
    passive, nullity = _passive(c, freedom)
    edits: list[Edit] = []
    for joint in joints:
        j = c.place.graph.joints.index(joint)
        for new, added, axes in _upgrades(c, j, lower_first):
            wider = [*freedom[:j], np.column_stack([freedom[j], added]), *freedom[j + 1 :]]
            if passive >= added.shape[1] and _passive(c, wider) == (
                passive - added.shape[1],
                nullity,
            ):
                old = c.place.m.joints[j].type
                edits.append(Edit(joint, old, new, added.shape[1], axes))
                freedom, passive = wider, passive - added.shape[1]
                break
        if passive == 0:
            break
    return tuple(edits), passive


def _passive(c: Constraints, freedom: list[Array]) -> tuple[int, int]:
    """Passive constraints and instantaneous mobility with the given freedoms."""
    rows = [
        (joint.name, c.relative(j, complement(freedom[j]).T))
        for j, joint in enumerate(c.place.m.joints)
        if freedom[j].shape[1] < c.size
    ]
    A = c.matrix([*rows, *c.rows[len(c.place.m.joints) :]])
    rank = rank_of(A).rank
    return A.shape[0] - rank, A.shape[1] - rank


def _reluctance(c: Constraints, name: str) -> tuple[bool, bool, int]:
    """Driven pairs last, pairs on the base before them."""
    j = c.place.graph.joints.index(name)
    driven = any(name in (getattr(d, key) for key in d.joints) for d in c.place.m.drives)
    return driven, 0 in c.place.graph.ends[j], j


def _upgrades(
    c: Constraints, j: int, lower_first: bool
) -> Iterator[tuple[str, Array, Axes | None]]:
    """Types that contain the freedoms of a joint, with the freedoms they add, the most first.

    The types are tried with the joint's own axes in every order, their own order first; the axes
    are given where it is another one.
    """
    joint = c.place.m.joints[j]
    options: list[tuple[bool, int, str, Array, Axes | None]] = []
    for name, cls in JOINT_TYPES.items():
        if not _fits(joint, cls, c.size):
            continue
        for turn in _TURNS:
            R = c.place.X_WM(j).R @ turn
            added = _added(c, j, cls, R)
            if added is not None:
                axes = None if turn is _TURNS[0] else (tuple(R[:, 2]), tuple(R[:, 0]))
                later = lower_first and not cls.lower_pair
                options.append((later, -added.shape[1], name, added, axes))
    for _, _, name, added, axes in sorted(options, key=lambda option: option[:3]):
        yield name, added, axes


_TURNS = [np.eye(3)[list(order)] for order in permutations(range(3))]


def _fits(joint: Joint, cls: type[Joint], size: int) -> bool:
    place = cls.planar if size == 3 else cls.spatial
    count = len(cls.velocity_names)
    plain = not {"profile", "parent_radius", "lead"} & set(cls.__dataclass_fields__)
    return place and plain and joint.nv < count < size


def _added(c: Constraints, j: int, cls: type[Joint], R: Array) -> Array | None:
    """Freedoms that `cls`, with axes R, has beyond those of joint j; None if it lacks one."""
    probe = cls("probe", "a", "b")
    S = probe.motion_subspace(np.array(probe.rest))
    wide = np.concatenate([R @ S[:3], R @ S[3:]])[list(c.components)]
    old = c.freedom[j]
    if old.shape[1] and rank_of(np.column_stack([wide, old])).rank > np.linalg.matrix_rank(wide):
        return None
    inside = wide - old @ np.linalg.lstsq(old, wide, rcond=None)[0] if old.shape[1] else wide
    U, s, _ = np.linalg.svd(inside, full_matrices=False)
    return np.asarray(U[:, s > 1e-9])


def class_name(freedoms: int) -> str:
    """`class III`."""
    return f"class {CLASS[freedoms]}"

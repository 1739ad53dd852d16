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

TRIES = 600
"""Ranks that are taken in search of edits, divided by the count of moving bodies."""


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
    """Edits that leave the mobility alone and take out passive constraints, all if possible."""
    if c.place.graph.moving > LARGEST:
        return ()
    names = sorted(involved, key=lambda name: _reluctance(c, name))
    joints = [c.place.graph.joints.index(name) for name in names]
    return _Search(c, TRIES // c.place.graph.moving).best(joints, list(c.freedom))[0]


class _Search:
    """Depth-first over the joints and what each may become, until nothing is passive."""

    def __init__(self, c: Constraints, tries: int) -> None:
        self.c, self.tries = c, tries
        self.options: dict[int, list[tuple[Edit, Array]]] = {}
        _, self.nullity = _passive(c, list(c.freedom))

    def best(self, joints: list[int], freedom: list[Array]) -> tuple[tuple[Edit, ...], int]:
        """The edits of some joints that leave the fewest passive constraints, and how many."""
        passive, _ = _passive(self.c, freedom)
        found: tuple[Edit, ...] = ()
        left = passive
        for n, j in enumerate(joints):
            for edit, added in self._options(j) if self.tries > 0 else ():
                wider = [*freedom[:j], np.column_stack([freedom[j], added]), *freedom[j + 1 :]]
                if edit.more > passive or not self._sound(wider, passive - edit.more):
                    continue
                others, fewer = self.best(joints[n + 1 :], wider)
                if fewer < left:
                    found, left = (edit, *others), fewer
                if left == 0:
                    return found, left
        return found, left

    def _options(self, j: int) -> list[tuple[Edit, Array]]:
        if j not in self.options:
            self.options[j] = list(_upgrades(self.c, j))
        return self.options[j]

    def _sound(self, freedom: list[Array], passive: int) -> bool:
        """Whether these freedoms leave the mobility alone and so many constraints passive."""
        self.tries -= 1
        return self.tries >= 0 and _passive(self.c, freedom) == (passive, self.nullity)


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


def _upgrades(c: Constraints, j: int) -> Iterator[tuple[Edit, Array]]:
    """Edits of a joint to types that contain its freedoms, with those added; lower pairs first.

    The types are tried with the joint's own axes in every order, their own order first.
    """
    joint = c.place.m.joints[j]
    options: list[tuple[bool, int, Edit, Array]] = []
    for name, cls in JOINT_TYPES.items():
        if not _fits(joint, cls, c.size):
            continue
        for turn in _TURNS:
            R = c.place.X_WM(j).R @ turn
            added = _added(c, j, cls, R)
            if added is not None:
                axes = None if turn is _TURNS[0] else (tuple(R[:, 2]), tuple(R[:, 0]))
                edit = Edit(joint.name, joint.type, name, added.shape[1], axes)
                options.append((not cls.lower_pair, -edit.more, edit, added))
    for _, _, edit, added in sorted(options, key=lambda option: option[:2]):
        yield edit, added


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

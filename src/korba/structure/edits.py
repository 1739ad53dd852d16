"""Proposed edits: which pair should get more freedoms so that no constraint is passive.

A pair may be replaced by one with more freedoms if the mobility stays as it is: then every freedom
added takes out one passive constraint (section 1.2.4). Surface contacts (lower pairs) are preferred
to point contacts because they carry more load; pairs on the base are left alone as long as others
will do, driven ones always.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import permutations

import numpy as np

from ..display import Displayed
from ..kinematics.rows import in_rows
from ..model.joint import Joint
from ..model.joints import JOINT_TYPES
from ..spatial.pose import in_axes
from ..spatial.rotation import Array
from .placement import Placement, complement, dense
from .rank import rank_of

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
    plain = len(fields(cls)) == len(fields(Joint))  # no sizes of its own that must be given
    return stands and plain and joint.nv < count < size


def _added(place: Placement, j: int, cls: type[Joint], R: Array) -> Array | None:
    """Freedoms that `cls`, with axes R, has beyond those of joint j; None if it lacks one."""
    probe = cls("probe", "a", "b")
    S = probe.motion_subspace(np.array(probe.rest))
    wide = in_rows(place, place.X_WM[j].R, in_axes(R, S))
    old = place.freedom[j]
    if old.shape[1] and rank_of(np.column_stack([wide, old])).rank > np.linalg.matrix_rank(wide):
        return None
    inside = wide - old @ np.linalg.lstsq(old, wide, rcond=None)[0] if old.shape[1] else wide
    U, s, _ = np.linalg.svd(inside, full_matrices=False)
    return np.asarray(U[:, s > 1e-9])

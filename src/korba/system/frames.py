"""The links of a tree in frames that leave little to compute.

Frames of axial joints are turned and shifted as frame_choice.py says; a constant turn about z that
is left before a joint goes into its angle (axial_joint.py). A link that cannot move takes the frame
of its parent, and so costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..model.body import Body
from ..spatial.inertia import pseudo_inertia
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, tidy
from ..spatial.turns import constant_turns, zxz_angles
from .axial_joint import AxialJoint, angle_offset
from .frame_choice import Mount, chosen_frames, is_quarter, typical_size

if TYPE_CHECKING:
    from .tree import Link


def reframed(links: Sequence[Link], bodies: Mapping[str, Body]) -> list[Link]:
    """The same links in the chosen frames; a link that cannot move takes its parent's."""
    mounts = _mounts(links)
    size = typical_size(mounts)
    C = {-1: identity()}
    found = []
    for i, (link, chosen) in enumerate(zip(links, chosen_frames(mounts), strict=True)):
        X_PF = C[link.parent].inverse() @ link.X_PF
        C[i] = chosen if link.joint.nv else X_PF.inverse()
        X_BL = link.X_BL @ C[i]
        mass, h, K = moments(bodies[link.name], X_BL)
        moved = replace(link, X_BL=X_BL, mass=mass, h=h, K=K)
        found.append(_mounted(moved, _tidied(X_PF @ C[i], size)))
    return found


def _mounts(links: Sequence[Link]) -> list[Mount]:
    """How the links hang; one on a link that cannot move hangs on what carries that."""
    carried: dict[int, tuple[int, Pose]] = {-1: (-1, identity())}
    found = []
    for i, link in enumerate(links):
        carrier, X = carried[link.parent]
        X_PF = X @ link.X_PF
        carried[i] = (i, identity()) if link.joint.nv else (carrier, X_PF)
        turns = link.joint.axial and "angle" in link.joint.coordinate_kinds
        found.append(Mount(carrier, X_PF, link.joint.axial, turns, link.h))
    return found


def _mounted(link: Link, X_PF: Pose) -> Link:
    """The link with its joint seen from X_PF; a turn about z goes into the joint's angle."""
    if not link.joint.axial:
        return replace(link, X_PF=X_PF)
    g, alpha, theta = zxz_angles(X_PF.R)
    offset = angle_offset(link.joint, 0.0 if is_quarter(theta) else theta)
    turns = [(2, g), (0, alpha), *([] if offset.any() else [(2, theta)])]
    back = X_PF @ link.joint.pose(offset).inverse()  # a screw advances as it turns
    joint = AxialJoint(link.joint, offset)
    return replace(link, joint=joint, X_PF=Pose(constant_turns(*turns), back.p))


def moments(body: Body, X_BL: Pose) -> tuple[float, Array, Array]:
    """Mass, first and second moments in the link's frame."""
    c_L = X_BL.inverse().point(body.com)
    I_L = X_BL.R.T @ np.array(body.inertia) @ X_BL.R
    B = pseudo_inertia(body.mass, c_L, 0.5 * (I_L + I_L.T))
    return body.mass, B[:3, 3], B[:3, :3]


def _tidied(X: Pose, size: float) -> Pose:
    """A constant pose with entries within rounding of 0 and 1 made exact: they fold away."""
    return Pose(tidy(X.R), np.where(np.abs(X.p) <= 1e-14 * size, 0.0, X.p))

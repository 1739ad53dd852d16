"""Bodies that fixed joints tie together made into one body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.body import GROUND, Body, Shape
from ..model.drawing import joint_frames, joints_by_body, outward
from ..model.fields import Vector3
from ..model.frame import Frame, as_tuples
from ..model.joint import Joint
from ..model.joints.fixed import Fixed
from ..model.mechanism import Mechanism
from ..spatial.inertia import moved_tensor, physical_fault
from ..spatial.pose import Pose, identity


def without_fixed_joints(m: Mechanism) -> Mechanism:
    """The same tree, its joints placed by frames, with a fixed joint only on the ground.

    The body nearer to the ground keeps its name and frame. It gains the mass, the shapes and the
    points of the others; the origin of each lost body stays as a point with that body's name.
    """
    home = _homes(m)
    merged = {body.name: body for body in m.bodies if home[body.name][0] == body.name}
    known = {body.name: body for body in m.bodies}
    for name, (keeper, X_KB) in home.items():
        if keeper != name:
            merged[keeper] = merge(merged[keeper], known[name], X_KB)
    joints = tuple(_moved(joint, home) for joint in m.joints if not _merges(joint))
    lost = len(m.bodies) - len(merged)
    told = [f"links held by fixed joints are merged into their parents ({lost})"] if lost else []
    return replace(m, bodies=tuple(merged.values()), joints=joints, notes=(*m.notes, *told))


def _merges(joint: Joint) -> bool:
    return isinstance(joint, Fixed) and joint.parent != GROUND


def _homes(m: Mechanism) -> dict[str, tuple[str, Pose]]:
    """For every body, from the ground outwards, the one it becomes part of and its pose there.

    X_KB = X_KP X_PB  along fixed joints, where K keeps its name.
    """
    home = {GROUND: (GROUND, identity())}
    for joint, parent, child in outward(joints_by_body(m.joints), [GROUND], home):
        keeper, X_KP = home[parent]
        X_PF, X_BM = joint_frames(joint)
        X_KB = X_KP @ X_PF @ X_BM.inverse()
        home[child] = (keeper, X_KB) if _merges(joint) else (child, identity())
    return home


def _moved(joint: Joint, home: dict[str, tuple[str, Pose]]) -> Joint:
    """The joint on the body that its parent has become part of."""
    keeper, X_KP = home[joint.parent]
    if keeper == joint.parent:
        return joint
    X_PF = joint.on_parent.pose() if joint.on_parent else identity()
    return replace(joint, parent=keeper, on_parent=Frame.of_pose(X_KP @ X_PF))


def merge(keeper: Body, other: Body, X_KB: Pose) -> Body:
    """One body of two, the other standing at `X_KB` in the keeper's frame.

    m = m1 + m2,   m c = m1 c1 + m2 c2,   I = sum of I_i moved to c  (Steiner)
    """
    mass = keeper.mass + other.mass
    c1, c2 = np.array(keeper.com), X_KB.point(other.com)
    c = (keeper.mass * c1 + other.mass * c2) / mass if other.mass and mass else c1
    I2 = X_KB.R @ np.array(other.inertia) @ X_KB.R.T
    tensor = moved_tensor(keeper.mass, keeper.inertia, c1 - c)
    tensor = tensor + moved_tensor(other.mass, 0.5 * (I2 + I2.T), c2 - c)
    points = {name: _tuple(X_KB.point(p)) for name, p in other.points}
    return replace(
        keeper,
        mass=mass,
        com=_tuple(c),
        inertia=as_tuples(tensor),
        points=tuple((dict(keeper.points) | points | {other.name: _tuple(X_KB.p)}).items()),
        shapes=(*keeper.shapes, *(moved_shape(shape, X_KB) for shape in other.shapes)),
        as_given=physical_fault(mass, tensor) is not None,
    )


def moved_shape(shape: Shape, X_KB: Pose) -> Shape:
    """The shape of a body B, seen from K."""
    return replace(shape, frame=Frame.of_pose(X_KB @ shape.frame.pose()))


def _tuple(u: np.ndarray) -> Vector3:
    x, y, z = (float(part) for part in u)
    return (x, y, z)

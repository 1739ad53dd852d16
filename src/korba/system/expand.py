"""Rotors, armature and elastic joints written out as ordinary bodies, joints, couplings, springs.

    rotor:     parent --R-- `J.rotor`,  coupling  J.shaft = ratio J
    armature:  ground --R-- `J.armature`,  coupling  J.armature = J
    elastic:   parent --J.rotor-- `J.hub` --J.twist-- child,  spring on J.twist

With a ratio of 1 the hub is the rotor itself (Meghdari & Fahimi); with a gear, or a frame of its
own, the rotor turns `ratio` times as fast as the hub, on the parent body (Maryniak & Malecki).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..door import public
from ..expr import Expr, variable
from ..model.body import GROUND, NO_INERTIA, Body
from ..model.coupling import Coupling
from ..model.drawing import Drawing, drawing
from ..model.forces.joint_force import JointForce
from ..model.frame import Frame, as_tuples
from ..model.given import as_drawn
from ..model.joint import Joint
from ..model.joint_parts import Rotor
from ..model.joints.revolute import Revolute
from ..model.mechanism import SYMBOLIC, Mechanism, unchecked


@public
def expanded(m: Mechanism) -> Mechanism:
    """The same mechanism without `rotor`, `armature` and `elastic`: they are bodies and joints."""
    return _with_discs(_with_rotors(m))


def _with_discs(m: Mechanism) -> Mechanism:
    """Armature as a disc on the ground that turns by the joint's coordinate.

    Its energy is armature v^2 / 2 and nothing else. (A `rotor` rides on the parent and feels its
    rotation too.)
    """
    moved = [j for j in m.joints if isinstance(j.armature, Expr) or j.armature]
    if not moved:
        return m
    names = {joint.name: f"{joint.name}.armature" for joint in moved}
    disc = np.diag([0.0, 0.0, 1.0] if m.plane else [0.5, 0.5, 1.0])
    tensors = [as_tuples(disc * joint.armature) for joint in moved]
    discs = [Body(name, inertia=x) for name, x in zip(names.values(), tensors, strict=True)]
    shafts = [Revolute(name, GROUND, name, on_parent=Frame()) for name in names.values()]
    laws = [Coupling(name, name, variable(joint)) for joint, name in names.items()]
    rest = [replace(j, armature=0.0) if j.name in names else j for j in m.joints]
    return _with(
        m,
        bodies=(*m.bodies, *discs),
        joints=(*rest, *shafts),
        couplings=(*m.couplings, *laws),
    )


def _with(m: Mechanism, **parts: Any) -> Mechanism:
    """The mechanism with other parts; one that is for formulas is not looked at."""
    return (unchecked if m.__dict__.get(SYMBOLIC) else replace)(m, **parts)


def _with_rotors(m: Mechanism) -> Mechanism:
    """Rotors and elastic joints written out; armature is on the motor's side."""
    if not any(joint.rotor for joint in m.joints):
        return m
    placed = drawing(m)
    frames = {body.name: Frame.of_pose(placed.X_WB[body.name]) for body in m.bodies}
    # joints will change, and bodies stay where they are drawn
    bodies = [as_drawn(body, frame=frames[body.name]) for body in m.bodies]
    joints: list[Joint] = []
    couplings, forces = list(m.couplings), list(m.forces)
    renamed: dict[str, str] = {}
    for joint in m.joints:
        if joint.rotor is None:
            joints.append(joint.drawn_at(placed.q[joint.name]))
            continue
        motor_side = joint.name
        if joint.elastic is not None:
            motor_side = renamed[joint.name] = f"{joint.name}.rotor"
            hub, halves, spring = _elastic(joint, placed)
            bodies.append(hub)
            joints += halves
            forces.append(spring)
        else:
            joints.append(replace(joint.drawn_at(placed.q[joint.name]), rotor=None))
        if joint.elastic is None or not joint.rotor.direct:
            body, shaft, coupling = _geared(joint, joint.rotor, motor_side, placed)
            bodies.append(body)
            joints.append(shaft)
            couplings.append(coupling)
    return _with(
        m,
        bodies=tuple(bodies),
        joints=tuple(joints),
        couplings=tuple(couplings),
        assembly=None,
        forces=tuple(_on_motor_side(force, renamed) for force in forces),
        drives=tuple(_on_motor_side(drive, renamed) for drive in m.drives),
    )


def _geared(
    joint: Joint, rotor: Rotor, motor_side: str, placed: Drawing
) -> tuple[Body, Joint, Coupling]:
    """A rotor on the parent that turns `ratio` times as fast as the joint's motor side."""
    name = f"{joint.name}.spin" if joint.elastic else f"{joint.name}.rotor"
    frame = rotor.frame or Frame.of_pose(placed.X_PF(joint))
    body = Body(name, rotor.mass, inertia=rotor.inertia, as_given=True)
    shaft = Revolute(f"{joint.name}.shaft", joint.parent, name, on_parent=frame)
    law = variable(motor_side) * rotor.ratio
    return body, shaft, Coupling(f"{joint.name}.gear", shaft.name, law)


def _elastic(joint: Joint, placed: Drawing) -> tuple[Body, tuple[Joint, Joint], JointForce]:
    """Hub between motor and child, the two halves of the joint, and the spring."""
    rotor, elastic, name = joint.rotor, joint.elastic, joint.name
    if rotor is None or elastic is None:
        raise AssertionError("an elastic joint has a rotor: the mechanism was checked")
    hub = Body(
        f"{name}.hub",
        rotor.mass if rotor.direct else 0.0,
        inertia=rotor.inertia if rotor.direct else NO_INERTIA,
        as_given=True,
    )
    # the frames are turned already: their z is the axis
    plain = replace(
        as_drawn(joint), rotor=None, elastic=None, at=None, axis=(0.0, 0.0, 1.0), x_axis=None
    )
    first = replace(
        plain,
        name=f"{name}.rotor",
        child=hub.name,
        on_parent=Frame.of_pose(placed.X_PF(joint)),
        on_child=Frame(),
    )
    second = replace(
        plain,
        name=f"{name}.twist",
        parent=hub.name,
        on_parent=Frame(),
        on_child=Frame.of_pose(placed.X_BM(joint)),
        drawn=None,
        lower=None,
        upper=None,
        damping=0.0,
        armature=0.0,
        friction=None,
    )
    spring = JointForce(
        f"{name}.spring", f"{name}.twist", stiffness=elastic.stiffness, damping=elastic.damping
    )
    return hub, (first, second), spring


def _on_motor_side(element: Any, renamed: dict[str, str]) -> Any:
    """A force or drive on an elastic joint acts on its motor side."""
    changes = {
        key: renamed[getattr(element, key)]
        for key in element.joints
        if getattr(element, key) in renamed
    }
    return replace(element, **changes) if changes else element

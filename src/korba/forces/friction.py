"""Dry friction in joints: what it does along a joint's own velocities, under the joint's wrench.

With the force F and the moment M of the parent on the child about M, and d the direction of a
slide, friction resists the velocity v of the child:

    pin     n = -sign(w) h |F|,       h = r mu' / sqrt(1 + mu'^2)                  (4.63), (4.64)
    slide   T = -sign(v) mu (|N1| + |N2|),   N1, N2 = F_t/2 -+ (M_c x d) / l_o      (4.79), (4.84)

where F_t is the part of F across d. The two contacts of a slide stand l_o apart; friction on their
faces, b from the middle, turns the slider too, so they carry  M_c = M + sign(v) mu b d x F_t,
(4.81). Without a length of the guide N is F_t alone. mu' is mu, 4/pi mu (run-in) or pi/2 mu (new);
with a coefficient at rest mu_s it falls with the speed,  mu + (mu_s - mu) exp(-(v / v_s)^2).
Several velocities of one kind resist together, against their common direction.
Source: Gronowicz (2003), sections 4.3.5 and 4.3.6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..expr import sign
from ..kinematics.orthogonal import present
from ..model.joint import Friction, Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array

RUNNING = {"plain": 1.0, "run-in": 4 / np.pi, "new": np.pi / 2}
"""mu' / mu of a pin in its bearing."""
KNOWN = frozenset({"pin", "slide", "slot", "ball", "cross"})
"""Roles of joints whose friction has a law."""
NEVER_ZERO = 1e-30
"""Added under a root, so that it has a slope at 0: in N^2, or (m/s)^2."""


class GuideForces(NamedTuple):
    """What the two contacts of a guide carry, as vectors: at -l_o/2 and at l_o/2 along it."""

    first: Array
    second: Array


def rough_joints(m: Mechanism) -> dict[str, tuple[Joint, Friction]]:
    """The joints with friction by name, and its data."""
    pairs = ((joint, joint.friction) for joint in m.joints)
    return {joint.name: (joint, data) for joint, data in pairs if data is not None}


def slides(joint: Joint) -> list[int]:
    """The velocities of a joint along which it slides."""
    return [k for k, kind in enumerate(joint.velocity_kinds) if kind == "length"]


def refuse_incomplete(m: Mechanism) -> None:
    """An error that names every joint whose friction lacks something that its law needs."""
    faults = []
    for joint, data in rough_joints(m).values():
        if joint.role not in KNOWN:
            faults.append(f"joint {joint.name!r}: friction of its kind has no law here yet")
        elif data.coefficient and "angle" in joint.velocity_kinds and data.radius is None:
            faults.append(f"joint {joint.name!r}: friction of a pin needs its radius")
        elif data.half_height and slides(joint) and joint.contact_distance is None:
            faults.append(f"joint {joint.name!r}: half_height needs the joint's guide_length, too")
    if faults:
        raise StructureError(f"mechanism {m.name!r}: " + "; ".join(faults))


def friction_efforts(joint: Joint, data: Friction, v: Array, D: Array, F: Array) -> Array:
    """Efforts of friction in the velocities v of a joint.

    D has the twist of the child for a unit of each velocity, and F is the wrench (moment, force),
    both about M in the same axes.
    """
    efforts = []
    for k, kind in enumerate(joint.velocity_kinds):
        alike = [v[i] for i, other in enumerate(joint.velocity_kinds) if other == kind]
        speed = norm(alike)
        way = sign(v[k]) if len(alike) == 1 else v[k] / speed
        mu = coefficient(data, speed)
        if kind == "length":
            lever = sign(v[k]) * mu * (data.half_height or 0.0)
            pair = guide_forces(joint.contact_distance, D[3:, k], F, lever)
            load = sum(mu * norm(N) for N in pair)
        else:
            load = pin_lever(data, mu) * norm(F[3:])
        efforts.append(-way * (load + data.effort))
    return np.array(efforts, dtype=object)


def coefficient(data: Friction, speed: Any) -> Any:
    """mu at a speed."""
    if data.static is None or data.stribeck_velocity is None:
        return data.coefficient
    ratio = speed / data.stribeck_velocity
    return data.coefficient + (data.static - data.coefficient) * np.exp(-ratio * ratio)


def pin_lever(data: Friction, mu: Any) -> Any:
    """h: the radius of the friction circle (4.64)."""
    own = RUNNING[data.running] * mu
    return (data.radius or 0.0) * own / np.sqrt(1.0 + own * own)


def guide_forces(length: Any, d: Array, F: Array, lever: Any = 0.0) -> GuideForces:
    """N1 and N2 of a slide along d; without a length of the guide N1 has all, and N2 nothing.

    `lever` is sign(v) mu b: where friction on the faces of the guide acts, times mu.
    """
    across = F[3:] - d * (d @ F[3:])
    if length is None:
        return GuideForces(across, np.zeros(3))
    turning = F[:3] - d * (d @ F[:3]) + lever * np.cross(d, across)
    tilt = np.cross(turning, d) / length
    return GuideForces(across / 2 - tilt, across / 2 + tilt)


def norm(parts: Any) -> Any:
    """Length of a vector; of one component its size."""
    own = [x for x in parts if present(x)]
    if len(own) < 2:
        return np.abs(own[0]) if own else 0.0
    return np.sqrt(sum(x * x for x in own) + NEVER_ZERO)

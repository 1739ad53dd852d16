"""Small mechanisms to simulate: pendulums, one of every joint type, and SciPy's answer for them."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import korba as kb
from korba.kinematics.couplings import all_coordinates, velocity_map
from korba.system.tree import tree_of

EXTRAS = {
    "ball-on-plane": {"radius": 0.2},
    "rolling-ball": {"radius": 0.2},
    "rolling-wheel": {"radius": 0.3},
    "omni-wheel": {"radius": 0.3},
    "rod": {"length": 0.7},
    "wheel-on-plane": {"radius": 0.3},
    "screw": {"lead": 0.3},
    "gear-line-contact": {"parent_radius": 0.3, "child_radius": 0.2, "pressure_angle": 0.3},
    "gear-point-contact": {"parent_radius": 0.6, "child_radius": 0.2, "inner": True},
    "gear-bevel": {"parent_radius": 0.3, "child_radius": 0.2, "shaft_angle": 1.2},
}
MOVING = [name for name, cls in kb.JOINT_TYPES.items() if cls.spatial and cls.velocity_names]
ROLLING = [name for name in MOVING if kb.JOINT_TYPES[name].slipping is not kb.Fixed.slipping]
TURNING = [
    name
    for name in MOVING
    if kb.JOINT_TYPES[name].coordinate_names[-1].endswith("z") and name not in (*ROLLING, "rod")
]


def pendulum(**more):
    """A rod of 1 m and 3 kg that hangs from the ground: J = m l^2 / 3, angle 0 along x."""
    rod = kb.Body("rod", 3, com=(0.5, 0), inertia=3 / 12)
    return kb.Mechanism(
        "pendulum", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy", **more
    )


def double_pendulum(**more):
    """Two rods of 1 m and 1 kg."""
    rods = [kb.Body(name, 1, com=(x, 0), inertia=1 / 12) for name, x in (("u", 0.5), ("l", 1.5))]
    joints = [
        kb.Revolute("A", "ground", "u", at=(0, 0)),
        kb.Revolute("B", "u", "l", at=(1, 0)),
    ]
    return kb.Mechanism("double pendulum", rods, joints, plane="xy", **more)


def slider(*forces, damping=0.0, mass=2.0):
    """A block on a horizontal guide along x."""
    guide = kb.Prismatic("x", "ground", "block", at=(0, 0), axis=(1, 0), damping=damping)
    block = kb.Body("block", mass, inertia=1)
    return kb.Mechanism("slider", [block], [guide], forces=forces, plane="xy")


def wheel(*forces, inertia=0.5):
    """A balanced wheel on an axle."""
    axle = kb.Revolute("A", "ground", "wheel", at=(0, 0))
    body = kb.Body("wheel", 1, inertia=inertia)
    return kb.Mechanism("wheel", [body], [axle], forces=forces, plane="xy")


def with_joint(kind, seed=0, damping=0.0, **more):
    """A body on a joint of that type, turned round where the seed is odd, and one more on a pin."""
    rng = np.random.default_rng(seed)
    place = lambda: {key: rng.normal(size=3) for key in ("at", "axis", "x_axis")}  # noqa: E731
    ends = ("ground", "a") if seed % 2 == 0 else ("a", "ground")
    options = dict(EXTRAS.get(kind, {}), damping=damping)
    joints = [
        kb.JOINT_TYPES[kind]("J", *ends, **place(), **options),
        kb.Revolute("P", "a", "b", **place()),
    ]
    bodies = [kb.Body(n, rng.uniform(1, 2), 0.3 * rng.normal(size=3), (1, 1.2, 0.9)) for n in "ab"]
    return kb.Mechanism(f"with {kind}", bodies, joints, **more)


def random_start(m, seed=0):
    """A state near the drawing, with unit quaternions."""
    rng = np.random.default_rng(seed)
    tree = tree_of(m)
    parts = []
    for joint in tree.m.joints:
        q = joint.drawn_coordinates + 0.3 * rng.normal(size=joint.nq)
        parts.append(joint.normalised(q))
    return np.concatenate(parts)[list(tree.free_q)], rng.normal(size=m.nv)


def scipy_motion(m, q, v, times):
    """(q, v) at the times by SciPy's DOP853 on kb.forward_dynamics, tolerance 1e-12."""
    tree = tree_of(m)
    accelerations = kb.compile(kb.forward_dynamics, m)

    def slope(t, y):
        q_all = all_coordinates(tree, y[: m.nq])
        v_all = velocity_map(tree, q_all) @ y[m.nq :]
        rates = np.zeros(len(tree.coordinates))
        for link in tree.links:
            if link.v.stop > link.v.start:
                rates[link.q] = link.joint.qdot(q_all[link.q], v_all[link.v])
        a = accelerations(y[: m.nq], y[m.nq :], np.zeros(m.nv))
        return np.concatenate([rates[list(tree.free_q)], a])

    start = np.concatenate([q, v])
    found = solve_ivp(
        slope, (times[0], times[-1]), start, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13
    )
    return found.y[: m.nq].T, found.y[m.nq :].T

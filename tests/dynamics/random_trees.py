"""Random trees with every joint type, turned-round joints, couplings, rotors and elastic joints."""

from __future__ import annotations

import numpy as np
import pytest

import korba as kb
from korba.system.tree import tree_of

SMOOTH = ("ball-on-plane", "wheel-on-plane")
"""Left out, so that a tree has fewer than 64 velocities: those that roll are there."""
SPATIAL = [name for name, cls in kb.JOINT_TYPES.items() if cls.spatial and name not in SMOOTH]
EXTRAS = {
    "screw": {"lead": 0.3},
    "gear-line-contact": {"parent_radius": 0.3, "child_radius": 0.2, "pressure_angle": 0.3},
    "gear-point-contact": {"parent_radius": 0.6, "child_radius": 0.2, "inner": True},
    "gear-bevel": {"parent_radius": 0.3, "child_radius": 0.2, "shaft_angle": 1.2},
    "rolling-ball": {"radius": 0.2},
    "rolling-wheel": {"radius": 0.3, "tyre": 0.05},
    "omni-wheel": {"radius": 0.3},
    "rod": {"length": 0.7},
}
CASES = [
    pytest.param({}, id="plain"),
    pytest.param({"floating": True}, id="floating"),
    pytest.param({"coupled": True}, id="coupled"),
    pytest.param({"rotors": True}, id="rotors"),
]
"""Options of `random_tree`, as parameters of a law."""


def numbers(array):
    """An array of objects as floats."""
    return np.asarray(array, dtype=float)


def random_body(rng, name):
    A = rng.normal(size=(3, 3))
    moments = A @ A.T
    tensor = np.trace(moments) * np.eye(3) - moments
    return kb.Body(name, rng.uniform(0.5, 2), rng.normal(size=3), 0.5 * (tensor + tensor.T))


def random_tree(seed, *, coupled=False, floating=False, rotors=False, kinds=None):
    """The tree of a random mechanism in which every joint type of space appears once.

    With `kinds`, of joints of these types only.
    """
    rng = np.random.default_rng(seed)
    kinds = [*(["free"] if floating else []), *rng.permutation(kinds or SPATIAL)]
    bodies, joints = [], []
    for i, kind in enumerate(kinds):
        bodies.append(random_body(rng, f"b{i}"))
        ends = ["ground" if i == 0 else f"b{rng.integers(i)}", f"b{i}"]
        if rng.random() < 0.4:
            ends.reverse()
        place = {key: rng.normal(size=3) for key in ("at", "axis", "x_axis")}
        more = dict(EXTRAS.get(kind, {}), damping=rng.uniform(0, 1))
        if rotors and kind in ("revolute", "prismatic"):
            more["rotor"] = kb.Rotor(ratio=rng.uniform(1, 20), mass=0.2, inertia=(0.01, 0.01, 0.02))
        if rotors and kind == "prismatic":
            more["elastic"] = kb.Elastic(stiffness=100.0)
        joints.append(kb.JOINT_TYPES[kind](f"j{i}", *ends, **place, **more))
    return tree_of(kb.Mechanism("tree", bodies, joints, _couplings(joints) if coupled else ()))


def _couplings(joints):
    first, second, third = (joint.name for joint in joints if joint.nv == 1)
    return [
        kb.Coupling("crank", second, f"0.3*{first}^2 + sin({first})"),
        kb.Coupling("differential", third, f"2*{first} - 0.5*{second}"),
    ]


def random_state(tree, seed):
    """Independent coordinates (quaternions unit), velocities and accelerations."""
    rng = np.random.default_rng(seed)
    q_all = []
    for joint in tree.m.joints:
        q = joint.drawn_coordinates + 0.3 * rng.normal(size=joint.nq)
        q_all += list(joint.normalised(q))
    q = np.array(q_all)[list(tree.free_q)]
    return q, rng.normal(size=tree.nv), rng.normal(size=tree.nv)


def advanced(tree, q, v, dt):
    """Independent coordinates after a short time at constant velocity (first order, exact rate)."""
    from korba.kinematics.couplings import all_coordinates, velocity_map

    q_all = all_coordinates(tree, q)
    v_all = velocity_map(tree, q_all) @ v
    new, iq, iv = q_all.copy(), 0, 0
    for joint in tree.m.joints:
        own = q_all[iq : iq + joint.nq]
        if joint.nv:
            new[iq : iq + joint.nq] = own + dt * joint.qdot(own, v_all[iv : iv + joint.nv])
        iq, iv = iq + joint.nq, iv + joint.nv
    return new[list(tree.free_q)]

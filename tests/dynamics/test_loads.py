"""Loads: springs, dampers, motors and forces as generalised forces."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.dynamics import articulated_body, composite_body
from korba.dynamics.newton_euler import inverse_dynamics
from korba.forces.loads import depends_on_time, loads_at
from korba.kinematics.velocity import body_pose, jacobian
from korba.system.system import System, no_loads
from korba.system.tree import tree_of

ZERO = np.zeros(3)
POINT_A, POINT_B = (0.3, -0.2, 0.4), (-0.5, 0.1, 0.2)


def arm(*forces):
    """Three links on skew axes, with loads."""
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0.2, 1)),
        kb.Prismatic("B", "a", "b", at=(1, 0, 0), axis=(1, 1, 0)),
        kb.Revolute("C", "c", "b", at=(1, 1, 0), axis=(0.3, 0, 1)),
    ]
    bodies = [kb.Body(name, 1.0, (0.2, 0.1, 0), (1, 1, 1)) for name in "abc"]
    return tree_of(kb.Mechanism("arm", bodies, joints, forces=forces))


def generalised(tree, q, v, t=0.0):
    """What the loads add to the joints' forces."""
    loaded = System(tree, ZERO, lambda q_, v_: loads_at(tree, q_, v_, t))
    with_loads, without = (inverse_dynamics(s, q, v, 0 * v) for s in (loaded, System(tree, ZERO)))
    return np.asarray(without - with_loads, dtype=float)


@pytest.fixture
def state():
    rng = np.random.default_rng(3)
    return rng.normal(size=3), rng.normal(size=3)


def test_a_spring_force_is_the_slope_of_its_energy(state):
    """Q = -dV/dq with V = k (l - l0)^2 / 2, between two moving bodies."""
    spring = kb.Spring("s", "c", POINT_A, "a", POINT_B, stiffness=50, free_length=0.4)
    tree, (q, v) = arm(spring), state

    def energy(at):
        d = body_pose(tree, at, "c").point(POINT_A) - body_pose(tree, at, "a").point(POINT_B)
        return 25 * (np.linalg.norm(d) - 0.4) ** 2

    h = 1e-6
    slope = [(energy(q + h * e) - energy(q - h * e)) / (2 * h) for e in np.eye(3)]
    assert_allclose(generalised(tree, q, 0 * v), -np.array(slope), atol=1e-6)


def test_a_damper_takes_energy_out(state):
    """Its power is -c ldot^2."""
    tree, (q, v) = arm(kb.Spring("s", "c", POINT_A, "ground", POINT_B, damping=7)), state
    d = body_pose(tree, q, "c").point(POINT_A) - np.array(POINT_B)
    rate = d @ np.asarray(jacobian(tree, q, "c", POINT_A), dtype=float)[3:] @ v / np.linalg.norm(d)
    assert_allclose(v @ generalised(tree, q, v), -7 * rate**2, rtol=1e-12)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_a_force_and_a_moment_act_through_the_jacobian(state, axes):
    """Q = J' (n, f), with components in the world or following the body."""
    f, n = np.array([1.0, -2, 3]), np.array([0.5, 0.1, -0.4])
    tree = arm(kb.PointForce("f", "c", f, POINT_A, axes), kb.Moment("n", "c", n, axes))
    q, v = state
    R = body_pose(tree, q, "c").R if axes == "body" else np.eye(3)
    J = np.asarray(jacobian(tree, q, "c", POINT_A), dtype=float)
    assert_allclose(generalised(tree, q, v), J.T @ np.concatenate([R @ n, R @ f]), atol=1e-12)


def test_loads_in_joints_and_motors_follow_their_laws(state):
    """tau = -k (q - rest) - c v + law, and N eta k (u - k N v) / R; laws may use t and names."""
    tree = arm(
        kb.JointForce("spring", "A", stiffness=3, rest=0.2, damping=0.5, law="2*t - B*v_C + q*v"),
        kb.Motor(
            "motor", "C", "12*t", torque_constant=0.05, resistance=2, ratio=10, efficiency=0.9
        ),
    )
    q, v = state
    spring = -3 * (q[0] - 0.2) - 0.5 * v[0] + 2 * 1.5 - q[1] * v[2] + q[0] * v[0]
    motor = 10 * 0.9 * 0.05 * (12 * 1.5 - 0.05 * 10 * v[2]) / 2
    assert_allclose(generalised(tree, q, v, t=1.5), [spring, 0, motor], atol=1e-12)
    assert depends_on_time(tree)
    assert not depends_on_time(arm())


def test_forward_after_inverse_with_loads(state):
    """All formulations take the same loads: accelerations come back."""
    tree = arm(
        kb.Spring("s", "c", POINT_A, "ground", POINT_B, stiffness=50, damping=2, law="3*l - v"),
        kb.PointForce("f", "b", ("A", "v_B", 1), POINT_B),
        kb.JointForce("j", "B", stiffness=4),
    )
    q, v = state
    a = np.array([0.3, -0.7, 1.1])
    s = System(tree, ZERO, lambda q_, v_: loads_at(tree, q_, v_))
    tau = inverse_dynamics(s, q, v, a)
    for way in (composite_body, articulated_body):
        assert_allclose(np.asarray(way.forward_dynamics(s, q, v, tau), float), a, atol=1e-10)
    assert not np.any(no_loads(q, v).tau)


def test_a_motor_with_inductance_is_refused(state):
    """Its current is a state of its own, which forces at a state cannot have."""
    motor = kb.Motor("m", "A", 12, torque_constant=0.05, resistance=2, inductance=1e-3)
    tree, (q, v) = arm(motor), state
    with pytest.raises(kb.StructureError, match="with i as a state of its own"):
        loads_at(tree, q, v)


def test_spring_of_section_4_2():
    """Gronowicz (4.184)-(4.190), the spec's own numbers: generalised forces on two planar links."""
    bodies = [kb.Body("j", 1, inertia=1), kb.Body("k", 1, inertia=1)]
    joints = [kb.Planar("J", "ground", "j"), kb.Planar("K", "ground", "k")]
    spring = kb.Spring(
        "s", "j", (0.1, 0.05), "k", (-0.1, 0.02), 1000, free_length=0.4, damping=20, law=-15
    )
    tree = tree_of(kb.Mechanism("two", bodies, joints, forces=[spring], plane="xy"))
    q = np.array([0, 0, np.pi / 6, 0.5, 0.4, np.pi / 2])
    v = np.array([0, 0, 2, 0.3, -0.1, 1])
    expected = [53.82403951, 26.59041145, -3.38381436, -53.82403951, -26.59041145, -4.85059572]
    assert_allclose(generalised(tree, q, v), expected, atol=5e-9)

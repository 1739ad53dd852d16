"""Examples 4.7, 4.9 and 4.10 of the book, a cam, and equations body by body."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import null_space

import korba as kb
from korba.dynamics.multipliers import Constraints
from korba.system.system import any_system

BOOK = Path(__file__).resolve().parents[2] / "examples" / "book"
G = 9.81
LOOPS = ("multipliers", "absolute", "minimal")


def scotch_yoke():
    """Example 4.7 with its crank upright: rod axis 0.15 below the shaft, S2 at (0.1, -0.1)."""
    return kb.load(BOOK / "ex_4_7_scotch_yoke.toml")


def yoke_state(theta, omega):
    """All joints of the Scotch yoke: A, S and, at the pin, the way in the slot and the angle."""
    c, s = np.cos(theta), np.sin(theta)
    turn = theta - np.pi / 2
    q = {"A": turn, "S": 0.3 * c, "B.stroke": 0.3 * s - 0.3, "B.angle": turn}
    v = {"A": omega, "S": -0.3 * s * omega, "B.speed": 0.3 * c * omega, "B.rate": omega}
    return q, v


def test_start_of_example_4_7():
    """(4.101): the acceleration and all reactions, guides at 0.45 and 0.5, for both speeds."""
    m = scotch_yoke()
    for omega, F01y in ((1.0, 9.71), (10.0, -0.19)):
        q, v = yoke_state(np.pi / 2, omega)
        for formulation in LOOPS:
            a = kb.forward_dynamics(m, q, v, {}, formulation=formulation)
            assert_allclose(a[m.velocities.index("A")], 6.071429, atol=5e-7)
        assert_reactions(m, q, v, [-11.714286, F01y, 11.107143, 483.257143, -434.207143], 5e-7)


HISTORY = {
    (1.70183, 1.63045): (6.6778, -12.0372, 9.4592, 11.4099, 523.5439, -474.4939),
    (3.65660, 9.26641): (-54.7747, 78.4002, 18.8062, -73.6252, 716.8556, -667.8056),
    (8.48912, 11.24437): (77.8679, 17.7278, -4.9878, -16.4948, 456.3458, -407.2958),
    (11.61981, 18.02816): (177.9641, -70.8993, 46.5836, 66.3431, 28.0859, 20.9641),
}


@pytest.mark.parametrize("state", HISTORY)
def test_history_of_example_4_7(state):
    """Rows of the tables of both runs, to the digits in which their angles are printed."""
    m, (q, v) = scotch_yoke(), yoke_state(*state)
    acceleration, *forces = HISTORY[state]
    a = kb.forward_dynamics(m, q, v, {}, formulation="absolute")
    assert_allclose(a[0], acceleration, atol=0.02)
    assert_reactions(m, q, v, forces, 0.1)


def assert_reactions(m, q, v, expected, tolerance):
    """F01 x and y, F21, and the two forces of the guide, from the reactions of the motion."""
    found = kb.reactions(m, q, v, kb.forward_dynamics(m, q, v, {}))
    x = q["S"] + 0.1
    N, M = found["S"].force[1], found["S"].moment[2]  # the load acts through the point of the joint
    M = M + (found["S"].point[0] - x) * N
    one, two = np.linalg.solve([[1, 1], [0.45 - x, 0.5 - x]], [N, M])
    forces = [*found["A"].force[:2], found["B"].force[0], one, two]
    assert_allclose(forces, expected, rtol=0, atol=tolerance)


def arm():
    """Example 4.9 with the numbers of the specification, both links along x."""
    return kb.load(BOOK / "ex_4_9_arm.toml")


def test_example_4_9_by_every_formulation():
    """Torques of the printed equations, and back."""
    m, q, v, a = arm(), [np.pi / 6, np.pi / 4], [1, -2], [3, 4]
    for formulation in kb.formulations()["inverse_dynamics"]:
        tau = kb.inverse_dynamics(m, q, v, a, formulation=formulation)
        assert_allclose(tau, [14.52700114, 1.71096852], atol=5e-9)
    for formulation in kb.formulations()["forward_dynamics"]:
        assert_allclose(kb.forward_dynamics(m, q, v, tau, formulation=formulation), a, rtol=1e-11)


def ladder():
    """Example 4.10 at 60 degrees: A at (a, 0) of the link on the y axis, B at (-b, 0) on x."""
    return kb.load(BOOK / "ex_4_10_link.toml")


@pytest.mark.parametrize(
    ("omega", "expected", "multipliers"),
    [
        (0.0, (-3.53987884, -3.40625, -13.625), (7.07975768, -12.8075)),
        (-2.0, (-2.53987884, -4.75340063, -12.08539928), (5.07975768, -10.11319874)),
    ],
)
def test_example_4_10(omega, expected, multipliers):
    """x'', y'' and the angle's of the sliding link, and its reactions -lambda at A and B."""
    m, x = ladder(), np.pi / 3
    rates = {"A.rate": omega, "B.rate": omega}
    rates["A.speed"] = omega * (0.5 + 0.3) * np.cos(x)
    rates["B.speed"] = omega * (0.3 + 0.5) * np.sin(x)
    for formulation in LOOPS:
        a = kb.forward_dynamics(m, {}, rates, {}, formulation=formulation)
        link = kb.acceleration(m, {}, rates, a, "link")
        assert_allclose([*link[3:5], link[2]], expected, atol=5e-9)
    forces = kb.reactions(m, {}, rates, a)
    assert_allclose(forces["A"].force, [-multipliers[0], 0, 0], atol=5e-8)
    assert_allclose(forces["B"].force, [0, -multipliers[1], 0], atol=5e-8)
    assert_allclose([forces["A"].moment[2], forces["B"].moment[2]], 0, atol=1e-12)


def flat_cam():
    """An eccentric disc under a flat follower: y = 0.05 + 0.02 sin of the cam's angle."""
    profile = "0.02*cos(beta) + sqrt(0.0025 - 0.0004*sin(beta)^2)"
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("B", "ground", "follower", at=(0, 0), axis=(0, 1)),
        kb.CamFlat(
            *("C", "cam", "follower"),
            at=(0, 0),
            profile=profile,
            drawn=(np.arctan2(0.05, 0.02), -0.02),
        ),
    ]
    bodies = [kb.Body("cam", 1.0, (0, 0), 0.003), kb.Body("follower", 0.8, (0, 0.1), 0.01)]
    return kb.Mechanism("cam", bodies, joints, plane="xy")


@pytest.mark.parametrize("formulation", LOOPS)
def test_a_contact_parameter_has_no_mass(formulation):
    """(4.199): (I + m y'^2) x'' + m y' (y'' x'^2 + g) = M for y = e sin x over the cam's angle."""
    m = flat_cam()
    for angle, speed, torque in ((0.0, 3.0, 0.1), (0.7, -5.0, 0.0), (2.0, 8.0, -0.2)):
        q = kb.assemble(m, {"A": angle}).q
        lines = Constraints(any_system(m), q).lines
        J = np.array([[float(line.get(j, 0.0)) for j in range(m.nv)] for line in lines])
        (v,) = null_space(J).T
        v = v * speed / v[0]
        slope, bend = 0.02 * np.cos(angle), -0.02 * np.sin(angle)
        expected = torque - 0.8 * slope * (bend * speed**2 + G)
        a = kb.forward_dynamics(m, q, v, {"A": torque}, formulation=formulation)
        assert_allclose(a[m.velocities.index("A")], expected / (0.003 + 0.8 * slope**2), rtol=1e-9)


def spatial_linkage():
    """A crank, a ball, a universal joint and a rocker in space, three bodies of any inertia."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0.1, 0, 1)),
        kb.Spherical("B", "crank", "rod", at=(0.3, 0.05, -0.04)),
        kb.Universal("C", "rod", "rocker", at=(1.0, 0.9, 0.4), axis=(0, 0, 1), x_axis=(1, 0, 0)),
        kb.Revolute("D", "ground", "rocker", at=(1, 0.03, 0.1), axis=(0.2, 1, 0.1)),
    ]
    tensor = [[0.15, 0.01, 0.02], [0.01, 0.12, -0.01], [0.02, -0.01, 0.18]]
    places = {"crank": (0.1, 0.2, 0), "rod": (0.5, 0.4, 0.1), "rocker": (1.1, 0.5, 0.2)}
    bodies = [kb.Body(name, 1.5, p, tensor) for name, p in places.items()]
    push = kb.PointForce("push", "rocker", (3, -4, 1), (0.9, 0.3, 0))
    drive = kb.JointDrive("drive", "A", "2*t + 0.6*t^2")
    return kb.Mechanism("linkage", bodies, joints, drives=[drive], forces=[push])


def driven_yoke():
    """The Scotch yoke, its crank driven."""
    return replace(scotch_yoke(), drives=[kb.JointDrive("drive", "A", "2*t + 3*t^2")], forces=())


@pytest.mark.parametrize("make", [spatial_linkage, driven_yoke])
def test_every_body_moves_by_the_forces_on_it(make):
    """(4.85), (4.89): m a = sum of forces, I w' + w x I w = sum of moments about S."""
    m = make()
    motion = kb.motion(m, [0.0, 0.1])
    q, v, a = motion.q[1], motion.v[1], motion.a[1]
    reactions = kb.reactions(m, q, v, a, t=0.1)
    for body in m.bodies:
        X = kb.pose(m, q, body.name)
        R, S = X[:3, :3], X[:3, :3] @ np.array(body.com) + X[:3, 3]
        V, A = (
            kb.velocity(m, q, v, body.name),
            kb.acceleration(m, q, v, a, body.name, point=body.com),
        )
        force, moment = body.mass * np.array(m.gravity), np.zeros(3)
        for load in m.forces:
            if load.body == body.name:
                F = np.array([float(x.value) for x in load.force])
                at = R @ np.array(load.at) + X[:3, 3]
                force, moment = force + F, moment + np.cross(at - S, F)
        for joint in m.joints:
            sign = (joint.child == body.name) - (joint.parent == body.name)
            own = reactions[joint.name]
            force = force + sign * own.force
            moment = moment + sign * (own.moment + np.cross(own.point - S, own.force))
        J = R @ np.array(body.inertia) @ R.T
        w = V[:3]
        assert_allclose(force, body.mass * A[3:], atol=1e-9 * np.abs(force).max())
        spin = J @ A[:3] + np.cross(w, J @ w)
        parts = slice(2, 3) if m.plane else slice(None)
        assert_allclose(moment[parts], spin[parts], atol=1e-9 * (1 + np.abs(moment).max()))

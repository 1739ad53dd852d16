"""Motions that are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk
from simulated_trees import pendulum, slider, wheel

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-11, atol=1e-12)}

G = 9.81


def test_pendulum_period_by_the_elliptic_integral():
    """From 1.2 rad a rod is back at rest after T = 4 sqrt(J / m g s) K(sin^2 0.6)."""
    period = 4 * np.sqrt((3 / 3) / (3 * 9.81 * 0.5)) * ellipk(np.sin(0.6) ** 2)
    start = -np.pi / 2 + 1.2
    found = kb.simulate(pendulum(), period, q={"A": start}, times=[0, period / 2, period], **TIGHT)
    assert_allclose(found["A"], [start, -np.pi / 2 - 1.2, start], atol=1e-9)
    assert_allclose(found["v_A"], 0, atol=1e-8)


def test_damped_oscillator():
    """m x'' + c x' + k x = 0 gives exp(-d t) (cos w t + (d/w) sin w t)."""
    spring = kb.JointForce("spring", "x", stiffness=50, rest=0.1)
    m = slider(spring, damping=1.5)
    found = kb.simulate(m, 3, q=[0.4], times=61, **TIGHT)
    d = 1.5 / (2 * 2)
    w = np.sqrt(50 / 2 - d**2)
    t = found.t
    expected = 0.1 + 0.3 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    assert_allclose(found["x"], expected, atol=1e-10)
    assert found.audit.energy < 1e-10


def test_projectile():
    """A thrown body's position is a parabola whatever it spins."""
    body = kb.Body("stone", 2, (0, 0, 0), (1, 2, 3))
    m = kb.Mechanism("stone", [body], [kb.Free("J", "ground", "stone")])
    v = [0.5, 2, -1, 3, 4, 5]
    found = kb.simulate(m, 2, v=v, times=21, **TIGHT)
    t = found.t[:, None]
    expected = np.array([3.0, 4, 5]) * t + 0.5 * np.array([0, 0, -9.81]) * t**2
    assert_allclose(found.q[:, :3], expected, atol=1e-9)


@pytest.mark.parametrize("method", [TIGHT["method"], kb.Method("rk4", step=1e-3)], ids=repr)
def test_free_top_keeps_momentum_energy_and_unit_quaternion(method):
    """Without gravity angular momentum in the world and energy are constant, and |q| is 1."""
    body = kb.Body("top", 1, (0, 0, 0), (1, 2, 2.5))
    pivot = kb.Spherical("S", "ground", "top", at=(0, 0, 0))
    m = kb.Mechanism("top", [body], [pivot], gravity=(0, 0, 0))
    found = kb.simulate(m, 20, v=[0.1, 3, 0.1], times=101, method=method)
    spin = kb.momentum(m, found.q, found.v)[:, :3]
    assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=2e-8)
    assert_allclose(np.linalg.norm(found.q, axis=1), 1, rtol=4e-16)
    assert np.abs(found["v_S.wx"]).max() > 0.5  # it tumbles: rotation about the middle axis
    assert found.audit.energy < 1e-9


def test_motor_without_inductance_reaches_its_speed():
    """J v' = k (u - k v) / R: v = (u/k) (1 - exp(-k^2 t / (J R)))."""
    m = wheel(kb.Motor("m", "A", 12, torque_constant=0.5, resistance=2))
    found = kb.simulate(m, 5, times=51, **TIGHT)
    expected = 24 * (1 - np.exp(-(0.5**2) * found.t / (0.5 * 2)))
    assert_allclose(found["v_A"], expected, atol=1e-9)
    assert found.audit.energy < 1e-10


def test_motor_with_inductance_has_its_current_as_a_state():
    """J v' = N k i,  L i' = u - R i - k N v: a linear system, solved by its eigenvalues."""
    J, k, R, L, N, u = 0.5, 0.2, 2.0, 0.3, 3.0, 12.0
    motor = kb.Motor("m", "A", u, torque_constant=k, resistance=R, inductance=L, ratio=N)
    found = kb.simulate(wheel(motor, inertia=J), 6, times=61, **TIGHT)
    A = np.array([[0, N * k / J], [-k * N / L, -R / L]])
    values, vectors = np.linalg.eig(A)
    rest = np.linalg.solve(A, [0, -u / L])
    parts = np.linalg.solve(vectors, -rest)
    expected = rest + ((np.exp(np.outer(found.t, values)) * parts) @ vectors.T).real
    assert_allclose(found["v_A"], expected[:, 0], atol=1e-9)
    assert_allclose(found["i_m"], expected[:, 1], atol=1e-9)
    assert found.names[:5] == ("t", "A", "v_A", "a_A", "i_m")
    assert found.audit.energy < 1e-9


def test_inputs_in_time_as_law_curve_and_voltage():
    """m v' = f(t) with f a law of the mechanism, a law given in tau, and a curve."""
    x = np.linspace(0, 2, 9)
    curve = kb.Curve(x, x**3)  # a cubic spline through a cubic is that cubic
    m = slider(kb.JointForce("push", "x", law="2*cos(3*t)"))
    law = kb.simulate(m, 2, tau={"x": "4*t"}, times=11, **TIGHT)
    assert_allclose(law["v_x"], np.sin(3 * law.t) / 3 + law.t**2, atol=1e-10)
    spline = kb.simulate(slider(), 2, tau={"x": curve}, times=11, **TIGHT)
    assert_allclose(spline["v_x"], spline.t**4 / 8, atol=1e-10)
    assert_allclose(spline["a_x"], spline.t**3 / 2, atol=1e-10)


def test_given_forces_as_numbers_and_laws_of_the_state():
    """tau = -k x - c v + 3 as a law is the spring and damper of the mechanism."""
    spring = kb.JointForce("s", "x", stiffness=20, damping=0.7, law="3")
    own = kb.simulate(slider(spring), 2, q=[0.2], times=11, **TIGHT)
    law = kb.simulate(slider(), 2, q=[0.2], tau={"x": "3 - 20*x - 0.7*v_x"}, times=11, **TIGHT)
    plain = kb.JointForce("s", "x", stiffness=20, damping=0.7)
    mixed = kb.simulate(slider(plain), 2, q=[0.2], tau=[3.0], times=11, **TIGHT)
    assert_allclose(law.q, own.q, atol=1e-11)
    assert_allclose(mixed.q, own.q, atol=1e-11)
    assert_allclose(law["work"], own["work"], atol=1e-10)


def test_elastic_joint_with_rotor_swings_at_its_frequency():
    """Rotor and wheel on a spring: the twist oscillates with w^2 = k (1/J1 + 1/J2)."""
    joint = kb.Revolute(
        "A",
        "ground",
        "wheel",
        at=(0, 0, 0),
        axis=(0, 0, 1),
        rotor=kb.Rotor(inertia=(0.1, 0.1, 0.2)),
        elastic=kb.Elastic(stiffness=30),
    )
    m = kb.Mechanism("elastic", [kb.Body("wheel", 1, inertia=(1, 1, 0.5))], [joint])
    found = kb.simulate(m, 2, q={"A.twist": 0.1}, times=41, **TIGHT)
    w = np.sqrt(30 * (1 / 0.2 + 1 / 0.5))
    assert_allclose(found["A.twist"], 0.1 * np.cos(w * found.t), atol=1e-10)


def test_gravity_may_be_another():
    """On the moon a small pendulum swings sqrt(6) times slower; energy uses that gravity too."""
    g = 9.81 / 6
    w = np.sqrt(3 * g * 0.5 / 1.0)
    start = {"A": -np.pi / 2 + 1e-4}
    found = kb.simulate(pendulum(), 3, q=start, gravity=(0, -g, 0), times=31, **TIGHT)
    assert_allclose(found["A"] + np.pi / 2, 1e-4 * np.cos(w * found.t), atol=1e-11)
    assert found.audit.energy < 1e-6


def test_a_watt_governor_opens_at_its_critical_speed():
    """With balls m and half a sleeve M it opens at w^2 l = g (m + 2 M)/m, to cos A = (wc/w)^2."""
    m = kb.loads(GOVERNOR)
    length, ball, sleeve = 0.3, 1.0, 2.0
    critical = np.sqrt(G * (ball + 2 * sleeve) / (ball * length))
    speeds = critical * np.array([0.99, 1.01, np.sqrt(2)])
    angles = np.array([0.02, 0.02, np.pi / 3])
    start = {"q": {"A": angles}, "parameters": {"w": speeds}}
    run = kb.simulate(m, 0.5, **start, times=2, method=kb.Method(rtol=1e-11, atol=1e-13))
    at_first = run["a_A"][:, 0]
    s, c = np.sin(angles), np.cos(angles)  # J a = w^2 m l^2 s c - (m + 2 M) g l s of the arm
    J = ball * length**2 + sleeve * (2 * length * s) ** 2
    asked = speeds**2 * ball * length**2 * s * c - (ball + 2 * sleeve) * G * length * s
    assert_allclose(at_first, asked / J, rtol=1e-9, atol=1e-9)
    assert at_first[0] < 0 < at_first[1]
    assert_allclose(run["A"][2], np.pi / 3, atol=1e-9)
    assert run.audit.residual.max() < 1e-10


GOVERNOR = """
korba = 1
name = "governor"
[parameters]
w = 10.0
[[body]]
name = "spindle"
mass = 1
inertia = [0.01, 0.01, 0.01]
[[body]]
name = "arm"
mass = 1
com = [0.15, 0, 0.0401923788646684]
[[body]]
name = "link"
[[body]]
name = "sleeve"
mass = 2
[[joint]]
name = "S"
type = "revolute"
parent = "ground"
child = "spindle"
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "A"
type = "revolute"
parent = "spindle"
child = "arm"
at = [0, 0, 0.3]
axis = [0, -1, 0]
drawn = ["30 deg"]
[[joint]]
name = "B"
type = "revolute"
parent = "arm"
child = "link"
at = [0.15, 0, 0.0401923788646684]
axis = [0, 1, 0]
[[joint]]
name = "C"
type = "revolute"
parent = "link"
child = "sleeve"
at = [0, 0, -0.2196152422706632]
axis = [0, 1, 0]
[[joint]]
name = "D"
type = "prismatic"
parent = "spindle"
child = "sleeve"
at = [0, 0, -0.2196152422706632]
axis = [0, 0, 1]
[[drive]]
name = "spin"
type = "joint"
joint = "S"
position = "w*t"
"""

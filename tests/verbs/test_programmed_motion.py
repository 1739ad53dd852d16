"""Programmed motion: a point follows a path, whatever the arm, in a motion that can happen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.expr import evaluate


def planar(*lengths, **more):
    """A planar arm in the vertical plane, stretched along x in the drawing."""
    bodies, joints, x = [], [], 0.0
    for i, length in enumerate(lengths):
        before = f"l{i}" if i else "ground"
        bodies.append(kb.Body(f"l{i + 1}", 2.0, com=(x + length / 2, 0), inertia=0.05))
        joints.append(kb.Revolute(f"J{i + 1}", before, f"l{i + 1}", at=(x, 0)))
        x += length
    return kb.Mechanism("planar arm", bodies, joints, plane="xy", **more), f"l{len(lengths)}", x


def rates(t, values):
    """Derivatives in time of smooth samples, by a spline of order 5."""
    from scipy.interpolate import make_interp_spline

    return make_interp_spline(t, values, k=5).derivative()(t)


def consistent(motion, tolerance=1e-7):
    """v is the rate of q, a the rate of v, and power the rate of work."""
    inner = slice(5, -5)
    for first, second in (("q", "v"), ("v", "a"), ("work", "power")):
        before, wanted = (
            motion[name] if name in motion.names else getattr(motion, name)
            for name in (first, second)
        )
        found, wanted = rates(motion.t, before)[inner], wanted[inner]
        assert_allclose(found, wanted, atol=tolerance * max(1, np.abs(wanted).max()))


def test_a_redundant_arm_takes_the_least_velocity():
    """Four joints, two components: on the path, smooth, and v without part that J does not see."""
    m, body, x = planar(0.5, 0.4, 0.3, 0.2)
    t = np.linspace(0, 1, 201)
    motion = kb.programmed_motion(
        m,
        t,
        body=body,
        point=(x, 0),
        path=("0.8 + 0.2*cos(2*t)", "0.2*sin(2*t)"),
        q={"J1": -0.6, "J2": "50 deg", "J3": 0.3, "J4": 0.2},
    )
    assert motion["path_error"].max() < 1e-12
    consistent(motion)
    J = kb.jacobian(m, motion.q, body, (x, 0))[:, 3:5]
    seen = np.einsum("tij,tj->ti", np.linalg.pinv(J) @ J, motion.v)
    assert_allclose(seen, motion.v, atol=1e-12)
    assert_allclose(motion["J2"], motion.q[:, 1])
    with pytest.raises(kb.StructureError, match="J9"):
        motion["J9"]
    assert motion.coordinates == m.coordinates


def test_the_speed_is_that_of_the_point():
    """Along a curve whose parameter is no length the point has the given speed."""
    m, body, x = planar(0.5, 0.6)
    t = np.linspace(0, 0.6, 121)
    speed = "0.3 + 0.2*sin(5*t)"
    motion = kb.programmed_motion(
        m,
        t,
        body=body,
        point=(x, 0),
        path=("0.6 + 0.1*s^2", "0.2 + 0.3*s"),
        speed=speed,
        q=[-0.5, 1.5],
    )
    J = kb.jacobian(m, motion.q, body, (x, 0))[:, 3:5]
    velocity = np.einsum("tij,tj->ti", J, motion.v)
    assert_allclose(np.linalg.norm(velocity, axis=1), 0.3 + 0.2 * np.sin(5 * t), rtol=1e-10)
    x_, y, _ = motion.point(body, (x, 0)).position.T
    assert_allclose(x_, 0.6 + 0.1 * ((y - 0.2) / 0.3) ** 2, atol=1e-13)
    consistent(motion)


def test_work_is_what_the_energy_gains():
    """Torques do the work T + V gains, with a coupled joint and a rotor in the arm."""
    m, body, x = planar(0.5, 0.6, 0.2, couplings=[kb.Coupling("hand", "J3", "-J1 - 2*J2")])
    geared = replace(m.joints[1], rotor=kb.Rotor(ratio=30.0, mass=0.2, inertia=1e-4))
    m = replace(m, joints=[m.joints[0], geared, m.joints[2]])
    t = np.linspace(0, 0.9, 46)
    speed = kb.speed_profile("0.5 m/s", rise="0.2 s", cruise="0.4 s", fall=0.3)
    motion = kb.programmed_motion(
        m, t, body=body, point=(x, 0), direction=(-1, 1), speed=speed, q=[-0.3, 1.2]
    )
    total = sum(kb.energy(m, motion.q, motion.v))
    assert_allclose(motion["work"], total - total[0], atol=1e-9)
    path = motion.point(body, (x, 0)).position
    stroke = np.linalg.norm(path[-1] - path[0])
    assert_allclose(stroke, 0.5 * (0.1 + 0.4 + 0.15), atol=1e-12)
    assert motion["path_error"].max() < 1e-13


def test_joints_with_quaternions_stay_unit():
    """A ball joint and a slide: the point follows a line in space."""
    bodies = [kb.Body("a", 1, (0.3, 0, 0), (0.1, 0.1, 0.1)), kb.Body("b", 1, (0.8, 0, 0))]
    joints = [
        kb.Spherical("S", "ground", "a", at=(0, 0, 0)),
        kb.Prismatic("P", "a", "b", at=(0.6, 0, 0), axis=(1, 0, 0)),
    ]
    m = kb.Mechanism("telescope", bodies, joints)
    t = np.linspace(0, 1, 101)
    curve = kb.Curve((0, 0.5, 1.0), (0.1, 0.4, 0.2))
    motion = kb.programmed_motion(
        m, t, body="b", point=(1, 0, 0), direction=(0.3, 1, -0.5), speed=curve
    )
    assert_allclose(np.linalg.norm(motion.q[:, :4], axis=1), 1, atol=1e-12)
    assert motion["path_error"].max() < 1e-12
    assert_allclose(rates(t, motion.v)[5:-5], motion.a[5:-5], atol=1e-6)


def test_free_components_and_fixed_joints():
    """Height alone is prescribed while one joint stands still."""
    m, body, x = planar(0.5, 0.4, 0.3)
    t = np.linspace(0, 0.5, 26)
    options = {"body": body, "point": (x, 0), "q": [0.2, 0.5, 0.4]}
    still = kb.programmed_motion(m, t, direction=(0, 1), speed="0*t", **options)
    here = still.point(body, (x, 0)).position[0, 1]
    motion = kb.programmed_motion(
        m, t, path=(None, f"{float(here)!r} + 0.2*t^2"), held=["J2"], **options
    )
    path = motion.point(body, (x, 0)).position
    assert_allclose(path[:, 1], here + 0.2 * t**2, atol=1e-14)
    assert_allclose(motion["J2"], 0.5, rtol=0, atol=0)
    assert np.ptp(path[:, 0]) > 1e-3


def test_a_singular_position_is_named_with_its_time():
    """An arm driven to its full length stops with the time and the coordinates."""
    m, body, x = planar(0.5, 0.5)
    options = {"body": body, "point": (x, 0), "q": [-0.5, 1.0]}
    reach = 2 * 0.5 * np.cos(0.5)
    moment = (1 - reach) / 0.2
    with pytest.raises(kb.StructureError, match=rf"singular.*t = {moment:.3f}.*J1 = .*J2 = "):
        kb.programmed_motion(m, [0, 1], direction=(1, 0), speed="0.2", **options)
    with pytest.raises(kb.StructureError, match="away from the path"):
        kb.programmed_motion(m, [0, 1], path=("1.5", "t"), **options)


def test_the_speed_profile_is_smooth():
    """Value and rate are continuous, the top is reached, the stroke is as stated."""
    law = kb.speed_profile(1.0, rise=0.1, cruise=0.6)
    t = np.linspace(-0.1, 0.9, 100_001)
    u = evaluate(law, {"t": t})
    expected = [0, 200 * 0.025**2, 0.5, 1 - 200 * 0.025**2, 1, 1, 0.5, 200 * 0.01**2, 0]
    at = [0, 0.025, 0.05, 0.075, 0.1, 0.4, 0.75, 0.79, 0.85]
    assert_allclose(evaluate(law, {"t": np.array(at)}), expected, atol=1e-13)
    assert np.abs(np.diff(u, 2)).max() < 1.1 * 400 * (t[1] - t[0]) ** 2
    assert_allclose(np.trapezoid(u, t), 0.7, atol=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"direction": None}, "either path or direction"),
        ({"path": ("s", "0")}, "either path or direction"),
        ({"speed": None}, "speed"),
        ({"direction": (0, 0)}, "direction"),
        ({"times": [0, 0]}, "times"),
        ({"q": {"J9": 1}}, "J9"),
        ({"q": [1, 2, 3]}, "q"),
        ({"held": "J9"}, "J9"),
        ({"held": ["J1", "J2"]}, "no joint"),
        ({"body": "hand"}, "there is no body"),
        ({"direction": None, "path": ("s", "0", "0", "0")}, "two or three"),
        ({"direction": None, "path": ("x", "0")}, "unknown name"),
    ],
)
def test_what_makes_no_sense_is_said(change, message):
    """Every argument is checked at the door."""
    m, body, x = planar(0.5, 0.6)
    given = {"times": [0, 1], "body": body, "point": (x, 0), "direction": (1, 0)}
    given |= {"speed": "0.1", "q": [-0.5, 1.5]} | change
    with pytest.raises(kb.KorbaError, match=message):
        kb.programmed_motion(m, given.pop("times"), **given)


@pytest.mark.parametrize("times", [{"rise": 0.0}, {"rise": 1.0, "cruise": -1}])
def test_a_speed_profile_takes_time(times):
    """A rise without time or a negative cruise is refused."""
    with pytest.raises(kb.StructureError, match="rise"):
        kb.speed_profile(1.0, **times)

"""Derivatives of motions and configurations by sizes, through the loops."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

SLIDER_CRANK = """
korba = 1
name = "slider-crank"
plane = "xy"
[parameters]
crank = "50 mm"
rod = "3*crank"
offset = "10 mm"
speed = "20 rad/s"
[[body]]
name = "crank"
mass = "1 kg"
[[body]]
name = "rod"
mass = "0.5 kg"
com = ["crank + rod/2", "offset/2"]
inertia = "0.001 kg*m^2"
points = {P = ["crank + rod/3", "20 mm"]}
[[body]]
name = "slider"
mass = "0.2 kg"
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [0, 0]
[[joint]]
name = "B"
type = "revolute"
parent = "crank"
child = "rod"
at = ["crank", 0]
[[joint]]
name = "C"
type = "revolute"
parent = "rod"
child = "slider"
at = ["crank + sqrt(rod^2 - offset^2)", "offset"]
[[joint]]
name = "D"
type = "prismatic"
parent = "ground"
child = "slider"
at = ["crank + sqrt(rod^2 - offset^2)", "offset"]
axis = [1, 0]
[[drive]]
name = "motor"
type = "joint"
joint = "A"
position = "0.4 rad + speed*t + 0.3 rad*sin(speed*t)"
"""
STEWART_LEG = """
korba = 1
name = "rod on balls"
[parameters]
arm = "0.4 m"
rod = "1 m"
[[body]]
name = "arm"
[[body]]
name = "rod"
[[body]]
name = "rocker"
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "S"
type = "spherical"
parent = "arm"
child = "rod"
at = ["arm", 0, 0]
[[joint]]
name = "T"
type = "spherical"
parent = "rod"
child = "rocker"
at = ["arm", "rod", 0.2]
[[joint]]
name = "D"
type = "revolute"
parent = "ground"
child = "rocker"
at = [1, "rod", 0]
axis = [0, 1, 0]
[[drive]]
name = "motor"
type = "joint"
joint = "A"
position = "0.3*sin(t)"
"""
TIMES = np.linspace(0, 0.1, 7)


def difference(function, x, h):
    """d f/dx by central differences with Richardson's two extrapolations: error h^6."""
    D = [(function(x + d) - function(x - d)) / (2 * d) for d in (h, h / 2, h / 4)]
    D = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(D)]
    return (16 * D[1] - D[0]) / 15


@pytest.mark.parametrize("name", ["crank", "rod", "offset", "speed"])
def test_a_motion_by_its_sizes(name):
    """dq/dp, dv/dp and da/dp, and those of a named point, are the limits of differences."""
    m = kb.loads(SLIDER_CRANK)
    s = kb.sensitivity(kb.motion(m, TIMES), ("offset", name) if name != "offset" else name)
    P = s.point("rod", "P")[name]
    parts = {
        lambda moved: moved.q: s.q[name],
        lambda moved: moved.v: s.v[name],
        lambda moved: moved.a: s.a[name],
        lambda moved: moved.point("rod", "P").position: P.position,
        lambda moved: moved.point("rod", "P").acceleration: P.acceleration,
    }
    nominal = {"crank": 0.05, "rod": 0.15, "offset": 0.01, "speed": 20.0}[name]
    for part, found in parts.items():

        def other(x, part=part):
            return part(kb.motion(kb.redimension(m, **{name: x}), TIMES))

        expected = difference(other, nominal, 0.01 * nominal)
        assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_the_slider_by_closed_form():
    """x = r cos A + sqrt(l^2 - (e - r sin A)^2): dx/dl, to rounding."""
    m = kb.loads(SLIDER_CRANK)
    moved = kb.motion(m, TIMES)
    A, r, length, e = moved["A"], 0.05, 0.15, 0.01
    root = np.sqrt(length**2 - (e - r * np.sin(A)) ** 2)
    found = kb.sensitivity(moved, "rod").point("slider", (0.2, 0.0))["rod"].position[:, 0]
    drawn = length / np.sqrt(length**2 - e**2)  # the body's frame is drawn with the slider
    assert_allclose(found, length / root - drawn, rtol=0, atol=1e-13)


def test_a_verb_along_the_motion():
    """What a verb says of the motion changes by the chain rule."""
    m = kb.loads(SLIDER_CRANK)
    moved = kb.motion(m, TIMES)
    found = kb.sensitivity(moved, "crank").of(kb.velocity, body="rod", point="P")["crank"]
    P = kb.sensitivity(moved, "crank").point("rod", "P")["crank"]
    assert_allclose(found[:, 3:], P.velocity, atol=1e-12 * np.abs(P.velocity).max())


def test_a_configuration_by_its_sizes():
    """A configuration with a coordinate held, against differences of others."""
    m = kb.loads(SLIDER_CRANK)
    at = {"A": "70 deg"}
    found = kb.sensitivity(kb.assemble(m, at), ("rod",))

    def q(rod):
        return kb.assemble(kb.redimension(m, rod=rod), at).q

    assert_allclose(found.q["rod"], difference(q, 0.15, 0.002), rtol=0, atol=1e-9)
    assert not found.v["rod"].any()


def test_through_balls_in_space():
    """Quaternions and an idle rod: points of the rocker move as differences say."""
    m = kb.loads(STEWART_LEG)
    found = kb.sensitivity(kb.motion(m, TIMES * 10), "rod").point("rocker", (0.5, 0.2, 0.1))

    def position(rod):
        moved = kb.motion(kb.redimension(m, rod=rod), TIMES * 10)
        return moved.point("rocker", (0.5, 0.2, 0.1)).acceleration

    expected = difference(position, 1.0, 0.02)
    assert_allclose(found["rod"].acceleration, expected, rtol=0, atol=1e-9)


def test_designs_of_a_batch_each_at_its_own_sizes():
    """Lane by lane the sensitivity of a batch is that of the design's own motion.

    `rod` is three cranks where it is not given; a design that cannot be closed is nan.
    """
    m = kb.loads(SLIDER_CRANK)
    crank, offset = np.array([0.04, 0.05, 0.07]), np.array([[0.0], [0.02]])
    for names, given in (
        (("rod", "speed"), {"crank": crank, "offset": offset}),
        (("crank",), {"rod": np.array([0.15, 0.2, 0.005])}),
    ):
        moved = kb.motion(m, TIMES, parameters=given)
        batch = kb.sensitivity(moved, names)
        for place in np.ndindex(moved.shape):
            for name in names:
                P = batch.point("rod", "P")[name].acceleration[..., :2]
                parts = (batch.q[name], batch.a[name], P)
                if moved.status[place] == "failed":
                    assert all(np.isnan(part[place]).all() for part in parts)
                    continue
                one = moved.run(place)
                own = kb.sensitivity(one, names)
                point = own.point("rod", "P")[name].acceleration[:, :2]
                for part, expected in zip(parts, (own.q[name], own.a[name], point), strict=True):
                    atol = 1e-10 * max(1.0, float(np.abs(expected).max()))
                    assert_allclose(part[place], expected, rtol=0, atol=atol)


def test_what_has_no_sensitivity_says_so():
    """Simulations, other mechanisms, no sizes and free mechanisms are refused."""
    m = kb.loads(SLIDER_CRANK)
    moved = kb.motion(m, TIMES)
    for wrong, message in [
        (lambda: kb.sensitivity(moved, ()), "name one or more"),
        (lambda: kb.sensitivity(moved, "bolt"), "no parameter 'bolt'"),
        (lambda: kb.sensitivity(moved, "rod").of(kb.forward_dynamics), "a verb of q, v and a"),
    ]:
        with pytest.raises(kb.StructureError, match=message):
            wrong()

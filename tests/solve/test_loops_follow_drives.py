"""Closed mechanisms in motion: the same laws on every mechanism that has a loop."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.solve.assemble import assemble
from korba.solve.motion import loops_of, motion

FILES = Path(__file__).parents[2] / "examples" / "structure"
CASES = {
    "fig_1_10a_valve_gear": ["A"],
    "fig_1_11_five_bar_robot": ["A", "B"],
    "fig_1_12_parallel_manipulator": ["A", "B", "C"],
    "fig_1_16a_cam_and_follower": ["A"],
    "fig_1_16b_cam_and_roller": ["A"],
    "fig_1_19b_doubled_parallelogram": ["A"],
    "fig_1_21a_r2sr": ["A"],
    "fig_1_21d_spherical_four_bar": ["A"],
    "fig_1_23_4r_3_bennett": ["A"],
    "fig_1_30a_four_bar_in_space": ["A"],
}


def drawn_value(m, name):
    for joint in m.joints:
        if name in joint.coordinates():
            return float(joint.drawn_coordinates[joint.coordinates().index(name)])
    raise KeyError(name)


def driven(name):
    m = kb.load(FILES / f"{name}.toml")
    laws = [f"{drawn_value(m, c)!r} + 0.1*t + 0.1*sin(2*t)" for c in CASES[name]]
    drives = [kb.JointDrive(f"drive {c}", c, law) for c, law in zip(CASES[name], laws, strict=True)]
    return replace(m, drives=drives)


@pytest.mark.parametrize("name", CASES)
def test_loops_stay_closed_and_rates_are_derivatives(name):
    """Residuals at rounding level; v and a are what finite differences of q and v give."""
    t = np.linspace(0, 1, 201)
    done = motion(driven(name), t)
    assert done.audit.residual < 1e-13
    own = loops_of(done).own
    h = t[1] - t[0]
    rates = (done.q[2:] - done.q[:-2]) / (2 * h)
    for k in np.flatnonzero(own >= 0):
        size = max(1.0, np.abs(done.a[:, own[k]]).max())
        assert_allclose(rates[:, k], done.v[1:-1, own[k]], atol=20 * h**2 * size)
    change = (done.v[2:] - done.v[:-2]) / (2 * h)
    assert_allclose(change, done.a[1:-1], atol=200 * h**2 * max(1.0, np.abs(done.a).max()))


@pytest.mark.parametrize("name", ["fig_1_11_five_bar_robot", "fig_1_21d_spherical_four_bar"])
def test_points_move_at_the_derivative_of_their_position(name):
    """Velocity and acceleration of a point of every body, by finite differences."""
    t = np.linspace(0, 1, 401)
    done = motion(driven(name), t)
    h = t[1] - t[0]
    for body in done.mechanism.bodies:
        point = done.point(body.name, (0.1, 0.2, 0.0))
        size = max(1.0, np.abs(point.acceleration).max())
        speed = (point.position[2:] - point.position[:-2]) / (2 * h)
        assert_allclose(speed, point.velocity[1:-1], atol=20 * h**2 * size)
        change = (point.velocity[2:] - point.velocity[:-2]) / (2 * h)
        assert_allclose(change, point.acceleration[1:-1], atol=200 * h**2 * size)


def four_bar(**more):
    """Example 3.3 of the book, drawn at 90 deg: a = 0.2, b = c = 0.6, d = 0.8."""
    B = np.array([0.0, 0.2])
    D = np.array([0.8, 0.0])
    half = 0.5 * np.linalg.norm(D - B)
    up = np.array([0.2, 0.8]) / np.hypot(0.2, 0.8)
    C = 0.5 * (B + D) + np.sqrt(0.36 - half**2) * up
    bodies = [kb.Body(name, 1.0, (0, 0), 0.1) for name in ("crank", "coupler", "rocker")]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=D),
    ]
    return kb.Mechanism("four-bar", bodies, joints, plane="xy", **more), C


def test_four_bar_of_example_3_3():
    """Angular velocities of coupler and rocker at 90 deg for 10 rad/s (3.38)."""
    m, _ = four_bar(drives=[kb.JointDrive("motor", "A", "10*t")])
    done = motion(m, [0.0])
    assert_allclose(done.body("coupler").angular_velocity[0, 2], -1.637424, atol=5e-7)
    assert_allclose(done.body("rocker").angular_velocity[0, 2], 2.813895, atol=5e-7)


@pytest.mark.parametrize(
    ("theta", "expected"),
    [(np.pi / 3, (0.56519215, 0.55214606)), (np.pi, (0.3, 0.33166248))],
)
def test_assembled_positions_of_the_table(theta, expected):
    """Point C of the open branch at the crank angles of the recomputed table."""
    m, C = four_bar()
    found = assemble(m, {"A": theta - np.pi / 2})
    turn = found["D"]
    arm = C - (0.8, 0)
    c, s = np.cos(turn), np.sin(turn)
    assert_allclose((0.8 + c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]), expected, atol=5e-9)
    assert found.followed
    assert found.residual < 1e-13


def test_a_dead_point_is_located():
    """Driven by its rocker the four-bar stops where crank and coupler are in line."""
    m, C = four_bar(drives=[kb.JointDrive("motor", "D", "-t")])
    with pytest.raises(kb.KorbaError, match="dead point") as caught:
        motion(m, np.linspace(0, 1, 50))
    start = np.arctan2(C[1], C[0] - 0.8)
    end = np.pi - np.arccos((0.64 + 0.36 - 0.64) / (2 * 0.8 * 0.6))
    assert caught.value.t == pytest.approx(start - end, abs=1e-9)
    assert len(caught.value.motion.t) > 3


def test_a_loop_that_cannot_close_is_named():
    """The error says which loop is open, by how much, and what lengths would close it."""
    m, _ = four_bar()
    with pytest.raises(kb.KorbaError, match=r"assembled with D = 57\.2958 deg") as caught:
        assemble(m, {"D": 1.0})
    text = str(caught.value)
    assert "loop through joint 'C' stays open by" in text
    assert "'coupler' (0.6 m from B to C)" in text


def test_too_few_drives_are_refused():
    """A mechanism with more freedoms than drives is not guessed at."""
    m, _ = four_bar()
    with pytest.raises(kb.StructureError, match="1 freedom more than its 0 drives"):
        motion(m, [0.0, 1.0])


@pytest.mark.parametrize("times", ["soon", [0.0, 0.0], [1.0, 0.5], [0.0, np.nan], [[0, 1], [2, 3]]])
def test_wrong_times_are_explained(times):
    """Times that do not increase, are not finite or are no numbers are refused with an example."""
    m, _ = four_bar(drives=[kb.JointDrive("motor", "A", "10*t")])
    with pytest.raises(kb.StructureError, match="times: expected increasing finite times, such as"):
        motion(m, times)


def test_columns_by_name_are_the_arrays():
    """`motion["A"]`, `motion["v_A"]` and `motion["a_A"]` are columns of q, v and a."""
    m, _ = four_bar(drives=[kb.JointDrive("motor", "A", "10*t + t^2")])
    done = motion(m, np.linspace(0, 0.1, 5))
    for prefix, table in (("", done.q), ("v_", done.v), ("a_", done.a)):
        for k, name in enumerate("ABCD"):
            assert_allclose(done[prefix + name], table[:, k], rtol=0, atol=0)
    with pytest.raises(kb.StructureError, match="there is no column 'E'; there are t, A, B"):
        done["E"]


@pytest.mark.parametrize("over", [3e-11, 1e-9, 1e-3])
def test_a_table_that_passes_the_dead_centre_says_by_how_much(over):
    """A piston asked beyond its reach, however little: the value in full, loop and residual."""
    m = replace(kb.linkages.slider_crank(0.1, 0.4, at="60 deg"), drives=())
    asked = f"slide = {0.5 + over:.12g}"
    for ask in (
        lambda: kb.assemble(m, {"slide": 0.5 + over}),
        lambda: kb.assemble(m, {"slide": np.append(np.linspace(0.45, 0.49, 5), 0.5 + over)}),
    ):
        with pytest.raises(kb.AssemblyError, match=asked) as caught:
            ask()
        gap = re.search(r"loop through joint 'C' stays open by (\S+) m", str(caught.value))
        assert float(gap[1]) == pytest.approx(over, rel=1e-3)
        assert f"'rod' (0.4 m from B to C) by about {over:.3g} m" in str(caught.value)


@pytest.mark.parametrize("over", [3e-12, 3e-11, 1e-9, 1e-8])
def test_a_slow_wave_that_passes_the_dead_centre_is_told_where(over):
    """A piston led so softly beyond its reach that its crank moves 1e-5 rad: a dead point.

    s(t) = 0.5 - a + over + a sin(2 pi t) reaches 0.5 m where a (2 pi x)^2 / 2 = over, x before its
    top; the residual of closed loops hides `within` metres of it.
    """
    a, within = 1e-7, 2.5e-12
    law = f"{0.5 - a + over!r} m + {a} m*sin(2*pi*t)"
    slide = kb.linkages.slider_crank(0.1, 0.4, at="60 deg")
    m = replace(slide, drives=[kb.JointDrive("push", "slide", law)])
    with pytest.raises(kb.DeadPointError, match=r"dead point at .*A, B, C in line") as caught:
        motion(m, np.linspace(0, 1, 41))
    missed = 0.5 - a + over + a * np.sin(2 * np.pi * caught.value.t) - 0.5
    assert abs(missed) < within


@pytest.mark.parametrize("ask", [kb.assemble, lambda m: motion(m, [0.0, 1.0])])
def test_what_does_not_close_names_the_crank_angle_of_its_drive(ask):
    """Not only the time: where the drive puts the crank then."""
    short = kb.redimension(kb.linkages.four_bar(0.1, 0.3, 0.25, 0.3), c=0.02)
    with pytest.raises(kb.AssemblyError, match=re.escape("at t = 0 s (A = 30 deg):")):
        ask(short)

"""Examples 2.7-2.9 and the pairs of section 2.3.3 in absolute coordinates, and the engine."""

from dataclasses import replace

import numpy as np
import pytest
from book_mechanisms import START_3_5, at, bodies, yoke_of_example_3_5
from engine_by_numpy import body_states, by_numpy, engine_assembled, engine_motion, link_states
from numpy.testing import assert_allclose

import korba as kb
from korba.course import (
    Law,
    absolute_motion,
    absolute_system,
    circles_meet,
    law,
    planar_matrix,
    start_by_minimisation,
)


def turned_to(body, angle):
    """A driver of the angle of a link (2.96)."""
    return kb.BodyDrive(f"angle of {body}", body, angle=repr(float(angle)))


def test_example_2_7_yoke():
    """Example 2.7, (2.110): rows as printed, both configurations, and the engine."""
    a, b, w, turn = 0.18, 0.62, 0.2, np.pi / 4
    B = np.array([a * np.cos(turn), w + a * np.sin(turn)])
    lean = np.arccos(B[1] / b)
    slid = B[0] + b * np.sin(lean)
    joints = [
        kb.Revolute("A", "ground", "1", on_parent=at(0, w), drawn=turn),
        kb.Revolute("B", "2", "1", on_parent=at(0, b), on_child=at(a, 0), drawn=turn - lean),
        kb.PinInSlot("C", "ground", "2", axis=(1, 0), on_child=at(0, 0), drawn=(slid, lean)),
    ]
    drives = [turned_to("1", turn)]
    m = kb.Mechanism("yoke", bodies("1", "2"), joints, plane="xy", drives=drives)
    system = absolute_system(m)
    q = np.random.default_rng(2).normal(size=6)
    x_1, y_1, t_1, x_2, y_2, t_2 = q
    printed = [
        x_1,
        y_1 - w,
        x_1 + a * np.cos(t_1) - x_2 + b * np.sin(t_2),
        y_1 + a * np.sin(t_1) - y_2 - b * np.cos(t_2),
        y_2,
    ]
    assert_allclose(system.rows(q).phi[:5], printed, atol=1e-15)
    balance = system.balance()
    assert (balance.pair_equations, balance.driver_equations, balance.unknowns) == (5, 1, 6)
    assert (balance.redundant, balance.free) == (0, 0)
    q, _ = system.position(0.0, [0, w, 0.8, 0.6, 0, 1.0])
    assert_allclose(q[[3, 5]], [0.65386094, 1.01470594], atol=5e-9)
    other, _ = system.position(0.0, [0, w, 0.8, -0.4, 0, -1.0])
    assert_allclose(other[3], -0.39930250, atol=5e-9)
    found = engine_assembled(m, {"A": turn + 0.5})
    further = absolute_system(replace(m, drives=[turned_to("1", turn + 0.5)]))
    moved, _ = further.position(0.0, q)
    assert_allclose(found["C.stroke"], moved[3], atol=1e-10)


def test_example_2_7_from_the_start_of_the_drawing():
    """Example 2.7 with the frames of 3.5: the book's rough start leads to the solution."""
    system = absolute_system(yoke_of_example_3_5())
    q, sizes = system.position(0.0, START_3_5)
    expected = [0.04949747, 0.24949747, 0.78539816, 0.44152960, 0.13196743, 2.58550226]
    assert_allclose(q, expected, atol=5e-9)
    assert sizes[3] < 1e-9
    c, s = np.cos(q[5]), np.sin(q[5])
    M = q[3:5] + np.array([[c, -s], [s, c]]) @ [0.23, -0.2]
    assert_allclose(M, [0.35175871, 0.42324253], atol=5e-9)


def test_example_2_8_serial_manipulator():
    """Example 2.8, corrected (2.111)-(2.113): rows, the balance 4 + 2, and the gripper's path."""
    a, b, c = 0.3, 0.25, 0.2
    K = np.array([0.35, 0.05])
    joints = [
        kb.Revolute("A", "ground", "1", on_child=at(-a, 0), drawn=0.2),
        kb.Revolute("B", "2", "1", on_parent=at(-c, 0), on_child=at(b, 0), drawn=0.2 - 0.9),
    ]
    drive = kb.PointDrive("path", "2", K, x="0.7 + 0.1*sin(t)", y="0.3 + 0.1*t")
    m = kb.Mechanism("arm", bodies("1", "2"), joints, plane="xy", drives=[drive])
    system = absolute_system(m)
    q = np.random.default_rng(3).normal(size=6)
    x_1, y_1, t_1, x_2, y_2, t_2 = q
    expected = [
        x_1 - a * np.cos(t_1),
        y_1 - a * np.sin(t_1),
        x_1 + b * np.cos(t_1) - x_2 + c * np.cos(t_2),
        y_1 + b * np.sin(t_1) - y_2 + c * np.sin(t_2),
    ]
    assert_allclose(system.rows(q).phi[:4], expected, atol=1e-15)
    balance = system.balance()
    assert (balance.pair_equations, balance.driver_equations, balance.rank) == (4, 2, 6)
    done = absolute_motion(system, np.linspace(0, 1, 5))
    path = np.column_stack([0.7 + 0.1 * np.sin(done.t), 0.3 + 0.1 * done.t])
    assert_allclose(done.point("2", K).position[:, :2], path, atol=1e-12)
    engine = engine_motion(m, done.t)
    for name in "12":
        for mine, other in zip(link_states(done, name), body_states(engine, name), strict=True):
            assert_allclose(mine, other, atol=1e-10)


GENERATOR = {"a": 0.1, "b": 0.2, "c_1": 0.15, "c_2": -0.15, "d": 0.2, "e": 0.1, "h": 0.3, "g": 0.1}


def generator(which, turn_1=60.0, turn_4=100.0):
    """Example 2.9 with the synthetic sizes, drawn in one of its two configurations."""
    a, b, c_1, c_2, d, e, h, g = GENERATOR.values()
    t_1, t_4 = np.radians([60.0, 100.0])
    B = 2 * a * np.array([np.cos(t_1), np.sin(t_1)])
    D = np.array([h, -g]) + 2 * e * np.array([np.cos(t_4), np.sin(t_4)])
    C = circles_meet(B, c_1 - c_2, D, 2 * d)[which]
    t_2, t_3 = np.arctan2(B[0] - C[0], C[1] - B[1]), np.arctan2(*(C - D)[::-1])
    on = [
        ("A", "ground", (0, 0), "1", (-a, 0), t_1),
        ("B", "2", (-b, c_2), "1", (a, 0), t_1 - t_2),
        ("C", "3", (d, 0), "2", (-b, c_1), t_2 - t_3),
        ("D", "4", (e, 0), "3", (-d, 0), t_3 - t_4),
        ("E", "4", (-e, 0), "ground", (h, -g), -t_4),
    ]
    joints = [
        kb.Revolute(name, j, k, on_parent=at(*s_j), on_child=at(*s_k), drawn=angle)
        for name, j, s_j, k, s_k, angle in on
    ]
    drives = [turned_to("1", np.radians(turn_1)), turned_to("4", np.radians(turn_4))]
    return kb.Mechanism("generator", bodies(*"1234"), joints, plane="xy", drives=drives)


SOLUTIONS_2_9 = [
    [0.31238528, 0.30508568, -0.08781960, 0.19579120, 0.28450527, 1.92558887],
    [-0.14778733, 0.20639298, 2.36494689, 0.07750155, 0.02809304, -2.79005423],
]


@pytest.mark.parametrize("middle", SOLUTIONS_2_9)
def test_example_2_9_trajectory_generator(middle):
    """Example 2.9, corrected (2.122): both solutions from rough starts, and the engine's."""
    t_1, t_4 = np.radians([60, 100])
    ends = [0.05, 0.09, t_1], [0.28, 0.0, t_4]
    rough = [*ends[0], *np.round(middle, 1), *ends[1]]
    for which in (0, 1):
        m = generator(which)
        system = absolute_system(m)
        if np.abs(system.start[3:9] - middle).max() < 1e-6:
            break
    balance = system.balance()
    assert (balance.pair_equations, balance.driver_equations, balance.unknowns) == (10, 2, 12)
    better = start_by_minimisation(lambda q: system.rows(q).phi, rough, weight=1e4).x
    q, _ = system.position(0.0, better)
    expected = [0.05, 0.08660254, t_1, *middle, 0.28263518, -0.00151922, t_4]
    assert_allclose(q, expected, atol=5e-9)
    assert np.abs(system.rows(better).phi).max() < np.abs(system.rows(rough).phi).max()
    points = [(1, (-0.1, 0)), (4, (-0.1, 0))]
    ground = [planar_matrix(*q[3 * i - 3 : 3 * i]) @ [*s, 1] for i, s in points]
    assert_allclose(ground, [[0, 0, 1], [0.3, -0.1, 1]], atol=1e-12)
    found = engine_assembled(replace(m, drives=()), {"A": t_1 + 0.1, "E": -t_4 + 0.1})
    moved, _ = absolute_system(
        generator(which, 60 + np.degrees(0.1), 100 - np.degrees(0.1))
    ).position(0.0, q)
    assert_allclose(found["A"] - found["B"], moved[5], atol=1e-10)


DISC = "0.02*cos(beta) + sqrt(0.05**2 - 0.02**2*sin(beta)**2)"


def disc_points():
    beta = np.linspace(0, 2 * np.pi, 721)
    return np.column_stack(
        [beta, 0.02 * np.cos(beta) + np.sqrt(0.0025 - 0.0004 * np.sin(beta) ** 2)]
    )


PROFILES = {
    "text": DISC,
    "function": lambda b: 0.02 * np.cos(b) + (0.0025 - 0.0004 * np.sin(b) ** 2) ** 0.5,
    "points": disc_points(),
    "curve": kb.Curve(tuple(disc_points()[:, 0]), tuple(disc_points()[:, 1]), periodic=True),
}


def cam_system(kind, profile):
    """A cam that turns by t about the origin, and a follower that slides on the y axis."""
    shape = law(profile, "beta")
    profile = shape.orders[0] if isinstance(shape, Law) else shape
    y = np.sqrt(0.06**2 - 0.02**2) if kind == "roller" else 0.05
    touch = np.array([0.02, 0.0]) + 0.05 / 0.06 * np.array([-0.02, y])
    contact = {
        "roller": lambda: kb.CamRoller(
            "C", "cam", "follower", at=(0, 0), profile=profile, radius=0.01,
            drawn=(np.arctan2(*touch[::-1]), 0),
        ),
        "flat": lambda: kb.CamFlat(
            "C", "cam", "follower", at=(0, 0), profile=profile,
            drawn=(np.arctan2(0.05, 0.02), -0.02),
        ),
    }  # fmt: skip
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("B", "ground", "follower", at=(0, 0), axis=(0, 1)),
        contact[kind](),
    ]
    both = [kb.Body("cam"), kb.Body("follower", frame=kb.Frame((0, y)))]
    drives = [kb.BodyDrive("turn", "cam", angle="t")]
    return absolute_system(kb.Mechanism("cam", both, joints, plane="xy", drives=drives))


CAMS = {
    "roller": {
        0: (0.0565685425, 1.5002031475),
        30: (0.0674456265, 0.9973566482),
        90: (0.08, 0.0),
        200: (0.0501402176, -1.8429462287),
    },
    "flat": {30: (0.06, 0.7661626497), 200: (0.0431595971, -1.5091735721)},
}
"""Place of the follower and angle of the contact, by the kind of follower and the cam's degrees."""


@pytest.mark.parametrize("form", PROFILES)
@pytest.mark.parametrize("kind", CAMS)
def test_cams_of_section_2_8(form, kind):
    """(2.89), (2.91): an eccentric disc with roller and flat follower, any form of the profile."""
    system = cam_system(kind, PROFILES[form])
    for degrees, (y, beta) in CAMS[kind].items():
        theta = np.radians(degrees)
        q, _ = system.position(theta, [0, 0, theta, 0, y + 0.001, 0, beta + 0.01])
        fine = 5e-11 if form in ("text", "function") else 1e-8
        assert_allclose(q[[4, 6]], [y, beta], atol=fine)
    balance = system.balance()
    assert (balance.unknowns, balance.rank, balance.parameters) == (7, 7, 1)


def test_gears_of_section_2_8():
    """(2.92): wheels of 20 and 40 on a fixed carrier, and rolling round a fixed sun."""
    joints = [
        kb.Revolute("M", "ground", "m", at=(0, 0)),
        kb.Revolute("J", "ground", "j", at=(0, 0)),
        kb.Revolute("K", "m", "k", at=(60, 0)),
        kb.GearMesh("Z", "j", "k", at=(20, 0), x_axis=(1, 0), parent_radius=20, child_radius=40),
    ]
    for fixed, given, wanted in (("mj", (0, 60), -30), ("jm", (0, 90), 135)):
        drives = [
            kb.BodyDrive(body, body, angle=f"{angle} deg * t")
            for body, angle in zip(fixed, given, strict=True)
        ]
        m = kb.Mechanism("gears", bodies(*"jkm"), joints, plane="xy", drives=drives)
        done = absolute_motion(m, [0.0, 1.0])
        assert_allclose(np.degrees(link_states(done, "k")[0][-1, 2]), wanted, atol=1e-12)


def test_the_engine_gives_the_same_cam_motion():
    """Section 2.8: roller cam as a mechanism, absolute coordinates and the engine to 1e-10."""
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("B", "ground", "follower", at=(0, 0), axis=(0, 1)),
        kb.CamRoller(
            "C", "cam", "follower", at=(0, 0), profile=DISC, radius=0.01,
            drawn=(1.5002031475, 0),
        ),
    ]  # fmt: skip
    drives = [kb.JointDrive("camshaft", "A", "6*t")]
    frame = kb.Frame((0, 0.0565685425))
    both = [kb.Body("cam"), kb.Body("follower", frame=frame)]
    m = kb.Mechanism("cam", both, joints, plane="xy", drives=drives)
    times = np.linspace(0, 1, 9)
    found, done = absolute_motion(m, times), engine_motion(m, times)
    y = 0.02 * np.sin(6 * times) + np.sqrt(0.06**2 - 0.0004 * np.cos(6 * times) ** 2)
    assert_allclose(link_states(found, "follower")[0][:, 1], y, atol=1e-9)
    with by_numpy():
        states = link_states(found, "follower"), body_states(done, "follower")
        for mine, engine in zip(*states, strict=True):
            assert_allclose(mine, engine, atol=1e-10)

"""Small motions and equilibria of mechanisms with loops: case P12, closed forms, drives held."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

G = 9.81
FILE = Path(__file__).parent / "reference" / "p12_linearisation.json"
P12 = json.loads(FILE.read_text(encoding="utf-8"))
RESULTS = P12["results"]


def meeting(P, p, Q, r):
    """The point at distances p and r from P and Q, to the left of the way from P to Q."""
    u = (Q - P) / np.hypot(*(Q - P))
    x = (np.hypot(*(Q - P)) + (p * p - r * r) / np.hypot(*(Q - P))) / 2
    return P + x * u + np.sqrt(p * p - x * x) * np.array([-u[1], u[0]])


def rods(density, **ends):
    """Uniform rods between points."""
    made = []
    for name, (P, Q) in ends.items():
        mass = density * np.hypot(*(Q - P))
        made.append(kb.Body(name, mass, tuple((P + Q) / 2), mass * np.sum((Q - P) ** 2) / 12))
    return made


@cache
def four_bar():
    """The four-bar of P12 at the crank angle 1.2 rad, which its coordinate A counts."""
    data = P12["data"]["four_bar"]
    A, D = np.array(data["A"]), np.array(data["D"])
    B = A + data["AB"] * np.array([np.cos(1.2), np.sin(1.2)])
    C = meeting(B, data["BC"], D, data["CD"])
    bodies = rods(data["kg_per_m"], crank=(A, B), coupler=(B, C), rocker=(D, C))
    joints = [
        kb.Revolute("A", "ground", "crank", at=tuple(A), drawn=1.2),
        kb.Revolute("B", "crank", "coupler", at=tuple(B)),
        kb.Revolute("C", "coupler", "rocker", at=tuple(C)),
        kb.Revolute("D", "ground", "rocker", at=tuple(D)),
    ]
    own = data["spring"]
    sizes = {"stiffness": own["k"], "free_length": own["l0"], "damping": own["c"]}
    spring = kb.Spring("spring", "ground", tuple(D), "crank", tuple(B), **sizes)
    return kb.Mechanism("four-bar", bodies, joints, forces=[spring], plane="xy"), B, C, D


@cache
def five_bar():
    """The five-bar of P12, its coordinates A and E the angles of AB and ED."""
    data, angles = P12["data"]["five_bar"], (1.5, 1.4)
    A, E = np.array(data["A"]), np.array(data["E"])
    B, D = (P + 0.3 * np.array([np.cos(x), np.sin(x)]) for P, x in zip((A, E), angles, strict=True))
    C = meeting(B, data["BC"], D, data["CD"])
    bodies = rods(data["kg_per_m"], a=(A, B), b=(B, C), c=(C, D), d=(E, D))
    joints = [
        kb.Revolute("A", "ground", "a", at=tuple(A), drawn=angles[0]),
        kb.Revolute("B", "a", "b", at=tuple(B)),
        kb.Revolute("C", "b", "c", at=tuple(C)),
        kb.Revolute("D", "c", "d", at=tuple(D)),
        kb.Revolute("E", "ground", "d", at=tuple(E), drawn=angles[1]),
    ]
    springs = []
    for name, body, P in (("spring1", "a", B), ("spring2", "b", C)):
        own = data[name]
        sizes = {"stiffness": own["k"], "free_length": own["l0"], "damping": own["c"]}
        springs.append(kb.Spring(name, "ground", tuple(own["base"]), body, tuple(P), **sizes))
    return kb.Mechanism("five-bar", bodies, joints, forces=springs, plane="xy"), C


def same_values(found, published, rtol):
    """Whether two sets of complex numbers are one, whatever their order."""
    wanted = np.array([complex(*pair) for pair in published])
    for value in wanted:
        assert np.abs(found - value).min() <= rtol * abs(value)


def test_all_equilibria_of_the_four_bar():
    """P12: four crank angles on the branch to 1e-9, eigenvalues to 1e-6."""
    m, B, C, D = four_bar()
    places = kb.equilibrium(m, every=60)
    left = []
    for each in places:
        along, up = D - each.point("crank", B)[:2], each.point("coupler", C)[:2] - D
        left += [each] if along[0] * up[1] > along[1] * up[0] else []
    assert_allclose(
        [x["A"] for x in left], [x["crank_angle"] for x in RESULTS["four_bar"]], atol=1e-9
    )
    for each, known in zip(left, RESULTS["four_bar"], strict=True):
        assert each.stable == known["stable"]
        assert each.residual < 1e-9
        same_values(each.system.eigenvalues, known["eigenvalues_re_im"], 1e-9)
        small = kb.linearise(m, each.q, coordinates="A")
        J = kb.mass_matrix(m, each.q, coordinates=("A",))
        assert_allclose(J, [[known["J"]]], rtol=1e-9)
        matrices = -J @ small.A[1:]
        assert_allclose(matrices, [[known["stiffness"], known["damping"]]], rtol=1e-8, atol=1e-9)


def test_the_equilibrium_of_the_five_bar():
    """P12: angles to 1e-9; inertia, stiffness and damping in the published coordinates."""
    m, C = five_bar()
    known = RESULTS["five_bar"]
    rest = kb.equilibrium(m)
    assert_allclose([rest["A"], rest["E"]], [known["angle_AB"], known["angle_ED"]], atol=1e-9)
    assert_allclose(rest.point("b", C)[:2], known["C"], atol=1e-9)
    small = kb.linearise(m, rest.q, coordinates=("A", "E"))
    same_values(small.eigenvalues, known["eigenvalues_re_im"], 1e-9)
    M = kb.mass_matrix(m, rest.q, coordinates=("A", "E"))
    assert_allclose(M, known["mass_matrix"], rtol=1e-9)
    assert_allclose(-M @ small.A[2:, :2], known["stiffness_matrix"], rtol=1e-8)
    assert_allclose(-M @ small.A[2:, 2:], known["damping_matrix"], rtol=1e-8)
    assert_allclose(M @ small.B[2:] - small.ways.T, 0.0, atol=1e-12)


def test_a_drive_holds_its_joint():
    """With the crank A held the five-bar has one freedom: that column and row of P12's matrices."""
    m, _ = five_bar()
    known = RESULTS["five_bar"]
    held = replace(m, drives=[kb.JointDrive("hold", "A", f"{known['angle_AB']!r} + 0.2*t")])
    rest = kb.equilibrium(held)
    assert_allclose(rest["E"], known["angle_ED"], atol=1e-9)
    M, C, K = (known[f"{word}_matrix"][1][1] for word in ("mass", "damping", "stiffness"))
    assert_allclose(rest.system.A, [[0, 1], [-K / M, -C / M]], rtol=1e-8)
    free = kb.linearise(held, rest.q, coordinates=("A", "E"), drives=False)
    assert_allclose(free.A, kb.linearise(m, rest.q, coordinates=("A", "E")).A, atol=1e-9)
    both = replace(held, drives=[*held.drives, kb.JointDrive("other", "E", "1.4")])
    with pytest.raises(kb.StructureError, match=r"leave it no freedom.*drives=False"):
        kb.equilibrium(both)


def test_rows_to_spare():
    """A swing on three equal ropes is a pendulum, over-constrained: w = sqrt(m g l / (m l^2))."""
    joints = [kb.Revolute(f"A{i}", "ground", f"c{i}", at=(i, 0)) for i in range(3)]
    joints += [kb.Revolute(f"B{i}", f"c{i}", "seat", at=(i + 0.3, -0.4)) for i in range(3)]
    bodies = [kb.Body(f"c{i}") for i in range(3)] + [kb.Body("seat", 2.0, (1, -0.5), 0.3)]
    rest = kb.equilibrium(kb.Mechanism("swing", bodies, joints, plane="xy"))
    assert_allclose(rest.point("seat", (1.3, -0.9))[:2], (1.0, -1.0), atol=1e-9)
    assert_allclose(np.abs(rest.system.eigenvalues), np.sqrt(G / 0.5), rtol=1e-9)


def test_a_swing_keeps_loops_closed():
    """The rows of a mode close all loops, and go as far as was asked for."""
    m, _, _, _ = four_bar()
    rest = kb.equilibrium(m)
    swing = rest.system.swing(0, amplitude=0.2, count=9)
    gaps = [kb.assemble(m, {"A": float(x)})["D"] for x in swing["A"]]
    assert_allclose(swing["D"], gaps, atol=1e-9)
    assert_allclose(np.ptp(swing.q, axis=0).max(), 0.4, rtol=0.1)
    assert_allclose(swing.t[-1], 1 / rest.system.modes[0].frequency)
    with pytest.raises(kb.StructureError, match="expected a mode from 0 to 0"):
        rest.system.swing(3)


def test_along_a_motion_with_loops():
    """Differences of the accelerations, two steps extrapolated, are the rows of A in motion."""
    m, _, _, _ = four_bar()
    run = kb.simulate(m, 0.3, q={"A": 0.4}, v={"A": 2.0}, times=4)
    small = kb.linearise(m, run, coordinates="A")
    one = kb.linearise(m, {"A": float(run["A"][2])}, {"A": float(run["v_A"][2])}, coordinates="A")
    assert_allclose(small.A[2], one.A, rtol=1e-7)

    def acceleration(x):
        q = kb.assemble(m, {"A": x[0]}).q
        own = kb.linearise(m, q, coordinates="A").ways[:, 0]
        return kb.forward_dynamics(m, q, own * x[1], np.zeros(m.nv))[0]

    x, slopes = np.array([run["A"][2], run["v_A"][2]]), {}
    for h in (2e-3, 1e-3):
        ways = [(acceleration(x + h * e) - acceleration(x - h * e)) / (2 * h) for e in np.eye(2)]
        slopes[h] = np.array(ways)
    assert_allclose(small.A[2, 1], (4 * slopes[1e-3] - slopes[2e-3]) / 3, rtol=1e-7)
    assert_allclose(small.a[2], run.a[2], rtol=1e-7)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"coordinates": ("A", "B")}, "1 freedom, so as many names"),
        ({"coordinates": "nobody"}, "got 'nobody'"),
        ({"q": np.zeros(4)}, "positions break the loop"),
        ({"v": np.ones(4)}, "velocities break the loop"),
    ],
)
def test_wrong_questions_are_refused(wrong, words):
    """A sentence says what does not fit."""
    with pytest.raises(kb.StructureError, match=words):
        kb.linearise(four_bar()[0], **wrong)


def test_a_loop_of_pins_may_be_closed_by_a_ball():
    """A ball in place of a pin leaves small motions as they are, though its q is a quaternion."""

    def bars(ball):
        points = {"A": (0, 0, 0), "B": (0, 0, 0.2), "C": (0.6, 0, 0.4), "D": (0.7, 0, 0)}
        links, inertia = ("ground", "a", "b", "c", "ground"), (0.02, 0.03, 0.02)
        bodies = [kb.Body(name, 2.0, (0.1 * k, 0, 0.1), inertia) for k, name in enumerate("abc")]
        joints = []
        for k, (name, at) in enumerate(points.items()):
            pair = (name, links[k], links[k + 1])
            pin = kb.Revolute(*pair, at=at, axis=(0, 1, 0))
            joints.append(kb.Spherical(*pair, at=at) if ball and name == "C" else pin)
        return kb.Mechanism("bars", bodies, joints)

    pin, ball = (kb.linearise(bars(each), coordinates="A") for each in (False, True))
    assert_allclose(ball.A, pin.A, rtol=1e-10, atol=1e-10)
    assert_allclose(ball.B[1, 0], pin.B[1, 0], rtol=1e-10)

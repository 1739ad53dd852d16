"""Driven closed mechanisms: every kind of drive, and hard passages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from driven_linkages import bodies, on_the_circle, rates_are_derivatives, rssr
from numpy.testing import assert_allclose

import korba as kb
from korba.solve.motion import loops_of


def linkage(drives, a=0.2, theta=np.pi / 2, lengths=(0.6, 0.6, 0.8), **more):
    """A four-bar drawn at the crank angle theta, its coupler above."""
    b, c, d = lengths
    B, D = a * np.array([np.cos(theta), np.sin(theta)]), np.array([d, 0.0])
    r = np.linalg.norm(D - B)
    along = (r**2 + b**2 - c**2) / (2 * r)
    u = (D - B) / r
    C = B + along * u + np.sqrt(b**2 - along**2) * np.array([-u[1], u[0]])
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=D),
    ]
    parts = bodies("crank", "coupler", "rocker")
    return kb.Mechanism("linkage", parts, joints, plane="xy", drives=drives, **more)


def slider_crank(drives):
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "rod", at=(0, 0.2)),
        kb.Revolute("C", "rod", "slide", at=(0.6, 0)),
        kb.Prismatic("S", "ground", "slide", at=(0.6, 0), axis=(1, 0)),
    ]
    return kb.Mechanism("press", bodies("crank", "rod", "slide"), joints, plane="xy", drives=drives)


def driven_by_length():
    m = linkage(())
    C = next(joint.at for joint in m.joints if joint.name == "C")
    law = f"{float(np.linalg.norm(C))!r} + 0.05*sin(t)"
    return linkage([kb.LengthDrive("d", "ground", (0, 0), "rocker", C, law)])


DRIVEN = {
    "angle": lambda: linkage([kb.JointDrive("d", "A", "0.5*t + 0.2*sin(3*t)")]),
    "stroke": lambda: slider_crank([kb.JointDrive("d", "S", "-0.1*sin(t)")]),
    "body angle": lambda: linkage([kb.BodyDrive("d", "coupler", angle="-0.03*sin(2*t)")]),
    "body place": lambda: slider_crank([kb.BodyDrive("d", "slide", x="-0.1*t")]),
    "relative angle": lambda: linkage(
        [kb.BodyDrive("d", "rocker", relative_to="coupler", angle="0.1*t")]
    ),
    "length": driven_by_length,
    "point": lambda: linkage([kb.PointDrive("d", "crank", (0, 0.2), x="-0.1*sin(t)")]),
    "table": lambda: linkage(
        [kb.JointDrive("d", "A", kb.Curve((0, 0.25, 0.5, 0.75, 1), (0, 0.3, 1.0, 1.2, 2.0)))]
    ),
}


@pytest.mark.parametrize("kind", DRIVEN)
def test_every_kind_of_drive_leads_with_its_rates(kind):
    """Loops and drives hold at rounding level, and v and a are derivatives of the positions."""
    done = kb.motion(DRIVEN[kind](), np.linspace(0, 1, 401))
    assert done.audit.residual < 1e-13
    assert np.abs(done.v).max() > 0.05
    rates_are_derivatives(done, factor=10.0)


@pytest.mark.parametrize("seed", range(3))
def test_random_crank_rockers_equal_the_closed_form(seed):
    """Over two turns the rocker angle is that of two intersecting circles to 1e-12."""
    rng = np.random.default_rng(seed)
    a, d = rng.uniform(0.1, 0.3), rng.uniform(0.7, 1.0)
    b, c = rng.uniform(0.6, 0.9, 2)
    assert a + d < b + c
    assert abs(b - c) < d - a
    theta = np.pi / 2 + np.linspace(0, 4 * np.pi, 500)
    m = linkage([kb.JointDrive("d", "A", "t")], a, np.pi / 2, (b, c, d))
    done = kb.motion(m, theta - np.pi / 2)
    expected = on_the_circle(a, (b, c, d), theta)
    assert_allclose(done["D"], expected - expected[0], rtol=0, atol=1e-12)


def test_the_motion_does_not_depend_on_the_times_asked_for():
    """A few far times, one time and many give the same; the first need not be the drawn one."""
    m = linkage([kb.JointDrive("d", "A", "t")])
    many = kb.motion(m, np.linspace(-7.0, 43.0, 10**5 + 1))
    few = kb.motion(m, many.t[[100, 51_111, 99_999]])
    assert_allclose(few.columns, many.columns[[100, 51_111, 99_999]], atol=1e-11)
    one = kb.motion(m, many.t[70_000])
    turns = one["A"] - many["A"][70_000]
    assert_allclose(turns, 0.0, atol=1e-12)
    assert_allclose(one.v[0], many.v[70_000], atol=1e-11)


def test_a_drive_that_stands_still_and_comes_back_is_followed():
    """A swing between two rests is followed, though it begins and ends at rest."""
    rest = kb.JointDrive("d", "A", "0.9*exp(-200*(t-0.5)^2)")
    t = np.linspace(0, 1, 2001)
    done = kb.motion(linkage([rest]), t)
    expected = on_the_circle(0.2, (0.6, 0.6, 0.8), np.pi / 2 + done["A"])
    assert_allclose(done["D"], expected - expected[0] + done["D"][0], atol=1e-12)
    assert np.abs(done["A"]).max() > 0.89
    still = kb.motion(linkage([kb.JointDrive("d", "A", "0.3 + 0*t")]), t)
    assert np.abs(still.v).max() < 1e-14


def test_a_sharp_turn_of_a_drive_is_followed():
    """A drive with a kink: positions before and after are those of the smooth parts."""
    done = kb.motion(linkage([kb.JointDrive("d", "A", "abs(t - 0.4)")]), np.linspace(0, 1, 101))
    assert done.audit.residual < 1e-13
    expected = on_the_circle(0.2, (0.6, 0.6, 0.8), np.pi / 2 + done["A"])
    assert_allclose(np.diff(done["D"]), np.diff(expected), atol=1e-12)


def test_a_drive_that_jumps_is_named():
    """No branch is guessed across a jump: the error names the drive and the time."""
    m = linkage([kb.JointDrive("lever", "A", "where(t < 0.5, 0, 0.3)")])
    with pytest.raises(kb.StructureError, match=r"'lever' jumps by 0\.3 at t = 0\.5"):
        kb.motion(m, np.linspace(0, 1, 11))


@pytest.mark.parametrize("count", [3, 41, 360, 1000])
def test_a_parallelogram_stays_one(count):
    """Through the positions in line, on them or past them, the rocker turns with the crank."""
    m = linkage([kb.JointDrive("d", "A", "t")], 0.3, np.pi / 2, (0.8, 0.3, 0.8))
    t = np.linspace(0, 6 * np.pi, 4 * count + 1)
    done = kb.motion(m, t[:-1])
    assert_allclose(done["D"], done["A"], atol=1e-10)
    assert_allclose(done["v_D"], 1.0, atol=1e-7)
    assert_allclose(done["a_D"], 0.0, atol=1e-3)


@pytest.mark.parametrize("rocker", [0.3 + 1e-8, 0.3 + 1e-4])
def test_branches_that_almost_cross_are_told_apart(rocker):
    """A parallelogram slightly out of size never jumps: positions are the integral of v."""
    m = linkage([kb.JointDrive("d", "A", "t")], 0.3, np.pi / 2, (0.8, rocker, 0.8))
    near = np.pi / 2 + np.concatenate([-np.geomspace(1, 1e-6, 4000), np.geomspace(1e-6, 2, 4000)])
    done = kb.motion(m, near)
    area = np.cumsum(0.5 * np.diff(done.t) * (done["v_D"][1:] + done["v_D"][:-1]))
    assert_allclose(done["D"][1:] - done["D"][0], area, atol=1e-3)
    assert abs(done["D"][-1] - done["A"][-1]) > 0.5
    assert done.audit.residual < 1e-13


def test_several_drives_and_separate_loops():
    """Two linkages in one mechanism, driven apart, move as each does alone."""
    one, two = (
        linkage([kb.JointDrive("d", "A", "t")]),
        slider_crank([kb.JointDrive("d", "S", "-0.1*sin(t)")]),
    )

    def renamed(each, tail):
        def name(x):
            return x if x == "ground" else x + tail

        parts = [replace(body, name=name(body.name)) for body in each.bodies]
        joints = [
            replace(j, name=name(j.name), parent=name(j.parent), child=name(j.child))
            for j in each.joints
        ]
        drives = [replace(d, name=name(d.name), joint=name(d.joint)) for d in each.drives]
        return parts, joints, drives

    (b1, j1, d1), (b2, j2, d2) = renamed(one, "1"), renamed(two, "2")
    m = kb.Mechanism("both", b1 + b2, j1 + j2, plane="xy", drives=d1 + d2)
    t = np.linspace(0, 1, 50)
    both, alone_1, alone_2 = kb.motion(m, t), kb.motion(one, t), kb.motion(two, t)
    for alone, tail in ((alone_1, "1"), (alone_2, "2")):
        for name in set(alone.names[1:]) - {"singularity"}:
            assert_allclose(both[name + tail], alone[name], atol=1e-12)


def test_couplings_and_rotors_inside_a_loop():
    """A gear on the crank and a rotor behind the rocker follow their laws; loops stay closed."""
    m = linkage([kb.JointDrive("d", "A", "t")])
    wheel = kb.Revolute("W", "ground", "wheel", at=(0, -0.5))
    rotor = kb.Rotor(ratio=50.0, inertia=1e-4)
    joints = [replace(j, rotor=rotor) if j.name == "D" else j for j in m.joints]
    geared = replace(
        m,
        bodies=[*m.bodies, *bodies("wheel")],
        joints=[*joints, wheel],
        couplings=[kb.Coupling("gear", "W", "-2*A + sin(D)")],
    )
    done, plain = kb.motion(geared, np.linspace(0, 1, 201)), kb.motion(m, np.linspace(0, 1, 201))
    assert done.audit.residual < 1e-13
    assert_allclose(done["D"], plain["D"], atol=1e-13)
    assert_allclose(done["a_D"], plain["a_D"], atol=1e-11)
    turn = done.body("wheel").angle
    assert_allclose(turn, -2 * done["A"] + np.sin(done["D"]), atol=1e-12)


def test_a_drive_on_a_dependent_coordinate_leads_the_others():
    """Driven through a gear the crank turns by the law of the coupling."""
    m = linkage(())
    geared = replace(
        m,
        bodies=[*m.bodies, *bodies("wheel")],
        joints=[*m.joints, kb.Revolute("W", "ground", "wheel", at=(0, -0.5))],
        couplings=[kb.Coupling("gear", "A", "-0.5*W")],
        drives=[kb.JointDrive("d", "W", "-2*t")],
    )
    done = kb.motion(geared, np.linspace(0, 1, 201))
    plain = kb.motion(linkage([kb.JointDrive("d", "A", "t")]), done.t)
    assert_allclose(done["D"], plain["D"], atol=1e-13)
    assert_allclose(done["a_D"], plain["a_D"], atol=1e-11)


def test_quaternions_go_on_without_flips():
    """Over three turns quaternions stay unit and continuous; the rocker repeats."""
    t = np.linspace(0, 6 * np.pi, 3001)
    done = kb.motion(rssr("t"), t)
    assert done.audit.residual < 1e-13
    place = loops_of(done).tree.quaternions[0]
    q = done.q[:, place]
    assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-13)
    assert np.abs(np.diff(q, axis=0)).max() < 0.05
    assert_allclose(done["D"][1000], done["D"][0], atol=1e-11)
    rates_are_derivatives(done)
    rod = done.body("rod")
    h = t[1] - t[0]
    speed = (rod.position[2:] - rod.position[:-2]) / (2 * h)
    assert_allclose(speed, rod.velocity[1:-1], atol=20 * h**2 * np.abs(rod.acceleration).max())

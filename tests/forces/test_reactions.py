"""Forces in all joints of closed mechanisms: reference cases, and laws that any motion obeys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference_mechanisms import engine, reference, six_bar, three_cranks

import korba as kb


def close(found, expected, tolerance):
    """Relative to the largest value of each column; a column of zeros is met as it is."""
    largest = np.abs(expected).max(axis=0)
    scaled = (found - expected) / np.where(largest > 0, largest, 1.0)
    assert_allclose(scaled, 0.0, rtol=0, atol=tolerance)


def test_p6_reactions_of_an_engine():
    """Slider-crank at constant speed under gas force: pins, guide and torque at 36 positions."""
    data, states, results = reference("p6_engine_kinetostatics")
    crank = np.deg2rad(states["crank_angle_deg"])
    m = engine()
    found = kb.reactions(m, kb.motion(m, crank / data["speed"]))
    columns = [found[name].force[:, k] for name in "ABC" for k in (0, 1)]
    guide = found["guide"]
    columns += [guide.force[:, 1], guide.moment[:, 2], found.driving["drive"]]
    assert results["columns"][6:] == ["guide_N", "guide_moment_about_C", "M_drive"]
    close(np.array(columns).T, np.array(results["no_friction"]), 1e-9)


def turned(m, angles, rates, accelerations):
    """q, v, a of the pins of a planar linkage from those of its bodies, by name: (3, ..., nq)."""
    still = 0.0 * next(iter(angles.values()))
    motion = []
    for values in (angles, rates, accelerations):
        own = {"ground": still, **values}
        motion.append(np.array([own[joint.child] - own[joint.parent] for joint in m.joints]).T)
    q, v, a = motion
    return q - q[0], v, a


def test_p7_reactions_of_a_six_bar_with_spring_force_and_moment():
    """Stephenson's six-bar with a spring-damper, a point force and a moment."""
    data, states, results = reference("p7_sixbar_inverse")
    crank = np.deg2rad(states["crank_angle_deg"])
    names = [column.removesuffix("_angle") for column in states["kinematics_columns"][:4]]
    rest = np.array(states["kinematics"]).T.reshape(3, 4, -1)
    given = (crank, data["speed"] + 0 * crank, data["acceleration"] + 0 * crank)
    m = six_bar(crank[0], data["speed"], data["acceleration"])
    motion = [
        {"crank": own, **dict(zip(names, others, strict=True))}
        for own, others in zip(given, rest, strict=True)
    ]
    found = kb.reactions(m, *turned(m, *motion))
    columns = [found[name].force[:, k] for name in "ABCDEFG" for k in (0, 1)]
    assert results["columns"][-1] == "M_drive"
    close(np.array([*columns, found.driving["drive"]]).T, np.array(results["values"]), 1e-9)


def test_p8_least_reactions_of_three_cranks():
    """One constraint is passive: the torque is unique, pin forces have the least sum of squares."""
    data, states, results = reference("p8_three_cranks")
    crank = np.deg2rad(states["crank_angle_deg"])
    given = (crank, data["speed"] + 0 * crank, data["acceleration"] + 0 * crank)
    m = three_cranks(crank[0], data["speed"], data["acceleration"])
    motion = [{f"crank{i}": own for i in (1, 2, 3)} | {"coupler": 0 * own} for own in given]
    found = kb.reactions(m, *turned(m, *motion))
    columns = [found[f"{end}{i}"].force[:, k] for end in "AB" for i in (1, 2, 3) for k in (0, 1)]
    close(np.array([found.driving["drive"], *columns]).T, np.array(results["minimum_norm"]), 1e-9)
    assert kb.mobility(m).passive == results["redundant"]


@pytest.mark.parametrize("kind", ["roller", "flat", "curve"])
def test_cams_that_would_have_to_pull_are_said(kind):
    """m (g + s'') of a follower lifted by an eccentric is what presses; below 0 they part."""
    e, r, mass = 0.005, 0.03, 0.4
    disc = f"{e}*cos(beta) + sqrt({r}^2 - {e}^2*sin(beta)^2)"
    place = {"at": (0, 0), "x_axis": (0, 1, 0)}
    contact = {
        "roller": lambda: kb.CamRoller("K", "cam", "tappet", radius=0.01, profile=disc, **place),
        "flat": lambda: kb.CamFlat("K", "cam", "tappet", profile=disc, **place),
        "curve": lambda: kb.CurveContact(
            "K", "cam", "tappet", profile=disc, child_profile="0.01 + 0*gamma", **place
        ),
    }[kind]()
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        contact,
        kb.Prismatic("G", "ground", "tappet", at=(0, 0.1), axis=(0, 1)),
    ]
    bodies = [kb.Body("cam", 1.0, inertia=0.01), kb.Body("tappet", mass, (0, 0.1), 0.001)]
    for speed, parts in ((10.0, False), (100.0, True)):
        drive = kb.JointDrive("motor", "A", f"{speed}*t")
        m = kb.Mechanism("cam", bodies, joints, drives=[drive], plane="xy")
        motion = kb.motion(m, np.linspace(0, 2 * np.pi / speed, 25))
        found = kb.reactions(m, motion)
        lifts = mass * (9.81 + motion["a_G"])
        across = found["K"].force[:, 0]
        size = np.sign(lifts) * np.hypot(lifts, across)
        assert_allclose(found.pressing["K"], size, rtol=0, atol=1e-9 * np.abs(size).max())
        assert bool(found.lift_offs) == parts == any("joint K lifts off" in n for n in found.notes)
        held = np.zeros(25, dtype=bool)
        for each in found.lift_offs:
            held[each.rows] = True
        np.testing.assert_array_equal(held, size < 0)


@pytest.mark.parametrize("kind", ["outer", "in a ring", "round a wheel", "on a rack"])
@pytest.mark.parametrize("angle", [20, -20])
def test_a_flank_that_would_have_to_pull_is_said(kind, angle):
    """J alpha / r_base of the driven wheel; it presses where the wheels push each other apart."""
    a, b, centre, pitch = {
        "outer": (0.3, 0.2, 0.5, 0.3),
        "in a ring": (0.5, 0.2, 0.3, 0.5),
        "round a wheel": (0.2, 0.5, 0.3, -0.2),
        "on a rack": (0.0, 0.2, 0.2, 0.0),
    }[kind]
    teeth = {"at": (pitch, 0), "x_axis": (1, 0), "pressure_angle": f"{angle} deg"}
    if kind == "on a rack":
        leading = kb.Prismatic("A", "ground", "a", at=(0, 0), axis=(0, 1))
        mesh = kb.GearRack("Z", "a", "b", radius=b, **teeth)
    else:
        leading, inner = kb.Revolute("A", "ground", "a", at=(0, 0)), kind != "outer"
        mesh = kb.GearMesh("Z", "a", "b", parent_radius=a, child_radius=b, inner=inner, **teeth)
    joints = [leading, kb.Revolute("B", "ground", "b", at=(centre, 0)), mesh]
    bodies = [kb.Body("a"), kb.Body("b", 1.0, (centre, 0), 2.0)]
    drives = [kb.JointDrive("motor", "A", "0.1*sin(t)")]
    m = kb.Mechanism("pair", bodies, joints, drives=drives, plane="xy", gravity=(0, 0, 0))
    motion = kb.motion(m, np.linspace(0.1, 6, 25))
    found = kb.reactions(m, motion)
    size = 2.0 * np.abs(motion["a_B"]) / (b * np.cos(np.radians(angle)))
    apart = (1.0 if pitch >= 0 and kind != "in a ring" else -1.0) * found["Z"].force[:, 0]
    assert_allclose(found.pressing["Z"], np.sign(apart) * size, rtol=1e-9, atol=1e-9)
    assert 0 < sum(each.rows.stop - each.rows.start for each in found.lift_offs) < 25
    assert any("teeth of joint Z bear with the other flank" in note for note in found.notes)
    straight = replace(m, joints=[*joints[:2], replace(mesh, pressure_angle=0.0)])
    assert not kb.reactions(straight, kb.motion(straight, motion.t)).pressing

"""Section 1.2.4 of Gronowicz: rational systems, and the edits that lead to them."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import korba as kb
from korba.structure.rational import realisations

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "structure"


def figure(name):
    return kb.load(FOLDER / f"{name}.toml")


def solutions(name, **options):
    return {variant.classes for variant in kb.rational_variants(figure(name), **options)}


def test_rational_rotor_has_two_solutions():
    """Two bearings of one rotor: classes II and V or III and IV, nothing else."""
    assert solutions("fig_1_26_rotor_on_two_bearings") == {(2, 5), (3, 4)}


def test_rational_slide_needs_class_v():
    """With one round guide kept the second joint is of class V, with four realisations."""
    found = kb.rational_variants(figure("fig_1_28_slide_on_two_guides"), keep="A")
    assert [variant.classes for variant in found] == [(5,)]
    assert [len(names) for _, names in found[0].realised_by] == [4]
    assert realisations(5) == ("point-on-plane", "knot 2RS", "knot 2CR", "knot SC")


def test_rational_four_bar_has_two_solutions():
    """With A and D kept the classes of B and C add up to five."""
    assert solutions("fig_1_30a_four_bar_in_space", keep=["A", "D"]) == {(1, 4), (2, 3)}


def test_local_mobility_allows_the_coupler_on_two_balls():
    """With one harmless local freedom the coupler may have two spherical bearings."""
    assert (3, 3) in solutions("fig_1_30a_four_bar_in_space", keep=["A", "D"], local=1)


@pytest.mark.parametrize(
    ("name", "keep", "local"),
    [
        ("fig_1_30c_rational_four_bar", "A D", 0),
        ("fig_1_30d_rational_four_bar", "A D", 0),
        ("fig_1_31b_rational_four_bar", "A D", 0),
        ("fig_1_31d_coupler_on_two_balls", "A D", 1),
        ("fig_1_32c_planetary_gear_floating_sun", "A J S1 S2 S3 R1 R2 R3", 2),
        ("fig_1_32d_planetary_gear_ball_planets", "A J S1 S2 S3 R1 R2 R3", 0),
    ],
)
def test_rational_drawings_are_among_the_variants(name, keep, local):
    """The mechanisms that the book calls rational are found by the count."""
    m = figure(name)
    found = kb.rational_variants(m, keep=keep.split(), mobility=1, local=local)
    drawn = tuple(m.joint(joint).nv for joint in found.free)
    assert any(drawn in variant.placements for variant in found)


def test_planets_on_balls_need_a_pressure_angle():
    """Lines of action inclined by 20 deg make all constraints of Fig. 1.32d independent.

    Teeth that push along the tangent let a planet on a ball tilt about the line that ring and sun
    share; lines of action that cross do not.
    """
    assert independent_constraints(0) == 36 - 4
    assert independent_constraints(20) == 36 - 1
    m = figure("fig_1_32d_planetary_gear_ball_planets")
    tangential = [
        replace(joint, pressure_angle=0.0) if joint.type.startswith("gear") else joint
        for joint in m.joints
    ]
    report = kb.mobility(replace(m, joints=tuple(tangential)))
    assert (report.actual, report.local, report.passive) == (1, 3, 3)


def independent_constraints(pressure_angle):
    """Rank over all wrenches, by hand: bodies shaft, sun, carrier, planets; twists about O."""
    m = figure("fig_1_32d_planetary_gear_ball_planets")
    number = {body.name: i for i, body in enumerate(m.bodies)}
    rows = []
    for joint in m.joints:
        for wrench in blocked_wrenches(joint, np.radians(pressure_angle)):
            row = np.zeros((len(m.bodies), 6))
            for body, sign in ((joint.child, 1), (joint.parent, -1)):
                if body != "ground":
                    row[number[body]] = sign * wrench
            rows.append(row.ravel())
    return np.linalg.matrix_rank(np.array(rows), tol=1e-9)


def blocked_wrenches(joint, angle):
    """Moments about O and forces that a joint of the gear transmits, in decimetres."""
    p, x, y, z = 10 * np.array(joint.at), *np.eye(3)
    if joint.type.startswith("gear"):
        radial = p / np.linalg.norm(p)
        outward = 1 if joint.parent == "sun" else -1
        n = np.cos(angle) * np.cross(z, radial) + np.sin(angle) * outward * radial
        forces, moments = [n], [np.cross(n, z)]
    else:
        forces = [x, y, z]
        moments = {"revolute": [x, y], "universal": [z], "spherical": []}[joint.type]
    yield from (np.concatenate([np.cross(p, f), f]) for f in forces)
    yield from (np.concatenate([moment, np.zeros(3)]) for moment in moments)


EDIT = re.compile(r"joint '(\w+)' .*: ([\w-]+) instead of [\w-]+(?:, its axis along \[(.*)\])?$")


def edited(m):
    """The mechanism with all edits that the report proposes, at the same places."""
    joints = {joint.name: joint for joint in m.joints}
    for text in kb.mobility(m).edits:
        if match := EDIT.search(text):
            name, new, axis = match.groups()
            old = joints[name]
            direction = tuple(map(float, axis.split(","))) if axis else old.axis
            place = {"at": old.at, "axis": direction, "x_axis": None if axis else old.x_axis}
            joints[name] = kb.JOINT_TYPES[new](name, old.parent, old.child, **place)
    return replace(m, joints=tuple(joints.values()))


@pytest.mark.parametrize(
    "name",
    [
        "fig_1_19b_doubled_parallelogram",
        "fig_1_20b_rotor",
        "fig_1_20d_platform_on_two_guides",
        "fig_1_20d_platform_on_round_guides",
        "fig_1_21c_rs2r",
        "fig_1_21d_spherical_four_bar",
        "fig_1_23_rc",
        "fig_1_23_rs",
        "fig_1_23_2tc",
        "fig_1_23_4r_1_planar",
        "fig_1_23_4r_2_spherical",
        "fig_1_23_4r_3_bennett",
        "fig_1_23_2rct",
        "fig_1_25_irb_parallelograms",
        "fig_1_26_rotor_on_two_bearings",
        "fig_1_28_slide_on_two_guides",
        "fig_1_30a_four_bar_in_space",
    ],
)
def test_proposed_edits_make_it_rational(name):
    """With the proposed pairs no constraint is passive, and it moves as before."""
    before = kb.mobility(figure(name))
    after = kb.mobility(edited(figure(name)))
    assert (after.passive, after.local, after.actual) == (0, 0, before.actual)
    assert after.theoretical == before.theoretical + before.passive

"""Open chains and robots: every freedom is of use, whatever axes coincide in the drawing."""

from __future__ import annotations

import pytest
from robot_files import ROBOTS

import korba as kb

NAMES = ["panda", "kinova", "talos_left_arm", "ur5_robot", "simple_humanoid", "romeo", "solo12"]


def serial(cls, count, **place):
    """`count` joints of one class in a row, all on the same axis."""
    names = ["ground", *(f"b{i}" for i in range(count))]
    joints = [cls(f"J{i}", names[i], names[i + 1], at=(0, 0, 0), **place) for i in range(count)]
    return kb.Mechanism("row", [kb.Body(name) for name in names[1:]], joints)


@pytest.mark.parametrize("name", NAMES)
def test_robots_move_in_all_their_freedoms(name):
    """A tree has no local mobility and no passive constraints: W_R is its count of freedoms."""
    m = kb.read_urdf(next(ROBOTS.rglob(f"{name}.urdf")))
    report = kb.mobility(m)
    assert (report.actual, report.local, report.passive, report.blocked) == (m.nv, 0, 0, 0)


@pytest.mark.parametrize("cls", [kb.Revolute, kb.Prismatic, kb.Cylindrical, kb.Spherical])
def test_joints_on_one_axis_are_of_use(cls):
    """A telescope of three strokes, or three hinges on one axis, has all its freedoms."""
    m = serial(cls, 3)
    report = kb.mobility(m)
    assert (report.actual, report.local) == (m.nv, 0)
    if m.nq == m.nv:
        assert len(kb.groups(m, m.coordinates).groups) == 3


def test_an_elastic_robot_written_out_moves_in_rotors_and_twists():
    """Rotor and twist of each elastic joint turn on one axis and are both of use."""
    joints = [
        kb.Revolute(
            f"q{i}",
            "ground" if i == 1 else "a",
            "ab"[i - 1],
            at=(i - 1, 0),
            rotor=kb.Rotor(inertia=0.1),
            elastic=kb.Elastic(stiffness=100),
        )
        for i in (1, 2)
    ]
    m = kb.expanded(kb.Mechanism("elastic", [kb.Body("a"), kb.Body("b")], joints, plane="xy"))
    assert kb.mobility(m).actual == 4


def test_a_locked_cam_has_no_negative_mobility():
    """A follower drawn across the cam's axis cannot move; the roller's spin stays local."""
    m = kb.Mechanism(
        "cam",
        [kb.Body("cam"), kb.Body("follower"), kb.Body("roller")],
        [
            kb.Revolute("A", "ground", "cam", at=(0, 0)),
            kb.CamRoller(
                "K", "cam", "roller", at=(0, 0), profile="30 mm + 5 mm*cos(beta)", radius="5 mm"
            ),
            kb.Revolute("B", "follower", "roller", at=(0.04, 0)),
            kb.Prismatic("S", "ground", "follower", at=(0.04, 0), axis=(0, 1)),
        ],
        plane="xy",
    )
    report = kb.mobility(m)
    assert (report.actual, report.local, report.passive, report.blocked) == (0, 1, 0, 1)


@pytest.mark.parametrize("size", [1e-9, 1e10, 1e150])
def test_absurd_sizes_give_a_sensible_answer_or_a_clear_error(size):
    """One length beyond all others gives numbers that balance, or a KorbaError."""
    points = [(0, 0), (0, size), (3, 2), (3, 0)]
    ends = ["ground", "a", "b", "c", "ground"]
    joints = [kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=p) for i, p in enumerate(points)]
    try:
        report = kb.mobility(kb.Mechanism("odd", [kb.Body(n) for n in "abc"], joints, plane="xy"))
    except kb.KorbaError as error:
        assert str(error)
    else:
        found = report.theoretical - report.local + report.passive - report.blocked
        assert report.actual == found >= 0


def test_edits_are_proposed_for_chains_of_any_length():
    """Every loop of a planar chain in space gets its own edits, and the work stays local."""
    bodies, joints = [kb.Body("b0")], [kb.Revolute("J", "ground", "b0", at=(0, 0))]
    for i in range(25):
        bodies += [kb.Body(f"c{i}"), kb.Body(f"b{i + 1}")]
        joints += [
            kb.Revolute(f"A{i}", f"b{i}", f"c{i}", at=(i + 0.1, 0.5)),
            kb.Revolute(f"B{i}", f"c{i}", f"b{i + 1}", at=(i + 1.15, 0.6)),
            kb.Revolute(f"D{i}", "ground", f"b{i + 1}", at=(i + 1, 0)),
        ]
    report = kb.mobility(kb.Mechanism("chain", bodies, joints))
    assert report.passive == 75
    assert len(report.edits) == 20


def test_a_report_is_made_once():
    """Whoever asks later is told the same; another space of motion is another count."""
    m = serial(kb.Revolute, 2)
    assert kb.mobility(m) is kb.mobility(m)
    assert kb.mobility(m, 3) is not kb.mobility(m)
    with pytest.raises(kb.StructureError, match="space: expected"):
        kb.mobility(m, space=0)

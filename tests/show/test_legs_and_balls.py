"""Spatial pictures show legs as cylinders, balls as balls and wheels as wheels."""

import numpy as np
import pytest

import korba as kb
from korba.show.drawings.draw import scene
from korba.show.schemes.scene import scene_of
from korba.show.schemes.space import METAL, space_of
from korba.show.schemes.space import SYMBOLS as SOLIDS


def corners_of(space, part, k=0):
    X = space.world(part, k)
    return space.forms[part.form].corners @ X[:3, :3].T + X[:3, 3]


@pytest.mark.parametrize("seed", range(3))
def test_legs_end_at_the_platform_and_stay_in_their_barrels(seed):
    """At every position the rod reaches from inside the barrel to the ball, and nothing farther."""
    base, platform, height = np.random.default_rng(seed).uniform(0.4, 1.2, 3)
    m = kb.linkages.stewart(base, platform, height)
    motion = kb.motion(m, np.linspace(0.0, 1.0, 7))
    shown = scene(motion, 0, ghosts=6)
    kinds = [mark.kind for mark in shown.marks]
    assert kinds.count("barrel") == kinds.count("piston") == kinds.count("collar") == 6
    assert not {"rail", "block", "bar"} & set(kinds)
    for i in range(1, 7):
        (barrel,) = (x for x in shown.marks if x.kind == "barrel" and x.body == f"cylinder {i}")
        (rod,) = (x for x in shown.marks if x.kind == "piston" and x.body == f"piston {i}")
        (ball,) = (x for x in shown.marks if x.kind == "ball" and x.name == f"S{i}")
        for k in range(len(shown.poses)):
            (foot, mouth), (inner, head) = shown.places(barrel, k), shown.places(rod, k)
            assert head == pytest.approx(shown.place(ball.points[0], k), abs=1e-9)
            u = (head - foot) / np.linalg.norm(head - foot)
            ends = [float((p - foot) @ u) for p in (foot, inner, mouth, head)]
            assert ends == sorted(ends)
            assert (
                max(np.linalg.norm(p - foot - u * ((p - foot) @ u)) for p in (mouth, inner)) < 1e-9
            )


def test_a_way_too_long_for_one_rod_has_a_leg_that_fits_first():
    """As inputs of a living page go: a cylinder all the same, whole at the first position."""
    m = kb.linkages.stewart(1.0, 0.5, 1.0)
    reach = np.linspace(0.75, 1.75, 5)
    drawn = scene(m)
    number = drawn.bodies.index("piston 1")
    poses = np.repeat(drawn.poses, 6, axis=0)
    (barrel,) = (x for x in drawn.marks if x.kind == "barrel" and x.body == "cylinder 1")
    foot, mouth = drawn.places(barrel)
    u = (mouth - foot) / np.linalg.norm(mouth - foot)
    length = float(np.linalg.norm(poses[0, number, :3, 3] - foot))
    poses[1:, number, :3, 3] += (reach - length)[:, None] * u
    shown = scene_of(m, poses)
    assert "block" not in {mark.kind for mark in shown.marks}
    (rod,) = (x for x in shown.marks if x.kind == "piston" and x.body == "piston 1")
    (again,) = (x for x in shown.marks if x.kind == "barrel" and x.body == "cylinder 1")
    ends = [float((p - foot) @ u) for p in (*shown.places(again)[::-1], *shown.places(rod))]
    mouth_at, foot_at, inner, head = ends
    assert foot_at == pytest.approx(0) and foot_at < inner < mouth_at < head


def test_a_pair_whose_links_hold_others_beside_its_axis_stays_a_block():
    """A carriage with an arm beside its way is no cylinder."""
    bodies = [kb.Body(name) for name in ("beam", "carriage", "arm")]
    joints = [
        kb.Revolute("A", "ground", "beam", at=(0, 0, 0), axis=(0, 1, 0)),
        kb.Prismatic("way", "beam", "carriage", at=(0, 0, 0), axis=(1, 0, 0), drawn=(0.5,)),
        kb.Revolute("B", "carriage", "arm", at=(0.5, 0.2, 0), axis=(0, 0, 1)),
    ]
    kinds = {mark.kind for mark in scene(kb.Mechanism("m", bodies, joints)).marks}
    assert {"rail", "block"} <= kinds and "barrel" not in kinds


def test_a_ball_in_a_block_is_seen():
    """It is larger than the section of the block that it is in the middle of."""
    bodies = [kb.Body("block"), kb.Body("rod", 1.0, com=(0.6, 0.2, 0.0))]
    joints = [
        kb.Prismatic("P", "ground", "block", at=(0, 0, 0), axis=(1, 0, 0)),
        kb.Spherical("S", "block", "rod", at=(0, 0, 0)),
    ]
    space = space_of(scene(kb.Mechanism("m", bodies, joints)), [], 0.01)
    (ball,) = (p for p in space.parts if p.kind == "ball")
    (block,) = (p for p in space.parts if p.kind == "block")
    radius = np.linalg.norm(corners_of(space, ball), axis=1).max()
    across = corners_of(space, block)[:, 1:]
    assert radius > 1.05 * np.linalg.norm(across, axis=1).max()


def rolling():
    bodies = [kb.Body(name, 1, inertia=(0.1, 0.1, 0.1)) for name in ("ball", "wheel")]
    joints = [
        kb.RollingBall("B", "ground", "ball", at=(0, 0, 0), radius=0.2),
        kb.RollingWheel(
            "W", "ground", "wheel", at=(0.8, 0, 0), radius=0.3, drawn=(0, 0, 0.6, 0.3, 0)
        ),
    ]
    return kb.Mechanism("rolling", bodies, joints)


def test_balls_are_as_large_as_they_are_and_rest_on_the_floor():
    """A ball of its radius, a rim whose lowest point is on the plane, and plates just below."""
    space = space_of(scene(rolling()), [], 0.004)
    (ball,) = (p for p in space.parts if p.form == "fine ball")
    corners = corners_of(space, ball)
    assert np.linalg.norm(corners - [0, 0, 0.2], axis=1) == pytest.approx(
        np.full(len(corners), 0.2)
    )
    rim = max(
        (p for p in space.parts if p.kind == "tread"), key=lambda p: len(space.forms[p.form][0])
    )
    assert corners_of(space, rim)[:, 2].min() == pytest.approx(0.0, abs=2e-3)
    floors = [p for p in space.parts if p.kind == "floor"]
    assert len(floors) == 2 and {p.color for p in floors} == {METAL}
    assert all(corners_of(space, p)[:, 2].max() == pytest.approx(0.0, abs=1e-12) for p in floors)
    assert not any(p.kind in ("base", "plane") for p in space.parts)


def test_what_rolls_stays_above_its_floor_and_is_seen_to_turn():
    """The plate holds all places of contact of a motion; spokes and seams move with the body."""
    motion = kb.simulate(rolling(), 1.0, v={"B.wx": 3, "B.wy": 1, "W.spin": 4}, times=9)
    shown = scene(motion, 0, ghosts=8)
    space = space_of(shown, [], 0.004)
    for name, body in (("B", "ball"), ("W", "wheel")):
        (floor,) = (mark for mark in shown.marks if mark.kind == "floor" and mark.name == name)
        low, high = shown.places(floor).min(axis=0), shown.places(floor).max(axis=0)
        (middle,) = (x for x in shown.marks if x.kind in ("pin", "round") and x.name == name)
        centres = np.array([shown.place(middle.points[0], k) for k in range(9)])[:, :2]
        assert np.all(centres > low[:2]) and np.all(centres < high[:2])
        marks = [p for p in space.parts if p.kind in ("tread", "round") and p.body == body]
        assert len(marks) > 2
        for part in marks[1:]:
            gap = np.abs(corners_of(space, part, 4) - corners_of(space, part, 0)).max()
            assert gap > 0.1


@pytest.mark.parametrize("kind", ["ball-on-plane", "wheel-on-plane", "omni-wheel"])
def test_what_slips_is_drawn_alike(kind):
    """A ball or wheel that slips is one too."""
    from korba.model.joints import JOINT_TYPES

    m = kb.Mechanism(
        "m", [kb.Body("b")], [JOINT_TYPES[kind]("J", "ground", "b", at=(0, 0, 0), radius=0.3)]
    )
    kinds = {mark.kind for mark in scene(m).marks}
    assert "floor" in kinds and ("round" in kinds or "tread" in kinds)
    assert kinds <= set(SOLIDS)
    assert "nan" not in kb.draw(m)

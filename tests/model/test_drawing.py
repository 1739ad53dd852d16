"""The drawing position: placed in the world or by frames, it is the same mechanism."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from korba.errors import ModelError
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.drawing import drawing
from korba.model.frame import Frame
from korba.model.joint import Elastic, Rotor
from korba.model.joints import JOINT_TYPES
from korba.model.joints.revolute import Revolute
from korba.model.mechanism import Mechanism
from korba.spatial.rotation import rotation_of_quaternion

EPS = np.finfo(float).eps
SEEDS = range(12)
GEAR = {"parent_radius": 0.3, "child_radius": 0.2}
EXTRA = {
    "ball-on-plane": {"radius": 0.2},
    "rolling-ball": {"radius": 0.2},
    "rolling-wheel": {"radius": 0.3},
    "omni-wheel": {"radius": 0.3},
    "rod": {"length": 0.7},
    "wheel-on-plane": {"radius": 0.3},
    "screw": {"lead": 0.1},
    "cam-roller": {"profile": "0.3 + 0.1*cos(beta)", "radius": 0.05},
    "cam-flat": {"profile": "0.3 + 0.05*cos(beta)"},
    "curved-slot": {"x": "s", "y": "0.1*sin(3*s)"},
    "curve-contact": {"profile": "0.3 + 0.1*cos(beta)", "child_profile": "0.2 + 0.05*cos(gamma)"},
    "curve-rolling": {"profile": "0.3 + 0.1*cos(beta)", "child_profile": "0.2 + 0.05*cos(gamma)"},
    "geneva": {"radius": 0.3},
    "gear-mesh": GEAR,
    "gear-bevel": GEAR,
    "gear-rack": {"radius": 0.2},
    "gear-line-contact": GEAR,
    "gear-point-contact": GEAR,
}
R, T, FIXED = JOINT_TYPES["revolute"], JOINT_TYPES["prismatic"], JOINT_TYPES["fixed"]


def random_mechanism(seed, *, planar, with_frames):
    """Bodies in a tree and two joints that close loops, all drawn in the world."""
    for attempt in range(20):
        rng = np.random.default_rng([seed, attempt])
        try:
            return drawn_at_random(rng, planar, with_frames)
        except ModelError as error:  # wheels beside their axes are a fault: draw others
            assert "does not sit on its axis" in str(error)
    raise AssertionError("no drawing without such wheels")


def drawn_at_random(rng, planar, with_frames):
    types = [
        cls.kind_in(planar)
        for cls in JOINT_TYPES.values()
        if (cls.planar if planar else cls.spatial)
    ]
    names = ["ground", *"abcde"]
    pairs = [(names[int(rng.integers(0, i))], names[i]) for i in range(1, 6)]
    pairs += [("a", "d"), ("e", "ground")]
    pairs = [(p, c) if rng.uniform() < 0.7 else (c, p) for p, c in pairs]
    joints = []
    for i, (parent, child) in enumerate(pairs):
        cls = types[int(rng.integers(len(types)))]
        at = (*rng.normal(size=2), 0.0 if planar else rng.normal())
        axis = rng.normal(size=3)
        if planar:
            axis = (*axis[:2], 0.0) if cls.axis_in_plane else None
        drawn = rng.uniform(-1, 1, size=len(cls.coordinate_names)) if rng.uniform() < 0.5 else None
        x_axis = rng.normal(size=2) if planar and axis is None else None
        given = {"at": at, "axis": axis, "x_axis": x_axis, "drawn": drawn}
        joints.append(cls(f"J{i}", parent, child, **given, **EXTRA.get(cls.type, {})))
    bodies = [Body(name) for name in names[1:]]
    if with_frames:
        bodies = [replace(b, frame=random_frame(rng, planar)) for b in bodies]
    return Mechanism(bodies=bodies, joints=joints, plane="xy" if planar else None)


def random_frame(rng, planar):
    if planar:
        return Frame(rng.normal(size=2), rng.uniform(-3, 3))
    q = rng.normal(size=4)
    return Frame(rng.normal(size=3), rotation_of_quaternion(q / np.linalg.norm(q)))


def by_frames(m):
    """The same mechanism with every joint given by frames on its bodies."""
    placed = drawing(m)
    joints = [
        replace(
            joint,
            at=None,
            axis=(0, 0, 1),
            x_axis=None,
            on_parent=Frame.of_pose(placed.X_PF(joint)),
            on_child=Frame.of_pose(placed.X_BM(joint)),
        )
        for joint in m.joints
    ]
    return replace(m, bodies=[replace(b, frame=None) for b in m.bodies], joints=joints)


both = pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
framed = pytest.mark.parametrize("with_frames", [True, False], ids=["frames", "world"])


@pytest.mark.parametrize("seed", SEEDS)
@both
@framed
def test_drawn_mechanisms_close_exactly(seed, planar, with_frames):
    """Joints placed in the drawing have no gap, loops or not."""
    m = random_mechanism(seed, planar=planar, with_frames=with_frames)
    placed = drawing(m)
    for joint in m.joints:
        assert placed.gap(joint) < 100 * EPS
    for body in m.bodies:
        expected = body.frame.pose().matrix() if body.frame else np.eye(4)
        assert_array_equal(placed.X_WB[body.name].matrix(), expected)


@pytest.mark.parametrize("seed", SEEDS)
@both
@framed
def test_frames_on_bodies_say_the_same(seed, planar, with_frames):
    """Re-described by frames, bodies and joints stand where the drawing had them."""
    m = random_mechanism(seed, planar=planar, with_frames=with_frames)
    before, after = drawing(m), drawing(by_frames(m))
    for name, X in before.X_WB.items():
        assert_allclose(after.X_WB[name].matrix(), X.matrix(), rtol=0, atol=1000 * EPS)
    for joint in m.joints:
        for found, known in ((after.X_WF, before.X_WF), (after.X_WM, before.X_WM)):
            expected = known[joint.name].matrix()
            assert_allclose(found[joint.name].matrix(), expected, rtol=0, atol=1000 * EPS)
        assert_array_equal(after.q[joint.name], before.q[joint.name])


def test_drawn_coordinates_place_the_child():
    """With frames, `drawn` turns and shifts the child; X_WB = X_WP X_PF X_FM X_BM^-1."""
    m = Mechanism(
        bodies=[Body("a"), Body("b")],
        joints=[
            R("A", "ground", "a", on_parent=Frame((1, 0, 0)), drawn="90 deg"),
            T("B", "a", "b", on_parent=Frame((1, 0, 0)), axis=(1, 0, 0), drawn="500 mm"),
        ],
    )
    placed = drawing(m)
    assert_allclose(placed.X_WB["a"].p, [1, 0, 0], rtol=0, atol=EPS)
    assert_allclose(placed.X_WB["a"].R[:, 0], [0, 1, 0], rtol=0, atol=EPS)
    assert_allclose(placed.X_WB["b"].p, [1, 1.5, 0], rtol=0, atol=4 * EPS)
    assert [float(placed.q[name][0]) for name in "AB"] == [np.pi / 2, 0.5]


def test_drawn_quaternions_are_made_unit():
    """A quaternion of any length but 0 says the same."""
    ball = JOINT_TYPES["spherical"]("S", "ground", "a", at=(0, 0), drawn=(1, 1, 1, 1))
    assert_array_equal(drawing(Mechanism(bodies=[Body("a")], joints=[ball])).q["S"], [0.5] * 4)


def test_bodies_hang_on_a_drawn_body():
    """A joint with frames starts from a body of the drawing, in either direction."""
    m = Mechanism(
        bodies=[Body("tip"), Body("root")],
        joints=[
            FIXED("F", "tip", "root", on_parent=Frame((0, 0, 1))),
            R("A", "ground", "root", at=(5, 0, 0)),
        ],
    )
    placed = drawing(m)
    assert_array_equal(placed.X_WB["root"].matrix(), np.eye(4))
    assert_array_equal(placed.X_WB["tip"].p, [0, 0, -1])


def chain(laws, **drawn):
    names = "ABC"
    bodies = [Body(name.lower()) for name in names]
    links = ["ground", "a", "b", "c"]
    joints = [
        R(n, links[i], links[i + 1], on_parent=Frame((1, 0)), drawn=drawn.get(n))
        for i, n in enumerate(names)
    ]
    couplings = [Coupling(f"c{key}", key, law) for key, law in laws.items()]
    return Mechanism(plane="xy", bodies=bodies, joints=joints, couplings=couplings)


def test_couplings_give_dependent_drawn_coordinates():
    """p = F(q) holds in the drawing, through chains of couplings, with t = 0."""
    m = chain({"C": "3*B + t", "B": "2*A + 0.1"}, A=0.2)
    q = drawing(m).q
    assert_allclose([q["A"][0], q["B"][0], q["C"][0]], [0.2, 0.5, 1.5], rtol=4 * EPS)
    assert m.coordinates == ("A",)
    assert m.dependent == {"B", "C"}


def test_couplings_may_use_the_motor_side_of_an_elastic_joint():
    """An elastic joint is drawn with its spring at rest: J.rotor is J, J.twist is 0."""
    m = chain({}, A=0.2)
    elastic = replace(m.joint("A"), rotor=Rotor(inertia=1), elastic=Elastic(10))
    coupling = Coupling("c", "C", "2*'A.rotor' + 5*'A.twist'")
    m = replace(m, joints=[elastic, *m.joints[1:]], couplings=[coupling])
    assert_allclose(drawing(m).q["C"], [0.4], rtol=4 * EPS)


@pytest.mark.parametrize(
    ("shift", "turn", "gap"),
    [((1e-3, 0, 0), 0.0, "0.001 m"), ((0, 0, 0), 0.01, "0.573 deg"), ((0, 0, 0), np.pi, "115 deg")],
)
def test_a_loop_of_frames_that_does_not_close_is_a_fault(shift, turn, gap):
    """Frames that miss each other by a shift, a turn or a half turn are reported."""
    joints = [
        R("A", "ground", "a", on_parent=Frame((1, 0, 0))),
        FIXED("B", "a", "b", on_parent=Frame((1, 0, 0))),
        FIXED("C", "ground", "b", on_parent=Frame((2 + shift[0], 0, 0), turn)),
    ]
    with pytest.raises(ModelError, match="does not meet in the drawing position") as caught:
        Mechanism(bodies=[Body("a"), Body("b")], joints=joints)
    assert all(gap in fault.message for fault in caught.value.faults)


def test_a_loop_of_frames_that_closes_is_none():
    """A triangle whose sides fit has no fault."""
    joints = [
        R("A", "ground", "a"),
        R("B", "a", "b", on_parent=Frame((1, 0)), drawn=2 * np.pi / 3),
        R("C", "b", "ground", on_parent=Frame((1, 0)), on_child=Frame((1, 0)), drawn=0.0),
    ]
    angle = np.pi / 3
    joints[0] = replace(joints[0], on_parent=Frame(), drawn=angle)
    joints[1] = replace(joints[1], drawn=-2 * angle)
    joints[2] = replace(joints[2], drawn=angle)
    m = Mechanism(plane="xy", bodies=[Body("a"), Body("b")], joints=joints)
    assert drawing(m).gap(m.joint("C")) < 10 * EPS


@pytest.mark.parametrize("radii", [(0.3, 0.2), (0.6, -0.2), (-0.2, 0.6)])
def test_gears_touch_at_the_drawn_pitch_point(radii):
    """Both wheel centres lie a radius from the pitch point, on the line of centres."""
    parent, child = radii
    sizes = {"parent_radius": abs(parent), "child_radius": abs(child), "inner": parent * child < 0}
    mesh = JOINT_TYPES["gear-mesh"]
    m = Mechanism(
        plane="xy",
        bodies=[Body("a"), Body("b")],
        joints=[
            R("A", "ground", "a", at=(1 - parent, 2)),
            R("B", "ground", "b", at=(1 + child, 2)),
            mesh("Z", "a", "b", at=(1, 2), x_axis=(1, 0), **sizes),
        ],
    )
    placed = drawing(m)
    assert_allclose(placed.X_WF["Z"].p, placed.X_WM["A"].p, rtol=0, atol=4 * EPS)
    assert_allclose(placed.X_WM["Z"].p, placed.X_WM["B"].p, rtol=0, atol=4 * EPS)


def test_joints_that_meet_in_one_point_are_not_apart():
    """The typical length of such a drawing is no rounding of the places of frames."""
    joints = [
        Revolute("A", "ground", "a", on_parent=Frame(), on_child=Frame(rotation=(0.3, 0.4, 0.5))),
        Revolute(
            *("B", "a", "b"),
            on_parent=Frame(rotation=(0.1, 0.2, 0.7)),
            on_child=Frame((1.21855, -4, 1.77)),
        ),
    ]
    assert drawing(Mechanism("m", [Body("a"), Body("b")], joints)).scale == 1.0

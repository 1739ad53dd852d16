"""What can be wrong with a mechanism: every fault is named with its place, all together."""

import copy
import math
import pickle
from dataclasses import replace

import pytest

import korba as kb
from korba.errors import Fault, ModelError
from korba.expr import variable
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.curve import Curve
from korba.model.drives.body_drive import BodyDrive
from korba.model.drives.joint_drive import JointDrive
from korba.model.drives.length_drive import LengthDrive
from korba.model.drives.point_drive import PointDrive
from korba.model.forces.joint_force import JointForce
from korba.model.forces.moment import Moment
from korba.model.forces.point_force import PointForce
from korba.model.forces.spring import Spring
from korba.model.frame import Frame
from korba.model.joint import Elastic, Friction, Rotor
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism

R, T, S, FREE, CAM, GEAR, SCREW, FIXED = (
    JOINT_TYPES[name]
    for name in (
        "revolute",
        "prismatic",
        "spherical",
        "free",
        "cam-roller",
        "gear-mesh",
        "screw",
        "fixed",
    )
)
BODIES = (Body("a"), Body("b"))
TURN = 2 * math.pi
A, B = R("A", "ground", "a", at=(0, 0)), R("B", "a", "b", at=(1, 0))


def arm(**changes):
    """A sound arm, with something changed."""
    return {"bodies": BODIES, "joints": (A, B), "plane": "xy"} | changes


def joints(**changes):
    return arm(joints=(replace(A, **changes), B))


def spatial(joint):
    return arm(joints=(joint, B), plane=None)


def slide(**changes):
    """The arm on a slide: A is a length."""
    return arm(joints=(T("A", "ground", "a", at=(0, 0), axis=(1, 0)), B)) | changes


def cam(profile):
    return arm(joints=(CAM("A", "ground", "a", at=(0, 0), profile=profile), B))


FAULTS = [
    # bodies
    (arm(bodies=(Body("a"), Body("b", "2 m"))), ("body", "b", "mass"), "mass"),
    (arm(bodies=(Body("a"), Body("b", -1))), ("body", "b", "mass"), "negative"),
    (arm(bodies=(Body("a"), Body("b", float("nan")))), ("body", "b", "mass"), "nan"),
    (arm(bodies=(Body("a"), Body("b", com=(1,)))), ("body", "b", "com"), "two or three"),
    (arm(bodies=(Body("a"), Body("b", 1, inertia=-1))), ("body", "b", "inertia"), "negative"),
    (arm(bodies=(Body("a"), Body("b"), Body("b"))), ("body", "b", "name"), "used 2 times"),
    (arm(bodies=(*BODIES, Body("c"))), ("body", "c"), "not connected"),
    (arm(bodies=(*BODIES, Body("ground"))), ("body", "ground", "name"), "always there"),
    (arm(bodies=("a", "b")), ("mechanism", "", "bodies"), "got str"),
    # joints: names and references
    (arm(joints=(A, replace(B, name="A"))), ("joint", "A", "name"), "used 2 times"),
    (arm(joints=(A, replace(B, child="bb"))), ("joint", "B", "child"), "did you mean 'b'"),
    (arm(joints=(A, B, R("C", "b", "b", at=(0, 0)))), ("joint", "C", "child"), "two bodies"),
    (joints(name="t"), ("joint", "t", "name"), "means the time"),
    (joints(parent=3), ("joint", "A", "parent"), "expected a text"),
    # joints: place
    (joints(at=None), ("joint", "A", "at"), "is missing"),
    (joints(at=(0, 0, 1)), ("joint", "A", "at"), "z = 1"),
    (joints(at=("1 kg", 0)), ("joint", "A", "at"), "length"),
    (joints(on_parent=Frame()), ("joint", "A", "at"), "both in the drawing"),
    (joints(axis=(0, 0, 0)), ("joint", "A", "axis"), "length 0"),
    (joints(axis=(1, 0, 0)), ("joint", "A", "axis"), "plane's normal"),
    (joints(x_axis=(0, 0, 1), axis=(0, 0, 2)), ("joint", "A", "x_axis"), "parallel"),
    (joints(drawn=(1, 2)), ("joint", "A", "drawn"), "expected 1 values"),
    (joints(drawn="1 m"), ("joint", "A", "drawn"), "angle"),
    (joints(lower=2, upper=1), ("joint", "A", "lower"), "lies above"),
    (joints(on_parent={"origin": 3}, at=None), ("joint", "A", "on_parent", "origin"), "components"),
    (
        arm(joints=(T("A", "ground", "a", at=(0, 0)), B)),
        ("joint", "A", "axis"),
        "give the direction of the prismatic",
    ),
    (
        arm(joints=(T("A", "ground", "a", at=(0, 0), axis=(1, 0, 1)), B)),
        ("joint", "A", "axis"),
        "must lie in the plane",
    ),
    (
        joints(at=None, on_parent=Frame(rotation=[1, 0, 0])),
        ("joint", "A", "axis"),
        "leaves the plane",
    ),
    (
        spatial(S("A", "ground", "a", at=(0, 0), drawn=(0, 0, 0, 0))),
        ("joint", "A", "drawn"),
        "length 0",
    ),
    (spatial(FIXED("A", "ground", "a", lower=1)), ("joint", "A", "lower"), "expected 0 values"),
    # joints: kind
    (arm(joints=(S("A", "ground", "a", at=(0, 0)), B)), ("joint", "A", "type"), "does not fit"),
    (
        spatial(CAM("A", "ground", "a", at=(0, 0), profile=1)),
        ("joint", "A", "type"),
        "lives in a plane",
    ),
    (
        arm(joints=(CAM("A", "ground", "a", at=(0, 0)), B)),
        ("joint", "A", "profile"),
        "is missing",
    ),
    (
        arm(joints=(CAM("A", "ground", "a", at=(0, 0), profile="x"), B)),
        ("joint", "A", "profile"),
        "x",
    ),
    (
        arm(joints=(GEAR("A", "ground", "a", at=(0, 0), parent_radius=1), B)),
        ("joint", "A", "child_radius"),
        "is missing",
    ),
    (spatial(SCREW("A", "ground", "a", at=(0, 0))), ("joint", "A", "lead"), "is missing"),
    (spatial(FREE("A", "ground", "a", rotor=Rotor())), ("joint", "A", "rotor"), "one freedom"),
    (joints(elastic=Elastic(1)), ("joint", "A", "elastic"), "needs the rotor"),
    (
        joints(rotor=Rotor(mass=-1)),
        ("joint", "A", "rotor", "mass"),
        "at least 0",
    ),
    # couplings
    (arm(couplings=[Coupling("c", "X", "A")]), ("coupling", "c", "coordinate"), "no coordinate"),
    (arm(couplings=[Coupling("c", "B", "X")]), ("coupling", "c", "law"), "no name 'X'"),
    (arm(couplings=[Coupling("c", "B", "2*")]), ("coupling", "c", "law"), "cannot read"),
    (
        arm(couplings=[Coupling("c", "B", "A"), Coupling("d", "B", "2*A")]),
        ("coupling", "d", "coordinate"),
        "two couplings",
    ),
    (
        arm(couplings=[Coupling("c", "B", "A"), Coupling("d", "A", "2*B")]),
        ("coupling", "c", "law"),
        "in a circle",
    ),
    (arm(couplings=[Coupling("c", "B", variable("B"))]), ("coupling", "c", "law"), "B -> B"),
    (
        joints(rotor=Rotor(), elastic=Elastic(1)) | {"couplings": [Coupling("c", "A", "2*B")]},
        ("coupling", "c", "coordinate"),
        "is elastic",
    ),
    # forces
    (arm(forces=[PointForce("f", "x", (0, 1))]), ("force", "f", "body"), "no body 'x'"),
    (arm(forces=[PointForce("f", "a", (0, "u"))]), ("force", "f", "force"), "no name 'u'"),
    (arm(forces=[Moment("f", "a", (0, 0, "1 N"))]), ("force", "f", "moment"), "moment"),
    (arm(forces=[JointForce("f", "x")]), ("force", "f", "joint"), "no joint or coordinate"),
    (arm(forces=[JointForce("f", "A", law="l")]), ("force", "f", "law"), "no name 'l'"),
    (arm(forces=[Moment("f", "a", (1, 0, 0))]), ("force", "f", "moment"), "[0, 0, M]"),
    (arm(forces=[Moment("f", "a", (0, "t"))]), ("force", "f", "moment"), "leaves the plane"),
    (arm(forces=[PointForce("f", "a", (0, 0, "2*t"))]), ("force", "f", "force"), "[0, 0, 2*t]"),
    (
        arm(forces=[Spring("f", "a", (0, 0), "b", (0, 0), stiffness=-1)]),
        ("force", "f", "stiffness"),
        "at least 0",
    ),
    (
        arm(forces=[PointForce("f", "a", (0, 1), axes="bdy")]),
        ("force", "f", "axes"),
        "did you mean 'body'",
    ),
    # drives
    (arm(drives=[JointDrive("d", "X", 1)]), ("drive", "d", "joint"), "no joint or coordinate"),
    (arm(drives=[JointDrive("d", "A", "B")]), ("drive", "d", "position"), "B"),
    (arm(drives=[JointDrive("d", "A", None)]), ("drive", "d", "position"), "expected a number"),
    (arm(drives=[BodyDrive("d", "a")]), ("drive", "d"), "drives nothing"),
    (arm(drives=[BodyDrive("d", "a", "a", x=1)]), ("drive", "d", "body"), "and itself"),
    (arm(drives=[PointDrive("d", "ground", (0, 0), x=1)]), ("drive", "d", "body"), "and itself"),
    (arm(drives=[PointDrive("d", "a", (0, 0), z=1)]), ("drive", "d", "z"), "leaves the plane"),
    (
        arm(drives=[LengthDrive("d", "a", (0, 0), "x", (1, 0), 1)]),
        ("drive", "d", "body_b"),
        "no body 'x'",
    ),
    (
        arm(drives=[JointDrive("d", "B", "t")], couplings=[Coupling("c", "B", "2*A")]),
        ("drive", "d", "joint"),
        "given by the coupling 'c'",
    ),
    (
        arm(drives=[JointDrive("d", "A", "t"), JointDrive("e", "A", "2*t")]),
        ("drive", "e", "position"),
        "by the drive 'd' already",
    ),
    (
        arm(drives=[BodyDrive("d", "b", x="t", y=1), BodyDrive("e", "b", y=2)]),
        ("drive", "e", "y"),
        "by the drive 'd' already",
    ),
    # units that depend on the joint
    (arm(drives=[JointDrive("d", "A", "300 rpm")]), ("drive", "d", "position"), "'300 rpm*t'"),
    (arm(drives=[JointDrive("d", "A", "50 Hz")]), ("drive", "d", "position"), "Hz counts turns"),
    (
        arm(drives=[JointDrive("d", "A", "30 mm + 2*t")]),
        ("drive", "d", "position"),
        "'A' is an angle: expected an angle (such as '30 deg'), got '30 mm + 2*t' (a length)",
    ),
    (
        arm(drives=[JointDrive("d", "A", {"x": [0, 1, 2], "y": [0, "3 mm", "4 mm"]})]),
        ("drive", "d", "position"),
        "'A' is an angle: expected an angle (such as '30 deg'), got '3 mm'",
    ),
    (
        arm(drives=[LengthDrive("d", "a", (0, 0), "b", (1, 0), Curve([0, 1, 2], ["1 deg", 2, 3]))]),
        ("drive", "d", "length"),
        "y: expected a length",
    ),
    (
        arm(drives=[JointDrive("d", "A", Curve(["1 m", 2, 3], [1, 2, 3]))]),
        ("drive", "d", "position"),
        "x: expected a time",
    ),
    (
        arm(drives=[JointDrive("d", "A", Curve([1, 2, 3], [1, "2 deg", "3 m"]))]),
        ("drive", "d", "position"),
        "units do not fit together: '2 deg' and '3 m'",
    ),
    (
        slide(couplings=[Coupling("c", "A", "30 deg + B")]),
        ("coupling", "c", "law"),
        "'A' is a length: expected a length",
    ),
    (slide(drives=[JointDrive("d", "A", "2*asin(1) + 1 rad")]), ("drive", "d", "position"), "rad"),
    (
        arm(forces=[Spring("f", "a", (0, 0), "b", (0, 0), law="-3 N/m*l - 2 N*v")]),
        ("force", "f", "law"),
        "'2 N*v' is a quantity in kg*m^2/s^3, but '-3 N/m*l' is a force",
    ),
    (arm(forces=[JointForce("f", "A", "5 N/m")]), ("force", "f", "stiffness"), "angular stiffness"),
    (arm(forces=[JointForce("f", "A", 1, "5 mm")]), ("force", "f", "rest"), "expected an angle"),
    (
        arm(forces=[JointForce("f", "A", damping="5 N*s/m")]),
        ("force", "f", "damping"),
        "expected an angular damping",
    ),
    (arm(forces=[JointForce("f", "A", law="5 N")]), ("force", "f", "law"), "expected a moment"),
    (slide(forces=[JointForce("f", "A", "5 N*m")]), ("force", "f", "stiffness"), "a stiffness"),
    (joints(damping="5 N*s/m"), ("joint", "A", "damping"), "expected an angular damping"),
    (joints(max_velocity="5 m/s"), ("joint", "A", "max_velocity"), "an angular velocity"),
    (joints(max_effort="5 N"), ("joint", "A", "max_effort"), "expected a moment"),
    (
        joints(rotor=Rotor(), elastic=Elastic("5 N/m")),
        ("joint", "A", "elastic", "stiffness"),
        "expected an angular stiffness",
    ),
    (
        joints(rotor=Rotor(), elastic={"stiffness": 1, "damping": "5 N*s/m"}),
        ("joint", "A", "elastic", "damping"),
        "expected an angular damping",
    ),
    (joints(friction=Friction(effort="5 N")), ("joint", "A", "friction", "effort"), "a moment"),
    (
        arm(joints=(T("A", "ground", "a", at=(0, 0), axis=(1, 0), max_effort="5 N*m"), B)),
        ("joint", "A", "max_effort"),
        "expected a force",
    ),
    # cams
    (cam("sqrt(cos(beta))"), ("joint", "A", "profile"), "no finite value at beta = 92 deg"),
    (cam("1/sin(beta)"), ("joint", "A", "profile"), "no finite value at beta = 0 deg"),
    (cam("30 mm*cos(beta)"), ("joint", "A", "profile"), "at beta = 92 deg; it must be above 0"),
    (cam(-1), ("joint", "A", "profile"), "the radius -1 m at beta = 0 deg"),
    (cam("1 + beta"), ("joint", "A", "profile"), "1 m at beta = 0 and 7.28319 m at beta = 360 deg"),
    (cam(Curve([0, 3, 6], [1, 2, 1], True)), ("joint", "A", "profile"), "span 6 rad"),
    (cam(Curve([0, 3, TURN], [1, 2, 1])), ("joint", "A", "profile"), "periodic = true"),
    (cam(Curve([0, 3, TURN], [1, -2, 1], True)), ("joint", "A", "profile"), "the radius -"),
    # sizes beyond what a computer can hold
    (cam(Curve([0, 3, TURN], [1e308, 1, 1e308], True)), ("joint", "A", "profile"), ""),
    (joints(axis=(0, 0, 1e200)), ("joint", "A", "axis"), "no finite length"),
    (
        spatial(FREE("A", "ground", "a", drawn=(0, 0, 0, 1e200, 0, 1, 0))),
        ("joint", "A", "drawn"),
        "no finite length",
    ),
    (
        arm(
            joints=(
                R("A", "ground", "a", on_parent=Frame((1.5e308, 0))),
                R("B", "a", "b", on_parent=Frame((1.5e308, 0))),
            )
        ),
        ("joint", "B"),
        "no finite place",
    ),
    # the mechanism itself
    (arm(plane="xz"), ("mechanism", "", "plane"), "expected one of xy"),
    (arm(gravity=(0, "1 kg")), ("mechanism", "", "gravity"), "acceleration"),
]


@pytest.mark.parametrize(("given", "where", "words"), FAULTS)
def test_a_fault_is_named_with_its_place(given, where, words):
    """A faulty mechanism is refused; the fault says where and what."""
    with pytest.raises(ModelError) as caught:
        Mechanism(**given)
    found = {fault.where: fault.message for fault in caught.value.faults}
    assert where in found
    assert words in found[where]


SOUND = [
    arm(drives=[JointDrive("d", "A", "300 rpm*t"), JointDrive("e", "B", "2*pi*t")]),
    arm(
        drives=[
            JointDrive("d", "A", "30 deg + 2*t"),
            JointDrive("e", "B", Curve([0, 1, 2], 3 * [1])),
        ]
    ),
    arm(
        drives=[BodyDrive("d", "b", x="t"), BodyDrive("e", "b", y="t"), BodyDrive("f", "a", x="t")]
    ),
    arm(forces=[JointForce("f", "A", "5 N*m", "3 deg", "5 N*m*s/rad", "5 N*m*sin(q) - 2*v")]),
    arm(forces=[Moment("f", "a", (0, 0, "t")), PointForce("g", "a", ("t", 1, 0))]),
    slide(forces=[JointForce("f", "A", "5 N/m", "3 mm", "5 N*s/m", "5 N - 2*v")]),
    slide(couplings=[Coupling("c", "A", "3 mm/rad*B")]),
    slide(couplings=[Coupling("c", "A", "0.03*atan2(sin(B), cos(B))")]),
    joints(damping="5 N*m*s/rad", max_velocity="300 rpm", friction=Friction(effort="5 N*m")),
    joints(rotor=Rotor(), elastic=Elastic("5 N*m/rad", "1 N*m*s/rad")),
    cam(Curve(["0 deg", "90 deg", "360 deg"], ["3 cm", "4 cm", "3 cm"], True)),
    cam("30 mm + 2 mm*cos(beta)"),
    joints(at=(1e200, 0)),
]


@pytest.mark.parametrize("given", SOUND)
def test_what_is_right_is_not_refused(given):
    """Units that fit, unknown names, closed cams and large sizes are no faults."""
    assert Mechanism(**given).nq > 0


def test_units_are_no_part_of_the_value():
    """An element given with units equals the one given in SI, and can be copied and pickled."""
    given, plain = JointForce("f", "A", "5 N/m"), JointForce("f", "A", 5)
    assert given == plain and hash(given) == hash(plain)
    assert pickle.loads(pickle.dumps(given)) == copy.deepcopy(given) == plain  # noqa: S301


def test_the_arm_is_sound():
    """What the table changes is sound to begin with."""
    assert Mechanism(**arm()).nq == 2


def test_several_faults_are_reported_together():
    """One error carries all faults, one line each, and none hides another."""
    with pytest.raises(ModelError) as caught:
        Mechanism(
            "bad",
            plane="xy",
            bodies=[Body("a", -1), Body("b", com="x"), Body("lost")],
            joints=[replace(A, axis=(0, 0, 0)), replace(B, parent="aa", lower=1, upper=0)],
            couplings=[Coupling("c", "Z", "A")],
            drives=[BodyDrive("d", "a")],
        )
    expected = {
        ("body", "a", "mass"),
        ("body", "b", "com"),
        ("body", "lost"),
        ("body", "b"),
        ("joint", "A", "axis"),
        ("joint", "B", "parent"),
        ("joint", "B", "lower"),
        ("coupling", "c", "coordinate"),
        ("drive", "d"),
    }
    assert {fault.where for fault in caught.value.faults} == expected
    text = str(caught.value)
    assert text.startswith("mechanism 'bad' has 9 faults:")
    assert all(str(fault) in text for fault in caught.value.faults)


def test_a_fault_reads_as_a_sentence():
    """Line, element and field stand before the message."""
    fault = Fault(("joint", "A", "axis"), "has length 0", line=12)
    assert str(fault) == "line 12: joint 'A', axis: has length 0"


def test_coordinates_of_two_joints_must_differ():
    """A joint named like another's coordinate would be mistaken for it in laws."""
    planar = JOINT_TYPES["planar"]("P", "a", "b", at=(0, 0))
    with pytest.raises(ModelError, match=r"coordinate 'P.x' means P.x already"):
        Mechanism(plane="xy", bodies=BODIES, joints=[replace(A, name="P.x"), planar])


def test_a_name_that_is_none_is_shown_as_given():
    """A wrong name is shown in the message as it was given."""
    with pytest.raises(ModelError, match="body '3', name: expected a text"):
        Mechanism(bodies=[Body(3)])


def test_a_long_chain_is_a_mechanism():
    """3000 bodies in a row are checked and placed without meeting the recursion limit."""
    count = 3000
    links = ["ground", *(f"b{i}" for i in range(count))]
    m = Mechanism(
        plane="xy",
        bodies=[Body(name) for name in links[1:]],
        joints=[R(f"J{i}", links[i], links[i + 1], at=(i, 0)) for i in range(count)],
    )
    assert m.nq == count


def test_what_is_drawn_obeys_the_couplings():
    """A dependent coordinate said to be drawn elsewhere than its coupling says is a fault."""
    given = {**arm(), "couplings": [Coupling("c", "B", "2*A + 0.5")]}
    with pytest.raises(ModelError, match=r"coupling 'c', law: gives 0\.5 where 'B' is drawn at 0"):
        Mechanism(**given | {"joints": [given["joints"][0], replace(given["joints"][1], drawn=0)]})


def test_a_length_needs_two_points():
    """A spring with a length between coinciding points has no direction, which is said at once."""
    spring = Spring("s", "a", (0, 0), "ground", (0, 0), stiffness=1, free_length=0.1)
    with pytest.raises(ModelError, match="force 's': its two points coincide"):
        Mechanism(**arm() | {"forces": [spring]})


def test_lists_are_lists():
    """`bodies=None` is said to be wrong in a sentence."""
    with pytest.raises(ModelError, match="bodies is a list, got None"):
        Mechanism(bodies=None)


def test_a_coupling_has_a_value_where_it_is_drawn():
    """1/A at A = 0 is a fault, not a warning."""
    with pytest.raises(ModelError, match="coupling 'c', law: has no value in the drawing"):
        Mechanism(**arm(couplings=[Coupling("c", "B", "1/A")]))


@pytest.mark.parametrize(
    ("radii", "told"),
    [
        ((0.2, -0.3), "child_radius: expected a value above 0, got -0.3"),
        ((0, 0.1), "parent_radius: expected a value above 0, got 0"),
        ((None, 0.1), "parent_radius: is missing; give the pitch radius"),
        ((0.2, 0.2), "inner: both radii are the same; a ring is larger"),
    ],
)
def test_two_wheels_can_mesh(radii, told):
    """Radii are above 0, and of a ring and its wheel they differ."""
    parent, child = radii
    mesh = GEAR("Z", "a", "b", at=(0, 0), parent_radius=parent, child_radius=child, inner=True)
    with pytest.raises(ModelError, match=told):
        Mechanism(**arm(joints=(A, B, mesh)))


def planet_in_ring(at=(3, 0), towards=(1, 0), **sizes):
    """A carrier, and a planet on it that rolls in the ring of the base."""
    sizes = {"parent_radius": 3.0, "child_radius": 1.0, "inner": True} | sizes
    joints = [
        kb.Revolute("C", "ground", "carrier", at=(0, 0)),
        kb.Revolute("P", "carrier", "planet", at=(2, 0)),
        kb.GearMesh("ring", "ground", "planet", at=at, x_axis=towards, **sizes),
    ]
    bodies = [kb.Body("carrier"), kb.Body("planet")]
    return kb.Mechanism("gear", bodies, joints, plane="xy")


def test_a_planet_sits_on_its_axis_in_a_ring():
    """The line of centres goes from the ring's centre to the planet's; one freedom is left."""
    assert kb.mobility(planet_in_ring()).actual == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"towards": (-1, 0)},
            "x_axis: the wheel of 'ground' .* 6 m beside it .*; turn x_axis round",
        ),
        ({"child_radius": 0.9}, "the wheel of 'planet' does not sit on its axis, the joint 'P'"),
        ({"at": (3, 0.1)}, "the wheel of 'ground' does not sit on its axis, the joint 'C'"),
        (
            {"inner": False},
            r"2 m beside it \('C' and 'P' are 2 m apart, .*; correct the radii, `inner`, or",
        ),
    ],
)
def test_a_wheel_beside_its_axis_is_a_fault(wrong, told):
    """Whoever bears both wheels says where their axes are, and the mesh must agree."""
    with pytest.raises(kb.ModelError, match=told):
        planet_in_ring(**wrong)


@pytest.mark.parametrize("mesh", ["S2", "R2"])
@pytest.mark.parametrize("planets", [1, 3])
def test_a_planet_that_does_not_fit_between_sun_and_ring_is_a_fault(mesh, planets):
    """The sun's axis stays in the carrier, since both turn about one line of the frame."""
    m, wrong = kb.linkages.planetary("30 mm", "20 mm", planets), mesh.replace("2", str(planets))
    joints = [replace(j, child_radius=0.024) if j.name == wrong else j for j in m.joints]
    sizes = r"are 0\.05 m apart, parent_radius = 0\.0[37] m, child_radius = 0\.024 m"
    with pytest.raises(kb.ModelError, match=f"{wrong}.* 0.004 m beside it .*{sizes}"):
        replace(m, joints=joints)


def test_a_coupler_may_join_wheels_beside_their_axes():
    """What bears the wheels is the frame; the rods between their cranks bear nothing."""
    joints = [
        R("A", "ground", "a", at=(0, 0)),
        R("B", "ground", "b", at=(0.5, 0)),
        GEAR("Z", "a", "b", at=(0.3, 0), x_axis=(1, 0), parent_radius=0.3, child_radius=0.2),
        R("C", "a", "rod", at=(0, 0.1)),
        kb.PinInSlot("D", "b", "rod", at=(0.5, 0.1), axis=(1, 0)),
    ]
    bodies = [Body(name) for name in ("a", "b", "rod")]
    assert kb.mobility(Mechanism("geared", bodies, joints, plane="xy")).actual == 1
    joints[-1] = R("D", "b", "rod", at=(0.5, 0.1))
    Mechanism("geared", bodies, joints, plane="xy")


@pytest.mark.parametrize(("radii", "inner"), [((0.3, 0.2), False), ((0.7, 0.2), True)])
def test_wheels_join_their_centres(radii, inner):
    """Wheels may be joined by the points in their middles; radii that do not fit are told."""
    sizes = {"parent_radius": radii[0], "child_radius": radii[1], "inner": inner}
    bodies = [Body(name, points={"O": (0, 0)}) for name in "ab"]
    joints = [
        R("A", "ground.A", "a.O"),
        R("B", "ground.B", "b.O"),
        GEAR("Z", "a.O", "b.O", **sizes),
    ]
    top = {"plane": "xy", "points": {"A": (0, 0), "B": (0.3, 0.4)}}
    assert kb.mobility(Mechanism("pair", bodies, joints, **top)).actual == 1
    joints[2] = replace(joints[2], child_radius=0.25)
    with pytest.raises(ModelError, match="the wheels do not touch: the axes that"):
        Mechanism("pair", bodies, joints, **top)


@pytest.mark.parametrize("off", [0.0, 0.01])
def test_the_pinion_of_a_rack_sits_on_its_axis(off):
    """The rack slides on what bears the pinion, whose centre is a radius away."""
    joints = [
        kb.Prismatic("slide", "ground", "rack", at=(0, 0), axis=(1, 0)),
        kb.Revolute("axle", "ground", "pinion", at=(0, 0.2 + off)),
        kb.GearRack("teeth", "rack", "pinion", at=(0, 0), x_axis=(0, 1), radius=0.2),
    ]
    bodies = [kb.Body("rack"), kb.Body("pinion")]
    if not off:
        assert kb.mobility(kb.Mechanism("rack", bodies, joints, plane="xy")).actual == 1
    else:
        with pytest.raises(kb.ModelError, match="the wheel of 'pinion' does not sit on its axis"):
            kb.Mechanism("rack", bodies, joints, plane="xy")


@pytest.mark.parametrize("lean", [0.0, 0.1])
def test_bevel_wheels_sit_on_axes_that_meet(lean):
    """Both axes go through the apex, at the shaft angle; else the wheel is told."""
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 1), axis=(0, 0, 1)),
        kb.Revolute("B", "ground", "b", at=(1, 0, lean), axis=(1, 0, lean)),
        kb.GearBevel(
            "teeth",
            "a",
            "b",
            at=(0, 0, 0),
            axis=(0, 0, 1),
            x_axis=(1, 0, 0),
            parent_radius=0.2,
            child_radius=0.4,
        ),
    ]
    bodies = [kb.Body("a"), kb.Body("b")]
    if not lean:
        assert kb.mobility(kb.Mechanism("bevels", bodies, joints)).actual == 1
    else:
        with pytest.raises(kb.ModelError, match="the wheel of 'b' does not sit on its axis"):
            kb.Mechanism("bevels", bodies, joints)

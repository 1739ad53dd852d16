"""SDF files: frames, joints, loops, defaults of the format, and what is wrong with a file."""

import contextlib
import random

import numpy as np
import pytest
from numpy.testing import assert_allclose
from robot_files import ROBOTS
from test_urdf_faults import mutated

import korba as kb
from korba.errors import FileError, KorbaError
from korba.model.drawing import drawing

INERTIAL = (
    "<inertial><pose>{} 0 0 0 0 0</pose><mass>{}</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy>"
    "<izz>0.03</izz></inertia></inertial>"
)
CORNERS = {"A": 0.0, "B": 0.3 * np.exp(1j), "D": 0.6}


def meeting(angle, sign=1):
    """Where the pin C of AB 0.3, BC 0.5, DC 0.4, AD 0.6 is, left of the way from B to D."""
    B = 0.3 * np.exp(1j * angle)
    d = abs(0.6 - B)
    x = (0.5**2 - 0.4**2 + d**2) / (2 * d)
    return B + (0.6 - B) / d * (x + sign * 1j * np.sqrt(0.5**2 - x**2))


def link(name, P, Q, mass):
    """A rod from P to Q with its frame at P, x along it."""
    place = f"{P.real!r} {P.imag!r} 0 0 0 {float(np.angle(Q - P))!r}"
    inertial = INERTIAL.format(abs(Q - P) / 2, mass)
    return f'<link name="{name}"><pose>{place}</pose>{inertial}</link>'


def joint(name, kind, parent, child, more="<axis><xyz>0 0 1</xyz></axis>"):
    """A joint."""
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{more}'
        "</joint>"
    )


def four_bar():
    """A four-bar drawn at the crank angle of 1 rad."""
    A, B, D = (complex(CORNERS[name]) for name in "ABD")
    C = meeting(1.0)
    tip = '<pose relative_to="coupler">0.5 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>'
    return "".join(
        [
            link("crank", A, B, 1.0),
            link("coupler", B, C, 2.0),
            link("rocker", D, C, 1.5),
            joint("A", "continuous", "world", "crank"),
            joint("B", "revolute", "crank", "coupler"),
            joint("D", "revolute", "world", "rocker"),
            joint("C", "revolute", "coupler", "rocker", tip),
        ]
    )


def read(folder, inside, version="1.11", **options):
    """The mechanism of a model with that inside."""
    file = folder / "model.sdf"
    whole = f'<model name="m">{inside}</model>' if "<model" not in inside[:8] else inside
    file.write_text(f'<sdf version="{version}">\n{whole}\n</sdf>')
    return kb.read_sdf(file, **options)


def test_a_four_bar_has_its_loop(tmp_path):
    """C moves as four lengths say, and both ways of reading give the same motion."""
    m = read(tmp_path, four_bar())
    assert kb.mobility(m).actual == 1
    for angle in (0.2, 1.5):
        C = kb.assemble(m, {"A": angle - 1.0}).point("coupler", (0.5, 0, 0))
        assert abs(complex(*C[:2]) - meeting(angle)) < 1e-12
    assert kb.load(tmp_path / "model.sdf") == m
    run = kb.simulate(m, 0.5, times=3)
    assert run.audit.residual < 1e-10


def test_frames_place_links_and_axes(tmp_path):
    """Poses relative to links, frames, joints and nested models, in degrees or quaternions."""
    inside = """
    <pose degrees="true">1 0 0 0 0 90</pose>
    <frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>
    <link name="a"><pose>0 1 0 0 0 0</pose></link>
    <link name="b"><pose relative_to="f" rotation_format="quat_xyzw">0 0 1 0 0 1 0</pose></link>
    <joint name="j" type="revolute"><parent>f</parent><child>b</child><pose>0 0 0.5 0 0 0</pose>
      <axis><xyz expressed_in="__model__">1 0 0</xyz></axis></joint>
    <model name="arm"><pose relative_to="b">0 2 0 0 0 0</pose>
      <link name="tip"><pose>1 0 0 0 0 0</pose></link></model>
    <joint name="k" type="fixed"><parent>j</parent><child>arm</child></joint>
    <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>"""
    m = read(tmp_path, inside)
    X = drawing(m).X_WB
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert_allclose(X["a"].p, [1 - 1, 0, 0], atol=1e-15)
    assert_allclose(X["b"].p, [0, 0, 2], atol=1e-15)
    assert_allclose(X["b"].R, turn @ np.diag([-1, -1, 1]), atol=1e-15)
    assert_allclose(X["arm::tip"].p, X["b"].point((1, 2, 0)), atol=1e-15)
    assert (m.joint("j").parent, m.joint("k").parent, m.joint("k").child) == ("a", "b", "arm::tip")
    assert_allclose(drawing(m).X_WM["j"].R[:, 2], turn @ [1, 0, 0], atol=1e-15)
    assert_allclose(drawing(m).X_WM["j"].p, [0, 0, 2.5], atol=1e-15)


def test_a_placement_frame_stands_at_the_pose(tmp_path):
    """The pose of a model is that of the frame that it names; a visual may name a link."""
    box = '<pose relative_to="a">0 0 2 0 0 0</pose><geometry><sphere/></geometry>'
    text = (
        '<model name="m" placement_frame="f"><pose>5 0 0 0 0 0</pose>'
        '<link name="a"><pose>1 0 0 0 0 0</pose></link>'
        f'<link name="b"><pose>0 1 0 0 0 0</pose><visual name="v">{box}</visual></link>'
        '<frame name="f" attached_to="a"><pose>0 0 3 0 0 0</pose></frame></model>'
    )
    m = read(tmp_path, text)
    X = drawing(m).X_WB
    assert_allclose(X["a"].p, [5, 0, -3], atol=1e-15)
    assert_allclose(X["b"].p, [4, 1, -3], atol=1e-15)
    assert m.body("b").shapes[0].frame.origin == (1.0, -1.0, 2.0)


@pytest.mark.parametrize(("version", "axis"), [("1.4", (1, 0, 0)), ("1.5", (0, 1, 0))])
def test_old_axes_are_in_the_model(version, axis, tmp_path):
    """Before 1.5 an axis is in the frame of the model, since then in that of the joint."""
    inside = (
        '<link name="a"><pose>0 0 0 0 0 1.5707963267948966</pose></link>'
        '<joint name="j" type="revolute"><parent>world</parent><child>a</child>'
        "<axis><xyz>1 0 0</xyz></axis></joint>"
    )
    m = read(tmp_path, inside, version)
    assert_allclose(drawing(m).X_WM["j"].R[:, 2], axis, atol=1e-15)


def test_every_type_of_joint(tmp_path):
    """Types, coordinates, limits, damping, friction, springs, leads and mimic are carried over."""
    names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    links = "".join(f'<link name="{name}">{INERTIAL.format(0.1, 1)}</link>' for name in names)
    axis = (
        "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort>"
        "<velocity>-1</velocity></limit><dynamics><damping>0.3</damping><friction>0.2</friction>"
        "<spring_stiffness>4</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>"
        "</axis>"
    )
    plain = "<axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>1e16</upper></limit>{}</axis>"
    second = "<axis2><xyz>{}</xyz></axis2>"
    mimic = '<mimic joint="J"><multiplier>2</multiplier><offset>0.5</offset></mimic>'
    rows = [
        ("J", "revolute", axis),
        ("slide", "prismatic", plain.format(mimic)),
        ("ball", "ball", ""),
        ("screw", "screw", "<screw_thread_pitch>0.01</screw_thread_pitch>" + plain.format("")),
        ("old", "screw", "<thread_pitch>-100</thread_pitch>" + plain.format("")),
        ("cross", "universal", plain.format("") + second.format("1 0 0")),
        ("pair", "revolute2", plain.format("") + second.format("0 1 1")),
        ("weld", "fixed", ""),
    ]
    chain = ["world", *names]
    inside = links + "".join(
        joint(name, kind, chain[i], chain[i + 1], more) for i, (name, kind, more) in enumerate(rows)
    )
    m = read(tmp_path, inside)
    types = [x.type for x in m.joints]
    assert types[:5] == ["revolute", "prismatic", "spherical", "screw", "screw"]
    assert types[5:] == ["universal", "revolute", "revolute", "fixed"]
    J = m.joint("J")
    assert (J.lower, J.upper, J.max_effort, J.max_velocity) == ((-1,), (2,), 5, None)
    assert (J.damping, J.friction.effort) == (0.3, 0.2)
    assert m.joint("slide").lower is None
    assert (m.forces[0].joint, m.forces[0].stiffness, m.forces[0].rest) == ("J", 4.0, 0.1)
    assert_allclose([m.joint("screw").lead, m.joint("old").lead], [0.01, 2 * np.pi / 100])
    assert "slide" not in m.coordinates
    assert m.body("pair.middle").mass == 0
    assert np.all(np.isfinite(kb.mass_matrix(m, {})))


def test_a_gearbox_is_a_coupling(tmp_path):
    """theta_2 = -ratio theta_1, of the angles about its own axes from its reference body."""
    more = (
        "<gearbox_reference_body>base</gearbox_reference_body><gearbox_ratio>0.04</gearbox_ratio>"
        "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
    )
    inside = (
        '<link name="base"/><link name="rotor"/><link name="arm"/>'
        + joint("w", "fixed", "world", "base", "")
        + joint("in", "revolute", "base", "rotor")
        + joint("out", "revolute", "arm", "base")
        + joint("gear", "gearbox", "rotor", "arm", more)
    )
    m = read(tmp_path, inside)
    assert m.coordinates == ("out",)
    turn = kb.pose(m, {"out": 0.01}, "rotor")
    arm = kb.pose(m, {"out": 0.01}, "arm")
    theta_1, theta_2 = (np.arctan2(X[1, 0], X[0, 0]) for X in (turn, arm))
    assert_allclose(theta_2, -0.04 * theta_1, rtol=1e-12)
    assert_allclose(theta_2, -0.01, rtol=1e-12)


def test_what_no_joint_holds_floats(tmp_path):
    """A model in a world falls from where it stands under that world's gravity; or is fixed."""
    body = f'<link name="a"><pose>0 0 2 0 0 0</pose>{INERTIAL.format(0, 1)}</link>'
    world = f'<world name="w"><gravity>0 0 -2</gravity><model name="m">{body}</model></world>'
    (tmp_path / "w.sdf").write_text(f'<sdf version="1.9">{world}</sdf>')
    m = kb.read_sdf(tmp_path / "w.sdf")
    run = kb.simulate(m, 1.0)
    assert_allclose(run.body("a").position[-1], [0, 0, 1.0], atol=1e-9)
    assert kb.read_sdf(tmp_path / "w.sdf", floating=False).nv == 0
    static = read(tmp_path, f"<static>true</static>{body}")
    assert static.nv == 0
    assert static.notes == (
        "the model is static: its first link is fixed, its joints can move here (1: m)",
    )


def test_defaults_and_notes(tmp_path):
    """Links without inertial have the format's, and every element that is left out is named."""
    inside = (
        '<link name="a"><collision name="c"/><sensor name="s"/><visual name="v"><geometry><box>'
        "<size>1 2 3</size></box></geometry><material><diffuse>1 0 0 1</diffuse></material>"
        '</visual><audio/></link><plugin name="p" filename="x"/><include><uri>y</uri></include>'
        + joint("j", "fixed", "world", "a", "")
    )
    m = read(tmp_path, inside)
    assert (m.body("a").mass, np.trace(m.body("a").inertia)) == (1.0, 3.0)
    assert [(s.kind, s.size, s.color) for s in m.body("a").shapes] == [
        ("box", (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 1.0))
    ]
    assert m.notes == (
        "plugins are not carried over (1: p)",
        "included models are not read; write them into the file (1)",
        "collision geometry is not carried over (1: a)",
        "sensors are not carried over (1: a)",
        "elements that are not read (1: audio)",
        "links without <inertial> have SDFormat's 1 kg and 1 kg m^2 (1: a)",
    )


A = '<link name="a"/>'
WORLD_A = joint("w", "fixed", "world", "a", "")


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", "has no links"),
        (A + joint("j", "revolut", "world", "a"), "did you mean 'revolute'"),
        (A + joint("j", "gearbox", "world", "a"), "gearbox_reference_body: is missing"),
        (A + joint("j", "fixed", "world", "aa"), "there is no 'aa'; did you mean 'a'"),
        (A + joint("j", "fixed", "world", ""), "is missing; name a link"),
        (A + joint("j", "fixed", "a", "a"), "both 'a'"),
        (A + A, "the name is used on line 2 already"),
        ("<link/>" + A, "has no name"),
        (A + joint("j", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>"), "length 0"),
        (A + joint("j", "revolute", "world", "a", "<axis><xyz>0 x 0</xyz></axis>"), "got 'x'"),
        (A + joint("j", "screw", "world", "a"), "screw_thread_pitch"),
        ('<link name="a"><pose>1 2 3</pose></link>', "expected 6 numbers, got 3"),
        ('<link name="a"><pose relative_to="b"/></link>' + WORLD_A, "there is no 'b'"),
        (
            '<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/>'
            "</link>",
            "relative to each other in a circle",
        ),
        ('<link name="a"><inertial><mass>-1</mass></inertial></link>', "is negative"),
    ],
)
def test_a_bad_file_is_one_clear_error(inside, words, tmp_path):
    """Whatever is wrong, a FileError names the element, its line and the way out."""
    with pytest.raises(FileError) as error:
        read(tmp_path, inside)
    assert words in str(error.value)
    assert all(fault.line for fault in error.value.faults)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot/>", "read_urdf reads it"),
        ("<sdf/>", "there is no <model>"),
        ('<sdf><model name="a"/><model name="b"/></sdf>', "choose one"),
        ('<!DOCTYPE sdf [<!ENTITY a "b">]><sdf/>', "document type"),
        ("<sdf>", "not well-formed"),
    ],
)
def test_other_files_are_refused(text, words, tmp_path):
    """What is no model, or not safe, is refused in a sentence."""
    (tmp_path / "x.sdf").write_text(text)
    with pytest.raises(FileError, match=words):
        kb.read_sdf(tmp_path / "x.sdf")


def test_cassie_has_its_loops(tmp_path):
    """Agility's Cassie as it is shared: as many freedoms as MuJoCo's constraints leave."""
    mujoco = pytest.importorskip("mujoco")
    m = kb.read_sdf(next(ROBOTS.rglob("cassie_v2.sdf")))
    kb.write_mjcf(m, tmp_path / "cassie.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "cassie.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ties = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert_allclose(data.efc_pos[ties], 0.0, atol=1e-12)
    J = data.efc_J.reshape(-1, model.nv)[ties]
    assert kb.mobility(m).actual == model.nv - np.linalg.matrix_rank(J, tol=1e-9) == 18


def test_gears_of_cassie_are_couplings(tmp_path):
    """With its rotors every motor is geared; two of their inertias no real body has."""
    m = kb.read_sdf(next(ROBOTS.rglob("cassie.sdf")))
    assert len(m.couplings) == 10
    with pytest.raises(FileError, match=r"foot-reference', inertia: no real body"):
        kb.write_mjcf(m, tmp_path / "cassie.xml")


def test_a_model_is_chosen_by_name(tmp_path):
    """Of several models one is named; a wrong name is answered by the right ones."""
    two = "".join(f'<model name="{x}"><link name="{x}"/></model>' for x in "ab")
    (tmp_path / "x.sdf").write_text(f"<sdf>{two}</sdf>")
    assert kb.read_sdf(tmp_path / "x.sdf", model="b").bodies[0].name == "b"
    with pytest.raises(FileError, match="there is no model 'c'"):
        kb.read_sdf(tmp_path / "x.sdf", model="c")


def test_mutated_files_raise_only_korba_errors(tmp_path):
    """Whatever happens to a file, reading gives a mechanism or a KorbaError."""
    rng, count = random.Random(0), 0  # noqa: S311
    text = f'<sdf version="1.9">\n<model name="m">{four_bar()}</model>\n</sdf>'
    for _ in range(500):
        (tmp_path / "x.sdf").write_bytes(mutated(text, rng).encode("utf-8", "replace"))
        with contextlib.suppress(KorbaError):
            kb.read_sdf(tmp_path / "x.sdf", floating=rng.random() < 0.5)
            count += 1
    assert count > 10

"""Mechanisms by their lengths are drawn where the closed forms say."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.model.drawing import drawing
from korba.system.system import system_of

SEEDS = list(seeds())
FOUR_BAR = """
plane = "xy"
points = { A = [0, 0], D = ["d", 0] }

[parameters]
a = 1
b = 3
c = 2.5
d = 3.2

[[body]]
name = "crank"
points = { A = [0, 0], B = ["a", 0] }

[[body]]
name = "coupler"
points = { B = [0, 0], C = ["b", 0], P = ["b/2", 0.5] }

[[body]]
name = "rocker"
points = { D = [0, 0], C = ["c", 0] }

[[joint]]
name = "A"
type = "revolute"
parent = "ground.A"
child = "crank.A"
drawn = "40 deg"

[[joint]]
name = "B"
type = "revolute"
parent = "crank.B"
child = "coupler.B"

[[joint]]
name = "C"
type = "revolute"
parent = "coupler.C"
child = "rocker.C"

[[joint]]
name = "D"
type = "revolute"
parent = "ground.D"
child = "rocker.D"
"""


def random_sizes(rng):
    """Lengths of a crank-rocker, which closes at any angle of its crank (Grashof)."""
    a, b, c = rng.uniform(0.3, 0.9), *rng.uniform(1.5, 2.5, 2)
    low, high = abs(b - c) + a, b + c - a
    return {"a": a, "b": b, "c": c, "d": rng.uniform(max(low, a) + 0.1, high - 0.1)}


def closed_form(p_B, p_D, b, c, side):
    """C of a dyad: at b from B and c from D, left or right of the line from B to D."""
    d = p_D - p_B
    distance = np.hypot(*d)
    along = (distance**2 + b**2 - c**2) / (2 * distance)
    across = np.sqrt(b**2 - along**2) * (1 if side == "left" else -1)
    u = d / distance
    return p_B + along * u + across * np.array([-u[1], u[0]])


def place(m, name):
    """Where a joint is drawn."""
    return np.asarray(drawing(m).X_WF[name].p[:2], dtype=float)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", ["left", "right", None])
def test_a_four_bar_is_drawn_where_its_lengths_say(seed, side):
    """C is the point of two circles on the side asked for, the left one where nobody asks."""
    rng = np.random.default_rng(seed)
    sizes, angle = random_sizes(rng), rng.uniform(-np.pi, np.pi)
    text = FOUR_BAR.replace('"40 deg"', repr(angle))
    m = kb.loads((f'assembly = {{ C = "{side}" }}\n' if side else "") + text, **sizes)
    p_B = sizes["a"] * np.array([np.cos(angle), np.sin(angle)])
    expected = closed_form(p_B, np.array([sizes["d"], 0]), sizes["b"], sizes["c"], side or "left")
    assert_allclose(place(m, "B"), p_B, atol=1e-12)
    assert_allclose(place(m, "C"), expected, atol=1e-9)
    assert any("left" in note for note in m.notes) == (side is None)
    assert kb.loads(kb.dumps(m)) == m


@pytest.mark.parametrize("seed", SEEDS)
def test_other_sizes_are_assembled_on_the_same_branch(seed):
    """Redimensioned is what is assembled afresh with the new sizes on the same side."""
    rng = np.random.default_rng(seed)
    side = rng.choice(["left", "right"])
    before = kb.loads(f'assembly = {{ C = "{side}" }}\n{FOUR_BAR}')
    bare = replace(before, assembly=None)
    assert_allclose(place(bare, "C"), place(before, "C"), atol=1e-12)
    sizes = random_sizes(rng)
    after = kb.redimension(bare, **sizes)
    fresh = kb.loads(f'assembly = {{ C = "{side}" }}\n{FOUR_BAR}', **sizes)
    again = kb.loads(kb.dumps(after))
    for joint, other in zip(after.joints, fresh.joints, strict=True):
        assert_allclose(np.sin(joint.drawn), np.sin(other.drawn), atol=1e-9)
        assert_allclose(again.joint(joint.name).drawn, joint.drawn, atol=1e-9)


def test_frames_are_formulas_of_the_points():
    """With sizes as symbols the frames of joints on links are the points, and nothing else."""
    system = system_of(kb.loads(FOUR_BAR), parameters=("a", "b", "d"))
    links = {link.name: str(link.X_PF.p[0]) for link in system.tree.links}
    assert links == {"crank": "0.0", "rocker": "'p[2]'", "coupler": "'p[0]'"}
    assert str(system.ties[0].X_LF.p[0]) == "'p[1]'"


def bar(name, length, **more):
    """A link along x from P to Q."""
    return kb.Body(name, points={"P": (0, 0), "Q": (length, 0), **more})


def six_bar(rng, sides, **more):
    """A four-bar with a dyad on a point of its coupler, and where its pins C and F are."""
    s, angle = random_sizes(rng), rng.uniform(-np.pi, np.pi)
    e, f, p_E, p_G = 1.4, 1.5, rng.uniform(0.3, 1.0, 2), (s["d"] + 0.5, 1.0)
    bodies = [bar("crank", s["a"]), bar("coupler", s["b"], E=p_E), bar("rocker", s["c"])]
    joints = [
        kb.Revolute("A", "ground.A", "crank.P", drawn=angle),
        kb.Revolute("B", "crank.Q", "coupler.P"),
        kb.Revolute("C", "coupler.Q", "rocker.Q"),
        kb.Revolute("D", "ground.D", "rocker.P"),
        kb.Revolute("E", "coupler.E", "link.P"),
        kb.Revolute("F", "link.Q", "arm.Q"),
        kb.Revolute("G", "ground.G", "arm.P"),
    ]
    p_B = s["a"] * np.array([np.cos(angle), np.sin(angle)])
    p_C = closed_form(p_B, np.array([s["d"], 0]), s["b"], s["c"], sides["C"])
    u = (p_C - p_B) / s["b"]
    place_E = p_B + p_E[0] * u + p_E[1] * np.array([-u[1], u[0]])
    reach = np.hypot(*(place_E - p_G))
    e, f = reach * rng.uniform(0.6, 1.2, 2)
    p_F = closed_form(place_E, np.array(p_G), e, f, sides["F"])
    m = kb.Mechanism(
        bodies=[*bodies, bar("link", e), bar("arm", f)],
        joints=joints,
        plane="xy",
        points={"A": (0, 0), "D": (s["d"], 0), "G": p_G},
        **more,
    )
    return m, p_C, p_F


@pytest.mark.parametrize("seed", SEEDS)
def test_a_six_bar_is_drawn_dyad_by_dyad(seed):
    """Sides of the pins of two dyads, one on the other, give the positions of the closed form."""
    rng = np.random.default_rng(seed)
    sides = dict(zip("CF", rng.choice(["left", "right"], 2), strict=True))
    m, p_C, p_F = six_bar(rng, sides, assembly=sides)
    assert_allclose(place(m, "C"), p_C, atol=1e-9)
    assert_allclose(place(m, "F"), p_F, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slider_crank_is_drawn_where_its_lengths_say(seed):
    """x = a cos(phi) +- sqrt(b^2 - a^2 sin^2(phi)); right is on ahead along the slide."""
    rng = np.random.default_rng(seed)
    a, b, angle = rng.uniform(0.2, 0.9), rng.uniform(1.0, 2.0), rng.uniform(-3, 3)
    side = rng.choice(["left", "right"])
    m = kb.Mechanism(
        bodies=[bar("crank", a), bar("rod", b), kb.Body("piston")],
        joints=[
            kb.Revolute("A", "ground", "crank.P", drawn=angle),
            kb.Revolute("B", "crank.Q", "rod.P"),
            kb.Revolute("C", "rod.Q", "piston"),
            kb.Prismatic("D", "ground", "piston", axis=(1, 0), on_parent=kb.Frame()),
        ],
        plane="xy",
        assembly={"C": side},
    )
    ahead = np.sqrt(b**2 - (a * np.sin(angle)) ** 2) * (1 if side == "right" else -1)
    assert_allclose(m.joint("D").drawn, [a * np.cos(angle) + ahead], atol=1e-9)


def on_output(origin, angle):
    """The ball of an output crank of length 1 about y."""
    return origin + np.array([np.cos(angle), 0, -np.sin(angle)])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_spatial_four_bar_is_drawn_where_its_lengths_say(seed):
    """The balls of an RSSR are a rod apart, the input as drawn: A cos + B sin = C of the output."""
    rng = np.random.default_rng(seed)
    angle, origin = rng.uniform(-3, 3), np.array([-1.0, -1.0, 1.0]) + rng.uniform(-0.2, 0.2, 3)
    out = rng.uniform(-3, 3)
    p, q = np.array([np.cos(angle), np.sin(angle), 0]), on_output(origin, out)
    length = float(np.linalg.norm(p - q))
    m = kb.Mechanism(
        bodies=[bar("in", 1.0), bar("rod", length), bar("out", 1.0)],
        joints=[
            kb.Revolute("A", "ground", "in.P", axis=(0, 0, 1), drawn=angle),
            kb.Spherical("B", "in.Q", "rod.P"),
            kb.Spherical("C", "rod.Q", "out.Q"),
            kb.Revolute("D", "ground.D", "out.P", axis=(0, 1, 0)),
        ],
        points={"D": origin},
    )
    placed = drawing(m)
    assert_allclose(placed.X_WM["B"].p, p, atol=1e-12)
    phi = m.joint("D").drawn[0]
    assert_allclose(placed.X_WM["C"].p, on_output(origin, phi), atol=1e-9)
    d = origin - p
    left = 2 * d[0] * np.cos(phi) - 2 * d[2] * np.sin(phi)
    assert_allclose(left, length**2 - 1 - d @ d, atol=1e-9)


def test_a_sketch_is_closed_and_says_how_far_it_moved():
    """Places of pins that are read off a picture are a sketch: the nearest way that closes."""
    text = FOUR_BAR.replace('drawn = "40 deg"', "at = [0, 0]")
    places = {"B": "[0.75, 0.7]", "C": "[2.2, -2.2]", "D": "[3.3, 0.1]"}
    for name, at in places.items():
        text = text.replace(f'name = "{name}"\ntype', f'name = "{name}"\nat = {at}\ntype')
    m = kb.loads(text)
    assert_allclose(place(m, "C"), [2.2, -2.2], atol=0.3)
    assert "the sketch did not close" in m.notes[0]
    assert kb.loads(kb.dumps(m)) == m
    assert "at = [2.2, -2.2]" in kb.dumps(m)


def test_a_drawing_that_was_closed_stays():
    """Frames that miss each other are closed once; with another name or drive nothing moves."""
    rod, wall = kb.Frame((1, 0)), kb.Frame((1.05, 0))
    bodies = [kb.Body(name, frame=kb.Frame()) for name in ("a", "b", "c")]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(0.2, 0.9)),
        kb.Revolute("C", "b", "c", at=(1.1, 1.0)),
        kb.Revolute("D", "c", "ground", on_parent=rod, on_child=wall),
    ]
    m = kb.Mechanism("open", bodies, joints, plane="xy")
    assert all(drawing(m).gap(joint) < 1e-14 for joint in m.joints)
    assert "did not close" in m.notes[0]
    other = replace(m, name="other", drives=[kb.JointDrive("in", "A", "2*t")])
    assert (other.joints, other.notes) == (m.joints, m.notes)
    assert kb.loads(kb.dumps(m)).joints == m.joints
    assert "at = [0.2, 0.9]" in kb.dumps(m)


def test_what_cannot_be_closed_says_which_length_would():
    """The fault names the joint that stays open, and links with the change that they need."""
    with pytest.raises(kb.FileError, match=r"'ground' \(8 m from A to D\) by about 1.5 m"):
        kb.loads(FOUR_BAR, d=8)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("crank.B", "crank.X", "'crank' has no point 'X'; there are A, B"),
        ("crank.B", "krank.B", "there is no body 'krank.B'"),
        ('name = "C"\n', 'name = "C"\non_child = { origin = [1, 0] }\n', "beside the point"),
        ("plane", 'assembly = { X = "left" }\nplane', "there is no pin 'X'"),
        ("plane", 'assembly = { C = "up" }\nplane', "'C' is left or right"),
        ("plane", 'assembly = "left"\nplane', "expected sides of pins"),
    ],
)
def test_what_is_wrong_with_points_and_sides_is_said(old, new, fault):
    """Unknown points, bodies and pins are faults with what there is."""
    with pytest.raises(kb.FileError, match=fault):
        kb.loads(FOUR_BAR.replace(old, new, 1))


def test_points_by_name_are_points_by_place():
    """Drives and forces at a named point are those at its place, and follow it."""
    by_name = """
[[force]]
name = "F"
type = "point"
body = "coupler.P"
force = [0, -10]

[[force]]
name = "S"
type = "spring"
body_a = "coupler"
at_a = "P"
body_b = "ground.D"
stiffness = 5

[[drive]]
name = "L"
type = "length"
body_a = "ground.A"
body_b = "coupler.P"
length = "2 + t"
"""
    m = kb.redimension(kb.loads(FOUR_BAR + by_name), b=3.2)
    assert m.forces[0].at == m.forces[1].at_a == m.drives[0].at_b == (1.6, 0.5, 0.0)
    assert m.forces[1].at_b == (3.2, 0.0, 0.0)
    assert 'body = "coupler.P"' in kb.dumps(m)
    system = system_of(m, parameters=("b",))
    assert "p[0]" in str(system.m.forces[0].at[0])
    plain = kb.PointForce("F", "coupler", (0, -10), (1.6, 0.5))
    assert m.forces[0] == plain


ON_GROUND = """
name = "four-bar"
plane = "xy"
parameters = {a = 0.2, b = 0.6, c = 0.5, d = 0.7}
body = [
  {name = "crank", points = {O = [0, 0], A = ["a", 0]}},
  {name = "coupler", points = {A = [0, 0], B = ["b", 0]}},
  {name = "rocker", points = {C = [0, 0], B = ["c", 0]}},
]
joint = [
  {name = "O", type = "revolute", parent = "ground", child = "crank.O", at = [0, 0]},
  {name = "A", type = "revolute", parent = "crank.A", child = "coupler.A"},
  {name = "B", type = "revolute", parent = "coupler.B", child = "rocker.B"},
  {name = "C", type = "revolute", parent = "rocker.C", child = "ground", at = ["d", 0]},
]
"""


@pytest.mark.parametrize("d", [0.7, 0.75])
def test_a_place_in_the_drawing_is_the_place_on_ground(d):
    """A joint that names a point of one body and none of ground stands on ground at `at`."""
    m = kb.redimension(kb.loads(ON_GROUND), d=d)
    fixed = kb.pose(m, kb.assemble(m, {"O": 0.4}).q, "rocker")[:2, 3]
    assert_allclose(fixed, (d, 0), atol=1e-12)
    again = kb.loads(kb.dumps(m))
    assert_allclose(kb.pose(again, kb.assemble(again, {"O": 0.4}).q, "rocker")[:2, 3], (d, 0))
    by_size = kb.pose(kb.loads(ON_GROUND), np.zeros(4), "rocker", parameters={"d": d})
    assert_allclose(by_size, kb.pose(m, np.zeros(4), "rocker"), atol=1e-12)


SLANTED = """
name = "slanted slider"
plane = "xy"
parameters = {a = "50 mm", b = "150 mm", lean = "20 deg"}
points = {A = [0, 0], D = [0.01, 0.02], E = ["0.01 + cos(lean)", "0.02 + sin(lean)"]}
body = [
  {name = "crank", points = {A = [0, 0], B = ["a", 0]}},
  {name = "rod", points = {B = [0, 0], C = ["b", 0]}},
  {name = "slider", points = {C = [0, 0]}},
]
joint = [
  {name = "A", type = "revolute", parent = "ground.A", child = "crank.A", drawn = 0.5},
  {name = "B", type = "revolute", parent = "crank.B", child = "rod.B"},
  {name = "C", type = "revolute", parent = "rod.C", child = "slider.C"},
  {name = "D", type = "prismatic", parent = "ground.D", child = "slider.C", axis = "D to E"},
]
drive = [{name = "motor", joint = "A", position = "0.5 + t"}]
"""


def test_an_axis_leads_from_point_to_point():
    """The slide goes along the line through two points, in a file, in designs and as symbols."""
    m = kb.loads(SLANTED)
    times = [0.0, 0.3, 0.8]
    leans = np.array([0.1, 0.5])
    moved = kb.motion(m, times, parameters={"lean": leans})
    for k, lean in enumerate(leans):
        along = np.array([np.cos(lean), np.sin(lean), 0.0])
        place = moved.point("slider", "C").position[k] - [0.01, 0.02, 0.0]
        assert_allclose(place, moved["D"][k][:, None] * along, rtol=0, atol=1e-12)
        other = kb.loads(kb.dumps(kb.redimension(m, lean=float(lean))))
        assert 'axis = "D to E"' in kb.dumps(other)
        assert_allclose(kb.motion(other, times).q, moved.q[k], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D to F", "leads from point to point of its parent 'ground', got 'D to F'"),
        ("D to slider.C", "its points are A, D, E"),
        ("upwards", "two points such as 'D to E', got 'upwards'"),
        ("D to D", "axis: has length 0"),
    ],
)
def test_an_axis_that_leads_nowhere_is_named(text, message):
    """Points that the parent has not, one point twice, and other words are refused."""
    with pytest.raises(kb.KorbaError) as caught:
        kb.loads(SLANTED.replace('"D to E"', f'"{text}"'))
    assert message in " ".join(str(caught.value).split())


@pytest.mark.parametrize("seed", SEEDS)
def test_angles_of_a_dyad_do_not_depend_on_the_unit_of_length(seed):
    """At 1e-9 m and at 1e150 m a four-bar has the angles that it has at 1 m."""
    sizes = random_sizes(np.random.default_rng(seed))
    near = angles_at(sizes, 1.0)
    for unit in (1e-9, 1e150):
        assert_allclose(angles_at(sizes, unit), near, atol=1e-12)


def angles_at(sizes, unit):
    """The angles of the four-bar as it is drawn, its sizes counted in a unit."""
    a, b, c, d = (float(sizes[name] * unit) for name in "abcd")
    ends = {"crank": ("A", "B", a), "coupler": ("B", "C", b), "rocker": ("D", "C", c)}
    bodies = [kb.Body(name, points={p: (0, 0), q: (x, 0)}) for name, (p, q, x) in ends.items()]
    joints = [
        kb.Revolute("A", "ground.A", "crank.A", drawn="40 deg"),
        kb.Revolute("B", "crank.B", "coupler.B"),
        kb.Revolute("C", "coupler.C", "rocker.C"),
        kb.Revolute("D", "ground.D", "rocker.D"),
    ]
    points = {"A": (0, 0), "D": (d, 0)}
    m = kb.Mechanism("four-bar", bodies, joints, plane="xy", points=points)
    return np.concatenate([*drawing(m).q.values()])


@pytest.mark.parametrize("seed", seeds(0.5, 4))
def test_slides_are_positive_where_nobody_says_the_branch(seed):
    """A crank that reaches past the line of its slider: forward, whatever way the slide is said."""
    rng = np.random.default_rng(seed)
    bodies = [
        kb.Body("crank", points={"B": (0.1, 0, 0)}),
        kb.Body("rod", points={"C": (rng.uniform(0.25, 0.5), 0, 0)}),
        kb.Body("slider"),
    ]
    pin = ("rod.C", "slider") if seed % 2 else ("slider", "rod.C")
    ends = ("ground.A", "slider") if seed % 4 < 2 else ("slider", "ground.A")
    way = rng.uniform(-np.pi, np.pi)
    joints = [
        kb.Revolute("A", "ground.A", "crank", drawn=rng.uniform(-np.pi, np.pi)),
        kb.Revolute("B", "crank.B", "rod"),
        kb.Revolute("C", *pin),
        kb.Prismatic("S", *ends, axis=(np.cos(way), np.sin(way))),
    ]
    m = kb.Mechanism("by lengths", bodies, joints, plane="xy", points={"A": (0, 0, 0)})
    assert m.joint("S").drawn_coordinates[0] > 0
    (note,) = m.notes
    side = "left" if "'C' left of" in note else "right"
    again = kb.Mechanism(
        "by lengths", bodies, joints, plane="xy", points={"A": (0, 0, 0)}, assembly={"C": side}
    )
    assert again.joint("S").drawn_coordinates == pytest.approx(m.joint("S").drawn_coordinates)


def test_what_cannot_be_closed_names_the_angle_of_its_crank():
    """The distance of two pins is that of an input which the reader may not have given."""
    with pytest.raises(kb.ModelError, match="30 deg") as caught:
        kb.linkages.four_bar(0.1, 0.2, 0.3, 0.9)
    assert "'B' and 'D' are 0.814933 m apart" in str(caught.value)
    assert "with A at 30 deg" in str(caught.value)

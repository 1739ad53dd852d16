"""Pages in which mechanisms live: their own programs give what Korba gives, to 1e-9."""

import itertools
import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from law_counts import some
from node_program import data_of, in_node

import korba as kb
from korba.show.drawings.draw import poses
from korba.show.pages.figure import Figure
from korba.show.schemes.paper import named_places
from korba.show.schemes.scene import scene_of


def arm():
    """Two links without loops."""
    bodies = [
        kb.Body(name, mass=1.0, com=(size / 2, 0, 0), inertia=0.01, points={"T": (size, 0, 0)})
        for name, size in (("upper", 0.3), ("fore", 0.25))
    ]
    joints = [
        kb.Revolute("A", "ground", "upper", on_parent=kb.Frame(), drawn=0.7),
        kb.Revolute("B", "upper", "fore", on_parent=kb.Frame(origin=(0.3, 0, 0)), drawn=0.9),
    ]
    return kb.Mechanism("arm", bodies=bodies, joints=joints, plane="xy")


def boom():
    """The arm with a cylinder of prescribed length under each link."""
    m, law = arm(), "0.2 m + 0.01 m/s*t"
    low = kb.LengthDrive("low", "ground", (0.1, -0.1, 0), "upper", (0.2, 0, 0), law)
    high = kb.LengthDrive("high", "upper", (0.15, 0, 0), "fore", (0.1, 0.05, 0), law)
    return replace(m, drives=(low, high))


def crane():
    """A jib that a cylinder lifts."""
    bodies = [
        kb.Body("jib", mass=20.0, points={"T": (2.0, 0, 0)}),
        kb.Body("barrel", mass=2.0),
        kb.Body("rod", mass=1.0),
    ]
    joints = [
        kb.Revolute("A", "ground", "jib", at=(0, 0)),
        kb.Revolute("G", "ground", "barrel", at=(0.2, -0.6)),
        kb.Prismatic("lift", "barrel", "rod", at=(0.5, -0.35), axis=(0.6, 0.5)),
        kb.Revolute("H", "rod", "jib", at=(0.92, 0)),
    ]
    return kb.Mechanism("crane", bodies=bodies, joints=joints, plane="xy")


FOUR = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
MECHANISMS = {
    "four-bar": FOUR,
    "slider-crank": kb.linkages.slider_crank(0.1, 0.4),
    "quick return": kb.linkages.quick_return(0.1, 0.25, 0.5, 0.2),
    "jansen": kb.linkages.jansen(),
    "planetary": kb.linkages.planetary(0.05, 0.03, 1),
    "five-bar": kb.linkages.five_bar(0.2, 0.3, 0.3, 0.2, 0.3),
    "rssr": kb.linkages.rssr(0.1, 0.4, 0.3, 0.35),
    "bennett": kb.linkages.bennett(0.2, 0.3),
    "arm": arm(),
    "boom": boom(),
}
PROBE = """
const model = livingMechanism(data, programs);
const start = Array.from(model.start.asked);
const asked = (changes) => Float64Array.from(start.map((x, i) => i in changes ? changes[i] : x));
"""


def probed(page, code):
    """What code prints in node, with the page's mechanism as `model`."""
    return in_node(page, PROBE + code)


def names_of(page):
    """Inputs and sizes in the order in which the page asks for them."""
    data = data_of(page)
    return [each["name"] for each in data["inputs"]], [each["name"] for each in data["sizes"]]


def other_design(m, page):
    """Values of all inputs and sizes a little off, and the mechanism and position they mean."""
    data, (inputs, sizes) = data_of(page), names_of(page)
    shown = [each["shown"] and each["kind"] == "length" for each in data["sizes"]]
    values = [each["value"] + (0.3, 0.02)[each["kind"] == "length"] for each in data["inputs"]]
    own = [each["value"] for each in data["sizes"]]
    off = np.where(np.arange(len(own)) % 2, 1.02, 0.99)
    new = np.where(shown, off * own, own).tolist()
    other = kb.redimension(m, **dict(zip(sizes, new, strict=True)))
    return [*values, *new], other, dict(zip(inputs, values, strict=True))


def held_at(m, values):
    """The configuration at values of inputs: of coordinates, or the lengths of cylinders."""
    own = [each for each in m.drives if each.ends and each.name in values]
    if not own:
        return kb.assemble(m, values)
    drives = [replace(each, length=f"{values[each.name]!r} m") for each in own]
    return kb.assemble(replace(m, drives=tuple(drives)))


@cache
def living(name):
    """The page of one of the mechanisms."""
    return kb.live(MECHANISMS[name])


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_page_computes_what_korba_computes(name):
    """Every named point at other inputs and sizes, against the redimensioned mechanism."""
    m, page = MECHANISMS[name], living(name)
    asked, other, values = other_design(m, page)
    code = f"const there = model.go(model.start, Float64Array.from({asked}));"
    code += "console.log(JSON.stringify([model.points(there.position), there.why]));"
    points, why = probed(page, code)
    assert not why
    at = held_at(other, values)
    axes = 2 if m.plane else 3
    named = [at.point(body.name, name)[:axes] for body in other.bodies for name, _ in body.points]
    for place in named or [at.point(other.bodies[0].name)[:axes]]:
        assert np.min(np.linalg.norm(np.array(points) - place, axis=1)) < 1e-9


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "jansen", "planetary", "rssr"])
def test_curves_are_those_of_the_motion(name):
    """All curves over the cycle of another design: kb.motion, kb.driving_forces, ..."""
    m, page = MECHANISMS[name], living(name)
    asked, other, _ = other_design(m, page)
    data = data_of(page)
    speed = data["inputs"][0]["speed"]
    code = f"""
    const there = model.go(model.start, Float64Array.from({asked})).position;
    const swept = model.sweep(there, 0, 60);
    const rows = swept.samples.map((s) => [s.x, ...model.shown(s.position, 0, {speed})]);
    console.log(JSON.stringify([rows, swept.round]));
    """
    rows, round_ = probed(page, code)
    rows = np.array(rows)
    assert round_ and len(rows) >= 61
    law = other.drives[0].motion(0.0)[0]
    motion = kb.motion(other, (rows[:, 0] - law[0]) / law[1])
    known = {name for body in m.bodies for name, _ in body.points}
    for output in data["outputs"]:
        if "pin" in output["name"] and output["name"].removeprefix("pin ") not in known:
            continue
        expected = moved(motion, output["name"])
        for panel, columns in zip(output["panels"], expected, strict=True):
            shown = rows[:, 1 + np.array(panel["rows"])]
            assert shown == pytest.approx(columns, rel=1e-9, abs=1e-9)
    for panel in [*data["others"], *data["forces"]]:
        shown = rows[:, 1 + np.array(panel["rows"])]
        if panel["name"] == "transmission angle":
            expected = kb.transmission_angle(motion).angle[:, None]
        elif panel["name"].startswith("driving"):
            expected = kb.driving_forces(other, motion).efforts
        else:
            expected = forces_in(other, motion, panel["lines"] or [panel["name"][9:]])
        assert shown == pytest.approx(expected, rel=1e-9, abs=1e-9)


def forces_in(m, motion, joints):
    """Sizes of the forces in joints, (times, joints)."""
    told = kb.reactions(m, motion)
    return np.stack([np.linalg.norm(told[name].force, axis=1) for name in joints], axis=1)


def test_large_mechanisms_show_their_forces():
    """Of 25 velocities in loops: what the drive does and the force in every joint."""
    m = kb.linkages.scissor("1 m", 8)
    page, names = kb.live(m, parameters=()), [joint.name for joint in m.joints]
    data = data_of(page)
    assert [panel["name"] for panel in data["others"]] == ["driving moment"]
    assert [panel["name"] for panel in data["forces"]] == [f"force in {name}" for name in names]
    speed = data["inputs"][0]["speed"]
    code = f"console.log(JSON.stringify(Array.from(model.shown(model.start, 0, {speed}))));"
    row = np.array(probed(page, code))
    at = kb.motion(m, [0.0])
    assert row[data["others"][0]["rows"][0]] == pytest.approx(
        kb.driving_forces(m, at).efforts[0, 0], rel=1e-9
    )
    own = row[[panel["rows"][0] for panel in data["forces"]]]
    assert own == pytest.approx(forces_in(m, at, names)[0], rel=1e-9)


def test_a_page_says_why_there_are_no_forces():
    """Passive constraints leave forces in joints open; without mass and loads there are none."""
    assert "3 passive constraints leave them open" in living("bennett")
    light = replace(FOUR, bodies=tuple(replace(body, mass=0.0) for body in FOUR.bodies))
    page = kb.live(light)
    assert "no body has a mass" in page and not data_of(page)["forces"]


@pytest.mark.parametrize("name", ["B", "A"])
def test_curves_run_over_the_coordinate_that_is_chosen(name):
    """The others keep their values: the sweep of one joint of an arm is kb.assemble's."""
    m = arm()
    page = kb.live(m, name, path="fore.T")
    assert names_of(page)[0] == [name, "AB".replace(name, "")]
    code = """
    const swept = model.sweep(model.start, 0, 24);
    console.log(JSON.stringify(swept.samples.map((s) => [s.x, model.points(s.position)])));
    """
    point = data_of(page)["traced"][0]["point"]
    for x, points in probed(page, code):
        at = kb.assemble(m, {"A": 0.7, "B": 0.9} | {name: x}).point("fore", "T")
        assert points[point] == pytest.approx(at[:2], abs=1e-9)


def test_cylinders_are_moved_by_their_lengths():
    """Their strokes go from one dead point to the other, and curves are those of kb.motion."""
    m, page = boom(), living("boom")
    data = data_of(page)
    speed = [each["speed"] for each in data["inputs"]]
    assert (names_of(page)[0], speed) == (["low", "high"], [0.01, 0.01])
    arms = (math.hypot(0.1, 0.1), 0.2), (0.15, math.hypot(0.1, 0.05))
    for each, (a, b) in zip(data["inputs"], arms, strict=True):
        assert (each["low"], each["high"]) == pytest.approx((abs(a - b), a + b), abs=2e-3)
    (panel,) = data["others"]
    assert (panel["name"], panel["lines"]) == ("driving force", ["low", "high"])
    code = "const there = model.go(model.start, asked({0: start[0] + 0.03})).position;"
    code += "const told = [there.asked, model.shown(there, 1, 0.2)].map((x) => Array.from(x));"
    (low, high), row = probed(page, code + "console.log(JSON.stringify(told));")
    laws = (f"{low!r} m", f"{high!r} m + 0.2 m/s*t")
    drives = [replace(each, length=law) for each, law in zip(m.drives, laws, strict=True)]
    driven = replace(m, drives=tuple(drives))
    motion = kb.motion(driven, [0.0])
    for output in data["outputs"]:
        for shown, columns in zip(output["panels"], moved(motion, output["name"]), strict=True):
            assert np.array(row)[shown["rows"]] == pytest.approx(columns[0], rel=1e-9, abs=1e-9)
    efforts = kb.driving_forces(driven, motion).efforts[0]
    assert np.array(row)[panel["rows"]] == pytest.approx(efforts, rel=1e-9)


def test_cylinders_and_joints_move_together():
    """A joint that is asked for comes first, then a cylinder that it leaves free."""
    assert names_of(kb.live(boom(), "A"))[0] == ["A", "high"]
    with pytest.raises(kb.StructureError, match="can still move 1 way"):
        kb.live(boom(), ("A", "low"))


LIFT = """
plane = "xy"
parameters = { foot = "0.6 m", begin = "0.7 m" }
body = [{ name = "one", mass = 2.0 }, { name = "bar" }, { name = "three", mass = 1.0 }]
joint = [
  { name = "A", type = "revolute", parent = "ground", child = "one", at = [0, 0] },
  { name = "B", type = "revolute", parent = "one", child = "bar", at = [0.8, 0.2] },
  { name = "C", type = "revolute", parent = "bar", child = "three", at = [0.5, -0.5] },
  { name = "D", type = "revolute", parent = "ground", child = "three", at = [0, -0.6] },
]
[[drive]]
name = "jack"
type = "length"
body_a = "ground"
at_a = ["foot", -1.0]
body_b = "three"
at_b = [0.3, -0.35]
length = "begin + 0.1 m/s*t"
"""


def test_sizes_place_cylinders():
    """The place of a cylinder follows its size; a size of its law alone moves nothing."""
    m = kb.loads(LIFT)
    page = kb.live(m)
    assert (names_of(page)[0], re.findall(r"data-size='(.*?)'", page)) == (["jack"], ["foot"])
    place = 1 + names_of(page)[1].index("foot")
    code = f"const there = model.go(model.start, asked({{0: 0.7, {place}: 0.55}}));"
    q, why = probed(page, code + "console.log(JSON.stringify([there.position.q, there.why]));")
    at = kb.assemble(kb.redimension(m, foot=0.55, begin=0.7))
    assert not why
    assert [*q.values()] == pytest.approx(at.q, abs=1e-9)


def test_joints_without_limits_turn_to_both_sides():
    """Half a turn from where they are drawn; a crank's cycle begins there."""
    for m in (arm(), robot(1)):
        for each in data_of(kb.live(m))["inputs"]:
            turn = each["low"] - each["value"], each["high"] - each["value"]
            assert turn == pytest.approx((-np.pi, np.pi))
    (crank,) = data_of(living("four-bar"))["inputs"]
    assert crank["low"] == crank["value"]
    assert crank["high"] == pytest.approx(crank["value"] + 2 * np.pi)


def test_curves_have_gaps_at_singular_positions():
    """A parallelogram in line: its angle is known there, its rates and forces are not."""
    page = kb.live(kb.linkages.four_bar(0.2, 0.5, 0.2, 0.5), "A")
    data = data_of(page)
    speed = data["inputs"][0]["speed"]
    code = f"""
    const {{ samples }} = model.sweep(model.start, 0, 60);
    const rows = samples.map((s) => [s.x, ...model.shown(s.position, 0, {speed})]);
    console.log(JSON.stringify(rows));
    """
    x, *rows = np.array(probed(page, code), dtype=float).T  # null is nan
    (output,) = (each for each in data["outputs"] if each["name"] == "D")
    place, rate, change = (rows[panel["rows"][0]] for panel in output["panels"])
    (moment,) = (rows[each["rows"][0]] for each in data["others"] if each["kind"] == "moment")
    in_line = np.abs(np.sin(x)) < 1e-3
    assert in_line.any() and place == pytest.approx(x, abs=1e-6)
    for each in (rate, change, moment):
        assert np.array_equal(np.isnan(each), in_line)
    assert rate[~in_line] == pytest.approx(speed, rel=1e-9)
    assert np.abs(change[~in_line]).max() < 1e-6 * speed**2


def moved(motion, name):
    """Place, velocity and acceleration of a coordinate, a point or a pin, (times, columns)."""
    if name in motion.names:
        return [motion[word + name][:, None] for word in ("", "v_", "a_")]
    body, _, point = name.rpartition(".")
    if not body:
        point = name.removeprefix("pin ")
        body = motion.mechanism.joint(point).child
    way = motion.point(body, point)
    axes = 2 if motion.mechanism.plane else 3
    return [x[:, :axes] for x in (way.position, way.velocity, way.acceleration)]


def test_a_range_that_becomes_wide_again_is_not_drawn_point_by_point():
    """After a design that hardly moves, the whole turn has as many positions as ever."""
    page = living("four-bar")
    coupler = 1 + names_of(page)[1].index("b")
    code = f"""
    const short = model.go(model.start, asked({{{coupler}: 0.1}})).position;
    for (let k = 0; k < 4; k++) model.sweep(short, 0, 60);
    const swept = model.sweep(model.start, 0, 60);
    console.log(JSON.stringify([swept.samples.length, swept.round]));
    """
    count, round_ = probed(page, code)
    assert round_ and 61 <= count <= 130


def test_a_value_that_is_much_too_far_is_refused_at_once():
    """Nobody waits for a crank to turn a million times."""
    code = """
    model.sweep(model.start, 0, 60);
    const there = model.go(model.start, asked({0: 1e7}));
    console.log(JSON.stringify([Array.from(there.position.asked), start, there.why]));
    """
    reached, start, why = probed(living("four-bar"), code)
    assert (reached, why) == (start, "far")


def test_what_does_not_close_is_not_shown():
    """A rocker too short: the page stops at the last length that closes, and finds its way back."""
    page = living("four-bar")
    code = """
    const place = 1 + data.sizes.findIndex((each) => each.name === "c");
    const short = model.go(model.start, asked({ [place]: 0.005 }));
    const back = model.go(short.position, model.start.asked);
    console.log(JSON.stringify([short.why, short.position.asked[place],
      model.points(short.position), back.why, Array.from(back.position.q)]));
    """
    why, length, points, back, q = probed(page, code)
    assert why == "loops" and not back
    assert q == pytest.approx(kb.assemble(FOUR, {"A": data_of(page)["inputs"][0]["value"]}).q)
    assert 0.005 < length < 0.5
    at = kb.assemble(kb.redimension(FOUR, c=length), {"A": data_of(page)["inputs"][0]["value"]})
    places = np.array(points)
    assert np.min(np.linalg.norm(places - at.point("coupler", "C")[:2], axis=1)) < 1e-6


@pytest.mark.parametrize("crank", [20, 75, 150, 260])
def test_sizes_dragged_beyond_the_edge_come_back(crank):
    """However far and however finely a length is dragged beyond closure, it follows back."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm", at=f"{crank} deg")
    page = kb.live(m)
    inputs, sizes = names_of(page)
    places = [len(inputs) + sizes.index(name) for name in ("a", "b", "c", "d")]
    code = f"""
    const lost = [];
    for (const place of {places}) for (const part of [0.05, 3]) for (const count of [7, 60]) {{
      const home = model.start.asked[place];
      let at = model.start;
      for (let k = 0; k <= 2 * count; k++) {{
        const far = 1 - Math.abs(k - count) / count;
        const there = Float64Array.from(model.start.asked);
        there[place] = home * (1 + far * (part - 1));
        at = model.go(at, there).position;
      }}
      lost.push(Math.abs(at.asked[place] - home) / home);
      lost.push(...Array.from(at.q, (x, i) => Math.abs(x - model.start.q[i])));
    }}
    console.log(JSON.stringify(lost));
    """
    assert max(probed(page, code)) < 1e-6


@pytest.mark.parametrize("crank", [20, 150])
def test_a_base_pin_dragged_beyond_the_edge_comes_back(crank):
    """Wherever the pin of the rocker is taken, by large steps and small, the way back is found."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm", at=f"{crank} deg")
    pins = [(0, 0), *(kb.assemble(m).point("coupler", name)[:2] for name in "BC")]
    ends = [("A", "ground", "crank"), ("B", "crank", "coupler"), ("C", "coupler", "rocker")]
    joints = "".join(
        f"\n[[joint]]\nname='{name}'\ntype='revolute'\nparent='{parent}'\nchild='{child}'\n"
        f"at=[{float(x)!r}, {float(y)!r}]"
        for (name, parent, child), (x, y) in zip(ends, pins, strict=True)
    )
    page = kb.live(
        kb.loads(
            "plane='xy'\nparameters={x='100 mm', y='0 mm'}\n"
            "body=[{name='crank'}, {name='coupler'}, {name='rocker'}]"
            f"{joints}\n[[joint]]\nname='D'\ntype='revolute'\nparent='ground'\nchild='rocker'\n"
            "at=['x', 'y']\n[[drive]]\nname='d'\ntype='joint'\njoint='A'\nposition='t'"
        )
    )
    assert names_of(page) == (["A"], ["x", "y"])
    code = """
    const lost = [];
    for (let a = 0; a < 28; a++) for (const far of [0.08, 0.3]) for (const count of [5, 12]) {
      let at = model.start;
      for (let k = 0; k <= 2 * count; k++) {
        const part = far * (1 - Math.abs(k - count) / count), there = Float64Array.from(start);
        there[1] += part * Math.cos(a * Math.PI / 14);
        there[2] += part * Math.sin(a * Math.PI / 14);
        at = model.go(at, there).position;
      }
      lost.push(...Array.from(at.q, (x, i) => Math.abs(x - model.start.q[i])));
    }
    console.log(JSON.stringify(lost));
    """
    assert max(probed(page, code)) < 1e-6


def test_a_rocker_stops_at_its_dead_points():
    """The range is that of kb.input_range, and from its end the way back is found."""
    m = kb.linkages.four_bar(0.5, 0.6, 0.2, 0.7)
    page = kb.live(m, "A")
    code = """
    const swept = model.sweep(model.start, 0, 90), end = swept.samples.at(-1);
    const further = model.go(end.position, asked({ 0: swept.high + 0.5 }));
    const back = model.go(end.position, model.start.asked);
    console.log(JSON.stringify([swept.low, swept.high, swept.round, further.why,
      further.position.asked[0], back.why, Array.from(back.position.q)]));
    """
    low, high, round_, why, stopped, back, q = probed(page, code)
    assert not round_ and why == "loops" and not back
    assert (low, high) == pytest.approx(kb.input_range(m, "A").ends, abs=1e-5)
    assert stopped == pytest.approx(high, abs=1e-5)
    assert q == pytest.approx(data_of(page)["q"], abs=1e-9)


def test_curves_are_found_again_beside_a_dead_point():
    """A size that is changed at a dead point leaves the curves, of the way up to it."""
    page = kb.live(kb.linkages.four_bar(0.5, 0.6, 0.2, 0.7), "A")
    code = """
    const first = model.sweep(model.start, 0, 60), end = first.samples.at(-1).position;
    const place = 1 + data.sizes.findIndex((each) => each.name === "b");
    const next = Float64Array.from(end.asked);
    next[place] *= 1.0001;
    const there = model.go(end, next).position;
    const again = model.sweep(there, 0, 60);
    console.log(JSON.stringify([first, again].map(({ samples }) => samples.length)));
    """
    assert min(probed(page, code)) > 40


def test_bars_go_to_their_rails():
    """The barrel of a cylinder reaches from its pin to the rail, wherever the block is."""
    page = kb.live(crane())
    code = """
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    const [bar] = data.parts.filter((part) => part.kind === "stem");
    const lines = [0.4, 0.8, 1.2].map((x) => {
      const points = model.points(model.go(model.start, asked({ 0: x })).position);
      const flat = moved(bar, points.map((p) => p.map((c) => 1000 * c)))[1];
      const [a, b, c, d] = flat.match(/-?[0-9.]+(?:e-?[0-9]+)?/g).map((n) => n / 1000);
      const [pin, , , block] = bar.points.map((i) => points[i]);
      const whole = far(pin, block), reached = far([c, d], pin);
      return [far([a, b], pin), reached + far([c, d], block) - whole, reached / whole];
    });
    console.log(JSON.stringify(lines));
    """
    for from_pin, off, part in probed(page, code):
        assert from_pin < 1e-12 and off < 1e-9
        assert 0.5 < part < 1.0


def test_curves_of_bodies_follow_sizes():
    """Pitch circles are redrawn: centre and a point of each, against the redimensioned scene."""
    page = living("planetary")
    assert re.findall(r"data-size='(sun|planet)'", page) == ["sun", "planet"]
    data = data_of(page)
    parts = [part for part in data["parts"] if "shape" in part]
    assert parts and all(part["round"] for part in parts)
    sizes = [0.06 if each["name"] == "sun" else each["value"] for each in data["sizes"]]
    count = sum(part["shape"][1] for part in parts)
    code = f"""
    const flat = new Float64Array({2 * count});
    programs.shapes({sizes}, flat);
    console.log(JSON.stringify(Array.from(flat)));
    """
    points = np.array(probed(page, code)).reshape(-1, 2)
    radii = np.linalg.norm(points[1::2] - points[::2], axis=1)
    assert {*np.round(radii, 12)} == {0.06, 0.03, 0.12}


def cart():
    """On wheels whose centres of mass are their joints."""
    frame = {"inertia": 0.01, "mass": 2.0}
    bodies = [
        kb.Body("cart", 5.0, (0, 0.1, 0)),
        *(kb.Body(x, com=(y, 0, 0), **frame) for x, y in WHEELS),
    ]
    joints = [kb.Prismatic("X", "ground", "cart", at=(0, 0.1), axis=(1, 0))]
    joints += [kb.Revolute(f"at {x}", "cart", x, at=(y, 0)) for x, y in WHEELS]
    return kb.Mechanism("cart", bodies, joints, plane="xy")


WHEELS = (("rear", -0.4), ("front", 0.4))


def test_wheels_are_seen_to_turn():
    """A disc of the wheel's inertia about its joint, and a spoke that has the joint's angle."""
    m = cart()
    page = kb.live(m)
    assert kb.draw(m).count("class='cam ") == page.count("class='cam ") == 2
    code = """
    const there = model.points(model.go(model.start, asked({ 1: 0.5 })).position);
    const parts = data.parts.filter((part) => part.kind === "rigid");
    const flat = new Float64Array(2 * parts.reduce((n, part) => n + part.shape[1], 0));
    programs.shapes(flat);
    const turned = parts.map((part) => moved(part, there)[1]);
    console.log(JSON.stringify([turned, Array.from(flat)]));
    """
    turned, flat = probed(page, code)
    angles = sorted(float(re.search(r"rotate\((.*)\)", each)[1]) for each in turned)
    assert angles == pytest.approx([0, 0, math.degrees(0.5), math.degrees(0.5)])
    hub, rim = np.reshape(flat, (-1, 2))[-2:]
    assert np.linalg.norm(rim - hub) == pytest.approx(math.sqrt(2 * 0.01 / 2.0), rel=1e-9)


def test_names_keep_off_links_that_move():
    """At less than a tenth of the positions of a crank they cover links, at its first nowhere."""
    m = MECHANISMS["jansen"]
    motion = kb.motion(m, np.linspace(0, 1, 25))
    scene = scene_of(m, poses(m, motion.q))
    figure = Figure(scene)
    covered = np.zeros(len(scene.poses))
    named = named_places(scene, figure.paper)
    for (name, point), drawn in zip(named, figure.names, strict=True):
        ways = [figure.paper.at(scene.place(point, k)) for k in range(len(scene.poses))]
        text = np.array(re.findall(r"<text x='(.*?)' y='(.*?)'", drawn)[-1], dtype=float)
        half = 4.0 * len(name), 6.0
        for k, way in enumerate(ways):
            middle = text - [0.0, 4.5] + way - ways[0]
            for mark in scene.marks:
                if mark.kind in ("bar", "plate"):
                    p = figure.paper.at(scene.places(mark, k))[[*range(len(mark.points)), 0]]
                    line = np.linspace(p[:-1], p[1:], 60).reshape(-1, 2)
                    covered[k] += (np.abs(line - middle) < half).all(axis=1).any()
    assert not covered[0]
    assert covered.sum() < 0.1 * len(figure.names) * len(covered)


def test_points_that_are_not_there_are_refused():
    """By name, with what there is."""
    with pytest.raises(kb.StructureError, match="no point 'Z'"):
        kb.live(FOUR, path="coupler.Z")
    with pytest.raises(kb.StructureError, match="no parameter 'z'"):
        kb.live(FOUR, parameters=("z",))
    with pytest.raises(kb.StructureError, match="1 freedom: too few for A, B"):
        kb.live(FOUR, ("A", "B"))


def oscillator(size):
    """A block between two stops, without a drive."""
    joint = kb.Prismatic(
        "X", "ground", "block", at=(0, 0), axis=(1, 0, 0), lower=-size, upper=3 * size
    )
    guide = kb.Revolute("T", "block", "arm", at=(size, size))
    bodies = [kb.Body("block", mass=2.0), kb.Body("arm", mass=1.0, points={"P": (0, size, 0)})]
    return kb.Mechanism("block", bodies=bodies, joints=[joint, guide], plane="xy")


SIMILAR = {
    "four-bar": lambda x: kb.linkages.four_bar(0.2 * x, 0.6 * x, 0.5 * x, 0.7 * x),
    "rocker": lambda x: kb.linkages.four_bar(0.5 * x, 0.6 * x, 0.2 * x, 0.7 * x),
    "block": oscillator,
}
PANELS = """
const speed = data.inputs[0].speed, swept = model.sweep(model.start, 0, 60);
for (const each of swept.samples) each.row = model.shown(each.position, 0, speed);
const axis = { ...data.inputs[0], low: swept.low, high: swept.high, length: data.length };
const sizes = model.typical(swept, 0, speed), x = swept.samples.map((each) => each.x);
const panels = [...data.outputs.flatMap((each) => each.panels), ...data.others, ...data.forces];
const texts = panels.map(({ name, kind, rows }) => {
  const lines = rows.map((i) => ({ name: "", x, y: swept.samples.map((each) => each.row[i]) }));
  const panel = { title: name, kind, typical: sizes[kind], lines };
  const at = panelOf(panel, axis, ["red"], [420, 160]);
  const marks = [...at.levels, ...at.places], words = marks.map(([, word]) => word);
  return [[...words, ...at.heads, at.under], [...marks.map(([place]) => place), ...at.ways]];
});
console.log(JSON.stringify(texts));
"""


@pytest.mark.parametrize("scale", [1e-6, 1e3])
@pytest.mark.parametrize("name", SIMILAR)
def test_curves_look_the_same_at_every_size(name, scale):
    """A mechanism in micrometres or kilometres: the same curves and numbers in other units."""
    units = set()
    for own, other in zip(*(panels_at(name, size) for size in (1.0, scale)), strict=True):
        assert own[0] == other[0]
        assert own[1] == pytest.approx(other[1], abs=0.11)
        units |= {*zip(own[2], other[2], strict=True)}
    assert ("mm", {1e-6: "nm", 1e3: "m"}[scale]) in units


@cache
def panels_at(name, size):
    """Of every panel: ticks and names, the numbers of its curves, and its units."""
    still = replace(SIMILAR[name](size), gravity=(0.0, 0.0, 0.0))
    told = []
    for texts, drawn in probed(kb.live(still, parameters=()), PANELS):
        plain = [re.sub("<tspan[^>]*>.*?</tspan>", "", text) for text in texts]
        curves = [float(x) for each in drawn for x in NUMBER.findall(str(each))]
        words, _, units = zip(*(each.partition(", ") for each in plain), strict=True)
        told.append((words, curves, units))
    return told


NUMBER = re.compile(r"-?\d+\.?\d*")


def test_pages_are_small_and_load_nothing():
    """A four-bar below 100 kB, the leg below 250 kB; nothing is asked for."""
    page = living("four-bar")
    assert len(page) < 100_000 and len(living("jansen")) < 250_000
    assert not re.findall(r"(?:src|href)=|import |eval|new Function", page)


def robot(count=2, **fields):
    """A chain of links along x, each with these fields of its joint about y."""
    bodies = [kb.Body(f"link {i}", mass=1.0, inertia=(0.01, 0.01, 0.01)) for i in range(count)]
    joints = []
    for i, body in enumerate(bodies):
        place = {"on_parent": kb.Frame(origin=(0.3 * bool(i), 0, 0)), "axis": (0, 1, 0)}
        before = bodies[i - 1].name if i else "ground"
        joints.append(kb.Revolute(f"J{i}", before, body.name, **place, **fields))
    return kb.Mechanism("robot", bodies=bodies, joints=joints)


def test_robots_drawn_beyond_their_limits_live():
    """Joints that are drawn beyond their limits begin in the middle, and all of them move."""
    page = kb.live(robot(lower=-3.0, upper=-0.1))
    for each in data_of(page)["inputs"]:
        assert (each["low"], each["value"], each["high"]) == pytest.approx((-3.0, -1.55, -0.1))
    code = "const q = model.go(model.start, asked({0: -0.5})).position.q;"
    went = probed(page, code + "console.log(JSON.stringify(Array.from(q)));")
    assert went == pytest.approx([-0.5, -1.55], abs=1e-9)


def five_bar(seed):
    """A random five-bar that closes: two freedoms, joints A and E on the base."""
    rng = np.random.default_rng(seed)
    places = np.array([(0, 0), (-0.2, 0.5), (0.3, 0.9), (0.8, 0.5), (0.6, 0)])
    pins = places + rng.uniform(-0.1, 0.1, places.shape)
    links = ["ground", "a", "b", "c", "d", "ground"]
    joints = [
        kb.Revolute(name, *ends, at=tuple(at))
        for name, ends, at in zip("ABCDE", itertools.pairwise(links), pins, strict=True)
    ]
    return kb.Mechanism("five-bar", [kb.Body(x) for x in links[1:5]], joints, plane="xy")


@pytest.mark.parametrize("seed", some(2, 200))
def test_loops_drawn_beyond_a_limit_live(seed):
    """A limit that is passed may be approached and not passed further; other joints move."""
    m, out = five_bar(seed), (-1) ** seed
    ends = sorted([-0.3 * out, -2.0 * out])
    beyond = replace(m.joint("C"), lower=ends[0], upper=ends[1])
    m = replace(m, joints=tuple(beyond if j.name == "C" else j for j in m.joints))
    page = kb.live(m, "C")
    C, other = data_of(page)["inputs"]
    assert C["value"] == pytest.approx(0.0, abs=1e-9) == (C["high"] if out > 0 else C["low"])
    assert other["low"] < other["value"] < other["high"]
    code = f"""
    const back = model.go(model.start, asked({{0: {-0.05 * out}}}));
    const further = model.go(model.start, asked({{0: {0.05 * out}}}));
    console.log(JSON.stringify([back.why, back.position.asked[0], further.why,
      further.position.asked[0]]));
    """
    came, reached, why, stopped = probed(page, code)
    assert (came, why) == ("", "limit of C")
    assert (reached, stopped) == pytest.approx((-0.05 * out, 0.0), abs=1e-8)


def test_an_input_that_can_go_neither_way_says_so():
    """A piston at its dead centre, drawn below its least stroke: its slider is off, with a word."""
    m = kb.linkages.slider_crank(0.1, 0.4, at="0.001 rad")
    slide = replace(m.joint("slide"), lower=0.6)
    joints = [slide if j.name == "slide" else j for j in m.joints]
    joints.append(kb.Revolute("P", "ground", "arm", at=(0, 0.3)))
    m = replace(m, bodies=[*m.bodies, kb.Body("arm", 1.0)], joints=joints, drives=())
    page = kb.live(m, "slide")
    piston, arm = data_of(page)["inputs"]
    assert piston["low"] == piston["high"] and arm["low"] < arm["high"]
    sliders = re.findall(r"<input type='range' data-input='(\w+)'.*?>", page)
    off = re.findall(r"<input type='range' data-input='(\w+)'[^>]* disabled", page)
    assert (sliders, off) == (["slide", "P"], ["slide"])
    assert "Not moved here: slide. Loops and limits let it go neither way as drawn." in page


def test_a_crank_that_leads_a_joint_from_beyond_its_limit_lives():
    """With one freedom the range goes from the drawing towards the limit, as far as loops close."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7, at="60 deg")
    B = replace(m.joint("B"), lower=m.joint("B").drawn_coordinates[0] + 0.1)
    m = replace(m, joints=tuple(B if j.name == "B" else j for j in m.joints))
    (A,) = data_of(kb.live(m, "A"))["inputs"]
    assert min(A["value"] - A["low"], A["high"] - A["value"]) == pytest.approx(0.0, abs=1e-6)
    assert A["high"] - A["low"] > 0.1


def test_robots_live_by_all_their_joints():
    """Many joints, a base that floats and elastic joints do not keep a robot from living."""
    assert names_of(kb.live(robot(14)))[0] == [f"J{i}" for i in range(14)]
    standing = robot(3)
    floating = replace(standing, joints=(kb.Free("base", "ground", "link 0"), *standing.joints[1:]))
    assert names_of(kb.live(floating))[0] == ["J1", "J2"]
    above = kb.Free("base", "ground", "link 0", on_parent=kb.Frame(), drawn=[0, 0, 2, 1, 0, 0, 0])
    page = kb.live(replace(standing, joints=(above, *standing.joints[1:])), path="link 2")
    code = "console.log(JSON.stringify(model.points(model.start)));"
    place = probed(page, code)[data_of(page)["traced"][0]["point"]]
    assert place == pytest.approx([0.6, 0, 2], abs=1e-9)  # held where it is drawn
    soft = {"rotor": kb.Rotor(inertia=0.1), "elastic": kb.Elastic(stiffness=100.0)}
    assert names_of(kb.live(robot(**soft)))[0] == ["J0", "J1"]


def test_curves_are_of_a_point_that_the_first_input_moves():
    """Of a robot with two arms not the last joint, which the first one leaves where it is."""
    bodies = [kb.Body(name, 1.0) for name in ("trunk", "a", "b", "c", "d")]
    joints = [
        kb.Fixed("root", "ground", "trunk"),
        kb.Revolute("A", "trunk", "a", at=(0, 0, 0), axis=(0, 1, 0)),
        kb.Revolute("B", "a", "b", at=(1, 0, 0), axis=(0, 1, 0)),
        kb.Revolute("C", "trunk", "c", at=(0, 1, 0), axis=(0, 1, 0)),
        kb.Revolute("D", "c", "d", at=(1, 1, 0), axis=(0, 1, 0)),
    ]
    page = kb.live(kb.Mechanism("arms", bodies, joints))
    assert data_of(page)["traced"][0]["name"] == "pin B"


def test_shapes_stand_for_plates():
    """A body that looks as its shapes do shows no plate between its joints."""
    m = kb.linkages.stewart(0.5, 0.3, 0.6)
    shape = kb.Shape("sphere", (0.1,))
    looks = [
        replace(each, shapes=(shape,)) if each.name == "platform" else each for each in m.bodies
    ]
    bare, shown = (data_of(kb.live(each)) for each in (m, replace(m, bodies=looks)))
    assert len(bare["space"]["fans"]) > len(shown["space"]["fans"])


def test_names_of_many_curves_stay_in_their_panel():
    """The names of a robot's drives are in rows, each within its panel; a crowd is cut short."""
    code = """
    const panda = (_, i) => ({ name: `panda_joint${i}`, sign: "", hue: "red" });
    const lines = (count) => [...Array(count)].map(panda);
    const rows = (count) => headRows("driving moment, N·m", lines(count), 362);
    console.log(JSON.stringify([1, 8, 40].map(rows)));
    """
    alone, eight, crowd = in_node(living("arm"), code)
    assert alone == ["driving moment, N·m"]
    for rows in (eight, crowd):
        shown = [re.sub("<[^>]*>", " ", row) for row in rows]
        assert len(shown) <= 3 and max(map(len, shown)) * 6.5 < 362
    assert "panda_joint7" in eight[-1] and crowd[-1].endswith("…</tspan>")
    code = """
    const legs = [...Array(8)].map(() => ({ name: "FL_HAA", sign: "", hue: "" }));
    console.log(JSON.stringify(headRows("", legs, 240)));
    """
    for row in in_node(living("arm"), code)[1:]:
        assert row.count("FL_HAA") <= 4  # a name in capitals is up to 50 wide


def test_a_body_is_followed_by_its_origin():
    """`path="link 1"` is the origin of its frame, as in kb.draw and kb.animate."""
    m = robot()
    page = kb.live(m, path="link 1")
    (traced,) = data_of(page)["traced"]
    code = "const there = model.go(model.start, asked({0: 0.4})).position;"
    points = probed(page, code + "console.log(JSON.stringify(model.points(there)));")
    assert traced["name"] == "link 1"
    place = kb.assemble(m, {"J0": 0.4, "J1": 0.0}).point("link 1")
    assert points[traced["point"]] == pytest.approx(place, abs=1e-9)

"""Reports: every section has its answer, or the sentence of its refusal, on page and paper."""

import json
import re
import time
from dataclasses import replace
from html import unescape
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

import korba as kb
from korba.show.report.exercise import exercise
from korba.show.report.facts import Facts
from korba.show.report.paper import pages_of, pdf_of, typst_of
from korba.show.report.proof import FIGURES
from korba.show.report.report import SECTIONS, contents_of
from korba.trajectory.trajectory import FINISHED

ODD = """
name = 'a "b" <i>c</i> #d $e$ \\f'
description = "*no* _signs_ [mean] @anything <b>"
plane = "xy"
body = [{name = "arm #1", mass = 1, com = [0.5, 0], inertia = 0.1},
  {name = "<tip>", mass = 1, com = [1.2, 0], inertia = 0.1}]
joint = [{name = "$S", type = "revolute", parent = "ground", child = "arm #1", at = [0, 0]},
  {name = "T&U", type = "prismatic", parent = "arm #1", child = "<tip>", axis = [1, 0], at = [1, 0]}
]
"""


def sections(page):
    """Contents by title."""
    parts = re.split(r"<h2 id='[^']*'>([^<]*)</h2>", page)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def six():
    """A six-bar, and its page."""
    m = kb.linkages.watt(0.04, 0.12, 0.08, 0.1, 0.08, 0.12, 0.09, 0.15)
    return m, kb.report(m)


@pytest.fixture(scope="module")
def odd():
    """A robot without drives, whose names mean something to HTML and typst."""
    return contents_of(kb.loads(ODD))


def test_a_six_bar_is_told_at_once(six, tmp_path):
    """In at most three seconds when its programs are there; the file is the page."""
    begun = time.process_time()
    page = kb.report(six[0], tmp_path / "report.html")
    assert time.process_time() - begun < 3.0
    assert (tmp_path / "report.html").read_text("utf-8") == page


def test_a_six_bar_has_everything(six):
    """Numbers of the verbs stand on the page, which loads nothing and is small."""
    m, page = six
    own = sections(page)
    assert tuple(own) == tuple(SECTIONS)
    assert "class='said'" not in page
    assert all(row[0] in own["Mobility"] for row in kb.mobility(m).rows)
    assert "<math" in own["Equations"] and "all answers agree" in own["Cross-check"]
    assert "data-size" in unescape(own["Alive"])
    assert kb.dumps(m) in unescape(own["File"])
    motion = kb.motion(m, np.linspace(0.0, 1.0, 361))
    largest = np.linalg.norm(kb.reactions(m, motion)["D"].force, axis=1).max()
    assert f"<td class='n'>{largest:.5g}</td>" in own["Forces"]
    wheel = kb.flywheel(m, "A", 0.05, speed=2 * np.pi)
    assert f"{wheel.inertia:.5g}" in own["Steady running"]
    assert not re.findall(r"(?:src|href)=['\"](?!#)", unescape(page))
    assert len(page) < 1_500_000


def test_friction_stands_beside_none():
    """Largest forces, drives and losses of a slider with friction, without it in the same rows."""
    m = kb.loads("""
    name = "slider-crank"
    plane = "xy"
    body = [{name = "crank", mass = 2}, {name = "rod", mass = 1, com = [0.3, 0], inertia = 0.02},
      {name = "ram", mass = 3, com = [0.5, 0]}]
    joint = [
      {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
      {name = "B", type = "revolute", parent = "crank", child = "rod", at = [0, 0.1]},
      {name = "C", type = "revolute", parent = "rod", child = "ram", at = [0.5, 0]},
      {name = "D", type = "prismatic", parent = "ground", child = "ram", at=[0.5, 0], axis = [1, 0]}
    ]
    drive = [{name = "A", type = "joint", joint = "A", position = "300 rpm * t"}]
    """)
    rubbing = {"C": kb.Friction(0.1, radius=0.01), "D": kb.Friction(0.2)}
    joints = [replace(joint, friction=rubbing.get(joint.name)) for joint in m.joints]
    m = replace(m, joints=tuple(joints))
    own = sections(kb.report(m, theme="dark"))
    rough = kb.reactions(m, kb.motion(m, np.linspace(0.0, 0.2, 361)), friction=True)
    for of in (rough, rough.frictionless):
        assert f"{np.linalg.norm(of['C'].force, axis=1).max():.5g}" in own["Forces"]
        assert f"{of.driving['A'].max():.5g}" in own["Forces"]
    assert float(rough.efficiency) < 1e-12
    assert "Efficiency over the cycle: none, for no load takes work." in own["Forces"]
    assert own["Forces"].count("with friction</text>") >= 2


def test_robots_without_drives_swing():
    """Every free joint has a drive, within its limits, and a floating base is held."""
    m = kb.loads("""
    body = [{name = "base", mass = 5, inertia = [1, 1, 1]}, {name = "arm", mass = 1}]
    joint = [{name = "root", type = "free", parent = "ground", child = "base"},
      {name = "J", type = "revolute", parent = "base", child = "arm", at = [0, 0, 0]}]
    """)
    m = replace(m, joints=(m.joints[0], replace(m.joints[1], lower=-0.4, upper=0.2)))
    moved = exercise(m)
    assert [drive.name for drive in moved.m.drives] == ["J"] and "base is held" in moved.said
    motion = kb.motion(moved.m, np.linspace(0.0, moved.seconds, 41))
    assert motion.status == FINISHED
    assert -0.4 < motion["J"].min() < -0.3 and 0.1 < motion["J"].max() < 0.2


def test_robots_with_elastic_joints_have_a_report():
    """Their joints swing as stiff ones, which is said; rotors stay what they are."""
    m = kb.loads("""
    body = [{name = "arm", mass = 1}]
    [[joint]]
    name = "J"
    type = "revolute"
    parent = "ground"
    child = "arm"
    at = [0, 0, 0]
    rotor = {inertia = 0.1}
    elastic = {stiffness = 100}
    """)
    moved = exercise(m)
    assert [drive.name for drive in moved.m.drives] == ["J"]
    assert "elastic joints are stiff" in moved.said
    assert "class='curve'" in sections(kb.report(m))["Motion"]


def test_what_is_refused_is_said():
    """A ball that nothing drives: it is let go, has no reduced inertia, and says so."""
    m = kb.loads("""
    name = "arm"
    body = [{name = "link", mass = 1, com = [0.5, 0, 0], inertia = [0.1, 0.1, 0.1]}]
    joint = [{name = "S", type = "spherical", parent = "ground", child = "link", at = [0, 0, 0]}]
    """)
    own = sections(kb.report(m))
    assert tuple(own) == tuple(SECTIONS)
    assert "let go from rest" in own["Motion"] and "class='curve'" in own["Motion"]
    assert "class='said'" in own["Reduced inertia"]
    assert "<math" in own["Equations"]


def test_paper_has_the_same_sections(odd):
    """A PDF of several pages; names of users are shown and mean nothing to typst."""
    pytest.importorskip("typst")
    text = typst_of(odd)
    assert pdf_of(odd).startswith(b"%PDF")
    assert len(pages_of(odd, ppi=20.0)) > 3
    for title in SECTIONS:
        assert (f'#heading("{title}")' in text) == (title != "Alive")
    assert r'"a \"b\" <i>c</i> #d $e$ \\f"' in text
    assert '"<tip>"' in text


def test_names_of_users_mean_nothing_to_the_page(odd):
    """They are escaped wherever they stand, also inside frames and figures."""
    from korba.show.report.page import page_of

    page = page_of(odd, "auto")
    assert "<i>" not in page and "<tip>" not in page and "&lt;tip&gt;" in page
    (frame,) = re.findall(r"data-page='([^']*)'", page)
    assert "<tip>" not in unescape(frame).replace("\\u003c", "<").split("<script")[0]


def test_figures_follow_the_theme(six):
    """Colours of figures are variables, which both themes have."""
    page = six[1]
    figures = "".join(re.findall(r"<figure.*?</figure>", page, re.S))
    assert set(re.findall(r"#[0-9a-f]{6}\b|\bwhite\b", figures)) == set()
    used = set(re.findall(r"var\((--c\d+)\)", page))
    for theme in re.findall(r":root[^{]*\{([^}]*)\}", page):
        assert used <= set(re.findall(r"(--c\d+):", theme))


def test_wrong_requests_are_said(tmp_path):
    """Themes, endings and mechanisms that are none."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    with pytest.raises(kb.StructureError, match="no theme"):
        kb.report(m, theme="blue")
    with pytest.raises(kb.StructureError, match=r"the ending must be one of \.html, \.pdf"):
        kb.report(m, tmp_path / "report.doc")
    with pytest.raises(kb.StructureError, match="expected a mechanism"):
        kb.report("four-bar")


TRUSS = """
name = "truss"
plane = "xy"
points = {A = [0, 0], B = [1, 0]}
body = [{name = "one", mass = 1, points = {A = [0, 0], C = [0.8, 0]}},
  {name = "two", mass = 1, points = {B = [0, 0], C = [0.8, 0]}}]
joint = [{name = "A", type = "revolute", parent = "ground.A", child = "one.A", drawn = 0.9},
  {name = "B", type = "revolute", parent = "ground.B", child = "two.B", drawn = 2.2},
  {name = "C", type = "revolute", parent = "one.C", child = "two.C"}]
"""


def test_what_cannot_move_is_said_to_be_held():
    """A truss is not asked for drives, which could not move it either."""
    m = kb.loads(TRUSS)
    with pytest.raises(kb.StructureError, match="'truss' has no freedom: the loops hold it"):
        kb.motion(m, [0.0, 1.0])


def test_largest_forces_are_those_of_the_command():
    """As many positions as `korba forces` takes: the same number on the page and at a terminal."""
    m = kb.load(str(files("korba.cli").joinpath("shaper.toml")))
    turn = kb.motion(m, np.linspace(0.0, 0.6, 361))
    force = np.linalg.norm(kb.reactions(m, turn).force, axis=-1).max()
    told = dict(contents_of(m).figures)["Largest reaction"]
    assert told.startswith(f"{force:.4g} N in A")


def test_key_figures_say_what_the_sections_say():
    """Formulations that do not agree, and the unit of the drive that does most."""
    facts = SimpleNamespace(crosscheck=SimpleNamespace(agree=False, worst=0.26))
    assert FIGURES["Formulations"](facts) == "DO NOT AGREE: apart by 3e-01"
    bodies = [kb.Body("arm", mass=1e-3, inertia=1e-3), kb.Body("slide", mass=5.0)]
    joints = [
        kb.Revolute("A", "ground", "arm", on_parent=kb.Frame()),
        kb.Prismatic("S", "arm", "slide", axis=(1, 0), on_parent=kb.Frame(), drawn=0.2),
    ]
    drives = [kb.JointDrive("motor", "A", "t"), kb.JointDrive("jack", "S", "0.2 + sin(t)/100")]
    m = kb.Mechanism("crane", bodies=bodies, joints=joints, drives=drives, plane="xy")
    figures = dict(contents_of(m).figures)
    assert figures["Largest driving effort"].endswith(" N by jack")
    cylinder = kb.LengthDrive(
        "cylinder", "ground", (0, -0.3), "slide", (0, 0), "0.36 m + sin(t)/100"
    )
    lifted = replace(m, drives=[drives[0], cylinder])
    assert dict(contents_of(lifted).figures)["Largest driving effort"].endswith(" N by cylinder")


def test_loads_are_those_of_the_motion():
    """A cut that resists on the way there and rests on the way back drives nowhere."""
    m = kb.load(str(files("korba.cli").joinpath("shaper.toml")))
    facts = Facts(m)
    *_, (_, (table,)) = SECTIONS["Reduced inertia"](facts)
    rows = dict(zip(table.heads, np.transpose(table.rows), strict=True))
    assert np.ptp(rows["A, deg"]) == pytest.approx(360.0)
    model = kb.reduce(m, "A").along(facts.moved)
    assert np.all(model.forces["cutting"] <= 0.0) and model.forces["cutting"].min() < -100.0
    assert rows["cutting, N m"] == pytest.approx(model.forces["cutting"][::30], abs=1e-9)
    curves = kb.plot(facts.reduction, along=facts.moved, over="A", degrees=True)
    force = {line.name: line for line in curves.panels[-1].lines}["cutting"]
    assert force.y.min() == pytest.approx(model.forces["cutting"].min(), rel=1e-3)
    with pytest.raises(kb.StructureError, match="not that of mechanism 'shaper'"):
        facts.reduction.along(kb.motion(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), [0.0, 0.1]))


def test_a_report_tells_how_much_larger_forces_are_between_its_positions():
    """A cut begins between two positions: at ten times as many its jump is nearer."""
    m = kb.load(str(files("korba.cli").joinpath("shaper.toml")))
    (told,) = [b for b in SECTIONS["Forces"](Facts(m)) if str(b).startswith("At 10 times")]
    sizes = []
    for count in (361, 3601):
        rough = kb.reactions(m, kb.motion(m, np.linspace(0.0, 0.6, count)), friction=True)
        both = np.concatenate([rough.frictionless.force, rough.force], axis=1)
        sizes.append(np.linalg.norm(both, axis=-1).max(axis=0))
    coarse, fine = (each[sizes[0] > 0] for each in sizes)
    k = np.argmax(fine / coarse)
    share, force = fine[k] / coarse[k] - 1.0, fine[k]
    assert f"larger by {100 * share:.2g} % at most" in told and f"{force:.5g} N)" in told
    assert share > 0.005


def test_a_refusal_is_asked_for_once(monkeypatch):
    """A verb that refuses is not asked again by the next section; its sentence stays the same."""
    asked = []

    def refusing(m, **options):
        asked.append(m)
        raise kb.StructureError("not today")

    monkeypatch.setattr("korba.show.report.facts.crosscheck", refusing)
    facts = Facts(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
    for _ in range(3):
        with pytest.raises(kb.StructureError, match="not today"):
            _ = facts.crosscheck
    assert len(asked) == 1


def test_equations_that_nobody_reads_are_counted(monkeypatch):
    """Beyond some letters the report says how many, and which verb writes them."""
    monkeypatch.setattr("korba.show.report.structure.TOO_LONG", 100)
    (told,) = SECTIONS["Equations"](Facts(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)))
    assert re.fullmatch(r"They have \d{3} letters: kb.equations\(m\) writes them\.", told)


def test_where_nothing_acts_no_zeros_are_shown():
    """Bodies without mass and no loads: a sentence instead of tables and curves of zeros."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    bodies = [replace(body, mass=0.0, inertia=0 * np.asarray(body.inertia)) for body in m.bodies]
    (told,) = SECTIONS["Forces"](Facts(replace(m, bodies=tuple(bodies), parameters=())))
    assert told.startswith("Nothing acts:")


def test_an_assumed_motion_is_one_and_is_said():
    """Without drives one coordinate leads page and figures, and each place that uses it says so."""
    m = replace(kb.linkages.slider_crank("40 mm", "120 mm"), drives=())
    facts, contents = Facts(m), contents_of(m)
    figures = dict(contents.figures)
    assert figures["Motion assumed"] == "A turns once a second"
    assert {"Largest reaction", "Largest driving effort"} & figures.keys() == set()
    force = np.linalg.norm(facts.forces.force, axis=-1).max()
    assert figures["Largest reaction, motion assumed"].startswith(f"{force:.4g} N in ")
    said = "It has no drives: here A turns once a second."
    own = {section.title: section.blocks for section in contents.sections}
    moving = ("Alive", "Range", "Motion", "Forces", "Reduced inertia", "Steady running")
    assert all(own[title][0] == said for title in (*moving, "Masses and balance"))
    assert "Said" not in {type(b).__name__ for blocks in own.values() for b in blocks}
    page = own["Alive"][1].page
    (lead,) = json.loads(re.search(r'"inputs":(\[.*?\])', page)[1])
    assert (lead["name"], lead["speed"]) == (facts.lead, pytest.approx(2 * np.pi))
    five = Facts(replace(kb.linkages.five_bar(0.04, 0.08, 0.08, 0.04, 0.06), drives=()))
    assert next(SECTIONS["Alive"](five)) == "It has no drives: here A, E swing round the drawing."
    assert [type(block).__name__ for block in SECTIONS["Speed"](five)] == ["Table"]
    driven = dict(contents_of(kb.linkages.slider_crank("40 mm", "120 mm")).figures)
    assert not any("assumed" in name for name in driven)


def test_rounding_is_no_number():
    """A wheel whose centre is off by rounding has no surplus of work, and columns no 1e-17."""
    m = kb.loads(
        """
    plane = "xy"
    body = [{name = "wheel", mass = 1, com = [1e-17, 0], inertia = 0.1}]
    joint = [{name = "A", type = "revolute", parent = "ground", child = "wheel", at = [0, 0]}]
    drive = [{name = "motor", joint = "A", position = "60 rpm * t"}]
    """
    )
    blocks = [*SECTIONS["Steady running"](Facts(m))]
    assert "irregularity of 0:" in blocks[0]
    assert blocks[0].endswith("The largest surplus of work is 0 J.")
    assert [row[1:] for row in blocks[1].rows] == [(0.0, 0.0, 0.0)] * 2
    assert "surplus of work 0 J" in str(kb.steady_cycle(m, "A", speed=6.0))
    drives = [row for row in SECTIONS["Forces"](Facts(m)) if "drives" in str(row)]
    assert drives[0].rows[0][2:] == (0.0, 0.0, 0.0)


def test_jam_and_self_locking_are_told_as_angles():
    """Both limits stand in the plot of the transmission angle, and in words."""
    m = kb.linkages.slider_crank("40 mm", "44 mm")
    rough = kb.Friction(coefficient=0.5, radius=0.004)
    m = replace(m, joints=tuple(replace(j, friction=rough) for j in m.joints))
    text = kb.report(m, sections=["range"])
    assert re.search(r"jams below \d\d(\.\d)? deg", str(text))
    assert re.search(r"self-locking below \d+(\.\d+)? deg", str(text))
    assert "At C on slider friction takes" in str(text) and "it jams at up to" in str(text)
    assert "e-1" not in str(text).partition("At B on crank")[2][:200]

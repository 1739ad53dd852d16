"""`print(m)`: every body, joint, limit and note in a table; `repr(m)` stays short."""

from dataclasses import replace

import korba as kb
from korba.linkages.ready import ready

ARM = kb.loads("""
name = "arm"
notes = ["left out: contacts: 3 geoms"]
parameters = {l = "60 cm"}
body = [{name = "upper", mass = "2 kg"}, {name = "lower", mass = 0.5, com = [0.1, 0, 0]}]
force = [{name = "brake", type = "joint", joint = "elbow", damping = 0.1}]
pose = [{name = "home", q = {elbow = "30 deg"}}]

[[joint]]
name = "shoulder"
type = "spherical"
parent = "ground"
child = "upper"
at = [0, 0, 0]

[[joint]]
name = "elbow"
type = "revolute"
parent = "upper"
child = "lower"
at = ["l", 0, 0]
lower = "-90 deg"
upper = "45 deg"
armature = 0.02
""")


def test_a_mechanism_prints_as_a_table():
    """Bodies, joints with limits, freedoms, mass, poses and notes are told."""
    assert str(ARM).split("\n") == [
        "arm: 2 bodies, 2 joints, spatial",
        "  4 freedoms; q has 5 coordinates, v has 4 velocities",
        "  mass 2.5 kg; gravity 0, 0, -9.81 m/s^2",
        "",
        "  body   mass (kg)  centre of mass (cm)",
        "  upper  2          0, 0, 0",
        "  lower  0.5        10, 0, 0",
        "",
        "  joint     type       between         dof  limits",
        "  shoulder  spherical  ground - upper  3",
        "  elbow     revolute   upper - lower   1    -90 to 45 deg  armature 0.02",
        "",
        "  spherical: q is w, x, y, z; v is wx, wy, wz (see help(kb.Spherical))",
        "  forces: brake",
        "  poses: home",
        "  parameters: l = 60 cm",
        "  note: left out: contacts: 3 geoms",
    ]
    assert "\n" not in repr(replace(ARM, notes=(), formulas=())).strip()[:80]


def test_lines_are_no_longer_than_a_screen():
    """At most 100 letters, of ready mechanisms and of a robot with long names; none is lost."""
    for _, make in ready().values():
        assert max(map(len, str(make()).splitlines())) <= 100
    names = [f"gripper_{side}_fingertip_{i}_link" for side in ("left", "right") for i in range(9)]
    joints = [
        kb.Revolute(
            name.replace("link", "joint"), before, name, at=(0, 0, 0), lower=-1, upper=1,
            damping=0.5 + (i > 3), max_effort=78, friction=kb.Friction(0.1, 0.01),
        )
        for i, (before, name) in enumerate(zip(["ground", *names], names, strict=False))
    ]  # fmt: skip
    notes = ["left out: " + ", ".join(names)]
    text = str(kb.Mechanism("hand", [kb.Body(name, 1.0) for name in names], joints, notes=notes))
    assert max(map(len, text.splitlines())) <= 100
    whole = " ".join(text.split())
    assert notes[0] in whole
    for joint in joints:
        assert {joint.name, joint.parent, joint.child} <= set(whole.replace(",", "").split())
    few, rest = (", ".join(j.name for j in part) for part in (joints[:4], joints[4:]))
    assert f"damping 0.5, max effort 78, friction: {few} damping 1.5, max effort 78" in whole
    assert f"damping 1.5, max effort 78, friction: {rest} " in whole


def test_long_mechanisms_are_cut_and_loops_are_told():
    """Forty rows of a table are shown, and how many more there are; empty ones are a sentence."""
    bodies = [kb.Body(f"b{i}", 1.0) for i in range(50)]
    joints = [
        kb.Revolute(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", at=(i, 0)) for i in range(50)
    ]
    ring = [*joints, kb.Revolute("end", "b49", "ground", at=(50, 0))]
    shown = str(kb.Mechanism("ring", bodies, ring, plane="xy"))
    assert "51 freedoms in joints, tied by 1 loop" in shown
    assert "... 10 more" in shown
    assert "... 11 more" in shown
    assert str(kb.Mechanism()).startswith("mechanism: 0 bodies, 0 joints, spatial")

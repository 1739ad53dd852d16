"""Saving a mechanism that was read from a text changes only what has changed in it."""

import difflib
from dataclasses import replace
from pathlib import Path

import pytest
from law_counts import some
from random_mechanisms import joint_types, random_mechanism, seeded

import korba as kb

PRESS = """# The press of the workshop.
korba = 1   # version
name = "press"
plane = "xy"

[parameters]
l = "60 mm"  # length of the rod
k = 3        # not used yet

# the crank
[[body]]
name = "crank"      # on the left
mass = 1.0          # weighed
points = { tip = [0, 1], b = [1, 2] }

[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [
    0,  # x
    0,
]
damping = 0   # none yet

# the rod, behind its pin
[[body]]
name = "rod"
mass = 2

[[joint]]
name = "B"
type = "revolute"
parent = "crank"
child = "rod"
at = ["l", 0]

[joint.rotor]
ratio = 5 # gear
inertia = 1e-3
# the end
"""
INLINE = """# everything at the top
name = "arm"  # short
body = [{name = "a", mass = 1}, {name = "b"}]  # bodies
joint = [
  # the first
  {name = "A", type = "revolute", parent = "ground", child = "a", at = [0, 0, 0]},
  {name = "B", type = "revolute", parent = "a", child = "b", at = [1, 0, 0]},  # the second
]
"""
FILES = sorted(Path(kb.__file__).parent.rglob("*.toml"))


def changes(before, after):
    """Lines taken away and put in."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def press(**more):
    return replace(kb.loads(PRESS), **more)


@pytest.mark.parametrize("text", [PRESS, INLINE, PRESS.replace("\n", "\r\n")])
def test_what_has_not_changed_stays(text):
    """Comments, order, numbers and white space come back as they were."""
    assert kb.dumps(kb.loads(text)) == text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_that_come_with_korba_are_saved_as_they_are(path, tmp_path):
    """Loading and saving gives the same bytes."""
    kb.save(kb.load(path), tmp_path / "saved.toml")
    assert (tmp_path / "saved.toml").read_bytes() == path.read_bytes()


def test_a_value_changes_in_its_line():
    """A number, a part, a parameter and a name change in place; their comments stay."""
    m = press()
    crank, rod = m.bodies
    a, b = m.joints
    new = replace(
        m,
        name="press 2",
        bodies=[replace(crank, mass=4.0), replace(rod, name="bar")],
        joints=[
            replace(a, damping=0.4),
            replace(b, child="bar", rotor=replace(b.rotor, ratio=7.0)),
        ],
    )
    new = kb.redimension(new, l="70 mm")
    text = kb.dumps(new)
    assert changes(PRESS, text) == [
        '- name = "press"',
        '+ name = "press 2"',
        '- l = "60 mm"  # length of the rod',
        '+ l = "70 mm"  # length of the rod',
        "- mass = 1.0          # weighed",
        "+ mass = 4          # weighed",
        "- damping = 0   # none yet",
        "+ damping = 0.4   # none yet",
        '- name = "rod"',
        '+ name = "bar"',
        '- child = "rod"',
        '+ child = "bar"',
        "- ratio = 5 # gear",
        "+ ratio = 7 # gear",
    ]
    assert kb.loads(text) == new


def test_elements_come_behind_their_kind_and_go_with_their_comments():
    """A new body stands behind the last one; one that is left out takes its comment with it."""
    m = press()
    more = press(
        bodies=[*m.bodies, kb.Body("new", 2.0)],
        joints=[*m.joints, kb.Revolute("C", "rod", "new", at=(1, 1))],
        poses={"home": {"A": "30 deg"}},
    )
    text = kb.dumps(more)
    assert kb.loads(text) == more
    assert not [line for line in changes(PRESS, text) if line[0] == "-"]
    assert 'mass = 2\n\n[[body]]\nname = "new"\nmass = 2\n\n[[joint]]' in text
    fewer = kb.dumps(press(bodies=m.bodies[:1], joints=m.joints[:1]))
    assert fewer == PRESS.partition("\n# the rod")[0]


def test_tables_on_one_line_are_changed_inside():
    """Elements in an array at the top keep it; another count of them is written anew."""
    m = kb.loads(INLINE)
    heavy = replace(m, bodies=[replace(m.bodies[0], mass=3.0), m.bodies[1]])
    assert kb.dumps(heavy) == INLINE.replace("mass = 1", "mass = 3")
    alone = replace(m, bodies=m.bodies[:1], joints=m.joints[:1])
    assert kb.loads(kb.dumps(alone)) == alone
    assert kb.dumps(alone).startswith("# everything at the top\n")


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", some(3, 12))
def test_any_mechanism_is_said_by_the_text_of_any_other(seed, planar):
    """Whatever the text was, what is written into it reads back as the mechanism."""
    kinds = joint_types(planar)
    one, other = (random_mechanism(seeded(seed + i), planar, kinds[i : i + 4]) for i in (0, 1))
    text = kb.dumps(one).replace("\n[[", "\n# a comment\n[[")
    for text_before in (text, PRESS, INLINE):
        mixed = kb.dumps(replace(other, text=text_before))
        assert kb.loads(mixed) == other
        assert kb.loads(mixed).notes == other.notes
    assert kb.dumps(kb.loads(text)) == text


@pytest.mark.parametrize("text", ["nonsense", "= 1", "\n", '[joint.x]\na = 1\n[[body]]\nname="b"'])
def test_a_text_that_cannot_be_edited_is_written_anew(text):
    """Then the mechanism is written as if it came from Python."""
    m = press(text="")
    assert kb.dumps(replace(m, text=text)) == kb.dumps(m)

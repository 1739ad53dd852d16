"""What is saved is what is loaded."""

import dataclasses
import tomllib

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from law_counts import some
from random_mechanisms import joint_types, random_mechanism, seeded

from korba.files.schema import schema
from korba.files.toml_file import dumps, load, loads, save
from korba.model.mechanism import Mechanism

VALIDATOR = jsonschema.Draft202012Validator(schema())
EVERY_TYPE = [(planar, cls) for planar in (True, False) for cls in joint_types(planar)]


@pytest.mark.parametrize(
    ("planar", "cls"), EVERY_TYPE, ids=[f"{'xy' if p else 'xyz'}-{c.type}" for p, c in EVERY_TYPE]
)
def test_every_joint_type_survives_saving(planar, cls):
    """Saving and loading gives an equal mechanism, whatever its joints, forces and drives."""
    for seed in some(2, 6):
        m = random_mechanism(seeded(seed), planar, [cls])
        text = dumps(m)
        again = loads(text)
        assert again == m
        assert again.notes == m.notes
        assert dumps(again) == text
        assert not [*VALIDATOR.iter_errors(tomllib.loads(text))]


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.randoms(use_true_random=False), st.booleans(), st.data())
def test_any_mechanism_survives_saving(rng, planar, data):
    """Mechanisms of several joints of any types survive saving, and no line of text is overlong."""
    types = data.draw(st.lists(st.sampled_from(joint_types(planar)), max_size=4))
    m = random_mechanism(rng, planar, types)
    text = dumps(m)
    assert loads(text) == m
    assert tomllib.loads(text)["korba"] == 1


FOUR_BAR = '''\
korba = 1
name = "four-bar"
plane = "xy"
gravity = [0, "-9.81 m/s^2"]
description = """
A "crank"
and rocker"""
notes = ["measured by hand"]

[parameters]
l2 = "2*l1"
l1 = "60 mm"
speed = 5

[[body]]
name = "crank"
mass = "1 kg"
com = ["l1/2", 0]
inertia = 0.01

[[body]]
name = "coupler"
frame = { origin = ["l1", 0], rotation = "30 deg" }
points = { tip = [0.1, "l2"] }
shapes = [{ kind = "box", size = ["l1", 0.1, 0.1] }]

[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [0, 0]
lower = "-30 deg"
upper = "90 deg"

[[joint]]
name = "B"
type = "pin-in-slot"
parent = "crank"
child = "coupler"
at = ["l1", 0]
axis = [1, 0]
friction = { coefficient = 0.1, radius = "5 mm" }

[[force]]
name = "pull"
type = "joint"
joint = "A"
damping = "0.1 N*m*s/rad"
law = "-speed*v_A"

[[drive]]
name = "d"
type = "joint"
joint = "A"
position = "300 rpm * t"
'''


def test_a_file_is_saved_as_it_was_written():
    """Units, expressions and the order of parameters stay as the user wrote them."""
    assert dumps(loads(FOUR_BAR)) == FOUR_BAR


def test_a_changed_value_is_saved_in_place_of_its_formula():
    """A value changed in Python is written plainly; formulas beside it stay."""
    m = loads(FOUR_BAR)
    heavy = dataclasses.replace(m.body("crank"), mass=7.5)
    changed = dataclasses.replace(m, bodies=(heavy, m.body("coupler")))
    text = dumps(changed)
    assert text == FOUR_BAR.replace('mass = "1 kg"', "mass = 7.5")
    assert loads(text) == changed


def test_save_and_load_through_a_file(tmp_path):
    """A path works as a string or a Path, and a saved file has a line feed at every end of line."""
    m = loads(FOUR_BAR)
    save(m, tmp_path / "a.toml")
    assert (tmp_path / "a.toml").read_bytes() == FOUR_BAR.encode()
    assert load(str(tmp_path / "a.toml")) == m


def test_an_empty_mechanism_survives_saving():
    """A mechanism without anything is still a mechanism."""
    assert loads(dumps(Mechanism())) == Mechanism()


def test_lines_are_short():
    """Long arrays are wrapped: a spline of 60 points stays within 100 columns."""
    values = [i / 7 for i in range(60)]
    text = FOUR_BAR.replace('"300 rpm * t"', f"{{ x = {values}, y = {values} }}")
    written = dumps(dataclasses.replace(loads(text), text=""))
    assert max(map(len, written.splitlines())) <= 100
    assert loads(written) == loads(text)
    assert not [*VALIDATOR.iter_errors(tomllib.loads(written))]


@pytest.mark.parametrize(
    "text",
    [
        "a\nb",
        '"""',
        'ends "',
        'a\n"',
        'a\n""""""\nb"',
        "a\n\\",
        'a\n\\"',
        "\n\n",
        "tab\n",
        "a\n\x7f",
    ],
)
def test_texts_survive_saving(text):
    """Quotes, backslashes and line ends in a description are read back as they were."""
    m = Mechanism(description=text)
    assert loads(dumps(m)).description == text

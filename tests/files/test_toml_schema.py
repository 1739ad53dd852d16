"""The JSON Schema agrees with the reader."""

import copy
import tomllib

import jsonschema
import pytest
from test_toml_round_trip import FOUR_BAR

from korba.errors import FileError
from korba.files.schema import schema
from korba.files.toml_file import loads
from korba.files.writing import toml_text
from korba.model.drives import DRIVE_TYPES
from korba.model.fields import specs_of
from korba.model.forces import FORCE_TYPES
from korba.model.joints import JOINT_TYPES

VALIDATOR = jsonschema.Draft202012Validator(schema())
DOCUMENT = tomllib.loads(FOUR_BAR)


def test_the_schema_is_a_schema():
    """It obeys draft 2020-12 and says so."""
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$schema"].endswith("2020-12/schema")


def test_every_type_and_field_is_described():
    """Each type has a definition with all its keys, each with words."""
    definitions = schema()["$defs"]
    for section, types in [("joint", JOINT_TYPES), ("force", FORCE_TYPES), ("drive", DRIVE_TYPES)]:
        for kind, cls in types.items():
            properties = definitions[f"{section}-{kind}"]["properties"]
            assert set(properties) == {"type", *specs_of(cls)}
            assert all(p["description"] for p in properties.values())


def places(value, place=()):
    """All tables of a document whose keys are fixed."""
    if isinstance(value, dict):
        if place[-1:] not in (("parameters",), ("points",)):
            yield place
        for key, item in value.items():
            yield from places(item, (*place, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, (*place, i))


@pytest.mark.parametrize("place", [*places(DOCUMENT)], ids=lambda p: ".".join(map(str, p)) or "top")
def test_unknown_keys_are_refused_everywhere(place):
    """A key that means nothing is refused by the schema and by the reader, at every level."""
    document = copy.deepcopy(DOCUMENT)
    table = document
    for step in place:
        table = table[step]
    table["masss"] = 1
    assert [*VALIDATOR.iter_errors(document)]
    with pytest.raises(FileError, match="unknown key 'masss'"):
        loads(toml_text(document))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('type = "revolute"', 'type = "revolut"'),
        ('type = "revolute"\n', ""),
        ("[[joint]]", "[[joints]]"),
        ("korba = 1", "korba = 2"),
        ("at = [0, 0]", "at = 0"),
        ('plane = "xy"', 'plane = "zx"'),
        ('name = "crank"\n', ""),
        ("speed = 5", "speed = true"),
        ("speed = 5", '"a-b" = 5'),
    ],
)
def test_schema_and_reader_refuse_the_same(old, new):
    """What the reader refuses for its form, the schema refuses too."""
    text = FOUR_BAR.replace(old, new)
    assert text != FOUR_BAR
    assert [*VALIDATOR.iter_errors(tomllib.loads(text))]
    with pytest.raises(FileError):
        loads(text)


def test_a_drive_is_of_a_joint_unless_it_says_otherwise():
    """`type` may be left out of a drive."""
    text = FOUR_BAR.replace('name = "d"\ntype = "joint"\n', 'name = "d"\n')
    assert not [*VALIDATOR.iter_errors(tomllib.loads(text))]
    assert loads(text) == loads(FOUR_BAR)

"""A wrong URDF file gives one error with all its faults, and never anything else."""

import contextlib
import random

import pytest
from urdf_cases import SMALL, read_text

from korba.errors import FileError, KorbaError
from korba.files.urdf_read import read_urdf


def faults(tmp_path, text) -> list[str]:
    with pytest.raises(FileError) as caught:
        read_text(tmp_path, text)
    assert "robot.urdf" in str(caught.value)
    assert all(fault.line for fault in caught.value.faults)
    return [str(fault) for fault in caught.value.faults]


JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'
LINKS = '<link name="a"/>\n<link name="b"/>\n<link name="c"/>\n'
HEAVY = (
    '<link name="d"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
    'izz="1"/></inertial></link>'
)


def robot(*joints, links=LINKS):
    lines = "\n".join(JOINT.format(*joint) for joint in joints)
    return f'<robot name="r">\n{links}{lines}\n</robot>'


AB = ("ab", "fixed", "a", "b", "")
BC = ("bc", "continuous", "b", "c", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (robot(AB, links=LINKS + HEAVY), ["line 5: link 'd'", "second root besides 'a'"]),
        (robot(AB, BC, ("ca", "fixed", "c", "a", "")), ["circle: "]),
        (
            robot(AB, ("bc", "fixed", "c", "b", ""), links=LINKS + HEAVY),
            ["second root besides 'a'"],
        ),
        (robot(AB, BC, ("ab", "fixed", "a", "b", "")), ["line 7: joint 'ab'", "line 5 already"]),
        (robot(AB, BC, links=LINKS + '<link name="a"/>'), ["line 5: link 'a'", "on line 2"]),
        (robot(AB, BC, links=LINKS + "<link/>"), ["link: has no name"]),
        (robot(AB, ("bc", "revolut", "b", "c", "")), ["type 'revolut'", "did you mean 'revolute'"]),
        (robot(AB, ("bc", "", "b", "c", "")), ["type: is missing"]),
        (robot(AB, ("bc", "continuous", "bb", "c", "")), ["no link 'bb'", "did you mean 'b'"]),
        (robot(AB, ("bc", "continuous", "b", "d", "")), ["child: there is no link 'd'"]),
        (robot(AB, ("bc", "continuous", "b", "b", "")), ["both 'b'"]),
        (robot(AB, BC).replace('<child link="c"/>', ""), ["child: is missing"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 0 0"/>')), ["axis: has length 0"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 0"/>')), ["expected 3 numbers, got 2"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 nan 1"/>')), ["axis xyz", "'nan'"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 inf 1"/>')), ["'inf'"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 0x1p3 1"/>')), ["'0x1p3'"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 1_0 1"/>')), ["'1_0'"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 0,5 1"/>')), ["with a point"]),
        (robot(AB, (*BC[:4], '<axis xyz="0 1e400 1"/>')), ["too large"]),
        (robot(AB, (*BC[:4], '<origin xyz="1+1 0 0"/>')), ["'1+1'"]),
        (robot(AB, (*BC[:4], "<mimic/>")), ["mimic joint: is missing"]),
        (robot(AB, (*BC[:4], '<mimic joint="ab"/>')), ["'ab' is fixed"]),
        (robot(AB, (*BC[:4], '<mimic joint="bc"/>')), ["circle: bc"]),
        (robot(AB, (*BC[:4], '<dynamics damping="-1"/>')), ["damping", "at least 0"]),
        (robot(AB, (*BC[:4], '<limit velocity="-1"/>')), ["max_velocity", "at least 0"]),
        (
            robot(AB, ("bc", "revolute", "b", "c", '<limit lower="2" upper="1"/>')),
            ["lies above upper"],
        ),
        (SMALL[0].replace('<mass value="2"/>', ""), ["<mass> is missing"]),
        (SMALL[0].replace('ixx="0.02"', ""), ["inertia ixx: is missing"]),
        (SMALL[0].replace('<cylinder radius="0.05" length="0.2"/>', ""), ["has no geometry"]),
        (SMALL[0].replace('name="upper"', 'name="a&#9;b"'), ["control characters"]),
    ],
)
def test_each_fault_is_told_with_its_line_and_the_way_out(tmp_path, text, expected):
    """A single mistake gives an error that names the element, the line and what is wrong."""
    found = "\n".join(faults(tmp_path, text))
    assert all(words in found for words in expected), found


def test_all_faults_are_told_at_once(tmp_path):
    """Faults of numbers, names and structure stand in one error, in the order of the file."""
    text = robot(
        ("ab", "fixd", "a", "b", '<origin xyz="0 0 zero"/>'),
        ("bc", "continuous", "b", "d", '<axis xyz="0 0 0"/><mimic joint="nobody"/>'),
        ("", "fixed", "b", "c", ""),
    )
    found = faults(tmp_path, text)
    assert len(found) >= 6
    lines = [int(fault.split(":")[0].removeprefix("line ")) for fault in found]
    assert lines == sorted(lines)
    assert any("nobody" in fault for fault in found)


def test_an_unknown_type_gives_one_fault(tmp_path):
    """A slip in a joint's type is told once, without what would only follow from it."""
    (fault,) = faults(tmp_path, SMALL[0].replace("revolute", "revolut"))
    assert "did you mean 'revolute'?" in fault


def test_dangling_parts_that_carry_nothing_are_notes(tmp_path):
    """A fixed joint to nowhere, a lone massless link and a mimic of nobody do not stop reading."""
    text = robot(AB, (*BC[:4], '<mimic joint="nobody"/>'), ("x", "fixed", "a", "y", ""))
    m = read_text(tmp_path, text.replace("</robot>", '<link name="z"/></robot>'))
    assert [b.name for b in m.bodies] == ["a", "b", "c"]
    assert m.coordinates == ("bc",)
    assert len(m.notes) == 3


NASTY = [
    "",
    "nan",
    "-1e309",
    "0x10",
    "1e50",
    "-1e50",
    "ground",
    "world",
    "root",
    "t",
    "<",
    "&",
    "\0",
    "&#10;",
    "&#xD800;",
    "é",
    "fixed",
    "floating",
    "planar",
    "${x}",
    "<link/>",
    "<joint/>",
    "]]>",
    "<!DOCTYPE a>",
    "<mimic joint='elbow'/>",
    "9" * 400,
    "1 2 3",
    "base",
    "shoulder",
    "</robot>",
]


def mutated(text: str, rng: random.Random) -> str:
    """The text with a few pieces exchanged, doubled, deleted or made nasty."""
    for _ in range(rng.randrange(1, 4)):
        pieces = text.replace('"', '\1"\1').replace(">", ">\1").replace(" ", "\1 \1").split("\1")
        i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        match rng.randrange(5):
            case 0:
                pieces[i] = rng.choice(NASTY)
            case 1:
                pieces[i], pieces[j] = pieces[j], pieces[i]
            case 2:
                del pieces[i]
            case 3:
                pieces.insert(i, pieces[j])
            case 4:
                k = rng.randrange(len(pieces[i]) + 1)
                pieces[i] = pieces[i][:k] + rng.choice("<>\"'&/=x0-9.e ") + pieces[i][k + 1 :]
        text = "".join(pieces)
    return text


@pytest.mark.parametrize("case", range(len(SMALL)))
def test_mutated_files_raise_only_korba_errors(tmp_path, case):
    """Whatever happens to a file, reading gives a mechanism or a KorbaError."""
    rng = random.Random(case)  # noqa: S311
    read = 0
    for _ in range(1200):
        text = mutated(SMALL[case], rng).encode("utf-8", "replace")
        options = {"merge_fixed": rng.random() < 0.5, "floating": rng.random() < 0.5}
        with contextlib.suppress(KorbaError):
            read_text(tmp_path, text, **options)
            read += 1
    assert read > 50


def test_negative_mass_is_a_fault(tmp_path):
    """A mass below zero is no rounding of a real body's: it is refused with its line."""
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r">\n<link name="a">\n<inertial><mass value="-1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>\n</link></robot>'
    )
    with pytest.raises(FileError, match="line 2: link 'a', mass: is negative"):
        read_urdf(path)

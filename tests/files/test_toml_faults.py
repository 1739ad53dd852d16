"""Bad files: every fault, with its element and line, in one error."""

import pytest
from test_toml_round_trip import FOUR_BAR

from korba import disk
from korba.errors import FileError
from korba.expr import variable
from korba.files.lines import Lines
from korba.files.toml_file import dumps, load, loads, save
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism


def found(text):
    """Element, line and message of every fault."""
    with pytest.raises(FileError) as caught:
        loads(text, source="bad.toml")
    assert str(caught.value).startswith("bad.toml has ")
    return [(fault.line, fault.where, fault.message) for fault in caught.value.faults]


def line_of(text, words):
    """The line, from 1, on which `words` stand first."""
    return text[: text.index(words)].count("\n") + 1


# what to replace in the four-bar, by what; then words on the line of the fault, where, message
TABLE = [
    ("gravity =", "gravty =", "gravty", "top.gravty", "mean 'gravity'"),
    ('plane = "xy"', 'plane = "yz"', 'plane = "yz"', "top.plane", "expected one of xy"),
    ("-9.81 m/s^2", "-9.81 m/s", "gravity", "top.gravity", "an acceleration"),
    ("notes = [", "notes = [1, ", "notes", "top.notes", "list of texts"),
    ('"1 kg"', '"1 m"', "mass", "body.crank.mass", "expected a mass"),
    ('"1 kg"', "nan", "mass", "body.crank.mass", "got nan"),
    ('"1 kg"', "inf", "mass", "body.crank.mass", "got inf"),
    ('"1 kg"', "1e400", "mass", "body.crank.mass", "got inf"),
    ('"1 kg"', "1979-05-27", "mass", "body.crank.mass", "date"),
    ('"1 kg"', "[1]", "mass", "body.crank.mass", "expected a mass"),
    ('"1 kg"', "{ a = 1 }", "mass", "body.crank.mass", "expected a mass"),
    ('"1 kg"', "-1", "mass", "body.crank.mass", "negative"),
    ('"1 kg"', '"m1"', "mass", "body.crank.mass", "unknown name 'm1'"),
    ("mass =", "mas =", "mas =", "body.crank.mas", "unknown key 'mas'; did you mean 'mass'?"),
    ('com = ["l1/2", 0]', "com = [1]", "com =", "body.crank.com", "two or three"),
    ("rotation =", "rotate =", "frame =", "body.coupler.frame", "did you mean 'rotation'?"),
    ('kind = "box"', 'kind = "bax"', "shapes", "body.coupler.shapes.kind", "mean 'box'?"),
    ('child = "crank"', 'child = "crnk"', 'child = "crnk"', "joint.A.child", "mean 'crank'?"),
    ('lower = "-30 deg"', 'lower = "120 deg"', "lower", "joint.A.lower", "lies above upper"),
    ('lower = "-30 deg"', "lower = [1, 2]", "lower", "joint.A.lower", "expected 1 value"),
    ('axis = [1, 0]\n', "", 'name = "B"', "joint.B.axis", "is missing"),
    ('axis = [1, 0]', "axis = [0, 0]", "axis =", "joint.B.axis", "has length 0"),
    ('radius = "5 mm"', "radius = -1", "friction", "joint.B.friction.radius", "above 0"),
    ('radius = "5 mm"', "diameter = 1", "friction", "joint.B.friction", "unknown key 'diameter'"),
    ("pin-in-slot", "pin-in-slott", "slott", "joint.B.type", "did you mean 'pin-in-slot'?"),
    ("pin-in-slot", "hinge", "hinge", "joint.B.type", "'hinge'; there are ball-on-plane"),
    ("pin-in-slot", "spherical", "spherical", "joint.B.type", "does not fit into a plane"),
    ('type = "pin-in-slot"', "type = 3", "type = 3", "joint.B.type", "unknown type 3"),
    ('name = "pull"', "name = 3", "name = 3", "force.#1.name", "expected a text in quotes"),
    ('name = "pull"', 'name = ""', 'name = ""', "force.#1.name", "got an empty text"),
    ("-speed*v_A", "-speed*v_C", "v_C", "force.pull.law", "there is no name 'v_C'"),
    ('joint = "A"\nposition', 'joint = "C"\nposition', 'joint = "C"', "drive.d.joint", "no joint"),
    ("300 rpm * t", "300 rpm", "position", "drive.d.position", "multiply a rate by t"),
    ("300 rpm * t", "l1 + 2*t", "position", "drive.d.position", "'A' is an angle: expected an"),
    ("300 rpm * t", "300 rpm * s", "position", "drive.d.position", "unknown name 's'"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "at", "where", "words"), TABLE)
def test_a_fault_names_its_element_and_line(old, new, at, where, words):
    """One wrong value is one fault, which names element, key and line, and says the way out."""
    text = FOUR_BAR.replace(old, new, 1)
    assert text != FOUR_BAR
    where = where.replace("top.", "mechanism.four-bar.")
    line = line_of(text, at) - (1 if at == 'name = "B"' else 0)
    faults = [fault for fault in found(text) if "not connected" not in fault[2]]
    assert [fault[:2] for fault in faults] == [(line, tuple(where.split(".")))]
    assert words in faults[0][2]


MANY = """\
korba = 1
gravty = [0, 0]                       # 2: unknown key
plane = "xy"

[parameters]
l1 = "60 mm"
l2 = "2 *"                            # 7: no expression

[[body]]
name = "crank"
mass = "1 m"                          # 11: a length
com = [
    "l2", # not a fault of its own
    0,
]
frame = { orign = [0, 0] }            # 16: unknown key in a part

[[body]]                              # 18: no name
mass = 1

[[joint]]
name = "A"
type = "revolut"                      # 23: unknown type
parent = "ground"
child = "crank"
at = [0, 0]

[[joint]]
name = "A"                            # 29: second of the name
type = "prismatic"
parent = "ground"
child = "crnk"                        # 32: unknown body
at = [0, 0]
axis = [0, 0]                         # 34: no direction

[joint.friction]
coefficient = 0.1
radius = "-1 mm"                      # 38: negative

[[joints]]                            # 40: unknown section
name = "C"
type = "revolute"
parent = "crank"
child = "ground"
att = [0, 0]                          # 45: unknown key
at = [0, 0, 1]                        # 46: out of the plane

[force]                               # 48: a table
name = "push"
type = "point"
body = "crank"                        #     and below: no force, line 48
"""


def test_all_faults_are_reported_together():
    """A file with fifteen faults gives one error that lists all of them with their lines."""
    faults = [(line, ".".join(where)) for line, where, _ in found(MANY)]
    assert faults == [
        (2, "mechanism..gravty"),
        (7, "parameter.l2"),
        (11, "body.crank.mass"),
        (16, "body.crank.frame"),
        (18, "body.#2.name"),
        (23, "joint.A.type"),
        (29, "joint.A.name"),
        (32, "joint.A.child"),
        (34, "joint.A.axis"),
        (38, "joint.A.friction.radius"),
        (40, "mechanism..joints"),
        (45, "joint.C.att"),
        (46, "joint.C.at"),
        (48, "mechanism..force"),
        (48, "force.push.force"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("korba = 2\n[[what]]", 1, "this Korba reads 1, got 2"),
        ("korba = true", 1, "this Korba reads 1, got True"),
        ("a = 1\nb = ]", 2, "is not valid TOML: Invalid value (column 5)"),
        ("a = 1\na = 2", 2, "is not valid TOML: Cannot overwrite a value"),
        ('a = "', 1, "is not valid TOML"),
        ("[[body]\nname = 1", 1, "is not valid TOML"),
        ("a = " + "[" * 5000, None, "nested too deeply"),
        ("a = " + "[" * 50 + "]" * 50, None, "nested too deeply in a.0.0"),
        ("a = " + "{a=" * 5000, None, "nested too deeply"),
        ("a" + ".a" * 5000 + " = 1", 1, "more than 100 parts"),
        ("a = " + "9" * 5000, None, "is not valid TOML: Exceeds the limit"),
        ("a = 0x" + "f" * 5000, None, "an integer has 20000 bits"),
    ],
)
def test_what_is_no_file_at_all(text, line, words):
    """Text that cannot be read at all is one fault with the parser's line."""
    ((found_line, _, message),) = found(text)
    assert found_line == line
    assert words in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("joint = 3", [(1, "expected tables under [[joint]], got 3")]),
        ("[[body]]\nname='b'", [(1, "is not connected to 'ground'")]),
        ("body = [1]", [(1, "expected a table with a name, got 1")]),
        ("parameters = 3", [(1, "expected a table such as [parameters]")]),
        ("joints = 3", [(1, "unknown key 'joints'; did you mean 'joint'?")]),
        ("[bodies]\nname = 'b'", [(1, "did you mean [[body]]?"), (1, "is not connected")]),
        ("x = {y = 1}", [(1, "unknown key 'x'; there are assembly, body")]),
        ("name = 3", [(1, "expected a text in quotes, got 3")]),
    ],
)
def test_wrong_sections(text, expected):
    """Sections that are something else are faults with the way to write them."""
    faults = found(text)
    assert [line for line, _, _ in faults] == [line for line, _ in expected]
    assert all(words in fault[2] for fault, (_, words) in zip(faults, expected, strict=True))


@pytest.mark.parametrize(
    "text", ["", "\n  \n", "# only a comment\n", "\ufeff".encode().decode("utf-8-sig")]
)
def test_an_empty_text_is_refused(text):
    """A text that says nothing is no mechanism."""
    with pytest.raises(FileError, match=r"is empty; a mechanism needs \[\[body\]\]"):
        loads(text)


def test_files_that_cannot_be_read(tmp_path):
    """Missing files, folders and impossible paths are FileErrors with the path."""
    for path, words in [
        (tmp_path / "no.toml", "there is no such file"),
        (tmp_path, "is a folder"),
        ("a\0b", "cannot be read"),
    ]:
        with pytest.raises(FileError, match=words):
            load(path)


def test_a_file_without_permission(tmp_path, monkeypatch):
    """A file that may not be read is a FileError."""

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "secret.toml").write_text(FOUR_BAR)
    monkeypatch.setattr(disk, "_without_waiting", refuse)
    with pytest.raises(FileError, match="check the permissions"):
        load(tmp_path / "secret.toml")


def test_a_large_file_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """The size is checked first; the message has the size and the limit."""
    monkeypatch.setattr(disk, "LARGEST_FILE", 100)
    (tmp_path / "big.toml").write_bytes(b"#" * 101)
    with pytest.raises(FileError, match="has 101 bytes, the most is 100"):
        load(tmp_path / "big.toml")


def test_bytes_that_are_no_utf8(tmp_path):
    """A file in another encoding says at which byte and line."""
    (tmp_path / "latin.toml").write_bytes("korba = 1\nname = 'Ł'\n".encode("iso8859-2"))
    with pytest.raises(FileError, match=r"line 2: is not UTF-8 text: byte 0xa3 at offset 18"):
        load(tmp_path / "latin.toml")


def test_a_byte_order_mark_is_accepted(tmp_path):
    """A mark that some editors put at the start changes nothing."""
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbf" + FOUR_BAR.encode())
    assert load(tmp_path / "bom.toml") == loads(FOUR_BAR)


def test_windows_line_ends_are_accepted(tmp_path):
    """Carriage returns change nothing, nor the lines of faults."""
    (tmp_path / "dos.toml").write_bytes(FOUR_BAR.replace("\n", "\r\n").encode())
    assert load(tmp_path / "dos.toml") == loads(FOUR_BAR)
    ((line, _, _),) = found(FOUR_BAR.replace("inertia", "inertja").replace("\n", "\r\n"))
    assert line == line_of(FOUR_BAR, "inertia")


def test_files_that_cannot_be_written(tmp_path):
    """Saving into a folder that is not there is a FileError, and so is a lone surrogate."""
    with pytest.raises(FileError, match="cannot be written"):
        save(loads(FOUR_BAR), tmp_path / "no" / "a.toml")
    with pytest.raises(FileError, match="which is no character"):
        dumps(Mechanism(description="\ud800"))


def test_a_law_that_would_be_read_differently_is_not_written():
    """A parameter with the name of a coordinate would change the law: saving says so."""
    free = JOINT_TYPES["revolute"]
    m = Mechanism(
        plane="xy",
        bodies=[Body("b"), Body("c")],
        joints=[free("A", "ground", "b", at=(0, 0)), free("B", "ground", "c", at=(0, 0))],
        couplings=[Coupling("k", "B", 2 * variable("A"))],
        parameters={"A": 5},
    )
    with pytest.raises(FileError, match=r"coupling 'k', law: .* would be read as something else"):
        dumps(m)


def test_lines_of_keys():
    """Comments, texts of several lines, brackets, dotted and quoted keys do not confuse lines."""
    text = '''\
a = "[x] # no comment" # [[no]]
b = """
[[no]]
c = 1 \\""" """
d = [ # ]
  "]", {x = 1}, # comment ]
  [1,
e = 2]]
"f g".h = \'\'\'it's
i = 1\'\'\'
[t.u]
k = {l = 1}
[[s]]
m = 1
[[s]]
m = 2
[s.n]
o = 3
[[s.p]]
r = 4
'''
    lines = Lines(text)
    expected = {
        ("a",): 1, ("b",): 2, ("c",): None, ("d",): 5, ("e",): None, ("f g", "h"): 9,
        ("i",): None, ("t", "u", "k"): 12, ("t", "u", "k", "l"): 12, ("s", 0): 13,
        ("s", 0, "m"): 14, ("s", 1): 15, ("s", 1, "m"): 16, ("s", 1, "x"): 15,
        ("s", 1, "n", "o"): 18, ("s", 1, "p", 0): 19, ("s", 1, "p", 0, "r"): 20, (): None,
    }  # fmt: skip
    assert {place: lines(place) for place in expected} == expected


def test_a_thousand_wrong_names_are_told_in_a_page():
    """The text of an error stops at a hundred faults; the error holds all of them."""
    lines = ["[mechanism]"]
    for i in range(1000):
        lines += ["[[body]]", f"name = 'body {i}'", "[[joint]]", f"name = 'j{i}'"]
        lines += ["type = 'revolute'", "parent = 'ground'", f"child = 'bady {i}'", "at = [0, 0, 0]"]
    with pytest.raises(FileError) as caught:
        loads("\n".join(lines))
    text = str(caught.value)
    assert len(caught.value.faults) > 1000
    assert "did you mean 'body 7'?" in text
    assert "more" in text.splitlines()[-1]
    assert len(text) < 20000

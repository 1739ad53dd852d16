"""Parameters of a file, and mechanisms with other sizes."""

import numpy as np
import pytest
from test_toml_round_trip import FOUR_BAR

from korba.errors import FileError, ModelError
from korba.files.toml_file import dumps, load, loads, redimension


def file_with(parameters, **fields):
    """A file with these parameters and a body whose fields use them."""
    own = "\n".join(f"{key} = {value}" for key, value in fields.items())
    return f"""
[parameters]
{parameters}
[[body]]
name = "b"
{own}
[[joint]]
name = "free"
type = "free"
parent = "ground"
child = "b"
"""


def faults_of(text, **overrides):
    with pytest.raises(FileError) as caught:
        loads(text, **overrides)
    return [str(fault) for fault in caught.value.faults]


def test_parameters_may_use_later_ones():
    """The order of parameters does not matter."""
    m = loads(file_with('a = "2*b"\nb = "c + 1 mm"\nc = "60 mm"', com='["a", "b", "c"]'))
    assert m.body("b").com == pytest.approx((0.122, 0.061, 0.06))
    assert [name for name, _ in m.parameters] == ["a", "b", "c"]


def test_parameters_carry_their_units():
    """A length where a mass belongs is a fault, also through a parameter."""
    (fault,) = faults_of(file_with('a = "2 kg"', com='["a", 0, 0]'))
    assert fault.startswith("line 6: body 'b', com: expected a length")


def test_a_bare_number_fits_anything():
    """A parameter without unit is taken in SI wherever it is used."""
    m = loads(file_with("a = 2", com='["a", 0, 0]', mass='"a"'))
    assert m.body("b").com[0] == m.body("b").mass == 2


@pytest.mark.parametrize("new", ["80 mm", 0.08, "8 cm", np.float64(0.08), "0.016*speed"])
def test_redimensioning_is_loading_with_other_sizes(new, tmp_path):
    """`redimension(load(f), l1=x)` equals `load(f, l1=x)`, and the file saved from it loads so."""
    (tmp_path / "m.toml").write_text(FOUR_BAR)
    m = redimension(load(tmp_path / "m.toml"), l1=new)
    assert m == load(tmp_path / "m.toml", l1=new)
    assert m.joint("B").at == pytest.approx((0.08, 0, 0))
    assert dict(m.body("coupler").points)["tip"] == pytest.approx((0.1, 0.16, 0))
    assert loads(dumps(m)) == m
    assert redimension(m, l1="60 mm") == loads(FOUR_BAR)


def test_redimensioning_reports_faults_of_the_new_sizes():
    """Sizes that make no sense are a ModelError that names the element."""
    m = loads(FOUR_BAR)
    with pytest.raises(ModelError, match=r"body 'crank', com: expected a length"):
        redimension(m, l1="2 kg")
    with pytest.raises(ModelError, match=r"there is no parameter 'l3'; did you mean 'l2'\?"):
        redimension(m, l3=1)


def test_an_unknown_override_is_refused():
    """Overriding a parameter that the file does not have names the nearest one."""
    (fault,) = faults_of(FOUR_BAR, sped=3)
    assert fault == "parameter 'sped': there is no parameter 'sped'; did you mean 'speed'?"


def test_circles_are_one_fault_each():
    """Parameters that use each other in a circle are reported once; users of them are not."""
    text = file_with('a = "b"\nb = "2*c"\nc = "a"\nd = "d+1"\ne = "2*a"', com='["a", "e", 0]')
    first, second = faults_of(text)
    assert (
        first
        == "line 3: parameter 'a': goes in a circle: a -> b -> c -> a; give one of them a value"
    )
    assert second.startswith("line 6: parameter 'd': goes in a circle: d -> d")


def test_bad_parameters_do_not_hide_other_faults():
    """A bad parameter is one fault; what uses it is silent, what is wrong beside it is not."""
    text = file_with('a = "2 +"\nok = 1', com='["a", 0, 0]', mass='"1 m"')
    first, second = faults_of(text)
    assert first.startswith("line 3: parameter 'a': cannot read the expression")
    assert second.startswith("line 8: body 'b', mass: expected a mass")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("t = 1", "'t' is the time"),
        ("pi = 3", "means something else"),
        ("sin = 3", "means something else"),
        ("if = 3", "means something else"),
        ('"a b" = 3', "is not a name"),
        ('"" = 3', "is not a name"),
        ("1a = 3", "is not a name"),
        ("a = nan", "got nan"),
        ("a = inf", "got inf"),
        ("a = true", "bool"),
        ("a = [1]", "list"),
        ("a = 1979-05-27", "date"),
        ('a = ""', "empty"),
        ('a = "1/0"', "1/0"),
        ('a = "x"', "unknown name 'x'"),
        ('a = "__import__(1)"', "unknown function"),
    ],
)
def test_what_is_no_parameter(line, words):
    """Names and values that cannot be used are faults at their line."""
    (fault,) = faults_of(file_with(line))
    assert fault.startswith("line 3: parameter ")
    assert words in fault


def test_many_parameters_are_resolved_quickly():
    """A chain of two thousand parameters has no depth limit."""
    chain = "\n".join(f'p{i} = "p{i + 1} + 1"' for i in range(2000)) + "\np2000 = 1"
    assert loads(file_with(chain, mass='"p0"')).body("b").mass == 2001


@pytest.mark.parametrize(
    ("name", "law"),
    [("A", "2*A"), ("v", "-v"), ("q", "q"), ("v_A", "3*v_A")],
)
def test_a_law_may_not_use_a_name_with_two_meanings(name, law):
    """A parameter with the name of a variable of the law that uses it is a fault."""
    text = FOUR_BAR.replace("speed = 5", f"speed = 5\n{name} = 1")
    assert loads(text.replace("-speed*v_A", "2*speed"))
    (fault,) = faults_of(text.replace("-speed*v_A", law))
    assert f"law: {name!r} is a parameter and also a variable" in fault

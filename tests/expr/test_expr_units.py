"""Units: values in SI, dimensions, and what does not fit."""

import math
import subprocess
import sys

import pytest

from korba.errors import ExpressionError
from korba.expr import KINDS, expression, number, variables
from korba.expr.dimensions import Dimension
from korba.expr.units import kind_dimension, unit


@pytest.mark.parametrize(
    ("text", "factor", "base"),
    [
        ("m", 1.0, "m"),
        ("mm", 1e-3, "m"),
        ("µm", 1e-6, "m"),
        ("μm", 1e-6, "m"),
        ("in", 0.0254, "m"),
        ("deg", math.pi / 180, "rad"),
        ("°", math.pi / 180, "rad"),
        ("rev", 2 * math.pi, "rad"),
        ("rpm", math.pi / 30, "rad/s"),
        ("rev/s", 2 * math.pi, "rad/s"),
        ("N", 1.0, "kg*m/s^2"),
        ("N*m/rad", 1.0, "kg*m^2/s^2/rad"),
        ("Nm", 1.0, "kg*m^2/s^2"),
        ("N·m", 1.0, "kg*m^2/s^2"),
        ("kg*m^2", 1.0, "kg*m^2"),
        ("kg*m²", 1.0, "kg*m^2"),
        ("g*mm^2", 1e-9, "kg*m^2"),
        ("m/s^2", 1.0, "m/s^2"),
        ("m/s**2", 1.0, "m/s^2"),
        ("m*s^-2", 1.0, "m/s^2"),
        ("1/s", 1.0, "1/s"),
        ("V/(rad/s)", 1.0, "kg*m^2/s^2/A/rad"),
        ("km/h", 1 / 3.6, "m/s"),
        ("MPa", 1e6, "kg/m/s^2"),
        ("bar", 1e5, "kg/m/s^2"),
        ("%", 0.01, "1"),
        ("kHz", 1000.0, "cycle/s"),
        ("ohm", 1.0, "kg*m^2/s^3/A^2"),
        ("mH", 1e-3, "kg*m^2/s^2/A^2"),
    ],
)
def test_units_in_si(text, factor, base):
    """A unit is worth its factor in SI and has its base units."""
    found, dimension = unit(text)
    assert found == pytest.approx(factor, rel=1e-14)
    assert str(dimension) == base


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_its_own_unit_and_a_bare_number(kind):
    """One SI unit of a kind is 1 of that kind, and so is a bare 1."""
    assert number(f"1 {KINDS[kind]}", kind) == 1.0
    assert number("1", kind) == number(1, kind) == 1.0


def _fit(a, b):
    return unit(a)[1].fits(unit(b)[1])


def test_radians_do_not_decide_but_lengths_do():
    """N*m/rad fits N*m and rad fits 1; an angle is no length, a force no moment."""
    assert _fit("N*m/rad", "N*m")
    assert _fit("rad", "%")
    assert _fit("1/s", "rad/s")
    assert _fit("1/s", "Hz")
    assert not _fit("rad", "m")
    assert not _fit("N", "N*m")


def test_hertz_is_no_angular_velocity():
    """50 Hz is not 50 rad/s, and the error says what to write."""
    assert not _fit("Hz", "rad/s")
    with pytest.raises(ExpressionError, match=r"Hz counts turns.*rpm, rev/s or rad/s"):
        number("50 Hz", "angular velocity")
    with pytest.raises(ExpressionError, match="expected a frequency"):
        number("50 rad/s", "frequency")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("degC", "does not start at zero"),
        ("°F", "does not start at zero"),
        ("dB", "does not start at zero"),
        ("mn", "unknown unit 'mn'; did you mean"),
        ("RPM", "did you mean 'rpm'"),
        ("", "cannot read the unit"),
        ("m//s", "cannot read the unit"),
        ("m^x", "cannot read the unit"),
        ("__class__", "unknown unit"),
    ],
)
def test_units_that_are_refused(text, message):
    """Offset, unknown and malformed units are errors with a way out."""
    with pytest.raises(ExpressionError, match=message):
        unit(text)


def test_dimensions_are_values():
    """Equal dimensions are equal and hash alike, however they were reached."""
    force = unit("kg*m/s^2")[1]
    assert force == unit("N")[1]
    assert hash(force) == hash(unit("N")[1])
    assert force / force == Dimension()
    assert kind_dimension("any") is None


def test_importing_does_not_import_pint():
    """Half a second of pint is paid at the first unit, not before."""
    script = (
        "import sys, korba.expr as e; e.number('2*3', 'number'); assert 'pint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


REFUSED_ANGLES = [
    *("10 mm*t", "5 Hz*t", "2 kg*t^2", "0.1 m*sin(5 rad/s*t)"),
    "5 mm*(1 + 2*t)",
]


@pytest.mark.parametrize("text", REFUSED_ANGLES)
def test_laws_in_time_are_no_angles_whatever_time_counts(text):
    """A length or a count of turns stays one when it is multiplied by t."""
    with pytest.raises(ExpressionError, match="expected an angle"):
        expression(text, "angle", allow=("t",))


FITTING = ["10*t", "t^2", "sin(t)", "300 rpm*t", "10 deg*t^2", "10 deg/s^2*t^2", "exp(-t)"]
SUMS = ["30 deg + 2*t", "2*t - 30 deg + 5 deg*t", "20 deg*sin(2 rad*t) + 10 rpm*t"]


@pytest.mark.parametrize(
    "text", [*FITTING, *SUMS, "60 rpm*(t - 0.5)", "5 deg*(1 + 2*t)", "t - 2 rad", "0.1*t/(2 s)"]
)
def test_laws_in_time_may_leave_units_out(text):
    """Bare numbers and t alone fit every kind; seconds beside t count, written or not."""
    assert "t" in variables(expression(text, "angle", allow=("t",)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "30 deg + 60 mm/s*t",
            r"'60 mm/s\*t' is a length, but '30 deg' is an angle; .* give both as an angle, or as "
            r"numbers in SI \(at character 10\)",
        ),
        ("30 deg + 60 rpm", "'60 rpm' is an angular velocity, .*; multiply a rate by t, as in"),
        ("2*t - 30 deg + 5 mm*t", "'5 mm\\*t' is .* but '2\\*t - 30 deg' is an angle; terms of"),
        ("30 deg*sin(60 mm*t)", "the argument of sin must be an angle or a number, got a length"),
        ("1 if t < 2 mm else 0", "units do not fit together: s and m"),
    ],
)
def test_a_term_that_does_not_fit_is_named(text, message):
    """The error names the term, what it is, what is expected, and the way out."""
    with pytest.raises(ExpressionError, match=message):
        expression(text, "angle", allow=("t",))

"""Quantities are read in the units that a mechanism was written with, rounded to what is known."""

import dataclasses
import re

import numpy as np
import pytest

import korba as kb
from korba.display import number_told
from korba.expr.display_units import KNOWN, DisplayUnits
from korba.expr.units import unit
from korba.model.display_units import display_units

PRESS = """
korba = 1
name = "press"
plane = "xy"
[parameters]
a = "60 mm"
b = "240 mm"
[[body]]
name = "crank"
mass = "2 kg"
com = ["a/2", 0]
[[body]]
name = "rod"
mass = "3 kg"
com = ["b/2", 0]
[[body]]
name = "ram"
mass = "5 kg"
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [0, 0]
[[joint]]
name = "B"
type = "revolute"
parent = "crank"
child = "rod"
at = ["a", 0]
[[joint]]
name = "C"
type = "revolute"
parent = "rod"
child = "ram"
at = ["a + b", 0]
[[joint]]
name = "D"
type = "prismatic"
parent = "ground"
child = "ram"
axis = [1, 0]
at = ["a + b", 0]
[[force]]
name = "press"
type = "point"
body = "ram"
force = ["-50 kN", 0]
[[drive]]
name = "motor"
joint = "A"
position = "60 rpm*t"
"""
"""A press in millimetres, kilonewtons and turns a minute."""
UNITS = (*("mm", "cm", "in", "ft", "deg", "grad", "rpm", "rev/s", "deg/s", "kN", "lbf", "kN*m"),)
UNITS += (*("Nm", "kJ", "J", "kW", "hp", "g", "bar", "N/mm", "kg*mm^2", "mm/s", "km/h", "min"),)


@pytest.fixture(scope="module")
def press():
    """The press, its motion and the forces in it."""
    m = kb.loads(PRESS)
    motion = kb.motion(m, np.linspace(0, 1, 49))
    return m, motion, kb.reactions(m, motion)


@pytest.mark.parametrize(
    ("value", "si", "told"),
    [
        (-50e3, "N", "-50 kN"),
        (2 * np.pi, "rad/s", "60 rpm"),
        (0.1483486223150976, "m", "148.349 mm"),
        (0.01, "m^2", "10000 mm^2"),
        (np.pi / 6, "rad", "30 deg"),
        (3093.03, "N m", "3.09303 kN m"),
        (0.5, "m/s", "500 mm/s"),
        (0.25, "1", "0.25"),
    ],
)
def test_a_quantity_is_told_as_the_file_has_it(press, value, si, told):
    """Kilonewtons, turns a minute, millimetres; what follows from them for other quantities."""
    assert display_units(press[0]).told(value, si) == told


@pytest.mark.parametrize("written", UNITS)
@pytest.mark.parametrize("si", KNOWN)
def test_numbers_are_the_same_in_any_unit(written, si):
    """A number with its unit is the quantity itself, whatever units were written."""
    shown = DisplayUnits.of([written])
    own = shown.unit(si).replace(" ", "*")
    factor, dimension = unit(own)
    assert dimension.fits(unit(si.replace(" ", "*"))[1])
    assert float(shown.values(1.25, si)) * factor == pytest.approx(1.25, rel=1e-14)


def test_the_commonest_unit_counts_and_what_is_asked_comes_first():
    """Two lengths in mm and one in m are mm; a question in inches is answered in inches."""
    m = kb.linkages.four_bar("50 mm", "0.12 m", "90 mm", "130 mm")
    assert display_units(m).told(0.254, "m") == "254 mm"
    assert display_units(m, "3 in").told(0.254, "m") == "10 in"


def test_texts_of_python_count_and_are_kept():
    """Elements made in Python are read in their units too, after a value was replaced as well."""
    rod = kb.Body("rod", mass="200 g", com=("80 mm", 0))
    joint = kb.Revolute("A", "ground", "rod", at=(0, 0))
    m = kb.Mechanism("m", [rod], [joint], plane="xy")
    for each in (m, dataclasses.replace(m, bodies=[dataclasses.replace(rod, mass=0.3)])):
        assert display_units(each).told(0.3, "kg") == "300 g"
        assert display_units(each).told(0.3, "m") == "300 mm"


def test_without_units_angles_are_in_degrees_and_the_rest_in_si():
    """A file of plain numbers says nothing about units."""
    m = kb.Mechanism("m", [kb.Body("rod", 1.0)], [kb.Revolute("A", "ground", "rod", at=(0, 0))])
    told = [display_units(m).told(1.0, si) for si in ("m", "N", "kg", "m/s")]
    assert told == ["1 m", "1 N", "1 kg", "1 m/s"]
    assert display_units(m).told(np.pi, "rad") == "180 deg"
    assert display_units(m).told(3.0, "rad/s") == "3 rad/s"


@pytest.mark.parametrize(
    ("x", "digits", "told"),
    [
        (-5e4, 1, "-50000"),
        (51655.5, 4, "51660"),
        (0.1483486223150976, 6, "0.148349"),
        (999999.7, 6, "1000000"),
        (1e7, 6, "1e+07"),
        (2.5e-9, 6, "2.5e-09"),
        (-0.0, 6, "0"),
        (float("nan"), 6, "nan"),
    ],
)
def test_numbers_have_no_exponent_near_one(x, digits, told):
    """Digits that are known, and zeros before or behind them."""
    assert number_told(x, digits) == told


@pytest.mark.parametrize("digits", [3, 6, 9])
def test_numbers_are_rounded_to_their_digits(digits):
    """What is told is within half a unit of its last digit."""
    for x in np.exp(np.random.default_rng(5).uniform(-20, 20, 200)):
        assert float(number_told(x, digits)) == pytest.approx(x, rel=0.5001 * 10.0 ** (1 - digits))


def test_a_motion_is_told_and_tabled_in_these_units(press):
    """Degrees, millimetres and turns a minute, and 0 for what is rounding."""
    _, motion, _ = press
    told = str(motion)
    for each in ("A        360 deg", "v_A      60 rpm", "D        0 mm", "v_D      0 mm/s"):
        assert f"{each} at the end" in told
    assert "e-1" not in "".join(line for line in told.splitlines() if "at the end" in line)
    rows = {row[0]: row[1:] for row in motion._table().rows}
    assert rows["D"][0] == "mm" and rows["D"][3] == pytest.approx(-120.0, abs=0.5)
    assert rows["v_A"][0] == "rpm" and rows["v_A"][1:] == pytest.approx((60.0,) * 4)


def test_data_of_a_motion_stay_in_si(press):
    """Arrays, dictionaries and units of columns are for programs."""
    _, motion, _ = press
    assert motion.units["v_A"] == "rad/s"
    assert motion["v_A"][-1] == pytest.approx(2 * np.pi)


def test_forces_are_told_with_units_of_drives_too(press):
    """Kilonewtons; the force or moment of a drive has its unit."""
    told = str(press[2])
    assert "51.65 kN" in told and "drive motor: " in told
    assert told.rstrip().endswith("kN m")
    assert " 0 kN m" in told, "moments of pins are none"


def test_sweeps_and_optima_are_told_in_units_of_their_sizes():
    """Millimetres of sizes and strokes, and square millimetres of distances squared."""
    m = kb.loads(PRESS)
    swept = kb.sweep(m, {"b": ["220 mm", "260 mm"]}, "stroke of D")
    assert swept.told(0, "stroke of D") == "stroke of D: 120 mm with b = 220 mm"
    assert "mm" in str(swept) and swept.units["b"] == "m"
    bar = kb.linkages.four_bar("50 mm", "120 mm", "90 mm", "130 mm")
    body = bar.bodies[1]
    goal = kb.path_goal(
        bar, f"{body.name}.{body.points[1][0]}", [(0.05, 0.0), (0.0, 0.05), (-0.05, 0.01)]
    )
    best = kb.optimise(bar, goal, {"b": ("100 mm", "140 mm")}, count=5)
    assert " mm^2 with b = " in str(best) and "mm\n" in str(best)
    assert best.units[best.objective] == "m^2"


def test_axes_of_plots_are_in_these_units(press):
    """Columns by quantity, their values with them; degrees or radians where asked for."""
    _, motion, forces = press
    picture = kb.plot(motion, over="A")
    axes = {panel.y.partition(", ")[2] for panel in picture.panels}
    assert axes == {"deg", "mm", "rpm", "mm/s", "rad/s²", "mm/s²"}
    assert {panel.x for panel in picture.panels} == {"A, deg"}
    (speed,) = kb.plot(motion, columns="v_A").panels
    assert speed.lines[0].y == pytest.approx(60.0)
    (turned,) = kb.plot(motion, columns="v_A", degrees=False).panels
    assert turned.y == "v_A, rad/s" and turned.lines[0].y == pytest.approx(2 * np.pi)
    labels = {panel.y for panel in kb.plot(forces, along=motion).panels}
    assert {"force, kN", "moment, kN m"} <= labels


def test_prints_of_the_press_have_its_units(press):
    """The mechanism, its range, positions, modes, efforts of drives, steady turns."""
    m, motion, _ = press
    assert "centre of mass (mm)" in str(m)
    assert "A = 30 deg" in str(kb.assemble(m, {"A": "30 deg"}))
    assert "-9.92085778 mm" in str(kb.configurations(m, {"A": "30 deg"}))
    effort = str(kb.driving_forces(m, motion)).splitlines()[-1].split()
    assert effort[0] == "motor" and effort[2:4] == effort[5:7] == ["kN", "m"]
    wheel = str(kb.flywheel(m, "A", 0.05, speed=200.0))
    assert " rpm at " in wheel and " rad" not in wheel and wheel.count("deg") == 2


def test_a_range_between_limits_is_told_in_degrees():
    """A rocker that cannot turn fully."""
    m = kb.linkages.four_bar("60 mm", "50 mm", "40 mm", "110 mm", at="10 deg")
    told = str(kb.input_range(m, "A"))
    low, high = (float(line.split("from ")[-1].split("to ")[-1].split(" deg")[0])
                 for line in told.splitlines()[:2])  # fmt: skip
    own = kb.input_range(m, "A")
    assert (low, high) == pytest.approx(np.degrees(own.ends), rel=1e-5)


def test_a_drawing_tells_values_in_these_units(press):
    """Speeds in turns a minute, scales in kilonewtons, moments in kN m."""
    picture = kb.draw(press[1], 8, reactions=True, driving=True, angular_velocities=True)
    for text in ("60 rpm", "20 kN", " kN m"):
        assert text in picture
    assert "e+0" not in picture and " rad/s" not in picture


@pytest.mark.parametrize("ends", [("90 mm", "150 mm"), ("105 mm", "150 mm"), ("9 cm", "0.15 m")])
def test_a_saved_best_design_has_digits_that_say_something(tmp_path, ends):
    """Sizes are in the file's unit with few digits, and the design is as good as the best."""
    bar = kb.linkages.four_bar("50 mm", "120 mm", "90 mm", "130 mm")
    bounds = {"b": ends, "c": ("70 mm", "110 mm")}
    keep = ["transmission angle >= 45 deg", "a + d <= b + c"]
    best = kb.optimise(bar, "-stroke", bounds, constraints=keep, count=60)
    kb.save(best.mechanism, tmp_path / "best.toml")
    saved = kb.load(tmp_path / "best.toml")
    for name, text in saved.parameters:
        assert re.fullmatch(r"\d{2,3}(\.\d{1,10})? mm", text) or name not in bounds, text
    assert best.parameters == pytest.approx(
        {name: float(dict(saved.parameters)[name].split()[0]) / 1000 for name in bounds}, rel=1e-12
    )
    moved = kb.sweep(saved, {"b": [best.parameters["b"]]}, ["stroke", "transmission angle"])
    assert moved["stroke"][0] == pytest.approx(best.value, rel=1e-9)
    assert moved["transmission angle"][0] >= np.deg2rad(45) - 1e-8


def test_designs_of_a_sweep_are_in_the_units_of_the_file():
    """Twelve digits of a size, in its unit."""
    bar = kb.linkages.four_bar("50 mm", "120 mm", "90 mm", "130 mm", at="30 deg")
    swept = kb.sweep(bar, {"b": [0.12, 0.1483486223150976], "at": [0.5]}, "transmission angle")
    told = [dict(swept.design(k).parameters) for k in (0, 1)]
    assert [each["b"] for each in told] == ["120 mm", "148.348622315 mm"]
    assert told[0]["at"] == "28.6478897565 deg"


def test_open_loops_are_told_in_the_units_of_the_file():
    """What is apart, the lengths between and what would have to change are in millimetres."""
    bar = kb.linkages.four_bar("50 mm", "120 mm", "90 mm", "130 mm")
    with pytest.raises(kb.AssemblyError, match=r"D = 170 deg") as caught:
        kb.assemble(bar, {"D": "170 deg"})
    assert not re.search(r"\d m\b", str(caught.value))
    with pytest.raises(kb.ModelError, match=r" mm apart, and the links .* 20 mm") as caught:
        kb.redimension(bar, b="20 mm", c="20 mm")
    assert not re.search(r"\d m\b", str(caught.value))

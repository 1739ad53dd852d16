"""Designs run in lanes like starts do, each as its own mechanism would."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.system import store

PENDULA = """
korba = 1
name = "two pendula"
plane = "xy"
[parameters]
length = "0.5 m"
heavy = "1 kg"
drag = "0.05 N*m*s"
[[body]]
name = "upper"
mass = "heavy"
com = [0, "-length/2"]
inertia = "heavy*length^2/12"
[[body]]
name = "lower"
mass = "0.7 kg"
com = [0, "-1.5*length"]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "upper"
at = [0, 0]
damping = "drag"
[[joint]]
name = "B"
type = "revolute"
parent = "upper"
child = "lower"
at = [0, "-length"]
[[force]]
name = "spring"
type = "joint"
joint = "B"
stiffness = "heavy*2 N*m/rad/kg"
"""


@pytest.mark.parametrize(
    "how",
    [{}, {"method": kb.Method("rk4", step=0.005)}, {"method": kb.Method("symplectic", step=0.005)}],
    ids=str,
)
def test_a_design_moves_as_its_mechanism(how):
    """Every lane of a batch of designs is the run of the redimensioned mechanism."""
    m = kb.loads(PENDULA)
    lengths, heavy, tau = np.array([0.3, 0.5, 0.9]), np.array([[1.0], [4.0]]), [0.1, 0.2]
    about = {"until": 0.5, "q": {"A": 0.7}, "tau": tau, "times": 6, **how}
    moved = kb.simulate(m, **about, parameters={"length": lengths, "heavy": heavy})
    assert moved.q.shape == (2, 3, 6, 2)
    assert np.max(moved.audit.energy) < 1e-5
    one = kb.simulate(kb.redimension(m, length=0.9, heavy=4.0), **about)
    assert_allclose(moved.q[1, 2], one.q, atol=1e-8)
    assert_allclose(moved.a[1, 2], one.a, atol=1e-6)
    assert_allclose(moved.run((1, 2))["potential"], one["potential"], atol=1e-7)
    places = [x.point("lower", (0, -1.0)).position for x in (moved, moved.run((1, 2)), one)]
    assert_allclose(places[0][1, 2], places[2], atol=1e-8)
    assert_allclose(places[1], places[2], atol=1e-8)


def test_one_design_is_one_run():
    """A single design gives a single run; all in other units than the file's."""
    m = kb.loads(PENDULA)
    moved = kb.simulate(m, 0.2, q=[0.4, 0.1], times=5, parameters={"length": "30 cm"})
    assert moved.q.shape == (5, 2)
    one = kb.simulate(kb.redimension(m, length=0.3), 0.2, q=[0.4, 0.1], times=5)
    assert_allclose(moved.q, one.q, atol=1e-9)
    assert_allclose(moved.body("lower").position, one.body("lower").position, atol=1e-9)


def test_a_new_design_is_not_compiled_again(monkeypatch):
    """What ran with a size as an input runs every redimensioned mechanism."""
    m = kb.loads(PENDULA)
    kb.simulate(m, 0.2, q=[0.4, 0.1], parameters={"length": [0.3, 0.4]})
    expected = kb.simulate(kb.redimension(kb.loads(PENDULA), length=0.6), 0.2, q=[0.4, 0.1])
    design = kb.redimension(m, length="60 cm")
    monkeypatch.setattr(store, "compile_cached", None)
    assert_allclose(kb.simulate(design, 0.2, q=[0.4, 0.1]).q[-1], expected.q[-1], atol=1e-9)


FOUR_BAR = """
korba = 1
name = "four-bar"
plane = "xy"
points = {{ A = [0, 0], D = ["g", 0] }}
[parameters]
g = "1.3 m"
a = "0.5 m"
b = "1.2 m"
[[body]]
name = "crank"
mass = 1
inertia = 0.02
points = {{ A = [0, 0], B = ["a", 0] }}
[[body]]
name = "coupler"
mass = 1
inertia = 0.1
points = {{ B = [0, 0], C = ["b", 0] }}
[[body]]
name = "rocker"
mass = 1
inertia = 0.1
points = {{ D = [0, 0], C = [1, 0] }}
[[joint]]
name = "A"
type = "revolute"
parent = "ground.A"
child = "crank.A"
{crank}
[[joint]]
name = "B"
type = "revolute"
parent = "crank.B"
child = "coupler.B"
{sketch}
[[joint]]
name = "C"
type = "{tip}"
parent = "coupler.C"
child = "rocker.C"
{end}
[[joint]]
name = "D"
type = "revolute"
parent = "ground.D"
child = "rocker.D"
{more}
"""
DRIVE = """
[[drive]]
name = "motor"
type = "joint"
joint = "A"
position = "1 rad + 2 rad/s*t"
"""
WAYS = {
    "a sketch": {"sketch": "at = [0, 0.5]", "end": "at = [1, 0.9]"},
    "a crank is drawn": {"crank": 'drawn = "90 deg"'},
    "a crank is driven": {"more": DRIVE},
    "more is free": {"tip": "pin-in-slot", "end": "axis = [1, 0.2]", "crank": 'drawn = "70 deg"'},
}


@pytest.mark.parametrize("said", WAYS.values(), ids=WAYS)
def test_designs_start_as_they_are_drawn(said):
    """Without q a design with loops begins in the drawing that its own mechanism has."""
    parts = {"crank": "", "sketch": "", "end": "", "more": "", "tip": "revolute"}
    m = kb.loads(FOUR_BAR.format(**parts | said))
    a, b = np.array([0.4, 0.5, 0.65]), np.array([1.1, 1.2, 1.4])
    moved = kb.simulate(m, 0.01, method=kb.Method("rk4", step=0.01), parameters={"a": a, "b": b})
    for k in range(3):
        design = kb.redimension(m, a=float(a[k]), b=float(b[k]))
        drawn = np.concatenate([joint.drawn_coordinates for joint in design.joints])
        assert_allclose(moved.q[k, 0], drawn, rtol=0, atol=1e-12)
    assert np.max(moved.audit.residual) < 1e-10


RSSR = """
korba = 1
name = "RSSR"
points = { A = [0, 0, 0], D = [1, 0.2, 0] }
[parameters]
a = "0.3 m"
b = "1.1 m"
[[body]]
name = "crank"
mass = 1
inertia = [0.02, 0.02, 0.02]
points = { A = [0, 0, 0], B = ["a", 0, 0] }
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
points = { B = [0, 0, 0], C = ["b", 0, 0] }
[[body]]
name = "rocker"
mass = 1
inertia = [0.1, 0.1, 0.1]
points = { D = [0, 0, 0], C = [0, 0.6, 0] }
[[joint]]
name = "A"
type = "revolute"
parent = "ground.A"
child = "crank.A"
axis = [0, 0, 1]
[[joint]]
name = "B"
type = "spherical"
parent = "crank.B"
child = "rod.B"
[[joint]]
name = "C"
type = "spherical"
parent = "rod.C"
child = "rocker.C"
[[joint]]
name = "D"
type = "revolute"
parent = "ground.D"
child = "rocker.D"
axis = [1, 0, 0]
"""


def test_designs_in_space_start_as_they_are_drawn():
    """The same with balls, whose quaternions stay unit."""
    m = kb.loads(RSSR)
    how = {
        "method": kb.Method("rk4", step=0.01),
        "parameters": {"a": [0.28, 0.35], "b": [1.05, 1.2]},
    }
    moved = kb.simulate(m, 0.01, **how)
    design = kb.redimension(m, a=0.35, b=1.2)
    drawn = np.concatenate([joint.drawn_coordinates for joint in design.joints])
    assert_allclose(moved.q[1, 0], drawn, rtol=0, atol=1e-12)


@pytest.mark.parametrize("said", ["a sketch", "a crank is drawn"])
def test_designs_that_do_not_close_are_named(said):
    """Which of many it is, and with which sizes."""
    parts = {"crank": "", "sketch": "", "end": "", "more": "", "tip": "revolute"}
    m = kb.loads(FOUR_BAR.format(**parts | WAYS[said]))
    how = {"method": kb.Method("rk4", step=0.01), "parameters": {"a": [0.4, 5.0], "b": 1.2}}
    with pytest.raises(kb.SimulationError, match=r"1 of 2 runs .* the first, 1, .* with a = 5, b"):
        kb.simulate(m, 0.01, **how)


def test_a_wrong_design_is_refused():
    """As in every verb."""
    with pytest.raises(kb.StructureError, match="no parameter 'size'"):
        kb.simulate(kb.loads(PENDULA), 0.1, parameters={"size": 1.0})

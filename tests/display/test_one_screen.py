"""Every public value shows itself in one screen, and results as a table or picture."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import korba as kb
from korba.display import Displayed, Drawing

FOUR_BAR = kb.loads("""
name = "four-bar <A & B>"
plane = "xy"
body = [
  {name = "crank", mass = 1, com = [0, 0.1], inertia = 0.1},
  {name = "coupler", mass = 1, com = [0.3, 0.3], inertia = 0.1, points = {tip = [0.3, 0.5]}},
  {name = "rocker", mass = 1, com = [0.6, 0.2], inertia = 0.1},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = [0, 0.2]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = [0.5, 0.5]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = [0.8, 0]},
]
drive = [{name = "motor", type = "joint", joint = "A", position = "10*t"}]
""")
ARM = kb.loads("""
name = "arm"
plane = "xy"
body = [
  {name = "upper", mass = 1, com = [0.5, 0], inertia = 0.1},
  {name = "lower", mass = 1, com = [1.5, 0], inertia = 0.1},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "upper", at = [0, 0]},
  {name = "B", type = "revolute", parent = "upper", child = "lower", at = [1, 0]},
]
force = [{name = "brake", type = "joint", joint = "B", damping = 0.1}]
""")
Q = np.random.default_rng(0).uniform(-1, 1, (3, 500, 2))


@cache
def moved():
    return kb.motion(FOUR_BAR, np.linspace(0, 0.6, 999))


def joint(kind):
    more = {"lead": 0.1} if kind == "screw" else {}
    if kind.startswith("gear"):
        rack = kind == "gear-rack"
        more = {"radius": 1.0} if rack else {"parent_radius": 1.0, "child_radius": 0.5}
    if kind.endswith(("wheel", "ball")) or kind in ("wheel-on-plane", "ball-on-plane"):
        more = {"radius": 0.5}
    return kb.JOINT_TYPES[kind]("J", "ground", "b", **more)


def four_bar_of_the_course():
    return kb.course.four_bar((0.2, 0.6, 0.6, 0.8), np.linspace(0, 1, 500), method="vectors")


VALUES = {
    "mechanism": lambda: FOUR_BAR,
    "body": lambda: FOUR_BAR.bodies[1],
    "long body": lambda: kb.Body("b", points={f"p{i}": (i, 0, 0) for i in range(500)}),
    "drive": lambda: FOUR_BAR.drives[0],
    "force": lambda: ARM.forces[0],
    "curve": lambda: kb.Curve(np.linspace(0, 1, 500), np.linspace(0, 1, 500) ** 2),
    "coupling": lambda: kb.Coupling("gear", "B", "2*A"),
    "frame": lambda: kb.Frame((1, 2, 3)),
    "shape": lambda: kb.Shape("box", (1, 1, 1)),
    "friction": lambda: kb.Friction(0.1, radius=0.01),
    "rotor": lambda: kb.Rotor(100, 0.1),
    "DH row": lambda: kb.DHRow(a=1),
    **{
        f"joint {kind}": lambda kind=kind: joint(kind)
        for kind in kb.JOINT_TYPES
        if "cam" not in kind
    },
    "mobility": lambda: kb.mobility(FOUR_BAR),
    "groups": lambda: kb.groups(FOUR_BAR),
    "rational variants": lambda: kb.rational_variants(FOUR_BAR),
    "pairs": kb.course.pairs,
    "pair": lambda: kb.course.pairs("2RS")[0],
    "knots": lambda: kb.course.knots(FOUR_BAR),
    "knot": lambda: kb.course.knots(FOUR_BAR)[0],
    "size deviations": lambda: kb.size_deviations(
        FOUR_BAR, "A", [0.0, 0.1], {("crank", "B", "rx"): "1 mrad"}, stiffness={"A": (1e8, 1e4)}
    ),
    "placement matrix": lambda: kb.course.placement_matrix(FOUR_BAR),
    "loops": lambda: kb.course.loops(FOUR_BAR)[0],
    "grashof": lambda: kb.grashof(FOUR_BAR)[0],
    "configuration": lambda: kb.assemble(FOUR_BAR, {"A": 0.3}),
    "configurations": lambda: kb.configurations(FOUR_BAR, {"A": 0.3}),
    "positions": lambda: kb.assemble(FOUR_BAR, {"A": np.linspace(0, 1, 500)}),
    "reached": lambda: kb.inverse_kinematics(ARM, "lower", (1.2, 0.8), point=(2, 0)),
    "motion": moved,
    "body motion": lambda: moved().body("coupler"),
    "point motion": lambda: moved().point("coupler", "tip"),
    "audit": lambda: moved().audit,
    "simulation": lambda: kb.simulate(ARM, 5.0),
    "effort": lambda: kb.simulate(ARM, 5.0).effort,
    "batch": lambda: kb.simulate(ARM, 0.1, q=Q[0]),
    "programmed motion": lambda: kb.programmed_motion(
        ARM, [0, 0.1], body="lower", point=(2, 0), direction=(-1, 1), speed="t", q=[0.3, 1]
    ),
    "semi-canonical": lambda: kb.papers.semi_canonical(ARM, 0.1, step=0.01, q=[0, 1], v=[0, 0]),
    "semi-canonical state": lambda: kb.papers.semi_canonical_state(ARM, [0, 1], v=[0, 0]),
    "congruency": lambda: kb.papers.congruency(ARM, *Q),
    "lagrange terms": lambda: kb.papers.lagrange_terms(
        kb.from_dh([{"a": 1}, {"a": 1}]), [0, 1], [0, 0]
    ),
    "energy": lambda: kb.energy(ARM, Q[0], Q[1]),
    "joint wrenches": lambda: kb.reactions(ARM, *Q),
    "joint wrench": lambda: kb.reactions(ARM, *Q)["A"],
    "cross-check": lambda: kb.crosscheck(ARM, states=2),
    "verb": lambda: kb.inverse_dynamics,
    "compiled": lambda: kb.compile(kb.inverse_dynamics, ARM),
    "program": lambda: kb.derivative(kb.inverse_dynamics, ARM, "q"),
    "operations": lambda: kb.operations(kb.inverse_dynamics, ARM),
    "input range": lambda: kb.input_range(FOUR_BAR, "A"),
    "coupler curve": lambda: kb.coupler_curve(FOUR_BAR, "coupler", "tip", coordinate="A"),
    "singularities": lambda: kb.singularities(moved()),
    "transmission angle": lambda: kb.transmission_angle(moved()),
    "instant centres": lambda: kb.course.instant_centres(moved(), 3),
    "velocity plan": lambda: kb.course.velocity_plan(moved(), 3),
    "groupwise motion": lambda: kb.course.groupwise_motion(moved(), 3),
    "absolute motion": lambda: kb.course.absolute_motion(FOUR_BAR, np.linspace(0, 0.1, 11)),
    "absolute system": lambda: kb.course.absolute_system(FOUR_BAR),
    "structure graph": lambda: kb.draw(FOUR_BAR, graph=True),
    "plan drawing": lambda: kb.draw(kb.course.velocity_plan(moved(), 3)),
    "centre drawing": lambda: kb.draw(kb.course.instant_centres(moved(), 3)),
}


@pytest.mark.parametrize("name", VALUES)
def test_repr_is_a_few_lines_without_addresses(name):
    """At most eight lines and 800 characters, and nothing of where it lies in memory."""
    text = repr(VALUES[name]())
    assert len(text.splitlines()) <= 8
    assert len(text) <= 800
    assert not re.search(r"0x[0-9a-f]{6,}", text)


@pytest.mark.parametrize("name", VALUES)
def test_notebooks_show_escaped_html_or_a_picture(name):
    """A table or report in HTML has no markup from names; a drawing is SVG."""
    value = VALUES[name]()
    if isinstance(value, Drawing):
        assert value._repr_svg_().startswith("<svg")
        assert isinstance(value, str)
    elif isinstance(value, Displayed):
        html = value._repr_html_()
        assert html.startswith(("<table>", "<pre>"))
        assert "<A & B>" not in html


def test_tables_of_results_are_tables():
    """Trajectories and configurations are shown as tables with their values."""
    for name, cell in (("motion", "<td>v_A</td>"), ("configuration", "<td>17.1887 deg</td>")):
        html = VALUES[name]()._repr_html_()
        assert html.startswith("<table>")
        assert cell in html


def test_a_long_value_is_cut_not_wrapped_for_ever():
    """Fields that do not fit into eight lines end in dots."""
    points = {"a" * 60 + str(i): (0.1, 0.2, 0.3) for i in range(5)}
    text = repr(kb.Body("b" * 300, points=points))
    assert len(text.splitlines()) <= 8

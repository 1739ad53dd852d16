"""Loops are closed, and followed, in `positions` and nowhere else: every other iteration is listed.

What is looked for are loops of Python in which something is solved or closed, and routines of
Newton's method that go into programs.
"""

import ast
import dataclasses

import numpy as np
import pytest
from sources import MODULES, PACKAGE
from test_one_place_for_loops import FREE_ROOMS, pieces

import korba as kb
from korba.positions.allowed import allowed
from korba.positions.closed import closed
from korba.positions.follow import Along, follow, on_line
from korba.positions.loop_system import loop_system
from korba.positions.loops import Loops

FOUR_BAR = """
plane = "xy"
body = [{name = "crank"}, {name = "coupler"}, {name = "rocker"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = [0, 0.2]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = [0.5, 0.5]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = [0.8, 0]},
]
"""

LOOPED = {
    *("solve", "lstsq", "pinv", "inv", "spsolve", "solve_ivp", "least_solution", "least_step"),
    *(
        "newton",
        "newton_steps",
        "least_steps",
        "least_steps_of_lanes",
        "closed",
        "solved",
        "follow",
    ),
    *("_inverse", "closed_in_stages"),
}
"""Calls that make an iteration, or a continuation, of a loop."""
ROUTINES = {"contracted", "grown", "closing_step"}
"""Calls that bring Newton's method into a program."""

BOOK = "the book's own method"
MASSES = "masses, currents or forces, not positions"
POLYNOMIALS = "zeros of polynomials"
BODIES = "poses of bodies, from which structure counts"
ASKS = "asks positions at every step"
REASONS = {
    "course/absolute/system.py AbsoluteSystem.closed: solved": BOOK,
    "course/dh/loop.py polished: lstsq": BOOK,
    "course/loop_methods.py newton_raphson: newton": BOOK,
    "course/plane/groups_in_motion.py solved_groups: solved": BOOK,
    "design/solvers.py _marquardt: solve": "sizes of a design, not positions",
    "dynamics/identifiable.py Identifiable.refined: lstsq": MASSES,
    "dynamics/regrouping.py _solved: _inverse": MASSES,
    "machine/collocation.py Marching._at_once: solve": "speeds over a cycle",
    "machine/collocation.py Marching._panel: solve": "speeds over a cycle",
    "machine/counterweights.py Problem._stepped: lstsq": MASSES,
    "machine/equilibrium.py _from: lstsq": "forces along the motions that loops allow",
    "machine/run_up.py Running._trajectory: closed": ASKS,
    "papers/lagrange.py _steps: solve": "the paper's own method",
    "simulation/projection.py closer: closing_step": "a step in a run's own program, by its drives",
    "solve/configuration.py assembled: newton": ASKS,
    "solve/designs.py Lanes.fill: solve solved": ASKS,
    "solve/homotopy.py _least_squares: lstsq": POLYNOMIALS,
    "solve/motion.py _followed: follow": ASKS,
    "solve/programmed/motion.py Arm.on_path: _inverse": "a point of an open arm, not loops",
    "solve/reach.py _pulled: least_step": "along freedoms that a target leaves",
    "solve/written_loops.py motion_routine: contracted": ASKS,
    "structure/deviations.py _fitted: least_solution": "least energy of what gives way",
    "structure/finite.py driven_to: closed": BODIES,
    "verbs/forces/friction.py with_friction: grown": MASSES,
}
"""Every function outside of FREE_ROOMS that iterates, with what, and why it may."""


def called(node: ast.AST) -> set[str]:
    """The names of all functions and methods that a piece of source calls."""
    found = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
    return {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in found}


def iterated(node: ast.AST) -> list[str]:
    """What a function iterates, sorted."""
    loops = [each for each in ast.walk(node) if isinstance(each, ast.For | ast.While)]
    found = set[str]().union(*map(called, loops)) & LOOPED
    return sorted(found | (called(node) & ROUTINES))


def iterations(source: str, path: str) -> list[str]:
    """`path function: names` of every function of a module that iterates."""
    found = [(name, iterated(node)) for name, node in pieces(source)]
    return [f"{path} {name}: {' '.join(own)}" for name, own in found if own]


def iterations_of_the_house() -> list[str]:
    """The same of all modules outside of FREE_ROOMS."""
    paths = {path: path.relative_to(PACKAGE).as_posix() for path in MODULES}
    own = [(path, name) for path, name in paths.items() if name.split("/")[0] not in FREE_ROOMS]
    return [line for path, name in own for line in iterations(path.read_text("utf-8"), name)]


def test_loops_are_closed_in_positions_or_for_a_reason():
    """A new iteration asks `positions`; one that is gone leaves the table."""
    assert sorted(iterations_of_the_house()) == sorted(REASONS)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (
            "def f(J, phi):\n    while phi:\n        q = q + np.linalg.solve(J, -phi)",
            "x.py f: solve",
        ),
        (
            "class C:\n    def f(s):\n        for t in s:\n            s.newton(t)",
            "x.py C.f: newton",
        ),
        ("def f(step, q):\n    return contracted(step, q, 0, 1)", "x.py f: contracted"),
    ],
)
def test_iterations_are_found(source, line):
    """Loops with a solver, in functions and methods, and routines."""
    assert iterations(source, "x.py") == [line]


def test_what_is_solved_once_is_no_iteration():
    """A linear system outside of loops is not listed."""
    assert iterations("def f(J, phi):\n    return np.linalg.solve(J, phi)", "x.py") == []


def test_four_things_are_done_with_loops():
    """`Loops` is frozen; what is allowed, closed, followed or made of dyads is asked with it."""
    system = loop_system(kb.loads(FOUR_BAR), ("A",))
    assert isinstance(system, Loops)
    with pytest.raises(dataclasses.FrozenInstanceError):
        system.held = ()
    q, gap = closed(system, system.drawn, np.array([0.3]))
    assert gap <= system.rounding
    assert allowed(system, q).rank == system.tree.nv
    along = Along(system, on_line(np.array([0.3]), np.array([0.5]), 0.0))
    nodes = follow(along, q, 0.0, 1.0)
    assert nodes.complete
    there = closed(system, q, np.array([0.8]))[0]
    assert np.allclose(nodes.q[-1], there, atol=1e-9)
    assert len(system.dyads.chains) == 1
    rows = closed(system, np.stack([q, there]), np.array([0.8]))[0]
    assert np.allclose(rows, there, atol=1e-9)

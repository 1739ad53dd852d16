"""Every kind of load: numbers and symbols agree, and what it says of itself holds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program, trace
from korba.forces.loads import depends_on_time, loads_at, own_rates, own_starts, own_states
from korba.model.forces import FORCE_TYPES
from korba.system.tree import tree_of

CATALOGUE = [
    kb.Controller("f", "2*v_B - x*t", {"x": "A - x + t"}, starts={"x": 0.5}, low=-3, high=3),
    kb.PID("f", "A", "sin(t)", p=2, i=0.3, d=0.1, filter=0.02, low=-2, high=2),
    kb.Sensor("f", "b", (0.1, 0.2, 0.3), (1, 2, 0)),
    kb.JointForce("f", "A", stiffness=3, rest=0.2, damping=0.5, law="2*t - B*v_A + q*v"),
    kb.Bushing("f", "a", (1, 0, 0), "b", (0.9, 0.1, 0), np.diag(range(1, 7)) + 0.1, [0.1] * 6),
    kb.Bushing("f", "ground", (1, 0, 0), "b", (0.9, 0.1, 0), [1, 2, 3, 40, 50, 60]),
    kb.Moment("f", "b", ("A", "t", 1), "body"),
    kb.Moment("f", "b", ("A", "t", 1), "body", "a"),
    kb.Rope("f", "b", (0.1, 0.2, 0.3), "ground", (1, 0, 0), 50),
    kb.SeriesSpring("f", "b", (0.1, 0.2, 0.3), "ground", (1, 0, 0), 50, 3),
    kb.Spring("f", "b", (0.1, 0.2, 0.3), "ground", (1, 0, 0), curve=kb.Curve((0, 1, 3), (0, 2, 9))),
    kb.Motor("f", "B", "12*t", torque_constant=0.05, resistance=2, inductance=0.1, ratio=10),
    kb.PointForce("f", "b", ("A", "v_B", "sin(t)"), (0.3, -0.2, 0.4)),
    kb.Spring("f", "b", (0.1, 0.2, 0.3), "ground", (1, 0, 0), 50, 0.2, 3, law="t*l - v"),
    kb.Spring("f", "b", (0.1, 0.2, 0.3), "ground", (1, 0, 0), 50, 0.2, 3),
]
"""One of each kind at least, with a law in time or without; a new kind adds a line."""
each_force = pytest.mark.parametrize("force", CATALOGUE, ids=lambda force: force.type)


def arm(*forces):
    """A turning and a sliding link, with loads, and some that use what these tell."""
    forces = *forces, *(kb.JointForce(f"use {x}", "A", law=x) for f in forces for x in f.tells)
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0.2, 1)),
        kb.Prismatic("B", "a", "b", at=(1, 0, 0), axis=(1, 1, 0)),
    ]
    bodies = [kb.Body(name, 1.0, (0.2, 0.1, 0), (1, 1, 1)) for name in "ab"]
    return tree_of(kb.Mechanism("arm", bodies, joints, forces=forces))


def acting(tree, q, v, t, own):
    """All that the loads do, as one list of numbers or symbols."""
    loads = loads_at(tree, q, v, t, own_states(tree, own))
    wrenches = [np.concatenate(wrench) for wrench in loads.wrenches.values()]
    return np.concatenate([loads.tau, *wrenches, own_rates(tree, q, v, t, own)])


def test_every_kind_is_in_the_catalogue():
    """A new kind of load must be added above."""
    assert {force.type for force in CATALOGUE} == set(FORCE_TYPES)


@each_force
def test_symbols_and_numbers_agree(force):
    """The formula written with symbols and evaluated is the formula with numbers."""
    tree, rng = arm(force), np.random.default_rng(5)
    q, v, own = rng.normal(size=2), rng.normal(size=2), rng.normal(size=len(force.own_states))
    sizes = {"q": 2, "v": 2, "t": 1, "own": len(own)}
    program = trace(lambda q, v, t, own: acting(tree, q, v, t[0], own), sizes)
    expected = acting(tree, q, v, 0.7, own).astype(float)
    assert_allclose(evaluate_program(program, q, v, [0.7], own), expected, rtol=0, atol=1e-12)


@each_force
def test_a_law_in_time_is_seen(force):
    """`depends_on_time` is what decides whether a verb takes t: what acts then changes with it."""
    tree, rng = arm(force), np.random.default_rng(6)
    q, v, own = rng.normal(size=2), rng.normal(size=2), rng.normal(size=len(force.own_states))
    early, late = (acting(tree, q, v, t, own).astype(float) for t in (0.1, 0.9))
    assert depends_on_time(tree) == force.timed
    assert (np.abs(early - late).max() > 1e-3) == force.timed


@each_force
def test_every_own_state_has_a_name_and_a_rate(force):
    """Names, values and rates of the states that a load brings are as many."""
    tree, q = arm(force), np.array([0.1, 0.2])
    own = np.linspace(1, 2, len(force.own_states))
    assert tuple(own_starts(tree)) == tuple(f"{symbol}_f" for symbol in force.own_states)
    assert own_rates(tree, q, q, 0.0, own).shape == own.shape

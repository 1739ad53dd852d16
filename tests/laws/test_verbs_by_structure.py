"""Equations written once for a structure, against those of each mechanism with its numbers.

Mechanisms of one kind are asked one after the other, so that later ones run code that was written
over symbols for the first, with a table of numbers of their own.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crank_rockers import crank_rocker
from driven_trees import driven_tree
from law_counts import ASKED, seeds
from numpy.testing import assert_allclose
from rough_mechanisms import KINDS, mechanism

import korba as kb
from korba.codegen import compile_program, evaluate_program
from korba.codegen.targets.llvm import machine
from korba.errors import KorbaError
from korba.model.drawing import drawing
from korba.system import store
from korba.system.decisions import decision
from korba.system.system import System
from korba.verbs.generated import verb_of
from korba.verbs.loops import misfits
from korba.verbs.verb import Verb, verb

sys.path.append(str(Path(__file__).parents[1] / "dynamics"))

T = np.linspace(0.0, 0.3, 5)
VERBS = {n: v for n in kb.__all__ if isinstance(v := verb_of(getattr(kb, n)), Verb)}
VERBS |= {"misfits": misfits}
OTHER_WAYS = {
    "reactions": [{"method": "newton-euler"}, {"method": "groups"}, {"gravity": (0, 0, 0)}],
    "forward_dynamics": [{"formulation": "absolute"}, {"formulation": "minimal"}],
    "inverse_dynamics": [{"damping": False}],
}


@pytest.fixture(autouse=True)
def alone():
    """No structure is known before a test."""
    store.CODES.clear()


SHARE = 1 if ASKED else 3
"""Of so many questions one is asked in the suite, others of others; all by `make laws`."""


def asked(m, shift):
    """Verbs with what they need, and other ways to some of them."""
    known = {"body": m.bodies[-1].name, "point": m.bodies[-1].name, "coordinate": m.coordinates[0]}
    known["forces"] = {m.coordinates[0]: 2.0}
    pairs = [(name, more) for name in VERBS for more in [{}, *OTHER_WAYS.get(name, [])]]
    for name, more in pairs[shift % SHARE :: SHARE]:
        own = {key: known[key] for key in VERBS[name].needed if key in known}
        yield VERBS[name], own | more


def agree(m, states, shift):
    """Code of the structure and of the mechanism alone give the same, or refuse both."""
    count = 0
    for asks, options in asked(m, shift):
        plain = {key: x for key, x in options.items() if key not in asks.named}
        try:
            alone = compile_program(asks.program(m, **plain))
        except KorbaError:
            with pytest.raises(KorbaError):
                asks.compiled(m, **plain)
            continue
        shared = asks.compiled(m, **plain)
        assert shared.signature.inputs == alone.signature.inputs
        count += shared._shared is not None
        given = [states[name] for name, _ in alone.signature.inputs]
        found, wanted = (f(*given, check_finite=False) for f in (shared, alone))
        pairs = zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
        for x, y in pairs:
            size = max(1.0, np.abs(y[np.isfinite(y)]).max(initial=0.0))
            assert_allclose(x, y, rtol=0, atol=1e-9 * size, err_msg=f"{asks.name} {plain}")
    return count


def in_motion(m):
    """States of a motion, and efforts."""
    moved = kb.motion(m, T)
    tau = np.random.default_rng(0).normal(size=moved.v.shape)
    return {"q": moved.q, "v": moved.v, "a": moved.a, "tau": tau, "t": T[:, None]}


@pytest.mark.parametrize("kind", KINDS)
def test_mechanisms_with_loops_answer_by_their_structure(kind):
    """All verbs of every kind of loop, under a push, with and without dry friction given."""
    shift = [*KINDS].index(kind)
    for seed in seeds(0.5, 2):
        m = mechanism(kind, seed)
        assert agree(m, in_motion(m), shift) > 5 / SHARE


@pytest.mark.parametrize("seed", seeds())
def test_driven_trees_answer_by_their_structure(seed):
    """Trees of all joints under springs, some of them driven; and with other masses and places."""
    for other in (seed, seed + 1000):
        m = driven_tree(other, by_coordinate=True)
        rng = np.random.default_rng(other)
        q = np.array([*kb.assemble(m).q]) + rng.uniform(-0.1, 0.1, (3, m.nq))
        v, a, tau = rng.normal(size=(3, 3, m.nv))
        states = {"q": q, "v": v, "a": a, "tau": tau, "t": T[:3, None]}
        assert agree(m, states, seed) > 5 / SHARE


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Names of what is compiled; no program is known before."""
    monkeypatch.setenv("KORBA_CACHE", str(tmp_path))
    made, compiled = [], machine._compiled
    monkeypatch.setattr(machine, "_compiled", lambda *x: made.append(x[1].name) or compiled(*x))
    monkeypatch.setattr(machine, "_unchanged", lambda *_: True)
    return made


@pytest.mark.parametrize("name", ["reactions", "driving_forces", "inverse_dynamics"])
def test_four_bars_have_one_code(name, compiled):
    """Of twelve four-bars of random bars the first is compiled only."""
    for seed in range(12):
        f = VERBS[name].compiled(crank_rocker(seed))
        f(*(np.zeros(size) + 0.1 for _, size in f.signature.inputs), check_finite=False)
        if not seed:
            compiled.clear()
    assert not compiled


def test_a_new_process_writes_no_equations(compiled, monkeypatch):
    """What is known of a structure lies on disk: a mechanism of new numbers is not traced."""
    first, other = crank_rocker(1), crank_rocker(2)
    q, v, a = kb.motion(other, T).q, np.ones((5, other.nv)), np.ones((5, other.nv))
    kb.reactions(first, q, v, a)
    wanted = VERBS["reactions"].program(other)
    store.CODES.clear()
    compiled.clear()
    monkeypatch.setattr(Verb, "least", lambda *_: pytest.fail("equations are written"))
    found = VERBS["reactions"].compiled(other)(q, v, a)
    assert not compiled
    for x, y in zip(found, compile_program(wanted)(q, v, a), strict=True):
        assert_allclose(x, y, rtol=0, atol=1e-12 * max(1.0, np.abs(y).max()))


@decision
def is_heavy(system: System) -> bool:
    """Whether the first body has more than a kilogram."""
    return bool(system.in_numbers.bodies[0].mass > 1.0)


@verb(closed=True)
def weight(system: System, q: Any) -> Any:
    """Of heavy bodies three times the mass, of others twice."""
    return q * (3.0 if is_heavy(system) else 2.0) * system.tree.links[0].mass


@verb(closed=True)
def drawn(system: System, q: Any) -> Any:
    """Coordinates and the typical length of the drawing."""
    return q + drawing(system.m).scale


@verb(closed=True)
def asked_for(system: System, q: Any) -> Any:
    """Coordinates and the mass of the mechanism in numbers."""
    return q + system.in_numbers.bodies[0].mass


def test_other_decisions_are_other_code():
    """Where numbers decide otherwise the same structure has equations of its own."""
    first, q = crank_rocker(3), np.ones(4)
    for mass in (0.5, 2.0, 0.7, 3.0):
        m = replace(first, bodies=(replace(first.bodies[0], mass=mass), *first.bodies[1:]))
        assert_allclose(weight.compiled(m)(q), q * mass * (3 if mass > 1 else 2), rtol=1e-15)
    (codes,) = store.CODES.values()
    assert [each.decided[0][2] for each in codes.written] == [False, True]


@pytest.mark.parametrize("asks", [drawn, asked_for])
def test_formulas_that_look_at_numbers_are_not_shared(asks):
    """Equations written with numbers of one mechanism are never those of another."""
    q = np.ones(4)
    for m in (crank_rocker(3), crank_rocker(4)):
        assert_allclose(asks.compiled(m)(q), evaluate_program(asks.program(m), q), rtol=1e-15)
    assert all(codes.refused for codes in store.CODES.values())


def bar(name, ends, length, mass=0.2):
    """A body of two points, a length apart."""
    points = f'points = {{ {ends[0]} = [0, 0], {ends[1]} = ["{length}", 0] }}'
    return (
        f'{{ name = "{name}", {points}, mass = "{mass}", com = ["{length}/2", 0], inertia = 1e-4 }}'
    )


def joint(name, parent, child, more=""):
    """A joint of two points of its name."""
    ends = f'parent = "{parent}", child = "{child}"'
    return f'{{ name = "{name}", type = "{"prismatic" if more else "revolute"}", {ends} {more} }}'


def sized(name, ground, side, bodies, joints):
    """A text with parameters that are given later."""
    drive = '{ name = "motor", joint = "A", position = "0.3 + speed*t" }'
    return "\n".join(
        [
            f'name = "{name}"\nplane = "xy"\nparameters = {{ PARAMETERS }}',
            f'points = {{ A = [0, 0], {ground} }}\nassembly = {{ C = "{side}" }}',
            f"body = [{', '.join(bodies)}]\njoint = [{', '.join(joints)}]\ndrive = [{drive}]",
        ]
    )


FOUR_BAR = sized(
    "four-bar",
    'D = ["d", 0.004]',
    "left",
    [bar("crank", "AB", "a"), bar("rod", "BC", "b", "heavy"), bar("rocker", "DC", "c")],
    [
        joint("A", "ground.A", "crank.A"),
        joint("B", "crank.B", "rod.B"),
        joint("C", "rod.C", "rocker.C"),
        joint("D", "ground.D", "rocker.D"),
    ],
)
SLIDER_CRANK = sized(
    "slider-crank",
    'G = [0, "e"]',
    "right",
    [
        bar("crank", "AB", "a"),
        bar("rod", "BC", "b", "heavy"),
        '{ name = "slider", points = { C = [0, 0] }, mass = 0.4 }',
    ],
    [
        joint("A", "ground.A", "crank.A"),
        joint("B", "crank.B", "rod.B"),
        joint("C", "rod.C", "slider.C"),
        joint("D", "ground.G", "slider.C", ", axis = [1, 0]"),
    ],
)
SIZED = {
    "four-bar": (FOUR_BAR, {"a": 0.04, "b": 0.12, "c": 0.08, "d": 0.1, "heavy": 0.5, "speed": 9.0}),
    "slider-crank": (SLIDER_CRANK, {"a": 0.04, "b": 0.13, "e": 0.01, "heavy": 0.5, "speed": 9.0}),
}


def design(kind, **changes):
    """The mechanism of a kind with some sizes changed in its text."""
    text, sizes = SIZED[kind]
    told = ", ".join(f"{name} = {value}" for name, value in (sizes | changes).items())
    return kb.loads(text.replace("PARAMETERS", told))


@pytest.mark.parametrize("kind", SIZED)
def test_a_report_of_other_sizes_compiles_nothing(kind, compiled):
    """Every size is changed, one after the other, as if each time the file had been edited."""
    kb.report(design(kind))
    compiled.clear()
    for name, value in SIZED[kind][1].items():
        kb.report(design(kind, **{name: 1.07 * value}))
        assert not compiled, name

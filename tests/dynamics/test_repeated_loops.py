"""Accelerations with loops as a repetition: those of straight-line code, however many bodies."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program
from korba.dynamics import multipliers
from korba.system.system import any_system
from korba.verbs.crosscheck import closed_states
from korba.verbs.repetition.bodies import eliminations, repeated_accelerations
from korba.verbs.repetition.pairs import takes
from korba.verbs.repetition.residuals import repeated_residuals
from korba.verbs.systems import under

sys.path.insert(0, str(Path(__file__).parents[1] / "laws"))
from loaded_linkages import heavy, loaded


def four_bars(n, lean=0.4):
    """n + 1 cranks of 1 m in a row, a coupler from each to the next, rods of 1 kg."""
    feet = np.column_stack([np.arange(n + 1.0), np.zeros(n + 1)])
    tips = feet + np.array([np.sin(lean), np.cos(lean)])

    def rod(name, P, Q):
        return kb.Body(name, 1.0, tuple((P + Q) / 2), 1 / 12)

    bodies = [rod(f"crank{i}", feet[i], tips[i]) for i in range(n + 1)]
    bodies += [rod(f"coupler{i}", tips[i], tips[i + 1]) for i in range(n)]
    joints = [kb.Revolute(f"A{i}", "ground", f"crank{i}", at=tuple(feet[i])) for i in range(n + 1)]
    for i in range(n):
        joints += [
            kb.Revolute(f"B{i}", f"crank{i}", f"coupler{i}", at=tuple(tips[i])),
            kb.Revolute(f"C{i}", f"coupler{i}", f"crank{i + 1}", at=tuple(tips[i + 1])),
        ]
    return kb.Mechanism(f"{n} four-bars", bodies, joints, plane="xy")


def bare(m):
    return replace(m, forces=(), drives=())


def turned_round(_):
    """A slider-crank whose joints name their bodies the other way, with damping."""
    m = bare(loaded("slider-crank", 3))
    joints = [
        replace(j, parent=j.child, child=j.parent, damping=0.3) if i != 1 else j
        for i, j in enumerate(m.joints)
    ]
    return kb.Mechanism("turned round", m.bodies, joints, plane="xy")


def double(rng):
    """Two loops, a welded body, bodies of different masses."""
    m = four_bars(2)
    bodies = [heavy(b.name, rng, "xy") for b in (*m.bodies, kb.Body("knob"))]
    joints = [*m.joints, kb.Fixed("weld", "crank0", "knob")]
    return kb.Mechanism("double", bodies, joints, plane="xy")


MAKERS = {
    "four-bars": lambda _: four_bars(3),
    "slider-crank": lambda _: bare(loaded("slider-crank", 1)),
    "rssr": lambda _: bare(loaded("rssr", 1)),
    "turned round": turned_round,
    "double": double,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_repeated_over_joints_it_is_the_same(kind):
    """Bodies and joints alike or not: accelerations and residuals of straight-line programs."""
    m = MAKERS[kind](np.random.default_rng(2))
    system = under(any_system(m))
    assert takes(system)
    x = closed_states(m, 1, seed=1)
    q, v = x["q"][0], x["v"][0]
    tau = np.random.default_rng(0).normal(size=v.shape)
    program = repeated_accelerations(system, {"q": m.nq, "v": m.nv, "tau": m.nv})
    a = np.array(multipliers.forward_dynamics(system, q, v, tau), dtype=float)
    found = evaluate_program(program, q, v, tau)
    assert_allclose(found, a, rtol=0, atol=1e-11 * np.abs(a).max())
    program = repeated_residuals(system, {"q": m.nq, "v": m.nv})
    assert max(np.abs(part).max() for part in evaluate_program(program, q, v)) < 1e-11
    assert np.abs(evaluate_program(program, q, tau)[1]).max() > 0.01


def test_many_four_bars_at_once():
    """From 64 links on the verb itself is repeated; all cranks accelerate alike, as one does."""
    m = four_bars(40)
    v = {f"A{i}": -1.0 for i in range(41)}
    v |= {f"B{i}": 1.0 for i in range(40)} | {f"C{i}": -1.0 for i in range(40)}
    v = np.array([v[name] for name in m.velocities])
    a = kb.forward_dynamics(m, np.zeros(m.nq), v, 0 * v)
    cranks = [m.velocities.index(f"A{i}") for i in range(41)]
    # (41/3 + 40) x'' = (41/2 + 40) g sin x for the lean x of the cranks, against which joints turn
    expected = -9.81 * np.sin(0.4) * (41 / 2 + 40) / (41 / 3 + 40)
    assert_allclose(a[cranks], expected, rtol=1e-10)
    f = kb.compile(kb.forward_dynamics, m)
    assert len(f.program.steps) < 30
    with pytest.raises(kb.StructureError, match="velocities break the loop"):
        kb.forward_dynamics(m, np.zeros(m.nq), np.eye(m.nv)[0], 0 * v)


def test_blocks_of_a_row_of_loops_meet_few_others():
    """Elimination in the order of minimum degree fills in little, however many joints there are."""
    for n in (10, 100):
        links = [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(n)]
        links += [[3 * i + 1, 3 * i + 5] for i in range(n - 1)]
        order = list(eliminations(links))
        assert sorted(j for j, _ in order) == list(range(3 * n))
        assert max(len(others) for _, others in order) <= 4

"""The methods as plain Python: with numbers they are the reference of the compiled runs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from simulated_trees import double_pendulum, with_joint

import korba as kb
from korba.codegen import evaluate_program
from korba.codegen.routine import unpacked
from korba.simulation import arguments, schemes, stepping
from korba.simulation.queues import End, Tables, many
from korba.simulation.right_hand_side import plant_of
from korba.simulation.runs import DONE, Problem


def by_numbers(m: kb.Mechanism, method: str, times: Any, task: Any, state: Any) -> Any:
    """Rows and the end of a run computed by Python, and the compiled rows."""
    plant, _ = plant_of(m)
    scheme = schemes.scheme_of(plant, method)
    row = np.concatenate([[0.0], *state])
    begun = np.concatenate(scheme.equations.start(*state, np.zeros(0)))[None]
    compiled = stepping.runs_of(scheme, task, times, begun, first=row[None, 1:])
    start = unpacked(scheme.form, compiled.states)._replace(left=10**6)
    compiled.on(10**6)
    made = dict(schemes.equations(plant, method, None).programs())
    made |= scheme.method.programs(lambda: made["slope"])
    programs = {name: partial(evaluate_program, program) for name, program in made.items()}
    rows = np.zeros((len(times), len(row)))
    rows[0] = row
    problem = Problem(
        programs,
        scheme.equations.shape.controlled,
        bool(plant.tree.quaternions),
        task,
        times,
    )
    ends = np.zeros((1, len(End._fields)))
    with np.errstate(all="ignore"):
        many(scheme.method, problem, Tables(begun, rows, ends, None, 1.0, 1.0, 1.0), start)
    return rows, End(*ends[0]), compiled


@pytest.mark.parametrize("method", [name for name in schemes.METHODS if name != "sundials"])
@pytest.mark.parametrize("joint", ["", "spherical"])
def test_numbers_and_machine_code_make_the_same_run(method, joint):
    """The same steps, rejections and evaluations, and rows that differ by rounding alone."""
    m = with_joint(joint) if joint else double_pendulum()
    q = np.array([1.0, 0, 0, 0, 0.1]) if joint else np.array([0.4, 0.3])
    v = np.linspace(0.5, 1.0, m.nv)
    times = np.linspace(0, 0.5, 6)
    span = arguments.Times(0.0, 0.5, times)
    if schemes.METHODS[method].adaptive:
        task = stepping.task_of(span, rtol=1e-7, atol=1e-9)
    else:
        task = stepping.fixed_task(span, 0.02)
    rows, end, compiled = by_numbers(m, method, times, task, (q, v))
    assert end.status == DONE
    assert_allclose(compiled.written, rows, rtol=0, atol=1e-12)
    counts = ["steps", "rejected", "stiff", "rows"]
    if method != "symplectic":  # whose iterations end at rounding
        counts.append("evaluations")
    machine = End(*compiled.ends[0])
    assert_array_equal([getattr(end, x) for x in counts], [getattr(machine, x) for x in counts])


def test_the_steps_are_those_of_scipy():
    """DOP853 takes SciPy's steps where it begins with SciPy's first.

    An error of 1e-8 of y is known to 1e-8 of itself, and with it the next step.
    """
    m, y = double_pendulum(), np.array([0.4, 0.3, 0.0, 0.0])

    def slope(_, y):
        return np.concatenate([y[2:], kb.forward_dynamics(m, y[:2], y[2:], np.zeros(2))])

    theirs = solve_ivp(slope, (0, 3), y, "DOP853", rtol=1e-7, atol=1e-9)
    ours = kb.simulate(
        m,
        3,
        q=y[:2],
        v=y[2:],
        method=kb.Method(step=float(theirs.t[1] - theirs.t[0]), rtol=1e-7, atol=1e-9),
    )
    assert ours.effort.steps == len(theirs.t) - 1
    assert_allclose(ours.t, theirs.t, rtol=0, atol=1e-7)
    assert_allclose(ours.q, theirs.y[:2].T, rtol=0, atol=1e-6)

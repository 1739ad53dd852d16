"""Newton's method of position solving: the same function with numbers, in NumPy and in lanes."""

from __future__ import annotations

import numpy as np
import pytest
from driven_linkages import rssr
from numpy.testing import assert_allclose, assert_array_equal

import korba as kb
from korba.codegen import evaluate_program
from korba.codegen.routine.following import led
from korba.positions.loop_system import Measures
from korba.solve.batch_positions import held_system
from korba.solve.configuration import drawn_closed
from korba.solve.motion import driven_loops

FOUR_BAR = """
name = "four-bar"
plane = "xy"
body = [{name = "crank"}, {name = "coupler"}, {name = "rocker"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = [0, 0.2]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = [0.5, 0.5]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = [0.8, 0]},
]
"""


def test_positions_are_those_of_python():
    """The routine by numbers, by NumPy with masks, and in lanes: one answer."""
    m = kb.loads(FOUR_BAR)
    system = held_system(m, ("A",))
    start, angles = drawn_closed(system), np.linspace(-3, 3, 13)
    own, here = system.led.program, np.zeros(1)

    def newton(q, wanted):
        return system.newton(q, wanted, np.zeros(2))[:2]

    lanes = kb.assemble(m, {"A": angles}).q
    masked, done = evaluate_program(own, start, here, angles[:, None])
    assert_array_equal(done, 1.0)
    assert_allclose(masked, lanes, rtol=0, atol=1e-13)
    for angle, row in zip(angles, lanes, strict=True):
        way = led(newton, start, here, np.array([angle]), system.units)
        assert way.done == 1.0
        assert_allclose(way.x, row, rtol=0, atol=1e-13)


def test_values_out_of_reach_stop_their_own_lane():
    """A rocker asked beyond its dead point is nan; its neighbours are where they are alone."""
    m = kb.loads(FOUR_BAR)
    angles = np.array([0.1, 2.5, -0.1, 0.2])
    some = kb.assemble(m, {"D": angles}, refuse=False)
    assert_array_equal(some.closed, [True, False, True, True])
    assert np.all(np.isnan(some.q[1]))
    alone = kb.assemble(m, {"D": angles[2:]})
    assert_allclose(some.q[2:], alone.q, rtol=0, atol=1e-14)


def driven_four_bar():
    """The four-bar with a motor on its crank."""
    return kb.loads(FOUR_BAR + '\ndrive = [{name = "motor", joint = "A", position = "t"}]')


@pytest.mark.parametrize("made", [driven_four_bar, lambda: rssr("0.3*sin(t)")])
def test_a_step_along_a_path_is_its_parts_one_after_the_other(made):
    """Prediction, three Newton steps and the rates there; quaternions bend by their secant."""
    system = driven_loops(made())
    q, wanted, h = drawn_closed(system), np.zeros(system.wanted), 0.05
    _, a, rate, _, _ = system.rates(q, wanted, wanted, np.array([0.0, 1.0]))
    bend, clock = np.where(system.own >= 0, a[system.own], 0.0), np.array([h, 1.0])
    new = system.tree.normalised(q + h * rate + 0.5 * h * h * bend)
    corrections = []
    for _ in range(3):
        new, x, _ = system.newton(new, wanted, clock)
        corrections.append(np.abs(x / system.units).max())
    _, a, new_rate, pivots, _ = system.rates(new, wanted, wanted, clock)
    new_bend = np.where(system.own >= 0, a[system.own], (new_rate - rate) / h)
    inputs = (q, rate, bend, np.array([h]), wanted, wanted, clock)
    for step in (system.advance(*inputs), evaluate_program(system.advance.program, *inputs)):
        for part, expected in zip(step, (new, new_rate, new_bend), strict=False):
            assert_allclose(part, expected, rtol=0, atol=1e-11)
        measures = Measures(*step[3])
        assert_allclose(measures.first, corrections[0], rtol=1e-9)
        assert_allclose((measures.low, measures.high), (pivots.min(), pivots.max()), rtol=1e-9)
        assert measures.last < 1e-9
        assert measures.residual < 1e-9

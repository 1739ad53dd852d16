"""Loops are closed where both their sides agree, not where they are half a turn apart."""

from __future__ import annotations

import numpy as np
import pytest
from linkages import slider_crank
from numpy.testing import assert_allclose

import korba as kb
from korba.positions.closed import closed, half_turned, truly_closed
from korba.positions.loop_system import loop_system


def falsely_closed(theta, held=()):
    """A slider-crank whose joint C, which closes its loop, is turned by half a turn."""
    system = loop_system(slider_crank(0.2, 0.6, 0.1, theta)[0], held)
    q = system.drawn.copy()
    q[[system.tree.coordinates[i] for i in system.tree.free_q].index("C")] += np.pi
    return system, q


def test_half_a_turn_passes_the_residuals_alone():
    """The sine of half a turn is zero, so only the trace of the rotation tells that it is open."""
    system, q = falsely_closed(0.7)
    assert closed(system, q, np.zeros(0), 0.0)[1] < 1e-12
    assert half_turned(system.tree, q) == ["C"]
    assert half_turned(system.tree, system.drawn) == []


def test_an_angle_half_a_turn_off_is_turned_on():
    """Where only the joint's own angle is wrong the bodies stay and the angle is put right."""
    system, q = falsely_closed(0.7)
    assert_allclose(truly_closed(system, q, np.zeros(0), 0.0), system.drawn, atol=1e-12)


def test_a_false_position_is_left_for_a_true_one():
    """Where the angle is held, the loop closes at another position of the bodies."""
    system, q = falsely_closed(0.7, ("C",))
    found = truly_closed(system, q, np.array([np.pi]), 0.0)
    residual = system.residuals(found, np.array([np.pi]), np.zeros(2))
    assert np.abs(residual).max() < 1e-12
    assert half_turned(system.tree, found) == []


def test_only_a_false_position_is_not_assembled():
    """A rod that cannot point the other way is refused, and the loop half a turn away is named."""
    system, q = falsely_closed(-1.4, ("C",))
    with pytest.raises(kb.AssemblyError, match="through joint 'C' closes only with its sides") as e:
        truly_closed(system, q, np.array([np.pi]), 0.0)
    assert e.value.residuals == {"C": np.pi}


@pytest.mark.parametrize(
    "asked",
    [
        lambda m: kb.assemble(m, {"A": 0.1}),
        lambda m: kb.configurations(m, {"A": 0.1}),
        lambda m: kb.motion(m, [0.0, 1.0]),
    ],
)
def test_a_coupling_in_time_is_refused_in_loops(asked):
    """p = F(q, t) has rates that the equations of loops do not have: not taken as F(q, 0)."""
    gear = kb.Coupling("gear", "B", "2*A + sin(t)")
    m, _ = slider_crank(0.2, 0.6, 0.1, 0.7, couplings=[gear])
    with pytest.raises(kb.StructureError, match="coupling gear depends on the time t"):
        asked(m)

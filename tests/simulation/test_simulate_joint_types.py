"""Every joint type in motion, beside SciPy's integrator."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from simulated_trees import MOVING, random_start, scipy_motion, with_joint

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-12, atol=1e-13)}
TIMES = np.linspace(0, 0.6, 4)


@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_type_moves_as_scipy_says(kind):
    """SciPy's DOP853 on forward dynamics gives the same motion to 1e-10, and energy balances."""
    m = with_joint(kind, seed=MOVING.index(kind), damping=0.3)
    q, v = random_start(m, 5)
    found = kb.simulate(m, TIMES[-1], q=q, v=v, times=TIMES, **TIGHT)
    q_scipy, v_scipy = scipy_motion(m, q, v, TIMES)
    assert_allclose(found.q, q_scipy, atol=1e-10)
    assert_allclose(found.v, v_scipy, atol=1e-10 * max(1, np.abs(v_scipy).max()))
    assert found.audit.energy < 1e-10


def test_couplings_and_rotors_move_as_scipy_says():
    """Dependent coordinates and geared rotors are part of the motion, by every method."""
    bodies = [kb.Body(n, 1, (0.3, 0, 0.1), (0.2, 0.3, 0.4)) for n in "abc"]
    joints = [
        kb.Revolute(
            "A", "ground", "a", at=(0, 0, 0), axis=(0, 1, 0.2), rotor=kb.Rotor(5, 0.1, 0.01)
        ),
        kb.Revolute("B", "a", "b", at=(0.6, 0, 0), axis=(0, 1, 0)),
        kb.Prismatic("C", "b", "c", at=(1, 0, 0), axis=(1, 0, 0), damping=0.2),
    ]
    m = kb.Mechanism("coupled", bodies, joints, [kb.Coupling("crank", "B", "0.5*A^2 + sin(A)")])
    q, v = np.array([0.2, 0.1]), np.array([1.0, -0.5])
    found = kb.simulate(m, 0.6, q=q, v=v, times=TIMES, **TIGHT)
    expected = scipy_motion(m, q, v, TIMES)
    assert_allclose(found.q, expected[0], atol=1e-11)
    for method in ("rk4", "symplectic"):
        other = kb.simulate(m, 0.6, q=q, v=v, times=TIMES, method=kb.Method(method, step=1e-3))
        assert_allclose(other.q, expected[0], atol=1e-9)
        assert_allclose(other.v, expected[1], atol=1e-8)

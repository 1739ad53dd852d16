"""The methods: agreement with SciPy, orders, interpolation, conservation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from simulated_trees import (
    TURNING,
    double_pendulum,
    pendulum,
    random_start,
    with_joint,
)

import korba as kb
from korba.system.tree import tree_of

TIGHT = {"method": kb.Method(rtol=1e-12, atol=1e-13)}
TIMES = np.linspace(0, 0.6, 4)


def test_steps_are_those_of_scipy():
    """At equal tolerances the steps have the same number and length as SciPy's."""
    m = double_pendulum()
    f = kb.compile(kb.forward_dynamics, m)

    def slope(t, y):
        return np.concatenate([y[2:], f(y[:2], y[2:], np.zeros(2))])

    peer = solve_ivp(slope, (0, 2), [0.3, 0.2, 0, 0], "DOP853", rtol=1e-8, atol=1e-10)
    found = kb.simulate(m, 2, q=[0.3, 0.2])
    assert found.effort.steps == len(peer.t) - 1
    assert_allclose(found.t, peer.t, rtol=1e-6)
    assert_allclose(found.q[-1], peer.y[:2, -1], atol=1e-9)


def test_dense_output_has_the_accuracy_of_the_steps():
    """Times between steps are as good as the steps, and asking for them changes no step."""
    m = double_pendulum()
    steps = kb.simulate(m, 2, q=[0.3, 0.2])
    asked = kb.simulate(m, 2, q=[0.3, 0.2], times=501)
    exact = kb.simulate(m, 2, q=[0.3, 0.2], times=501, **TIGHT)
    at_steps = kb.simulate(m, 2, q=[0.3, 0.2], times=steps.t, **TIGHT)
    assert asked.effort.steps == steps.effort.steps
    error = np.abs(steps.q - at_steps.q).max()
    assert np.abs(asked.q - exact.q).max() < 5 * error
    assert_allclose(asked.q[-1], steps.q[-1], rtol=1e-14)


@pytest.mark.parametrize("method", ["rk4", "symplectic"])
def test_fixed_steps_have_order_four(method):
    """Half the step has a sixteenth of the error, also between steps."""
    m = double_pendulum()
    times = np.linspace(0, 1, 38)
    exact = kb.simulate(m, 1, q=[0.3, 0.2], v=[1, -1], times=times, **TIGHT)

    def error(step):
        found = kb.simulate(
            m, 1, q=[0.3, 0.2], v=[1, -1], times=times, method=kb.Method(method, step=step)
        )
        return np.abs(found.q - exact.q).max()

    assert 12 < error(0.01) / error(0.005) < 20


@pytest.mark.parametrize("kind", TURNING)
def test_symplectic_scheme_has_order_four_on_quaternions(kind):
    """Local coordinates of a step keep the order, with loads, and quaternions stay unit."""
    m = with_joint(kind, seed=1, damping=0.2, forces=[kb.PointForce("f", "b", (1, "2*t", 3))])
    q, v = random_start(m, 4)
    exact = kb.simulate(m, 0.6, q=q, v=v, times=TIMES, **TIGHT)

    def error(step):
        found = kb.simulate(
            m, 0.6, q=q, v=v, times=TIMES, method=kb.Method("symplectic", step=step)
        )
        (places,) = tree_of(m).quaternions
        assert_allclose(np.linalg.norm(found.q[:, places], axis=1), 1, rtol=1e-15)
        return np.abs(found.q - exact.q).max()

    assert 11 < error(0.02) / error(0.01) < 22


def test_symplectic_scheme_keeps_the_energy_of_a_long_run():
    """Over 20,000 s the energy error stays what it was over the first hundred; rk4's grows."""
    m = pendulum()
    start, keeping = {"q": {"A": 0.3}}, kb.Method("symplectic", step=0.05)
    short = kb.simulate(m, 100, method=keeping, **start)
    long = kb.simulate(m, 20_000, method=keeping, times=1001, **start)
    assert long.audit.energy < 1.5 * short.audit.energy
    drifting = kb.simulate(m, 2_000, method=kb.Method("rk4", step=0.05), times=101, **start)
    assert drifting.audit.energy > 10 * long.audit.energy


def test_symplectic_map_preserves_areas():
    """d(q, p) after many steps by d(q, p) before has determinant 1 and is symplectic."""
    m = double_pendulum()
    q, v = np.array([0.4, 0.3]), np.array([0.5, -0.2])
    p = kb.mass_matrix(m, q) @ v

    def end(z):
        speed = np.linalg.solve(kb.mass_matrix(m, z[:2]), z[2:])
        found = kb.simulate(m, 0.5, q=z[:2], v=speed, method=kb.Method("symplectic", step=0.05))
        return np.concatenate([found.q[-1], kb.mass_matrix(m, found.q[-1]) @ found.v[-1]])

    z, h = np.concatenate([q, p]), 1e-5
    D = np.column_stack([(end(z + h * e) - end(z - h * e)) / (2 * h) for e in np.eye(4)])
    form = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert_allclose(D.T @ form @ D, form, atol=1e-8)


def test_symplectic_scheme_takes_coordinates_that_only_rounding_moves():
    """A pendulum in a plane that turns about the vertical, at rest but for rounding, goes on."""
    down = np.array([1.0, 2, 3]) / np.sqrt(14)
    joints = [
        kb.Revolute("turn", "ground", "fork", at=(0, 0, 0), axis=down),
        kb.Revolute("swing", "fork", "rod", at=(0, 0, 0), axis=(3, 0, -1)),
    ]
    bodies = [kb.Body("fork", 1, inertia=(1, 1, 1)), kb.Body("rod", 1, (0.3, 0.1, 0.7), (1, 1, 1))]
    m = kb.Mechanism("fork", bodies, joints, gravity=9.81 * down)
    found = kb.simulate(
        m, 20, q={"swing": 1.0}, method=kb.Method("symplectic", step=0.01), times=201
    )
    assert found.status == "finished"
    assert found.audit.energy < 1e-7


def test_power_balance_with_everything_that_acts():
    """Motors, springs, dampers, follower forces and given forces: T + V - W is constant."""
    forces = [
        kb.Motor("m", "A", "10*sin(2*t)", torque_constant=0.3, resistance=1, inductance=0.1),
        kb.Spring("s", "l", (1, 0), "ground", (0, 1), stiffness=20, free_length=0.5, damping=1),
        kb.JointForce("j", "B", stiffness=3, damping=0.2, law="sin(t)*A"),
        kb.PointForce("f", "l", ("2*cos(t)", 1), at=(0.5, 0), axes="body"),
    ]
    m = double_pendulum(forces=forces)
    fixed = (kb.Method(name, step=1e-3) for name in ("rk4", "symplectic"))
    for method in (TIGHT["method"], *fixed):
        found = kb.simulate(m, 3, q=[0.1, 0.4], tau=[0.5, -0.2], method=method)
        assert np.abs(found["work"]).max() > 1
        assert found.audit.energy < (1e-11 if method.name == "dop853" else 1e-8)
        assert found.effort.evaluations > 100

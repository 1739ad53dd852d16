"""Korba against stored answers of Pinocchio and MuJoCo, in Korba's terms.

benchmarks/peers/store.py made them; the files say with which versions. Every robot stands beside
its answers as a file of Korba's own, so neither the peers nor their files are needed here.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import korba as kb
from korba.codegen import evaluate_program
from korba.kinematics.velocity import centre_of_mass
from korba.system.tree import tree_of

FOLDER = Path(__file__).parent / "answers"
ROBOTS = sorted(path.stem for path in FOLDER.glob("*.toml"))
TOLERANCE = 1e-12
SCALED = 1e-13
"""For what needs M^-1, after division by cond(M)."""

each_robot = pytest.mark.parametrize("name", ROBOTS)


@cache
def robot(name):
    return kb.load(FOLDER / f"{name}.toml")


@cache
def stored(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def states(name):
    for answer in stored(name)["answers"]:
        yield {key: np.array(x) for key, x in answer["state"].items()}, answer


def full(half, n):
    """A symmetric matrix from its lower half."""
    M = np.zeros((n, n))
    M[np.tril_indices(n)] = half
    return M + np.tril(M, -1).T


def error(found, expected, scale=0.0):
    expected = np.reshape(expected, np.shape(found))
    return np.abs(found - expected).max() / max(np.abs(expected).max(), scale)


def test_a_dozen_robots_are_stored():
    """Arms, hands, four legs, two legs; free bases and mimic joints are among them."""
    assert len(ROBOTS) >= 12
    assert sum(stored(name)["base"] == "free" for name in ROBOTS) >= 4
    assert sum(bool(robot(name).couplings) for name in ROBOTS) >= 2
    assert len(DIFFERENTIATED) >= 8
    assert len(WITH_MUJOCO) >= 5
    assert all(stored(name)["made by"] == "benchmarks/peers/store.py" for name in ROBOTS)
    assert all(stored(name)["versions"].keys() >= {"pin", "mujoco"} for name in ROBOTS)


@each_robot
def test_dynamics_is_pinocchios(name):
    """Forces, accelerations and the mass matrix are Pinocchio's to rounding."""
    m = robot(name)
    verbs = {verb.name: verb.program(m) for verb in (kb.inverse_dynamics, kb.forward_dynamics)}
    matrix = kb.mass_matrix.program(m)
    for x, answer in states(name):
        peer = answer["pinocchio"]
        M = full(peer["mass matrix"], m.nv)
        assert error(evaluate_program(matrix, x["q"]), M) < TOLERANCE
        tau = evaluate_program(verbs["inverse_dynamics"], x["q"], x["v"], x["a"])
        assert error(tau, peer["inverse dynamics"]) < TOLERANCE
        a = evaluate_program(verbs["forward_dynamics"], x["q"], x["v"], x["tau"])
        assert error(a, peer["forward dynamics"]) < SCALED * np.linalg.cond(M)


@each_robot
def test_energy_and_momentum_are_pinocchios(name):
    """Energies, momentum about the world's origin, and the centre of mass."""
    m = robot(name)
    tree = tree_of(m)
    energy, momentum = kb.energy.program(m), kb.momentum.program(m)
    mass = sum(body.mass for body in m.bodies)
    for x, answer in states(name):
        peer = answer["pinocchio"]
        T, V = evaluate_program(energy, x["q"], x["v"])
        weight = mass * 9.81 * np.linalg.norm(peer["centre of mass"])
        assert error(T, peer["kinetic energy"]) < TOLERANCE
        assert error(V, peer["potential energy"], weight) < TOLERANCE
        assert error(centre_of_mass(tree, x["q"]), peer["centre of mass"]) < TOLERANCE
        p = evaluate_program(momentum, x["q"], x["v"])
        assert error(p[:3], peer["angular momentum"]) < TOLERANCE
        assert error(p[3:], peer["linear momentum"]) < TOLERANCE


@each_robot
def test_jacobians_are_pinocchios(name):
    """The Jacobian of a tip, world axes, angular part first."""
    m = robot(name)
    jacobian = kb.jacobian.program(m, body=stored(name)["jacobian of"])
    for x, answer in states(name):
        J = evaluate_program(jacobian, x["q"])
        assert error(J, answer["pinocchio"]["jacobian"]) < TOLERANCE


DIFFERENTIATED = [n for n in ROBOTS if "dID/dq" in stored(n)["answers"][0]["pinocchio"]]


def rates(m, q):
    """Matrix from velocities to the rates of the coordinates: Pinocchio differentiates along v."""
    if m.nq == m.nv:
        return np.eye(m.nv)
    base = next(joint for joint in m.joints if joint.nq == 7)  # its coordinates come first
    N = np.zeros((m.nq, m.nv))
    N[:7, :6] = np.array([base.qdot(q[:7], e) for e in np.eye(6)]).T
    N[7:, 6:] = np.eye(m.nv - 6)
    return N


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_derivatives_are_pinocchios(name):
    """Every partial derivative of inverse and forward dynamics."""
    m = robot(name)
    x, answer = next(states(name))
    peer = answer["pinocchio"]
    condition = np.linalg.cond(full(peer["mass matrix"], m.nv))
    inverse = kb.derivative(kb.inverse_dynamics, m, ("q", "v"))
    dq, dv = evaluate_program(inverse, x["q"], x["v"], x["a"])
    assert error(dq @ rates(m, x["q"]), peer["dID/dq"]) < TOLERANCE
    assert error(dv, peer["dID/dv"]) < TOLERANCE
    forward = kb.derivative(kb.forward_dynamics, m, ("q", "v", "tau"))
    dq, dv, dtau = evaluate_program(forward, x["q"], x["v"], x["tau"])
    assert error(dq @ rates(m, x["q"]), peer["dFD/dq"]) < SCALED * condition
    assert error(dv, peer["dFD/dv"]) < SCALED * condition
    assert error(dtau, full(peer["dFD/dtau"], m.nv)) < SCALED * condition


WITH_MUJOCO = [n for n in ROBOTS if "mujoco" in stored(n)["answers"][0]]


@pytest.mark.parametrize("name", WITH_MUJOCO)
def test_mass_matrix_and_bias_are_mujocos(name):
    """MuJoCo, whose free base moves in other velocities, has the same M and h."""
    m = robot(name)
    x, answer = next(states(name))
    M, h = kb.mass_matrix.program(m), kb.bias_forces.program(m)
    peer = answer["mujoco"]
    assert error(evaluate_program(M, x["q"]), full(peer["mass matrix"], m.nv)) < TOLERANCE
    assert error(evaluate_program(h, x["q"], x["v"]), peer["bias forces"]) < TOLERANCE


def test_machine_code_meets_them_too():
    """The compiled verbs of one arm give the stored answers."""
    m = robot("ur5_robot")
    for x, answer in states("ur5_robot"):
        tau = kb.inverse_dynamics(m, x["q"], x["v"], x["a"])
        assert error(tau, answer["pinocchio"]["inverse dynamics"]) < TOLERANCE

"""The quantities that are compared: Korba's answers and Pinocchio's, by name, in Korba's terms."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from conventions import Array, Pinocchio
from robots import tip

import korba as kb
from korba.codegen import evaluate_program

Answers = dict[str, Array]
State = dict[str, Array]


def ours(pair: Pinocchio, state: State) -> Answers:
    """Korba's answers: dynamics from machine code, the rest by the NumPy target."""
    m, q, v, a = pair.m, *(state[name] for name in ("q", "v", "a"))
    kinetic, potential = evaluate_program(kb.energy.program(m), q, v)
    momentum = evaluate_program(kb.momentum.program(m), q, v)
    return {
        "inverse dynamics": kb.inverse_dynamics(m, q, v, a),
        "mass matrix": kb.mass_matrix(m, q),
        "jacobian": kb.jacobian(m, q, tip(m)),
        "kinetic energy": kinetic,
        "potential energy": potential,
        "angular momentum": momentum[:3],
        "linear momentum": momentum[3:],
        "centre of mass": kb.centre_of_mass(m, q),
    }


def our_accelerations(pair: Pinocchio, state: State) -> Answers:
    """Korba's forward dynamics, from machine code."""
    inputs = [state[name] for name in ("q", "v", "tau")]
    return {"forward dynamics": kb.forward_dynamics(pair.m, *inputs)}


def theirs(pair: Pinocchio, state: State) -> Answers:
    """Pinocchio's answers."""
    model, data, G = pair.model, pair.data, pair.G
    q, v, a = pair.coordinates(state["q"]), G @ state["v"], G @ state["a"]
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    found = {"jacobian": pair.jacobian(tip(pair.m))}
    found["inverse dynamics"] = G.T @ pin.rnea(model, data, q, v, a)
    found["mass matrix"] = M = mass_matrix(pair, q)
    if is_regular(M):
        found["forward dynamics"] = accelerations(pair, state, M)
    found["kinetic energy"] = np.array(pin.computeKineticEnergy(model, data, q, v))
    potential = pin.computePotentialEnergy(model, data, q)
    found["potential energy"] = np.array(potential + pair.base_potential())
    pin.computeCentroidalMomentum(model, data, q, v)
    momentum = pair.momentum()
    found["angular momentum"], found["linear momentum"] = momentum[:3], momentum[3:]
    pin.centerOfMass(model, data, q)
    found["centre of mass"] = pair.centre_of_mass()[1]
    return found


def is_regular(M: Array) -> bool:
    """Whether accelerations follow from forces: not where joints move massless links."""
    return bool(np.linalg.cond(M) < 1e12)


def mass_matrix(pair: Pinocchio, q: Array) -> Array:
    upper = np.triu(pin.crba(pair.model, pair.data, q))
    return pair.G.T @ (upper + np.triu(upper, 1).T) @ pair.G


def accelerations(pair: Pinocchio, state: State, M: Array) -> Array:
    """By articulated bodies; with mimic joints by M and h in the independent coordinates."""
    q, v = pair.coordinates(state["q"]), pair.G @ state["v"]
    if pair.has_mimics:
        h = pair.G.T @ pin.nonLinearEffects(pair.model, pair.data, q, v)
        return np.linalg.solve(M, state["tau"] - h)
    found = pin.aba(pair.model, pair.data, q, v, pair.G @ state["tau"])
    return pair.G.T @ found


INVERSE, FORWARD = ("dID/dq", "dID/dv"), ("dFD/dq", "dFD/dv", "dFD/dtau")


def our_slopes(pair: Pinocchio, state: State, regular: bool) -> Answers:
    """Korba's derivatives, by the NumPy target; those by q along the velocities."""
    m, N = pair.m, pair.tangent(state["q"])
    q, v, a, tau = (state[name] for name in ("q", "v", "a", "tau"))
    inverse = kb.derivative(kb.inverse_dynamics, m, ("q", "v"))
    found = dict(zip(INVERSE, evaluate_program(inverse, q, v, a), strict=True))
    if regular:
        forward = kb.derivative(kb.forward_dynamics, m, ("q", "v", "tau"))
        found |= dict(zip(FORWARD, evaluate_program(forward, q, v, tau), strict=True))
    return found | {key: x @ N for key, x in found.items() if key.endswith("dq")}


def their_slopes(pair: Pinocchio, state: State, regular: bool = True) -> Answers:
    """Pinocchio's derivatives; with mimic joints those of forward dynamics by -M^-1 dID."""
    model, data, G = pair.model, pair.data, pair.G
    q, v, a = pair.coordinates(state["q"]), G @ state["v"], G @ state["a"]
    pin.computeRNEADerivatives(model, data, q, v, a)
    found = {"dID/dq": G.T @ data.dtau_dq @ G, "dID/dv": G.T @ data.dtau_dv @ G}
    if not regular:
        return found
    if not pair.has_mimics:
        pin.computeABADerivatives(model, data, q, v, G @ state["tau"])
        inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        slopes = data.ddq_dq, data.ddq_dv, inverse
        return found | {name: G.T @ x @ G for name, x in zip(FORWARD, slopes, strict=True)}
    M = mass_matrix(pair, q)
    pin.computeRNEADerivatives(model, data, q, v, G @ accelerations(pair, state, M))
    reduced = (-np.linalg.solve(M, G.T @ x @ G) for x in (data.dtau_dq, data.dtau_dv))
    return found | dict(zip(FORWARD, (*reduced, np.linalg.inv(M)), strict=True))

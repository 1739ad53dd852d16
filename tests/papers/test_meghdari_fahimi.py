"""Meghdari & Fahimi: elastic joints and Kane's equations decoupled, against the reference files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kovalchuk_models import close, reference
from meghdari_models import drives, planar_chain, spatial_arm, two_link

import korba as kb
from korba.dynamics.kane_congruence import Kane, congruency
from korba.system.expand import expanded

KANE = {"formulation": "kane-congruence"}


def cases():
    """Every state of the three files: mechanism, drives, stiffnesses, state."""
    found = {}
    for variant in reference("mf97_two_link")["variants"]:
        p = variant["parameters"]
        m, tau = two_link(p), drives([p["M1"], p["M2"]])
        found[variant["name"]] = (m, tau, [p["k"]] * 2, variant["states"])
    file = reference("mf97_elastic_chain5")
    model = file["model"]
    found["chain"] = (planar_chain(model), drives(model["M"]), model["k"], file["states"])
    file = reference("mf97_spatial3")
    links = file["model"]["links"]
    tau, k = drives([link["M"] for link in links]), [link["k"] for link in links]
    found["spatial"] = (spatial_arm(file["model"]), tau, k, file["states"])
    return found


CASES = cases()
PLANAR = [name for name in CASES if name != "spatial"]


def states(name):
    m, tau, k, listed = CASES[name]
    for state in listed:
        yield m, tau, np.array(k), np.array(state["q"]), np.array(state["u"]), state["expected"]


def check_equations(name):
    """A, h, Psi, L, u' and the energies of a case's states."""
    for m, tau, k, q, u, expected in states(name):
        found = kb.papers.congruency(m, q, u, tau)
        close(found.A, expected["A"])
        close(found.h, expected["h"])
        close(found.Psi, expected["Psi"])
        close(found.L, expected["L_diagonal"])
        close(found.a, expected["udot"])
        energy = kb.energy(m, q, u)
        spring = 0.5 * np.sum(k * q[1::2] ** 2)
        close([energy.kinetic, energy.potential + spring], [expected["T"], expected["V"]])


@pytest.mark.parametrize("name", PLANAR)
def test_c17_c18_equations_of_the_planar_robots(name):
    """A, h, the transformation that makes A diagonal, and the accelerations, to 1e-11."""
    check_equations(name)


def test_c21_equations_of_the_spatial_arm():
    """The same for a spatial arm, whose angular partial velocities turn (dΩ/dt is not zero)."""
    check_equations("spatial")


@pytest.mark.parametrize("name", ["nominal_k825", "spatial"])
def test_c17_the_verbs_by_name(name):
    """mass_matrix is -A, forward and inverse dynamics are each other's inverse."""
    m, tau, _, q, u, expected = next(iter(states(name)))
    close(-kb.mass_matrix(m, q, **KANE), expected["A"])
    close(kb.forward_dynamics(m, q, u, tau, **KANE), expected["udot"])
    close(kb.inverse_dynamics(m, q, u, expected["udot"], **KANE), tau, 1e-9)
    close(kb.bias_forces(m, q, u, **KANE), np.array(expected["h"]) + tau)


def paper_data(p, q, u):
    """Equations (36)-(48) and (61)-(66) of the paper, as stacks over its four bodies."""
    length, Q, w = p["l"], q[::2] + q[1::2], u[::2] + u[1::2]
    n = np.array([np.cos(Q), np.sin(Q), 0 * Q]).T
    e = np.array([-np.sin(Q), np.cos(Q), 0 * Q]).T
    V, rate = np.zeros((4, 3, 4)), np.zeros((4, 3))  # rotor 1, link 1, rotor 2, link 2
    for body, first, second in ((1, length / 2, 0), (2, length, 0), (3, length, length / 2)):
        V[body, :, :2], V[body, :, 2:] = first * e[0][:, None], second * e[1][:, None]
        rate[body] = -first * w[0] ** 2 * n[0] - second * w[1] ** 2 * n[1]
    Gamma = np.zeros((4, 3, 4))
    Gamma[0, 2, 0] = Gamma[2, 2, 2] = 1
    Gamma[1, 2, :2] = Gamma[3, 2, 2:] = 1
    m = np.array([p["m1"], p["m2"]] * 2)
    tensors = np.array([np.diag([0, 0, x]) for x in (p["I1"], p["I2"]) * 2])
    f = np.array([[0, -x * p["g"], 0] for x in m])
    springs = p["k"] * q[1::2]
    M = np.zeros((4, 3))
    M[:, 2] = p["M1"] + springs[0], -springs[0], p["M2"] + springs[1], -springs[1]
    return Kane(V, Gamma, rate, 0 * rate, Gamma @ u, m, tensors, f, M, np.zeros(4))


def lagrange(p, q, u):
    """Accelerations by the rows (25)-(28), corrected, with the matrix inverted as in (32)-(35)."""
    Q, w = q[::2] + q[1::2], u[::2] + u[1::2]
    length, m1, m2, g = p["l"], p["m1"], p["m2"], p["g"]
    a, d = p["I2"] + (m1 + 1.25 * m2) * length**2, p["I2"] + 0.25 * m2 * length**2
    eta, angle = 0.5 * m2 * length**2, Q[0] - Q[1]
    c, s = eta * np.cos(angle), eta * np.sin(angle)
    first = s * w[1] ** 2 + (m1 + 1.5 * m2) * g * length * np.cos(Q[0])
    second = -s * w[0] ** 2 + 0.5 * m2 * g * length * np.cos(Q[1])
    I1, k = p["I1"], p["k"]
    matrix = [[I1 + a, a, c, c], [a, a, c, c], [c, c, I1 + d, d], [c, c, d, d]]
    rest = [p["M1"] - first, -first - k * q[1], p["M2"] - second, -second - k * q[3]]
    return np.linalg.solve(matrix, rest)


@pytest.mark.parametrize("variant", reference("mf97_two_link")["variants"], ids=lambda v: v["name"])
def test_c19_lagrange_and_kane_of_the_two_link_robot(variant):
    """The paper's two methods, and Korba's, give the same accelerations."""
    p = variant["parameters"]
    m, tau = two_link(p), drives([p["M1"], p["M2"]])
    for state in variant["states"]:
        q, u, expected = np.array(state["q"]), np.array(state["u"]), state["expected"]
        terms = paper_data(p, q, u)
        close(terms.A(), expected["A"])
        close(terms.h(), expected["h"])
        close(congruency(terms.A()).solved(terms.h()), expected["udot"])
        close(lagrange(p, q, u), expected["udot"])
        close(kb.forward_dynamics(m, q, u, tau), expected["udot"])


def test_c18_other_speeds_give_the_same_motion():
    """With q' = T u and a constant T the accelerations are T^-1 times those for T = 1."""
    state = reference("mf97_two_link")["variants"][0]
    q, u = (np.array(state["states"][1][key]) for key in ("q", "u"))
    terms = paper_data(state["parameters"], q, u)
    T = np.random.default_rng(0).normal(size=(4, 4))
    other = replace(terms, V=terms.V @ T, Gamma=terms.Gamma @ T, joints=T.T @ terms.joints)
    plain = congruency(terms.A()).solved(terms.h())
    close(T @ congruency(other.A()).solved(other.h()), plain, 1e-9)


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_c18_the_factors_make_a_symmetric_matrix_diagonal(size):
    """Psi' A Psi = L, L are the ratios of leading minors, and Psi L^-1 Psi' h solves A x = h."""
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size))
    A, h = -(root @ root.T + np.eye(size)), rng.normal(size=size)
    found = congruency(A)
    Psi = found.matrix()
    close(Psi.T @ A @ Psi, np.diag(found.L), 1e-13)
    close(np.triu(Psi), Psi)
    close(Psi.diagonal(), np.ones(size))
    minors = [1.0, *(np.linalg.det(A[:k, :k]) for k in range(1, size + 1))]
    close(found.L, np.array(minors[1:]) / minors[:-1], 1e-10)
    close(found.solved(h), np.linalg.solve(A, h), 1e-11)
    assert np.all(found.L < 0)


@pytest.mark.parametrize("variant", reference("mf97_two_link")["variants"], ids=lambda v: v["name"])
def test_c20_motion_of_the_two_link_robot(variant):
    """q, u and the energies of section 7 to 2 s, stiffness 825 and 100, to 1e-9."""
    p = variant["parameters"]
    table = variant["trajectory_from_rest_at_zero"]
    check_motion(two_link(p), drives([p["M1"], p["M2"]]), [p["k"]] * 2, table)


def test_c20_motion_of_the_chain_of_five():
    """Ten coordinates to 0.2 s, to 1e-9."""
    m, tau, k, _ = CASES["chain"]
    check_motion(m, tau, k, reference("mf97_elastic_chain5")["trajectory_from_rest_at_zero"])


def check_motion(m, tau, k, table):
    """From rest at zero, at the times of a table."""
    times = [row["t"] for row in table]
    run = kb.simulate(
        m, times[-1], tau=tau, times=times, method=kb.Method(rtol=1e-13, atol=1e-13, **KANE)
    )
    for row, q, u in zip(table, run.q, run.v, strict=True):
        close(q, row["q"], 1e-9)
        close(u, row["u"], 1e-9)
        energy = kb.energy(m, q, u)
        spring = 0.5 * np.sum(np.array(k) * q[1::2] ** 2)
        close([energy.kinetic, energy.potential + spring], [row["T"], row["V"]], 1e-9)
        close(row["T"] + row["V"], tau @ np.array(row["q"]), 1e-9)  # the work of the drives


@pytest.mark.parametrize("plane", [None, "xy"])
@pytest.mark.parametrize("ratio", [1.0, 40.0])
def test_c19_elastic_joints_with_gears_obey_their_rows(plane, ratio):
    """Rotor row: the gear's inertia, the drive and the spring; the spring with its damper acts on
    the link by k twist + c twist'."""
    rotor, spring = kb.Rotor(ratio, 0.6, 0.01 if plane else (0.01, 0.01, 0.01)), (300.0, 4.0)
    tensor = 0.2 if plane else (0.2, 0.2, 0.2)
    joint = kb.Revolute(
        "A", "ground", "arm", at=(0, 0, 0), rotor=rotor, elastic=kb.Elastic(*spring)
    )
    m = kb.Mechanism("one", [kb.Body("arm", 2.0, (0.5, 0, 0), tensor)], [joint], plane=plane)
    q, u, tau = np.array([0.4, -0.1]), np.array([0.7, 2.0]), np.array([5.0, 0.0])
    a = kb.forward_dynamics(m, q, u, tau, **KANE)
    force = spring[0] * q[1] + spring[1] * u[1]  # of the link on the rotor, through the spring
    assert m.coordinates == ("A.rotor", "A.twist")
    close(0.01 * ratio**2 * a[0], tau[0] + force, 1e-12)
    weight = 2.0 * 9.81 * 0.5 * np.cos(q.sum()) if plane else 0.0
    close((0.2 + 2.0 * 0.25) * a.sum(), -force - weight, 1e-12)
    close(kb.forward_dynamics(m, q, u, tau), a, 1e-12)


def test_c21_a_rotor_stands_where_its_frame_says():
    """An elastic joint whose rotor has a frame equals the same rotor as a body of its own."""
    place = kb.Frame((0.1, 0.2, 0.3), [0.4, 0.5, 0.0])
    rotor = kb.Rotor(1.0, 0.6, (0.02, 0.02, 0.03), place)
    hinge = {"at": (0, 0, 1), "axis": (0, 1, 1)}
    base = kb.Revolute("B", "ground", "base", at=(0, 0, 0), axis=(1, 0, 0))
    bodies = [
        kb.Body("base", 3.0, (0, 0, 0.5), (1, 1, 1)),
        kb.Body("arm", 1.0, (1, 1, 1), (1, 1, 1)),
    ]
    elastic = kb.Revolute("A", "base", "arm", **hinge, rotor=rotor, elastic=kb.Elastic(50.0, 2.0))
    m = kb.Mechanism("switch", bodies, [base, elastic])
    spin = kb.Body("spin", 0.6, inertia=(0.02, 0.02, 0.03))
    written = kb.Mechanism(
        "written",
        [*bodies, kb.Body("hub", frame=kb.Frame()), spin],
        [
            base,
            kb.Revolute("A.rotor", "base", "hub", **hinge),
            kb.Revolute("A.twist", "hub", "arm", **hinge),
            kb.Revolute("shaft", "base", "spin", on_parent=place),
        ],
        [kb.Coupling("gear", "shaft", "1*'A.rotor'")],
        [kb.JointForce("spring", "A.twist", stiffness=50.0, damping=2.0)],
    )
    rng = np.random.default_rng(1)
    q, u, tau = rng.normal(size=(3, 3))
    assert expanded(m).coordinates == written.coordinates
    close(kb.papers.congruency(m, q, u, tau).a, kb.papers.congruency(written, q, u, tau).a, 1e-12)

"""Maryniak & Malecki: trace-form Lagrange equations, lead-in chains, motors, programmed motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from maryniak_models import mechanism, motors, reference, row, states
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import trace
from korba.dynamics.theta import operator
from korba.expr import evaluate, parse

NAME = "lagrange-dh"
FILES = ["mm88_two_link_points", "mm88_arm6_two_rotors", "mm88_rrp_crank"]


@cache
def case(name):
    """A reference file and its mechanism."""
    file = reference(name)
    return file, mechanism(file["model"])


def agree(found, expected, tolerance=1e-11):
    """The spec's measure: largest deviation over the largest expected value, at least 1."""
    scale = max(1.0, float(np.abs(expected).max()))
    assert_allclose(np.asarray(found, dtype=float), expected, rtol=0, atol=tolerance * scale)


def dh(step, p):
    """The paper's (3.1), written out."""
    q, s = (p, 0.0) if step["f"] else (0.0, p)
    theta, al = np.radians(step["theta0_deg"]) + q, np.radians(step["alpha_deg"])
    c, s_, ca, sa = np.cos(theta), np.sin(theta), np.cos(al), np.sin(al)
    a, d = step["a"], step["s0"] + s
    return np.array(
        [
            [c, -s_ * ca, s_ * sa, a * c],
            [s_, c * ca, -c * sa, a * s_],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


def test_c01_tables_of_the_two_link_arm():
    """W and the tables U_ij, U_ijk are those of the reference, and so are the named entries."""
    file, m = case("mm88_two_link_points")
    part = file["intermediate"]
    q, v, _, _ = list(states(file))[part["of_state"]]
    terms = kb.papers.lagrange_terms(m, q, v)
    for key, expected in part.items():
        kind, _, digits = key.partition("_")
        names = [f"q{d}" for d in digits[1:]]
        if kind == "W":
            agree(terms.W[f"link{digits}"], expected)
        elif kind == "U":
            agree((terms.U if len(names) == 1 else terms.U2)[f"link{digits[0]}", *names], expected)


@pytest.mark.parametrize("name", FILES[1:])
def test_c01_denavit_hartenberg_steps_and_their_products(name):
    """T_i is (3.1), W_i their product, also along lead-in chains; points follow W."""
    file, m = case(name)
    q, v, _, _ = next(states(file))
    terms = kb.papers.lagrange_terms(m, q, v)
    W = np.eye(4)
    for i, link in enumerate(file["model"]["links"]):
        agree(terms.T[f"link{i + 1}"], dh(link, q[i]))
        W = W @ dh(link, q[i])
        agree(terms.W[f"link{i + 1}"], W)
    known = {f"q{i + 1}": x for i, x in enumerate(q)}
    for t, element in enumerate(file["model"]["elements"], start=1):
        values = [float(evaluate(parse(s["p"]).value, known)) for s in element["chain"]]
        W = np.linalg.multi_dot(
            [np.eye(4), *(dh(s, p) for s, p in zip(element["chain"], values, strict=True))]
        )
        agree(terms.W[f"element{t}"], W)


def test_c01_tables_are_derivatives_and_have_the_stated_size():
    """U_ij and U_ijk are finite differences of W; 21 and 56 of them for six joints in a row."""
    file, m = case("mm88_arm6_two_rotors")
    m = replace(m, bodies=m.bodies[:6], joints=m.joints[:6], couplings=())
    q, v, _, _ = next(states(file))
    terms, h = kb.papers.lagrange_terms(m, q, v), 1e-6
    assert len(terms.U) == 6 * 7 / 2
    assert len({(b, *sorted(names)) for b, *names in terms.U2}) == 6 * 7 * 8 / 6
    for k in range(6):
        up, down = (kb.papers.lagrange_terms(m, q + s * h * np.eye(6)[k], v) for s in (1, -1))
        zero = np.zeros((4, 4))
        for body, W in up.W.items():
            slope = (W - down.W[body]) / (2 * h)
            assert_allclose(terms.U.get((body, f"q{k + 1}"), zero), slope, atol=1e-8)
        for (body, j), U in up.U.items():
            slope = (U - down.U[body, j]) / (2 * h)
            assert_allclose(terms.U2.get((body, j, f"q{k + 1}"), zero), slope, atol=1e-8)


@pytest.mark.parametrize("place", [2, 5])
def test_c01_an_operator_costs_no_multiplication(place):
    """Theta X only moves rows, for a turning joint and for a sliding one."""
    theta = operator(np.eye(6)[place])
    program = trace(lambda x: theta @ x.reshape(4, 4), {"x": 16})
    assert program.operations.total == 0


@pytest.mark.parametrize("name", FILES)
def test_c02_main_chain(name):
    """A, C and energies of the main chain; b gives the velocity part of C (3.12)-(3.23)."""
    file, m = case(name)
    alone = replace(m, bodies=m.bodies[: m.nq], joints=m.joints[: m.nq], couplings=())
    for q, v, _, expected in states(file):
        terms = kb.papers.lagrange_terms(m, q, v)
        agree(terms.A_main, kb.mass_matrix(alone, q), 1e-13)
        agree(terms.C_main, kb.bias_forces(alone, q, v), 1e-13)
        weight = kb.bias_forces(alone, q, 0 * v)
        agree(np.einsum("ljk,j,k->l", terms.b_main, v, v) + weight, terms.C_main, 1e-13)
        kind = "main" if "E_K_main" in expected else "total"
        agree(sum(s.kinetic for s in terms.main.values()), expected[f"E_K_{kind}"])
        agree(sum(s.potential for s in terms.main.values()), expected[f"V_{kind}"])
        if kind == "total":
            agree(terms.A_main, expected["A"])


@pytest.mark.parametrize("name", FILES)
def test_c03_inverse_problem(name):
    """Torques for a given motion, and C split into velocities and gravity (3.67)."""
    file, m = case(name)
    for q, v, a, expected in states(file):
        agree(kb.inverse_dynamics(m, q, v, a, formulation=NAME), expected["M"])
        still = kb.bias_forces(m, q, 0 * v, formulation=NAME)
        moving = kb.bias_forces(m, q, v, gravity=(0, 0, 0), formulation=NAME)
        agree(still, expected["C_gravity"])
        agree(moving, expected["C_velocity"])


def test_c03_planar_chain_in_relative_angles():
    """The arm that three papers describe: torques, mass matrix and energies in relative angles."""
    file = reference("cross_planar3")
    m = mechanism(file["arm"])
    for state in file["states"]:
        e = state["expected"]
        q, v, a = (np.array(e[f"theta{d}_relative"]) for d in ("", "d", "dd"))
        agree(kb.inverse_dynamics(m, q, v, a, formulation=NAME), e["joint_torques"])
        agree(kb.mass_matrix(m, q, formulation=NAME), e["A_relative"])
        agree(kb.energy(m, q, v, formulation=NAME), [e["T"], e["V"]])


@pytest.mark.parametrize("variant", [0, 1], ids=["down", "up"])
def test_c04_programmed_motion_of_section_4(variant):
    """q, v, a and the moments against time, on the path to rounding, with the work they do."""
    file = reference("mm88_two_link_program")
    given = file["variants"][variant]
    _, t2, t3, _, t5 = given["t1_t5"]
    speed = kb.speed_profile(given["vmax"], rise=t2, cruise=t3 - t2)
    times = [line["t"] for line in given["table"]]
    m = mechanism(file["model"])
    motion = kb.programmed_motion(
        m,
        times,
        body="link2",
        direction=(given["sign"], 0, 0),
        speed=speed,
        q=np.radians(given["q0_deg"]),
        formulation=NAME,
    )
    for key, found in (
        ("q", motion.q),
        ("qd", motion.v),
        ("qdd", motion.a),
        ("M", motion.all_of("tau")),
    ):
        agree(found, np.array([line[key] for line in given["table"]]), 1e-11)
    assert motion["path_error"].max() < 1e-14
    point = motion.point("link2").position
    assert_allclose(point[:, 0], [line["x_O2"] for line in given["table"]], atol=1e-13)
    assert_allclose(point[0, :2], [given["x_O2_start"], given["y_O2"]], atol=1e-13)
    assert_allclose(point[:, 1], given["y_O2"], atol=1e-13)
    J = kb.jacobian(m, motion.q, "link2")[:, 3]
    along = np.einsum("tj,tj->t", J, motion.v)
    assert_allclose(along, [line["v"] for line in given["table"]], atol=1e-13)
    assert_allclose(np.degrees(motion.q[-1]), given["q_end_deg"], atol=1e-8)
    assert_allclose(motion["work"][-1], given["work_of_moments_J"], rtol=1e-11)
    assert t5 == pytest.approx(times[-1])


@pytest.mark.parametrize("variant", [0, 1], ids=["down", "up"])
def test_c04_peak_moments_of_section_4(variant):
    """The largest moments on 401 points, and when they are needed."""
    file = reference("mm88_two_link_program")
    given = file["variants"][variant]
    _, t2, t3, _, t5 = given["t1_t5"]
    motion = kb.programmed_motion(
        mechanism(file["model"]),
        np.linspace(0, t5, 401),
        body="link2",
        direction=(given["sign"], 0, 0),
        speed=kb.speed_profile(given["vmax"], rise=t2, cruise=t3 - t2),
        q=np.radians(given["q0_deg"]),
        formulation=NAME,
    )
    for peak in given["peak_moments_on_401_points"]:
        tau = motion.all_of("tau")[:, peak["joint"] - 1]
        at = np.abs(tau).argmax()
        assert_allclose(tau[at], peak["M"], rtol=1e-10)
        assert_allclose(motion.t[at], peak["t"], atol=1e-4)


@pytest.mark.parametrize("name", FILES[1:])
def test_c05_accompanying_elements(name):
    """A = A_G + sum gamma, C = C_G + sum beta, and the energies of every element (3.24)-(3.68)."""
    file, m = case(name)
    for q, v, _, expected in states(file):
        agree(kb.mass_matrix(m, q, formulation=NAME), expected["A"])
        T, V = kb.energy(m, q, v, formulation=NAME)
        agree([T, V], [expected["E_K_total"], expected["V_total"]])
        terms = kb.papers.lagrange_terms(m, q, v)
        shares = [s for body, s in terms.elements.items() if body.startswith("element")]
        agree([s.kinetic for s in shares], expected["E_K_elements"])
        agree([s.potential for s in shares], expected["V_elements"])
        agree(terms.A_main + sum(s.gamma for s in shares), expected["A"])
        C = np.add(expected["C_velocity"], expected["C_gravity"])
        agree(terms.C_main + sum(s.beta_1 + s.beta_2 for s in shares), C)
        for s in shares:
            agree(s.gamma, s.P.T @ s.R @ s.P)
            assert_allclose(s.R, s.R.T, atol=1e-13)
            assert np.any(s.beta_1 != 0) == (file["id"] == "mm88_rrp_crank" and s is not shares[0])


@pytest.mark.parametrize("name", FILES[1:])
def test_c06_motor_torques(name):
    """Torques on lead-in coordinates come back through the lead-in functions (3.63)-(3.66)."""
    file, m = case(name)
    forward = file["forward"]
    torques = dict(zip(motors(file["model"]), forward["motor_torques"], strict=True))
    direct = np.array(forward["direct_generalised_forces"])
    mu = kb.generalised_forces(m, forward["q"], torques)
    agree(mu + direct, forward["expected"]["mu"])
    by_joint = {f"q{i + 1}": x for i, x in enumerate(direct)}
    agree(kb.generalised_forces(m, forward["q"], torques | by_joint), forward["expected"]["mu"])
    loaded = replace(m, forces=[kb.JointForce(f"motor {p}", p, law=x) for p, x in torques.items()])
    plain, with_motors = (kb.bias_forces(x, forward["q"], forward["qd"]) for x in (m, loaded))
    agree(plain - with_motors, mu)


def test_c06_generalised_forces_take_batches_and_name_what_is_wrong():
    """Arrays of states and torques broadcast; an unknown joint is named."""
    file, m = case("mm88_rrp_crank")
    q = np.array([q for q, *_ in states(file)])
    force = np.array([1.0, -2.0, 3.0])
    found = kb.generalised_forces(m, q, {"p2_2": force, "q1": 0.5})
    assert found.shape == (3, 3)
    one = kb.generalised_forces(m, q[1], {"p2_2": -2.0}) + np.array([0.5, 0, 0])
    assert_allclose(found[1], one, rtol=1e-14)
    assert_allclose(kb.generalised_forces(m, q, {}), np.zeros((3, 3)))
    with pytest.raises(kb.StructureError, match=r"'p9'.*p1_1"):
        kb.generalised_forces(m, q, {"p9": 1.0})


@pytest.mark.parametrize("name", FILES[1:])
def test_c07_direct_problem(name):
    """Accelerations from motor torques and direct forces (3.67)."""
    file, m = case(name)
    forward = file["forward"]
    mu = forward["expected"]["mu"]
    found = kb.forward_dynamics(m, forward["q"], forward["qd"], mu, formulation=NAME)
    agree(found, forward["expected"]["qdd"])
    torques = zip(motors(file["model"]), forward["motor_torques"], strict=True)
    forces = [kb.JointForce(f"motor {p}", p, law=x) for p, x in torques]
    direct = forward["direct_generalised_forces"]
    driven = replace(m, forces=forces)
    agree(
        kb.forward_dynamics(driven, forward["q"], forward["qd"], direct, formulation=NAME),
        forward["expected"]["qdd"],
    )


def test_a_rotor_that_turns_with_its_joint_is_glued_to_the_link():
    """An element with p = q_j about the axis of joint j equals the same body on link j."""
    file = reference("mm88_rrp_crank")
    model = file["model"]
    arm = mechanism(model | {"elements": []})
    element = model["elements"][0]
    steps = [*model["links"][:2]]
    rows = [row(s, name=f"p{k}", link=f"lead{k}") for k, s in enumerate(steps)]
    rows[-1] |= {"B": element["B"]}
    chain = kb.from_dh(rows)
    led = replace(
        arm,
        bodies=arm.bodies + chain.bodies,
        joints=arm.joints + chain.joints,
        couplings=[kb.Coupling("one", "p0", "q1"), kb.Coupling("two", "p1", "q2")],
    )
    links = [dict(link) for link in model["links"]]
    links[1]["B"] = np.add(links[1]["B"], element["B"])
    glued = mechanism(model | {"elements": [], "links": links})
    q, v, a, _ = next(states(file))
    for name in (NAME, "newton-euler"):
        agree(
            kb.inverse_dynamics(led, q, v, a, formulation=name),
            kb.inverse_dynamics(glued, q, v, a),
            1e-13,
        )


def test_a_lead_in_chain_equals_a_rotor_on_its_carrier():
    """The joint's `rotor`, with its frame on the carrier, is the same element."""
    file = reference("mm88_arm6_two_rotors")
    model = file["model"]
    arm = mechanism(model | {"elements": []})
    element = model["elements"][0]
    step, spin = element["chain"]
    at_zero = dh(model["links"][0], 0.0)
    X = np.linalg.solve(at_zero, dh(step, 0.0)) @ dh(spin, 0.0)
    X[:3, 3] += X[:3, :3] @ element["c"]
    frame = kb.Frame(X[:3, 3], X[:3, :3])
    rotor = kb.Rotor(62.5, element["m"], element["I"], frame)
    joints = [replace(j, rotor=rotor) if j.name == "q2" else j for j in arm.joints]
    carried = replace(arm, joints=joints)
    led = mechanism(model | {"elements": [element]})
    for q, v, a, _ in states(file):
        found = kb.inverse_dynamics(carried, q, v, a, formulation=NAME)
        agree(found, kb.inverse_dynamics(led, q, v, a, formulation=NAME), 1e-12)
    agree(kb.generalised_forces(carried, q, {"q2.shaft": 0.36}), [0, 22.5, 0, 0, 0, 0])


def test_a_motor_on_the_rotor_is_a_motor_behind_the_gear():
    """Torque constant, resistance, back-EMF and ratio: on the shaft, or through Motor.ratio."""
    arm = kb.from_dh([{"a": 0.5, "mass": 2.0, "com": (-0.2, 0, 0)}], gravity=(0, -9.81, 0))
    rotor = kb.Rotor(ratio=40.0, mass=0.3, inertia=(1e-4, 1e-4, 2e-4))
    arm = replace(arm, joints=[replace(arm.joints[0], rotor=rotor)])
    electric = {"torque_constant": 0.05, "resistance": 1.2, "back_emf": 0.06, "efficiency": 0.8}
    geared = kb.Motor("m", "q1", "24 V", ratio=40.0, **electric)
    whole = kb.expanded(arm)
    on_shaft = kb.Motor("m", "q1.shaft", "24 V", **electric)
    q, v = np.array([0.3]), np.array([2.0])
    one, two = (
        kb.forward_dynamics(replace(x, forces=[force]), q, v, [0.0], formulation=NAME)
        for x, force in ((arm, geared), (whole, on_shaft))
    )
    current = (24 - 0.06 * 40 * 2.0) / 1.2
    inertia = 2.0 * 0.3**2 + 2e-4 * 40**2
    weight = 2.0 * 9.81 * 0.3 * np.cos(0.3)
    assert_allclose(one, [(40 * 0.8 * 0.05 * current - weight) / inertia], rtol=1e-12)
    assert_allclose(two, one, rtol=1e-12)

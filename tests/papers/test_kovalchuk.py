"""Kovalchuk, Kulakov & Semenov: block-matrix equations of trees, against files and as laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kovalchuk_models import close, loads, reference, state_of, tree, wrenches
from numpy.testing import assert_allclose

import korba as kb
from korba.dynamics import block_matrix
from korba.forces.loads import loads_at
from korba.kinematics.blocks import blocks, reachability
from korba.kinematics.velocity import body_pose
from korba.system.system import System
from korba.system.tree import tree_of

BLOCK = {"formulation": "block-matrix"}
FILES = ["kks_tree7", "kks_biped18"]
EACH_STATE = pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name in FILES for number in (0, 1)]
)


def numbers(array):
    return np.asarray(array, dtype=float)


@pytest.fixture(scope="module")
def files():
    """Files, their mechanisms without loads, and where the file's links are in Korba's order."""
    found = {}
    for name in FILES:
        file = reference(name)
        m = tree(file["model"])
        t = tree_of(m)
        order = [t.number(str(i)) for i in range(1, len(t.links) + 1)]
        found[name] = file, m, t, order
    return found


def loaded(file_of, state):
    """The mechanism with the loads of a state."""
    _, m, t, _ = file_of
    poses = {body.name: body_pose(t, state_of(state)[0], body.name) for body in m.bodies}
    return replace(m, forces=loads(state, poses))


@pytest.mark.parametrize("name", FILES)
def test_c12_the_reachability_matrix_is_the_files(files, name):
    """D_ij = 1 where link i is link j or hangs on it; D = (E - F)^-1."""
    file, _, t, order = files[name]
    D = reachability(t)
    assert np.array_equal(D[np.ix_(order, order)], file["D"])
    F = np.zeros_like(D)
    for i, link in enumerate(t.links):
        if link.parent >= 0:
            F[i, link.parent] = 1
    assert_allclose(np.linalg.inv(np.eye(len(D)) - F), D, atol=1e-14)


@pytest.mark.parametrize("number", [0, 1])
def test_c12_axes_and_origins_of_all_links(files, number):
    """Joint axes, main origins, joint origins and arms of the seven links, in the world."""
    file, m, t, order = files["kks_tree7"]
    state = file["states"][number]
    q, v, _ = state_of(state)
    b, terms, expected = blocks(t, q), kb.papers.block_terms(m, q, v), state["expected"]
    axes = [numbers(Z + U)[:, 0] for Z, U in zip(b.Z, b.U, strict=True)]  # one of them is zero
    close(np.array(axes)[order], expected["z"])
    close(terms.origin, expected["origin"])
    close(terms.joint_origin, expected["joint_origin"])
    masses = np.array([body.mass for body in m.bodies])
    close(masses @ terms.com / masses.sum(), expected["com"])
    D, origins, joints = (np.array(x) for x in (file["D"], terms.origin, terms.joint_origin))
    close(terms.arms, D[:, :, None] * (origins[:, None] - joints[None, :]))


@pytest.mark.parametrize("number", [0, 1])
def test_c13_velocities_and_accelerations_of_all_links(files, number):
    """w, v, eps and the accelerations of origins and mass centres, from (8)-(18)."""
    file, m, _, _ = files["kks_tree7"]
    state = file["states"][number]
    terms, expected = kb.papers.block_terms(m, *state_of(state)), state["expected"]
    _, v, _ = state_of(state)
    close(terms.w, expected["omega"])
    close(terms.B_w @ v, expected["omega"])
    close(terms.v_origin, expected["v_origin"])
    close(terms.eps, expected["eps"])
    close(terms.a_origin, expected["a_origin"])
    close(terms.a_com, expected["a_com"])


@EACH_STATE
def test_c13_energies_and_momenta(files, name, number):
    """T, V, the momenta and the biped's centre of mass, from the velocities of all links."""
    file, m, _, _ = files[name]
    state = file["states"][number]
    (q, v, _), expected = state_of(state), state["expected"]
    close(kb.energy(m, q, v), [expected["T"], expected["V"]])
    total, com = kb.momentum(m, q, v), kb.centre_of_mass(m, q)
    close(total[3:], expected["linear_momentum"])
    close(total[:3] - np.cross(com, total[3:]), expected["angular_momentum_about_com"])
    close(com, expected["com"])


@EACH_STATE
def test_c14_forces_and_moments_in_every_joint(files, name, number):
    """f and n of father on son, about the joint's frame on the father; loads given in two ways."""
    file, m, _, _ = files[name]
    state = file["states"][number]
    expected = state["expected"]
    answers = [kb.reactions(m, *state_of(state), at="parent", external=wrenches(state))]
    if name == "kks_tree7":
        answers.append(kb.reactions(loaded(files[name], state), *state_of(state), at="parent"))
    for found in answers:
        close(found.force, expected["f"])
        close(found.moment, expected["n"])
    assert found.joints == tuple(f"q{i}" for i in range(1, len(expected["f"]) + 1))
    assert_allclose(found["q2"].moment, found.moment[1])


@EACH_STATE
def test_c15_drive_forces_and_matrices(files, name, number):
    """tau, A, the velocity and gravity terms and the generalised loads, by the verbs."""
    file, m, t, _ = files[name]
    state = file["states"][number]
    (q, v, a), expected = state_of(state), state["expected"]
    close(kb.inverse_dynamics(loaded(files[name], state), q, v, a, **BLOCK), expected["tau"])
    close(kb.mass_matrix(m, q, **BLOCK), expected["A"])
    still = System(t, np.zeros(3))
    close(block_matrix.FORMULATION.verbs["bias_forces"](still, q, v), expected["velocity_term"])
    close(
        block_matrix.FORMULATION.verbs["bias_forces"](System(t, t.gravity), q, 0 * v),
        expected["gravity_term"],
    )


@EACH_STATE
def test_c15_the_equation_in_matrices(files, name, number):
    """A a + B v - C f_e - D n_e = tau, with the signs corrected; gravity is among the loads."""
    file, _, _, _ = files[name]
    state = file["states"][number]
    (q, v, a), expected = state_of(state), state["expected"]
    terms = kb.papers.block_terms(loaded(files[name], state), q, v, a)
    loads_part = terms.C @ terms.f_e.ravel() + terms.D @ terms.n_e.ravel()
    close(terms.A, expected["A"])
    close(terms.B @ v, expected["velocity_term"])
    close(terms.b, np.zeros(len(v)))
    close(loads_part, np.subtract(expected["external_generalised"], expected["gravity_term"]))
    close(terms.A @ a + terms.B @ v - loads_part, expected["tau"])


def test_c15_loads_count_about_the_joints_of_the_paper(files):
    """C and D are transposed Jacobians of the joint origins, where the loads are reduced."""
    file, m, t, _ = files["kks_tree7"]
    q, v, _ = state_of(file["states"][0])
    terms = kb.papers.block_terms(m, q, v)
    for i, body in enumerate(terms.bodies):
        at = body_pose(t, q, body).inverse().point(terms.joint_origin[i])
        J = kb.jacobian(m, q, body, at)
        close(terms.D[:, 3 * i : 3 * i + 3], J[:3].T)
        close(terms.C[:, 3 * i : 3 * i + 3], J[3:].T)


def test_c15_the_direct_problem_by_name(files):
    """The verb forward_dynamics takes the formulation by its name, with the loads."""
    file, _, _, _ = files["kks_tree7"]
    state = file["forward"][0]
    q, v = state_of(state)
    pushed = loaded(files["kks_tree7"], state)
    found = kb.forward_dynamics(pushed, q, v, state["tau"], **BLOCK)
    close(found, state["expected"]["qdd"])


@pytest.mark.parametrize("name", FILES)
def test_c15_the_direct_problem(files, name):
    """Accelerations from the drive forces, with the loads."""
    for state in files[name][0]["forward"]:
        q, v = state_of(state)
        found = block_matrix.FORMULATION.verbs["forward_dynamics"](
            _system(loaded(files[name], state)), q, v, state["tau"]
        )
        close(found, state["expected"]["qdd"])


def test_c15_the_planar_chain_of_three_papers():
    """The chain of the cross file, as a tree: torques and the mass matrix in relative angles."""
    file = reference("cross_planar3")
    m = tree(file["tree"])
    for state in file["states"]:
        expected = state["expected"]
        q, v, a = (np.array(expected[f"theta{dots}_relative"]) for dots in ("", "d", "dd"))
        close(kb.inverse_dynamics(m, q, v, a, **BLOCK), expected["joint_torques"])
        close(kb.mass_matrix(m, q, **BLOCK), expected["A_relative"])


def test_c16_the_first_forces_are_the_rate_of_momentum(files):
    """tau_1..3 of the floating biped: rate of its momentum less gravity and contact forces."""
    file, m, t, _ = files["kks_biped18"]
    for state in file["states"]:
        (q, v, a), h = state_of(state), 1e-5
        moving = [kb.momentum(m, q + s * v + 0.5 * s * s * a, v + s * a)[3:] for s in (-h, h)]
        mass = sum(link.mass for link in t.links)
        push = sum((np.array(load["force"]) for load in state.get("external", ())), np.zeros(3))
        rate = (moving[1] - moving[0]) / (2 * h) - mass * t.gravity - push
        assert_allclose(rate, state["expected"]["tau"][:3], atol=1e-5)


def test_c16_free_flight_of_the_biped(files):
    """Motion, energies and momenta of the falling biped to 0.05 s, to the digits of the file."""
    from scipy.integrate import solve_ivp

    file, m, _, _ = files["kks_biped18"]
    flight = file["trajectory"]
    tau, n = np.array(flight["tau"]), m.nv
    f = kb.compile(kb.forward_dynamics, m, **BLOCK)
    start = np.concatenate([flight["q0"], flight["qd0"]])
    found = solve_ivp(
        lambda _, y: np.concatenate([y[n:], f(y[:n], y[n:], tau)]),
        (0, flight["times"][-1]),
        start,
        "DOP853",
        t_eval=[row["t"] for row in flight["table"]],
        rtol=1e-13,
        atol=1e-13,
    )
    for row, y in zip(flight["table"], found.y.T, strict=True):
        close(y[:n], row["q"], 1e-9)
        close(y[n:], row["qd"], 1e-9)
        energy, total = kb.energy(m, y[:n], y[n:]), kb.momentum(m, y[:n], y[n:])
        close([energy.kinetic, energy.potential], [row["T"], row["V"]], 1e-9)
        close(total[3:], row["linear_momentum"], 1e-9)
        close(total[:3] - np.cross(_com(m, y[:n]), total[3:]), row["angular_momentum_about_com"])


def _com(m, q):
    """Centre of mass of the whole: from the potential energies under three unit gravities."""
    mass = sum(body.mass for body in m.bodies)
    return [-float(kb.energy(m, q, 0 * q, gravity=e).potential) / mass for e in np.eye(3)]


def test_c16_a_free_joint_does_without_the_fictitious_chain(files):
    """Legs accelerate, and are loaded, alike on a free joint and on the chain of six."""
    file, m, t, _ = files["kks_biped18"]
    state = file["forward"][0]
    q, v = state_of(state)
    tau = np.array(state["tau"])
    trunk = body_pose(t, q, "6")
    bodies = [replace(body, frame=None) for body in m.bodies[5:]]
    base = kb.Free("base", "ground", "6", on_parent=kb.Frame())
    free = replace(m, bodies=bodies, joints=[base, *m.joints[6:]])
    q_free = np.concatenate([trunk.p, _quaternion(trunk.R), q[6:]])
    twist = kb.jacobian(m, q, "6") @ v
    v_free = np.concatenate([trunk.R.T @ twist[:3], trunk.R.T @ twist[3:], v[6:]])
    contact = wrenches(state)
    acting = loads(state, {link.name: body_pose(t, q, link.name) for link in t.links})
    one, two = (
        numbers(
            block_matrix.FORMULATION.verbs["forward_dynamics"](
                _system(replace(one_of, forces=acting)), *at, tau
            )
        )
        for one_of, at in ((m, (q, v)), (free, (q_free, v_free)))
    )
    close(two[6:], one[6:], 1e-10)
    chain = kb.reactions(m, q, v, one, external=contact)
    direct = kb.reactions(free, q_free, v_free, two, external=contact)
    close(direct.force[1:], chain.force[6:], 1e-10)
    close(direct.moment[1:], chain.moment[6:], 1e-10)
    close(direct["base"].force, np.zeros(3), 1e-9)


def _system(m):
    t = tree_of(m)
    return System(t, t.gravity, lambda q_all, v_all: loads_at(t, q_all, v_all))


def _quaternion(R):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(numbers(R)).as_quat()
    return [w, x, y, z]


def test_c14_questions_that_cannot_be_answered_say_why(files):
    """An unknown joint, body or side is named."""
    _, m, _, _ = files["kks_tree7"]
    zero = np.zeros(m.nv)
    with pytest.raises(kb.StructureError, match="no joint 'elbow'"):
        kb.reactions(m, zero, zero, zero)["elbow"]
    with pytest.raises(kb.ModelError, match="no body 'hand'"):
        kb.reactions(m, zero, zero, zero, external={"hand": np.zeros(6)})
    with pytest.raises(kb.StructureError, match="'child' or 'parent'"):
        kb.reactions(m, zero, zero, zero, at="middle")


def test_c14_loads_may_depend_on_time_and_loops_need_drives():
    """A load 2 t takes its share off the reaction; a closed one needs drives."""
    body = kb.Body("bar", 2.0, (0.5, 0, 0), (1, 1, 1))
    hinge = kb.Revolute("A", "ground", "bar", at=(0, 0, 0), axis=(0, 1, 0))
    push = kb.PointForce("push", "bar", (0, 0, "2*t"), (1, 0, 0))
    m = kb.Mechanism("bar", [body], [hinge], forces=[push])
    found = kb.reactions(m, [0.0], [0.0], [0.0], t=np.array([0.0, 3.0]))
    close(found.force[:, 0], [[0, 0, 19.62], [0, 0, 13.62]])
    close(found["A"].moment, [[0, -9.81, 0], [0, -3.81, 0]])
    closed = replace(m, joints=[hinge, replace(hinge, name="B")])
    with pytest.raises(kb.StructureError, match="no drive moves"):
        kb.reactions(closed, *np.zeros((3, 2)))

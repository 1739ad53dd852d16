"""Dunskaya & Pyatnitsky's a(q) and L_0(q): natural systems with terms linear in velocities."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

FREE = (0.0, 0.0, 0.0)


def puck(mass=2.0):
    """A mass that slides freely in a plane."""
    joints = [
        kb.Prismatic("x", "ground", "slide", at=(0, 0), axis=(1, 0)),
        kb.Prismatic("y", "slide", "puck", at=(0, 0), axis=(0, 1)),
    ]
    bodies = [kb.Body("slide"), kb.Body("puck", mass, inertia=1)]
    return kb.Mechanism("puck", bodies, joints, plane="xy", gravity=FREE)


@pytest.mark.parametrize("solver", ["conjugate", "minimal-residual"])
def test_a_charge_in_a_magnetic_field_goes_round(solver):
    """x'' = w y', y'' = -w x', w = B/m: a circle; p = A z + a and H = T stay as they must."""
    m, w = puck(), 3.0
    a = {"x": "-3*y", "y": "3*x"}  # B/2 = m w/2
    run = kb.papers.semi_canonical(
        m, 1.0, step=1e-3, q=[0.1, 0.2], v=[1.0, -0.5], a=a, solver=solver, scheme="dop853"
    )
    turn = np.array([[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]])
    assert_allclose(run.v[-1], turn @ [1.0, -0.5], atol=1e-9)
    p = 2.0 * run.v + 3.0 * np.stack([-run.q[:, 1], run.q[:, 0]], axis=1)
    assert_allclose(run.all_of("p"), p, atol=1e-8)
    assert_allclose(run["hamiltonian"], 1.25, atol=1e-9)
    assert_allclose(run.a[0], [w * -0.5, -w * 1.0], atol=1e-12)
    back = kb.papers.semi_canonical_state(m, run.q[-1], p=p[-1], a=a, solver=solver)
    assert_allclose(back.v, run.v[-1], atol=1e-8)


def test_one_step_of_the_paper_with_linear_terms():
    """(3.1): q' = q + h z, p' = p + h (da/dq)'z, with z of A z = p - a(q)."""
    m, q, p = puck(), np.array([0.4, -0.3]), np.array([1.0, 0.7])
    a = {"x": "y^2", "y": "x*y"}
    run = kb.papers.semi_canonical(m, 0.1, step=0.1, q=q, p=p, a=a, scheme="euler")
    z = (p - [q[1] ** 2, q[0] * q[1]]) / 2.0
    slope = [q[1] * z[1], 2 * q[1] * z[0] + q[0] * z[1]]
    assert_allclose(run.q[1], q + 0.1 * z, atol=1e-12)
    assert_allclose(run.all_of("p")[1], p + 0.1 * np.array(slope), atol=1e-12)
    state = kb.papers.semi_canonical_state(m, q, p=p, a=a)
    assert_allclose(state.slope, slope, atol=1e-12)
    assert_allclose(state.p, p)
    assert_allclose(state.kinetic, z @ z, atol=1e-12)


def test_a_turntable_by_its_terms_is_a_turntable_that_is_driven():
    """Seen from the table the puck has a and L_0; its way in the world is a straight line, and the
    mechanism with a driven table moves alike.
    """
    w, m, q, v = 1.3, puck(), [0.3, 0.1], [0.2, -0.4]
    a, L0 = {"x": f"-2*{w}*y", "y": f"2*{w}*x"}, f"{w}^2*(x^2 + y^2)"
    run = kb.papers.semi_canonical(m, 1.0, step=1e-3, q=q, v=v, a=a, L0=L0)
    turn = np.array([[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]])
    start = np.array(v) + w * np.array([-q[1], q[0]])
    assert_allclose(turn @ run.q[-1], q + start, atol=1e-9)
    table = kb.Mechanism(
        "table",
        [kb.Body("table", 1, inertia=1), *m.bodies],
        [
            kb.Revolute("T", "ground", "table", at=(0, 0)),
            kb.Prismatic("x", "table", "slide", at=(0, 0), axis=(1, 0)),
            m.joints[1],
        ],
        plane="xy",
        gravity=FREE,
        drives=[kb.JointDrive("turn", "T", f"{w} rad/s*t")],
    )
    driven = kb.papers.semi_canonical(table, 1.0, step=1e-3, q=[0, *q], v=[w, *v])
    assert_allclose(driven.q[-1, 1:], run.q[-1], atol=1e-9)
    assert_allclose(driven.all_of("p")[:, 1:], run.all_of("p"), atol=1e-9)


@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_terms_are_slopes_of_the_lagrangian_and_forces(seed):
    """dL/dq and p are slopes of L by differences; H is kept; forces in simulate move it alike."""
    rng = np.random.default_rng(seed)
    bodies = [kb.Body(n, *rng.uniform(0.5, 1, 1), com=(0.4, 0.1), inertia=0.1) for n in "ab"]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(0.8, 0)),
    ]
    m = kb.Mechanism("arm", bodies, joints, plane="xy")
    c, d = rng.uniform(0.2, 1, 2).round(3).tolist()
    terms = {"a": {"A": f"{c}*sin(B)", "B": f"{d}*A^2"}, "L0": f"{c}*cos(A)*B"}

    def lagrangian(q, v):
        T, V = kb.energy(m, q, v)
        A, B = q
        linear = c * np.sin(B) * v[0] + d * A**2 * v[1]
        return T - V + linear + c * np.cos(A) * B

    q, v = rng.normal(size=(2, 2))
    state, h = kb.papers.semi_canonical_state(m, q, v=v, **terms), 1e-6
    for k, e in enumerate(np.eye(2) * h):
        slope = (lagrangian(q + e, v) - lagrangian(q - e, v)) / (2 * h)
        momentum = (lagrangian(q, v + e) - lagrangian(q, v - e)) / (2 * h)
        assert_allclose((state.slope[k], state.p[k]), (slope, momentum), atol=1e-7)
    run = kb.papers.semi_canonical(m, 0.5, step=1e-3, q=q, v=v, scheme="rk4", **terms)
    assert_allclose(run["hamiltonian"], run["hamiltonian"][0], atol=1e-8)
    gyroscopic = f"(2*{d}*A - {c}*cos(B))"
    tau = {"A": f"{gyroscopic}*v_B - {c}*sin(A)*B", "B": f"-{gyroscopic}*v_A + {c}*cos(A)"}
    other = kb.simulate(m, 0.5, q=q, v=v, tau=tau, times=[0.5], method=kb.Method(rtol=1e-11))
    assert_allclose(run.q[-1], other.q[-1], atol=1e-7)
    assert_allclose(run.a[0], other_accelerations(m, q, v, c, d), atol=1e-9)


def other_accelerations(m, q, v, c, d):
    """Of the arm under the terms as forces."""
    turn = 2 * d * q[0] - c * np.cos(q[1])
    forces = [turn * v[1] - c * np.sin(q[0]) * q[1], -turn * v[0] + c * np.cos(q[0])]
    return kb.forward_dynamics(m, q, v, forces)


def test_terms_that_do_not_fit_are_refused():
    """A coordinate that is not there, and velocities that are no rates."""
    with pytest.raises(kb.StructureError, match="a: there is no coordinate 'z'"):
        kb.papers.semi_canonical_state(puck(), [0, 0], v=[0, 0], a={"z": 1})
    ball = kb.Body("ball", 1, (0.1, 0, 0), (0.1, 0.1, 0.1))
    m = kb.Mechanism("ball", [ball], [kb.Spherical("S", "ground", "ball", at=(0, 0, 0))])
    with pytest.raises(kb.StructureError, match="velocities that are no rates of coordinates"):
        kb.papers.semi_canonical_state(m, [1, 0, 0, 0], v=[0, 0, 0], L0="t")

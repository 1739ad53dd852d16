"""Derivatives of the verbs: on trees of many joints, against differences and each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program
from korba.dynamics import composite_slopes
from korba.dynamics.factored import factored
from korba.system.tree import tree_of

EPS = np.finfo(float).eps
H = 1e-6


def moments(rng):
    A = rng.normal(size=(3, 3))
    full = A @ A.T
    tensor = np.trace(full) * np.eye(3) - full
    return 0.5 * (tensor + tensor.T)


def branched(seed):
    """A floating body with two arms, one on a joint whose axes move, and a force in time."""
    rng = np.random.default_rng(seed)
    bodies = [kb.Body(n, rng.uniform(1, 2), rng.normal(size=3), moments(rng)) for n in "abc"]
    place = [{key: rng.normal(size=3) for key in ("at", "axis", "x_axis")} for _ in bodies]
    joints = [
        kb.Free("base", "ground", "a"),
        kb.Revolute("one", "a", "b", damping=0.3, **place[1]),
        kb.Universal("two", "a", "c", **place[2]),
    ]
    forces = [kb.JointForce("law", "one", law="3*t*sin(one) - 0.2*abs(one)")]
    return kb.Mechanism("branched", bodies, joints, forces=forces)


def axial(seed=7):
    """A branching tree of joints about fixed axes, one turned round, with loads of every sort."""
    rng = np.random.default_rng(seed)
    bodies = [kb.Body(n, rng.uniform(1, 2), rng.normal(size=3), moments(rng)) for n in "abcdef"]
    ends = [("ground", "a"), ("b", "a"), ("b", "c"), ("a", "d"), ("d", "e"), ("c", "f")]
    kinds = [kb.Revolute, kb.Cylindrical, kb.Prismatic, kb.Screw, kb.Revolute, kb.Revolute]
    joints = []
    for i, (kind, (parent, child)) in enumerate(zip(kinds, ends, strict=True)):
        place = {key: rng.normal(size=3) for key in ("at", "axis", "x_axis")}
        more = {"lead": 0.2} if kind is kb.Screw else {}
        joints.append(kind(f"j{i}", parent, child, damping=0.1 * i, **place, **more))
    forces = [
        kb.JointForce("law", "j4", law="-2*j4 + 0.3*t"),
        kb.Spring("spring", "ground", (0, 1, 0), "f", (0.2, 0, 0), stiffness=5, free_length=0.3),
    ]
    return kb.Mechanism("axial", bodies, joints, forces=forces)


def coupled():
    """A chain in which the third angle follows the first two."""
    rng = np.random.default_rng(5)
    bodies = [kb.Body(name, 1, rng.normal(size=3), moments(rng)) for name in "abc"]
    ends = ["ground", "a", "b", "c"]
    joints = [
        kb.Revolute(f"j{i}", ends[i], ends[i + 1], at=rng.normal(size=3), axis=rng.normal(size=3))
        for i in range(3)
    ]
    return kb.Mechanism("coupled", bodies, joints, [kb.Coupling("c", "j2", "0.4*j0^2 - j1")])


def state(m, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.8, 0.8, m.nq)
    if m.nq > m.nv:
        q[3:7] /= np.linalg.norm(q[3:7])
    return [q, rng.normal(size=m.nv), rng.normal(size=m.nv)]


def differences(program, inputs, by):
    """Central differences of all results of a program by one of its inputs."""
    names = [name for name, _ in program.inputs]
    columns = []
    for e in np.eye(len(inputs[names.index(by)])):
        sides = []
        for h in (H, -H):
            moved = [x + h * e if name == by else x for name, x in zip(names, inputs, strict=True)]
            found = evaluate_program(program, *moved)
            sides.append(
                np.ravel(found if program.single else np.concatenate(np.atleast_2d(found)))
            )
        columns.append((sides[0] - sides[1]) / (2 * H))
    return np.array(columns).T


MECHANISMS = [
    pytest.param(lambda: branched(1), id="branched"),
    pytest.param(coupled, id="coupled"),
    pytest.param(axial, id="axial"),
]


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize(
    ("verb", "last"), [(kb.inverse_dynamics, "a"), (kb.forward_dynamics, "tau")]
)
def test_all_partials_of_one_program(make, verb, last):
    """Every partial derivative by (q, v, a or tau, t) is what central differences give."""
    m = make()
    timed = bool(m.forces)
    by = ("q", "v", last, *(["t"] if timed else []))
    inputs = [*state(m), *([np.array([0.7])] if timed else [])]
    partials = evaluate_program(kb.derivative(verb, m, by), *inputs)
    plain = kb.derivative(verb, m, "q")
    value = verb.program(m)
    for name, found in zip(by, partials, strict=True):
        expected = differences(value, inputs, name)
        assert_allclose(found, expected, atol=2e-7 * max(1, np.abs(expected).max()))
    assert_allclose(evaluate_program(plain, *inputs), partials[0], rtol=1e-9)


@pytest.mark.parametrize("formulation", ["composite-body", "articulated-body"])
def test_the_short_way_is_the_derivative_of_every_formulation(formulation):
    """-M^-1 dID is the derivative of the elimination and of the articulated bodies."""
    m = replace(axial(), forces=(), bodies=axial().bodies[:4], joints=axial().joints[:4])
    inputs = state(m)
    by = ("q", "v", "tau")
    short = kb.derivative(kb.forward_dynamics, m, by)
    long = kb.derivative(kb.forward_dynamics, m, by, formulation=formulation)
    M = kb.mass_matrix(m, inputs[0])
    for found, expected in zip(
        evaluate_program(short, *inputs), evaluate_program(long, *inputs), strict=True
    ):
        tolerance = 100 * EPS * np.linalg.cond(M) * np.abs(expected).max()
        assert_allclose(found, expected, rtol=0, atol=tolerance)
    assert short.operations.total < long.operations.total


def test_composite_bodies_give_the_derivatives_of_the_recursion():
    """Axes that stay: the formula's dtau/dq, dtau/dv and M are those of Newton-Euler's graph."""
    m = axial()
    inputs = [*state(m), np.array([0.2])]
    short = kb.derivative(kb.inverse_dynamics, m, ("q", "v", "a"))
    graph = kb.derivative(kb.inverse_dynamics, m, ("q", "v", "a"), formulation="newton-euler")
    for found, expected in zip(
        evaluate_program(short, *inputs), evaluate_program(graph, *inputs), strict=True
    ):
        assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    assert short.operations.total < graph.operations.total


def test_composite_bodies_take_only_axes_that_stay():
    """Couplings and joints whose axes move are refused by name."""
    assert composite_slopes.refuses(tree_of(axial())) is None
    assert "joint to body 'a' move" in composite_slopes.refuses(tree_of(branched(0)))
    assert "couplings" in composite_slopes.refuses(tree_of(coupled()))


def test_inverse_dynamics_by_accelerations_is_the_mass_matrix():
    """d tau / d a = M, and together with the others it costs less than apart."""
    m = coupled()
    q, v, a = state(m)
    one = kb.derivative(kb.inverse_dynamics, m, "a")
    assert_allclose(evaluate_program(one, q, v, a), kb.mass_matrix(m, q), rtol=1e-12)
    assert one.operations.total <= kb.operations(kb.mass_matrix, m).total
    apart = sum(
        kb.derivative(kb.inverse_dynamics, m, by).operations.total for by in ("q", "v", "a")
    )
    together = kb.derivative(kb.inverse_dynamics, m, ("q", "v", "a"))
    assert together.operations.total < 0.9 * apart


def test_energy_is_differentiated_in_one_sweep():
    """dT/dv = M v and dV/dq balances gravity; the gradient of n terms takes some n operations."""
    m = coupled()
    q, v, _ = state(m)
    dT_dq, dV_dq, dT_dv, dV_dv = kb.compile(kb.derivative(kb.energy, m, ("q", "v")))(q, v)
    assert dT_dq.shape == (2,)
    assert_allclose(dT_dv, kb.mass_matrix(m, q) @ v, rtol=1e-12)
    assert_allclose(dV_dq, kb.bias_forces(m, q, 0 * v), rtol=1e-12)
    assert_allclose(dV_dv, 0)
    many = kb.Mechanism(
        "chain",
        [kb.Body(str(i), 1, com=(0.5, 0), inertia=0.1) for i in range(1, 21)],
        [
            kb.Revolute(f"j{i}", str(i - 1) if i > 1 else "ground", str(i), at=(i, 0))
            for i in range(1, 21)
        ],
        plane="xy",
    )
    value = kb.operations(kb.energy, many).total
    assert kb.derivative(kb.energy, many, ("q", "v")).operations.total < 6 * value


def test_batches_and_machine_code_give_the_same():
    """The compiled derivative is the interpreted one, for arrays of states too."""
    m = coupled()
    program = kb.derivative(kb.forward_dynamics, m, ("q", "tau"))
    states = [np.stack(rows) for rows in zip(*[state(m, i) for i in range(5)], strict=True)]
    found = kb.compile(program)(*states)
    expected = evaluate_program(program, *states)
    assert [x.shape for x in found] == [(5, m.nv, m.nq), (5, m.nv, m.nv)]
    for one, two in zip(found, expected, strict=True):
        assert_allclose(one, two, rtol=1e-9, atol=1e-11 * np.abs(two).max())


def test_factors_solve_for_numbers():
    """One factorisation along the tree gives M^-1 B and M^-1 of floats too."""
    m = branched(4)
    q, v, b = state(m)
    M = kb.mass_matrix(m, q)
    factors = factored(tree_of(m), M)
    B = np.stack([v, b], axis=1)
    tolerance = 100 * EPS * np.linalg.cond(M)
    assert_allclose((M @ factors.solve(B)).astype(float), B, atol=tolerance)
    assert_allclose((M @ factors.inverse()).astype(float), np.eye(m.nv), atol=tolerance)


def test_what_cannot_be_differentiated_is_said():
    """Unknown inputs and no inputs are refused with the names there are."""
    m = coupled()
    with pytest.raises(kb.StructureError, match="one or more of q, v, tau"):
        kb.derivative(kb.forward_dynamics, m, ("q", "a"))
    with pytest.raises(kb.StructureError, match="got nothing"):
        kb.derivative(kb.energy, m, ())


def test_a_derivative_says_by_what_it_could_be():
    """Without an input all that there are stand in the error."""
    m = kb.linkages.four_bar(1, 3, 2, 2.5)
    with pytest.raises(kb.KorbaError, match=r"by what.*there are q, v, a, a, b, c"):
        kb.derivative(kb.inverse_dynamics, m)

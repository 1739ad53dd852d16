"""The verbs of dynamics: closed forms, batches, derivatives, choices and errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sample_mechanisms import two_links

import korba as kb

Q, V, A = np.array([np.pi / 6, np.pi / 4]), np.array([1.0, -2.0]), np.array([3.0, 4.0])
TAU = [14.52700114, 1.71096852]


def test_example_4_9_of_the_book():
    """Mass matrix, bias and torques of Gronowicz's 2R manipulator to the spec's eight digits."""
    m = two_links()
    expected = [[0.80713203, 0.18106602], [0.18106602, 0.075]]
    assert_allclose(kb.mass_matrix(m, Q), expected, atol=5e-9)
    assert_allclose(kb.bias_forces(m, Q, V), [11.38134096, 0.86777047], atol=5e-9)
    assert_allclose(kb.inverse_dynamics(m, Q, V, A), TAU, atol=5e-9)
    assert_allclose(kb.forward_dynamics(m, Q, V, TAU), A, atol=1e-6)


@pytest.mark.parametrize("formulation", kb.formulations()["forward_dynamics"])
def test_every_formulation_gives_the_same_accelerations(formulation):
    """Forward dynamics by name is the inverse of inverse dynamics."""
    m = two_links()
    tau = kb.inverse_dynamics(m, Q, V, A)
    assert_allclose(kb.forward_dynamics(m, Q, V, tau, formulation=formulation), A, rtol=1e-12)


def test_batches_of_any_shape():
    """Batch axes stand in front and are broadcast against each other."""
    m = two_links()
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(4, 5, 2)), rng.normal(size=(5, 2)), rng.normal(size=2)
    tau = kb.inverse_dynamics(m, q, v, a)
    assert tau.shape == (4, 5, 2)
    assert_allclose(tau[2, 3], kb.inverse_dynamics(m, q[2, 3], v[3], a), rtol=1e-13)
    assert kb.mass_matrix(m, q).shape == (4, 5, 2, 2)
    assert kb.energy(m, q, v).kinetic.shape == (4, 5)
    assert kb.jacobian(m, q, "2", (0.9, 0)).shape == (4, 5, 6, 2)


def test_energy_and_momentum_of_a_pendulum():
    """T = I w^2 / 2, V = m g h, and the angular momentum about the pivot is I w."""
    body = kb.Body("rod", 2, com=(0.5, 0), inertia=0.1)
    pivot = kb.Revolute("A", "ground", "rod", at=(0, 0))
    m = kb.Mechanism("pendulum", [body], [pivot], plane="xy")
    T, V_ = kb.energy(m, [0.3], [2.0])
    assert_allclose(T, 0.5 * (0.1 + 2 * 0.25) * 4)
    assert_allclose(V_, 2 * 9.81 * 0.5 * np.sin(0.3))
    assert_allclose(kb.momentum(m, [0.3], [2.0])[2], 0.6 * 2)


def test_jacobian_of_the_hand():
    """The speed of the tip is the derivative of its position."""
    J = kb.jacobian(two_links(), Q, "2", (0.9, 0))
    c, s = np.cos, np.sin
    angle = Q.sum()
    x = [-0.5 * s(Q[0]) - 0.4 * s(angle), -0.4 * s(angle)]
    y = [0.5 * c(Q[0]) + 0.4 * c(angle), 0.4 * c(angle)]
    assert_allclose(J, [[0, 0], [0, 0], [1, 1], x, y, [0, 0]], atol=1e-15)


@pytest.mark.parametrize("verb", [kb.inverse_dynamics, kb.forward_dynamics])
@pytest.mark.parametrize("by", [0, 1, 2])
def test_derivatives_against_finite_differences(verb, by):
    """d(result)/d(input), compiled, for every input."""
    m = two_links()
    names = ["q", "v", "a" if verb is kb.inverse_dynamics else "tau"]
    f = kb.compile(kb.derivative(verb, m, names[by]))
    state = [Q, V, A]
    h = 1e-6
    columns = []
    for e in np.eye(2):
        up, down = ([x + (k == by) * s * h * e for k, x in enumerate(state)] for s in (1, -1))
        columns.append((verb(m, *up) - verb(m, *down)) / (2 * h))
    assert_allclose(f(*state), np.array(columns).T, atol=1e-6)


def test_gravity_may_be_given():
    """Without gravity and motion nothing needs to be held."""
    assert_allclose(kb.bias_forces(two_links(), Q, 0 * V, gravity=(0, 0, 0)), 0, atol=1e-15)
    with pytest.raises(kb.StructureError, match="gravity"):
        kb.bias_forces(two_links(), Q, V, gravity=(1, 2, 3, 4))


def test_loads_and_time_are_part_of_the_answer():
    """A law in t acts through the verbs, which take the time."""
    m = two_links(forces=[kb.JointForce("push", "A", law="3*t")])
    plain = kb.inverse_dynamics(two_links(), Q, V, A)
    assert_allclose(kb.inverse_dynamics(m, Q, V, A, t=2.0), plain - [6, 0], rtol=1e-12)
    assert_allclose(kb.forward_dynamics(m, Q, V, plain - [6, 0], t=2.0), A, rtol=1e-10)


def test_compiled_verbs_and_operation_counts():
    """kb.compile gives a function of arrays; kb.operations counts its work."""
    m = two_links()
    f = kb.compile(kb.inverse_dynamics, m)
    assert_allclose(f(Q, V, A), kb.inverse_dynamics(m, Q, V, A), rtol=1e-14)
    count = kb.operations(kb.inverse_dynamics, m)
    assert count.multiplications <= 18
    assert count.additions <= 13
    many = kb.operations(kb.derivative(kb.inverse_dynamics, m, "q"))
    assert many.total > count.total


def test_what_cannot_be_answered_is_said():
    """Loops, unknown formulations, verbs and inputs, wrong shapes: clear errors."""
    ends = ["ground", "a", "b", "c", "ground"]
    points = [(0, 0), (0, 1), (3, 2), (3, 0)]
    joints = [kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=p) for i, p in enumerate(points)]
    loop = kb.Mechanism("loop", [kb.Body(n, 1) for n in "abc"], joints, plane="xy")
    with pytest.raises(kb.StructureError, match="it is for trees, and joints"):
        kb.mass_matrix(loop, np.zeros(4), formulation="composite-body")
    m = two_links()
    with pytest.raises(kb.StructureError, match="articulated-body"):
        kb.forward_dynamics(m, Q, V, A, formulation="magic")
    with pytest.raises(kb.StructureError, match="inverse_dynamics"):
        kb.compile(kb.mobility, m)
    with pytest.raises(kb.StructureError, match="q, v, a"):
        kb.derivative(kb.inverse_dynamics, m, "x")
    with pytest.raises(kb.KorbaError, match=r"expected shape \(\.\.\., 2\)"):
        kb.mass_matrix(m, np.zeros(3))
    with pytest.raises(kb.ModelError, match="there is no body"):
        kb.jacobian(m, Q, "hand")
    coupled = two_links(couplings=[kb.Coupling("c", "B", "2*A")])
    coupled = replace(coupled, bodies=[coupled.bodies[0], kb.Body(coupled.bodies[1].name)])
    with pytest.raises(kb.StructureError, match="couplings"):
        kb.forward_dynamics(coupled, [0.1], [0], [0], formulation="articulated-body")

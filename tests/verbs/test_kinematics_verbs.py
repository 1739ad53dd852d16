"""The verbs of kinematics: closed forms, batches, and errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sample_mechanisms import two_links

import korba as kb

Q, V, A = np.array([0.4, -0.9]), np.array([1.5, -0.7]), np.array([0.3, 2.0])


def tip():
    """Position of the tip, its first and its second derivatives by hand."""
    first, both = Q[0], Q.sum()
    e1, e2 = (np.array([np.cos(x), np.sin(x)]) for x in (first, both))
    n1, n2 = (np.array([-np.sin(x), np.cos(x)]) for x in (first, both))
    w1, w2, a1, a2 = V[0], V.sum(), A[0], A.sum()
    p = 0.5 * e1 + 0.4 * e2
    u = 0.5 * w1 * n1 + 0.4 * w2 * n2
    a = 0.5 * (a1 * n1 - w1**2 * e1) + 0.4 * (a2 * n2 - w2**2 * e2)
    return p, u, a


def test_the_tip_of_a_planar_arm():
    """Position, velocity and acceleration of the tip are those found by hand."""
    m, (p, u, a) = two_links(), tip()
    X = kb.pose(m, Q, "2")
    assert_allclose((X @ [0.9, 0, 0, 1])[:2], p, atol=1e-15)
    assert_allclose(kb.velocity(m, Q, V, "2", (0.9, 0)), [0, 0, V.sum(), *u, 0], atol=1e-14)
    expected = [0, 0, A.sum(), *a, 0]
    assert_allclose(kb.acceleration(m, Q, V, A, "2", point=(0.9, 0)), expected, atol=1e-14)


def test_jacobian_and_its_rate_give_velocity_and_acceleration():
    """velocity = J v and acceleration = J a + dJ/dt v."""
    m, point = two_links(), (0.9, 0.1)
    J, Jd = kb.jacobian(m, Q, "2", point), kb.jacobian_rate(m, Q, V, "2", point)
    assert_allclose(J @ V, kb.velocity(m, Q, V, "2", point), atol=1e-14)
    expected = kb.acceleration(m, Q, V, A, "2", point=point)
    assert_allclose(J @ A + Jd @ V, expected, atol=1e-14)


def test_all_poses_at_once():
    """`poses` holds what `pose` says of every body."""
    m = two_links()
    found = kb.poses(m, Q)
    assert list(found) == ["1", "2"]
    for body, X in found.items():
        assert_allclose(X, kb.pose(m, Q, body), atol=1e-15)


def test_the_centre_of_mass_is_the_mean_of_the_bodies():
    """m c = sum of m_i c_i, and gravity's energy is that of all mass there."""
    m = two_links()
    c = kb.centre_of_mass(m, Q)
    X = kb.poses(m, Q)
    mean = (2 * X["1"] @ [0.25, 0, 0, 1] + 1.5 * X["2"] @ [0.7, 0, 0, 1])[:3] / 3.5
    assert_allclose(c, mean, atol=1e-15)
    assert_allclose(kb.energy(m, Q, V).potential, 3.5 * 9.81 * c[1], rtol=1e-12)


def test_batches_stand_in_front():
    """Batch axes are broadcast against each other."""
    m, rng = two_links(), np.random.default_rng(0)
    q, v = rng.normal(size=(4, 5, 2)), rng.normal(size=(5, 2))
    assert kb.pose(m, q, "1").shape == (4, 5, 4, 4)
    assert kb.poses(m, q)["2"].shape == (4, 5, 4, 4)
    assert kb.centre_of_mass(m, q).shape == (4, 5, 3)
    assert kb.jacobian_rate(m, q, v, "2").shape == (4, 5, 6, 2)
    found = kb.velocity(m, q, v, "2", (0.9, 0))
    assert_allclose(found[2, 3], kb.velocity(m, q[2, 3], v[3], "2", (0.9, 0)), atol=1e-14)
    assert kb.acceleration(m, q, v, A, "2").shape == (4, 5, 6)


def test_a_coupled_arm_moves_by_its_independent_coordinate():
    """With B = -2 A the arm has one velocity, and its Jacobian rate has one column."""
    m = two_links(couplings=[kb.Coupling("belt", "B", "-2*A + A^2")])
    q, v, a = [0.3], [1.2], [0.5]
    J, Jd = kb.jacobian(m, q, "2", (0.9, 0)), kb.jacobian_rate(m, q, v, "2", (0.9, 0))
    assert Jd.shape == (6, 1)
    expected = kb.acceleration(m, q, v, a, "2", point=(0.9, 0))
    assert_allclose(J @ a + Jd @ v, expected, atol=1e-14)


def test_what_cannot_be_answered_is_said():
    """Unknown bodies, points that are none and mechanisms without mass get clear errors."""
    m = two_links()
    with pytest.raises(kb.ModelError, match="there is no body"):
        kb.pose(m, Q, "hand")
    with pytest.raises(kb.StructureError, match="three finite components"):
        kb.velocity(m, Q, V, "2", (1, 2, 3, 4))
    with pytest.raises(kb.StructureError, match="no centre of mass"):
        kb.centre_of_mass(two_links(mass=(0.0, 0.0)), Q)


def test_points_of_the_ground_stand_still():
    """`body="ground"` is the base: its frame is the world's, its points are where they are said."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8)
    q = kb.assemble(m).q
    assert_allclose(kb.pose(m, q, "ground"), np.eye(4))
    for verb in (kb.jacobian, kb.velocity):
        state = (q,) if verb is kb.jacobian else (q, np.ones(m.nv))
        assert not verb(m, *state, body="ground", point="D").any()
    moved = kb.motion(m, [0.0, 0.1, 0.2])
    assert_allclose(moved.point("ground", "D").position, [[0.8, 0, 0]] * 3)
    many = kb.motion(m, [0.0, 0.1], parameters={"d": np.array([0.8, 0.9])})
    assert_allclose(many.point("ground", "ground.D").position[:, 0, 0], [0.8, 0.9])
    with pytest.raises(kb.StructureError, match="body 'ground' has no point 'X'; there are A, D"):
        moved.point("ground", "X")


def test_a_spring_to_a_named_point_of_the_ground():
    """It is the spring to the place of that point."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8)
    by_name = kb.Spring("S", "ground.D", body_b="coupler.B", stiffness=50.0, free_length=0.1)
    by_place = kb.Spring("S", "ground", (0.8, 0), "coupler", (0, 0), 50.0, 0.1)
    one, two = (replace(m, forces=[force]) for force in (by_name, by_place))
    assert one.forces == two.forces

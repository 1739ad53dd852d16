"""Micromechanisms and bridges get the same relative accuracy: every size is as good as a metre."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from scaled import scaled
from test_idle_freedoms import rssp, rssr
from test_no_open_loops import four_bar

import korba as kb

SIZES = [1e-6, 1e-3, 1e4]


def random_arm(rng):
    """A tree of every everyday joint, with a body of which each coordinate feels something."""
    kinds = rng.permutation(["revolute", "prismatic", "screw", "spherical", "universal", "free"])
    bodies, joints = [], []
    for i, kind in enumerate(kinds):
        A = rng.normal(size=(3, 3))
        K = A @ A.T
        tensor = np.trace(K) * np.eye(3) - K
        bodies.append(kb.Body(f"b{i}", rng.uniform(0.5, 2), rng.normal(size=3), tensor))
        more = {"lead": 0.3} if kind == "screw" else {}
        parent = "ground" if i == 0 or kind == "free" else f"b{rng.integers(i)}"
        place = {key: rng.normal(size=3) for key in ("at", "axis", "x_axis")}
        joints.append(kb.JOINT_TYPES[kind](f"j{i}", parent, f"b{i}", **place, **more))
    return kb.Mechanism("arm", bodies, joints)


def units(m, size):
    """What a unit of each coordinate and of each velocity is at another size."""
    factor = {"angle": 1.0, "number": 1.0, "length": size}
    q = [factor[kind] for joint in m.joints for kind in joint.coordinate_kinds]
    v = [factor[kind] for joint in m.joints for kind in joint.velocity_kinds]
    return np.array(q), np.array(v)


@pytest.mark.parametrize("seed", seeds())
def test_dynamics_of_a_tree_is_the_same_at_every_size(seed):
    """Forces, accelerations and mass matrix follow the units, to rounding."""
    rng, size = np.random.default_rng(seed), SIZES[seed % 3]
    m = random_arm(rng)
    small = scaled(m, size, size**3)
    q = np.concatenate([joint.drawn_coordinates for joint in m.joints])
    q = q + 0.1 * rng.normal(size=m.nq) * np.array([x == 0 for x in q])
    for joint in m.joints:
        if joint.nq > joint.nv:
            quaternion = [m.coordinates.index(name) for name in joint.coordinates()][-4:]
            q[quaternion] /= np.linalg.norm(q[quaternion])
    v, a = rng.normal(size=(2, m.nv))
    unit_q, unit_v = units(m, size)
    force = size**3 * size**2 / unit_v
    tau = kb.inverse_dynamics(m, q, v, a)
    M = kb.mass_matrix(m, q)
    same = kb.inverse_dynamics(small, q * unit_q, v * unit_v, a * unit_v) / force
    assert_allclose(same, tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    same = kb.mass_matrix(small, q * unit_q) / (size**5 / np.outer(unit_v, unit_v))
    assert_allclose(same, M, rtol=1e-10, atol=1e-13 * np.abs(M).max())
    same = kb.forward_dynamics(small, q * unit_q, v * unit_v, tau * force) / unit_v
    assert_allclose(same, a, rtol=0, atol=1e-14 * np.linalg.cond(M) * np.abs(a).max())


def closed(seed):
    """A random closed mechanism, driven at its first joint."""
    m = (four_bar, rssr, rssp)[seed % 3](np.random.default_rng(seed))
    m = m if isinstance(m, kb.Mechanism) else m[0]
    return replace(m, drives=[kb.JointDrive("motor", m.coordinates[0], "0.1*t")])


@pytest.mark.parametrize("seed", seeds(0.2, least=3))
def test_closed_mechanisms_are_the_same_at_every_size(seed):
    """Mobility, positions, motion and its limits of loops follow the units."""
    m, size = closed(seed), SIZES[(seed + seed // 3) % 3]
    small = scaled(m, size, size**3)
    assert kb.mobility(small).actual == kb.mobility(m).actual
    first = m.coordinates[0]
    one, two = (kb.assemble(x, {first: 0.01}) for x in (m, small))
    unit_q, unit_v = units(m, size)
    assert_allclose(two.q / unit_q, one.q, rtol=0, atol=1e-10)
    one, two = (kb.motion(x, np.linspace(0, 0.1, 5)) for x in (m, small))
    assert_allclose(two.q / unit_q, one.q, rtol=0, atol=1e-10)
    assert_allclose(two.v / unit_v, one.v, rtol=0, atol=1e-9 * np.abs(one.v).max())
    assert_allclose(two.a / unit_v, one.a, rtol=0, atol=1e-8 * np.abs(one.a).max())
    one, two = (kb.input_range(x, first) for x in (m, small))
    assert one.full_turn == two.full_turn
    if not one.full_turn:
        ends = [[x.lower.value, x.upper.value] for x in (one, two)]
        assert_allclose(*ends, rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", seeds(0.3, least=3))
def test_forces_in_closed_mechanisms_are_the_same_at_every_size(seed):
    """Forces and moments in all joints, of spinning rods too, follow the units to rounding."""
    rng, m, size = np.random.default_rng(seed), closed(seed + 1), (1e-7, 1e4)[seed % 2]
    bodies = []
    for body in m.bodies:
        mass, inertia = rng.uniform(0.5, 2.0, size=2)
        bodies.append(replace(body, mass=mass, com=rng.normal(size=3), inertia=inertia * np.eye(3)))
    m = replace(m, bodies=bodies)
    small, times = scaled(m, size, size**3), np.linspace(0, 0.05, 2)
    one, two = (kb.reactions(x, kb.motion(x, times)) for x in (m, small))
    for joint in m.joints:
        for what, unit in (("force", size**4), ("moment", size**5)):
            a, b = (getattr(each[joint.name], what) for each in (one, two))
            assert_allclose(b / unit, a, rtol=0, atol=1e-11 * (1 + np.abs(a).max()))


@pytest.mark.parametrize("seed", seeds(0.3, least=3))
def test_simulations_are_the_same_at_every_size(seed):
    """Steps and motion of a tree with slides follow the units, tolerances too."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i in range(3):
        com, at, axis = rng.normal(size=(3, 3))
        bodies.append(kb.Body(f"b{i}", 1.0, com, np.eye(3)))
        kind = kb.Prismatic if i == seed % 3 else kb.Revolute
        parent = f"b{i - 1}" if i else "ground"
        joints.append(kind(f"j{i}", parent, f"b{i}", at=at, axis=axis))
    m = kb.Mechanism("arm", bodies, joints)
    q, v = 0.1 * rng.normal(size=(2, 3))
    one = kb.simulate(m, 0.5, q=q, v=v, times=5)
    for size in SIZES:
        unit_q, unit_v = units(m, size)
        two = kb.simulate(scaled(m, size, size**3), 0.5, q=q * unit_q, v=v * unit_v, times=5)
        assert two.effort.steps == one.effort.steps
        assert_allclose(two.q / unit_q, one.q, rtol=0, atol=1e-7)

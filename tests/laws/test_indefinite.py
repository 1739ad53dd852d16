"""Masses that no real body has: a motion of negative energy is named, never one without mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from random_trees import random_tree

import korba as kb
from korba.system.system import any_system
from korba.verbs.states import random_states


def geared_joint(moment):
    """A housing on a pin, with a rotor of its own, and a rod on the housing."""
    bodies = [
        kb.Body("housing", 1.0, (0, 0, 0), moment * np.eye(3), as_given=True),
        kb.Body("rod", 1.0, (0.5, 0, 0), np.diag([0.01, 0.02, 0.02])),
    ]
    rotor = kb.Rotor(ratio=1.0, mass=0.5, inertia=(1e-3, 1e-3, 2e-3))
    joints = [
        kb.Revolute("A", "ground", "housing", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Revolute("B", "housing", "rod", at=(0.2, 0, 0), axis=(0, 1, 0), rotor=rotor),
    ]
    return kb.Mechanism("joint", bodies, joints)


ASKED = {
    "forward_dynamics": lambda m: kb.forward_dynamics(m, [0, 0.1], [0, 0], [0, 0]),
    "simulate": lambda m: kb.simulate(m, 0.1),
    "crosscheck": lambda m: kb.crosscheck(m, states=2),
    "linearise": kb.linearise,
}


@pytest.mark.parametrize("verb", ASKED)
def test_a_housing_lighter_than_what_was_taken_off(verb):
    """The error says that M is indefinite, which joint moves so, which body, and its moment."""
    words = r"mass matrix is indefinite: moving A has .* 'housing' \(-2 kg m\^2\)"
    with pytest.raises(kb.StructureError, match=words) as error:
        ASKED[verb](geared_joint(-2.0))
    assert "without moving any mass" not in str(error.value)


def test_a_little_less_than_nothing_is_no_fault_by_itself():
    """Where the whole is definite the mechanism moves, as the sum of its parts."""
    m, whole = geared_joint(-1e-3), geared_joint(-1e-3 + 1e-2)
    a = kb.forward_dynamics(m, [0, 0.1], [0, 0], [1, 0])
    M, N = (kb.mass_matrix(x, [0, 0.1]) for x in (m, whole))
    assert np.linalg.eigvalsh(M)[0] > 0
    assert N[0, 0] - M[0, 0] == pytest.approx(1e-2)
    h = kb.bias_forces(m, [0, 0.1], [0, 0])
    np.testing.assert_allclose(M @ a, [1, 0] - h, atol=1e-12)


def test_a_rotor_of_less_than_nothing_is_named():
    """By the name of the body that it is written out as."""
    m = geared_joint(0.1)
    rotor = kb.Rotor(ratio=50.0, mass=0.1, inertia=-1e-3)
    m = replace(m, joints=[replace(m.joints[0], rotor=rotor), m.joints[1]])
    with pytest.raises(kb.StructureError, match=r"indefinite: moving A .*'A\.rotor' \(-0\.001"):
        kb.simulate(m, 0.1)


def test_reduced_to_one_coordinate():
    """A four-bar with a crank of less than nothing does not run up."""
    m = kb.linkages.four_bar(0.3, 0.9, 0.8, 1.0)
    crank = replace(m.bodies[0], inertia=-5.0, as_given=True)
    m = replace(m, drives=(), bodies=[crank, *m.bodies[1:]])
    for asked in (lambda: kb.run_up(m, "A", np.linspace(0, 1, 3)), lambda: kb.simulate(m, 1.0)):
        with pytest.raises(kb.StructureError, match=r"indefinite: moving A, .* 'crank'"):
            asked()


def less(m, rng):
    """`m` with one body whose moments are made negative, and the body's name."""
    k, share = rng.integers(len(m.bodies)), 10 ** rng.uniform(-3, 3)
    own = np.array(m.bodies[k].inertia) * -share
    changed = replace(m.bodies[k], inertia=own.tolist(), as_given=True)
    return replace(m, bodies=[*m.bodies[:k], changed, *m.bodies[k + 1 :]]), changed.name


@pytest.mark.parametrize("seed", seeds())
def test_trees_are_refused_exactly_where_they_are_indefinite(seed):
    """By the eigenvalues of M at the state looked at; the body named is the one that is wrong."""
    rng = np.random.default_rng([21, seed])
    m, name = less(random_tree(seed, kinds=["revolute", "prismatic", "spherical"]).m, rng)
    tree = any_system(m).tree
    M = kb.mass_matrix(m, random_states(tree, 1, seed=3)["q"][0])
    size = np.sqrt(np.abs(M.diagonal()))
    least = np.linalg.eigvalsh(M / np.outer(size, size))[0]
    if least < 0:
        with pytest.raises(kb.StructureError, match=rf"is indefinite: .* '{name}' "):
            kb.simulate(m, 0.01, times=2)
    else:
        a = kb.forward_dynamics(m, random_states(tree, 1)["q"][0], 0 * M[0], 0 * M[0])
        assert np.isfinite(a).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.2))
def test_loops_are_refused_exactly_where_they_are_indefinite(kind, seed):
    """By the kinetic energy of the one motion that a four-bar has, and by its energies in space."""
    rng = np.random.default_rng([22, seed])
    m, name = less(replace(loaded(kind, seed), drives=(), forces=()), rng)
    try:
        run = kb.simulate(m, 0.01, times=2)
    except kb.StructureError as error:
        assert "is indefinite" in str(error)
        assert f"'{name}' " in str(error)
    else:
        v = kb.simulate(m, 0.01, v={"A": 1.0}, times=2).v[0]
        assert kb.energy(m, run.q[0], v)[0] > 0

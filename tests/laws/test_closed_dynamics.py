"""Dynamics of mechanisms with loops: forces and accelerations, loops kept, power and energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, heavy, loaded
from numpy.testing import assert_allclose
from scipy.linalg import null_space as null_space_of
from scipy.spatial.transform import Rotation

import korba as kb
from korba.dynamics import newton_euler
from korba.dynamics.composite_body import full_mass_matrix
from korba.dynamics.multipliers import Constraints
from korba.simulation.projection import closed_start
from korba.simulation.right_hand_side import plant_of
from korba.system.system import any_system, loosened
from korba.verbs.loops import misfits
from korba.verbs.states import drawn_coordinates

TIMES = np.linspace(0.0, 0.4, 4)


def geared_five_bar(rng):
    """A five-bar whose cranks are geared together: a coupling inside a loop."""
    q = rng.uniform(-0.05, 0.05, (5, 2))
    at = np.array([(0, 0), (0.3, 0.4), (0.8, 1.0), (1.3, 0.5), (1.2, 0)]) + q
    ends = ["ground", "a", "b", "c", "d"]
    joints = [
        kb.Revolute(name, ends[i], ends[(i + 1) % 5], at=tuple(at[i]))
        for i, name in enumerate("ABCDE")
    ]
    joints[4] = kb.Revolute("E", "ground", "d", at=tuple(at[4]), damping=0.3)
    bodies = [heavy(name, rng, "xy") for name in "abcd"]
    gears = kb.Coupling("gears", "E", "-0.8*A")
    return kb.Mechanism("geared five-bar", bodies, joints, couplings=[gears], plane="xy")


def five_bar(rng):
    """Two freedoms, one of them driven in time."""
    m = replace(geared_five_bar(rng), couplings=())
    return replace(m, name="five-bar", drives=[kb.JointDrive("motor", "A", "0.3*t^2")])


def three_cranks(rng):
    """A parallelogram with a crank to spare."""
    x, arm = np.cumsum(rng.uniform(0.4, 0.8, 3)), rng.uniform(0.3, 0.6, 2)
    joints = [kb.Revolute(f"A{i}", "ground", f"c{i}", at=(x[i], 0)) for i in range(3)]
    joints += [kb.Revolute(f"B{i}", f"c{i}", "rod", at=(x[i] + arm[0], arm[1])) for i in range(3)]
    bodies = [heavy(name, rng, "xy") for name in ("c0", "c1", "c2", "rod")]
    return kb.Mechanism("three cranks", bodies, joints, plane="xy")


def bricard(rng):
    """Six pins and one freedom: in space, with a row to spare."""
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    ends = ["ground", *"abcde", "ground"]
    joints = [
        kb.Revolute(f"P{i}", ends[i], ends[i + 1], at=points[i], axis=tuple(axes[i]))
        for i in range(6)
    ]
    return kb.Mechanism("Bricard", [heavy(name, rng, None) for name in "abcde"], joints)


def flying(rng):
    """A four-bar of which no body is fixed: quaternions, and forces in a closing joint."""
    joints, _, _ = KINDS["four-bar in space"](rng)
    joints = [replace(joint, parent=joint.parent.replace("ground", "base")) for joint in joints]
    joints[2] = replace(joints[2], damping=0.7)
    free = kb.Free("float", "ground", "base", at=(0, 0, 0))
    bodies = [heavy(name, rng, None) for name in ("base", "crank", "rod", "rocker")]
    return kb.Mechanism("flying four-bar", bodies, [free, *joints])


def light_rod(rng):
    """A slider-crank whose rod has no mass."""
    m = loaded("slider-crank", int(rng.integers(100)))
    bodies = [kb.Body("rod") if body.name == "rod" else body for body in m.bodies]
    return replace(m, name="light rod", bodies=bodies, drives=())


FREE = {
    **{kind: lambda rng, kind=kind: _undriven(kind, rng) for kind in KINDS},
    "geared five-bar": geared_five_bar,
    "five-bar": five_bar,
    "three cranks": three_cranks,
    "Bricard": bricard,
    "flying": flying,
    "light rod": light_rod,
}


def _undriven(kind, rng):
    return replace(loaded(kind, int(rng.integers(100))), drives=())


def closed_state(m, rng):
    """Coordinates near the drawing with loops closed, velocities that loops and drives allow."""
    plant, _ = plant_of(m)
    tree = plant.tree
    q, v = drawn_coordinates(tree) + 0.02 * rng.normal(size=tree.nq), rng.normal(size=tree.nv)
    return closed_start(plant, tree.normalised(q), v, 0.3, np.zeros(0))[:2]


def null_space(m, q):
    """Velocities that loops and drives allow, in columns."""
    s = any_system(m)
    lines = Constraints(s, q).lines
    J = np.zeros((len(lines), s.tree.nv))
    for i, line in enumerate(lines):
        J[i, list(line)] = [float(x) for x in line.values()]
    return null_space_of(J, rcond=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_efforts_of_the_drives_give_the_motion_that_they_drive(kind, seed):
    """Inverse dynamics equals the drives' efforts, and as forces they give the accelerations."""
    m = loaded(kind, seed)
    motion = kb.motion(m, TIMES)
    tau = kb.inverse_dynamics(m, motion)
    assert_allclose(tau[:, 0], kb.reactions(m, motion).driving["drive"], rtol=1e-10)
    assert_allclose(tau[:, 1:], 0.0, rtol=0, atol=0)
    free = replace(m, drives=())
    a = kb.forward_dynamics(free, motion.q, motion.v, tau, t=motion.t)
    driven = kb.forward_dynamics(m, motion.q, motion.v, 0 * tau, t=motion.t)
    places = [m.velocities.index(name) for name in ("A", "D")]  # the rod of an rssr spins as it may
    top = np.abs(motion.a).max()
    for each in (a, driven):
        assert_allclose(each[:, places], motion.a[:, places], rtol=0, atol=1e-10 * top)
    assert_allclose(a, driven, rtol=0, atol=1e-10 * top)


@pytest.mark.parametrize("kind", FREE)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_loops_stay_closed_and_forces_give_their_power(kind, seed):
    """Accelerations keep the loops, no constraint does work, and Gauss's principle holds.

    M a + h - tau has no part along any motion that loops and drives allow.
    """
    rng = np.random.default_rng(seed)
    m = FREE[kind](rng)
    q, v = closed_state(m, rng)
    tau = rng.normal(size=len(v))
    a = kb.forward_dynamics(m, q, v, tau, t=0.3)
    free = replace(m, drives=())
    gaps = misfits(free, q, v, a)
    top = 1 + np.abs(v).max() ** 2 + np.abs(a).max()
    assert_allclose(np.concatenate(gaps), 0.0, rtol=0, atol=1e-11 * top)
    M, h = kb.mass_matrix(free, q), kb.bias_forces(free, q, v, t=0.3)
    allowed = null_space(m, q)
    rest = allowed.T @ (M @ a + h - tau)
    assert_allclose(rest, 0.0, rtol=0, atol=1e-10 * (np.abs(M @ a).max() + np.abs(h).max()))
    if m.drives:
        assert_allclose(a[0], 0.6, rtol=1e-12)  # f'' of the drive of A


def free_coordinates(m, q, v):
    """Coordinates and velocities of every body alone, then of all joints: those of `loosened`."""
    coordinates, velocities = [], []
    for body in m.bodies:
        X, V = kb.pose(m, q, body.name), kb.velocity(m, q, v, body.name)
        R = X[:3, :3]
        if m.plane:
            coordinates.append([*X[:2, 3], np.arctan2(R[1, 0], R[0, 0])])
            velocities.append([*V[3:5], V[2]])
        else:
            turn = Rotation.from_matrix(R).as_quat(scalar_first=True)
            coordinates.append([*X[:3, 3], *turn])
            velocities.append([*(R.T @ V[:3]), *(R.T @ V[3:])])
    return np.concatenate([*coordinates, q]), np.concatenate([*velocities, v])


@pytest.mark.parametrize("kind", ["four-bar", "slider-crank", "rssr", "three cranks", "Bricard"])
@pytest.mark.parametrize("seed", seeds(0.1))
def test_accelerations_are_those_of_absolute_coordinates(kind, seed):
    """The book's equations (4.198): every body free, every joint a row, multipliers for all."""
    rng = np.random.default_rng(seed)
    m = FREE[kind](rng)
    bare = [replace(joint, damping=0.0) for joint in m.joints]
    m = replace(m, forces=(), joints=bare)
    q, v = closed_state(m, rng)
    a = kb.forward_dynamics(m, q, v, 0 * v)
    s = loosened(m)
    at, rates = free_coordinates(m, q, v)
    rows = Constraints(s, at)
    J = np.zeros((len(rows.lines), s.tree.nv))
    for i, line in enumerate(rows.lines):
        J[i, list(line)] = [float(x) for x in line.values()]
    assert np.abs(rows.stacked("residual")).max() < 1e-9
    assert np.abs(J @ rates).max() < 1e-9
    M = np.asarray(full_mass_matrix(s.tree, at), dtype=float)
    h = np.asarray(newton_euler.bias_forces(s, at, rates), dtype=float)
    count = len(J)
    whole = np.block([[M, -J.T], [J, np.zeros((count, count))]])
    right = np.concatenate([-h, np.array(rows.asked(rates), dtype=float)])
    solution = np.linalg.lstsq(whole, right, rcond=1e-12)[0]
    top = 1 + np.abs(a).max()
    assert_allclose(solution[s.tree.nv - len(v) : s.tree.nv], a, rtol=0, atol=1e-10 * top)


@pytest.mark.parametrize("formulation", ["multipliers", "absolute", "minimal"])
def test_states_without_rank_are_named_and_the_others_kept(formulation):
    """Of many states one lies flat: the error names it and holds what the others give."""
    m = replace(kb.linkages.four_bar(0.1, 0.3, 0.1, 0.3), drives=())
    q = np.vstack([kb.assemble(m, {"A": [0.5, 0.2]}).q, np.zeros(4)])
    rest, away = np.zeros_like(q), np.array([[0.0], [0.1]])
    with pytest.raises(kb.StructureError, match=r"in 1 of 3 states, the first \[2\]") as lost:
        kb.forward_dynamics(m, q, rest, rest, formulation=formulation)
    alone = kb.forward_dynamics(m, q[:2], rest[:2], rest[:2], formulation=formulation)
    assert_allclose(lost.value.results[:2], alone, rtol=1e-14)
    assert np.isnan(lost.value.results[2]).all()
    with pytest.raises(kb.StructureError, match=r"positions of state \[1\] break the loop"):
        kb.forward_dynamics(m, q[:2] + away, rest[:2], rest[:2], formulation=formulation)

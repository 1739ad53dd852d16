"""Absolute coordinates with constraint equations and the engine's joint coordinates agree."""

import numpy as np
import pytest
from engine_by_numpy import body_states, by_numpy, engine_motion, link_states, point_states, wrapped
from law_counts import some
from numpy.testing import assert_allclose
from random_planar import DRIVES, GROUPS, random_mechanism

import korba as kb
from korba.course import absolute_motion, absolute_system
from korba.errors import DeadPointError
from korba.kinematics.rows import Moving, entries, tied

TIMES = np.array([0.0, 0.2, 0.5])


def assert_same_motion(m, times=TIMES):
    """x, y, Theta of every body, their rates to 1e-10; or both stop at the same dead point."""
    try:
        with by_numpy():
            found = absolute_motion(m, times)
    except DeadPointError as error:
        with pytest.raises(DeadPointError) as caught:
            engine_motion(m, times)
        assert caught.value.t == pytest.approx(error.t, abs=1e-5)
        return None
    done = engine_motion(m, times)
    for body in m.bodies:
        mine, engine = link_states(found, body.name), body_states(done, body.name)
        size = max(1.0, *(np.abs(each).max() for each in engine))
        assert_allclose(mine[0][:, :2], engine[0][:, :2], atol=1e-10)
        assert_allclose(wrapped(mine[0][:, 2] - engine[0][:, 2]), 0, atol=1e-10)
        assert_allclose(mine[1], engine[1], atol=1e-10 * size)
        assert_allclose(mine[2], engine[2], atol=1e-10 * size)
    return found


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("drive", ["crank", "joint"])
def test_every_pair(group, drive):
    """One group of every kind, driven by its crank and by the group's own coordinate."""
    m = random_mechanism(GROUPS.index(group), [group], drive)
    assert assert_same_motion(m) is not None


@pytest.mark.parametrize("drive", DRIVES)
def test_every_driver(drive):
    """The six kinds of drivers on mechanisms with two loops."""
    m = random_mechanism(50 + DRIVES.index(drive), ["rrr", "rrt"], drive)
    assert assert_same_motion(m) is not None


@pytest.mark.parametrize("seed", some(4, 12))
def test_random_mechanisms_of_several_loops(seed):
    """Three groups of any kind on one crank or two, driven anyhow."""
    rng = np.random.default_rng(seed)
    groups = [str(each) for each in rng.choice(GROUPS, 3)]
    m = random_mechanism(100 + seed, groups, str(rng.choice(DRIVES)), cranks=1 + seed % 2)
    assert_same_motion(m)


@pytest.mark.parametrize("seed", some(2, 6))
def test_rows_are_derivatives(seed):
    """Phi_x and gamma are the first and second derivative of Phi along any path, closed or not."""
    rng = np.random.default_rng(seed)
    groups = [str(each) for each in rng.choice(GROUPS, 4)]
    m = random_mechanism(200 + seed, groups, str(rng.choice(DRIVES)))
    system = absolute_system(m)
    t, h = 0.3, 1e-4
    with by_numpy():
        at = system.equations.at
        x, v, a = system.drawn + rng.normal(size=(3, len(system.drawn))) * [[0.03], [1], [1]]
        phi = [at(x + s * v + 0.5 * s * s * a, v, t + s).phi for s in (-h, 0, h)]
        rows = at(x, v, t)
    rate, second = (phi[2] - phi[0]) / (2 * h), (phi[2] - 2 * phi[1] + phi[0]) / h**2
    assert_allclose(rows.phi_q @ v + rows.phi_t, rate, atol=1e-5)
    assert_allclose(rows.phi_q @ a - rows.gamma, second, atol=1e-5)


@pytest.mark.parametrize("seed", some(2, 6))
def test_rows_without_the_joints_own_coordinates_are_derivatives_too(seed):
    """Phi_q is the derivative of the book's Phi along any path, gamma on closed mechanisms."""
    rng = np.random.default_rng(seed)
    m = random_mechanism(300 + seed, [str(each) for each in rng.choice(GROUPS, 3)], "crank")
    with by_numpy():
        system = absolute_system(m)
        q, v = system.start + rng.normal(size=(2, len(system.start))) * [[0.03], [1]]
        ahead, behind = (system.rows(q + h * v).phi for h in (1e-5, -1e-5))
        assert_allclose(system.rows(q).phi_q @ v, (ahead - behind) / 2e-5, atol=1e-5)
        found = absolute_motion(system, [0.1])
        q, v, a = (
            [*own[0], *(found[name][0] for name in found.extra if name.startswith(first))]
            for own, first in ((found.q, "beta"), (found.v, "v_beta"), (found.a, "a_beta"))
        )
        rows = system.rows(q, v, 0.1)
        assert np.abs(rows.phi).max() < 1e-12
        assert_allclose(rows.phi_q @ v, -rows.phi_t, atol=1e-10)
        assert_allclose(rows.phi_q @ a, rows.gamma, atol=1e-9)


def test_rows_of_kinematics_are_the_derivatives_of_closed_positions():
    """The columns that kinematics writes are those of Phi_x where the mechanism is closed."""
    m = random_mechanism(11, GROUPS[:4], "crank")
    system = absolute_system(m)
    loose = system.system
    at = Moving(loose.tree, system.drawn)
    with by_numpy():
        phi_x = system.equations.at(system.drawn).phi_q
    J = [line for tie in loose.ties for line in entries([tied(at, tie)])]
    written = np.zeros((len(J), loose.tree.nv))
    for i, line in enumerate(J):
        written[i, list(line)] = list(line.values())
    assert_allclose(phi_x[: len(J)], written, atol=1e-8)


def test_couplings_are_equations_too():
    """A coordinate that a law ties to others moves as the law says, in both formulations."""
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0), drawn=0.3),
        kb.Revolute("B", "ground", "two", at=(1, 0)),
        kb.Revolute("C", "two", "three", at=(1, 0.5)),
    ]
    couplings = [
        kb.Coupling("belt", "B", "2*A + 0.3*sin(A)"),
        kb.Coupling("mixed", "C", "A*B"),
    ]
    drives = [kb.JointDrive("motor", "A", "t + 0.2*t**2")]
    bodies = [kb.Body(name) for name in ("one", "two", "three")]
    m = kb.Mechanism("belt", bodies, joints, plane="xy", couplings=couplings, drives=drives)
    assert assert_same_motion(m) is not None


def test_passive_constraints_are_solved_by_least_squares():
    """A doubled parallelogram has a row to spare, and moves all the same."""
    joints = []
    for i, x in enumerate((0.0, 1.0, 2.5)):
        joints.append(kb.Revolute(f"A{i}", "ground", f"crank {i}", at=(x, 0)))
        joints.append(kb.Revolute(f"B{i}", f"crank {i}", "coupler", at=(x + 0.3, 0.6)))
    bodies = [kb.Body(name) for name in ("crank 0", "crank 1", "crank 2", "coupler")]
    drives = [kb.JointDrive("motor", "A0", "t")]
    m = kb.Mechanism("parallelograms", bodies, joints, plane="xy", drives=drives)
    found = assert_same_motion(m)
    balance = absolute_system(m).balance(found.q[0])
    assert (balance.redundant, balance.free) == (1, 0)
    assert "1 redundant" in str(balance)


def test_a_full_turn_and_the_way_from_the_drawing():
    """A crank goes round and starts far from its drawing; angles are accumulated."""
    m = random_mechanism(7, ["gear", "planet"], "crank")
    drive = kb.JointDrive("drive", m.drives[0].joint, "2 + 7*t")
    m = kb.Mechanism("gears", m.bodies, m.joints, plane="xy", drives=[drive])
    found = assert_same_motion(m, np.linspace(0, 1, 5))
    crank = m.joint(drive.joint)
    name = crank.child if crank.parent == "ground" else crank.parent
    assert_allclose(abs(np.ptp(link_states(found, name)[0][:, 2])), 7, atol=1e-12)


def test_a_dead_point_and_missing_drivers_are_reported():
    """A rocker cannot drive a crank beyond the end of its stroke; a free mechanism is refused."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=(0, 0.2)),
        kb.Revolute("C", "coupler", "rocker", at=(0.50571883, 0.52287531)),
        kb.Revolute("D", "ground", "rocker", at=(0.8, 0)),
    ]
    bodies = [kb.Body(name) for name in ("crank", "coupler", "rocker")]
    m = kb.Mechanism("four-bar", bodies, joints, plane="xy")
    with pytest.raises(kb.KorbaError, match="1 freedoms have no driver"):
        absolute_motion(m, [0.0])
    drives = [kb.JointDrive("motor", "D", "-t")]
    m = kb.Mechanism("four-bar", bodies, joints, plane="xy", drives=drives)
    with pytest.raises(kb.KorbaError, match="dead point") as caught:
        absolute_motion(m, np.linspace(0, 1, 50))
    start = np.arctan2(0.52287531, 0.50571883 - 0.8)
    end = np.pi - np.arccos((0.64 + 0.36 - 0.64) / (2 * 0.8 * 0.6))
    assert caught.value.t == pytest.approx(start - end, abs=1e-6)


def test_a_spatial_mechanism_has_six_unknowns_a_link():
    """A linkage of two balls in space moves as the engine's; the spin of its rod is idle."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Spherical("B", "crank", "rod", at=(0.3, 0, 0)),
        kb.Spherical("C", "rod", "rocker", at=(1, 0.2, 0.5)),
        kb.Revolute("D", "ground", "rocker", at=(1, 0, 0), axis=(0, 1, 0.3)),
    ]
    bodies = [kb.Body(name) for name in ("crank", "rod", "rocker")]
    drives = [kb.JointDrive("motor", "A", "2*t + t**2")]
    m = kb.Mechanism("two balls", bodies, joints, drives=drives)
    with by_numpy():
        found = absolute_motion(m, TIMES)
        balance = absolute_system(m).balance()
    done = engine_motion(m, TIMES)
    assert (balance.unknowns, balance.pair_equations, balance.driver_equations) == (18, 16, 1)
    assert (balance.redundant, balance.free) == (0, 1)
    for body, at in (
        ("crank", (0.2, 0.3, 0.4)),
        ("rod", (0.3, 0, 0)),
        ("rocker", (1.1, 0.2, -0.3)),
    ):
        states = point_states(found, body, at), point_states(done, body, at)
        for mine, engine in zip(*states, strict=True):
            assert_allclose(mine, engine, atol=1e-10)

"""Inexact sizes of random over-constrained mechanisms, beside springs and free bodies.

The independent model knows no rows and no self-stresses: every body is free, every joint is six
springs between its halves, and the energy is least.
"""

from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import korba as kb
from korba.structure.placement import drawn_placement

LINKS = ("crank", "coupler", "rocker")


def loop(points, axes, turn, shift):
    """Four hinges in a row, turned and shifted as a whole."""
    ends = ["ground", *LINKS, "ground"]
    joints = [
        kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=turn @ p + shift, axis=turn @ a)
        for i, (p, a) in enumerate(zip(points, axes, strict=True))
    ]
    return kb.Mechanism("loop", [kb.Body(name) for name in LINKS], joints)


def planar(rng):
    points = np.array([[0, 0, 0], [0.3, 0.8, 0], [1.5, 1.1, 0], [1.8, 0, 0]])
    points = points + np.column_stack([rng.uniform(-0.2, 0.2, (4, 2)), rng.uniform(-0.5, 0.5, 4)])
    return points, np.tile([0.0, 0.0, 1.0], (4, 1))


def spherical(rng):
    axes = np.array([[0, 0, 1], [0.8, 0.3, 0.6], [1, 0.9, -0.1], [0, 1, -0.2]])
    axes = axes + rng.uniform(-0.1, 0.1, (4, 3))
    return rng.uniform(0.5, 1.0, (4, 1)) * axes, axes


def bennett(rng):
    alpha, beta, a, t = rng.uniform([0.4, 0.9, 0.5, 0.8], [0.8, 1.3, 1.0, 1.5])
    b = a * np.sin(beta) / np.sin(alpha)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    u = 2 * np.arctan(ratio / np.tan(t / 2))
    along = np.array([np.cos(u), np.sin(u) * np.cos(alpha), np.sin(u) * np.sin(alpha)])
    first = np.array([0, -np.sin(alpha), np.cos(alpha)])
    third = first * np.cos(beta) - np.cross(along, first) * -np.sin(beta)
    back = np.array([-np.cos(t), np.sin(t), 0])
    last = np.array([0, 0, np.cos(beta)]) + np.sin(beta) * np.array([np.sin(t), np.cos(t), 0])
    points = np.array([[0, 0, 0], [a, 0, 0], np.array([a, 0, 0]) + b * along, b * back])
    return points, np.array([[0, 0, 1], first, third, last])


def rotor(rng, turn, shift):
    """A shaft in a revolute and two cylindrical bearings."""
    places = np.cumsum(rng.uniform(0.5, 1.0, 3))
    axis = turn[:, 0]
    types = (kb.Revolute, kb.Cylindrical, kb.Cylindrical)
    joints = [
        kind(f"J{i}", "ground", "shaft", at=place * axis + shift, axis=axis)
        for i, (kind, place) in enumerate(zip(types, places, strict=True))
    ]
    return kb.Mechanism("rotor", [kb.Body("shaft")], joints)


def cranks(rng):
    """Three to five equal cranks between the base and one coupler, in the plane."""
    names = [f"crank {i}" for i in range(rng.integers(3, 6))]
    joints, r = [], np.array([0.4, 0.7])
    for i, name in enumerate(names):
        p = np.array([1.0, 0.3]) * i + rng.uniform(-0.2, 0.2, 2)
        joints.append(kb.Revolute(f"J{2 * i}", "ground", name, at=p))
        joints.append(kb.Revolute(f"J{2 * i + 1}", name, "coupler", at=p + r))
    return kb.Mechanism("cranks", [kb.Body(n) for n in (*names, "coupler")], joints, plane="xy")


def mechanism(seed, flat=True):
    rng = np.random.default_rng(seed)
    if flat and seed % 5 == 4:
        return cranks(rng), rng
    place = Rotation.random(random_state=seed).as_matrix(), rng.uniform(-1, 1, 3)
    if seed % 5 == 3:
        return rotor(rng, *place), rng
    shape = (planar, spherical, bennett, planar, bennett)[seed % 5](rng)
    return loop(*shape, *place), rng


def any_sizes(m, rng, count=4):
    """Some sizes of every kind, with deviations of about 1e-5."""
    on = {}
    for joint in m.joints:
        for body in (joint.parent, joint.child):
            on.setdefault(body, []).append(joint.name)
    words = ("offset", "dx", "dy", "dz", "rx", "ry", "rz")
    words = ("dx", "dy", "rz") if m.plane else words
    sizes = [(b, j, word) for b, joints in on.items() for j in joints for word in words]
    pairs = [(b, *pair) for b, joints in on.items() for pair in permutations(joints, 2)]
    sizes += pairs if m.plane else [*pairs, *((*pair, "twist") for pair in pairs)]
    chosen = rng.choice(len(sizes), count, replace=False)
    return {sizes[i]: 1e-5 * rng.uniform(-1, 1) for i in chosen}


def springs(m, rng):
    return {j.name: tuple(10.0 ** rng.uniform([7, 6], [8, 7])) for j in m.joints}


def halves(m, sizes):
    """Frames of the joints' halves on parent and child, with all sizes changed."""
    place = drawn_placement(m)
    X = {(t.joint.name, t.joint.parent): [t.X_LF.R, t.X_LF.p] for t in place.ties}
    X |= {(t.joint.name, t.joint.child): [t.X_LM.R, t.X_LM.p] for t in place.ties}
    drawn = {key: (R.copy(), p.copy()) for key, (R, p) in X.items()}
    turns = {}
    for (body, first, second, *twist), amount in sizes.items():
        words = ("offset", "dx", "dy", "dz", "rx", "ry", "rz")
        name = first if second in words else second
        if second == "offset":
            u = drawn[first, body][0][:, 2]
        elif second in words:
            u = np.eye(3)["xyz".index(second[1])]
        else:
            u = drawn[second, body][1] - drawn[first, body][1]
            u = u / np.linalg.norm(u)
        if twist or second in words[4:]:
            turns[name, body] = turns.get((name, body), 0) + amount * u
        else:
            X[name, body][1] = X[name, body][1] + amount * u
    for key, turn in turns.items():
        X[key][0] = Rotation.from_rotvec(turn).as_matrix() @ X[key][0]
    return X


def in_rows(stiffness):
    """Against turns and shifts, a row for each joint."""
    return np.array([[*3 * [k_turn], *3 * [k_shift]] for k_shift, k_turn in stiffness.values()])


class FreeBodies:
    """Poses of all bodies and coordinates of all joints but the held one are unknowns."""

    def __init__(self, m, sizes, stiffness, held):
        self.m, self.X, self.stiffness, self.held = m, halves(m, sizes), stiffness, held
        self.bodies = {body.name: i for i, body in enumerate(m.bodies)}
        self.first = 6 * len(m.bodies)
        self.x = np.zeros(self.first + sum(j.nv for j in m.joints) - 1)

    def pose(self, x, body):
        if body == "ground":
            return np.eye(3), np.zeros(3)
        part = x[6 * self.bodies[body] :][:6]
        flat = np.array([0, 0, 1, 1, 1, 0]) if self.m.plane else 1.0
        part = part * flat
        return Rotation.from_rotvec(part[:3]).as_matrix(), part[3:]

    def gaps(self, x):
        """Turn and shift of every joint's half on the child from where its coordinates ask."""
        found, q = [], np.concatenate([[self.held], x[self.first :]])
        for joint in self.m.joints:
            (R_P, p_P), (R_B, p_B) = (self.pose(x, b) for b in (joint.parent, joint.child))
            (R_F, p_F), (R_M, p_M) = (self.X[joint.name, b] for b in (joint.parent, joint.child))
            own, q = joint.pose(q[: joint.nq]), q[joint.nq :]
            R, p = R_P @ R_F @ own.R, R_P @ (R_F @ own.p + p_F) + p_P
            S = R_B @ R_M
            turn = Rotation.from_matrix(S.T @ R).as_rotvec()
            found.append(np.concatenate([turn, S.T @ (p - R_B @ p_M - p_B)]))
        return np.array(found)

    def residual(self, x):
        k = in_rows(self.stiffness)
        return (np.sqrt(k) * self.gaps(x)).ravel()

    def solved(self, steps=6):
        """Least energy, by Gauss-Newton with differences."""
        x, h = self.x, 1e-5
        for _ in range(steps):
            J = [
                (self.residual(x + e) - self.residual(x - e)) / (2 * h) for e in h * np.eye(len(x))
            ]
            x = x - np.linalg.lstsq(np.array(J).T, self.residual(x), rcond=1e-11)[0]
        return x


@cache
def case(seed):
    """A mechanism, its deviations and stiffnesses, and the answer of the first order."""
    m, rng = mechanism(seed)
    sizes, stiffness = any_sizes(m, rng), springs(m, rng)
    return m, sizes, stiffness, kb.size_deviations(m, "J0", [0.0], sizes, stiffness=stiffness)


def moved(gaps, plane):
    """Only what counts in a plane."""
    return gaps * ([0, 0, 1, 1, 1, 0] if plane else 1)


@pytest.mark.parametrize("seed", seeds(0.2, least=3))
def test_gaps_and_energy_are_those_of_free_bodies_on_springs(seed):
    """The gaps are the slope of those of the least energy, changed sizes put in as they are."""
    m, sizes, stiffness, effect = case(seed)
    ways = []
    for sign in (1, -1):
        model = FreeBodies(m, {s: sign * x for s, x in sizes.items()}, stiffness, 0.0)
        ways.append(model.gaps(model.solved()))
    slope = (ways[0] - ways[1]) / 2
    found = np.array([effect.gaps[j.name][0] for j in m.joints])
    k = in_rows(stiffness)
    force = np.abs(k * found).max()
    assert_allclose(k * found, k * moved(slope, m.plane), rtol=0, atol=2e-5 * force + 1e-7)
    assert_allclose(effect.energy[0], 0.5 * np.sum(k * slope**2), rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("seed", seeds(0.2, least=3))
def test_exact_gaps_are_those_of_free_bodies_on_springs(seed):
    """With larger deviations and away from the drawing, the least energy is found itself."""
    m, sizes, stiffness, _ = case(seed)
    larger = {size: 100 * amount for size, amount in sizes.items()}
    effect = kb.size_deviations(m, "J0", [0.05], larger, stiffness=stiffness, exact=True)
    model = FreeBodies(m, larger, stiffness, 0.05)
    gaps = moved(model.gaps(model.solved(12)), m.plane)
    drawn = halves(m, {})
    for gap, joint in zip(gaps, m.joints, strict=True):  # in the axes of the drawing
        half = joint.name, joint.child
        turn = drawn[half][0].T @ model.X[half][0]
        gap[:] = np.concatenate([turn @ gap[:3], turn @ gap[3:]])
    k = in_rows(stiffness)
    found = np.array([effect.gaps[j.name][0] for j in m.joints])
    assert_allclose(k * found, k * gaps, rtol=0, atol=1e-6 * np.abs(k * found).max() + 1e-6)
    assert_allclose(effect.energy[0], 0.5 * np.sum(k * gaps**2), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("seed", seeds())
def test_forces_balance_on_every_body(seed):
    """Without a load the wrenches of the joints on a body add up to nothing."""
    m, _, _, effect = case(seed)
    largest = max(np.abs(w).max() for w in effect.wrenches.values())
    for body in m.bodies:
        total = np.zeros(6)
        for joint in m.joints:
            if body.name in (joint.parent, joint.child):
                moment, force = np.split(effect.wrenches[joint.name][0], 2)
                at = np.array([*joint.at, 0.0][:3])
                wrench = np.concatenate([moment + np.cross(at, force), force])
                total += wrench if joint.child == body.name else -wrench
        assert_allclose(total, 0, atol=1e-9 * largest)


@pytest.mark.parametrize("seed", seeds())
def test_work_of_the_deviations_is_the_energy(seed):
    """Growing from nothing, the deviations work half of size times force; the springs keep it."""
    _, sizes, stiffness, effect = case(seed)
    work = -0.5 * sum(amount * effect.tensions[size][0] for size, amount in sizes.items())
    kept = 0.0
    for name, (k_shift, k_turn) in stiffness.items():
        turn, shift = np.split(effect.gaps[name][0], 2)
        kept += 0.5 * (k_turn * turn @ turn + k_shift * shift @ shift)
    assert_allclose(work, effect.energy[0], rtol=1e-9, atol=1e-18)
    assert_allclose(kept, effect.energy[0], rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize("seed", seeds(0.5, least=5))
def test_effort_of_the_input_is_the_slope_of_the_energy(seed):
    """What the driver works along the motion is what the springs keep more."""
    m, sizes, stiffness, _ = case(seed)
    larger, h = {size: 30 * amount for size, amount in sizes.items()}, 1e-3
    exact = kb.size_deviations(m, "J0", [-h, 0.0, h], larger, stiffness=stiffness, exact=True)
    slope = (exact.energy[2] - exact.energy[0]) / (2 * h)
    assert_allclose(exact.effort[1], slope, rtol=1e-3, atol=1e-5 * exact.energy[1] + 1e-15)


@pytest.mark.parametrize("seed", seeds(0.2, least=3))
def test_growths_close_the_loop_with_all_deviations(seed):
    """Sizes that give way by what is found, put in as real changes, leave no gap anywhere."""
    m, rng = mechanism(seed)
    sizes = {size: 100 * amount for size, amount in any_sizes(m, rng).items()}
    elastic = {
        (joint.child, joint.name, word): 1e7 * rng.uniform(0.5, 2)
        for joint in m.joints[1::2]
        for word in (("dx", "dy", "rz") if m.plane else ("dx", "dy", "dz", "rx", "ry", "rz"))
    }
    if m.name == "rotor":
        elastic |= {("shaft", "J2", word): 1e7 for word in ("dx", "dy", "dz", "rx", "ry", "rz")}
    halves_of_springs = {(body, joint) for body, joint, _ in elastic}
    sizes = {
        size: amount
        for size, amount in sizes.items()
        if not any((size[0], joint) in halves_of_springs for joint in size[1:])
    }
    effect = kb.size_deviations(m, "J0", [0.1], sizes, stiffness=elastic, exact=True)
    growths = {size: float(y[0]) for size, y in effect.growths.items()}
    grown = FreeBodies(m, sizes | growths, dict.fromkeys(m.joints, (1.0, 1.0)), 0.1)
    without = FreeBodies(m, sizes, grown.stiffness, 0.1)
    gap, before = (np.abs(model.gaps(model.solved())).max() for model in (grown, without))
    assert gap < 1e-9
    assert before > 10 * gap or effect.energy[0] < 1e-9


def test_a_planar_mechanism_counts_in_space_where_a_size_leaves_the_plane():
    """A tilt of one pin of a four-bar breaks conditions that the plane does not know."""
    m, rng = mechanism(4)
    tilt, stiffness = {("coupler", "J1", "rx"): 1e-4}, springs(m, rng)
    effect = kb.size_deviations(m, "J0", [0.2], tilt, stiffness=stiffness)
    flat = kb.mobility(m)
    assert effect.passive == kb.mobility(m, "spatial").passive == flat.passive + 3 * len(flat.loops)
    assert effect.energy[0] > 0
    same = replace(m, plane=None, joints=[replace(j, axis=(0, 0, 1)) for j in m.joints])
    again = kb.size_deviations(same, "J0", [0.2], tilt, stiffness=stiffness)
    assert again.passive == effect.passive
    assert_allclose(again.energy, effect.energy, rtol=1e-9)

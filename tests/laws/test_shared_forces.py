"""Forces that passive constraints and drives to spare leave open: who carries them, and what not.

Mechanisms of parallel cranks under a common coupler, any number of them, in the plane; a four-bar
with parallel axes in space.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.model.drawing import drawing


def cranks(rng, count=3, drives=1):
    """Equal cranks that turn a coupler by the first of them, or by more than one."""
    angle, length = rng.uniform(0.5, 1.0), rng.uniform(0.2, 0.4)
    arm = length * np.array([np.cos(angle), np.sin(angle), 0.0])
    feet = np.zeros((count, 3))
    feet[:, :2] = np.cumsum(rng.uniform(0.2, 0.5, (count, 2)) * [1, 0.3], axis=0)
    bodies = [
        kb.Body(f"crank{i}", rng.uniform(0.5, 1.5), tuple(p + 0.4 * arm), rng.uniform(0.01, 0.02))
        for i, p in enumerate(feet)
    ]
    bodies.append(kb.Body("coupler", 2.0, tuple(feet.mean(axis=0) + arm), 0.1))
    joints = [kb.Revolute(f"A{i}", "ground", f"crank{i}", at=tuple(p)) for i, p in enumerate(feet)]
    joints += [
        kb.Revolute(f"B{i}", f"crank{i}", "coupler", at=tuple(p + arm)) for i, p in enumerate(feet)
    ]
    push = kb.PointForce("push", "coupler", (*rng.uniform(-50, 50, 2), 0), tuple(rng.random(3)))
    push = replace(push, at=(*push.at[:2], 0.0))
    laws = [kb.JointDrive(f"d{i}", f"A{i}", "2*t + 3*t^2") for i in range(drives)]
    name = f"{count} cranks"
    return kb.Mechanism(name, bodies, joints, drives=laws, forces=[push], plane="xy")


def spatial(rng):
    """A four-bar with parallel axes in space: three constraints are passive."""
    at = [(0, 0, 0), (0.25, 0.1, 0), (1.0, 0.9, 0.1), (1.1, 0, 0)]
    ends = [("ground", "crank"), ("crank", "rod"), ("rod", "rocker"), ("ground", "rocker")]
    joints = [
        kb.Revolute(name, *pair, at=(*p[:2], p[2] + z), axis=(0, 0, 1))
        for name, pair, p, z in zip("ABCD", ends, at, rng.uniform(-0.1, 0.1, 4), strict=True)
    ]
    bodies = [
        kb.Body(name, rng.uniform(0.5, 2.0), tuple(rng.uniform(-0.3, 0.3, 3)), (0.1, 0.1, 0.1))
        for name in ("crank", "rod", "rocker")
    ]
    drive = kb.JointDrive("drive", "A", "0.4*t + 0.6*t^2")
    push = kb.PointForce("push", "rocker", tuple(rng.uniform(-5, 5, 3)), (0.9, 0.3, 0))
    return kb.Mechanism("four-bar", bodies, joints, drives=[drive], forces=[push])


KINDS = {"cranks": lambda rng: cranks(rng, int(rng.integers(3, 5))), "spatial": spatial}


class Case(NamedTuple):
    """A mechanism, its velocities, and forces by least squares and by random stiffnesses."""

    m: kb.Mechanism
    v: np.ndarray
    a: np.ndarray
    least: kb.results.Reactions
    stiffness: dict
    elastic: kb.results.Reactions


@cache
def case(kind, seed):
    """What several laws look at, where the mechanism is drawn."""
    rng = np.random.default_rng(seed)
    m = KINDS[kind](rng)
    v, a = rng.uniform(-3, 3, (2, m.nv))
    if m.plane:  # all cranks turn alike, and the coupler does not
        signs = np.array([1.0 if joint.name[0] == "A" else -1.0 for joint in m.joints])
        v, a = v[0] * signs, a[0] * signs
    stiffness = springs(rng, m)
    elastic = forces(m, v, a, distribution=kb.Distribution(stiffness=stiffness))
    return Case(m, v, a, forces(m, v, a), stiffness, elastic)


def forces(m, v, a, **options):
    """What the formula gives of numbers, with nothing compiled."""
    verb = kb.reactions
    asked = verb.checked(m, options)
    told = verb.formula(
        verb.system(m), np.zeros(m.nv), v, a, **{name: asked[name] for name in verb.options}
    )
    keys = ("force", "moment", "point", "efforts", "open", "open_drives")
    numbers = {key: np.asarray(getattr(told, key), dtype=float) for key in keys}
    return replace(told, planar=m.plane is not None, **numbers)


def springs(rng, m):
    """Random stiffness of every joint, against shifts and turns."""
    return {joint.name: tuple(rng.uniform(1e6, 9e6, 2)) for joint in m.joints}


def component(forces, name):
    """A component such as "A.fx" of reactions."""
    joint, part = name.rsplit(".", 1)
    wrench = forces[joint]
    return (wrench.moment if part[0] == "m" else wrench.force)[..., "xyz".index(part[1])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.5))
def test_what_is_unique_is_so_in_every_distribution(kind, seed):
    """Drives' efforts and unique components stay, all that is not unique changes."""
    m, _, _, least, _, other = case(kind, seed)
    top = np.abs(least.force).max() + np.abs(other.force).max()
    assert_allclose(other.efforts, least.efforts, rtol=0, atol=1e-10 * top)
    assert {drive.name for drive in m.drives} <= {*least.unique}
    for name in (name for name in least.unique if name.rpartition(".")[0] in least.joints):
        gap = component(other, name) - component(least, name)
        assert_allclose(gap, 0.0, rtol=0, atol=1e-9 * top, err_msg=name)
    for name in least.not_unique:
        gap = component(other, name) - component(least, name)
        assert np.abs(gap).max() > 1e-9 * top, name
    assert least.not_unique == other.not_unique != ()


@pytest.mark.parametrize("seed", seeds(0.5))
def test_equal_stiffness_is_the_least_sum_of_squares(seed):
    """With k against shifts and k L^2 against turns, L the typical length."""
    m, v, a, least, _, _ = case("spatial", seed)
    k, scale = 3e7, drawing(m).scale
    stiffness = dict.fromkeys("ABCD", (k, k * scale**2))
    equal = forces(m, v, a, distribution=kb.Distribution(stiffness=stiffness))
    top = np.abs(least.force).max()
    assert_allclose(equal.force, least.force, rtol=0, atol=1e-10 * top)
    assert_allclose(equal.moment, least.moment, rtol=0, atol=1e-10 * top)


def on_springs(m, v, a, stiffness):
    """Pin forces of bodies that hang in springs, by their displacements; the first crank is held.

    Each body has (x, y, angle); a pin pulls with k times the way between its two halves.
    """
    row = {body.name: 3 * i for i, body in enumerate(m.bodies)}
    K, load, arms = np.zeros((3 * len(row), 3 * len(row))), np.zeros(3 * len(row)), {}
    for joint in m.joints:
        x, y = joint.at[:2]
        T = np.zeros((2, 3 * len(row)))
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body != "ground":
                T[:, row[body] : row[body] + 3] = sign * np.array([[1, 0, -y], [0, 1, x]])
        K += stiffness[joint.name] * T.T @ T
        arms[joint.name] = T
    for body in m.bodies:
        load[row[body.name] : row[body.name] + 3] = taken(m, v[0], a[0], body)
    keep = [k for k in range(len(load)) if k != row["crank0"] + 2]
    u = np.zeros(len(load))
    u[keep] = np.linalg.solve(K[np.ix_(keep, keep)], load[keep])
    return np.array([stiffness[name] * T @ u for name, T in arms.items()])


def taken(m, rate, acceleration, body):
    """Force, and moment about the world's origin, that the joints must give to a body."""
    c, place = np.array(body.com[:2]), {joint.name: np.array(joint.at[:2]) for joint in m.joints}
    number = body.name.removeprefix("crank")
    still = body.name == "coupler"
    r = place["B0"] - place["A0"] if still else c - place[f"A{number}"]
    a = acceleration * np.array([-r[1], r[0]]) - rate**2 * r
    f = body.mass * (a - np.array(m.gravity[:2]))
    n = (0.0 if still else body.inertia[2][2] * acceleration) + c[0] * f[1] - c[1] * f[0]
    if still:
        push = m.forces[0]
        p, F = np.array(push.at), np.array(push.force, dtype=float)
        f, n = f - F[:2], n - (p[0] * F[1] - p[1] * F[0])
    return [*f, n]


@pytest.mark.parametrize("seed", seeds(0.5))
def test_elastic_forces_are_those_of_bodies_on_springs(seed):
    """The same as displacements of rigid bodies in springs give, written for the plane."""
    m, v, a, _, stiffness, elastic = case("cranks", seed)
    expected = on_springs(m, v, a, {name: shift for name, (shift, _) in stiffness.items()})
    top = np.abs(expected).max()
    assert_allclose(elastic.force[..., :2], expected, rtol=0, atol=1e-9 * top)


def best_split(G, required, weights, limits):
    """Least sum of w u^2 with G'u = required within limits: every set of limits that hold."""
    count, best, least = len(weights), None, np.inf
    for which in product((0, -1, 1), repeat=count):
        fixed = np.array([0.0 if k == 0 else limits[i][k > 0] for i, k in enumerate(which)])
        free = [i for i, k in enumerate(which) if k == 0]
        rest = required - G.T @ np.where(np.array(which) == 0, 0.0, fixed)
        H = G[free].T / weights[free] @ G[free]
        u = fixed.copy()
        u[free] = (G[free] @ np.linalg.lstsq(H, rest, rcond=1e-10)[0]) / weights[free]
        meets = np.allclose(G.T @ u, required, rtol=0, atol=1e-9 * np.abs(required).max())
        inside = all(lo - 1e-9 <= x <= hi + 1e-9 for x, (lo, hi) in zip(u, limits, strict=True))
        if meets and inside and (cost := weights @ u**2) < least:
            best, least = u, cost
    return best


def five_bar(rng, driven):
    """Two cranks, two rods; drives on some of its joints."""
    at = np.array([(0, 0), (0.1, 0.4), (0.55, 0.7), (0.9, 0.35), (1, 0)])
    at[1:4] += rng.uniform(-0.05, 0.05, (3, 2))
    names = ["ground", "1", "2", "3", "4", "ground"]
    ends = pairwise(names)
    joints = [
        kb.Revolute(name, *pair, at=(*p, 0))
        for name, pair, p in zip("ABCDE", ends, at, strict=True)
    ]
    middles = (at[1:] + at[:-1]) / 2
    bodies = [kb.Body(name, 1.0, (*c, 0), 0.05) for name, c in zip("1234", middles, strict=True)]
    drives = [kb.JointDrive(f"d{name}", name, law) for name, law in driven.items()]
    return kb.Mechanism("five-bar", bodies, joints, drives=drives, plane="xy")


def start(rng, driven):
    """The five-bar, and velocity and acceleration of its joints where it is drawn, by name."""
    m = five_bar(rng, driven)
    motion = kb.motion(m, [0.0])
    return m, {j.name: [float(motion[f"{x}_{j.name}"][0]) for x in "va"] for j in m.joints}


@pytest.mark.parametrize("seed", seeds(0.17))
def test_split_within_limits_is_the_best_of_all(seed):
    """Two freedoms, four drives: against all sets of limits that may hold, weighted."""
    basic = {"A": "t + 2*t^2", "E": "-0.5*t + t^2"}
    m, moving = start(np.random.default_rng(seed), basic)
    shares = [start(np.random.default_rng(seed), {"A": a, "E": e})[1] for a, e in ("t0", "0t")]
    required = kb.reactions(m, kb.motion(m, [0.0])).efforts[0]
    extra = {x: f"{moving[x][0]!r}*t + {moving[x][1] / 2!r}*t^2" for x in "BD"}
    whole = five_bar(np.random.default_rng(seed), {**basic, **extra})
    G = np.array([[share[name][0] for share in shares] for name in "AEBD"])
    rng = np.random.default_rng(seed + 77)
    weights = rng.uniform(0.5, 3.0, 4)
    largest = rng.uniform(0.15, 1.0, 4) * np.abs(required).max()
    limits = [(-x, x) for x in largest]
    limits[seed % 4] = (0.3 * largest[seed % 4], largest[seed % 4])  # never at rest
    names = ["dA", "dE", "dB", "dD"]
    best = best_split(G, required, weights, limits)
    found = kb.reactions(
        whole,
        kb.motion(whole, [0.0]),
        distribution=kb.Distribution(
            weights=dict(zip(names, weights, strict=True)),
            limits=dict(zip(names, limits, strict=True)),
        ),
    )
    assert found.drives == tuple(names)
    if best is None:
        assert np.isnan(found.efforts).all()
        assert "limits leave no efforts" in found.notes[-1]
    else:
        assert_allclose(found.efforts[0], best, rtol=0, atol=1e-8 * np.abs(required).max())

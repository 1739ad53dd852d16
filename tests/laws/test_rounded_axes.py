"""Axes given with seven digits are parallel, or meet in a point, as they are meant to."""

import numpy as np
import pytest
from law_counts import seeds

import korba as kb

DIGITS = 7


def turned(rng):
    """A random rotation."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def rounded(rng, axis, digits):
    """A direction as a file has it: of some length, with some digits."""
    axis = np.asarray(axis) * rng.uniform(0.6, 1.0)
    return axis if digits is None else np.round(axis, digits)


def chain(points, axes, kinds):
    """A closed chain of links, its last joint given by frames; S for joints that slide."""
    links = ["ground", *(f"b{k}" for k in range(1, len(points))), "ground"]
    joints = []
    for k, kind in enumerate(kinds):
        place = kb.Frame(points[k])
        drawn = {"at": points[k]} if k < len(kinds) - 1 else {"on_parent": place, "on_child": place}
        joint = kb.Prismatic if kind == "S" else kb.Revolute
        joints.append(joint(f"j{k}", links[k], links[k + 1], axis=axes[k], **drawn))
    bodies = [kb.Body(name, 1.0, frame=kb.Frame()) for name in links[1:-1]]
    return kb.Mechanism("chain", bodies, joints)


def planar(rng, kinds, digits=DIGITS, tilt=0.0):
    """A planar chain somewhere in space, and the plane's normal; one axis may be tilted."""
    R = turned(rng)
    points = (np.array([[0, 0], [0.3, 0.9], [2.4, 1.7], [2.5, 0], [1.2, -0.8]]))[: len(kinds)]
    points = [R @ [*(p + 0.1 * rng.normal(size=2)), 0.3 * rng.normal()] for p in points]
    axes = []
    for k, kind in enumerate(kinds):
        local = [*rng.normal(size=2), 0.0] if kind == "S" else [tilt * (k == 2), 0.0, 1.0]
        axes.append(rounded(rng, R @ (np.array(local) / np.linalg.norm(local)), digits))
    return chain(points if digits is None else np.round(points, digits), axes, kinds)


def spherical(rng, count, digits=DIGITS, off=0.0):
    """A spherical chain about a random point; one axis may miss it."""
    centre, R = rng.normal(size=3), turned(rng)
    spread = np.array([[0, 0.1, 1], [0.8, 0, 1], [0.9, 0.9, 1], [-0.2, 0.8, 1], [-0.7, 0.3, 1]])
    axes = [R @ (d / np.linalg.norm(d)) for d in spread[:count] + 0.1 * rng.normal(size=(count, 3))]
    points = [centre + rng.uniform(0.5, 1.5) * d for d in axes]
    points[1] = points[1] + off * np.cross(axes[0], axes[1])
    axes = [rounded(rng, d, digits) for d in axes]
    return chain(points if digits is None else np.round(points, digits), axes, "R" * count)


@pytest.mark.parametrize("kinds", ["RRRR", "RRRS", "RRRRR", "RSRR"])
@pytest.mark.parametrize("seed", seeds(0.3))
def test_planar_linkages_of_seven_digits_are_planar(seed, kinds):
    """Their mobility is that of the exact numbers; tilted by 1e-4 an axis is tilted."""
    exact = kb.mobility(planar(np.random.default_rng(seed), kinds, None)).actual
    assert exact == len(kinds) - 3
    assert kb.mobility(planar(np.random.default_rng(seed), kinds)).actual == exact
    tilted = planar(np.random.default_rng(seed), kinds, tilt=1e-4)
    assert kb.mobility(tilted).actual < exact


@pytest.mark.parametrize("count", [4, 5])
@pytest.mark.parametrize("seed", seeds(0.3))
def test_spherical_linkages_of_seven_digits_are_spherical(seed, count):
    """Their mobility is that of the exact numbers; an axis off by 1e-4 misses the point."""
    exact = kb.mobility(spherical(np.random.default_rng(seed), count, None)).actual
    assert exact == count - 3
    assert kb.mobility(spherical(np.random.default_rng(seed), count)).actual == exact
    off = spherical(np.random.default_rng(seed), count, off=1e-4)
    assert kb.mobility(off).actual < exact


@pytest.mark.parametrize("make", [lambda rng: planar(rng, "RRRR"), lambda rng: spherical(rng, 4)])
def test_they_move_as_the_exact_ones_do(make):
    """They are led to any value with their loops closed to rounding, and nothing is left free."""
    m = make(np.random.default_rng(1))
    position = kb.assemble(m, {"j0": 0.3})
    assert position.residual < 1e-12
    assert (position["j0"], position.free) == (0.3, 0)


def parallel_rods(rng, count, digits=DIGITS, turn=0.0, points=False):
    """A plate on rods that are equal and parallel, but for its digits and a `turn` of the plate.

    With `points` the rods are held in two points each, as `connect` of MJCF holds them.
    """
    R, rod = turned(rng), np.array([*rng.normal(size=2), 0.0])
    feet = np.outer(np.linspace(-0.4, 0.4, count), [*rng.normal(size=2), 0.0])
    heads = feet @ np.array([[1, turn, 0], [-turn, 1, 0], [0, 0, turn]])
    z = rounded(rng, R[:, 2], digits)

    def place(p):
        p = R @ p
        return kb.Frame(p if digits is None else np.round(p, digits))

    bodies, joints = [kb.Body("plate")], []
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        bodies.append(kb.Body(f"r{k}"))
        ends = {"on_parent": place(head), "on_child": place(rod + head - foot)}
        joints.append(kb.Revolute(f"h{k}", "plate", f"r{k}", axis=z, **ends))
        for lift in (0.0, 0.5) if points and k else (None,):
            up = np.array([0, 0, lift or 0.0])
            ends = {"on_parent": place(foot + up), "on_child": place(up)}
            if lift is None:
                joints.append(kb.Revolute(f"f{k}", "ground", f"r{k}", axis=z, **ends))
            else:
                joints.append(kb.Spherical(f"f{k}.{lift}", "ground", f"r{k}", **ends))
    return kb.Mechanism("rods", bodies, joints)


@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize("seed", seeds(0.3))
def test_rods_parallel_but_for_seven_digits_move(seed, points):
    """Equal rods carry a plate whatever digits their file has; turned by 0.1 it is said to jam.

    Turned by 1e-3 it is open by about its digits wherever it goes: nobody can tell.
    """
    count = 3 + seed % 3
    exact, again, jammed = (
        kb.mobility(parallel_rods(np.random.default_rng(seed), count, *how, points=points))
        for how in ((None,), (DIGITS,), (DIGITS, 0.1))
    )
    assert exact.actual == again.actual == 1
    assert jammed.actual < 1

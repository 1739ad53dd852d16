"""Idle freedoms never limit the others: rods between two balls against closed forms."""

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import korba as kb


def turned(axis, angle, p):
    """A point turned about an axis through the origin (Rodrigues)."""
    k = axis / np.linalg.norm(axis)
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    return p * c + np.cross(k, p) * s + k * (p @ k)[..., None] * (1 - c)


def drawn(rng):
    """Axis of the input, and both balls."""
    axis = rng.normal(size=3)
    ball = rng.normal(size=3)
    return axis / np.linalg.norm(axis), ball, rng.normal((2.0, 0.0, 0.0))


def rod(axis, ball, other, output):
    """Input about an axis through the origin, a rod between two balls, and an output joint."""
    joints = [
        kb.Revolute("in", "ground", "crank", at=(0, 0, 0), axis=tuple(axis)),
        kb.Spherical("B", "crank", "rod", at=tuple(ball)),
        kb.Spherical("C", "rod", "link", at=tuple(other)),
        output,
    ]
    if int(1e6 * abs(ball[0])) % 2:  # the ball's velocity in the axes of the crank, or of the rod
        joints[1] = kb.Spherical("B", "rod", "crank", at=tuple(ball))
    return kb.Mechanism("rod", [kb.Body(name) for name in ("crank", "rod", "link")], joints)


def limits(room):
    """The nearest roots of `room` on both sides of 0; none where it stays positive for a turn."""
    a = np.linspace(0, 2 * np.pi, 4001)
    ends = []
    for side in (-1.0, 1.0):
        crossed = np.flatnonzero(room(side * a) <= 0)
        if not len(crossed):
            return None
        bracket = side * a[crossed[0] - 1], side * a[crossed[0]]
        ends.append(brentq(lambda x: float(room(np.array(x))), *bracket, xtol=1e-14))
    return ends


def near_miss(room):
    """Whether the room becomes so small somewhere that sampling may not see what happens."""
    values = room(np.linspace(-2 * np.pi, 2 * np.pi, 8001))
    inside = np.diff(np.sign(np.diff(values))) > 0
    return bool(np.any(np.abs(values[1:-1][inside]) < 1e-2))


def rssr(rng):
    """An RSSR, and the discriminant of  a cos D + b sin D = c  over the angle of its input."""
    axis, ball, other = drawn(rng)
    out, at = rng.normal(size=3), rng.normal((3.0, 0.0, 0.0))
    out = out / np.linalg.norm(out)
    arm = other - at
    along, across = arm - out * (out @ arm), np.cross(out, arm)
    length = np.linalg.norm(other - ball)

    def room(angle):
        d = turned(axis, angle, ball) - at - out * (out @ arm)
        c = (np.sum(d * d, axis=-1) + along @ along - length**2) / 2
        a, b = d @ along, d @ across
        return a * a + b * b - c * c

    m = rod(axis, ball, other, kb.Revolute("D", "ground", "link", at=tuple(at), axis=tuple(out)))
    return m, room


def rssp(rng):
    """An RSSP, and the discriminant of the quadratic for the stroke of its slide."""
    axis, ball, other = drawn(rng)
    along = rng.normal(size=3)
    along = along / np.linalg.norm(along)
    length = np.linalg.norm(other - ball)

    def room(angle):
        d = other - turned(axis, angle, ball)
        half = d @ along
        return half * half - np.sum(d * d, axis=-1) + length**2

    m = rod(
        axis, ball, other, kb.Prismatic("D", "ground", "link", at=tuple(other), axis=tuple(along))
    )
    return m, room


@pytest.mark.parametrize("make", [rssr, rssp])
@pytest.mark.parametrize("seed", seeds(0.5))
def test_a_rod_on_two_balls_moves_as_far_as_its_lengths_allow(make, seed):
    """Limits of the input are the roots of a discriminant that knows nothing of the rod's spin."""
    rng = np.random.default_rng(seed)
    m, room = make(rng)
    while room(np.array(0.0)) < 1e-2 or near_miss(room):
        m, room = make(rng)
    expected, found = limits(room), kb.input_range(m, "in")
    assert found.full_turn == (expected is None)
    if expected is not None:
        assert_allclose([found.lower.value, found.upper.value], expected, rtol=0, atol=1e-7)


def rod_between(name, ends, places, foot, *, slides=False):
    """The bodies and joints of a rod on two balls, or on a universal joint and a ball.

    One that slides is of two tubes, with a prismatic joint between them.
    """
    below, above = places
    along = above - below
    tubes = [f"{name} lower", f"{name} upper"] if slides else [name]
    across = np.cross(along, (0.3, 0.5, 0.8))
    if foot == "ball":
        joints = [kb.Spherical(f"{name} foot", ends[0], tubes[0], at=tuple(below))]
    else:
        cross = {"axis": tuple(across), "x_axis": tuple(np.cross(along, across))}
        joints = [kb.Universal(f"{name} foot", ends[0], tubes[0], at=tuple(below), **cross)]
    if slides:
        joints.append(kb.Prismatic(name, *tubes, at=tuple(below), axis=tuple(along)))
    joints.append(kb.Spherical(f"{name} head", tubes[-1], ends[1], at=tuple(above)))
    return [kb.Body(tube) for tube in tubes], joints


def stewart(rng, foot):
    """A platform on six legs, each driven at its slide."""
    bodies, joints = [kb.Body("platform")], []
    for i, angle in enumerate(np.deg2rad([10, 110, 130, 230, 250, 350])):
        other = angle + np.deg2rad(-35 if i % 2 else 35)
        below = np.array([2 * np.cos(angle), 2 * np.sin(angle), 0]) + 0.1 * rng.normal(size=3)
        above = np.array([np.cos(other), np.sin(other), 2]) + 0.1 * rng.normal(size=3)
        more = rod_between(f"leg{i}", ("ground", "platform"), (below, above), foot, slides=True)
        bodies, joints = bodies + more[0], joints + more[1]
    drives = [kb.JointDrive(f"D{i}", f"leg{i}", f"{rng.uniform(-1, 1)}*t") for i in range(6)]
    return kb.Mechanism("stewart", bodies, joints, drives=drives)


def delta(rng, foot):
    """Three driven arms, each with two rods between balls to one platform."""
    bodies, joints, up = [kb.Body("platform")], [], np.array([0.0, 0.0, 1.0])
    for i in range(3):
        angle = 2 * np.pi * i / 3
        out, side = np.array(
            [[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0]]
        )
        elbow = rng.uniform(1.0, 1.2) * out + rng.uniform(0.1, 0.3) * up
        wrist = 0.2 * out - rng.uniform(0.9, 1.1) * up
        bodies.append(kb.Body(f"arm{i}"))
        arm = {"at": tuple(0.5 * out), "axis": tuple(side)}
        joints.append(kb.Revolute(f"A{i}", "ground", f"arm{i}", **arm))
        for hand, shift in (("left", 0.15 * side), ("right", -0.15 * side)):
            places = elbow + shift, wrist + shift
            more = rod_between(f"{hand}{i}", (f"arm{i}", "platform"), places, foot)
            bodies, joints = bodies + more[0], joints + more[1]
    drives = [kb.JointDrive(f"D{i}", f"A{i}", f"{rng.uniform(-0.9, 0.9)}*t") for i in range(3)]
    return kb.Mechanism("delta", bodies, joints, drives=drives)


def travelled(m, times):
    """Poses of the platform as far as the drives move it, and when a dead point ends that."""
    try:
        motion, end = kb.motion(m, times), np.inf
    except kb.DeadPointError as error:
        motion, end = error.motion, error.t
    platform = motion.body("platform")
    return platform.position, platform.rotation, end


@pytest.mark.parametrize("make", [stewart, delta])
@pytest.mark.parametrize("seed", seeds(0.05))
def test_rods_of_platforms_spin_as_they_like(make, seed):
    """A platform moves the same, and as far, with a universal joint in place of a ball."""
    times = np.linspace(0, 1.5, 16)
    balls, crosses = (make(np.random.default_rng(seed), foot) for foot in ("ball", "cross"))
    (p, R, end), (p_2, R_2, end_2) = travelled(balls, times), travelled(crosses, times)
    assert_allclose(end, end_2, rtol=0, atol=1e-7)
    before = np.searchsorted(times, end - 1e-3)
    assert_allclose(p[:before], p_2[:before], rtol=0, atol=1e-8)
    assert_allclose(R[:before], R_2[:before], rtol=0, atol=1e-8)

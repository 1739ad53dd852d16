"""Ropes pull and do not push: when they become taut and slack, by how much, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

G = 9.81
EXACT = kb.Method("dop853", rtol=1e-11, atol=1e-12)


def ball(length=1.0, restitution=0.0, **more):
    """A ball in the plane on a rope from the origin."""
    rope = kb.Rope("r", "ground", (0, 0), "ball", (0, 0), length, restitution)
    body = kb.Body("ball", 1.5, inertia=0.01)
    joint = kb.Planar("P", "ground", "ball", at=(0, 0))
    return kb.Mechanism("m", [body], [joint], forces=[rope], plane="xy", **more)


M = ball()


def test_a_ball_that_falls_into_its_rope_swings_on():
    """It falls freely until the rope is taut, keeps the speed across it, and swings on."""
    run = kb.simulate(M, 0.7, q={"P.x": 0.6}, method=EXACT)
    t = np.sqrt(2 * 0.8 / G)
    taut = run.events["r taut"]
    assert_allclose(taut.t[0], t, atol=1e-9)
    after = run.t > t + 1e-9
    x, y, u, w = (run[name][after] for name in ("P.x", "P.y", "v_P.vx", "v_P.vy"))
    assert_allclose(np.hypot(x, y), 1.0, atol=1e-9)
    speed = u**2 + w**2
    assert_allclose(speed + 2 * G * y, (0.6 * G * t) ** 2 - 2 * G * 0.8, atol=1e-7)
    assert_allclose(run["pull_r"][after], 1.5 * (speed - G * y), atol=1e-5)
    assert_allclose(run["pull_r"][run.t < t - 1e-9], 0.0, atol=1e-12)


def test_it_is_slack_where_its_pull_is_nothing():
    """From the lowest place with v^2 = k g L it leaves the circle at sin = (k - 2) / 3 and meets
    it again 4 v cos / g later.
    """
    k = 3.2
    run = kb.simulate(M, 1.6, q={"P.y": -1.0}, v={"P.x": np.sqrt(k * G)}, method=EXACT)
    height = (k - 2) / 3
    slack, taut = run.events["r slack"], run.events["r taut"]
    assert_allclose(slack.q[0][1], height, atol=1e-8)
    flight = 4 * np.sqrt(G * height) * np.sqrt(1 - height**2) / G
    assert_allclose(taut.t[0] - slack.t[0], flight, atol=1e-8)  # taut from the start


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_the_impact_is_along_the_rope(restitution):
    """What the impact turns round is the speed along the rope, times the restitution."""
    m = ball(restitution=restitution)
    run = kb.simulate(m, 0.6, q={"P.x": 0.6}, method=EXACT)
    taut = run.events["r taut"]
    u = np.array([0.6, -0.8])
    before = np.array([0.0, -np.sqrt(2 * G * 0.8)])
    after = before - (1 + restitution) * (u @ before) * u
    assert_allclose(taut.v_after[0][:2], after, atol=1e-8)
    impulse = 1.5 * (1 + restitution) * (u @ before)
    assert_allclose(taut.impulses["r"][0], impulse, rtol=1e-8)
    assert_allclose(taut.joint_impulses["P"].force, 0.0, atol=1e-9)


def test_a_taut_rope_is_a_rod():
    """In a loop too: two balls on one rope, pulled apart all the time, move as on a rod."""
    spin = np.array([0.0, 3.0])
    bodies = [
        kb.Body(n, mass, com, (0.01,) * 3)
        for n, mass, com in (("a", 1, (0, 0, 0)), ("b", 2, (1, 0, 0)))
    ]
    A = kb.Spherical("A", "ground", "arm", at=(0, 0, 1))
    B = kb.Spherical("B", "arm", "a", at=(0, 0, 0))
    arm = kb.Body("arm", 0.5, (0, 0, 0.5), (0.1,) * 3)
    rope = kb.Rope("r", "a", (0, 0, 0), "b", (1, 0, 0), 1.0)
    free = kb.Free("F", "ground", "b", at=(1, 0, 0))
    rod = kb.Rod("R", "a", "b", at=(0, 0, 0), to=(1, 0, 0))
    one = kb.Mechanism("rope", [arm, *bodies], [A, B, free], forces=[rope])
    two = kb.Mechanism("rod", [arm, *bodies], [A, B, rod])
    given = {"gravity": (0, 0, 0), "times": 5, "method": EXACT}
    first = kb.simulate(one, 0.5, v={"F.vy": spin[1]}, **given)
    second = kb.simulate(
        two, 0.5, v={"R.swing_x": 0.0, "R.swing_y": 0.0} | _across(two, spin), **given
    )
    ends = [run.point("b", (1, 0, 0)).position for run in (first, second)]
    assert_allclose(*ends, atol=1e-5)


def _across(m, spin):
    """The rates of the rod that move its far end along y."""
    found = {}
    for name in ("R.swing_x", "R.swing_y"):
        v = np.zeros(m.nv)
        v[m.velocities.index(name)] = 1.0
        moved = kb.velocity(
            m, np.concatenate([j.drawn_coordinates for j in m.joints]), v, "b", (1, 0, 0)
        )
        found[name] = np.asarray(moved)[..., -2]
    size = sum(x**2 for x in found.values())
    return {name: spin[1] * x / size for name, x in found.items()}


def test_batches_and_files_have_ropes():
    """Many starts find their own events; a file gives the rope back."""
    run = kb.simulate(M, 0.5, q={"P.x": np.array([0.6, 0.8])}, method=EXACT)
    assert_allclose(run.events["r taut"].t[:2], np.sqrt(2 * np.array([0.8, 0.6]) / G), atol=1e-8)
    assert kb.loads(kb.dumps(M)) == M


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda: kb.simulate(M, 1.0, q={"P.x": 2.0}), "2 m apart at the start, and it is 1 m long"),
        (
            lambda: kb.forward_dynamics(M, np.zeros(3), np.zeros(3), np.zeros(3)),
            "pulls or is slack",
        ),
        (lambda: kb.generate(kb.simulate, M, "c"), "becomes taut and slack by events"),
        (lambda: ball(length=0.0), "above 0"),
        (lambda: ball(length=-1), "above 0"),
        (lambda: ball(restitution=1.2), "is at most 1"),
        (
            lambda: replace(M, forces=[kb.Rope("r", "ground", (0, 0), "ball", (0, 0))]),
            "length: is missing",
        ),
        (
            lambda: replace(M, forces=[kb.Rope("r", "ground", (0, 0), "b", (0, 0), 1)]),
            "no body 'b'",
        ),
    ],
)
def test_what_a_rope_cannot_is_told(asked, told):
    """Verbs at a state, written runs, starts beyond it and wrong values are refused by its name."""
    with pytest.raises((kb.StructureError, kb.ModelError), match=told):
        asked()

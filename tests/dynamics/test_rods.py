"""Rods without mass: reference solutions, other ways to say the same, hostile input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from element_references import EXACT, pendulum, reference, rods_of_four_bar, thrown_pair
from numpy.testing import assert_allclose

import korba as kb

E1 = reference("e1_massless_rods")
INERTIA = [0.0, 0.3]
"""Of balls, which turn idly."""


def run(m, times, **start):
    times = np.array(times)
    return kb.simulate(m, float(times[-1]), times=times, method=EXACT, **start)


@pytest.mark.parametrize("inertia", INERTIA)
def test_a_pendulum_swings_as_elliptic_functions_have_it(inertia):
    """E1: angle and rate to 1e-8, the pull to 1e-7 of its size."""
    m = pendulum(E1, inertia)
    found = run(m, E1["states"]["pendulum_t"])
    angle, rate, pull = np.array(E1["results"]["pendulum"]).T
    assert_allclose(found["AB.swing"] + angle[0], angle, atol=1e-8)
    assert_allclose(found["v_AB.swing_rate"], rate, atol=1e-8)
    assert_allclose(kb.reactions(m, found).pulls["AB"], pull, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("inertia", INERTIA)
def test_a_thrown_pair_turns_about_its_centre(inertia):
    """E1: both balls to 1e-8, the pull constant to 1e-7."""
    m, start = thrown_pair(E1, inertia), E1["initial"]["pair"]
    (x, y), speed = np.subtract(start["p2"], start["p1"]), np.subtract(start["v2"], start["v1"])
    turn = (x * speed[1] - y * speed[0]) / (x * x + y * y)
    v = {"O.x": start["v1"][0], "O.y": start["v1"][1], "R.swing": turn}
    found = run(m, E1["states"]["pair_t"], v=v)
    places = [found.point(body, m.body(body).com).position[:, :2] for body in ("one", "two")]
    assert_allclose(np.hstack(places), E1["results"]["pair"], atol=1e-8)
    assert_allclose(kb.reactions(m, found).pulls["R"], E1["results"]["pair_pull"], rtol=1e-7)


@pytest.mark.parametrize("inertia", INERTIA)
def test_three_rods_are_a_four_bar(inertia):
    """E1: places and rates to 1e-8, pulls to 1e-7 of the largest, energy kept."""
    m = rods_of_four_bar(E1, inertia)
    found = run(m, E1["states"]["four_bar_t"], v={"AB.swing": E1["initial"]["four_bar"]["rate"]})
    known = np.array(E1["results"]["four_bar"])
    assert_allclose(found["AB.swing"] + known[0, 0], known[:, 0], atol=1e-8)
    assert_allclose(found["v_AB.swing_rate"], known[:, 1], atol=1e-8)
    places = [found.point(body, m.body(body).com).position[:, :2] for body in "BC"]
    assert_allclose(np.hstack(places), known[:, 2:6], atol=1e-8)
    pulls = kb.reactions(m, found).pulls
    assert_allclose(np.array([pulls[n] for n in ("AB", "BC", "CD")]).T, known[:, 6:], rtol=1e-7)
    assert_allclose(
        np.sum(kb.energy(m, found), axis=0), E1["results"]["four_bar_energy"], rtol=1e-9
    )


def test_a_driven_rod_takes_what_its_loop_takes():
    """Forces of a motion of rods hold each ball: its mass times what it accelerates."""
    m = rods_of_four_bar(E1, 0.3)
    m = replace(m, drives=[kb.JointDrive("n", "AB.swing", position="0.8 rad/s*t")])
    moved = kb.motion(m, np.linspace(0, 0.5, 4))
    found = kb.reactions(m, moved)
    for name in "BC":
        held = sum(wrench.in_world().force for wrench in found.on(name).values())
        body = m.body(name)
        a = moved.point(name, body.com).acceleration
        assert_allclose(held, body.mass * np.add(a, [0, 9.81, 0]), atol=1e-9)


def plate(**ends):
    """A plate on three rods."""
    body = kb.Body("plate", 2, (0, 0, -1), (0.1, 0.1, 0.2))
    tops = [(0.5, 0, 0), (-0.25, 0.4, 0), (-0.25, -0.4, 0)]
    rods = [
        kb.Rod(f"R{k}", "ground", "plate", at=p, to=(p[0], p[1], -1.0), **ends)
        for k, p in enumerate(tops)
    ]
    return kb.Mechanism("swing", [body], rods)


def test_a_plate_on_three_rods_swings_three_ways():
    """Two swings as a point on a thread, g / L; a turn with the third frequency of its moments."""
    m = plate()
    assert kb.mobility(m).actual == 3
    found = np.sort(np.abs(kb.linearise(m).eigenvalues.imag))[::2]
    arms = 2 / 3 * (0.5**2 + 2 * (0.25**2 + 0.4**2)) / 2  # mean square of the rods' distances
    turn = np.sqrt(2 * 9.81 * arms / 0.2)
    assert_allclose(found, [np.sqrt(9.81)] * 2 + [turn], rtol=1e-6)


def test_rods_are_legs_without_mass():
    """A rod is what a leg with two balls and next to no mass is."""
    light = kb.Body("leg", 1e-9, (0.3, 0, -0.4), (1e-10,) * 3)
    ball = kb.Body("ball", 1.2, (0.6, 0, -0.8), (0.01,) * 3)
    ends = (0, 0, 0), (0.6, 0, -0.8)
    rod = kb.Mechanism("rod", [ball], [kb.Rod("R", "ground", "ball", at=ends[0], to=ends[1])])
    joints = [kb.Spherical("A", "ground", "leg", at=ends[0])]
    joints += [kb.Spherical("B", "leg", "ball", at=ends[1])]
    leg = kb.Mechanism("leg", [light, ball], joints)
    one, two = (kb.simulate(m, 0.7, times=8, method=EXACT) for m in (rod, leg))
    places = [each.point("ball", ends[1]).position for each in (one, two)]
    assert_allclose(*places, atol=1e-7)


def test_every_way_to_say_a_rod_is_the_same():
    """By ends in the drawing, by direction and length, by named points; files give it back."""
    points = {"P": (0.6, -0.8)}
    ball = kb.Body("ball", 1.2, (0.6, -0.8), 0.01, points=points)
    ways = [
        kb.Rod("R", "ground", "ball", at=(0, 0), to=(0.6, -0.8)),
        kb.Rod("R", "ground", "ball", at=(0, 0), axis=(3, -4), length="1 m"),
        kb.Rod("R", "ground.O", "ball.P", at=(0, 0), to=(0.6, -0.8), length="1 m"),
    ]
    ends = []
    for rod in ways:
        m = kb.Mechanism("m", [ball], [rod], plane="xy", points={"O": (0, 0)})
        assert kb.loads(kb.dumps(m)) == m
        moved = kb.simulate(m, 0.5, times=3, method=EXACT)
        ends.append(moved.point("ball", (0.6, -0.8)).position)
    assert_allclose(ends[1], ends[0], atol=1e-9)
    assert_allclose(ends[2], ends[0], atol=1e-9)


def test_a_length_may_be_an_input():
    """One program takes rods of every length: free fall on a long one, g / L on all."""
    ball = kb.Body("ball", 1.2, inertia=0.01, points={"P": (0, 0)})
    rod = kb.Rod("R", "ground.O", "ball.P", length="L")
    m = kb.Mechanism("m", [ball], [rod], plane="xy", points={"O": (0, 0)}, parameters={"L": "1 m"})
    q = m.joint("R").drawn_coordinates
    lengths = np.array([0.5, 1.0, 2.0])
    program = kb.compile(kb.forward_dynamics, m, parameters=("L",))
    found = program(np.tile(q, (3, 1)), np.zeros((3, 2)), np.zeros((3, 2)), lengths[:, None])
    assert_allclose(np.asarray(found)[:, 0] * lengths, found[1][0], rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"at": (0, 0), "to": (0, 0)}, "is where the other end is"),
        ({"at": (0, 0)}, "to: is missing; give the rod's end on the child"),
        ({"at": (0, 0), "to": (3, 4), "length": 2.0}, "is 2 m, but its ends are 5 m apart"),
        ({}, "length: is missing"),
        ({"at": (0, 0), "to": (1, 0), "length": -1}, "above 0"),
        ({"at": (0, 0), "to": (1, 0), "axis": (1, 0)}, "give one of them"),
        ({"at": (0, 0), "to": (1, "nan")}, "to: "),
        ({"at": (0, 0), "to": (1, float("inf"))}, "rod 'R'|joint 'R'"),
        ({"at": (0, 0), "axis": (1, 0)}, "to: is missing"),
    ],
)
def test_what_makes_no_rod_is_refused(given, told):
    """Ends in one place, missing or far from the length: a sentence names what was found."""
    with pytest.raises(kb.ModelError, match=told):
        kb.Mechanism("m", [kb.Body("b", 1)], [kb.Rod("R", "ground", "b", **given)], plane="xy")


def test_a_length_that_stands_still_says_take_a_rod():
    """A drive that holds a distance is told to be a rod; one that moves is not."""
    m = plate()
    for law, said in (("1.2 m", True), ("1.2 m + 0.1 m/s*t", False)):
        drive = kb.LengthDrive("D", "ground", (0, 0, 0), "plate", (0.5, 0, -1), law)
        assert ("is a joint 'rod'" in str(replace(m, drives=[drive]))) == said

"""Loads that come and go: what acts for a short while is felt, whether anything moves or not."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from scipy.interpolate import CubicSpline

import korba as kb

UNTIL = 4.0
TINY = UNTIL / 1000
LATE = -1
"""A table with a point late in a step, where no error was seen."""


def load(rng):
    """A force of the time: waves, pulses, steps, or a table."""
    size, w, t = rng.uniform(8, 14), rng.uniform(1, 12), rng.uniform(0.5, 3.5, 2)
    return [
        f"{size}*sin({w}*t + {t[0]})",
        f"{size}*sin({w}*t)*sin({w / 3}*t + {t[0]})",
        f"{size}*max(0, sin({w}*t) - 0.8)/0.2",
        f"{size}*exp(-((t - {t[0]})/{0.01 * w})^2)",
        f"{size}*where(abs(t - {t[0]}) < {0.01 * w}, 1, 0)",
        f"{size}*tanh(20*sin({w}*t))",
        {"x": [0, *np.sort(rng.uniform(0.2, 3.8, 4)), 4], "y": [0, size, -size, 0, size, 0]},
    ][rng.integers(7)]


def block(law, **more):
    """A block on a line under a load."""
    tau = {} if not isinstance(law, dict) else {"S": kb.Curve(**law)}
    forces = [] if tau else [kb.JointForce("f", "S", law=law)]
    given = {"forces": forces, "gravity": (0, 0, 0)}
    guide = kb.Prismatic("S", "ground", "b", at=(0, 0), axis=(1, 0), **more)
    m = kb.Mechanism("block", [kb.Body("b", 1, (0, 0), 1e-3)], [guide], plane="xy", **given)
    return m, {"tau": tau} if tau else {}


def same(m, **options):
    """The run with steps of its own choice is that of tiny steps, event by event."""
    run = kb.simulate(m, UNTIL, **options)
    tiny = kb.simulate(m, UNTIL, method=kb.Method(max_step=TINY), **options)
    assert [event.name for event in run.events] == [event.name for event in tiny.events]
    np.testing.assert_allclose([e.t for e in run.events], [e.t for e in tiny.events], atol=1e-6)
    np.testing.assert_allclose(run.q[-1], tiny.q[-1], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", seeds())
def test_a_free_block_feels_every_load(seed):
    """Nothing but the load moves it."""
    m, more = block(load(np.random.default_rng(seed)))
    same(m, **more)


@pytest.mark.parametrize("seed", [*seeds(), LATE])
def test_a_table_is_felt_between_its_points(seed):
    """A mass goes x = int int f / m; of a spline the third derivative jumps at its points."""
    rng = np.random.default_rng(abs(seed))
    size, inner = rng.uniform(8, 14), np.sort(rng.uniform(0.2, 3.8, 4))
    if seed == LATE:
        inner = 0.6345603498585033, 0.9748054627781557, 2.1854242364996432, 3.2997910033782554
    table = {"x": [0, *inner, UNTIL], "y": [0, size, -size, 0, size, 0]}
    m, more = block(table)
    way = CubicSpline(table["x"], table["y"]).antiderivative(2)
    run = kb.simulate(m, UNTIL, **more)
    largest = np.abs(way(np.linspace(0, UNTIL, 99))).max()
    np.testing.assert_allclose(run.q[-1, 0], way(UNTIL), rtol=0, atol=2e-6 * largest)


@pytest.mark.parametrize("seed", seeds())
def test_a_block_breaks_away_wherever_the_load_is_larger_than_friction(seed):
    """It sticks, slips and sticks again."""
    m, more = block(load(np.random.default_rng(seed)), friction=kb.Friction(effort=9.0))
    same(m, events="friction", **more)


@pytest.mark.parametrize("seed", seeds())
def test_a_block_lifts_wherever_the_load_is_larger_than_its_weight(seed):
    """It rests against a floor, lifts and falls again."""
    m, more = block(load(np.random.default_rng(seed)))
    same(replace(m, gravity=(-9.0, 0, 0)), events=kb.Contact("floor", "S"), **more)


@pytest.mark.parametrize("seed", seeds())
def test_a_stop_is_left_wherever_the_load_pulls(seed):
    """The limit of a joint, held by a constant force."""
    m, more = block(load(np.random.default_rng(seed)), lower=0.0, upper=10.0)
    push = kb.JointForce("push", "S", law="-9")
    same(replace(m, forces=[*m.forces, push]), events="stops", **more)


def test_a_block_that_carries_a_pendulum_breaks_away_with_it():
    """What sticks lets go under a load that moves, not only under one of the time."""
    m = kb.Mechanism(
        "cart",
        [kb.Body("b", 1, (0, 0), 1e-3), kb.Body("p", 1, (0, -1), 0.01)],
        [
            kb.Prismatic(
                "S", "ground", "b", at=(0, 0), axis=(1, 0), friction=kb.Friction(effort=9.0)
            ),
            kb.Revolute("P", "b", "p", at=(0, 0)),
        ],
        plane="xy",
    )
    options = {"events": "friction", "q": {"P": "70 deg"}}
    methods = kb.Method(rtol=1e-9), kb.Method(rtol=1e-9, max_step=0.005)
    run, tiny = (kb.simulate(m, 6, method=method, **options) for method in methods)
    assert len(run.events) == len(tiny.events) > 4
    np.testing.assert_allclose([e.t for e in run.events], [e.t for e in tiny.events], atol=1e-5)


def test_a_swinging_load_breaks_away_twice_a_period():
    """9.5 N hold against 10 sin(2 pi t) N: away and at rest again, twice a second."""
    m, _ = block("10*sin(2*pi*t)", friction=kb.Friction(effort=9.5))
    assert len(kb.simulate(m, 5, events="friction").events) == 20


@pytest.mark.parametrize("method", ["dop853", "stiff", "sundials"])
def test_short_loads_move_a_free_mass(method):
    """The momentum of  max(0, sin(2 pi t) - 0.9)  over five seconds, by every adaptive method."""
    if method == "sundials":
        pytest.importorskip("sksundae")
    m, _ = block("max(0, sin(2*pi*t) - 0.9)")
    t = np.arccos(0.9)
    pulse = 2 * (np.sin(t) - 0.9 * t) / (2 * np.pi)
    assert kb.simulate(m, 5, method=method).v[-1, 0] == pytest.approx(5 * pulse, rel=1e-6)


def test_many_starts_side_by_side_feel_the_load():
    """Each of a batch breaks away as it does alone."""
    m, _ = block("12*sin(8*t)", friction=kb.Friction(effort=9.5))
    v = np.array([[0.0], [1.0], [-2.0], [5.0]])
    together = kb.simulate(m, 4, events="friction", v=v)
    for k, each in enumerate(v):
        alone = kb.simulate(m, 4, events="friction", v=each, method=kb.Method(max_step=0.004))
        assert len(together.events.of_run(k)) == len(alone.events) > 8


@pytest.mark.parametrize("seed", seeds(0.3))
def test_a_run_up_feels_every_load(seed):
    """At rest or on its way, whatever times are asked for: it goes as kb.simulate has it."""
    rng = np.random.default_rng([7, seed])
    law, speed = load(rng), rng.choice([0.0, 0.3])
    while isinstance(law, dict):
        law = load(rng)
    m, _ = block(law)
    tiny = kb.simulate(m, UNTIL, v={"S": speed}, method=kb.Method(max_step=TINY, rtol=1e-11))
    for count in (2, 11):
        run = kb.run_up(m, "S", np.linspace(0, UNTIL, count), speed=speed)
        np.testing.assert_allclose(run["S"][-1], tiny["S"][-1], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(run["v_S"][-1], tiny["v_S"][-1], rtol=1e-5, atol=1e-5)

"""Events that change something happen as often by a table of changes as by a function."""

import numpy as np
import pytest
from law_counts import seeds

import korba as kb


def block():
    """A mass that moves freely on a line."""
    guide = kb.Prismatic("S", "ground", "b", at=(0, 0), axis=(1, 0))
    body = kb.Body("b", 1, (0, 0), 1e-3)
    return kb.Mechanism("block", [body], [guide], plane="xy", gravity=(0, 0, 0))


@pytest.mark.parametrize("seed", seeds())
def test_a_change_counts_as_much_as_a_call(seed):
    """Jumps back across zero, to it, away from it, and bounces: at the same times by both ways."""
    rng = np.random.default_rng(seed)
    at, to, part = rng.uniform(0.5, 2), rng.uniform(-1, 3), rng.choice([1.0, 0.7, -1.0, -0.5])
    both = [
        kb.Event("e", f"S - {at}", change={"S": to, "v_S": f"{part}*v_S"}),
        kb.Event("e", f"S - {at}", call=lambda t, q, v: {"S": to, "v_S": part * float(v[0])}),
    ]
    v = {"S": rng.uniform(0.5, 3)}
    one, two = (kb.simulate(block(), 6.0, v=v, events=[event]) for event in both)
    assert len(one.events) == len(two.events) >= 1
    np.testing.assert_allclose(one.events.t, two.events.t, atol=1e-9)
    np.testing.assert_allclose(one.q[-1], two.q[-1], atol=1e-8)


def test_a_sawtooth_begins_again_and_again():
    """Put back by a metre whenever it has gone one."""
    saw = kb.Event("saw", "S - 1 m", change={"S": 0.0})
    run = kb.simulate(block(), 5.5, v={"S": 1.0}, events=[saw])
    np.testing.assert_allclose(run.events.t, [1, 2, 3, 4, 5], atol=1e-9)
    np.testing.assert_allclose(run["S"][-1], 0.5, atol=1e-9)


def test_a_clock_ticks_while_nothing_moves():
    """The event sets its own next time."""
    tick = kb.Event("tick", "t - next*1 s", change={"next": "next + 0.1"})
    run = kb.simulate(block(), 5.05, events=[kb.Switch("next", 0.1), tick])
    np.testing.assert_allclose(run.events.t, 0.1 * np.arange(1, 51), atol=1e-9)


def test_an_expression_without_a_value_ends_the_run_with_a_sentence():
    """What it crossed before is told; then nobody could say when it happens."""
    event = kb.Event("root", "sqrt(1 - S/(1 m)) - 0.1")
    with pytest.raises(kb.SimulationError, match=r"event 'root' .* has no value any more") as error:
        kb.simulate(block(), 5.0, v={"S": 1.0}, events=[event])
    run = error.value.trajectory
    np.testing.assert_allclose(run.events.t, [0.99], atol=1e-9)
    np.testing.assert_allclose(run.t[-1], 1.0, atol=1e-9)

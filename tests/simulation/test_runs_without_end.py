"""Runs that would take ages or all memory end with a sentence on why and what to do."""

import pytest

import korba as kb
from korba.simulation import stepping


def stiff(stiffness, damping=0.0):
    """A bob on a slide with a spring."""
    force = kb.JointForce("spring", "x", stiffness=stiffness, damping=damping)
    joint = kb.Prismatic("x", "ground", "bob", at=(0, 0, 0), axis=(1, 0, 0))
    return kb.Mechanism("bob", [kb.Body("bob", 1e-3)], [joint], forces=[force])


def test_a_stiff_run_that_crawls_is_given_up():
    """Steps of 1e-11 s for ten seconds are not made: the error says so and offers a method."""
    with pytest.raises(kb.SimulationError, match=r"would take ages.*'stiff'.*symplectic") as caught:
        kb.simulate(stiff(1e18), 10.0, q={"x": 0.1})
    assert caught.value.trajectory.effort.steps > 1e4
    run = kb.simulate(stiff(1e18), 10.0, q={"x": 0.1}, raise_on_failure=False)
    assert run.status == "failed"


def test_times_beyond_all_memory_are_refused():
    """A count of times that no memory holds is refused at the door."""
    with pytest.raises(kb.KorbaError, match="at most"):
        kb.simulate(stiff(1.0), 1.0, times=10**10)


def test_rows_of_a_run_do_not_fill_the_memory(monkeypatch):
    """A run that keeps every step stops where its rows are too many; asked times go on."""
    monkeypatch.setattr(stepping, "MOST_BYTES", 1 << 20)
    with pytest.raises(kb.SimulationError, match=r"fill the memory.*times="):
        kb.simulate(stiff(1e8), 10.0, q={"x": 0.1})
    assert kb.simulate(stiff(1e8), 0.1, q={"x": 0.1}, times=11).status == "finished"

"""What `simulate` says of questions without an answer, and of answers with a catch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from simulated_trees import double_pendulum, pendulum, slider
from test_events_with_loops import four_bar

import korba as kb
from korba.simulation.stepping import outlook


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"times": "often"}, "times: expected a count, or increasing times"),
        ({"times": [[0.0], [0.5, 1.0]]}, "times: expected a count, or increasing times"),
        ({"method": ["rk4"]}, "method: expected a text or a Method, got"),
        ({"method": "rk5"}, "method: expected one of dop853, rk4, symplectic"),
        ({"method": {"name": "rk5"}}, "method: expected one of dop853, rk4, symplectic"),
        ({"method": {"name": "rk4", "step": "3 kg"}}, "step: expected a time"),
        ({"method": {"name": "rk4", "step": "0 ms"}}, "step: expected a time above 0"),
        ({"method": {"name": "rk4", "step": 1e-3, "rtol": 1e-8}}, "heeds no rtol; leave it out"),
        ({"method": {"max_step": "long"}}, "max_step: unknown name 'long'"),
        ({"method": {"rtol": "small"}}, "rtol: unknown name 'small'"),
        ({"method": {"rtol": float("nan")}}, "rtol: expected a finite number"),
        ({"method": {"atol": [1e-8]}}, "atol: expected a finite number"),
        ({"until": (0, 1, 2)}, r"until: expected a time, or a pair \(from, until\)"),
        ({"tau": {"A": "5 N"}}, "tau of 'A': expected a moment .*, got '5 N'"),
        (
            {"tau": {"A": "3 N*m - 2 N*v_A"}},
            r"'2 N\*v_A' is a quantity in .* but '3 N\*m' is a mom",
        ),
        ({"gravity": "down"}, "gravity: expected three finite components"),
        ({"method": {"stabilisation": "glue"}}, "expected 'projection', 'baumgarte', 'none'"),
        ({"method": {"stabilisation": {"alpha": -1.0}}}, "stabilisation: expected 'projection'"),
        ({"method": {"stabilisation": {"gamma": 1.0}}}, "stabilisation: expected 'projection'"),
    ],
)
def test_what_cannot_be_asked_is_said(options, message):
    """An argument of the wrong kind is named, with what was found and expected."""
    with pytest.raises(kb.KorbaError, match=message):
        if isinstance(method := options.get("method"), dict):
            options = options | {"method": kb.Method(**method)}
        kb.simulate(pendulum(), **{"until": 1.0, **options})


def test_steps_may_carry_units():
    """A step of "1 ms" is one of 0.001 s."""
    one, two = (
        kb.simulate(pendulum(), 0.1, method=kb.Method("rk4", step=h), times=3)
        for h in ("1 ms", 0.001)
    )
    assert_allclose(one.q, two.q, rtol=0)
    assert one.effort.steps == 100


@pytest.mark.parametrize("options", [{}, {"method": kb.Method("symplectic", step=0.01)}])
def test_joints_that_move_no_mass_are_named(options):
    """A massless body, and a massless hub between a drive and its spring, leave M singular."""
    dial = kb.Mechanism("dial", [kb.Body("dial")], [kb.Revolute("A", "ground", "dial", at=(0, 0))])
    rod = pendulum().bodies[0]
    spring = {"rotor": kb.Rotor(inertia=0.0), "elastic": kb.Elastic(100.0)}
    soft = kb.Mechanism(
        "soft", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0), **spring)], plane="xy"
    )
    with pytest.raises(kb.StructureError, match="joints A can move without moving any mass"):
        kb.simulate(dial, 1.0, **options)
    with pytest.raises(kb.StructureError, match=r"joints A\.rotor, A\.twist can move"):
        kb.simulate(soft, 1.0, **options)


def test_a_coupling_in_time_is_refused():
    """p = F(q, t) has rates that the equations of a tree do not have: not taken as F(q, 0)."""
    m = double_pendulum(couplings=[kb.Coupling("clock", "B", "A + sin(t)")])
    with pytest.raises(kb.StructureError, match="coupling clock depends on the time t"):
        kb.simulate(m, 1.0)
    with pytest.raises(kb.StructureError, match="coupling clock depends on the time t"):
        kb.forward_dynamics(m, [0.0], [0.0], [0.0])


def test_the_balance_counts_from_the_start():
    """What is lost before the first time asked for is in the audit too."""
    coarse = {"method": kb.Method("rk4", step=0.2)}
    whole = kb.simulate(pendulum(), 2.0, times=[0.0, 2.0], **coarse)
    late = kb.simulate(pendulum(), 2.0, times=[2.0], **coarse)
    assert abs(whole["balance"][-1]) > 1e-3
    assert_allclose(late["balance"], whole["balance"][-1:], rtol=1e-12)
    assert late.audit.energy > 1e-4


def test_a_run_that_reaches_no_asked_time_can_be_read():
    """Without rows the summary still says how it ended."""
    m = slider(kb.JointForce("stiff", "x", stiffness=1e6, damping=1e5))
    options = {"q": {"x": 1.0}, "method": kb.Method("rk4", step=0.01), "times": [1.0]}
    found = kb.simulate(m, 1.0, raise_on_failure=False, **options)
    assert found.status == "failed"
    assert len(found) == 0
    assert "none of those asked for was reached" in str(found)
    assert found.to_dict()["last"] == {}
    assert found.audit.energy == 0.0


def test_limits_that_are_passed_are_noted():
    """Limits do not stop the motion, so the solution says where they were passed."""
    rod = pendulum().bodies[0]
    joint = kb.Revolute("A", "ground", "rod", at=(0, 0), lower=-1.0, upper=2.0)
    m = kb.Mechanism("stopped", [rod], [joint], plane="xy")
    found = kb.simulate(m, 1.0, times=np.linspace(0, 1, 101))
    first = found.t[np.argmax(found["A"] < -1.0)]
    beyond = -1.0 - found["A"].min()
    (note,) = found.notes
    assert f"A passed its limits -1 to 2 rad, seen first at t = {first:g} s" in note
    assert f"by up to {beyond:.6g} rad" in note
    assert not kb.simulate(m, 0.1).notes


def test_a_tolerance_below_rounding_is_said():
    """The least that double precision holds is taken, and a note says so."""
    run = kb.simulate(pendulum(), 0.1, method=kb.Method(rtol=1e-20))
    assert "rtol = 1e-20 is below what double precision holds; 2.2e-14 was taken" in run.notes


def test_a_step_too_long_for_the_loops_is_said():
    """Loops that cannot be closed after a step end the run; what was computed is kept."""
    with pytest.raises(
        kb.SimulationError, match=r"cannot be closed after a step; give a short"
    ) as e:
        kb.simulate(four_bar(), 1.0, v={"A": 10.0}, method=kb.Method("rk4", step=1.0))
    assert np.isfinite(e.value.trajectory.q).all()


def test_drives_that_fight_the_loops_are_named():
    """Two drives of one freedom, and one beyond a dead point."""
    drives = [kb.JointDrive("one", "A", "t"), kb.JointDrive("two", "D", "t")]
    with pytest.raises(kb.SimulationError, match="Drives 'one', 'two' ask for 2 motions where"):
        kb.simulate(replace(four_bar(), drives=drives), 1.0)
    far = [kb.JointDrive("far", "D", "3 rad/s * t")]
    with pytest.raises(kb.SimulationError, match="'far' may ask for a position that the loops do"):
        kb.simulate(replace(four_bar(), drives=far), 5.0)


def test_a_long_stiff_run_says_so():
    """Stability makes millions of steps: a word beside the bar, and in what an interrupt says."""
    assert outlook(1e4, 9e3, 1e-3) == "stiff: 1.0e+07 steps in all, method 'stiff' takes few"
    assert not outlook(1e4, 9e3, 0.5)
    assert not outlook(1e4, 10, 1e-3)

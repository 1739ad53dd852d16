"""What speaks against a motion is said: in its status, in its notes, and on the terminal."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import sample_mechanisms
from sample_mechanisms import pendulum
from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import app
from korba.trajectory.audit import BOUNDS, Audit

ROUGH = kb.Friction(coefficient=0.1, radius=0.01)


def four_bar(**joint):
    """A driven one; `joint` is for its crank's pin."""
    places = ((0, 0), (0.3, 0.9), (2.4, 1.7), (2.5, 0))
    m = sample_mechanisms.four_bar(places, {"mass": 1.0}, drives=[kb.JointDrive("motor", "A", "t")])
    return replace(m, joints=[replace(m.joints[0], **joint), *m.joints[1:]])


def test_a_run_that_means_nothing_is_doubtful():
    """Steps of five seconds are no motion of a pendulum: the status and the first line say so."""
    wild = kb.simulate(pendulum(), until=100.0, method=kb.Method("rk4", step=5.0), q=[0.1])
    assert wild.ended == "finished"
    assert wild.status == "doubtful"
    assert str(wild).splitlines()[0].startswith("'pendulum': doubtful; finished at")
    assert not wild.to_dict()["ok"]
    assert any("above the bound of 0.01" in note for note in wild.notes)
    good = kb.simulate(pendulum(), until=5.0, method=kb.Method("rk4", step=1e-3), q=[0.1])
    assert (good.status, good.notes) == ("finished", ())


def test_each_run_of_a_batch_is_judged_by_itself():
    """One wild run among others is doubtful, the others are finished."""
    runs = kb.simulate(pendulum(), 9.0, method=kb.Method("rk4", step=0.9), q=[[-np.pi / 2], [0.0]])
    assert runs.status.tolist() == ["finished", "doubtful"]
    assert [runs.run(k).status for k in (0, 1)] == ["finished", "doubtful"]


@pytest.mark.parametrize("start", [-np.pi / 2, np.pi / 2])
def test_what_stands_still_is_not_doubtful(start):
    """At rest, or upside down for a while, the energy balance is rounding; that is no doubt."""
    rest = kb.simulate(pendulum(), until=3.0, q=[start])
    assert (rest.status, rest.notes) == ("finished", ())


@pytest.mark.parametrize("name", BOUNDS)
def test_every_measure_has_a_bound(name):
    """A motion whose residual, path or energy is above its bound is doubtful, whatever made it."""
    moved = kb.motion(four_bar(), np.linspace(0, 1, 5))
    assert moved.status == "finished"
    bad = replace(moved, audit=Audit(**{name: 10 * BOUNDS[name]}))
    assert bad.status == "doubtful"
    assert "not to be trusted" in bad.notes[-1]
    assert replace(moved, audit=Audit(**{name: 0.1 * BOUNDS[name]})).status == "finished"


def test_limits_are_said_with_joint_value_and_limit():
    """A drive that leads A to 3 with an upper limit of 1 is said; a configuration there as well."""
    m = four_bar(upper=1.0, max_velocity=0.5)
    limit, speed = kb.motion(m, np.linspace(0, 3, 31)).notes
    assert limit.startswith(
        "A passed its limits -inf to 1 rad, seen first at t = 1.1 s, by up to 2"
    )
    assert "(A = 3)" in limit
    assert speed.startswith(
        "A moves faster than its max_velocity of 0.5 rad/s, seen first at t = 0"
    )
    (note,) = kb.assemble(m, {"A": 1.5}).notes
    assert note.startswith("A is beyond its limits -inf to 1 rad, by up to 0.5 rad (A = 1.5)")
    assert kb.assemble(m, {"A": 1.0}).notes == ()
    assert kb.motion(m, np.linspace(0, 1, 3)).notes[0].startswith("A moves faster")


def test_friction_that_a_verb_does_not_use_is_said():
    """Simulations, driven motions, joint wrenches and the mechanism itself name rough joints."""
    ways = "kb.simulate takes it with events='friction', kb.reactions with friction=True"
    m, said = pendulum(friction=ROUGH), (f"dry friction of A is not used; {ways}",)
    assert kb.simulate(m, 0.1).notes == said
    assert kb.motion(four_bar(friction=ROUGH), [0.0, 0.1]).notes == said
    assert kb.reactions(m, [0.0], [0.0], [0.0]).notes == said
    assert " ".join(str(m).split()).endswith(said[0])
    assert kb.reactions(pendulum(), [0.0], [0.0], [0.0]).notes == ()


def test_the_terminal_says_it_and_ends_with_one(tmp_path):
    """`korba simulate` prints the doubt and the status, also as data, and fails."""
    file = tmp_path / "pendulum.toml"
    kb.save(pendulum(friction=ROUGH), file)
    wild = ["simulate", str(file), "--until", "100", "--method", "rk4", "--step", "5"]
    done = CliRunner().invoke(app, [*wild, "--q", "A=0.1"])
    assert done.exit_code == 1
    assert "doubtful; finished" in done.output
    assert "not to be trusted" in done.output
    data = json.loads(CliRunner().invoke(app, [*wild, "--q", "A=0.1", "--json"]).output)
    assert (data["ok"], data["status"]) == (False, "doubtful")
    assert "dry friction of A" in CliRunner().invoke(app, ["check", str(file)]).output

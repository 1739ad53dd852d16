"""Stable keys, and what they are for: a second process that traces nothing."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

import korba as kb
from korba.codegen import stable_key
from korba.expr import variable
from korba.system import store

SCRIPT = """
import sys
import numpy as np
import korba as kb
from korba.verbs import verb
if sys.argv[1] == "again":
    def refuse(*_): raise SystemExit("traced again")
    verb.trace = refuse
arm = kb.Mechanism(
    "arm",
    [kb.Body("a", mass=1.0, com=(0.3, 0.0), inertia=0.1)],
    [kb.Revolute("A", "ground", "a", at=(0, 0))],
    plane="xy",
)
x = np.array([0.3])
print(kb.inverse_dynamics(arm, x, x, x)[0].hex(), kb.compile(kb.energy, arm)(x, x)[0].item().hex(),
      kb.pose(arm, x, "a")[0, 0].hex())
"""


def pendulum(**changes):
    body = kb.Body("a", mass=1.0, com=(0.3, 0.0), inertia=0.1)
    joint = kb.Revolute("A", "ground", "a", at=(0, 0))
    return replace(kb.Mechanism("arm", [body], [joint], plane="xy"), **changes)


def test_equal_mechanisms_have_one_key_and_others_another():
    """The key follows the content: mass, joint, gravity, force law, to the last bit."""
    first = stable_key(pendulum(), "verb", None)
    assert first is not None
    assert stable_key(pendulum(), "verb", None) == first
    heavier = kb.Body("a", mass=np.nextafter(1.0, 2.0), com=(0.3, 0.0), inertia=0.1)
    others = [
        pendulum(bodies=[heavier]),
        pendulum(gravity=(0.0, -9.8, 0.0)),
        pendulum(forces=[kb.JointForce("push", "A", law="3*t")]),
        pendulum(forces=[kb.JointForce("push", "A", law="4*t")]),
    ]
    keys = {first, *(stable_key(m, "verb", None) for m in others)}
    assert len(keys) == 5
    assert stable_key(pendulum(), "other verb", None) not in keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (True, 1),
        ("1", 1),
        (0.0, -0.0),
        ((1, 2), (12,)),
        (variable("x"), "x"),
        (variable("x") + 1.0, variable("x") * 1.5),
        (np.zeros(2), np.zeros((2, 1))),
        ({"a": 1}, {"b": 1}),
    ],
)
def test_values_of_other_type_or_form_have_other_keys(one, other):
    """No two different values share a key."""
    assert stable_key(one) == stable_key(one)
    assert stable_key(one) != stable_key(other)


def test_what_nobody_knows_has_no_key():
    """Functions, other people's classes and what can change have no key."""

    @dataclass(frozen=True)
    class Strange:
        x: float = 1.0

    for value in (len, Strange(), object(), {1}, np.array([None])):
        assert stable_key("known", value) is None


def test_a_second_process_does_not_trace(tmp_path):
    """With the cache of the first, verbs and kb.compile give the same bits without a trace."""
    environment = {**os.environ, "KORBA_CACHE": str(tmp_path)}

    def printed(word):
        command = [sys.executable, "-c", SCRIPT, word]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    first = printed("first").stdout
    for file in tmp_path.glob("*.o"):
        os.utime(file)
    assert printed("again").stdout == first


def test_a_mechanism_changed_is_traced_anew(tmp_path, monkeypatch):
    """Two mechanisms of one name do not share a program."""
    monkeypatch.setenv("KORBA_CACHE", str(tmp_path))
    x = np.array([0.3])
    body = kb.Body("a", mass=2.0, com=(0.3, 0.0), inertia=0.1)
    light = kb.bias_forces(pendulum(), x, x)
    np.testing.assert_allclose(kb.bias_forces(pendulum(bodies=[body]), x, x), 2 * light)


def test_without_a_key_programs_are_traced(monkeypatch):
    """Where the content has no key, the verb still answers."""
    monkeypatch.setattr(store, "stable_key", lambda *_: None)
    x = np.array([0.3])
    assert kb.bias_forces(pendulum(), x, x).shape == (1,)

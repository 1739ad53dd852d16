"""C22: one mechanism through every formulation, with the same torques, energies and matrices."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

HERE = Path(__file__).parent
CASE = json.loads((HERE / "reference" / "cross_planar3.json").read_text())
sys.path.insert(0, str(HERE.parent / "dynamics"))


def arm():
    """The chain of the case in relative angles, x down, as a DH arm."""
    bodies, joints, x = [], [], 0.0
    parent = "ground"
    for k, link in enumerate(CASE["arm"]["links"], start=1):
        name = f"link {k}"
        tip = x + link["a"]
        com = (tip + link["c"][0], link["c"][1], link["c"][2])
        bodies.append(kb.Body(name, link["m"], com, link["I"]))
        joints.append(kb.Revolute(f"theta{k}", parent, name, at=(x, 0, 0), axis=(0, 0, 1)))
        parent, x = name, tip
    return kb.Mechanism("planar chain", bodies, joints, gravity=CASE["arm"]["g"])


@pytest.mark.parametrize("state", range(len(CASE["states"])))
@pytest.mark.parametrize("formulation", kb.formulations()["inverse_dynamics"])
def test_c22_torques_of_the_reference(formulation, state):
    """Every formulation gives the joint torques of the 80-digit answer."""
    expected = CASE["states"][state]["expected"]
    q, v, a = (expected[f"theta{d}_relative"] for d in ("", "d", "dd"))
    tau = kb.inverse_dynamics(arm(), q, v, a, formulation=formulation)
    assert_allclose(tau, expected["joint_torques"], rtol=0, atol=1e-11)


@pytest.mark.parametrize("formulation", kb.formulations()["mass_matrix"])
def test_c22_mass_matrix_of_the_reference(formulation):
    """Every formulation gives A in relative angles, and in absolute ones through q = S theta."""
    S = np.tril(np.ones((3, 3)))
    for state in CASE["states"]:
        expected = state["expected"]
        M = kb.mass_matrix(arm(), expected["theta_relative"], formulation=formulation)
        assert_allclose(M, expected["A_relative"], rtol=0, atol=1e-11)
        back = np.linalg.inv(S)
        assert_allclose(back.T @ M @ back, expected["A_absolute"], rtol=0, atol=1e-11)


def test_c22_energies_of_the_reference():
    """Kinetic and potential energy by every formulation that gives them."""
    for formulation in kb.formulations()["energy"]:
        for state in CASE["states"]:
            expected = state["expected"]
            q, v = expected["theta_relative"], expected["thetad_relative"]
            T, V = kb.energy(arm(), q, v, formulation=formulation)
            assert_allclose([T, V], [expected["T"], expected["V"]], atol=1e-11)


def test_c22_every_formulation_takes_the_chain():
    """None of the formulations refuses the chain, and all agree at random states."""
    answer = kb.crosscheck(arm(), states=8)
    assert not answer.refused
    assert {check.formulation for check in answer.checks} == {
        name for names in kb.formulations().values() for name in names
    }
    assert answer.agree
    assert answer.worst < 1e-11
    assert "all answers agree" in str(answer)
    assert answer.to_dict()["ok"]


TREES = [
    pytest.param(["revolute", "prismatic", "spherical"], {}, id="spherical"),
    pytest.param(["revolute", "universal", "screw"], {"floating": True}, id="floating"),
    pytest.param(["revolute", "revolute", "prismatic"], {"coupled": True}, id="coupled"),
    pytest.param(["revolute", "prismatic", "cylindrical"], {"rotors": True}, id="rotors"),
    pytest.param(["planar", "gear-line-contact", "revolute"], {}, id="gear"),
]


@pytest.mark.parametrize(("kinds", "options"), TREES)
def test_c22_random_trees(kinds, options):
    """On random trees the differences stay at rounding level, whoever can take the tree."""
    from random_trees import random_tree

    answer = kb.crosscheck(random_tree(5, kinds=kinds, **options).m, states=4)
    assert answer.worst < 1e-15 * max(1e3, 100 * answer.condition)
    assert answer.agree


def test_c22_a_wrong_formulation_is_noticed(monkeypatch):
    """A formula with a sign error shows as a difference, and the answer says so."""
    from dataclasses import replace

    from korba.dynamics import catalogue

    right = catalogue.CATALOGUE["newton-euler"]
    wrong = replace(
        right,
        name="wrong",
        everyday=False,
        verbs={"bias_forces": lambda s, q, v: -right.verbs["bias_forces"](s, q, v)},
    )
    monkeypatch.setitem(catalogue.CATALOGUE, "wrong", wrong)
    answer = kb.crosscheck(arm(), states=4, formulations=("newton-euler", "wrong"))
    assert not answer.agree
    assert "DO NOT AGREE" in str(answer)


@pytest.mark.parametrize("undriven", [True, False])
def test_c22_a_wrong_formulation_of_loops_is_noticed(monkeypatch, undriven):
    """A millionth too much is seen where links are light, moved freely or dictated by drives."""
    from dataclasses import replace

    from korba.dynamics import catalogue

    right = catalogue.CATALOGUE["absolute"]

    def wrong(*state):
        return np.multiply(right.verbs["forward_dynamics"](*state), 1 + 1e-6)

    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    m = replace(m, drives=()) if undriven else m
    assert kb.crosscheck(m, states=4, formulations=("absolute",)).agree
    own = replace(right, name="wrong", everyday=False, verbs={"forward_dynamics": wrong})
    monkeypatch.setitem(catalogue.CATALOGUE, "wrong", own)
    assert not kb.crosscheck(m, states=4, formulations=("wrong",)).agree


def test_c22_unknown_names_are_refused():
    """A formulation that does not exist is named, with those that do."""
    with pytest.raises(kb.StructureError, match="there is no 'kane'; there are newton-euler"):
        kb.crosscheck(arm(), formulations=("kane",))

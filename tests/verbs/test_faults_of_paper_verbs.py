"""The papers' verbs on wrong input, and on mechanisms in which nothing moves."""

from __future__ import annotations

import numpy as np
import pytest

import korba as kb


def arm():
    """Two links in a vertical plane."""
    bodies = [kb.Body("u", 2, (0.3, 0), 0.1), kb.Body("l", 1, (0.9, 0), 0.05)]
    joints = [
        kb.Revolute("A", "ground", "u", at=(0, 0)),
        kb.Revolute("B", "u", "l", at=(0.6, 0)),
    ]
    return kb.Mechanism("arm", bodies, joints, plane="xy")


WAY = {"direction": (-1, 0), "speed": 0.1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (WAY | {"times": "now"}, "times: expected increasing finite times"),
        (WAY | {"point": "tip"}, "has no point 'tip'"),
        (WAY | {"point": (1.0,)}, "expected two or three finite components"),
        (WAY | {"q": "drawn"}, "q: expected 2 finite numbers"),
        (WAY | {"q": {"A": "3 m"}}, "q of 'A': expected an angle"),
        (WAY | {"direction": "left"}, "direction: expected 2 components"),
        (WAY | {"direction": (0, 0, 1)}, "direction: expected 2 components"),
        (WAY | {"speed": "fast"}, "speed in t: unknown name 'fast'"),
        ({"path": 3}, "path: expected two or three components"),
        ({"path": ("s", "0.5")}, r"path\[0\] in t without a speed: unknown name 's'"),
        ({"path": ("0.7", "0.5"), "speed": 0.1}, "no component changes with s"),
        ({"path": ("1/t", "0.5")}, "path: it is not finite at t = 0 s"),
    ],
)
def test_programmed_motion_says_what_is_wrong(options, message):
    """Every argument of the wrong kind is named."""
    given = {"times": [0.0, 0.5], "point": (1.2, 0), "q": [0.4, 1.0], "body": "l"} | options
    with pytest.raises(kb.StructureError, match=message):
        kb.programmed_motion(arm(), **given)


@pytest.mark.parametrize(
    ("forces", "message"),
    [
        ([1.0, 2.0], "forces: expected a mapping from names"),
        ({"A": "3 N*m"}, "forces of 'A': expected a number"),
        ({"A": np.ones(2), "B": np.ones(3)}, r"shapes \(2,\), \(3,\) do not fit"),
    ],
)
def test_generalised_forces_say_what_is_wrong(forces, message):
    """Texts, lists and shapes that do not fit are named."""
    with pytest.raises(kb.StructureError, match=message):
        kb.generalised_forces(arm(), [0.0, 0.0], forces)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": 1.5}, "states: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"formulations": ()}, "formulations: none is left to compare"),
    ],
)
def test_crosscheck_says_what_is_wrong(options, message):
    """Counts, seeds and choices without meaning are named."""
    with pytest.raises(kb.StructureError, match=message):
        kb.crosscheck(arm(), **options)


def test_crosscheck_takes_one_formulation_by_its_name():
    """A name alone is a list of one."""
    answer = kb.crosscheck(arm(), states=2, formulations="hamilton")
    assert {check.formulation for check in answer.checks} == {"hamilton"}
    assert answer.agree


@pytest.mark.parametrize("verb", [kb.papers.lagrange_terms, kb.papers.block_terms])
@pytest.mark.parametrize(
    ("q", "message"),
    [("ab", "q: expected 2 finite"), ([0.0], r"shape \(2,\)"), ([np.nan, 0.0], "finite")],
)
def test_terms_say_what_is_wrong(verb, q, message):
    """A state of another size, or not of numbers, is named."""
    with pytest.raises(kb.StructureError, match=message):
        verb(arm(), q, [0.0, 0.0])


@pytest.mark.parametrize("bodies", [0, 1])
def test_nothing_moves(bodies):
    """Mechanisms without freedoms have empty matrices in every formulation."""
    body = [kb.Body("b", 1.0)][:bodies]
    m = kb.Mechanism("still", body, [kb.Fixed("j", "ground", "b")][:bodies])
    assert kb.crosscheck(m, states=2).agree
    assert kb.papers.congruency(m, [], [], []).Psi.shape == (0, 0)
    assert kb.papers.block_terms(m, [], []).C.shape == (0, 3 * bodies)
    assert kb.papers.lagrange_terms(m, [], []).A.shape == (0, 0)


def test_massless_bodies_are_named_by_every_way_to_accelerations():
    """Forward dynamics by any formulation, congruency, momenta and crosscheck name the joint."""
    m = kb.Mechanism("dial", [kb.Body("d")], [kb.Revolute("A", "ground", "d", at=(0, 0, 0))])
    questions = [
        *(
            lambda name=name: kb.forward_dynamics(m, [0.0], [0.0], [1.0], formulation=name)
            for name in kb.formulations()["forward_dynamics"]
        ),
        lambda: kb.papers.congruency(m, [0.0], [0.0], [1.0]),
        lambda: kb.papers.semi_canonical_state(m, [0.0], p=[1.0]),
        lambda: kb.crosscheck(m),
    ]
    for question in questions:
        with pytest.raises(kb.StructureError, match="joints A can move without moving any mass"):
            question()
    assert kb.inverse_dynamics(m, [0.0], [0.0], [1.0]) == [0.0]

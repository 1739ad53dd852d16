"""Batches without rows are answered without rows, by every verb that takes batches."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import korba as kb
from korba.verbs.generated import verb_of
from korba.verbs.verb import Verb

VERBS = [name for name in kb.__all__ if isinstance(verb_of(getattr(kb, name)), Verb)]
FOUR = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
ARM = kb.Mechanism(
    "arm",
    [kb.Body(name, 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01)) for name in "ab"],
    [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 1, 0)),
        kb.Revolute("B", "a", "b", at=(0.2, 0, 0), axis=(0, 0, 1)),
    ],
)
OPTIONS = {
    "generalised_forces": lambda rows: {"forces": {"A": np.zeros(rows)}},
    "reduce": lambda rows: {"coordinate": "A"},
}


def arrays(answer):
    """All arrays of an answer, in order."""
    if isinstance(answer, np.ndarray):
        return [answer]
    if isinstance(answer, dict):
        return [x for part in answer.values() for x in arrays(part)]
    if isinstance(answer, tuple | list):
        return [x for part in answer for x in arrays(part)]
    if is_dataclass(answer):
        return [x for field in fields(answer) for x in arrays(getattr(answer, field.name))]
    return []


@pytest.mark.parametrize("name", VERBS)
def test_verbs_answer_no_rows_without_rows(name):
    """The arrays of no rows are those of one row without it, and show themselves."""
    verb = verb_of(getattr(kb, name))
    m = FOUR if name in ("driving_forces", "reduce") else ARM
    motion = kb.motion(FOUR, [0.0])
    at = {"q": motion.q, "v": motion.v, "a": motion.a} if m is FOUR else {}
    at = {x: at.get(x, np.zeros((1, 2))) for x in verb.inputs}
    more = {"body": m.bodies[0].name} if "body" in verb.options else {}
    one, none = (
        verb(m, *(x[:rows] for x in at.values()), **more, **OPTIONS.get(name, lambda _: {})(rows))
        for rows in (1, 0)
    )
    pairs = [(x.shape, y.shape) for x, y in zip(arrays(one), arrays(none), strict=True)]
    other = [pair for pair in pairs if pair[0] != pair[1]]
    assert other
    assert all(y == (0, *x[1:]) and x[0] == 1 for x, y in other)
    assert str(none)


@pytest.mark.parametrize(
    "ask",
    [
        lambda n: kb.assemble(FOUR, {"A": np.zeros(n)}),
        lambda n: kb.assemble(FOUR, {"A": 0.1}, parameters={"a": np.full(n, 0.2)}),
        lambda n: kb.motion(FOUR, np.arange(n)),
        lambda n: kb.motion(FOUR, [0.0, 0.1], parameters={"a": np.full(n, 0.2)}),
        lambda n: kb.inverse_kinematics(ARM, "b", np.zeros((n, 3))),
        lambda n: kb.inverse_kinematics(ARM, "b", np.zeros((n, 3)), follow=False),
        lambda n: kb.simulate(ARM, 0.1, q=np.zeros((n, 2)), times=2),
        lambda n: kb.simulate(FOUR, 0.1, parameters={"a": np.full(n, 0.2)}, times=2),
        lambda n: kb.reduce(FOUR, "A")(np.full(n, 0.3)),
        lambda n: kb.input_range(FOUR, "A").q(np.full(n, 0.3)),
    ],
)
def test_questions_about_no_rows_are_answered(ask):
    """No values, times, designs, targets or starts: q of as many rows, and it shows itself."""
    one, none = (getattr(answer, "q", answer) for answer in (ask(1), ask(0)))
    if isinstance(one, np.ndarray):
        assert none.shape == (0, *one.shape[1:])
    assert str(ask(0))

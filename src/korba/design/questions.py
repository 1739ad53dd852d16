"""Questions to the motion of many designs at once: ready ones by name, verbs and functions.

A question takes a motion of designs, q of shape (designs, times, nq), and answers with arrays whose
first axis are the designs. Designs that did not finish are not asked; their answers are nan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..door import shown
from ..errors import StructureError, refuse_unknown
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.trajectory import FINISHED, Trajectory
from ..verbs.generated import verb_of
from ..verbs.verb import Verb
from .ready import READY, Slope


@dataclass(frozen=True)
class Question:
    """A name, and what answers: an array, or several by name."""

    name: str
    ask: Callable[[Trajectory], Any]
    slope: Slope | None = None
    """How the answer changes with sizes, where it is known (ready.py)."""
    rates: bool = True
    """Whether velocities or accelerations may be looked at."""
    unit: str = ""
    """Of the answer, where it is known."""

    def answers(self, moved: Trajectory) -> dict[str, Array]:
        """Arrays by name, the designs on their first axis; only those that finished are asked."""
        done = np.flatnonzero(moved.ended == FINISHED)
        whole = len(done) == len(moved.q)
        if not len(done):
            return {}
        said = self.ask(moved if whole else _some(moved, done))
        parts = said if isinstance(said, Mapping) else {self.name: said}
        own = {str(name): self._checked(str(name), x, len(done)) for name, x in parts.items()}
        return own if whole else {n: _scattered(x, done, len(moved.q)) for n, x in own.items()}

    def _checked(self, name: str, given: Any, count: int) -> Array:
        try:
            answer = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            answer = np.zeros(())
        if answer.shape[:1] != (count,):
            raise StructureError(
                f"sweep: question {name!r}: expected numbers with the designs on the first axis, "
                f"shape ({count}, ...), got {shown(given)}"
            )
        return answer


def _some(moved: Trajectory, numbers: Array) -> Trajectory:
    """The motion of some of the designs."""
    return replace(
        moved,
        q=moved.q[numbers],
        v=moved.v[numbers],
        accelerations=moved.a[numbers],
        ended=np.asarray(moved.ended)[numbers],
        endings={},
        parameters={name: x[numbers] for name, x in moved.parameters.items()},
    )


def _scattered(values: Array, numbers: Array, count: int) -> Array:
    """Answers of some designs in their places; nan for the others."""
    whole = np.full((count, *values.shape[1:]), np.nan)
    whole[numbers] = values
    return whole


def questions_of(m: Mechanism, given: Any) -> tuple[Question, ...]:
    """The questions that were asked: one, several, or several by names of one's own."""
    if isinstance(given, Mapping):
        pairs = [(name, _question(m, each)) for name, each in given.items()]
        asked = tuple(replace(each, name=str(name)) for name, each in pairs)
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        asked = tuple(_question(m, each) for each in given)
    else:
        asked = (_question(m, given),)
    if not asked:
        raise StructureError("sweep: ask at least one question, such as 'transmission angle'")
    names = [question.name for question in asked]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise StructureError(
            f"sweep: two questions are called {twice!r}; give them names of your own, such as "
            f"{{'first': ..., 'second': ...}}"
        )
    return asked


def _question(m: Mechanism, given: Any) -> Question:
    if isinstance(given, str):
        return _ready(m, given)
    if isinstance(given := verb_of(given), Verb):
        return Question(given.name, partial(_by_verb, given))
    if callable(given) and not isinstance(given, type):
        return Question(getattr(given, "__name__", "answer"), given)
    raise StructureError(
        f"sweep: question: expected {', '.join(map(repr, READY))}, a verb or a function of a "
        f"motion, got {shown(given)}"
    )


def _ready(m: Mechanism, text: str) -> Question:
    """A ready question, `stroke` or `stroke of D`."""
    name, _, of = (part.strip() for part in text.partition(" of "))
    refuse_unknown("question", name, READY)
    return Question(text, *READY[name](m, of))


def _by_verb(asked: Verb[..., Any], moved: Trajectory) -> Any:
    """What a verb says at every time."""
    unknown = [name for name in asked.inputs if name not in ("q", "v", "a")]
    if unknown:
        raise StructureError(
            f"sweep: question {asked.name!r} needs {', '.join(unknown)}, which a motion has not; "
            "give a function of the motion that calls it"
        )
    said = asked(moved.mechanism, moved)
    return said._asdict() if hasattr(said, "_asdict") else said

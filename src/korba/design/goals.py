"""What a design is judged by: an objective and constraints, of many designs at once.

    through points     residuals, least squares (path_goal.py)
    a question         much of it, or with `-` little: "transmission angle", "-peak torque"
    a function         little of what it says of the motion of many designs
    constraints        "transmission angle >= 40 deg", "size <= 300 mm", "a + d <= b + c"

A design that cannot be assembled, or jams, has no value: it is nan. Slopes of ready questions go
through the loops (ready.py); those of functions and verbs are taken from differences between
designs, all of them in the lanes of one motion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import ExpressionError, StructureError, way_out
from ..expr import Expr, derivative, evaluate, parse
from ..expr.units import described
from ..model.mechanism import Mechanism
from ..solve.motion import motion_of_designs
from ..spatial.rotation import Array
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED, Trajectory
from ..verbs.designs import fit, quantities, sizes_of
from .path_goal import PathGoal
from .questions import Question, questions_of
from .ready import READY

STEP = 1e-5
"""Of differences, as a part of the range of a size."""
RELATION = re.compile(r"^(.*?)\s*(<=|>=|<|>)\s*(.*)$", re.DOTALL)


@dataclass(frozen=True)
class Measure:
    """A number for each design, to be small, or for a constraint to be at least 0."""

    name: str
    question: Question
    factor: float
    offset: float = 0.0

    def value(self, moved: Trajectory) -> Array:
        """factor * answer + offset."""
        answers = self.question.answers(moved) or {self.name: np.full(len(moved.q), np.nan)}
        (answer,) = answers.values()
        if answer.ndim != 1:
            raise StructureError(
                f"optimise: {self.name!r} has {answer[0].size} numbers for each design; ask a "
                "question with one"
            )
        return self.factor * answer + self.offset


@dataclass(frozen=True)
class Relation:
    """A formula of sizes that is to be at least 0."""

    name: str
    formula: Expr
    names: tuple[str, ...]
    others: dict[str, float]

    def value(self, p: Array) -> Array:
        """Of designs (designs, names)."""
        return self._at(p, [self.formula])[:, 0]

    def slopes(self, p: Array) -> Array:
        """Shape (designs, names)."""
        return self._at(p, [derivative(self.formula, name) for name in self.names])

    def _at(self, p: Array, formulas: list[Expr]) -> Array:
        known = {name: np.full(len(p), value) for name, value in self.others.items()}
        known |= {name: p[:, i] for i, name in enumerate(self.names)}
        return np.asarray(evaluate(formulas, known))


class Constraints(NamedTuple):
    """What has to be at least 0: of the motion, and of the sizes alone."""

    measures: tuple[Measure, ...]
    relations: tuple[Relation, ...]


def objective_of(m: Mechanism, given: Any) -> PathGoal | Measure:
    """The objective; a question is wanted much, with `-` little, and a function's answer little."""
    if isinstance(given, PathGoal):
        return given
    less = isinstance(given, str) and given.startswith("-")
    asked = questions_of(m, given[1:] if less else given)
    if len(asked) != 1:
        raise StructureError("optimise: objective: expected one question; others are constraints")
    factor = 1.0 if less or not isinstance(given, str) else -1.0
    return Measure(asked[0].name, asked[0], factor)


def constraints_of(m: Mechanism, given: Sequence[str], names: tuple[str, ...]) -> Constraints:
    """Constraints from texts."""
    measures, relations = [], []
    for text in given:
        parts = RELATION.match(text)
        if parts is None:
            raise StructureError(
                f"optimise: constraint {text!r:.60}: expected <= or >= between two sides, such as "
                "'transmission angle >= 40 deg' or 'a + d <= b + c'"
            )
        left, sign, right = (part.strip() for part in parts.groups())
        way = 1.0 if sign.startswith(">") else -1.0
        if left.partition(" of ")[0] in READY:
            _refuse_both(m, text, left)
            (question,) = questions_of(m, left)
            offset = -way * _number(m, text, right)
            measures.append(Measure(text, question, way, offset))
        else:
            relations.append(_relation(m, text, (left, right), way, names))
    return Constraints(tuple(measures), tuple(relations))


def _refuse_both(m: Mechanism, text: str, left: str) -> None:
    """An error for a name that is that of a question and of a parameter."""
    if left in dict(m.parameters):
        raise StructureError(
            f"optimise: constraint {text!r:.60}: {left!r} is a question and a parameter of the "
            f"mechanism; write '1*{left}' for the parameter, or rename it to ask the question"
        )


def _number(m: Mechanism, text: str, right: str) -> float:
    try:
        return float(parse(right, quantities(m), allow=()).value)
    except (ExpressionError, TypeError, ValueError) as error:
        raise StructureError(f"optimise: constraint {text!r:.60}: {error}") from error


def _relation(
    m: Mechanism, text: str, sides: tuple[str, str], way: float, names: tuple[str, ...]
) -> Relation:
    known = quantities(m)
    try:
        left, right = (parse(side, allow=known.keys()) for side in sides)
        one, two = (parse(side, known, allow=()).dimension for side in sides)
    except ExpressionError as error:
        hint = way_out(sides[0], READY, 0.8)
        more = f"; {hint}" if hint.startswith("did") else ""
        raise StructureError(f"optimise: constraint {text!r:.60}: {error}{more}") from error
    if one is not None and two is not None and not one.fits(two):
        raise StructureError(
            f"optimise: constraint {text!r:.60}: {described(one)} cannot be compared with "
            f"{described(two)}"
        )
    others = {name: float(x.value) for name, x in known.items() if name not in names}
    return Relation(text, way * (left.value - right.value), names, others)


def moved_designs(m: Mechanism, names: tuple[str, ...], p: Array, times: Array) -> Trajectory:
    """The motion of designs; those whose sizes no mechanism has fail. An interrupt is passed on."""
    good = fit(m, names, p)
    own = p if good.all() else np.where(good[:, None], p, sizes_of(m, names))
    moved = motion_of_designs(m, times, dict(zip(names, own.T, strict=True)))
    if np.any(np.asarray(moved.ended) == INTERRUPTED):
        raise KeyboardInterrupt
    return moved if own is p else replace(moved, ended=np.where(good, moved.ended, FAILED))


def finished(moved: Trajectory) -> Array:
    """Which designs came to the end."""
    return np.asarray(moved.ended == FINISHED)

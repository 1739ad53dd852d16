"""The verb `exercise`: a task with numbers of one's own, its solution, and the check of answers.

Numbers are drawn by a seed that is the digest of kind, student and number, so that a name gives the
same task everywhere and always, and two names almost never the same. Lengths are whole millimetres
of a crank-rocker or a slider-crank whose crank turns fully; angles are multiples of 5 deg.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from ...display import Displayed, columns, number_told
from ...door import public
from ...errors import ExpressionError, refuse_unknown
from ...expr.quantities import number
from ...linkages.four_links import four_bar, slider_crank
from ...model.mechanism import Mechanism
from ...structure.mobility import mobility
from ..plane.centres import instant_centres
from ..plane.plans import Plan, acceleration_plan, velocity_plan
from ..statics.lever import lever
from .worked import Worked, worked

TOLERANCE = 0.01
"""Part of itself by which an answer may be off: that of a drawing on paper."""
SMALLEST = 1e-9
"""The same of values that are zero, in SI."""


class Asked(NamedTuple):
    """One number that is asked for: its value in SI, and its unit."""

    value: float
    unit: str


class Mark(NamedTuple):
    """What is said of one answer."""

    name: str
    given: str
    right: bool
    said: str


@dataclass(frozen=True, eq=False)
class Marks(Displayed):
    """What is said of the answers of a student."""

    title: str
    marks: tuple[Mark, ...]

    @property
    def right(self) -> int:
        """How many are right."""
        return sum(mark.right for mark in self.marks)

    def __str__(self) -> str:
        rows = [(mark.name, mark.given or "(none)", mark.said) for mark in self.marks]
        head = f"{self.title}: {self.right} of {len(self.marks)} right"
        return "\n".join([head, *columns(rows)])


@dataclass(frozen=True, eq=False)
class Exercise(Displayed):
    """A task for one student; `print` shows it, without its answers."""

    kind: str
    student: str
    number: int
    mechanism: Mechanism
    position: Mapping[str, str]
    """Where the crank stands; empty where that does not matter."""
    text: str
    answers: Mapping[str, Asked]
    """What is right, in SI: keep it from students."""
    solution: Worked
    """The way there, step by step."""

    def __str__(self) -> str:
        asked = ", ".join(
            f"{name} [{x.unit}]" if x.unit else name for name, x in self.answers.items()
        )
        return f"{self.title}\n\n{self.text}\n\nAsked: {asked}"

    def __repr__(self) -> str:
        return f"<Exercise {self.title!r}>"

    @property
    def title(self) -> str:
        """Kind, number and student."""
        return f"Exercise {self.kind} {self.number} for {self.student}"

    def check(self, answers: Mapping[str, float | str]) -> Marks:
        """What is said of answers: numbers in SI, or texts with units; 1 % of each is allowed.

        >>> task = kb.course.exercise("mobility", "Anna")
        >>> kb.course.exercise("mobility", "Anna").check({"W": 1}).right
        1
        """
        refuse_unknown("answer", [*answers], self.answers, "exercise")
        told = (self._mark(name, answers.get(name)) for name in self.answers)
        return Marks(self.title, tuple(told))

    def _mark(self, name: str, given: float | str | None) -> Mark:
        """One answer; a wrong sign and a wrong unit are told apart from a wrong number."""
        if given is None:
            return Mark(name, "", False, "no answer")
        right, text = self.answers[name].value, str(given)
        try:
            value = float(number(given, "any"))
        except ExpressionError as error:
            return Mark(name, text, False, str(error))
        room = TOLERANCE * abs(right) + SMALLEST
        if abs(value - right) <= room:
            return Mark(name, text, True, "right")
        if abs(value + right) <= room:
            return Mark(name, text, False, "the size is right, the sign is not")
        for factor, why in ((1e3, "mm for m"), (180 / np.pi, "degrees for radians")):
            if abs(value - factor * right) <= factor * room:
                return Mark(name, text, False, f"wrong unit: {why}?")
        return Mark(name, text, False, "not right")


def _draw(*words: object) -> np.random.Generator:
    """Numbers by words: the same on every machine."""
    digest = sha256("/".join(map(str, words)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def _crank_rocker(rng: np.random.Generator) -> tuple[Mechanism, dict[str, str], str]:
    """A crank-rocker by Grashof with room, and an angle of its crank."""
    a = int(rng.integers(30, 51))
    b, c, d = (
        a + int(x) for x in (rng.integers(60, 91), rng.integers(45, 61), rng.integers(50, 81))
    )
    while a + max(b, c, d) > b + c + d - max(b, c, d) - 5:
        b, d = b - 1, d + 1
    rpm, angle = 10 * int(rng.integers(3, 13)), 5 * int(rng.integers(4, 33))
    m = four_bar(*(f"{x} mm" for x in (a, b, c, d)), speed=f"{rpm} rpm")
    text = (
        f"A four-bar has the crank AB = {a} mm, the coupler BC = {b} mm, the rocker CD = {c} mm "
        f"and the base AD = {d} mm along x. The crank turns evenly with {rpm} rpm, anticlockwise, "
        f"and stands at {angle} deg from AD; C lies above."
    )
    return m, {"A": f"{angle} deg"}, text


def _slider_crank(rng: np.random.Generator) -> tuple[Mechanism, dict[str, str], str]:
    """A slider-crank with an offset, and an angle of its crank."""
    a, e = int(rng.integers(30, 61)), int(rng.integers(0, 16))
    b = 3 * a + int(rng.integers(0, 31))
    rpm, angle = 10 * int(rng.integers(3, 13)), 5 * int(rng.integers(4, 33))
    m = slider_crank(f"{a} mm", f"{b} mm", f"{e} mm", speed=f"{rpm} rpm")
    text = (
        f"A slider-crank has the crank AB = {a} mm and the rod BC = {b} mm; C slides along a line "
        f"{e} mm above A, parallel to x. The crank turns evenly with {rpm} rpm, anticlockwise, and "
        f"stands at {angle} deg from x."
    )
    return m, {"A": f"{angle} deg"}, text


Made = tuple[Mechanism, dict[str, str], str, dict[str, Asked], Worked]


def _of_plan(rng: np.random.Generator, ask: Callable[..., Plan], letter: str, task: str) -> Made:
    """Velocities or accelerations of a four-bar or a slider-crank."""
    m, at, text = (_crank_rocker, _slider_crank)[int(rng.integers(2))](rng)
    plan = ask(m, at)
    last = m.bodies[1].name
    rate = Asked(plan.angular[last], "rad/s" if letter == "v" else "rad/s^2")
    answers = {
        f"{letter}_C": Asked(float(np.linalg.norm(plan.images["C"])), plan.unit),
        ("w" if letter == "v" else "e") + f"({last})": rate,
    }
    return m, at, f"{text} {task}", answers, worked(plan)


def _velocities(rng: np.random.Generator) -> Made:
    task = "How fast is C, and with which angular velocity (anticlockwise is positive) turns BC?"
    return _of_plan(rng, velocity_plan, "v", task)


def _accelerations(rng: np.random.Generator) -> Made:
    task = "Which acceleration has C, and which angular acceleration has BC?"
    return _of_plan(rng, acceleration_plan, "a", task)


def _centres(rng: np.random.Generator) -> Made:
    m, at, text = _crank_rocker(rng)
    found = instant_centres(m, at)
    point = found["ground", "coupler"].point
    answers = {"x": Asked(float(point[0]), "m"), "y": Asked(float(point[1]), "m")}
    task = "Where, from A, is the instantaneous centre of the coupler and the base?"
    return m, at, f"{text} {task}", answers, worked(found)


def _mobilities(rng: np.random.Generator) -> Made:
    m, _, text = (_crank_rocker, _slider_crank)[int(rng.integers(2))](rng)
    own = mobility(m)
    answers = {"W": Asked(float(own.actual), ""), "loops": Asked(float(own.loop_count), "")}
    task = "Which mobility has it, and how many loops by (1.5), with the outer one?"
    return m, {}, f"{text} {task}", answers, worked(m)


def _work(rng: np.random.Generator) -> Made:
    m, at, text = _crank_rocker(rng)
    found = lever(m, at)
    mass = ", ".join(f"{body.name} {number_told(body.mass * 1e3, 4)} g" for body in m.bodies)
    task = (
        f"The links are uniform rods: {mass}; gravity is 9.81 m/s^2 against y. Which moment has to "
        "act on the crank, by virtual work?"
    )
    answers = {"M": Asked(found.effort, "N m")}
    return m, at, f"{text} {task}", answers, worked(found)


KINDS: dict[str, Callable[[np.random.Generator], Made]] = {
    "velocities": _velocities,
    "accelerations": _accelerations,
    "centres": _centres,
    "mobility": _mobilities,
    "virtual work": _work,
}
"""Exercises by what they practise."""


@public
def exercise(kind: str, student: str, number: int = 1) -> Exercise:
    """An exercise with numbers of a student's own: of one kind, by a name, and of a number.

    Kinds are "velocities", "accelerations", "centres", "mobility" and "virtual work". The same
    words give the same numbers on every machine. `print` shows the task; `solution` and `answers`
    are the teacher's, `check({...})` tells what is right.

    >>> kb.course.exercise("velocities", "Anna").check({"v_C": 0.1}).right
    0
    """
    refuse_unknown("kind of exercise", [kind], KINDS, "exercise")
    m, at, text, answers, solution = KINDS[kind](_draw(kind, student, number))
    return Exercise(kind, student, number, m, at, text, answers, solution)

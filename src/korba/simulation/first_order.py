"""Problems besides a mechanism's own motion that the methods step: any equations of first order.

    y' = f(y, t, constants)                                                                   (1)

A formulation gives (1) as a program or a routine, with what becomes of y after a step and what is
watched, where there is that; the methods, their rows at any times, events and panels are those of
`kb.simulate`. So a reduced model is run up, a point is led along its path and the equations of a
paper are followed by one runner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled, trace
from ..codegen.routine import AnyProgram, Routine
from ..spatial.rotation import Array
from .arguments import Times
from .right_hand_side import Shape
from .runs import Problem, Task, Watching
from .schemes import METHODS, NO_SIZES, Equations, Scheme, compiled_scheme, plain_start
from .stepping import Runs, followed, runs_of, task_of


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """A problem: `programs` of (y, t, constants, base) are its slope, and what of `Problem` it has.

    A row has the time, the state and the constants.
    """

    name: str
    size: int
    programs: Callable[[], Mapping[str, AnyProgram]]
    compiling: Callable[[Callable[[], Routine]], Compiled]
    """Compiles the whole, or finds it where it is kept."""
    constants: int = 0
    watching: Watching | None = None
    paced: bool = False
    """Whether panels of time bound the steps."""

    @property
    def inputs(self) -> dict[str, int]:
        """Inputs of its programs."""
        return {"y": self.size, "t": 1, "tau": self.constants, "base": 0}

    @cached_property
    def scheme(self) -> Scheme:
        """Its steps of order 8 by tolerance, compiled."""
        made = Equations(self.programs, Shape(self.size, 0, 0, works=False), 0, plain_start)
        events = 0 if self.watching is None else len(self.watching.directions)
        row = 2 + self.size + self.constants + events
        counts = self.constants, events, row if events else 0
        method = METHODS["dop853"]
        return compiled_scheme(method, made, self._problem, counts, self.compiling, name=self.name)

    def _problem(self, task: Task, times: Any) -> Problem:
        programs = dict(self.programs())
        row = trace(lambda y, t, tau, _: np.concatenate([t, y, tau]), self.inputs)
        more: dict[str, Any] = {"watching": self.watching, "paced": self.paced}
        settles = "settle" in programs
        return Problem(programs | {"row": row}, self.size, settles, task, times, **more)

    def followed(
        self,
        y: Array,
        times: Array,
        *,
        rtol: float,
        atol: float,
        constants: Array = NO_SIZES,
        marks: Array = NO_SIZES,
        report: Callable[..., Any] = lambda *_: None,
    ) -> Runs:
        """The run from y at the first of the times to the last, with rows at all of them."""
        span = Times(float(times[0]), float(times[-1]), times)
        task = task_of(span, rtol=rtol, atol=atol, marks=len(marks))
        first = np.concatenate([y, constants])[None]
        made = runs_of(self.scheme, task, times, first, first=first)
        made.marks = marks
        followed(made, report)
        return made

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
from ..codegen.routine import Routine
from ..spatial.rotation import Array
from .arguments import Times
from .right_hand_side import Shape
from .runs import Integrator, Problem, Task, Watching
from .schemes import METHODS, NO_SIZES, Equations, Scheme, compiled_scheme, plain_start
from .stepping import Runs, followed, runs_of, task_of


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """A problem: `programs` of (y, t, constants, base) are its slope, and what of `Problem` it has.

    A row has the time, the state and the constants, unless a program `row` says otherwise.
    """

    name: str
    size: int
    programs: Callable[[], Mapping[str, Any]]
    compiling: Callable[[Callable[[], Routine]], Compiled] | None
    """Compiles the whole, or finds it where it is kept; None runs it as Python."""
    constants: int = 0
    base: int = 0
    """Numbers that the slope carries from stage to stage, which it gives second."""
    watching: Watching | None = None
    paced: bool = False
    """Whether panels of time bound the steps."""
    method: Integrator = METHODS["dop853"]

    @property
    def inputs(self) -> dict[str, int]:
        """Inputs of its programs."""
        return {"y": self.size, "t": 1, "tau": self.constants, "base": self.base}

    @cached_property
    def scheme(self) -> Scheme:
        """Its steps."""
        shape = Shape(self.size, 0, 0, works=False)
        made = Equations(self.programs, shape, self.base, plain_start)
        events = 0 if self.watching is None else len(self.watching.directions)
        row = 2 + self.size + self.constants + events
        counts = self.constants, events, row if events else 0
        return compiled_scheme(
            self.method, made, self._problem, counts, self.compiling, name=self.name
        )

    def _problem(self, task: Task, times: Any) -> Problem:
        programs = dict(self.programs())
        if "row" not in programs:
            row = trace(lambda y, t, tau, _: np.concatenate([t, y, tau]), self.inputs)
            programs["row"] = row
        more: dict[str, Any] = {"watching": self.watching, "paced": self.paced}
        more["carries"] = bool(self.base)
        settles = "settle" in programs
        return Problem(programs, self.size, settles, task, times, **more)

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

    def stepped(
        self, start: tuple[Array, Array, Array], until: float, step: float, first: Array
    ) -> Runs:
        """The run from (y, base, constants) at t = 0 in steps of one length, the last the rest.

        Every step is a row; `first` is that of the start, without its time.
        """
        task = task_of(Times(0.0, until, None), step, steps=int(np.ceil(until / step - 1e-9)))
        table = np.concatenate(start)[None]
        made = runs_of(self.scheme, task, None, table, first=first[None])
        followed(made, lambda *_: None)
        return made

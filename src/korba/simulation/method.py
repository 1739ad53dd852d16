"""How the steps of a simulation are made: a value that composes, `kb.Method`, or a name alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..display import Displayed
from ..door import hints_of, refuse_unfit
from ..errors import KorbaError
from ..expr.quantities import quantity
from ..verbs.states import refuse_other
from . import arguments
from .drift import PROJECTION, drift_of
from .runs import Integrator, Task
from .schemes import METHODS
from .stepping import fixed_task, refuse_many, task_of

TIGHTEST = 100 * 2.0**-52
"""The least relative tolerance."""
RTOL, ATOL = 1e-8, 1e-10
BY_TOLERANCE = ("rtol", "atol", "max_step")
NUMBERS = ("step", *BY_TOLERANCE, "threads")


@dataclass(frozen=True)
class Method(Displayed):
    """How a simulation makes its steps: the integrator by name, and what goes with it.

    "dop853" (order 8) chooses its steps by the tolerances `rtol` (1e-8) and `atol` (1e-10), in rad
    and typical lengths; `step` is its first, `max_step` its longest. So does "stiff", implicit, of
    order 5, and "sundials", for stiff systems of many freedoms. "rk4" and "symplectic", of order 4,
    make steps of length `step`, the latter keeping energy for long.

    `formulation` names that of the accelerations, by default the one with least work.
    `stabilisation` is what is done against the drift of loops: "projection" after each step,
    "baumgarte" or its numbers {"alpha": 20, "beta": 20} in 1/s, or "none". Many runs are shared
    among `threads`.

    >>> import korba as kb
    >>> rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    >>> m = kb.Mechanism("m", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    >>> run = kb.simulate(m, 1.0, method=kb.Method("rk4", step=1e-3))
    >>> int(run.effort.steps)
    1000
    """

    name: str = "dop853"
    step: float | str | None = None
    rtol: float | str | None = None
    atol: float | str | None = None
    max_step: float | str | None = None
    formulation: str | None = None
    stabilisation: str | Mapping[str, float] = PROJECTION
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, hint in hints_of(Method).items():
            refuse_unfit(f"Method: {name}", hint, getattr(self, name))
        refuse_other("method", self.name, METHODS)
        drift_of(self.stabilisation)
        for name in ("rtol", "atol"):
            self._positive(name, "number")
        for name in ("step", "max_step"):
            self._positive(name, "time")
        for name in BY_TOLERANCE:
            if not self.integrator.adaptive and getattr(self, name) is not None:
                raise KorbaError(
                    f"{name}: method {self.name!r} makes steps of one length and heeds no "
                    f"{name}; leave it out, or take method 'dop853'"
                )

    @property
    def integrator(self) -> Integrator:
        """What makes the steps."""
        return METHODS[self.name]

    def task(self, span: arguments.Times) -> Task:
        """What is asked of runs over a span of time: steps by tolerance, or of one length."""
        step, most = self._positive("step", "time"), self._positive("max_step", "time") or np.inf
        if not self.integrator.adaptive:
            if step is None:
                raise KorbaError(
                    f"step: method {self.name!r} needs the length of its steps, such as 0.001 s"
                )
            return fixed_task(span, step)
        rtol, atol = self._tolerances
        refuse_many("max_step", span, most)
        return task_of(span, step or 0.0, rtol=max(rtol, TIGHTEST), atol=atol, longest=most)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of numbers that are given."""
        return tuple(name for name in NUMBERS if getattr(self, name) is not None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said of a tolerance that double precision does not hold."""
        if not self.integrator.adaptive or self._tolerances[0] >= TIGHTEST:
            return ()
        return (
            f"rtol = {self.rtol} is below what double precision holds; {TIGHTEST:.1e} was taken",
        )

    @property
    def _tolerances(self) -> tuple[float, float]:
        return self._positive("rtol", "number") or RTOL, self._positive("atol", "number") or ATOL

    def _positive(self, name: str, kind: str) -> float | None:
        own = getattr(self, name)
        if own is None:
            return None
        value = quantity(name, own, kind)
        if not value > 0:
            wanted = {"number": "a small positive number", "time": "a time above 0, such as 1e-3 s"}
            raise KorbaError(f"{name}: expected {wanted[kind]}, got {own!r}")
        return value


def method_of(asked: str | Method) -> Method:
    """A method by its name, or as it is given."""
    return asked if isinstance(asked, Method) else _named(asked)


@cache
def _named(name: str) -> Method:
    return Method(name)

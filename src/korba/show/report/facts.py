"""What verbs say of one mechanism, each asked once, when a section needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial, wraps
from typing import Any, TypeVar

import numpy as np

from ...errors import DeadPointError, KorbaError, StructureError
from ...expr.display_units import DisplayUnits
from ...machine.balance import Balance, balance
from ...machine.reduction import Reduction, reduce
from ...model.display_units import display_units
from ...model.mechanism import Mechanism
from ...simulation.run import simulate
from ...solve.motion import motion
from ...spatial.rotation import Array
from ...structure.mobility import Mobility, mobility
from ...system.system import any_system
from ...trajectory.trajectory import Trajectory
from ...verbs.crosscheck import CrossCheck, crosscheck
from ...verbs.forces.inertia import ShakingForces, shaking_forces
from ...verbs.forces.reactions import reactions
from ...verbs.forces.results import Reactions
from ...workspace.input_range import InputRange, input_range
from ..pages.live_drives import without_cylinders
from ..pages.live_inputs import input_names
from .blocks import Block, Said, attempted
from .exercise import SECONDS, Exercise, exercise

POSITIONS = 361
"""Positions of a motion over its cycle."""
FINER = 10
"""Times as many, to see how much larger forces are between them."""
FEW_FREEDOMS = 6
"""Of open chains, up to which every formulation is compiled."""
QUICK = ("newton-euler", "composite-body", "articulated-body")
"""Formulations of larger ones: those that take least time to compile."""


T = TypeVar("T")


class fact(cached_property[T]):  # noqa: N801
    """A property that is computed once, or refused once: the error is kept as the answer is."""

    def __get__(self, facts: Any, owner: type[Any] | None = None) -> T:  # type: ignore[override]
        if error := facts.refused.get(self.attrname):
            raise error.with_traceback(None)
        try:
            return super().__get__(facts, owner)
        except KorbaError as error:
            facts.refused[self.attrname] = error
            raise


class Facts:
    """Answers about a mechanism; what a verb refuses raises its error wherever it is asked for."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.refused: dict[str, KorbaError] = {}

    @fact
    def mobility(self) -> Mobility:
        """In how many ways it moves."""
        return mobility(self.m)

    @fact
    def exercise(self) -> Exercise:
        """How it is moved."""
        return exercise(self.m)

    @property
    def driven(self) -> Mechanism:
        """The mechanism with the drives of this report; a robot's joints and base stay free."""
        return self.exercise.m if any_system(self.m).ties else self.m

    @fact
    def moved(self) -> Trajectory:
        """Its motion over a cycle, as far as it goes; let go from rest where nothing can drive."""
        try:
            exercise = self.exercise
            return motion(exercise.m, np.linspace(0.0, exercise.seconds, POSITIONS))
        except DeadPointError as error:
            if not len(error.motion.t):
                raise
            return error.motion
        except KorbaError:
            if self.m.drives or any_system(self.m).ties:
                raise
            return simulate(self.m, SECONDS, times=POSITIONS, raise_on_failure=False)

    @property
    def assumed(self) -> str:
        """How it moves in this report, where it has no drives of its own."""
        if self.moved.mechanism.drives:
            return self.exercise.assumed
        return f"it is let go from rest for {SECONDS:g} s"

    @property
    def said(self) -> str:
        """The same in a sentence, also of drives that have no cycle."""
        return Exercise(self.m, SECONDS, self.assumed).said if self.assumed else self.exercise.said

    @fact
    def lead(self) -> str:
        """The coordinate that leads everywhere: that of the first drive, or the first input."""
        names = input_names(without_cylinders(self.exercise.m), None)
        if not names:
            raise StructureError("It has no freedom: no coordinate leads it.")
        return names[0]

    @fact
    def single(self) -> str:
        """The coordinate that leads a mechanism of one freedom; others are refused."""
        if self.mobility.actual != 1:
            raise StructureError(
                f"It has {self.mobility.actual} freedoms; this is told of mechanisms with one."
            )
        return self.lead

    @property
    def over(self) -> str:
        """What curves are drawn over: the angle of a crank that turns, else the time."""
        cyclic = self.moved.mechanism.drives and self.exercise.cyclic
        return self.lead if cyclic and self.lead in self.moved.names else "t"

    @property
    def x(self) -> tuple[str, Array]:
        """That axis, and its values as people read them: a crank's angle, or the time."""
        values, si = self.moved[self.over], self.moved.units[self.over]
        return f"{self.over}, {self.shown.unit(si)}", self.shown.values(values, si)

    @fact
    def shown(self) -> DisplayUnits:
        """In which units people read what it tells."""
        return display_units(self.m)

    @fact
    def speed(self) -> float:
        """Mean speed of the coordinate that leads."""
        return float(np.mean(self.moved[f"v_{self.lead}"]))

    @fact
    def range(self) -> InputRange:
        """How far the coordinate that leads can move it."""
        return input_range(self.m, self.single)

    @fact
    def forces(self) -> Reactions:
        """Forces in its joints without friction."""
        return reactions(self.moved.mechanism, self.moved)

    @fact
    def rough(self) -> Reactions | None:
        """The same with friction, where there is any."""
        return self._rough(self.moved)

    def _rough(self, moved: Trajectory) -> Reactions | None:
        if not any(joint.friction for joint in self.m.joints):
            return None
        return reactions(moved.mechanism, moved, friction=True)

    @fact
    def finer(self) -> tuple[Reactions, Reactions | None]:
        """Both at `FINER` times as many positions of the same motion."""
        times = np.linspace(self.moved.t[0], self.moved.t[-1], FINER * (len(self.moved.t) - 1) + 1)
        moved = motion(self.moved.mechanism, times)
        return reactions(moved.mechanism, moved), self._rough(moved)

    @fact
    def reduction(self) -> Reduction:
        """The mechanism reduced to the coordinate that leads."""
        return reduce(self.m, self.single)

    @fact
    def shaking(self) -> ShakingForces:
        """What it does to its frame."""
        return shaking_forces(self.moved.mechanism, self.moved)

    @fact
    def balance(self) -> Balance:
        """Counterweights that lessen it."""
        return balance(self.exercise.m)

    @fact
    def crosscheck(self) -> CrossCheck:
        """Formulations side by side."""
        many = not any_system(self.m).ties and self.m.nv > FEW_FREEDOMS
        return crosscheck(self.m, formulations=QUICK if many else None)


def of_motion(make: Callable[[Facts], Iterator[Block]]) -> Callable[[Facts], Iterator[Block]]:
    """A section on a motion, which begins with what was assumed of it, if it has an answer."""

    @wraps(make)
    def section(facts: Facts) -> Iterator[Block]:
        blocks = [*attempted(partial(make, facts))]
        if not all(isinstance(block, Said) for block in blocks):
            with suppress(KorbaError):  # said by the blocks
                yield from filter(None, [facts.said])
        yield from blocks

    return section

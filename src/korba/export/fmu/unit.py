"""What a unit is made of: the equations of motion of a mechanism, its start, points and sizes.

    y = (q, v, states of loads, work)
    u = (forces in the joints, sizes, motions of drives that are inputs, the time of these)

The programs are those of `kb.simulate`: dy/dt, the projection that closes loops, and the integrator
as a routine. A mechanism with loops or drives has fewer freedoms than coordinates; as many leading
ones as it is free in keep the values that they are given at the start, and the others follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...codegen import Program, array_of, program_of
from ...codegen.routine import AnyProgram
from ...expr.quantities import quantity
from ...kinematics.velocity import body_pose
from ...model.mechanism import Mechanism
from ...model.parameters import names_in
from ...positions.allowed import allowed
from ...positions.loops import loops_of
from ...positions.rank import governing_rows
from ...simulation.closed_starts import begun_with
from ...simulation.contact import refuse_ropes
from ...simulation.projection import settling
from ...simulation.right_hand_side import (
    Plant,
    Shape,
    inputs,
    measured_slope,
    plant_of,
    shape,
    traced,
    typical_length,
)
from ...simulation.schemes import Scheme, scheme_of
from ...spatial.rotation import Array
from ...system.system import any_system
from ...verbs.designs import sizes_of
from ..functions import Function
from .drive_inputs import Driven, with_inputs

NONE: Array = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Unit:
    """A mechanism with its start, ready to be printed."""

    driven: Driven
    plant: Plant
    scheme: Scheme
    q: Array
    v: Array
    start: float

    @property
    def m(self) -> Mechanism:
        """The mechanism."""
        return self.driven.m

    @property
    def sizes(self) -> tuple[str, ...]:
        """Names of the sizes that are parameters."""
        return self.plant.sizes[: len(self.plant.sizes) - len(self.driven.parameters)]

    @property
    def length(self) -> float:
        """What lengths are measured in."""
        return typical_length(self.m)

    @cached_property
    def shape(self) -> Shape:
        """The parts of y."""
        return shape(self.plant)

    @property
    def settles(self) -> bool:
        """Whether states are put right: loops, drives, quaternions."""
        return self.plant.constrained or bool(self.plant.tree.quaternions)

    @cached_property
    def y(self) -> Array:
        """The state at the start; work is zero."""
        own = [*self.plant.own_starts.values()]
        return np.concatenate([self.q, self.v, own, np.zeros(int(self.shape.works))])

    @cached_property
    def u(self) -> Array:
        """Forces, which are zero, sizes, motions of drives, and the time that these are of."""
        sizes = sizes_of(self.m, self.plant.sizes)
        clock = [] if self.driven.inputs else [self.start]
        return np.concatenate([np.zeros(self.plant.tree.nv), sizes, clock])

    @cached_property
    def points(self) -> tuple[tuple[str, str], ...]:
        """Named points of bodies, each with its body."""
        return tuple((body.name, name) for body in self.m.bodies for name, _ in body.points)

    @property
    def axes(self) -> str:
        """Directions in which points move."""
        return self.m.plane or "xyz"

    @cached_property
    def held(self) -> tuple[int, ...]:
        """Places of the leading velocities: the first that, held, leave no freedom."""
        if not self.plant.constrained:
            return tuple(range(self.plant.tree.nv))
        loops = loops_of(any_system(self.m))
        return tuple(governing_rows(allowed(loops, self.q, self.start).N / loops.units[:, None]))

    @cached_property
    def programs(self) -> dict[str, AnyProgram]:
        """All that is printed, by name."""
        made = self.scheme.equations.programs()
        begin = settling(self.plant, self.held) if self.plant.constrained else made["settle"]
        return {
            "slope": made["slope"],
            "settle": made["settle"],
            "begin": begin,
            "places": self._places(),
            "advance": self.scheme.advance.program,
            "pushforward": self.function.pushforward.program,
            "pullback": self.function.pullback.program,
        }

    @cached_property
    def function(self) -> Function:
        """(y, t, u, base) -> dy/dt and places of points, to be differentiated."""
        slope: Any = self.scheme.equations.programs()["slope"]
        slope = measured_slope(self.plant) if self.plant.constrained else slope
        rates, places = slope.outputs[: self.shape.size], self._places()
        order = [*slope.nodes, *places.nodes]
        results = array_of(rates), array_of(places.outputs)
        return Function(program_of(slope.inputs, results, slope.name, order))

    def _places(self) -> Program:
        """(y, t, u, base) -> coordinates of all points in the world, one after the other."""
        tree, nq = self.plant.tree, self.shape.first

        def written(y: Array, *_: Array) -> Array:
            places = [
                body_pose(tree, y[:nq], body).point(np.array(tree.m.body(body).point(name)))
                for body, name in self.points
            ]
            kept = ["xyz".index(axis) for axis in self.axes]
            return np.concatenate([np.zeros(0), *(place[kept] for place in places)])

        return traced(self.plant, written, inputs(self.plant, self.shape.size))


def unit_of(
    m: Mechanism,
    begin: tuple[Any, Any, Any],
    names: tuple[Sequence[str] | None, Sequence[str]],
    method: str,
    gravity: Any,
) -> Unit:
    """The unit of a mechanism that begins with q and v at a time, as `kb.simulate` takes them.

    `names` are those of sizes that can be changed, by default all parameters that do not follow
    from others, and of drives whose motion is an input.
    """
    (q, v, start), raw = begin, dict(m.parameters)
    t = quantity("t", start, "time")
    driven = with_inputs(m, names[1], t)
    own = [name for name in raw if not names_in(raw[name])]
    sizes = (*(own if names[0] is None else names[0]), *driven.parameters)
    none = np.zeros(any_system(driven.m).tree.nv)
    refuse_ropes(driven.m, "export_fmu")
    plant, numbers = plant_of(driven.m, gravity, none, sizes=sizes)
    p = sizes_of(driven.m, sizes)
    given = {"p": p, "switches": NONE, "drawn": plant.drawn(p)}
    begun = begun_with(plant, (q, v), numbers, given, t=t)
    return Unit(driven, plant, scheme_of(plant, method), begun.q[0], begun.v[0], t)

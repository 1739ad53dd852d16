"""The programs of a page in which a mechanism lives, with its sizes as inputs, as JavaScript.

    follow   (q, here, there) -> q, part, gap   from a closed position, where the inputs and sizes
             are `here`, towards `there` on the same branch; how much of the way was made, and the
             largest residual of the loops at its end, in typical lengths and radians
    places   (q, p) -> points of a plane drawing in the world
    bodies   (q, p) -> poses of the bodies of a spatial mechanism
    shapes   (p) -> points of curves, or of all solids, in the frames of their bodies
    curves   (q, speed, p) -> what curves show at given speeds of the inputs, and how far from a
             singular position it is: the smallest pivot of J over the largest

`follow` is the Newton routine of `kb.assemble`, `curves` are the rates of `kb.motion` and the
formulas of `kb.reactions`, which give what the drives do as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...codegen import Program, array_of, trace
from ...codegen.catalogue.targets import TARGETS
from ...codegen.routine import Routine, call, routine
from ...codegen.routine.following import led
from ...codegen.routine.ir import AnyProgram, variable_names
from ...codegen.routine.needed import pruned
from ...errors import KorbaError
from ...expr.node import as_expr
from ...kinematics.couplings import all_motion
from ...model.body import GROUND
from ...model.mechanism import Mechanism
from ...positions.loop_system import LoopSystem, with_sizes
from ...structure.mobility import mobility
from ...system.system import any_system
from ...verbs.designs import DESIGN
from ...verbs.forces.driving import driving_forces
from ...verbs.forces.reactions import reactions
from ...workspace.transmission import driven_output, push_angle, pushing
from ..schemes.scene import Attached
from .live_drives import coordinate_kinds, driven_by, driven_name, input_kinds, input_system
from .points import SizedPlaces

KINDS = {"angle": ("angle", "angular velocity", "angular acceleration", "moment")}
LENGTHS = ("length", "velocity", "acceleration", "force")
MOST = 8
"""Joints up to which the forces in all of them can be shown in one panel."""


class Panel(NamedTuple):
    """Curves that share an axis: what they are, of which kind, and where they stand in a row."""

    name: str
    kind: str
    rows: tuple[int, ...]
    lines: tuple[str, ...] = ()
    """Names of several curves."""


class Output(NamedTuple):
    """Something that moves: its place, velocity and acceleration."""

    name: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, eq=False)
class LivePrograms:
    """The programs of a mechanism for its inputs, its sizes and points to follow."""

    m: Mechanism
    inputs: tuple[str, ...]
    sizes: tuple[str, ...]
    followed: tuple[tuple[str, Attached], ...]
    """Points whose curves are shown, by name."""

    @cached_property
    def loops(self) -> LoopSystem:
        """The loops with all inputs held."""
        system = input_system(self.m, self.inputs)
        m = self.driven if system.drives else self.m
        return with_sizes(m, system, self.sizes) if self.sizes else system

    @cached_property
    def points(self) -> SizedPlaces:
        """Points by sizes."""
        return SizedPlaces(self.m, any_system(self.m, self.sizes))

    @property
    def axes(self) -> int:
        """Of a point: x and y in the plane."""
        return 2 if self.m.plane else 3

    def follow(self) -> Routine:
        """(q, here, there) -> q, part, gap."""
        system, count = self.loops, len(self.inputs)
        newton, residuals = system.newton.program, system.residuals.program

        def step(x: Any, asked: Any) -> tuple[Any, Any]:
            return call(newton, x, asked[:count], np.zeros(2), *self._sized(asked))[:2]

        def function(q: Any, here: Any, there: Any) -> tuple[Any, Any, Any]:
            way = led(step, q, here, there, system.units)
            end = here + way.done * (there - here)
            gap = call(residuals, way.x, end[:count], np.zeros(2), *self._sized(end))
            return way.x, way.done, np.max(np.abs(gap) / system.size)

        asked = count + len(self.sizes)
        return routine(function, {"q": system.tree.nq, "here": asked, "there": asked}, "follow")

    def _sized(self, asked: Any) -> list[Any]:
        return [asked[len(self.inputs) :]] if self.sizes else []

    def curves(self) -> Routine:
        """(q, speed, p) -> one row of all curves, and the smallest pivot of J over the largest."""
        rates, moving = self.loops.rates.program, self._traced[0]
        still = np.zeros(len(self.inputs))

        def function(q: Any, speed: Any, *p: Any) -> tuple[Any, Any]:
            v, a, _, pivots, _ = call(rates, q, still, speed, np.zeros(2), *p)
            firm = -np.max(-pivots) / np.max(pivots) if rates.sizes[3] else 1.0
            return call(moving, q, v, a, *p), firm

        shape: dict[str, int | None] = {"q": self.loops.tree.nq, "speed": len(self.inputs)}
        return routine(function, shape | self._design, "curves")

    @property
    def _design(self) -> dict[str, int]:
        return {DESIGN: len(self.sizes)} if self.sizes else {}

    @cached_property
    def _traced(self) -> tuple[Program, str]:
        """(q, v, a, p) -> rows of all curves; and why there are no forces among them."""
        if not self.m.forces and not any(body.mass for body in self.m.bodies):
            return self._rows(forces=False), "no body has a mass, and no load acts"
        try:
            return self._rows(forces=True), ""
        except KorbaError as error:
            return self._rows(forces=False), str(error)

    def _rows(self, *, forces: bool) -> Program:
        """Of coordinates, followed points, the transmission angle, and forces."""
        system = self.points.system
        tree = system.tree
        moved = self.points.moving([p for _, p in self.followed], self.axes)
        own = [(tree.coordinates.index(name), tree.rates[name]) for name in self.coordinates]

        def function(q: Any, v: Any, a: Any, *_: Any) -> Any:
            x = all_motion(tree, q, v, a)
            rows = [y for i, k in own for y in (x.q[i], x.v[k], x.a[k])]
            for motion in moved(q, v, a):
                rows += list(motion.ravel())
            if self.transmission:
                rows.append(push_angle.formula(system, q, **self.transmission))
            return array_of([*rows, *(self._forces(q, v, a) if forces else ())])

        return trace(function, {"q": tree.nq, "v": tree.nv, "a": tree.nv} | self._design, "moving")

    def _forces(self, q: Any, v: Any, a: Any) -> list[Any]:
        """What the drives do, then the sizes of the forces in joints, where they are unique."""
        system = any_system(self.driven, self.sizes)
        if self.passive:
            return [*driving_forces.formula(system, q, v, a, method="virtual-work").efforts]
        told = reactions.formula(system, q, v, a, method="multipliers")
        own = [told.force[told.joints.index(joint.name)] for joint in self.m.joints]
        return [*told.efforts[: len(self.inputs)], *(np.sqrt(force @ force) for force in own)]

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates that are shown: those with a rate of their own, on the base first."""
        tree = any_system(self.m).tree
        given = {x for joint in self.m.joints for x in joint.coordinates()}  # not of armature
        own = [name for name in tree.coordinates if name in tree.velocities and name in given]
        base = {x for j in self.m.joints if j.joins(GROUND) for x in j.coordinates()}
        return tuple(sorted(own, key=lambda name: (name in self.inputs, name not in base)))

    @cached_property
    def transmission(self) -> dict[str, Any] | None:
        """What the transmission angle is taken of, if the inputs drive a four-bar or its like."""
        if len(self.inputs) != 1:
            return None
        try:
            return pushing(self.driven, *driven_output(self.driven))
        except KorbaError:
            return None

    @property
    def driven(self) -> Mechanism:
        """The mechanism with drives for its inputs alone."""
        return driven_by(self.m, self.inputs)

    @property
    def no_forces(self) -> str:
        """Why no forces are shown; empty where they are."""
        return self._traced[1]

    @cached_property
    def passive(self) -> int:
        """Constraints to spare: they leave the forces in joints open."""
        return mobility(self.driven).passive

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose forces are shown."""
        open_ = self.no_forces or self.passive
        return () if open_ else tuple(joint.name for joint in self.m.joints)

    def outputs(self) -> Iterator[Output]:
        """What curves can be shown of: coordinates, then points."""
        kinds, at = coordinate_kinds(self.m), 0
        for name in self.coordinates:
            own = KINDS.get(kinds[name], LENGTHS)
            panels = [Panel(title, kind, (at + k,)) for k, title, kind in named(name, own)]
            yield Output(name, tuple(panels))
            at += 3
        names = ("x", "y", "z")[: self.axes]
        for name, _ in self.followed:
            rows = [tuple(range(at + k * self.axes, at + (k + 1) * self.axes)) for k in range(3)]
            yield Output(
                name,
                tuple(
                    Panel(title, kind, rows[k], names) for k, title, kind in named(name, LENGTHS)
                ),
            )
            at += 3 * self.axes

    @property
    def _beside(self) -> int:
        """Where rows begin that belong to no output."""
        return 3 * len(self.coordinates) + 3 * self.axes * len(self.followed)

    def others(self) -> Iterator[Panel]:
        """The transmission angle and what the drives do."""
        at = self._beside
        if self.transmission:
            yield Panel("transmission angle", "angle", (at,))
            at += 1
        kinds = input_kinds(self.m)
        own = [driven_name(drive) for drive in (() if self.no_forces else self.driven.drives)]
        efforts = [KINDS.get(kinds[name], LENGTHS)[3] for name in own]
        for kind in dict.fromkeys(efforts):
            rows = [k for k, each in enumerate(efforts) if each == kind]
            lines = tuple(own[k] for k in rows)
            yield Panel(f"driving {kind}", kind, tuple(at + k for k in rows), lines)

    def forces(self) -> Iterator[Panel]:
        """The sizes of the forces in joints, one by one and all together."""
        at = self._beside + bool(self.transmission) + len(self.inputs)
        rows = tuple(range(at, at + len(self.joints)))
        for name, row in zip(self.joints, rows, strict=True):
            yield Panel(f"force in {name}", "force", (row,))
        if 1 < len(rows) <= MOST:
            yield Panel("force in all joints", "force", rows, self.joints)

    def used(self) -> set[str]:
        """Sizes that the loops or the curves depend on."""
        programs = [self.loops.residuals.program, self._traced[0]]
        outputs = [e for each in programs if isinstance(each, Program) for e in each.outputs]
        return self.sizes_in(outputs)

    def sizes_in(self, values: Iterable[Any]) -> set[str]:
        """Sizes that formulas depend on."""
        names = {*variable_names(map(as_expr, values))}
        return {name for i, name in enumerate(self.sizes) if f"{DESIGN}[{i}]" in names}

    def javascript(self, drawn: Sequence[Attached], shapes: Sequence[Attached]) -> Iterator[str]:
        """All of them as functions of a page, each in a scope of its own."""
        programs: dict[str, AnyProgram] = {"follow": self.follow(), "curves": self.curves()}
        if self.m.plane:
            programs["places"] = self.points.in_world(drawn, self.axes)
        else:
            programs["bodies"], shapes = self.points.bodies(), drawn
        if shapes:
            programs["shapes"] = self.points.on_bodies(shapes, self.axes)
        for name, program in programs.items():
            text = TARGETS["javascript"].program_text(pruned(program), "f", [])
            yield f"programs.{name} = (() => {{\n{text.replace('export ', '')}\nreturn f;\n}})();"


def named(name: str, kinds: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Number, title and kind of the three panels of an output."""
    for k, word in enumerate(("", "velocity of ", "acceleration of ")):
        yield k, word + name, kinds[k]

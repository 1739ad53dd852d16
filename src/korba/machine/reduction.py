"""`kb.reduce`: a mechanism of one freedom as one turning or sliding body, at any position.

    I(x) x'' + 1/2 I'(x) x'^2 = Q(x, x', t)                                           (1)

Positions lie on the branch that was drawn and are closed to rounding (workspace/input_range.py);
inertia and forces are computed there (verbs/reduction.py): nothing is interpolated. A crank that
turns fully goes on from turn to turn. A slider comes to its dead centres, where it does not govern
the mechanism: its reduced mass grows without bound there.

Source: Gronowicz (2003), sections 4.4.2.1 to 4.4.2.3: models of type R (angle) and T (length).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..display import Plotted, Table, Tabled, columns, tidy
from ..door import public, real_array
from ..errors import StructureError
from ..expr.node import as_expr
from ..expr.quantities import quantity
from ..model.display_units import display_units
from ..model.forces.joint_force import JointForce
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..solve.batch_positions import held_system
from ..spatial.rotation import Array
from ..system.store import kept
from ..system.system import any_system
from ..trajectory.trajectory import Trajectory
from ..verbs.generated import written_by
from ..verbs.reduction import ReducedModel, coordinate_key
from ..verbs.reduction import reduce as reduced_model
from ..workspace.input_range import InputLimit, InputRange, input_range
from .panels import Panels, resolved

ROWS = 12
"""Positions in print, and in a notebook."""
AT_REST = ", loads at speed 0: r(x, speed) has others"
"""What the tables are of."""
SAME = 1e-9
"""Relative difference below which a model after a whole turn is the same."""


@dataclass(frozen=True, eq=False)
class Reduction(Plotted, Tabled):
    """A mechanism reduced to one of its coordinates: `r(x, speed)` is the model at positions x."""

    m: Mechanism
    coordinate: str
    range: InputRange
    flywheel: float = 0.0
    """Inertia (or mass) that sits on the coordinate besides the mechanism's own."""

    @property
    def columns(self) -> dict[str, Array]:
        """Those of `table`."""
        return self.table()

    def __call__(self, x: Any, speed: Any = 0.0, t: Any = 0.0) -> ReducedModel:
        """Inertia and forces at positions and speeds of the coordinate, which broadcast.

        One of each may be a text with a unit: `r("30 deg", "200 rpm")`.
        """
        kinds = ("angle", "angular velocity") if self.turns else ("length", "velocity")
        asked = ("x", x, kinds[0]), ("speed", speed, kinds[1]), ("t", t, "time")
        x, speed, t = (
            real_array(name, quantity(name, given, kind) if isinstance(given, str) else given)
            for name, given, kind in asked
        )
        q = self.q(x)
        shape = np.broadcast_shapes(x.shape, speed.shape, t.shape)
        return self.at(np.broadcast_to(q, (*shape, q.shape[-1])), speed, t)

    def at(
        self, q: Array, speed: Any, t: Any = 0.0, *, parameters: Mapping[str, Any] | None = None
    ) -> ReducedModel:
        """The same at positions of all joints, as `q` gives them, with named sizes as arrays."""
        speed = np.asarray(speed, dtype=float)
        v = np.zeros((*speed.shape, any_system(self.m).tree.nv))
        v[..., self.place] = speed
        return self._model(q, v, t, parameters)

    def along(self, motion: Trajectory) -> ReducedModel:
        """The same along a motion of the mechanism: at its positions, speeds and times."""
        if motion.coordinates != self.m.coordinates:
            raise StructureError(
                f"the motion is not that of mechanism {self.m.name!r}, which is reduced to "
                f"{self.coordinate}; give one of this mechanism, such as kb.motion(m, times)"
            )
        return self._model(motion.q, motion.v, motion.t)

    def _model(self, q: Array, v: Array, t: Any, sizes: Any = None) -> ReducedModel:
        model = reduced_model(self.m, q, v, self.coordinate, t=t, parameters=sizes)
        return replace(model, inertia=model.inertia + self.flywheel)

    def machine(self, moment: float = 0.0) -> Mechanism:
        """The mechanism with its flywheel, and a constant moment (or force) on the coordinate.

        What a motion of the reduced model is a motion of; the flywheel is armature of its joint.
        """
        m = self.m
        if self.flywheel:
            joints = [
                replace(joint, armature=joint.armature + self.flywheel)
                if self.coordinate in joint.coordinates() and joint.nv == 1
                else joint
                for joint in m.joints
            ]
            m = replace(m, joints=tuple(joints))
        if moment:
            name = "balancing" + "'" * sum(force.name.startswith("balancing") for force in m.forces)
            force = JointForce(name, self.coordinate, law=as_expr(moment))
            m = replace(m, forces=(*m.forces, force))
        return m

    @property
    def place(self) -> int:
        """Place of its speed in v."""
        tree = any_system(self.m).tree
        return tree.free_v.index(tree.velocity_of(self.coordinate))

    @property
    def turns(self) -> bool:
        """Whether the coordinate is an angle: a model of type R; else of type T."""
        return self.range.input.turns

    @property
    def units(self) -> tuple[str, str]:
        """Of inertia and force."""
        return ("kg m^2", "N m") if self.turns else ("kg", "N")

    @property
    def start(self) -> float:
        """The coordinate in the drawing."""
        return self.range.input.value

    @property
    def dead_centres(self) -> tuple[InputLimit, ...]:
        """Where the coordinate does not govern the mechanism, and its inertia has no bound."""
        limits = self.range.lower, self.range.upper
        return tuple(limit for limit in limits if limit is not None and limit.cause != "joint")

    @cached_property
    def periodic(self) -> bool:
        """Whether the mechanism is the same after a whole turn, though wheels may have turned."""
        if not self.range.full_turn:
            return False
        v = np.zeros(any_system(self.m).tree.nv)
        ends = [reduced_model(self.m, q, v, self.coordinate) for q in self.range.nodes.q[[0, -1]]]
        one, two = (np.array([each.inertia, each.slope]) for each in ends)
        return self.range.returns or bool(np.all(np.abs(one - two) <= SAME * np.abs(one[0])))

    def q(self, x: Any) -> Array:
        """All joints at positions of the coordinate, shape (..., nq)."""
        x = np.asarray(x, dtype=float)
        low, high = self.range.ends
        turn, whole = np.zeros(x.shape), self._turned
        if self.range.full_turn and self.periodic:
            turn = np.floor((x - low) / (2 * np.pi))
        inside = x - 2 * np.pi * turn
        if np.any((inside < low - 1e-9) | (inside > high + 1e-9)):
            beyond = float(x[(inside < low - 1e-9) | (inside > high + 1e-9)].flat[0])
            raise StructureError(
                f"{self.coordinate} = {beyond:.6g} is beyond what mechanism {self.m.name!r} can "
                f"reach on this branch, {low:.6g} to {high:.6g}"
            )
        q = self.range.q(np.clip(inside, low, high).ravel())
        return np.asarray(q.reshape(*x.shape, len(whole)) + turn[..., None] * whole)

    @property
    def _turned(self) -> Array:
        """What a whole turn adds to the coordinates; a rod that has spun is taken back."""
        whole = self.range.nodes.q[-1] - self.range.nodes.q[0]
        whole[[i for places in any_system(self.m).tree.quaternions for i in places]] = 0.0
        return whole

    def panels(self, low: float, high: float, speed: float, origin: float = 0.0) -> Panels:
        """Inertia, slope and force on the way from one position to another, at a speed.

        Positions on the panels are counted from the `origin`.
        """

        def functions(x: Array) -> Array:
            model = self(origin + x, speed)
            return np.array([model.inertia, model.slope, model.force])

        return resolved(functions, low - origin, high - origin)

    @property
    def notes(self) -> tuple[str, ...]:
        """Dead centres, bodies without mass, friction that is left out."""
        what = "moment of inertia" if self.turns else "mass"
        dead = [
            f"{self.coordinate} comes to a dead centre at {limit}: "
            f"it does not govern the mechanism there, and its reduced {what} has no bound"
            for limit in self.dead_centres
        ]
        empty = [body.name for body in self.m.bodies if not body.mass and not np.any(body.inertia)]
        light = [f"bodies without mass: {', '.join(empty)}"] if empty else []
        return (*dead, *light, *friction_not_used(self.m))

    def table(self, count: int = ROWS) -> dict[str, Array]:
        """Columns at positions over the range, away from dead centres: x, inertia, forces."""
        low, high = self.range.ends
        if self.range.full_turn:
            x = low + (high - low) * np.arange(count) / count
        else:
            x = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(
                np.pi * (np.arange(count) + 0.5) / count
            )
        return {self.coordinate: x, **self(x).columns}

    def __str__(self) -> str:
        shown, table = display_units(self.m), self.table()
        inertia, force = self.units
        kind = f"type {'R' if self.turns else 'T'}, {shown.unit(inertia)} and {shown.unit(force)}"
        x = "rad" if self.turns else "m"
        kinds = {self.coordinate: x, "inertia": inertia, "slope": f"{inertia}/{x}"}
        cells = (
            [shown.number(y, kinds.get(name, force), 5) for y in tidy(each)]
            for name, each in table.items()
        )
        heads = (f"{self.coordinate}, {shown.unit(x)}", *[*table][1:])
        rows = [heads, *zip(*cells, strict=True)]
        name = self.m.name or "mechanism"
        notes = [f"  note: {note}" for note in self.notes]
        return "\n".join(
            [f"{name!r} reduced to {self.coordinate} ({kind}){AT_REST}", *columns(rows), *notes]
        )

    def _table(self) -> Table:
        table = self.table()
        caption = "\n".join(
            [f"{self.m.name or 'mechanism'} reduced to {self.coordinate}{AT_REST}", *self.notes]
        )
        return Table(caption, tuple(table), [*zip(*table.values(), strict=True)])


def _refuse_dead_centre(m: Mechanism, coordinate: str) -> None:
    """An error for a drawing with loops in which the coordinate does not govern the mechanism."""
    if not any_system(m).ties or _governs(m, coordinate):
        return
    tree = any_system(m).tree
    free = [tree.coordinates[i] for i in tree.free_q if tree.coordinates[i] in tree.rates]
    others = [name for name in free if name != coordinate and _governs(m, name)]
    instead = f", or reduce it to another coordinate: {', '.join(others[:3])}" if others else ""
    raise StructureError(
        f"mechanism {m.name!r} is drawn at a dead centre of {coordinate}, where this does not "
        f"govern the mechanism and has no reduced model; draw it in another position{instead}"
    )


def _governs(m: Mechanism, coordinate: str) -> bool:
    """Whether a coordinate, held in the drawing, leaves the mechanism nothing to move."""
    try:
        kept(m, ("held", coordinate), lambda: held_system(m, (coordinate,)))
    except StructureError:
        return False
    return True


@written_by(reduced_model)
@public
def reduce(m: Mechanism, coordinate: str, *, flywheel: float = 0.0) -> Reduction:
    """A mechanism of one freedom reduced to one of its coordinates.

    The answer is called with positions, and speeds where loads depend on them: `r(0.5).inertia`,
    `.slope`, `.force`, `.driving`, `.resisting`, and `.forces["gas"]` of each load. The branch is
    that of the drawing; drives of the mechanism do not count. `flywheel` is inertia, in kg m^2 (kg
    for a slider), that sits on the coordinate besides. `kb.compile(kb.reduce, m, coordinate="A")`
    takes (q, v) of all joints, for any batch of states and designs.

    >>> engine = kb.linkages.slider_crank(0.1, 0.3)
    >>> kb.reduce(engine, "A")(0.5).inertia.round(9)
    np.float64(0.002403811)
    """
    coordinate_key(m, coordinate)
    _refuse_dead_centre(m, coordinate)
    if not flywheel >= 0:
        raise StructureError(
            f"reduce: flywheel: expected an inertia of 0 or more, got {flywheel:g}"
        )
    reach = kept(m, ("range of", coordinate), lambda: input_range(m, coordinate))
    return Reduction(m, coordinate, reach, flywheel)

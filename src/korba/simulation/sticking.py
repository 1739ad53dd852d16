"""Dry friction in the joints of a mechanism while it moves: what slips, and what sticks.

The wrenches in the joints are linear in the accelerations, and these in the efforts e of friction,

    F_j = F_j0 + sum F_jk e_k,      a = a_0 + sum u_k e_k                                      (1)

A velocity that slips has  e_i = -way_i phi_i(F),  with the law phi of forces/friction.py under the
wrench in the joint. Velocities of one freedom, as all of a four-bar, halt together; while they
stick they are at rest, and each gives the same part of what it could give at most:

    e_i = -s dir_i phi_i(F),   sum dir_i a_i = 0,   |s| <= 1                                   (2)

where dir are the signs of their velocities in a motion. Loads that jump at rest (jumps.py) are part
of phi. So what sticks goes over into what slips
at |s| = 1 without a jump (unless phi has one), and the mechanism holds as long as all friction
together can hold it. A few steps of Newton's method in e solve (1) and (2); where they do not come
to an end friction jams, and e is nan. Source: Gronowicz (2003), sections 4.3.5 and 4.3.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..codegen.program import symbols
from ..dynamics.kinetostatics import GivenMotion, equations, parted
from ..dynamics.multiplier_forces import by_multipliers
from ..expr import constant, less, less_equal, maximum, minimum, sign, substitute, where
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..forces.rough import RoughJoint, law, newton_step, rough_joints
from ..kinematics.couplings import all_motion
from ..model.given import as_drawn
from ..model.joint_parts import Friction
from ..model.rubbing import Rubbing, follows_load
from ..spatial.rotation import Array
from ..system.system import Loads, System
from ..system.tree import places_of

Wrenches = dict[str, Array]
"""Moment and force of the parent on the child by joint, about M in its axes."""
STEPS = 4
"""Of Newton's method."""
SOLVED = 1e-7
"""Part of the largest friction by which its law may be missed."""
LED, FAR = 1e-9, 1e30
"""Part of its response below which a velocity is led by stops, and a pull that nothing holds."""
LEAST = 1e-30
"""Effort that friction has anyway, so that parts of none at all are known."""


@dataclass(frozen=True)
class Rub:
    """A velocity with dry friction: where it is, in which joint, and which of its velocities."""

    name: str
    place: int
    joint: str
    number: int = 0
    unit: float = 1.0
    """A typical length, or a radian."""
    rough: bool = True
    """Whether the joint has friction that counts."""
    jumps: bool = False
    """Whether loads jump with the sign of the velocity."""


@dataclass(frozen=True)
class Stick:
    """Velocities that halt together, each with dry friction."""

    rubs: tuple[Rub, ...]
    led: bool = False
    """Whether drives alone move them, so that nothing sticks."""

    @property
    def name(self) -> str:
        """That of the first."""
        return self.rubs[0].name

    @property
    def jumps(self) -> bool:
        """Whether loads jump with the sign of any of them."""
        return any(rub.jumps for rub in self.rubs)

    @property
    def modes(self) -> tuple[str, ...]:
        """Switches: 1 where they stick, and the sign of each velocity where they slip."""
        return f"sticks_{self.name}", *(f"way_{rub.name}" for rub in self.rubs)

    @property
    def events(self) -> tuple[str, ...]:
        """Events: they halt, and slip again; one of several turns back while the others go on."""
        turning = self.rubs if self.led or len(self.rubs) > 1 else ()
        return f"{self.name} halts", f"{self.name} slips", *(f"{rub.name} turns" for rub in turning)


class Grip(NamedTuple):
    """A stick at a state: signs of its velocities in a motion, how it pulls, and could at most."""

    directions: list[Any]
    pull: Any
    most: Any


def depends_on_load(data: Friction) -> bool:
    """Whether friction depends on what presses in the joint."""
    return follows_load(data) or data.efficiency is not None


def pressing(
    system: System, state: tuple[Array, Array], a: Array, tau: Array, names: Sequence[str]
) -> Wrenches:
    """The wrench of the parent on the child of some joints, in the axes of M.

    `tau` are forces in the joints besides the loads of the system.
    """
    x = all_motion(system.tree, *state, a)
    loads = system.loads(x.q, x.v)
    given = np.array(loads.tau, dtype=object)
    given[list(system.tree.free_v)] += tau
    loads = Loads(given, loads.wrenches)
    bodies = equations(system, x, loads, system.t)
    solution = by_multipliers(GivenMotion(system, x, loads, system.t), bodies)
    at, wrenches = bodies.at, {}
    for tie, part in zip(bodies.ties, parted(bodies, solution), strict=False):
        if tie.joint.name in names:
            F = np.zeros(6, dtype=object)
            F[list(at.space)] = part
            if len(at.space) < 6:  # rows in a plane are in the axes of the world
                R_MW = (at.pose(tie.child) @ tie.X_LM).R.T
                F = np.concatenate([R_MW @ F[:3], R_MW @ F[3:]])
            wrenches[tie.joint.name] = F
    return wrenches


@dataclass(frozen=True, eq=False)
class Sticking:
    """What rubs in a system at coordinates and velocities of all joints."""

    system: System
    sticks: Sequence[Stick]
    q: Array
    v: Array
    jumps: Array
    """D of loads that jump (jumps.py), a column for each velocity."""

    @cached_property
    def rubs(self) -> list[Rub]:
        """All velocities that rub."""
        return [rub for stick in self.sticks for rub in stick.rubs]

    @cached_property
    def units(self) -> Array:
        """Their units."""
        return np.array([rub.unit for rub in self.rubs], dtype=object)

    @cached_property
    def groups(self) -> list[slice]:
        """Of each stick the places of its velocities among all that rub."""
        ends = np.cumsum([len(stick.rubs) for stick in self.sticks])
        return [slice(end - len(x.rubs), end) for end, x in zip(ends, self.sticks, strict=True)]

    @cached_property
    def joints(self) -> dict[str, RoughJoint]:
        """The joints with friction, where it counts."""
        rough = rough_joints(self.system.m)
        return rough if any(rub.rough for rub in self.rubs) else {}

    @cached_property
    def own_jumps(self) -> Array:
        """What jumps on each of the velocities itself."""
        return np.array([self.jumps[rub.place, rub.place] for rub in self.rubs], dtype=object)

    @cached_property
    def rough(self) -> list[int]:
        """Which of what rubs has friction."""
        return [k for k, rub in enumerate(self.rubs) if rub.rough]

    @cached_property
    def places(self) -> list[int]:
        """Where these stand among the efforts of all joints with friction."""
        rough = (self.rubs[k] for k in self.rough)
        return [self.joints[rub.joint].own.start + rub.number for rub in rough]

    @property
    def loaded(self) -> list[str]:
        """Names of joints that rub, and whose friction depends on what presses."""
        names = dict.fromkeys(rub.joint for rub in self.rubs if rub.rough)
        return [name for name in names if depends_on_load(self.joints[name].data)]

    def law(self, e: Array, F: Wrenches, ways: Any, *, at_rest: bool = False) -> Array:
        """Efforts of all that rubs against the given ways; `at_rest` the most that can hold.

        Loads that jump come first, and friction takes what is left; what they drive ahead holds
        nothing.
        """
        ways, own = np.array(ways, dtype=object), self.own_jumps
        total = ways * (minimum(own, constant(0.0)) if at_rest else own)
        if not self.rough:
            return np.asarray(total)
        count = sum(joint.nv for joint, _, _ in self.joints.values())
        going, left = np.zeros((2, count), dtype=object)
        going[self.places], left[self.places] = ways[self.rough], (e - total)[self.rough]
        read = _at_rest if at_rest else _slipping
        total[self.rough] += law(self._rubbing(F, going, left, read))[self.places]
        return np.asarray(total)

    def _rubbing(
        self, F: Wrenches, going: Array, e: Array, read: Callable[[Friction], Friction]
    ) -> Iterator[Rubbing]:
        """Each joint with friction, in its own axes."""
        places = places_of(self.system.m.joints)
        for name, (joint, data, own) in self.joints.items():
            q, v = (x[place] for x, place in zip((self.q, self.v), places[name], strict=True))
            D, vectors = np.asarray(joint.motion_subspace(q)), tuple(joint.friction_vectors(q))
            wrench = F.get(name, np.zeros(6))
            yield Rubbing(joint, read(data), D, vectors, v, going[own], wrench, e[own])

    def solved(
        self,
        modes: Mapping[str, Any],
        response: Array,
        moved: Callable[[Array], tuple[Array, Wrenches]],
        bare: Array | None = None,
    ) -> tuple[Array, list[Grip]]:
        """Efforts, and the grips of the sticks.

        `response` has the accelerations of all that rubs under a unit of each effort in columns,
        `moved` gives accelerations and wrenches under efforts, which are linear in them (1). Where
        stops may lead what rubs, `bare` is the response without any.
        """
        n = len(self.rubs)
        first, F_first = moved(np.zeros(n))
        columns = [moved(unit)[1] for unit in np.eye(n)] if F_first else []
        directions = [*self._directions(response)]

        def wrenches(e: Array) -> Wrenches:
            more = {
                name: sum((e[k] * (x[name] - F) for k, x in enumerate(columns)), start=0.0 * F)
                for name, F in F_first.items()
            }
            return {name: F + more[name] for name, F in F_first.items()}

        own = np.array([first[rub.place] for rub in self.rubs], dtype=object)
        goes = [constant(0.0)] * len(self.sticks)
        if bare is not None:
            goes = [*self._led(directions, (response, bare), own)]
        laws = _Laws(self, modes, directions, wrenches, lambda e: own + response @ e, goes)
        slips = laws.slips
        e = where_each(slips, self.law(np.zeros(n), F_first, laws.ways), np.zeros(n))
        e = _newton(laws.residual, e)
        return laws.checked(e), laws.grips(e)

    def _led(
        self, directions: Sequence[Array], responses: tuple[Array, Array], a: Array
    ) -> Iterator[Any]:
        """Of every stick the way in which a stop moves it, whatever friction does; else 0."""
        for group, signs in zip(self.groups, directions, strict=True):
            unit = self.units[group]
            with_stops, bare = (
                as_expr(signs / unit @ each[group, group] @ (signs / unit)) for each in responses
            )
            moving = sign(sum(signs * a[group] / unit, start=0.0))
            yield where(less(LED * bare, with_stops), constant(0.0), moving)

    def _directions(self, response: Array) -> Iterator[Array]:
        """Of every stick the signs of its velocities in a motion, the first that moves ahead."""
        for group in self.groups:
            own = range(group.start, group.stop)
            largest, column = constant(0.0), [constant(1.0)] * len(own)
            for k in own if len(own) > 1 else ():
                size = as_expr(response[k, k] / self.units[k] ** 2)
                ahead = less(largest, size)
                column = [
                    where(ahead, as_expr(response[i, k]), x)
                    for i, x in zip(own, column, strict=True)
                ]
                largest = maximum(largest, size)
            signs = [where(less(x, 0.0), constant(-1.0), constant(1.0)) for x in column]
            yield np.array(signs, dtype=object)


@dataclass(frozen=True, eq=False)
class _Laws:
    """The equations (1) and (2) for the efforts."""

    sticking: Sticking
    modes: Mapping[str, Any]
    directions: list[Array]
    wrenches: Callable[[Array], Wrenches]
    accelerations: Callable[[Array], Array]
    """Of all that rubs."""
    goes: list[Any]
    """The way in which a stop leads each stick, or 0."""

    @cached_property
    def slips(self) -> list[Any]:
        """1 where a velocity slips."""
        return [
            1.0 - self.modes[stick.modes[0]] for stick in self.sticking.sticks for _ in stick.rubs
        ]

    @cached_property
    def ways(self) -> list[Any]:
        """Signs of the velocities that slip, or begin to where a stop leads them; else 0."""
        ways = [self.modes[way] for stick in self.sticking.sticks for way in stick.modes[1:]]
        led = [
            goes * each
            for goes, signs in zip(self.goes, self.directions, strict=True)
            for each in signs
        ]
        both = zip(self.slips, ways, led, strict=True)
        return [slip * way + (1.0 - slip) * goes for slip, way, goes in both]

    @property
    def _known(self) -> list[Any]:
        """1 where a velocity slips, or is led by a stop."""
        counts = [len(stick.rubs) for stick in self.sticking.sticks]
        led = [np.abs(goes) for goes, n in zip(self.goes, counts, strict=True) for _ in range(n)]
        return [maximum(slip, goes) for slip, goes in zip(self.slips, led, strict=True)]

    @property
    def _groups(self) -> Iterator[tuple[slice, Array, Array]]:
        """Of every stick the places of its velocities, their units and their signs in a motion."""
        for own, signs in zip(self.sticking.groups, self.directions, strict=True):
            yield own, self.sticking.units[own], signs

    def _most(self, e: Array, F: Wrenches) -> tuple[list[Any], Array]:
        """Of every stick how it pulls along its motion, as a moment; of each rub the most."""
        pulls = [as_expr(sum(unit * s * e[own], start=0.0)) for own, unit, s in self._groups]
        back = [where(less(0.0, pull), constant(-1.0), constant(1.0)) for pull in pulls]
        pairs = zip(self.directions, back, strict=True)
        ways = np.concatenate([signs * way for signs, way in pairs])
        return pulls, LEAST - ways * self.sticking.law(e, F, ways, at_rest=True)

    def grips(self, e: Array) -> list[Grip]:
        """How each stick holds."""
        pulls, most = self._most(e, self.wrenches(e))
        return [
            Grip([*signs], where(np.abs(goes), -goes * FAR, pull), sum(unit * most[own], start=0.0))
            for (own, unit, signs), pull, goes in zip(self._groups, pulls, self.goes, strict=True)
        ]

    def slipping(self, e: Array) -> Array:
        """What the law of slipping is missed by."""
        return e - self.sticking.law(e, self.wrenches(e), self.ways)

    def residual(self, e: Array) -> Array:
        """Zero at the efforts."""
        F, a = self.wrenches(e), self.accelerations(e)
        pulls, most = self._most(e, F)
        rests: list[Any] = []
        for (own, unit, signs), pull in zip(self._groups, pulls, strict=True):
            total = sum(unit * most[own], start=0.0)
            rests += [*(e[own] - signs * pull * (most[own] / total))[:-1]]
            rests.append(sum(signs * a[own] / unit, start=0.0))
        return where_each(self._known, self.slipping(e), rests)

    def checked(self, e: Array) -> Array:
        """The efforts, nan where the law of what slips is missed."""
        if not self.sticking.loaded:
            return e
        units = self.sticking.units
        miss: Any = constant(0.0)
        size: Any = constant(LEAST)
        for slip, rest, x, unit in zip(self.slips, self.slipping(e), e, units, strict=True):
            miss = maximum(miss, where(slip, abs(as_expr(rest)) * unit, constant(0.0)))
            size = size + abs(as_expr(x)) * unit
        return np.sqrt(where(less_equal(miss, SOLVED * size), constant(1.0), constant(-1.0))) * e


def where_each(flags: Any, first: Any, second: Any) -> Array:
    """Element by element the first where its flag is set."""
    three = zip(flags, first, second, strict=True)
    return np.array([where(flag, as_expr(x), as_expr(y)) for flag, x, y in three], dtype=object)


def _slipping(data: Friction) -> Friction:
    """Data of a joint that moves: the coefficient at rest counts in Stribeck's curve alone."""
    return data if data.stribeck_velocity is not None else as_drawn(data, static=None)


def _at_rest(data: Friction) -> Friction:
    """Data of a joint at rest."""
    mu = data.coefficient if data.static is None else data.static
    laws = {key: getattr(data, key) for key in ("law", "effort_law")}
    rest = {
        key: substitute(law, {"u": constant(0.0)}) for key, law in laws.items() if law is not None
    }
    return as_drawn(data, coefficient=mu, static=None, stribeck_velocity=None, **rest)


def _newton(residual: Callable[[Array], Array], e: Array) -> Array:
    """Zero of the residual, by Newton's method from e with a fixed count of steps."""
    unknown = symbols("effort", len(e))
    onward = [*map(as_expr, unknown + newton_step(residual, unknown))]
    for _ in range(STEPS):
        at = {f"effort[{i}]": as_expr(x) for i, x in enumerate(e)}
        e = np.array(substitute_all(onward, at), dtype=object)
    return e

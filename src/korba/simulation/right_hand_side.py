"""The equations of motion as one system of first order, ready to be integrated.

    y = (q, v, i, W),    qdot = N(q) v,    vdot = forward dynamics at (q, v, tau + loads),
    L idot = u - R i - k_e N v  of motors with inductance,    Wdot = power of all that acts

With loops or drives vdot is that of all joints (dynamics/multipliers.py), and after each
step the state is brought back to them (projection.py). W is the work of everything but
gravity: given forces tau, loads of the mechanism, damping and drives. It is there where such a
thing is, and makes the audit  T + V - W = constant.  Given forces are numbers, which the compiled
program takes as an input, or laws, which are traced. Sizes of the mechanism that are inputs
(`parameters`) come behind the forces that are numbers: both stay during a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..codegen import Program, trace
from ..codegen.program import substituted, symbols
from ..codegen.routine import AnyProgram, call, routine
from ..dynamics import absolute, minimal
from ..dynamics.multipliers import accelerations, drive_power
from ..dynamics.recursions import damping
from ..errors import StructureError
from ..expr import Expr, variable
from ..expr.node import as_expr
from ..forces.loads import (
    loads_at,
    named_values,
    own_rates,
    own_starts,
    own_states,
    power,
)
from ..kinematics.couplings import all_coordinates, all_velocities, law_value
from ..kinematics.rates import coordinate_rates
from ..kinematics.velocity import link_twists
from ..model.curve import Curve
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.store import kept, of_family
from ..system.system import LoadsAt, System, any_system
from ..system.tree import Tree
from ..verbs.designs import DESIGN, drawn_at
from ..verbs.dynamics import worth_trying
from ..verbs.options import gravity_key
from ..verbs.systems import gravity_system, refuse_massless
from .arguments import Laws, forces
from .contact import contacts_of, ropes_of
from .drift import PROJECTED, PROJECTION, Drift, drift_of
from .event import Watch, refuse_jumps, resolved
from .holds import Held, Hold, Stop, held, stops_of
from .jumps import loads_that_jump, smoothed
from .on_the_way import NOTHING, OnTheWay
from .sticking import Stick
from .sticks import sticks_of


@dataclass(frozen=True, eq=False)
class Plant:
    """A mechanism under one gravity, with what the user makes act on it."""

    m: Mechanism
    system: System
    gravity: tuple[float, ...] | None
    """None is the mechanism's own."""
    laws: Laws = ()
    """Given forces by a law: place among the velocities, law."""
    takes_tau: bool = False
    """Whether forces are given as numbers too."""
    switches: tuple[str, ...] = ()
    """Names of numbers that only events change."""
    watches: tuple[Watch, ...] = ()
    """Events."""
    holds: tuple[Hold, ...] = ()
    """Stops and dry friction; their modes are the last switches."""
    drift: Drift = PROJECTED
    """What is done against the drift of loops and drives."""

    @property
    def events(self) -> tuple[str, ...]:
        """Names of all events: those asked for, then those of the holds."""
        return *(watch.name for watch in self.watches), *(e for h in self.holds for e in h.events)

    @property
    def constrained(self) -> bool:
        """Whether loops or drives bind the coordinates."""
        return self.system.constrained

    @property
    def sizes(self) -> tuple[str, ...]:
        """Names of the sizes that differ from run to run."""
        return self.system.parameters

    @property
    def constants(self) -> int:
        """Count of what stays between events: forces that are numbers, sizes, switches."""
        return self.tree.nv * self.takes_tau + len(self.sizes) + len(self.switches)

    @property
    def size_places(self) -> dict[str, Expr]:
        """Where the symbols of sizes stand among what stays during a run."""
        first = self.tree.nv * self.takes_tau
        return {f"{DESIGN}[{i}]": variable(f"tau[{first + i}]") for i in range(len(self.sizes))}

    def modes(self, tau: Array) -> dict[str, Any]:
        """The switches by name."""
        return dict(zip(self.switches, self.switched(tau), strict=True))

    def switched(self, tau: Array) -> Array:
        """The switches among what stays between events."""
        return tau[self.constants - len(self.switches) :]

    @property
    def tree(self) -> Tree:
        """The tree of the mechanism."""
        return self.system.tree

    @property
    def own_states(self) -> tuple[str, ...]:
        """Names of the states of loads, such as the currents of motors with inductance."""
        return tuple(own_starts(self.tree))

    @property
    def own_starts(self) -> dict[str, float]:
        """Where they start."""
        return own_starts(self.tree)

    def key(self, what: str, formulation: str | None) -> tuple[Any, ...]:
        """What tells something made of this plant from all else of the mechanism."""
        acting = self.gravity, self.laws, self.takes_tau
        events = self.switches, self.watches, self.holds
        drift = () if self.drift == PROJECTED else (self.drift,)
        return "simulate", what, *acting, formulation, *(events if any(events) else ()), *drift

    def drawn(self, p: Array) -> Array:
        """The coordinates of the drawing of designs."""
        return drawn_at(self.m, self.sizes, p)

    def of_family(self, what: str, formulation: str | None) -> Plant:
        """The plant with those sizes as inputs with which another design has been compiled."""
        known = of_family(self.m, self.key(what, formulation), ())
        if known is None:
            return self
        return replace(self, system=gravity_system(self.m, self.gravity, known[1]))


def plant_of(
    m: Mechanism,
    gravity: Any = None,
    tau: Any = None,
    *,
    sizes: tuple[str, ...] = (),
    events: OnTheWay = NOTHING,
    stabilisation: Any = PROJECTION,
    rests: bool = False,
) -> tuple[Plant, Array]:
    """The plant of a mechanism, and the forces on it that are numbers.

    It `rests` where loads that jump with the sign of a velocity hold it, as friction does.
    """
    system = gravity_system(m, gravity, sizes)
    if not system.tree.nv:
        raise StructureError(f"mechanism {m.name!r} has no freedom: nothing moves in time")
    switches = tuple(events.switches)
    numbers, laws = forces(system.tree, tau, switches)
    watches = resolved(system.tree, events.events, switches)
    if system.constrained:
        refuse_jumps(system, watches)
    length = typical_length(m)
    stops, drift = events.stops, drift_of(stabilisation)
    holds: tuple[Hold, ...] = (
        *(stops_of(system, stops.restitution, length) if stops else ()),
        *(
            Stop(name, distance, e, unit, pitch=pitch)
            for name, distance, e, unit, pitch in contacts_of(system.tree, events.contacts, length)
        ),
        *(Stop(*each, length, ("taut", "slack")) for each in ropes_of(system.tree.m)),
    )
    acting = m, system, gravity_key(gravity), laws, bool(numbers.size)
    bare = Plant(*acting, switches)
    key = *bare.key("jumping", None), bare.sizes
    jumps = kept(m, key, lambda: jumping(bare)) if rests else {}
    if jumps or events.friction:
        holds = (*holds, *sticks_of(system, length, jumps, friction=events.friction))
    switches = (*switches, *(mode for hold in holds for mode in hold.modes))
    return Plant(*acting, switches, watches, holds, drift), numbers


@dataclass(frozen=True)
class Shape:
    """Which part of the state is what."""

    first: int
    """Elements of q, or of the local coordinates that stand for it."""
    nv: int
    currents: int
    works: bool

    @property
    def size(self) -> int:
        """Elements of the state."""
        return self.controlled + self.works

    @property
    def controlled(self) -> int:
        """Elements of the state but the work."""
        return self.first + self.nv + self.currents

    def parts(self, y: Array) -> tuple[Array, Array, Array]:
        """q, v and the currents; or what stands for them."""
        v = self.first + self.nv
        return y[: self.first], y[self.first : v], y[v : self.controlled]


def shape(plant: Plant) -> Shape:
    """The parts of (q, v, i, W); there is a W where anything besides gravity can do work."""
    tree = plant.tree
    given = any(isinstance(law, Curve) or as_expr(law).value != 0 for _, law in plant.laws)
    resists = any(isinstance(c, Expr) or c != 0.0 for c in resistances(plant))
    changed = any(watch.changes or watch.calls for watch in plant.watches) or bool(plant.holds)
    loaded = bool(tree.m.forces) or bool(tree.m.drives)
    works = plant.takes_tau or given or loaded or resists or changed
    return Shape(tree.nq, tree.nv, len(plant.own_states), works)


def typical_length(m: Mechanism) -> float:
    """A typical distance of joints; of joints in one place, how far the bodies' masses are."""

    def measured() -> float:
        placed = drawing(m)
        joints = {joint.child: placed.X_BM(joint).p for joint in m.joints}
        arms = [
            float(np.linalg.norm(joints[body.name] - np.asarray(body.com, dtype=float)))
            for body in m.bodies
            if body.name in joints
        ]
        apart = np.ptp([X.p for X in placed.X_WM.values()], axis=0).any() if m.joints else False
        return placed.scale if apart else max(arms, default=0.0) or 1.0

    return kept(m, "typical length", measured)


def typical_energy(plant: Plant) -> float:
    """m L (g + L/s^2): what drives alone move has no error but in their work."""
    mass, length = sum(body.mass for body in plant.m.bodies), typical_length(plant.m)
    return float(mass * length * (np.linalg.norm(plant.m.gravity or 0.0) + length))


def lengths(tree: Tree) -> tuple[int, ...]:
    """Elements of (q, v) that are lengths, or their rates."""
    kinds = (*tree.coordinate_kinds, *tree.velocity_kinds)
    return tuple(k for k, kind in enumerate(kinds) if kind == "length")


def inputs(plant: Plant, state: int, base: int = 0) -> dict[str, int]:
    """Inputs of every program of a run, and their sizes."""
    return {"y": state, "t": 1, "tau": plant.constants, "base": base}


def traced(plant: Plant, formula: Callable[..., Any], sizes: Mapping[str, int]) -> Program:
    """The program of a formula of the plant, with its sizes where they come in."""
    name, count = plant.tree.m.name or "the mechanism", len(plant.sizes)
    if not count:
        return trace(formula, sizes, name)
    program = trace(lambda *given: formula(*given[: len(sizes)]), {**sizes, DESIGN: count}, name)
    return substituted(program, plant.size_places, tuple(sizes.items()))


def resistances(plant: Plant) -> Array:
    """Coefficients of viscous damping of all velocities, of the joints that close loops too."""
    coefficients = damping(plant.tree).astype(object)
    for tie in plant.system.ties:
        coefficients[tie.v] = tie.joint.damping
    return coefficients


def programs(plant: Plant, formulation: str | None = None) -> dict[str, AnyProgram]:
    """The programs of a run: of quaternions, unit ones are written and kept after a step.

    With loops or drives a state is projected back to them, whether it is written or kept.
    """
    sizes, normalised = inputs(plant, shape(plant).size), plant.tree.normalised

    def row(y: Array, t: Array, tau: Array, base: Array) -> Array:
        del base
        return np.concatenate([t, normalised(y), plant.switched(tau)])

    slope: AnyProgram = slope_program(plant, formulation)
    written = traced(plant, row, sizes)
    if not (plant.constrained and plant.drift.projects):
        settle = traced(plant, lambda y, *_: normalised(y), sizes)
        return {"slope": slope, "settle": settle, "row": written}
    from .projection import beside_singular, settling, tangent

    project = settling(plant)
    slope = beside_singular(plant, measured_slope(plant, formulation), project)

    def projected(y: Any, t: Any, tau: Any, base: Any) -> Any:
        return call(written, call(project, y, t, tau, base), t, tau, base)

    parts = {"slope": slope, "settle": project, "row": routine(projected, sizes, "row")}
    return parts | {"tangent": tangent(plant)}


def slope_program(plant: Plant, formulation: str | None = None) -> Program:
    """dy/dt; without a formulation that of the one with least work."""
    made = shape(plant)

    def program(formula: Callable[..., Array]) -> Program:
        def written(y: Array, t: Array, tau: Array, base: Array) -> Array:
            del base
            return slope(plant, formula, made.parts(y), t[0], tau)

        return traced(plant, written, inputs(plant, made.size))

    nominal = any_system(plant.m)
    refuse_massless(nominal)
    if plant.holds or plant.constrained:
        return program(acceleration_formula(plant, formulation))
    tried = worth_trying("forward_dynamics", nominal, formulation)
    made_by = [program(f.verbs["forward_dynamics"]) for f in tried]
    return min(made_by, key=lambda p: p.operations.total)


def acceleration_formula(plant: Plant, formulation: str | None = None) -> Callable[..., Array]:
    """Accelerations of a system at (q, v) under forces: the formula that holds build on."""
    if plant.constrained:
        measured = measured_accelerations(plant, formulation)
        return lambda *state: measured(*state)[0]
    tried = worth_trying("forward_dynamics", any_system(plant.m), formulation)
    return tried[0].verbs["forward_dynamics"]


def measured_slope(plant: Plant, formulation: str | None = None) -> Program:
    """dy/dt with loops or drives, and the pivots of their rows."""
    made, measured = shape(plant), measured_accelerations(plant, formulation)

    def written(y: Array, t: Array, tau: Array, base: Array) -> tuple[Array, Array]:
        del base
        pivots = []

        def formula(*state: Any) -> Array:
            a, own = measured(*state)
            pivots.append(own)
            return a

        rates = slope(plant, formula, made.parts(y), t[0], tau)
        return rates, np.array(pivots[0], dtype=object)

    return traced(plant, written, inputs(plant, made.size))


def measured_accelerations(
    plant: Plant, formulation: str | None
) -> Callable[..., tuple[Array, list[Any]]]:
    """Accelerations with loops or drives, and the pivots of their rows, by a formulation."""
    if formulation in {None, "multipliers"}:
        return lambda s, q, v, tau: accelerations(s, q, v, tau, plant.drift.back)
    ways = {"absolute": absolute.accelerations, "minimal": minimal.accelerations}
    if formulation not in ways or not plant.drift.projects:
        raise StructureError(
            f"formulation: {formulation!r} is not for this run; with loops or drives there are "
            "multipliers, absolute and minimal (these two with projection); leave it out"
        )
    return ways[formulation]


def slope(
    plant: Plant,
    formula: Callable[..., Array],
    state: tuple[Array, Array, Array],
    t: Any,
    tau: Array,
) -> Array:
    """Rates of q, v, the currents and (where there is one) the work."""
    q, v, i = state
    q_all, v_all = all_joints(plant.tree, q, v)
    system = replace(plant.system, loads=acting(plant, t, i), t=t)
    efforts: list[tuple[int, Any]] = []
    smoother: list[tuple[int, Any]] = []
    if plant.holds:
        found, pushed, smoother = held_under(plant, formula, state, t, tau)
        a, efforts = found.a, found.efforts
    else:
        pushed = given_forces(plant, q_all, v_all, t, tau)
        a = formula(system, q, v, pushed)
    rates = [coordinate_rates(plant.tree, q, v), a, own_rates(plant.tree, q_all, v_all, t, i)]
    if shape(plant).works:
        lost = sum((e * v[place] for place, e in (*efforts, *smoother)), start=0.0)
        work = work_rate(plant, (q, v, i), t, tau) + lost
        if plant.system.drives:
            for place, e in efforts:
                pushed[place] = pushed[place] + e
            work = work + drive_power(system, q, v, a, pushed)
        rates.append(np.array([work], dtype=object))
    return np.concatenate([np.asarray(rate, dtype=object) for rate in rates])


def jumps_at(
    plant: Plant, state: tuple[Array, Array, Array], t: Any, tau: Array
) -> tuple[Array, Array]:
    """What makes forces on the velocities smooth, and in columns how large they jump (jumps.py)."""
    q, v, i = state
    at, along = symbols("_q", len(q)), symbols("_v", len(v))
    q_all, v_all = all_joints(plant.tree, at, along)
    loads = acting(plant, t, i)(q_all, v_all)
    given = given_forces(plant, q_all, v_all, t, tau)
    forces = [*zip(loads.tau, v_all, strict=True), *zip(given, along, strict=True)]
    if loads.wrenches:
        twists = link_twists(plant.tree, q_all, v_all)
        for link, wrench in loads.wrenches.items():
            forces += zip(np.concatenate(wrench), twists[link], strict=True)
    return smoothed(forces, (q, v))


def jumping(plant: Plant) -> dict[int, bool]:
    """The places of velocities with whose sign loads on them jump, and if others jump with it."""
    if not loads_that_jump(plant.m, plant.tree.velocities, plant.laws):
        return {}
    made = shape(plant)
    t, tau = variable("t[0]"), symbols("tau", plant.constants)
    D = jumps_at(plant, made.parts(symbols("y", made.size)), t, tau)[1]
    jumps = np.array([[as_expr(x).value != 0.0 for x in row] for row in D])
    return {k: bool(jumps[:, k].sum() > 1) for k in range(made.nv) if jumps[k, k]}


def held_under(
    plant: Plant,
    formula: Callable[..., Array],
    state: tuple[Array, Array, Array],
    t: Any,
    tau: Array,
) -> tuple[Held, Array, list[tuple[int, Any]]]:
    """The holds as they are on or off; forces on the velocities, and what in them makes loads
    smooth (jumps.py), by place.
    """
    q, v, i = state
    pushed = given_forces(plant, *all_joints(plant.tree, q, v), t, tau)
    system = replace(plant.system, loads=acting(plant, t, i), t=t)
    smoother, jumps = np.zeros(len(v), dtype=object), np.zeros((len(v), len(v)), dtype=object)
    if any(isinstance(hold, Stick) and hold.jumps for hold in plant.holds):
        smoother, jumps = jumps_at(plant, state, t, tau)
        pushed = pushed + smoother
    modes = plant.modes(tau)
    at = held(plant.holds, formula, system, (q, v), pushed=pushed, modes=modes, jumps=jumps)
    return at, pushed, [(k, x) for k, x in enumerate(smoother) if as_expr(x).value != 0.0]


def all_joints(tree: Tree, q: Array, v: Array) -> tuple[Array, Array]:
    """Coordinates and velocities of all joints."""
    q_all = all_coordinates(tree, q)
    return q_all, all_velocities(tree, q_all, v)


def given_forces(plant: Plant, q_all: Array, v_all: Array, t: Any, tau: Array) -> Array:
    """Forces on the independent velocities that the user gave."""
    total = np.zeros(plant.tree.nv, dtype=object)
    if plant.takes_tau:
        total = total + tau[: plant.tree.nv]
    values = named_values(plant.tree, q_all, v_all, t)
    values |= plant.modes(tau)
    for place, law in plant.laws:
        value = law(t) if isinstance(law, Curve) else law_value(law, values)
        total[place] = total[place] + value
    return total


def acting(plant: Plant, t: Any, currents: Array) -> LoadsAt:
    """The loads of the mechanism as a function of q and v of all joints."""
    states = own_states(plant.tree, currents)
    return lambda q_all, v_all: loads_at(plant.tree, q_all, v_all, t, states)


def work_rate(plant: Plant, state: tuple[Array, Array, Array], t: Any, tau: Array) -> Any:
    """Power of all that acts besides gravity: given forces, loads and damping."""
    q, v, i = state
    q_all, v_all = all_joints(plant.tree, q, v)
    pushed = given_forces(plant, q_all, v_all, t, tau)
    total = sum((f * u for f, u in zip(pushed, v, strict=True)), start=0.0)
    total = total + power(plant.tree, acting(plant, t, i)(q_all, v_all), q_all, v_all)
    lost = zip(resistances(plant), v_all, strict=True)
    return total - sum((c * u * u for c, u in lost if isinstance(c, Expr) or c), start=0.0)

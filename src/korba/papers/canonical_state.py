"""The semi-canonical form at one state: momenta, velocities from them, and the rates of both.

The programs behind it are kept with the mechanism: A z cut at q (codegen/hoist.py), so that an
iteration of the inner problem repeats only what depends on the vectors. The inner problem

    z of A(q) z = p, iterated from the z before               (quadratic_program.py)

is a routine, which a motion calls at every stage of its steps (canonical_motion.py). Velocities
that drives give are no unknowns of it (canonical_drives.py), and terms of the Lagrangian that are
linear in velocities take their a(q) off p before (canonical_terms.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Compiled, Program, trace
from ..codegen.hoist import hoisted
from ..codegen.routine import (
    Routine,
    both,
    call,
    choose,
    either,
    negated,
    packed,
    repeat,
    routine,
)
from ..display import Displayed
from ..door import public
from ..dynamics import energy, hamilton
from ..dynamics.quadratic_program import CONJUGATE, SOLVERS, Iteration, Stop, not_converged
from ..errors import StructureError
from ..expr import maximum
from ..forces.loads import loads_at
from ..kinematics.rates import coordinate_rates
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.store import compiled, kept
from ..system.system import Loads, System
from ..system.tree import Tree
from ..verbs.dynamics import forward_dynamics, inverse_dynamics
from ..verbs.options import gravity_key
from ..verbs.states import refuse_other, state, vector
from ..verbs.systems import refuse_massless, tree_system
from .canonical_drives import Led, led
from .canonical_terms import NO_TERMS, Terms, terms_of

GOING, NOT_CONVERGED, NOT_FINITE = range(3)
STOPS = ("step", "residual")
TOLERANCE = 1e-12
HUGE = 1.7976931348623157e308
INNER = ("once", "start", "step")
"""Programs of the inner problem."""


@dataclass(frozen=True, eq=False)
class SemiCanonicalState(Displayed):
    """What holds at (q, p), or at (q, v)."""

    q: Array
    v: Array
    """Velocities: the z that maximises p'z - L(q, z)."""
    p: Array
    """Generalised momenta A(q) v + a(q)."""
    q_rate: Array
    slope: Array
    """dL/dq, L = T - V of gravity, with a'v + L_0 where these are given; along the freedoms of
    joints whose v is not qdot.
    """
    p_rate: Array
    """dL/dq + Q, with tau, damping and loads in Q."""
    kinetic: float
    potential: float
    """V of gravity less what is given as L_0."""
    iterations: int
    """Of the inner problem; 0 when the velocities were given."""

    @property
    def hamiltonian(self) -> float:
        """H = T + V."""
        return self.kinetic + self.potential


@dataclass(frozen=True)
class VelocitySolver:
    """How velocities are found from momenta: `name`, and when its iterations end.

    "conjugate" or "minimal-residual" stops when its step is below the `tolerance` (1e-10 along
    motions, else 1e-12) or, with stop="residual", when |A z - p| says so by the greatest gamma met
    so far; more than `limit` iterations of one problem are an error.
    """

    name: str = "conjugate"
    tolerance: float | None = None
    stop: str = "step"
    limit: int | None = None

    def __post_init__(self) -> None:
        refuse_other("solver", self.name, SOLVERS)
        refuse_other("stop", self.stop, STOPS)
        if self.tolerance is not None and not self.tolerance > 0:
            raise StructureError(f"tolerance: expected a number above 0, got {self.tolerance!r}")


def solver_of(asked: str | VelocitySolver) -> VelocitySolver:
    """A solver by its name, or as it is given."""
    return asked if isinstance(asked, VelocitySolver) else VelocitySolver(asked)


class Solution(NamedTuple):
    """Velocities, the greatest gamma so far, iterations made, the time, and how it ended."""

    z: Any
    bound: Any
    count: Any
    now: Any
    status: Any


class _Iterate(NamedTuple):
    """The state of an iteration (quadratic_program.py), the greatest gamma, iterations made."""

    x: Any
    bound: Any
    count: Any


def solved(programs: Mapping[str, Any], stop: Stop, y: Any, now: Any, s: Solution) -> Solution:
    """The velocities of y = (q, p), from those that were there; nothing where it ended before."""
    tolerance, nv = stop.tolerance, len(s.z)
    held = call(programs["once"], y[:-nv])
    x = call(programs["start"], held, s.z, y[-nv:])

    def better(i: _Iterate) -> _Iterate:
        x = call(programs["step"], held, i.x)
        return _Iterate(x, maximum(i.bound, x[-1]), i.count + 1)

    def ended(i: _Iterate) -> Any:
        square, travel = i.x[-3], i.x[-2]
        near = both(np.sqrt(square) * i.bound <= tolerance, i.bound > 0)
        near = both(near, i.count >= stop.after)
        return either(near, either(square <= 0, travel < tolerance * tolerance))

    def known(i: _Iterate) -> Any:
        return both(i.x[-3] <= HUGE, i.x[-2] <= HUGE)

    def going(i: _Iterate) -> Any:
        more = both(negated(ended(i)), both(known(i), i.count < stop.limit))
        return both(more, s.status <= GOING)

    end = repeat(better, _Iterate(x, maximum(s.bound, x[-1]), 0.0), while_=going)
    reason = choose(ended(end), float(GOING), float(NOT_CONVERGED))
    reason = choose(known(end), reason, float(NOT_FINITE))
    now, status = choose(s.status > GOING, (s.now, s.status), (now, reason))
    return Solution(end.x[:nv], end.bound, s.count + end.count, now, status)


@dataclass(frozen=True, eq=False)
class Machine:
    """The compiled programs of a mechanism in semi-canonical form, and one of the two solvers.

    product             A z of (q, z)
    rates               qdot and pdot of (q, z, tau, t)
    slope, potential    dL/dq of (q, z), V(q)
    lead                q and z of (q, z, t), with what drives give
    once, start, step   held(q), x(held, z, p) and x(held, x) of the inner problem
    shift               (q, p - a) of (q, p) and t, where there is an a
    gyroscopic          what a'z + L_0 do as forces, at (q, z, t)
    """

    m: Mechanism
    key: tuple[Hashable, ...]
    """What tells these programs from others of the mechanism."""
    solver: Iteration
    tree: Tree
    led: Led
    """What drives give."""
    programs: Mapping[str, Compiled]
    terms: Terms = NO_TERMS
    """a(q) and L_0(q)."""

    def __getitem__(self, name: str) -> Compiled:
        return self.programs[name]

    @property
    def inner(self) -> Compiled:
        """z and the numbers of a `Solution`, of (y, z, numbers, stop)."""
        return compiled(self.m, (*self.key, "inner"), self._inner)

    def _inner(self) -> Routine:
        programs = {name: self[name].program for name in INNER}

        def function(y: Any, z: Any, numbers: Any, stop: Any) -> tuple[Any, Any]:
            s = Solution(z, *numbers)
            end = solved(programs, Stop(*stop), y, s.now, s)
            return end.z, packed(end[1:])

        nq, nv = self.tree.nq, self.tree.nv
        sizes = {"y": nq + nv, "z": nv, "numbers": 4, "stop": 3}
        return routine(function, sizes, "the inner problem")

    def momenta(self, q: Array, z: Array, t: Array) -> Array:
        """p = A z + a."""
        y = np.concatenate([q, self["product"](q, z)], axis=-1)
        return np.asarray(2 * y - self.shifted(y, t))[..., self.tree.nq :]

    def shifted(self, y: Array, t: Array) -> Array:
        """(q, p - a), whose velocities are those of A z = p - a."""
        return np.asarray(self["shift"](y, t)) if self.terms else y

    def stop(self, own: VelocitySolver, tolerance: float) -> Stop:
        """When the iterations end, with the tolerance where the solver has none of its own."""
        most = 1000 + 100 * self.tree.nv if own.limit is None else own.limit
        after = self.tree.nv if self.solver is CONJUGATE else most + 1
        return Stop(own.tolerance or tolerance, most, 0 if own.stop == STOPS[1] else after)


def machine(
    m: Mechanism,
    solver: str = "conjugate",
    gravity: Any = None,
    own: tuple[Any, Any] = (None, None),
) -> Machine:
    """The programs of a mechanism, traced and compiled at their first use; `own` is a and L_0."""
    system = tree_system(m, gravity)
    terms = terms_of(system.tree, *own)
    key = ("semi-canonical", solver, gravity_key(gravity), *terms.key)
    return kept(m, key, lambda: _made(m, system, solver, gravity, terms))


def _made(m: Mechanism, system: System, solver: str, gravity: Any, terms: Terms) -> Machine:
    if not system.tree.nv:
        raise StructureError(f"mechanism {m.name!r} has no velocities; nothing in it can move")
    refuse_massless(system)
    key, given = ("hamilton", gravity_key(gravity), *terms.key), led(system)
    inner = cache(partial(_inner_programs, system, given, SOLVERS[solver]))

    def part_of_inner(part: str) -> Program:
        return inner()[part]

    every = _programs(system, given, terms)
    made = {part: compiled(m, (*key, part), make) for part, make in every.items()}
    for part in INNER:
        made[part] = compiled(m, (*key, solver, part), partial(part_of_inner, part))
    return Machine(m, (*key, solver), SOLVERS[solver], system.tree, given, made, terms)


def _inner_programs(system: System, given: Led, iteration: Iteration) -> dict[str, Program]:
    """held(q), and start and step of the iteration with held in the place of q."""
    tree, nq, nv = system.lean, system.tree.nq, system.tree.nv

    def product(q: Array) -> Callable[[Array], Array]:
        return lambda z: given.freed(hamilton.momenta(tree, q, z))

    def begin(q: Array, z: Array, p: Array) -> Array:
        return iteration.start(product(q), z, given.freed(p))

    programs = [
        trace(begin, {"q": nq, "z": nv, "p": nv}),
        trace(lambda q, x: iteration.step(product(q), x), {"q": nq, "x": iteration.size(nv)}),
    ]
    once, (start, step) = hoisted(programs, "q")
    return dict(zip(INNER, (once, start, step), strict=True))


def _programs(system: System, given: Led, terms: Terms) -> dict[str, Callable[[], Program]]:
    """The programs that no solver changes."""
    tree, g, nq, nv = system.lean, system.gravity, system.tree.nq, system.tree.nv

    def rates(q: Array, z: Array, tau: Array, t: Array) -> tuple[Array, Array]:
        def acting(q_all: Array, v_all: Array) -> Loads:
            return loads_at(system.tree, q_all, v_all, t[0])

        q_rate = coordinate_rates(tree, q, z)
        p_rate = hamilton.force_and_slope(replace(system, loads=acting), q, z, tau)
        return q_rate, p_rate + terms.slope(q, z, t[0])

    def slope(q: Array, z: Array, t: Array) -> Array:
        return hamilton.lagrangian_slope(tree, q, z, g) + terms.slope(q, z, t[0])

    def potential(q: Array, t: Array) -> Array:
        return energy.potential_energy(system.tree, q, g) - terms.scalar(q, t[0])

    def shift(y: Array, t: Array) -> Array:
        return np.concatenate([y[:nq], y[nq:] - terms.linear(y[:nq], t[0])]) if terms else y

    state = {"q": nq, "z": nv}
    timed = {**state, "t": 1}
    return {
        "shift": lambda: trace(shift, {"y": nq + nv, "t": 1}),
        "gyroscopic": lambda: trace(lambda q, z, t: terms.force(q, z, t[0]), timed),
        "product": lambda: trace(lambda q, z: hamilton.momenta(tree, q, z), state),
        "lead": lambda: trace(lambda q, z, t: given.set(q, z, t[0]), timed),
        "rates": lambda: trace(rates, {**state, "tau": nv, "t": 1}),
        "slope": lambda: trace(slope, timed),
        "potential": lambda: trace(potential, {"q": nq, "t": 1}),
    }


@public
def semi_canonical_state(
    m: Mechanism,
    q: Any,
    *,
    v: Any = None,
    p: Any = None,
    tau: Any = None,
    t: float = 0.0,
    start: Any = None,
    solver: str | VelocitySolver = "conjugate",
    gravity: Any = None,
    a: Mapping[str, Any] | None = None,
    L0: Any = None,
) -> SemiCanonicalState:
    """Momenta, velocities, their rates and the energies at (q, v), or at (q, p).

    With p the velocities are found as the maximum of p'z - L(q, z), from `start` (zero by default),
    by `solver` "conjugate", "minimal-residual" or a `VelocitySolver`. Of coordinates that are
    driven, p does not count: their velocities are those of the drives at the time `t`, and p_rate
    has what the drives do.
    `a` and `L0` add  a(q)'v + L_0(q)  to the Lagrangian: expressions of coordinates and t, of
    `a` one for each velocity that is named.
    """
    if (v is None) == (p is None):
        raise StructureError("give either the velocities v or the momenta p")
    asked = solver_of(solver)
    made = machine(m, asked.name, gravity, (a, L0))
    nv, now = made.tree.nv, np.array([float(t)])
    place, forces = (state(made.tree, n, x, many=False) for n, x in (("q", q), ("tau", tau)))
    if p is None:
        z, count = state(made.tree, "v", v, many=False), 0.0
    else:
        momentum = vector("p", p, nv)
        near = vector("start", np.zeros(nv) if start is None else start, nv)
        near = made["lead"](place, near, now)[1]
        stop, y = made.stop(asked, TOLERANCE), made.shifted(np.concatenate([place, momentum]), now)
        z, (_, count, _, status) = made.inner(y, near, np.zeros(4), np.array(stop, dtype=float))
        if status > GOING:
            raise not_converged(stop)
    q_rate, p_rate = made["rates"](place, z, forces, now)
    kinetic = made["product"](place, z)
    if p is None or made.led:
        momentum = made.momenta(place, z, now)
    if made.led:
        p_rate = p_rate + _driving(made, (place, z, now), forces, gravity)
    return SemiCanonicalState(
        place,
        z,
        momentum,
        q_rate,
        made["slope"](place, z, now),
        p_rate,
        0.5 * float(kinetic @ z),
        float(made["potential"](place, now)),
        int(count),
    )


def _driving(made: Machine, at: tuple[Array, Array, Array], forces: Array, gravity: Any) -> Array:
    """What drives do besides given forces, at (q, z, t)."""
    (q, z, t), acting = at, {"t": float(at[2][0]), "gravity": gravity}
    pushed = forces + made["gyroscopic"](q, z, t)
    a = forward_dynamics(made.m, q, z, pushed, **acting)
    return np.asarray(inverse_dynamics(made.m, q, z, a, **acting) - pushed)

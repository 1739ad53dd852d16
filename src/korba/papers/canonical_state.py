"""The semi-canonical form at one state: momenta, velocities from them, and the rates of both.

The programs behind it are kept with the mechanism: A z cut at q (codegen/hoist.py), so that an
iteration of the inner problem repeats only what depends on the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, trace
from ..codegen.hoist import hoisted
from ..display import Displayed
from ..dynamics import energy, hamilton
from ..dynamics.quadratic_program import CONJUGATE, SOLVERS, Inner, Iteration, Stop, iterated
from ..errors import StructureError
from ..forces.loads import loads_at
from ..kinematics.rates import coordinate_rates
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import Loads, System
from ..verbs.options import gravity_key
from ..verbs.states import vector
from ..verbs.store import compiled, kept
from ..verbs.systems import refuse_massless, tree_system


@dataclass(frozen=True, eq=False)
class SemiCanonicalState(Displayed):
    """What holds at (q, p), or at (q, v)."""

    q: Array
    v: Array
    """Velocities: the z that maximises p'z - L(q, z)."""
    p: Array
    """Generalised momenta A(q) v."""
    q_rate: Array
    slope: Array
    """dL/dq, L = T - V of gravity; along the freedoms of joints whose v is not qdot."""
    p_rate: Array
    """dL/dq + Q, with tau, damping and loads in Q."""
    kinetic: float
    potential: float
    iterations: int
    """Of the inner problem; 0 when the velocities were given."""

    @property
    def hamiltonian(self) -> float:
        """H = T + V."""
        return self.kinetic + self.potential


@dataclass(frozen=True, eq=False)
class Machine:
    """The compiled programs of a mechanism in semi-canonical form, and one of the two solvers."""

    m: Mechanism
    key: tuple[Hashable, ...]
    """What tells these programs from others of the mechanism."""
    solver: Iteration
    nq: int
    nv: int
    quaternions: tuple[int, ...]
    """Places in q of the first elements of quaternions, which are kept at unit length."""
    once: Compiled
    """held(q)."""
    start: Compiled
    """x(held, z, p)."""
    step: Compiled
    """x(held, x)."""
    product: Compiled
    """A z of (q, z)."""
    rates: Compiled
    """qdot and pdot of (q, z, tau, t)."""
    slope: Compiled
    """dL/dq of (q, z)."""
    potential: Compiled
    """V(q)."""

    def velocities(self, q: Array, p: Array, z: Array, stop: Stop) -> Inner:
        """The inner problem A(q) z = p, from the start z."""
        held = self.once(q)
        return iterated(self.start(held, z, p), lambda x: self.step(held, x), stop, self.nv)

    def stop(self, tolerance: float, limit: int | None = None, residual: bool = False) -> Stop:
        """When the iterations end; `residual` lets |A z - p| decide from the first one on."""
        if not tolerance > 0:
            raise StructureError(f"tolerance: expected a number above 0, got {tolerance!r}")
        most = 1000 + 100 * self.nv if limit is None else limit
        after = self.nv if self.solver is CONJUGATE else most + 1
        return Stop(tolerance, most, 0 if residual else after)


def machine(m: Mechanism, solver: str = "conjugate", gravity: Any = None) -> Machine:
    """The programs of a mechanism, traced and compiled at their first use."""
    if solver not in SOLVERS:
        raise StructureError(f"solver: expected one of {', '.join(SOLVERS)}, got {solver!r}")
    key = ("semi-canonical", solver, gravity_key(gravity))
    return kept(m, key, lambda: _made(m, solver, gravity))


def _made(m: Mechanism, solver: str, gravity: Any) -> Machine:
    system = tree_system(m, gravity)
    tree = system.tree
    if not tree.nv:
        raise StructureError(f"mechanism {m.name!r} has no velocities; nothing in it can move")
    refuse_massless(system)
    key = ("hamilton", gravity_key(gravity))
    inner: dict[str, Program] = {}

    def part_of_inner(part: str) -> Program:
        if not inner:
            inner.update(_inner_programs(system, SOLVERS[solver]))
        return inner[part]

    made = {part: compiled(m, (*key, part), make) for part, make in _programs(system).items()}
    for part in ("once", "start", "step"):
        made[part] = compiled(m, (*key, solver, part), partial(part_of_inner, part))
    quaternions = tuple(places[0] for places in tree.quaternions)
    return Machine(m, (*key, solver), SOLVERS[solver], tree.nq, tree.nv, quaternions, **made)


def _inner_programs(system: System, iteration: Iteration) -> dict[str, Program]:
    """held(q), and start and step of the iteration with held in the place of q."""
    tree, nq, nv = system.lean, system.tree.nq, system.tree.nv

    def product(q: Array) -> Callable[[Array], Array]:
        return lambda z: hamilton.momenta(tree, q, z)

    programs = [
        trace(lambda q, z, p: iteration.start(product(q), z, p), {"q": nq, "z": nv, "p": nv}),
        trace(lambda q, x: iteration.step(product(q), x), {"q": nq, "x": iteration.size(nv)}),
    ]
    once, (start, step) = hoisted(programs, "q")
    return {"once": once, "start": start, "step": step}


def _programs(system: System) -> dict[str, Callable[[], Program]]:
    """The programs that no solver changes."""
    tree, g, nq, nv = system.lean, system.gravity, system.tree.nq, system.tree.nv

    def rates(q: Array, z: Array, tau: Array, t: Array) -> tuple[Array, Array]:
        def acting(q_all: Array, v_all: Array) -> Loads:
            return loads_at(system.tree, q_all, v_all, t[0])

        q_rate = coordinate_rates(tree, q, z)
        return q_rate, hamilton.force_and_slope(replace(system, loads=acting), q, z, tau)

    state = {"q": nq, "z": nv}
    return {
        "product": lambda: trace(lambda q, z: hamilton.momenta(tree, q, z), state),
        "rates": lambda: trace(rates, {**state, "tau": nv, "t": 1}),
        "slope": lambda: trace(lambda q, z: hamilton.lagrangian_slope(tree, q, z, g), state),
        "potential": lambda: trace(lambda q: energy.potential_energy(system.tree, q, g), {"q": nq}),
    }


def semi_canonical_state(
    m: Mechanism,
    q: Any,
    *,
    v: Any = None,
    p: Any = None,
    tau: Any = None,
    t: float = 0.0,
    start: Any = None,
    solver: str = "conjugate",
    tolerance: float = 1e-12,
    limit: int | None = None,
    gravity: Any = None,
) -> SemiCanonicalState:
    """Momenta, velocities, their rates and the energies at (q, v), or at (q, p).

    With p the velocities are found as the maximum of p'z - L(q, z), from `start` (zero by default),
    by `solver` "conjugate" or "minimal-residual", until a step is below the tolerance; more than
    `limit` iterations are an error.
    """
    if (v is None) == (p is None):
        raise StructureError("give either the velocities v or the momenta p")
    made = machine(m, solver, gravity)
    place = vector("q", q, made.nq)
    if p is None:
        found = Inner(vector("v", v, made.nv), 0)
        momentum = made.product(place, found.z)
    else:
        momentum = vector("p", p, made.nv)
        near = np.zeros(made.nv) if start is None else vector("start", start, made.nv)
        found = made.velocities(place, momentum, near, made.stop(tolerance, limit))
    forces = np.zeros(made.nv) if tau is None else vector("tau", tau, made.nv)
    q_rate, p_rate = made.rates(place, found.z, forces, np.array([float(t)]))
    return SemiCanonicalState(
        place,
        found.z,
        momentum,
        q_rate,
        made.slope(place, found.z),
        p_rate,
        0.5 * float(momentum @ found.z),
        float(made.potential(place)),
        found.iterations,
    )

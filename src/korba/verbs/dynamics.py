"""The verbs of dynamics: forces, accelerations, mass matrix, energies and momentum of trees.

Arrays carry batch axes in front: `q` has shape (..., nq), `v`, `a` and `tau` have (..., nv). Every
verb is answered by one or more formulations (dynamics/catalogue.py): the one that is named, or the
one with least work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from ..codegen.repetition import Repetition
from ..display import as_data, described
from ..door import public
from ..dynamics.catalogue import CATALOGUE
from ..dynamics.energy import momentum as total_momentum
from ..dynamics.formulation import ACCELERATIONS, Formulation
from ..dynamics.indefinite import impossible, negative_motion
from ..dynamics.massless import idle_velocities
from ..dynamics.multipliers import (
    reduced_bias_forces,
    reduced_forward_dynamics,
    reduced_mass_matrix,
)
from ..errors import StructureError, refuse_unknown
from ..forces.loads import without_direction
from ..kinematics.couplings import all_coordinates, velocity_map
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System, any_system, no_loads
from ..system.tree import Tree
from .loops import (
    refuse_broken,
    refuse_undetermined,
    refuse_undriven,
    refuse_ungoverned,
    repeats_over_joints,
)
from .options import Options, names_of
from .slopes import acceleration_slopes, force_slopes
from .systems import EXTERNAL, MANY, indefinite, pushed, refuse_massless, under
from .verb import Given, Slopes, Verb, verb

P = ParamSpec("P")
R = TypeVar("R")

SUSPECT = 1e6
"""Accelerations above which it is looked whether the mass matrix is singular."""


class Energy(NamedTuple):
    """Kinetic energy, and potential energy of gravity (zero at the world's origin)."""

    kinetic: Array
    potential: Array

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)

    def __repr__(self) -> str:
        return described(self)


def formulated(
    slopes: Slopes = lambda *_: None, **how: Any
) -> Callable[[Callable[Concatenate[System, P], R]], Verb[P, R]]:
    """The verb of the formula below it, with an option `formulation`.

    A formulation given by name is differentiated as it is written, without a name by `slopes`.
    """

    def made(formula: Callable[Concatenate[System, P], R]) -> Verb[P, R]:
        name = formula.__name__

        def check(_: Mechanism, given: Any, __: Mapping[str, Any]) -> Hashable:
            return None if given is None else chosen(name, given).name

        def ways(system: System, options: Options) -> list[Options]:
            tried = worth_trying(name, system, options["formulation"])
            return [{**options, "formulation": f.name} for f in tried]

        def repetition(
            system: System, options: Options, sizes: Mapping[str, int]
        ) -> Repetition | None:
            few = len(system.tree.links) < MANY or options.get("coordinates") is not None
            if few or system.parameters or options.get("external"):
                return None
            if _bound(name, system):
                return _repeated_with_loops(name, system, options, sizes)
            from .repetition.dynamics import repeated

            tried = _wanted(name, options["formulation"])
            tree = system.tree
            able = [
                f for f in tried if name in f.sweeps and f.repeats(tree) and not f.refusal(tree)
            ]
            s = under(system, options.get("gravity"), damping=options.get("damping", True))
            return repeated(name, able[0], s, sizes) if able else None

        def short(system: System, options: Options, *more: Any) -> Any:
            asked = options["formulation"], options.get("coordinates")
            plain = asked == (None, None) and not (_bound(name, system) or options.get("external"))
            return slopes(system, options, *more) if plain else None

        own: dict[str, Any] = {"ways": ways, "repetition": repetition, "slopes": short}
        checks = {"formulation": check, "coordinates": _coordinates}
        return Verb(formula, closed=True, checks=checks, **own, **how)

    return made


def _bound(verb_name: str, system: System) -> bool:
    """Whether rows bind what is asked: those of loops, and of drives where they count."""
    return system.constrained if verb_name == ACCELERATIONS else bool(system.ties)


def _repeated_with_loops(
    name: str, system: System, options: Options, sizes: Mapping[str, int]
) -> Repetition | None:
    """Accelerations of many bodies with loops, in absolute coordinates, where that is possible."""
    if name != ACCELERATIONS or options["formulation"] not in {None, "absolute"}:
        return None
    if not repeats_over_joints(system):
        return None
    from .repetition.bodies import repeated_accelerations

    s = under(system, options["gravity"], damping=options["damping"])
    return repeated_accelerations(s, sizes)


def formula_of(verb_name: str, formulation: str | None) -> Callable[..., Any]:
    """The function of a formulation that answers a verb; without a name an everyday one's."""
    return _wanted(verb_name, formulation)[0].verbs[verb_name]


def worth_trying(verb_name: str, system: System, formulation: Any) -> Sequence[Formulation]:
    """The formulation of that name, or those among which the one with least work is."""
    wanted = _wanted(verb_name, formulation, closed=_bound(verb_name, system))
    refusals = {f.name: f.refusal(system.tree, verb_name) for f in wanted}
    usable = [f for f in wanted if refusals[f.name] is None]
    if not usable:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in refusals.items())
        raise StructureError(f"mechanism {system.tree.m.name!r}: {reasons}")
    return [f for f in usable if f.pays(system.tree)] or usable


def chosen(verb_name: str, name: str) -> Formulation:
    """The formulation of that name, where it answers the verb."""
    known = [f.name for f in CATALOGUE.values() if verb_name in f.verbs]
    if name not in known:
        raise StructureError(
            f"{verb_name} has no formulation {name!r}; there are {', '.join(known)}"
        )
    return CATALOGUE[name]


def _wanted(verb_name: str, formulation: Any, *, closed: bool = False) -> list[Formulation]:
    """The formulation of that name; without one those that are tried when the user names none."""
    if formulation is not None:
        return [chosen(verb_name, formulation)]
    everyday = [f for f in CATALOGUE.values() if f.everyday and verb_name in f.verbs]
    return [f for f in everyday if f.closed == closed]


def _coordinates(m: Mechanism, given: Any, options: Mapping[str, Any]) -> Hashable:
    """Names of coordinates that stand for all others; equations in them are minimal ones."""
    if given is None:
        return None
    if options.get("formulation") not in (None, "minimal"):
        raise StructureError(
            f"coordinates: equations in coordinates by name are those of formulation 'minimal'; "
            f"formulation {options['formulation']!r} is in others, so give one or the other"
        )
    names = (given,) if isinstance(given, str) else names_of("coordinates", given)
    tree = any_system(m).tree
    known = [name for name, place in tree.rates.items() if place in tree.free_v]
    for name in names:
        refuse_unknown("", name, known, "coordinates")
    return tuple(names)


def _fitting(m: Mechanism, tau: Array, given: Given) -> Array:
    """Efforts, if the motion is one that the loops allow."""
    if _has_loops(m):
        refuse_broken("inverse_dynamics", m, given)
    return tau


def _has_loops(m: Mechanism) -> bool:
    return bool(any_system(m).ties)


@formulated(
    slopes=force_slopes,
    refuse=refuse_undriven,
    unpack=_fitting,
    unpacks=_has_loops,
    named=EXTERNAL,
)
def inverse_dynamics(
    system: System,
    q: Any,
    v: Any,
    a: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
    damping: bool = True,
    formulation: str | None = None,
) -> Array:
    """Forces tau of the joints that give the accelerations a:  tau = M(q) a + h(q, v).

    `damping=False` leaves the viscous damping of the joints out of h; so do the verbs below.
    `external` gives wrenches on bodies besides the loads, as in `kb.reactions`. Of a
    mechanism with loops q, v and a are of all joints, and tau are the efforts of its drives, zero
    in all other joints; drives are needed for all its freedoms.
    """
    formula = formula_of("inverse_dynamics", formulation)
    return formula(pushed(under(system, gravity, t, damping=damping), external), q, v, a)


def _determined(m: Mechanism, a: Array, given: Given) -> Array:
    """Accelerations, if the mass matrix where they are very large is not singular to rounding."""
    if any_system(m).constrained:
        if any_system(m).ties:
            refuse_broken(ACCELERATIONS, m, given)
        refuse_ungoverned(ACCELERATIONS, m, given)
        refuse_undetermined(m, a)
        return a
    if np.vdot(a, a) < SUSPECT**2:
        return a
    large = ~(np.abs(a).max(axis=-1, initial=0.0) < SUSPECT)
    q = np.asarray(given.arrays[0], dtype=float)
    q = np.broadcast_to(q, (*large.shape, q.shape[-1]))
    sizes = {name: np.broadcast_to(x, large.shape) for name, x in given.design.items()}
    for place in np.argwhere(large):
        design = {name: x[tuple(place)] for name, x in sizes.items()}
        M = mass_matrix(m, q[tuple(place)], parameters=design)
        if names := idle_velocities(any_system(m).tree, M):
            at = f" of state {place.tolist()}" if place.size else ""
            system = any_system(m)
            if impossible(system) and (motion := negative_motion(system, q[tuple(place)])):
                raise indefinite(system, motion, f" at the coordinates{at}")
            raise StructureError(
                f"forward_dynamics: mechanism {m.name!r} is singular at the coordinates{at}: "
                f"{', '.join(names)} move without moving any mass there, so that their "
                "accelerations are not determined; take another position, or give mass"
            )
        if not np.all(np.isfinite(a[tuple(place)])):
            raise StructureError(
                f"forward_dynamics: accelerations of mechanism {m.name!r} are beyond all numbers; "
                "are its velocities and forces meant so large?"
                + without_direction(m, any_system(m).tree, q[tuple(place)])
            )
    return a


def _governed(name: str) -> Callable[[Mechanism, Array, Given], Array]:
    """The result, if the coordinates that it is in govern the mechanism there."""

    def unpack(m: Mechanism, result: Array, given: Given) -> Array:
        refuse_ungoverned(name, m, given)
        return result

    return unpack


@formulated(
    slopes=acceleration_slopes,
    refuse=refuse_massless,
    unpack=_determined,
    needs_time=lambda system: bool(system.drives),
    named=EXTERNAL,
)
def forward_dynamics(
    system: System,
    q: Any,
    v: Any,
    tau: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
    damping: bool = True,
    coordinates: Sequence[str] | str | None = None,
    formulation: str | None = None,
) -> Array:
    """Accelerations that the joint forces tau give:  M(q) a = tau - h(q, v).

    Without a formulation by name: "composite-body" (M, then L'DL along the tree) or
    "articulated-body", whichever takes fewer operations for this mechanism. With loops (q, v, a
    and tau are of all joints) or drives J a = f'' - J' v holds besides, with the motions f(t) of
    drives: by "multipliers" in the coordinates of all joints, "absolute" of all bodies, or
    "minimal", as many as there are freedoms and changed as it goes. `coordinates` names as many
    that stand for all others, which is "minimal" too, and only their accelerations are found,
    (..., freedoms). Without its drives a mechanism is `dataclasses.replace(m, drives=())`.
    `external` gives wrenches that act on bodies besides the mechanism's own loads: for a body's
    name an array (..., 6), moment about the world's origin and force, in world axes.

    >>> free = dataclasses.replace(m, drives=())
    >>> q, v, tau = kb.assemble(free, {"A": "60 deg"}).q, np.zeros(4), np.zeros(4)
    >>> kb.forward_dynamics(free, q, v, tau, coordinates="A").round(6)
    array([-132.661424])
    """
    s = pushed(under(system, gravity, t, damping=damping), external)
    if coordinates is not None:
        return reduced_forward_dynamics(s, q, v, tau, names_of("coordinates", coordinates))
    return formula_of("forward_dynamics", formulation)(s, q, v, tau)


@formulated(unpack=_governed("bias_forces"), named=EXTERNAL)
def bias_forces(
    system: System,
    q: Any,
    v: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
    damping: bool = True,
    coordinates: Sequence[str] | str | None = None,
    formulation: str | None = None,
) -> Array:
    """h(q, v): gravity, velocity terms, damping and loads; the forces at zero acceleration.

    With loops it is that of the opened tree, for all joints; `coordinates` asks for it in as many
    coordinates as there are freedoms, (..., freedoms), as it acts with the loops closed.
    """
    s = pushed(under(system, gravity, t, damping=damping), external)
    if coordinates is not None:
        return reduced_bias_forces(s, q, v, names_of("coordinates", coordinates))
    return formula_of("bias_forces", formulation)(s, q, v)


@verb()
def gravity_forces(system: System, q: Any, *, gravity: Any = None) -> Array:
    """g(q): forces of the joints that hold the mechanism at rest against gravity alone.

        g(q) = h(q, 0)   without springs, motors and other loads

    >>> kb.gravity_forces(arm, {"shoulder": "30 deg"}).round(6)
    array([0.      , 1.794719, 0.382307])
    """
    s = replace(under(system, gravity), loads=no_loads)
    return formula_of("bias_forces", None)(s, q, np.zeros(system.tree.nv))


@formulated(unpack=_governed("mass_matrix"))
def mass_matrix(
    system: System,
    q: Any,
    *,
    coordinates: Sequence[str] | str | None = None,
    formulation: str | None = None,
) -> Array:
    """Joint-space inertia matrix M(q), shape (..., nv, nv).

    With loops it is that of the opened tree, with zeros for the joints that close it. `coordinates`
    asks for it in as many coordinates as there are freedoms: what is moved with loops closed.

    >>> kb.mass_matrix(m, kb.assemble(m, {"A": "60 deg"}).q, coordinates=("A",)).round(9)
    array([[0.0002329]])
    """
    if coordinates is not None:
        return reduced_mass_matrix(system, q, names_of("coordinates", coordinates))
    return formula_of("mass_matrix", formulation)(system, q)


@formulated(unpack=lambda _, result, __: Energy(*result))
def energy(
    system: System, q: Any, v: Any, *, gravity: Any = None, formulation: str | None = None
) -> Energy:
    """Kinetic and potential energy."""
    return Energy(*formula_of("energy", formulation)(under(system, gravity), q, v))


@verb(closed=True)
def momentum(system: System, q: Any, v: Any) -> Array:
    """Angular momentum about the world's origin and linear momentum, shape (..., 6)."""
    return total_momentum(system, q, v)


@verb(named={"forces": 1})
def generalised_forces(system: System, q: Any, forces: Mapping[str, Any]) -> Array:
    """The generalised forces, shape (..., nv), of forces and torques in joints by name.

        tau = F_q' tau_all,    p = F(q)

    A motor's torque does work on the angle of its rotor against the body that carries it; that
    angle is a lead-in coordinate p, so what it gives in the independent coordinates is its column
    of F_q'. Source: Maryniak & Malecki (3.63)-(3.66).

    Any joint may be named, also one that a coupling moves and the shaft of a rotor; numbers or
    arrays over the batch axes of q:

    >>> kb.generalised_forces(arm, [0, 0, 0], {"elbow": 0.36})
    array([0.  , 0.  , 0.36])
    """
    G = velocity_map(system.tree, all_coordinates(system.tree, q))
    places = [_place(system.tree, name) for name in forces]
    return G[places].T @ np.array([*forces.values()]) if places else np.zeros(system.tree.nv)


def _place(tree: Tree, name: str) -> int:
    if name in tree.rates:
        return tree.rates[name]
    if name in tree.velocities:
        return tree.velocities.index(name)
    known = ", ".join(tree.velocities)
    raise StructureError(
        f"forces: mechanism {tree.m.name!r} has no joint {name!r} to act in; there are {known}"
    )


VERBS = (inverse_dynamics, bias_forces, mass_matrix, forward_dynamics, energy, momentum)


@public
def formulations() -> dict[str, tuple[str, ...]]:
    """The formulations of every verb of dynamics."""
    names = [verb.name for verb in VERBS]
    return {name: tuple(f.name for f in CATALOGUE.values() if name in f.verbs) for name in names}

"""The system that a verb's formula is given: any mechanism, a tree, and under which loads.

Freedoms that move no mass leave accelerations undetermined. The mass matrix at a state where
nothing is special, scaled to a diagonal of ones, has a zero eigenvalue exactly where some motion v
has no kinetic energy, v'M v = 0; its vector names the joints. A joint without inertia behind it has
a zero on the diagonal itself. All links count as one heavy (dynamics/massless.py), unless some are
less than nothing: then the matrix may be indefinite, which is another fault
(dynamics/indefinite.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..dynamics.composite_body import mass_matrix
from ..dynamics.indefinite import NegativeMotion, impossible, negative_moment, negative_motion
from ..dynamics.massless import NOTHING, even, idle_velocities, is_light
from ..errors import StructureError
from ..forces.loads import loads_at
from ..kinematics.forward import world_poses
from ..model.given import as_drawn
from ..model.mechanism import Mechanism
from ..positions.allowed import allowed
from ..positions.loops import loops_of
from ..spatial.rotation import Array, cross
from ..system.system import Loads, System, any_system, gravity_vector
from .states import drawn_coordinates, random_states

EXTERNAL = {"external": 6}
"""Wrenches on bodies by name, an input of verbs."""
MANY = 64
"""Links from which on steps are repeated: straight-line code is little faster, and ready later."""
LARGEST = 64
"""Freedoms up to which the whole matrix is looked at; the time goes with their square."""


def gravity_system(m: Mechanism, gravity: Any, parameters: tuple[str, ...] = ()) -> System:
    """The system of a mechanism, in its own gravity or another."""
    system = any_system(m, parameters)
    return system if gravity is None else replace(system, gravity=gravity_vector(gravity))


def tree_system(m: Mechanism, gravity: Any = None, parameters: tuple[str, ...] = ()) -> System:
    """The system of a mechanism without loops, in its own gravity or another."""
    system = gravity_system(m, gravity, parameters)
    if system.tree.closing:
        names = ", ".join(joint.name for joint in system.tree.closing)
        raise StructureError(
            f"mechanism {m.name!r} has loops (closed by joints {names}); this is for trees, "
            "mechanisms without loops"
        )
    return system


def under(system: System, gravity: Any = None, t: Any = 0.0, *, damping: Any = True) -> System:
    """The system in its own gravity or another, with its loads as they act at a time.

    Without `damping` the viscous damping of the joints is left out.
    """
    if not damping:
        system = undamped(system)

    def acting(q_all: Array, v_all: Array) -> Loads:
        return loads_at(system.tree, q_all, v_all, t)

    g = system.gravity if gravity is None else np.array(gravity)
    return replace(system, gravity=g, loads=acting, t=t)


def loads_with(s: System, q_all: Array, v_all: Array, external: Mapping[str, Any]) -> Loads:
    """The loads of a mechanism, and wrenches about the world's origin that act besides."""
    loads = s.loads(q_all, v_all)
    if not external:
        return loads
    X_WL, wrenches = world_poses(s.tree, q_all), dict(loads.wrenches)
    for body, wrench in external.items():
        i = s.tree.number(s.m.body(body).name)
        n, f = wrenches.get(i, (np.zeros(3), np.zeros(3)))
        moment = wrench[:3] - cross(X_WL[i].p, wrench[3:])
        wrenches[i] = n + X_WL[i].R.T @ moment, f + X_WL[i].R.T @ wrench[3:]
    return replace(loads, wrenches=wrenches)


def pushed(system: System, external: Mapping[str, Any] | None) -> System:
    """The system with wrenches on its bodies besides its own loads."""
    if not external:
        return system
    return replace(system, loads=lambda q, v: loads_with(system, q, v, external))


def undamped(system: System) -> System:
    """The system without viscous damping of its joints; its loads stay."""
    links = tuple(replace(link, damping=0.0) for link in system.tree.links)
    closing = tuple(as_drawn(joint, damping=0.0) for joint in system.tree.closing)
    return replace(system, tree=replace(system.tree, links=links, closing=closing))


def refuse_massless(system: System) -> None:
    """An error that names the joints whose accelerations the masses do not determine.

    A mass matrix that is indefinite is refused first.
    """
    refuse_indefinite(system)
    names = unmoved(system) if system.constrained else massless_freedoms(system)
    if names:
        raise StructureError(
            f"mechanism {system.tree.m.name!r}: joints {', '.join(names)} can move without moving "
            "any mass, so no force determines their accelerations; give the bodies that they move "
            "mass or inertia, or fix or couple the joints"
        )


def refuse_indefinite(system: System) -> None:
    """An error that names a motion with negative kinetic energy, and the bodies that make it so."""
    if not system.tree.nv or system.tree.nv > LARGEST or not impossible(system):
        return
    if system.constrained:
        q = drawn_coordinates(system.tree)
        found = negative_motion(system, q, allowed(loops_of(system), q).N)
    else:
        found = negative_motion(system, random_states(system.tree, 1, seed=3)["q"][0])
    if found is not None:
        raise indefinite(system, found)


def indefinite(system: System, motion: NegativeMotion, where: str = "") -> StructureError:
    """The error of a mass matrix that is indefinite."""
    planar, links = system.m.plane is not None, {link.name: link for link in system.tree.links}
    parts = []
    for name in motion.bodies[:3]:
        link = links[name]
        moment = negative_moment(link, planar)
        own = [f"{link.mass:.4g} kg"] * (link.mass < 0) + [f"{moment:.4g} kg m^2"] * (moment < 0)
        parts.append(f"{name!r} ({', '.join(own)})" if own else repr(name))
    return StructureError(
        f"mechanism {system.tree.m.name!r}: its mass matrix is indefinite{where}: moving "
        f"{', '.join(motion.velocities[:6])} has a negative kinetic energy, because of what is "
        f"given for {', '.join(parts)}, which no real body has; give the mass and inertia of what "
        "is left where a rotor or another part was taken off, and keep nothing as_given"
    )


def massless_freedoms(system: System) -> tuple[str, ...]:
    """Velocities with which the mechanism can move at no kinetic energy."""
    tree = system.tree
    if not tree.nv or tree.nv > LARGEST:
        return ()
    q = random_states(tree, 1, seed=3)["q"][0]
    return idle_velocities(tree, np.asarray(mass_matrix(_weighed(system), q), dtype=float))


def _weighed(system: System) -> System:
    """The system with links of one mass each, where all of them are possible."""
    return system if impossible(system) else even(system)


def unmoved(system: System) -> tuple[str, ...]:
    """Velocities with which a mechanism with loops or drives can move at no kinetic energy.

    It is looked at as it is drawn.

    With N of the velocities that loops and drives allow, N'M N has an eigenvalue 0; lengths count
    in typical lengths, in M and in N.
    """
    tree = system.tree
    if not any(is_light(link, system.m.plane is not None) for link in tree.links):
        return ()
    q, loops = drawn_coordinates(tree), loops_of(system)
    N = allowed(loops, q).N
    M = N.T @ np.asarray(mass_matrix(_weighed(system), q), dtype=float) @ N / loops.scale**2
    values, vectors = np.linalg.eigh(M)
    idle = N @ vectors[:, values < NOTHING * max(1.0, values.max(initial=0.0))]
    moving = np.any(np.abs(idle) > 1e-3 * loops.units[:, None], axis=1)
    return tuple(tree.velocities[i] for i, move in zip(tree.free_v, moving, strict=True) if move)

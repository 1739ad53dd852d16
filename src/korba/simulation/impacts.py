"""What the events of a run change, worked out from the rows that it has written down.

The state before an event gives the velocities after it and the impulses of the stops, by the same
formulas as in the run. What goes through the joints then follows as forces do from accelerations:
v+ - v- takes the place of a, impulses that of loads, and nothing else acts in no time,

    M (v+ - v-) = W' p + J' Lambda                                                             (1)

The impulse of a joint's stop, and what an event itself does to a joint's velocity, are part of
what goes through that joint, as drives, springs and loads in joints are in `kb.reactions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..codegen import Program, evaluate_program
from ..dynamics.kinetostatics import GivenMotion, equations
from ..dynamics.load_distribution import motion_names
from ..dynamics.multiplier_forces import by_multipliers
from ..expr import Expr
from ..kinematics.couplings import all_motion
from ..kinematics.forward import world_poses
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, cross
from ..system.store import kept
from ..system.system import Loads, System, body_to_link, no_loads
from ..system.tree import Tree
from ..trajectory.impacts import Impacts
from ..verbs.forces.joint_frames import told
from . import right_hand_side
from .contact import Reach, Touch
from .event_programs import After, after_events
from .holds import Stop, row_of
from .right_hand_side import Plant, traced


def impacts(plant: Plant, formulation: str | None, rows: Sequence[Array], after: Array) -> Impacts:
    """Of events with their states (y, t, tau) before, and flags of what happened.

    `after` has velocities that are known already, nan where they are not.
    """
    key = plant.key("impacts", formulation)
    program = kept(plant.m, (*key, plant.sizes), partial(_program, plant, formulation))
    y, t, tau, fired = rows
    v, p, joints, efforts = evaluate_program(
        program, y, t, tau, np.zeros((len(y), 0)), fired, check_finite=False
    )
    names = [joint.name for joint in plant.tree.m.joints]
    drives = motion_names(plant.tree.m)
    return Impacts(
        np.where(np.isnan(after), v, after),
        {stop.name: p[:, k] for k, stop in enumerate(_stops(plant))},
        {name: joints[:, k] for k, name in enumerate(names)},
        {name: efforts[:, k] for k, name in enumerate(drives)},
    )


def _stops(plant: Plant) -> list[Stop]:
    return [hold for hold in plant.holds if isinstance(hold, Stop)]


def _program(plant: Plant, formulation: str | None) -> Program:
    """(y, t, tau, base, fired) -> v+, impulses of stops, wrenches of joints, efforts of drives."""
    shape = right_hand_side.shape(plant)
    formula = right_hand_side.acceleration_formula(plant, formulation)

    def written(y: Array, t: Array, tau: Array, base: Array, fired: Array) -> tuple[Array, ...]:
        del base
        q, v, _ = shape.parts(y)
        after = after_events(plant, formula, (y, t, tau), list(fired))
        joints, efforts = _through_joints(plant, (q, v), t[0], after)
        return after.parts["v"], after.impulses, joints, efforts

    sizes = right_hand_side.inputs(plant, shape.size) | {"fired": len(plant.events)}
    return traced(plant, written, sizes)


def _through_joints(
    plant: Plant, state: tuple[Array, Array], t: Any, after: After
) -> tuple[Array, Array]:
    """(1): force, moment and point of every joint, and efforts of the drives."""
    (q, v), tree = state, plant.tree
    x = all_motion(tree, q, 0.0 * v, after.parts["v"] - v)
    loads = _loads(tree, (q, x.q, v), _stops(plant), after)
    system: System = replace(plant.system, gravity=np.zeros(3), loads=no_loads, t=t)
    bodies = equations(system, x, loads, t)
    unknowns = by_multipliers(GivenMotion(system, x, loads, t), bodies)
    own = told(bodies, unknowns, "child")
    return np.stack([own["force"], own["moment"], own["point"]], axis=1), own["efforts"]


def _loads(
    tree: Tree, state: tuple[Array, Array, Array], stops: Sequence[Stop], after: After
) -> Loads:
    """The impulses of stops and events as loads: in coordinates, or on bodies that touch."""
    q, q_all, v = state
    poses = world_poses(tree, q_all)
    wrenches: dict[int, tuple[Array, Array]] = {}
    pushed: Array = np.array(after.pushed, dtype=object)
    numbers = {link.name: i for i, link in enumerate(tree.links)}

    def frame(body: str) -> Pose:
        i = numbers.get(body, -1)
        return identity() if i < 0 else poses[i] @ body_to_link(tree, i)

    for stop, p in zip(stops, after.impulses, strict=True):
        met = stop.distance
        if isinstance(met, Expr):
            pushed = pushed + row_of(tree, stop, q, v).W * p
            continue
        for body, place, f in _at_ends(met, frame, p):
            i = numbers.get(body, -1)
            if i >= 0:
                R, arm = poses[i].R, place - poses[i].p
                n, own = wrenches.get(i, (np.zeros(3), np.zeros(3)))
                wrenches[i] = n + R.T @ cross(arm, f), own + R.T @ f
    tau = np.zeros(len(tree.velocities), dtype=object)
    tau[list(tree.free_v)] = pushed
    return Loads(tau, wrenches)


def _at_ends(
    met: Touch | Reach, frame: Callable[[str], Pose], p: Any
) -> Iterator[tuple[str, Array, Array]]:
    """Bodies that meet, where an impulse p acts on each, and the impulse, in the world."""
    if isinstance(met, Touch):
        place, base = frame(met.body).point(np.array(met.point)), frame(met.on)
        force = base.R @ np.array(met.normal) * p
        yield met.body, place, force
        yield met.on, place, -force
        return
    (one, two), places = zip(*met.ends, strict=True)
    a, b = (frame(body).point(np.array(at)) for body, at in zip((one, two), places, strict=True))
    force = (b - a) / np.sqrt((b - a) @ (b - a)) * p
    yield one, a, force
    yield two, b, -force

"""Contacts that push and cannot pull, such as cams: what presses them, and where they lift off.

Of rods the force along them, positive where they pull.

Teeth with a pressure angle push with the flank that its sign names; where that one would have to
pull the other bears, along another line, so that the forces told are not those of the wheels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...model.display_units import display_units
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ..verb import Given
from .joint_frames import directed_joints, joint_directions
from .results import PUSHING, ROD, LiftOff, Named, Reactions
from .stretches import Positions, few, inside, place, stretches

ROUNDING = 1e-9
"""Beside the largest force: what presses no more."""


def with_lift_offs(m: Mechanism, told: Reactions, given: Given) -> Reactions:
    """Forces with what presses those contacts, and notes of where they would have to pull."""
    names = directed_joints(m)
    if not names:
        return told
    force = told.in_world().force
    n = joint_directions(m, given.arrays[0], parameters=given.design or None)
    own = force[..., [told.joints.index(name) for name in names], :]
    along = dict(zip(names, np.moveaxis(np.sum(own * n, axis=-1), -1, 0), strict=True))
    rods = [joint.name for joint in m.joints if joint.between_points]
    told = replace(told, pulls=Named[Array](ROD, {name: along.pop(name) for name in rods}))
    pressing = Named[Array](PUSHING, along)
    least = -ROUNDING * np.nanmax(np.abs(force), initial=0.0)
    lift_offs = [*_lift_offs(pressing, least, given)]
    notes = [
        _note(name, N, [each for each in lift_offs if each.joint == name], m, given)
        for name, N in pressing.items()
        if any(each.joint == name for each in lift_offs)
    ]
    return replace(told, pressing=pressing, lift_offs=tuple(lift_offs), notes=(*told.notes, *notes))


def _lift_offs(pressing: dict[str, Array], least: float, given: Given) -> Iterator[LiftOff]:
    for name, N in pressing.items():
        for run, rows, start, end in stretches(np.asarray(least > N), given.t):
            pull = -float(np.min(inside(run, rows, N, np.ndim(N))))
            yield LiftOff(name, run, rows, start, end, pull)


def _note(name: str, N: Array, lift_offs: list[LiftOff], m: Mechanism, given: Given) -> str:
    at, pull = Positions(m, given.t, given.arrays[0]), max(each.pull for each in lift_offs)
    (joint,) = (joint for joint in m.joints if joint.name == name)
    most = display_units(m).told(pull, "N", 4)
    happens = joint.where_it_pulls.format(joint=name)
    if np.ndim(N) == 0:
        return f"{happens}: it would have to pull with {most}"
    count = sum(each.rows.stop - each.rows.start for each in lift_offs)
    places = [place(at, each, np.ndim(N)).removeprefix(", ") for each in lift_offs]
    return (
        f"{happens} at {count} of {np.size(N)} positions, where it would have "
        f"to pull with up to {most}: {few([text.strip() for text in places])}"
    )

"""Where runs with loops or drives begin: states that they allow, near what the user gave.

Coordinates given by name are held: the loops are followed from the drawing to them, so the start
lies on the branch that was drawn. Velocities given by name are held as well, and those of the other
joints follow; freedoms that nobody named begin at rest. Arrays give all joints, as well as they are
known: the nearest state that loops and drives allow is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import StructureError
from ..positions.loop_system import loop_system
from ..positions.sketch import ENOUGH
from ..solve.assemble import assemble
from ..solve.batch_positions import many_positions
from ..solve.drawn_designs import drawn_designs
from ..spatial.rotation import Array
from ..system.system import any_system
from ..verbs.loops import residuals
from ..verbs.states import named_pose, single
from .arguments import Starts, starts
from .projection import closed_start
from .right_hand_side import Plant, typical_length

MISSED = 1e-6
"""Part of a velocity given by name that may be missed."""


def begun_with(
    plant: Plant, state: tuple[Any, Any], tau: Array, given: Mapping[str, Any], *, t: float
) -> Starts:
    """Where runs of a plant begin at the time t, from q and v as they are given."""
    rows = starts(any_system(plant.m).tree, *state, tau, **given)
    return closed_starts(plant, rows, *state, t) if plant.constrained else rows


def closed_starts(plant: Plant, rows: Starts, q: Any, v: Any, t: float) -> Starts:
    """The starts with loops closed and drives held at the time t."""
    tree, given = plant.tree, rows.constants
    modes = np.zeros((len(given), plant.constants - given.shape[1]))  # of stops, set afterwards
    constants = np.hstack([given, modes])
    asked = named_pose(plant.m, q) if isinstance(q, str) else q
    if isinstance(asked, Mapping) and plant.system.ties:
        near = _held(plant, rows, single(tree, asked, "q"))
    elif q is None and plant.sizes and plant.system.ties:
        near = _drawn(plant, rows)
    elif q is None and plant.system.drives and not plant.sizes:
        near = np.broadcast_to(assemble(plant.m, t=t).q, rows.q.shape)
    else:
        near = rows.q
    velocities = single(tree, v, "v")
    places = {tree.velocities[i]: k for k, i in enumerate(tree.free_v)}
    if not isinstance(velocities, Mapping) or not velocities:
        return _moved(rows, closed_start(plant, near, rows.v, t, constants))
    names = tuple(places[name] for name in velocities)
    begun = _moved(rows, closed_start(plant, near, rows.v, t, constants, named=names))
    good = np.setdiff1d(np.arange(len(begun.v)), list(begun.lost))[:, None]
    _refuse_missed(plant, rows.v[good, list(names)], begun.v[good, list(names)])
    return begun


def _moved(rows: Starts, state: tuple[Array, Array, dict[int, str]]) -> Starts:
    return replace(rows, q=state[0], v=state[1], lost=state[2])


def _held(plant: Plant, rows: Starts, values: Mapping[str, Any]) -> Array:
    """Coordinates with those named at their values, and the others where the loops leave them."""
    m, names = plant.m, tuple(values)
    if not names:
        return rows.q
    if not plant.sizes and not rows.shape:
        return np.array([assemble(m, {k: values[k] for k in names}).q])
    driven = {drive.coordinate for drive in m.drives if drive.coordinate in m.coordinates}
    names += tuple(name for name in m.coordinates if name in driven and name not in names)
    if plant.sizes:
        return _held_designs(plant, rows, names)
    system = loop_system(m, names, drives=False)
    if not system.solvable:
        return rows.q
    places = [system.names.index(name) for name in names]
    drawn = system.drawn
    q, done = system.led(drawn, drawn[places], rows.q[:, places])
    return np.where(np.asarray(done).reshape(-1, 1) < 1, np.nan, q)


def _drawn(plant: Plant, rows: Starts) -> Array:
    """Designs as `redimension` draws them; one whose loops are closed stays where it is."""
    still = np.zeros((len(rows.q), plant.tree.nv))
    residual, _ = residuals(plant.m, rows.q, still, parameters=_sizes(plant, rows))
    opened = np.abs(residual).max(axis=-1, initial=0.0) > ENOUGH * typical_length(plant.m)
    if not opened.any():
        return rows.q
    q = rows.q.copy()
    q[opened] = drawn_designs(plant.m, plant.sizes, rows.p[opened], q[opened])
    return q


def _sizes(plant: Plant, rows: Starts) -> dict[str, Array]:
    """The sizes of designs by name."""
    return dict(zip(plant.sizes, rows.p.T, strict=True))


def _held_designs(plant: Plant, rows: Starts, names: tuple[str, ...]) -> Array:
    """The same for designs, each with its own sizes; as given where more than the names is free."""
    columns = [plant.m.coordinates.index(name) for name in names]
    values = dict(zip(names, rows.q[:, columns].T, strict=True))
    sizes = _sizes(plant, rows)
    try:
        return many_positions(plant.m, values, parameters=sizes, refuse=False).q
    except StructureError:
        return rows.q


def _refuse_missed(plant: Plant, wanted: Array, found: Array) -> None:
    """An error where velocities given by name do not go together with loops and drives."""
    size = np.abs(wanted).max(initial=0.0)
    miss = np.abs(found - wanted).max(initial=0.0)
    if not miss <= MISSED * size:
        raise StructureError(
            f"mechanism {plant.m.name!r}: the velocities given by name do not go together with "
            f"its loops and drives, they miss by {miss:.2g}; name as many as there are freedoms "
            "that no drive moves, or give all of them as an array, and the nearest are taken"
        )

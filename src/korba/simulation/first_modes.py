"""The switches where runs begin: what rests (first_rests.py), what sticks, and which way it slips.

What is at rest sticks for a trial, all of it. Where friction would have to give more than it can,
what lacks most slips against the force that it has, and the others are tried again,

    max |pull_k| / most_k > 1:   way_k = -sign(pull_k) dir_k                                   (1)

(sticking.py), so that a run has the accelerations of its motion from its first row on. What is at
rest but cannot stick, because drives move it or because it turns back, slips the way that it will
go.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..codegen import Program
from ..spatial.rotation import Array
from ..system.store import compiled
from . import right_hand_side
from .arguments import Starts
from .event_programs import held_at
from .first_rests import first_rests
from .holds import AT_REST
from .right_hand_side import Plant
from .sticking import Stick

SURELY = 1 + 1e-9
"""What is held to rounding sticks."""


def first_modes(
    plant: Plant, formulation: str | None, starts: Starts, currents: tuple[float, ...], t: float
) -> Array:
    """The switches of starts, those of friction decided; the others are as the starts have them."""
    modes, sticks = np.array(starts.switches), _places(plant)
    first_rests(plant, formulation, starts, modes, (currents, t))
    for place, stick in sticks:
        own = _speeds(stick, starts.v)
        rests = np.all(np.abs(own) <= AT_REST, axis=-1) & (not stick.led)
        modes[:, place] = rests
        modes[:, place + 1 : place + 1 + len(stick.rubs)] = np.where(own < 0, -1.0, 1.0)
    if not any(np.any(np.abs(_speeds(stick, starts.v)) <= AT_REST) for _, stick in sticks):
        return modes
    key = plant.key("first modes", formulation)
    program = compiled(plant.m, key, lambda: _program(plant, formulation), plant.sizes)
    works = np.zeros((len(modes), int(right_hand_side.shape(plant).works)))
    y = np.hstack([starts.q, starts.v, np.tile(currents, (len(modes), 1)), works])

    def tried() -> list[_Trial]:
        constants = np.hstack([starts.tau, starts.p, modes])
        flat = program(y, np.full((len(y), 1), t), constants, np.zeros(0), check_finite=False)
        ends = np.cumsum([2 + 2 * len(stick.rubs) for _, stick in sticks])
        return [_Trial.of(part) for part in np.split(flat, ends[:-1], axis=-1)]

    freed = np.zeros((len(modes), len(sticks)), dtype=bool)
    for _ in range(len(sticks) + 1):
        trials = tried()
        if not _freed(modes, sticks, trials, freed):
            break
    for k, (place, stick) in enumerate(sticks):
        slips = (modes[:, place] == 0) & ~freed[:, k]
        own, a = _speeds(stick, starts.v), trials[k].a
        turns = slips[:, None] & (np.abs(own) <= AT_REST) & (a != 0)
        ways = modes[:, place + 1 : place + 1 + len(stick.rubs)]
        ways[turns] = np.sign(a)[turns]
    return modes


class _Trial(NamedTuple):
    """A stick at starts: how it pulls, and could at most; signs in a motion, accelerations."""

    pull: Array
    most: Array
    directions: Array
    a: Array

    @classmethod
    def of(cls, part: Array) -> _Trial:
        """From one row for each start."""
        directions, a = np.split(part[:, 2:], 2, axis=-1)
        return cls(part[:, 0], part[:, 1], directions, a)


def _freed(
    modes: Array, sticks: list[tuple[int, Stick]], trials: list[_Trial], freed: Array
) -> bool:
    """(1): whether anything breaks free, at one stick of each start; modes and freed are set."""
    stuck = modes[:, [place for place, _ in sticks]] == 1
    lack = np.stack([np.abs(x.pull) / x.most for x in trials], axis=-1)
    lack = np.where(stuck & (lack > SURELY), lack, 0.0)
    for k, ((place, stick), x) in enumerate(zip(sticks, trials, strict=True)):
        own = (np.argmax(lack, axis=-1) == k) & (lack[:, k] > 0)
        modes[own, place] = 0.0
        ways = -np.sign(x.pull)[:, None] * x.directions
        modes[own, place + 1 : place + 1 + len(stick.rubs)] = ways[own]
        freed[own, k] = True
    return bool(np.any(lack))


def _places(plant: Plant) -> list[tuple[int, Stick]]:
    """The sticks, each behind the place of its first switch."""
    names = plant.switches
    return [(names.index(x.modes[0]), x) for x in plant.holds if isinstance(x, Stick)]


def _speeds(stick: Stick, v: Array) -> Array:
    """Its velocities in radians or typical lengths a second."""
    return np.stack([v[:, rub.place] / rub.unit for rub in stick.rubs], axis=-1)


def _program(plant: Plant, formulation: str | None) -> Program:
    """(y, t, tau, base) -> what `_Trial` has, of all sticks one after the other."""
    shape = right_hand_side.shape(plant)
    formula = right_hand_side.acceleration_formula(plant, formulation)

    def written(y: Array, t: Array, tau: Array, base: Array) -> Array:
        del base
        at = held_at(plant, formula, shape.parts(y), t[0], tau)
        values = []
        for _, stick in _places(plant):
            grip = at.grips[stick.name]
            values += [grip.pull, grip.most, *grip.directions]
            values += [at.a[rub.place] / rub.unit for rub in stick.rubs]
        return np.array(values, dtype=object)

    return right_hand_side.traced(plant, written, right_hand_side.inputs(plant, shape.size))

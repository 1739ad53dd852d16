"""Shafts that take single orders of the shaking force away (Lanchester).

In the plane the order n of the force is two vectors that turn with and against the drive,

    F_x + i F_y = c_n exp(i n w t) + c_-n exp(-i n w t)                               (1)

and a shaft with the mass times radius S that turns at k w, its mass in the direction
k A + phase where A = A_0 + w t is the driven coordinate, gives  S (k w)^2 exp(i (k A + phase)).
So the shafts k = n and k = -n remove the order with

    S_k = |c_k| / (k w)^2,      phase_k = arg(-c_k) - k A_0                            (2)

For one cylinder with the reciprocating mass m_r on a balanced crank of radius r these are two
shafts of m_r r / 2 each. Of order 1 the shaft that turns with the drive may be the crank itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..display import as_data, described
from ..expr import variable
from ..model.body import GROUND, Body
from ..model.coupling import Coupling
from ..model.joints.revolute import Revolute
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from ..verbs.forces.inertia import ShakingForces

NOTHING = 1e-9
"""Part of the largest force for which no shaft is made."""


class Shaft(NamedTuple):
    """A shaft on the frame that turns at `order` times the speed of a coordinate.

    Its mass stands at the angle order * coordinate + phase.
    """

    name: str
    order: int
    """Negative where it turns the other way."""
    product: float
    """Mass times radius, kg m."""
    phase: float
    """Radians."""
    coordinate: str

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)

    def __repr__(self) -> str:
        return described(self)


def shafts_for(
    m: Mechanism, turn: Trajectory, shaking: ShakingForces, orders: Sequence[int]
) -> tuple[Shaft, ...]:
    """The shafts that remove orders of a shaking force over one turn of the first drive (2)."""
    name = str(m.drives[0].coordinate)
    start, speed = float(turn[name][0]), float(turn[f"v_{name}"][0])
    largest = float(np.linalg.norm(shaking.force, axis=-1).max())
    shafts = []
    for order in orders:
        wave = shaking.harmonic(order)
        pair = (wave.forward, wave.backward)
        if speed < 0:  # a turn in time is then one against the coordinate
            pair = (wave.backward, wave.forward)
        for k, c in zip((order, -order), pair, strict=True):
            if abs(c) > NOTHING * largest:
                phase = float(np.angle(-c * np.exp(-1j * k * start)))
                shafts.append(Shaft(f"shaft {k:+d}", k, abs(c) / (k * speed) ** 2, phase, name))
    return tuple(shafts)


def with_shafts(m: Mechanism, shafts: Sequence[Shaft], radius: float, at: Array) -> Mechanism:
    """The mechanism with the shafts on pins of the frame, geared to the driven coordinate."""
    bodies, joints, couplings = list(m.bodies), list(m.joints), list(m.couplings)
    for shaft in shafts:
        drawn = shaft.order * float(m.joint(shaft.coordinate).drawn_coordinates[0])
        angle = drawn + shaft.phase
        com = at + radius * np.array([np.cos(angle), np.sin(angle), 0.0])
        bodies.append(Body(shaft.name, shaft.product / radius, tuple(com)))
        pin = Revolute(shaft.name, GROUND, shaft.name, at=tuple(at), drawn=(drawn,))
        joints.append(pin)
        law = shaft.order * variable(shaft.coordinate)
        couplings.append(Coupling(f"gear of {shaft.name}", shaft.name, law))
    return replace(m, bodies=tuple(bodies), joints=tuple(joints), couplings=tuple(couplings))

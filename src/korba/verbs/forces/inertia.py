"""Inertia forces of bodies and what a mechanism does to its frame, for a given motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...display import Tabled, as_data, columns, described, parted_columns
from ...dynamics import inertia_forces as formulas
from ...errors import StructureError, refuse_unknown
from ...model.body import GROUND
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...spatial.wrench import Wrench
from ...system.store import kept
from ...system.system import System, any_system
from ..options import ORIGIN, place_on_body
from ..verb import Given, verb

PERIODIC = 1e-6
"""Part of the largest force by which the ends of a turn may differ."""


@dataclass(frozen=True, eq=False)
class InertiaForces(Tabled):
    """Forces, moments about the centres of mass, and these, (..., bodies, 3), in world axes.

    `forces["rod"]` gives those of one body, `forces["rod"].line` the line of action.
    """

    bodies: tuple[str, ...]
    """Names of the bodies, rotors written out."""
    force: Array
    moment: Array
    point: Array

    @property
    def columns(self) -> dict[str, Array]:
        """Force and moment of every body, by component."""
        parts = {"force": self.force, "moment": self.moment}
        return {
            name: x
            for i, body in enumerate(self.bodies)
            for what, each in parts.items()
            for name, x in parted_columns(f"{body}.{what}", each[..., i, :]).items()
        }

    def __getitem__(self, body: str) -> Wrench:
        """Force, moment and centre of mass of a body by its name."""
        refuse_unknown("body", body, self.bodies, end=" here")
        i = self.bodies.index(body)
        return Wrench(self.force[..., i, :], self.moment[..., i, :], self.point[..., i, :])

    def __str__(self) -> str:
        """The largest force and moment of every body."""
        rows = [("body", "force", "moment")]
        for i, name in enumerate(self.bodies):
            force, moment = _largest(self.force[..., i, :]), _largest(self.moment[..., i, :])
            rows.append((name, f"{force:.4g} N", f"{moment:.4g} N m"))
        return "\n".join(["Inertia forces of bodies, the largest", *columns(rows)])


class Harmonic(NamedTuple):
    """One order of a shaking force: F(x) = Re(force exp(i order x)), x the turn since row one.

    In the plane it is two vectors that turn with and against the drive,
    F_x + i F_y = forward exp(i order x) + backward exp(-i order x).
    """

    order: int
    force: Array
    """Complex amplitudes of the components, (3,)."""
    moment: Array
    """Complex amplitudes of the moment, (3,)."""

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)

    def __repr__(self) -> str:
        return described(self)

    @property
    def forward(self) -> complex:
        """The part of the force in the plane xy that turns with the drive."""
        return complex(self.force[0] + 1j * self.force[1]) / 2

    @property
    def backward(self) -> complex:
        """The part that turns against it."""
        return complex(np.conj(self.force[0]) + 1j * np.conj(self.force[1])) / 2

    @property
    def largest(self) -> float:
        """The largest force of this order over the turn: half the long axis of its ellipse."""
        c = self.force
        return float(np.sqrt((np.sum(np.abs(c) ** 2) + np.abs(np.sum(c * c))) / 2))


@dataclass(frozen=True, eq=False)
class ShakingForces(Tabled):
    """Force and moment of a mechanism on its frame, (..., 3), in world axes."""

    rows_of = (
        ("force", 1),
        ("moment", 1),
        ("point", 1),
    )

    force: Array
    moment: Array
    """About `point`."""
    point: Array

    @property
    def wrench(self) -> Wrench:
        """Both as a wrench, which may be taken about other points."""
        return Wrench(self.force, self.moment, self.point)

    @property
    def rms(self) -> tuple[float, float]:
        """Root mean square of force and moment over all rows; 0 of none."""
        rows = max(self.force.size // 3, 1)
        force, moment = (float(np.sqrt(np.sum(x * x) / rows)) for x in (self.force, self.moment))
        return force, moment

    def harmonic(self, order: int) -> Harmonic:
        """One order of a turn, of which the rows are evenly spaced times, both ends among them."""
        F = np.concatenate([self.force, self.moment], axis=-1)
        turn = F.ndim == 2 and len(F) > 2 * order + 1
        if not turn or np.abs(F[-1] - F[0]).max() > PERIODIC * np.abs(F).max(initial=0.0):
            raise StructureError(
                "harmonic: expected the rows of one turn, evenly spaced and with both ends, more "
                f"than {2 * order + 1} of them; such as kb.motion(m, np.linspace(0, T, 361))"
            )
        x = 2 * np.pi * np.arange(len(F) - 1) / (len(F) - 1)
        c = 2 * np.mean(F[:-1] * np.exp(-1j * order * x)[:, None], axis=0)
        return Harmonic(order, c[:3], c[3:])

    def __str__(self) -> str:
        """Largest and mean values."""
        rows = [("", "largest", "rms")]
        for what, unit, x, mean in (
            ("force", "N", self.force, self.rms[0]),
            ("moment", "N m", self.moment, self.rms[1]),
        ):
            rows.append((what, f"{_largest(x):.4g} {unit}", f"{mean:.4g} {unit}"))
        point = ", ".join(f"{x:g}" for x in np.reshape(self.point, (-1, 3))[:1].ravel())
        return "\n".join([f"Shaking of the frame, moment about ({point})", *columns(rows)])


def _arrays(result: Any) -> tuple[Array, ...]:
    return result.force, result.moment, result.point


def _by_body(m: Mechanism, result: tuple[Array, ...], given: Given) -> InertiaForces:
    sizes = tuple(given.design)
    names = kept(
        m, ("names of bodies", sizes), lambda: tuple(b.name for b in any_system(m, sizes).m.bodies)
    )
    return InertiaForces(names, *result)


@verb(closed=True, pack=_arrays, unpack=_by_body)
def inertia_forces(system: System, q: Any, v: Any, a: Any) -> InertiaForces:
    """Inertia force and moment of every body about its centre of mass: -m a_S, -(I w' + w x I w).

    The motion is q, v, a of all joints, or a trajectory. `.line` of a body's is the line along
    which the force alone acts, in the plane at h = M/F from S.

    >>> kb.inertia_forces(m, motion)["coupler"].line.distance[:2].round(6)
    array([0.01404 , 0.013906])
    """
    names = tuple(body.name for body in system.m.bodies)
    return InertiaForces(names, *formulas.inertia_forces(system, q, v, a))


@verb(
    closed=True,
    checks={"about": lambda m, given, _: place_on_body(m, GROUND, given)},
    pack=_arrays,
    unpack=lambda _, result, __: ShakingForces(*result),
)
def shaking_forces(system: System, q: Any, v: Any, a: Any, *, about: Any = ORIGIN) -> ShakingForces:
    """Shaking force and moment: what the inertia of all bodies does to the frame.

    It is the sum of all inertia forces, with the moment about a point of the world; weight and
    loads come besides. Without these it equals what all joints and drives do to the ground.

    >>> force, moment = kb.shaking_forces(m, motion).rms
    >>> round(force, 6), round(moment, 6)
    (0.295023, 0.018096)
    """
    force, moment = formulas.shaking_forces(system, q, v, a, about)
    return ShakingForces(force, moment, np.array(about))


def _largest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max(initial=0.0))

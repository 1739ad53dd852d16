"""Where balancing masses go: bodies, pivots, radii and masses, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import StructureError, refuse_unknown
from ..expr.quantities import quantity
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .counterweights import Place

Sizes = float | str | Mapping[str, float | str]
"""One size of all, or sizes by the name of a body."""


def carriers(m: Mechanism, wanted: str | Sequence[str] | None, orders: Sequence[int]) -> list[str]:
    """Bodies that carry counterweights."""
    names = [body.name for body in m.bodies]
    if wanted is not None:
        wanted = (wanted,) if isinstance(wanted, str) else wanted
        refuse_unknown("body", wanted, names, "balance: bodies")
        return [*dict.fromkeys(wanted)]
    return [] if orders else [name for name in names if any(map(pinned, joints_of(m, name)))]


def joints_of(m: Mechanism, body: str) -> list[Joint]:
    """The joints of a body, pins on the frame first."""
    own = [joint for joint in m.joints if body in (joint.parent, joint.child)]
    return sorted(own, key=lambda joint: not pinned(joint))


def pinned(joint: Joint) -> bool:
    """Whether a joint is a pin or a ball on the frame."""
    return GROUND in (joint.parent, joint.child) and joint.pivots


def origins(m: Mechanism, body: str) -> list[Array]:
    """Origins of the joints' frames on a body, in its frame."""
    placed = drawing(m)
    return [
        (placed.X_BM(joint) if joint.child == body else placed.X_PF(joint)).p
        for joint in joints_of(m, body)
    ]


def typical_length(m: Mechanism) -> float:
    """A length of the mechanism: the largest distance between joints of one body."""
    spans = [np.ptp(np.array(origins(m, body.name)), axis=0).max() for body in m.bodies]
    return float(max(spans, default=0.0)) or 1.0


def chosen_places(
    m: Mechanism, bodies: Sequence[str], radius: Sizes | None, mass: Sizes | None
) -> list[Place]:
    """Pivots, and radii or masses of counterweights."""
    for what, given in (("mass", mass), ("radius", radius)):
        for name in given if isinstance(given, Mapping) else ():
            if name not in bodies:
                raise StructureError(
                    f"balance: {what}: there is no counterweight on {name!r}; name it in on="
                )
    masses = dict.fromkeys(bodies, mass) if isinstance(mass, float | int | str) else mass
    return [_place(m, body, radius, masses or {}) for body in bodies]


def _place(m: Mechanism, body: str, radius: Sizes | None, mass: Mapping[str, float | str]) -> Place:
    """The pivot of a body, and the radius or the mass of its counterweight."""
    pivot, *others = origins(m, body)
    if body in mass:
        return Place(body, pivot, None, _above_zero(mass[body], "mass", f"mass of {body!r}"))
    own = radius.get(body) if isinstance(radius, Mapping) else radius
    if own is not None:
        return Place(body, pivot, _above_zero(own, "length", f"radius of {body!r}"))
    spans = [float(np.linalg.norm(other - pivot)) for other in others]
    spans.append(float(np.linalg.norm(np.array(m.body(body).com) - pivot)))
    return Place(body, pivot, next((span for span in spans if span > 0), typical_length(m)))


def _above_zero(given: float | str, kind: str, what: str) -> float:
    """A size in SI."""
    value = quantity(f"balance: {what}", given, kind)
    if not value > 0:
        raise StructureError(f"balance: {what}: expected a value above 0, got {given!r}")
    return value


def shaft_place(m: Mechanism) -> Array:
    """Where shafts turn: the pivot of the first body on a pin of the frame."""
    if not m.plane:
        raise StructureError("balance: orders: shafts are for planar mechanisms, plane='xy'")
    pins = [joint for joint in m.joints if pinned(joint)]
    placed = drawing(m)
    if not pins:
        return np.zeros(3)
    joint = pins[0]
    return (placed.X_PF(joint) if joint.parent == GROUND else placed.X_BM(joint)).p


def shaft_radius(m: Mechanism, radius: Sizes | None) -> float:
    """How far from its axis the mass of a shaft is."""
    own = None if isinstance(radius, Mapping) else radius
    return typical_length(m) / 2 if own is None else _above_zero(own, "length", "radius")

"""Drawings that are sketches: which ones, and what they become when their loops are closed.

A drawing is to be closed where joints that join points are drawn `at` a place, where its loops are
open, or where `assembly` says which way they close. Closing them is for `positions`: this room says
what is asked, and never solves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import hooks
from ..errors import Fault
from .drawing import MEETS, Drawing, drawing
from .given import made_of
from .joint import Joint

if TYPE_CHECKING:
    from .mechanism import Mechanism

NOTE = "drawing: "
"""How notes of closed sketches begin."""
Starts = Mapping[str, tuple[float, ...]]
"""Coordinates of joints where the mechanism was closed with other sizes."""


@dataclass(frozen=True)
class Assembled:
    """Joints and bodies of the closed drawing, what there is to say, and what is wrong."""

    joints: tuple[Joint, ...]
    bodies: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def closed_before(joints: Iterable[Any]) -> Starts:
    """Coordinates in which joints were closed last, where nobody has replaced them since."""
    before = {joint.name: made_of(joint, "drawn") for joint in joints if isinstance(joint, Joint)}
    return {name: drawn for name, drawn in before.items() if isinstance(drawn, tuple)}


def assembled(m: Mechanism, starts: Starts) -> Assembled:
    """The mechanism with its drawing closed; it is as it was given where that closes already."""
    placed = drawing(m)
    if not _is_sketch(m, placed, starts):
        return Assembled(m.joints, m.bodies)
    if not _finite(m, placed):
        return Assembled(m.joints, m.bodies)  # a size or a law without a value: another's fault
    closed: Assembled = hooks.asked("closed sketch")(m, placed, starts)
    return closed


def _is_sketch(m: Mechanism, placed: Drawing, starts: Starts) -> bool:
    """Whether the drawing is to be closed: it is open, or said to be a sketch."""
    framed = [joint for joint in m.joints if joint.placed_by_frames]
    return (
        any(joint.at is not None for joint in framed)
        or any(joint.name in starts for joint in framed)
        or any(placed.gap(joint) > MEETS for joint in framed)
        or (m.assembly is not None and m.assembly != () and bool(framed))
    )


def _finite(m: Mechanism, placed: Drawing) -> bool:
    """Whether every joint has a place in the drawing."""
    poses = [X for joint in m.joints for X in (placed.X_PF(joint), placed.X_BM(joint))]
    numbers = [*(X.p for X in poses), *(X.R.ravel() for X in poses), *placed.q.values()]
    return bool(np.isfinite(np.concatenate([np.zeros(0), *numbers])).all())

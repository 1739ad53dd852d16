"""Single loops in space: RSSR, Cardan's joint and Bennett's linkage."""

from __future__ import annotations

from typing import Any

from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from .parts import Size, bar, built, document, driven, joint


@public
def rssr(
    a: Size,
    b: Size,
    c: Size,
    d: Size,
    *,
    twist: Size = "90 deg",
    offset: Size = 0.0,
    at: Size = "30 deg",
    **more: Any,
) -> Mechanism:
    """Spatial four-bar RSSR: crank a = AB about z, coupler b = BC between balls, rocker c = DC.

    D lies at (d, 0, offset); the rocker's axis is z turned by `twist` about x, and its angle counts
    from x. The coupler may spin about itself, which nobody else feels.

    >>> m = kb.linkages.rssr(0.04, 0.16, 0.1, 0.12)
    >>> kb.mobility(m).actual
    1
    """
    links = [
        bar("crank", "AB", "a", spatial=True),
        bar("coupler", "BC", "b", spatial=True),
        bar("rocker", "DC", "c", spatial=True),
    ]
    lean = {"rotation": ["twist", 0, 0]}
    joints = [
        joint("revolute", "A", "ground.A", "crank.A"),
        joint("spherical", "B", "crank.B", "coupler.B"),
        joint("spherical", "C", "coupler.C", "rocker.C"),
        joint("revolute", "D", "ground.D", "rocker.D", on_parent=lean),
    ]
    sizes = {"a": a, "b": b, "c": c, "d": d, "twist": twist, "offset": offset, "at": at}
    drives = driven(joints, {"A": "at"})
    points = {"A": [0, 0, 0], "D": ["d", 0, "offset"]}
    table = document("RSSR", sizes, links, joints, drives, points=points)
    return built(rssr, table, more, signed=["at", "twist", "offset"])


@public
def cardan(
    angle: Size = "30 deg", length: Size = "0.2 m", *, at: Size = 0.0, **more: Any
) -> Mechanism:
    """Cardan's joint: a shaft along x turns another, `angle` away in the xy plane, through a cross.

    With the first fork across the plane of the shafts at first, tan(out) = tan(in) cos(angle).

    >>> m = kb.linkages.cardan("30 deg")
    >>> kb.mobility(m).actual
    1
    """
    shafts = [
        bar("input", "PO", "length", spatial=True),
        bar("output", "OQ", "length", spatial=True),
    ]
    joints = [
        joint("revolute", "A", "ground.P", "input.P", axis=[1, 0, 0], x_axis=[0, 1, 0]),
        joint("universal", "cross", "input.O", "output.O", axis=[0, 0, 1], x_axis=[0, 1, 0]),
        joint("revolute", "B", "ground.O", "output.O", axis=[1, 0, 0], x_axis=[0, 1, 0]),
    ]
    turn = "atan2(sin(angle)*cos(at), cos(angle))"
    joints[1]["drawn"] = [turn, "asin(sin(angle)*sin(at))"]
    joints[2] |= {"on_parent": {"rotation": "angle"}, "drawn": "atan2(cos(angle)*sin(at), cos(at))"}
    points = {"P": ["-length", 0, 0], "O": [0, 0, 0]}
    drives = driven(joints, {"A": "at"})
    sizes = {"angle": angle, "length": length, "at": at}
    table = document("Cardan joint", sizes, shafts, joints, drives, points=points)
    return built(cardan, table, more, signed=["at", "angle"])


@public
def bennett(
    a: Size, b: Size, alpha: Size = "40 deg", *, at: Size = "60 deg", **more: Any
) -> Mechanism:
    """Bennett's linkage: four pins in space with opposite links alike, and yet it moves.

    Links AB and CD have the length a and the twist alpha, BC and DA the length b and the twist beta
    with sin(beta) / b = sin(alpha) / a. With the angles t at A and s at B,

        tan(t/2) tan(s/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)

    >>> m = kb.linkages.bennett(0.2, 0.3)
    >>> kb.mobility(m).actual
    1
    """
    if a == b:
        raise StructureError(f"bennett: a and b: expected two different lengths, got {a!r} twice")
    links = [
        bar("first", "AB", "a", spatial=True),
        bar("second", "BC", "b", spatial=True),
        bar("third", "CD", "a", spatial=True),
    ]
    short, long = {"rotation": ["alpha", 0, 0]}, {"rotation": ["beta", 0, 0]}
    joints = [
        joint("revolute", "A", "ground.A", "first.A", on_parent=long),
        joint("revolute", "B", "first.B", "second.B", on_parent=short, drawn="s"),
        joint("revolute", "C", "second.C", "third.C", on_parent=long, drawn="-at"),
        joint("revolute", "D", "third.D", "ground.D", on_parent=short, drawn="-s"),
    ]
    sizes = {"a": a, "b": b, "alpha": alpha, "beta": "asin(b*sin(alpha)/a)", "at": at}
    sizes["s"] = "2*atan(sin((beta + alpha)/2)/sin((beta - alpha)/2)/tan(at/2))"
    drives = driven(joints, {"A": "at"})
    points = {"D": [0, 0, 0], "A": ["b", 0, 0]}
    table = document("Bennett linkage", sizes, links, joints, drives, points=points)
    return built(bennett, table, more, signed=["at", "alpha", "beta", "s"])

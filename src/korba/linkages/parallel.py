"""Parallel robots: the planar 3-RRR, the Delta robot and the Stewart platform."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..door import public
from ..model.mechanism import Mechanism
from .parts import SWINGS, Size, Table, bar, body, built, document, driven, joint, planar

THIRDS = {1: "90 deg", 2: "210 deg", 3: "330 deg"}
SPOKES = {1: "0 deg", 2: "120 deg", 3: "240 deg"}
"""Directions of the three arms from the middle."""


@public
def three_rrr(base: Size, crank: Size, rod: Size, platform: Size, **more: Any) -> Mechanism:
    """Planar 3-RRR robot: three driven cranks, three rods, and a platform with its corners on them.

    `base` and `platform` are the distances of pivots and corners from the middle. The platform
    starts there, not turned, with every crank `bend` before the way to its corner; the cranks swing
    by `swing` (5 deg).

    >>> m = kb.linkages.three_rrr(0.5, 0.3, 0.3, 0.15)
    >>> kb.mobility(m).actual
    3
    """
    ground = {f"A{i}": (f"base*cos({w})", f"base*sin({w})") for i, w in THIRDS.items()}
    corners = {f"C{i}": (f"platform*cos({w})", f"platform*sin({w})") for i, w in THIRDS.items()}
    mass = "density*3*platform"
    links = [body("platform", corners, mass=mass, inertia=f"{mass}*platform^2/3")]
    links[0]["frame"] = {"origin": [0, 0]}
    bend = "acos((crank^2 + (base - platform)^2 - rod^2)/(2*crank*(base - platform)))"
    sizes: dict[str, Size] = {"base": base, "crank": crank, "rod": rod, "platform": platform}
    sizes |= {
        "bend": bend,
        "fold": bend.replace("crank", "way").replace("rod", "crank").replace("way", "rod"),
    }
    for i in THIRDS:
        links += [
            bar(f"crank {i}", (f"A{i}", f"B{i}"), "crank"),
            bar(f"rod {i}", (f"B{i}", f"C{i}"), "rod"),
        ]
    sizes["swing"] = "5 deg"
    inputs = {f"A{i}": f"{w} + 180 deg + bend" for i, w in THIRDS.items()}
    table = planar("3-RRR", sizes, ground, links, inputs=inputs, law=SWINGS)
    for each in table["joint"]:
        if each["name"].startswith("B"):
            each["drawn"] = "-bend - fold"
    return built(three_rrr, table, more, signed=["bend", "fold", "swing"])


@public
def delta(
    base: Size,
    arm: Size,
    rod: Size,
    platform: Size,
    width: Size = "50 mm",
    *,
    at: Size = "20 deg",
    **more: Any,
) -> Mechanism:
    """Delta robot: three driven arms move a platform by parallelograms, so that it never turns.

    Arms of the length `arm` hang on pins `base` from the middle, `at` below the horizontal; rods go
    from them to the platform, whose joints are `platform` from its middle and `width` to the sides.
    All arms swing by `swing` (10 deg).

    >>> m = kb.linkages.delta(0.2, 0.25, 0.5, 0.06)
    >>> kb.mobility(m).actual
    3
    """
    plate = body("platform", {}, mass="density*3*platform", inertia=["density*platform^3"] * 3)
    plate["frame"] = {"origin": [0, 0, "-arm*sin(at) - rod*cos(tilt)"]}
    bodies, heads = [plate], plate["points"]
    joints: list[Table] = []
    points: Table = {}
    for i, w in SPOKES.items():
        out, side = [f"cos({w})", f"sin({w})", 0], [f"-sin({w})", f"cos({w})", 0]
        points[f"A{i}"] = [f"base*{x}" for x in out]
        elbow = {k: _shifted("arm", out, sign, side) for k, sign in (("L", 1), ("R", -1))}
        heads |= {f"{k}{i}": _shifted("platform", out, s, side) for k, s in (("L", 1), ("R", -1))}
        bodies.append(_arm(f"arm {i}", out, {"A": [0, 0, 0], **elbow}))
        joints.append(
            joint("revolute", f"A{i}", f"ground.A{i}", f"arm {i}.A", axis=side, x_axis=out)
        )
        for k in elbow:
            bodies.append(_hanging(f"rod {k}{i}"))
            cross = {"axis": side, "x_axis": out, "drawn": ["tilt - at", 0]}
            joints += [
                joint("universal", f"B{k}{i}", f"arm {i}.{k}", f"rod {k}{i}.top", **cross),
                joint("spherical", f"C{k}{i}", f"rod {k}{i}.tip", f"platform.{k}{i}"),
            ]
    sizes: dict[str, Size] = {"base": base, "arm": arm, "rod": rod, "platform": platform}
    sizes |= {"width": width, "at": at, "tilt": "asin((base + arm*cos(at) - platform)/rod)"}
    sizes["swing"] = "10 deg"
    drives = driven(joints, {f"A{i}": "at" for i in SPOKES}, SWINGS)
    table = document("Delta robot", sizes, bodies, joints, drives, points=points)
    return built(delta, table, more, signed=["at", "tilt", "swing"])


def _shifted(length: str, out: list[Any], sign: int, side: list[Any]) -> list[Any]:
    """`length` outwards and the width to a side."""
    return [f"{length}*({o}) + {sign}*width*({s})" for o, s in zip(out, side, strict=True)]


def _arm(name: str, out: list[Any], points: dict[str, list[Any]]) -> Table:
    inertia = ["density*arm^3/12"] * 3
    return body(name, points, mass="density*arm", com=[f"arm/2*{x}" for x in out], inertia=inertia)


def _hanging(name: str) -> Table:
    """A rod along -z of its frame."""
    across = "density*rod^3/12"
    more: Table = {"mass": "density*rod", "com": [0, 0, "-rod/2"]}
    points: dict[str, list[Any]] = {"top": [0, 0, 0], "tip": [0, 0, "-rod"]}
    return body(name, points, inertia=[across, across, "density*rod^3/800"], **more)


@public
def stewart(
    base: Size,
    platform: Size,
    height: Size,
    *,
    base_spread: Size = "10 deg",
    platform_spread: Size = "50 deg",
    **more: Any,
) -> Mechanism:
    """Stewart platform: six legs of a universal, a driven prismatic and a spherical joint.

    Feet stand on a circle of the radius `base`, in pairs `base_spread` to either side of 0, 120 and
    240 deg, heads likewise on the `platform`, which starts `height` above the base, not turned. The
    coordinate of leg i is its length; all of them move by `swing` to and fro.

    >>> m = kb.linkages.stewart(1.0, 0.5, 1.0)
    >>> kb.mobility(m).actual
    6
    """
    points: Table = {}
    mass = "density*6*platform"
    across = f"{mass}*platform^2/4"
    plate = body("platform", {}, mass=mass, inertia=[across, across, f"2*{across}"])
    plate["frame"] = {"origin": [0, 0, "height"]}
    heads = plate["points"]
    bodies, joints = [plate], []
    for i, foot, head in _legs():
        points[f"F{i}"] = [f"base*cos({foot})", f"base*sin({foot})", 0]
        heads[f"H{i}"] = [f"platform*cos({head})", f"platform*sin({head})", 0]
        x, y = (f"platform*{f}({head}) - base*{f}({foot})" for f in ("cos", "sin"))
        lean = [f"atan2(-({y}), height)", f"asin(({x})/leg)"]
        bodies += [_tube(f"cylinder {i}", "F"), _tube(f"piston {i}", "H")]
        cross = {"axis": [1, 0, 0], "x_axis": [0, 1, 0], "drawn": lean}
        joints += [
            joint("universal", f"U{i}", f"ground.F{i}", f"cylinder {i}.F", **cross),
            joint(
                "prismatic",
                f"leg {i}",
                f"cylinder {i}.F",
                f"piston {i}.H",
                axis=[0, 0, 1],
                drawn="leg",
            ),
            joint("spherical", f"S{i}", f"piston {i}.H", f"platform.H{i}"),
        ]
    sizes: dict[str, Size] = {"base": base, "platform": platform, "height": height}
    sizes |= {"base_spread": base_spread, "platform_spread": platform_spread}
    away = "2*base*platform*cos(platform_spread - base_spread)"
    sizes["leg"] = f"sqrt(base^2 + platform^2 - {away} + height^2)"
    sizes["swing"] = "height/20"
    drives = driven(joints, {f"leg {i}": "leg" for i in range(1, 7)}, SWINGS)
    table = document("Stewart platform", sizes, bodies, joints, drives, points=points)
    return built(stewart, table, more, signed=["base_spread", "platform_spread"])


def _legs() -> Iterator[tuple[int, str, str]]:
    """Number of every leg, and the directions of its foot and its head from the middle."""
    for i, way in SPOKES.items():
        for k, sign in enumerate("-+"):
            yield 2 * i - 1 + k, f"{way} {sign} base_spread", f"{way} {sign} platform_spread"


def _tube(name: str, point: str) -> Table:
    """Half of a leg: about as heavy as a rod half as long as the height."""
    mass = "density*height/2"
    return body(name, {point: [0, 0, 0]}, mass=mass, inertia=[f"{mass}*height^2/48"] * 3)

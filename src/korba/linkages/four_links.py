"""Linkages of one or two loops in the plane: the four-bar and its relatives."""

from __future__ import annotations

from typing import Any

from ..door import public
from ..model.mechanism import Mechanism
from .parts import SWINGS, Place, Size, bar, body, built, joint, planar, slider


@public
def four_bar(
    a: Size, b: Size, c: Size, d: Size, *, at: Size = "30 deg", crossed: bool = False, **more: Any
) -> Mechanism:
    """Four-bar linkage: crank a = AB, coupler b = BC, rocker c = DC, base d = AD along x.

    The crank turns at joint A from the angle `at`; C lies left of the line from B to D, or right of
    it where the linkage is `crossed`. Further parameters: `speed` of the input, `density` of rods.

    >>> m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    >>> kb.mobility(m).actual
    1
    """
    ground = {"A": (0, 0), "D": ("d", 0)}
    links = [bar("crank", "AB", "a"), bar("coupler", "BC", "b"), bar("rocker", "DC", "c")]
    sizes = {"a": a, "b": b, "c": c, "d": d, "at": at}
    side = {"C": "right" if crossed else "left"}
    table = planar("four-bar", sizes, ground, links, inputs={"A": "at"}, assembly=side)
    return built(four_bar, table, more, signed=["at"])


@public
def slider_crank(
    crank: Size, rod: Size, offset: Size = 0.0, *, at: Size = "30 deg", **more: Any
) -> Mechanism:
    """Slider-crank: crank AB, rod BC, and a slider at C on a line along x at the height `offset`.

    The coordinate of the joint `slide` is x of C.

    >>> m = kb.linkages.slider_crank(0.04, 0.12, at=0)
    >>> round(float(m.joint("slide").drawn_coordinates[0]), 12)
    0.16
    """
    ground = {"A": (0, 0), "G": (0, "offset")}
    links = [bar("crank", "AB", "crank"), bar("rod", "BC", "rod"), slider("slider", "C")]
    slide = joint("prismatic", "slide", "ground.G", "slider.C", axis=[1, 0])
    sizes = {"crank": crank, "rod": rod, "offset": offset, "at": at}
    options: dict[str, Any] = {"inputs": {"A": "at"}, "assembly": {"C": "right"}}
    table = planar("slider-crank", sizes, ground, links, more=[slide], **options)
    return built(slider_crank, table, more, signed=["at", "offset"])


@public
def quick_return(
    crank: Size,
    distance: Size,
    lever: Size,
    link: Size,
    height: Size | None = None,
    *,
    at: Size = "30 deg",
    **more: Any,
) -> Mechanism:
    """Quick return of a shaper: a crank pin B in the slot of a lever OC, which moves a ram by CD.

    The crank turns about A, `distance` above the lever's pivot O; the ram slides along x at
    `height` above O (without it, as high as the lever is long). The lever goes forth while the
    crank turns by 180 deg + 2 asin(crank / distance) and back during the rest.

    >>> m = kb.linkages.quick_return(0.05, 0.1, 0.25, 0.1)
    >>> kb.mobility(m).actual
    1
    """
    ground = {"A": (0, 0), "O": (0, "-distance"), "G": (0, "height - distance")}
    links = [
        bar("crank", "AB", "crank"),
        bar("lever", "OC", "lever"),
        bar("link", "CD", "link"),
        slider("ram", "D"),
    ]
    pair = [
        joint("pin-in-slot", "slot", "lever.O", "crank.B", axis=[1, 0]),
        joint("prismatic", "slide", "ground.G", "ram.D", axis=[1, 0]),
    ]
    sizes = {"crank": crank, "distance": distance, "lever": lever, "link": link, "at": at}
    sizes["height"] = "lever" if height is None else height
    options: dict[str, Any] = {"inputs": {"A": "at"}, "assembly": {"D": "right"}}
    table = planar("quick return", sizes, ground, links, more=pair, **options)
    lever_joint = next(each for each in table["joint"] if each["name"] == "O")
    lever_joint["drawn"] = "atan2(distance + crank*sin(at), crank*cos(at))"
    return built(quick_return, table, more, signed=["at"])


@public
def toggle(
    crank: Size,
    rod: Size,
    upper: Size,
    lower: Size,
    distance: Size,
    *,
    drop: Size | None = None,
    at: Size = "90 deg",
    **more: Any,
) -> Mechanism:
    """Toggle press: crank OB and rod BC straighten the links DC and CE, which push a ram down.

    D is the origin, O lies `distance` to the left of it and `drop` below (without it, as low as the
    upper link is long). The coordinate of the joint `slide` is the way of the ram below D.

    >>> m = kb.linkages.toggle(0.03, 0.2, 0.15, 0.15, 0.2)
    >>> kb.mobility(m).actual
    1
    """
    ground = {"O": ("-distance", "-drop"), "D": (0, 0)}
    links = [
        bar("crank", "OB", "crank"),
        bar("rod", "BC", "rod"),
        bar("upper", "DC", "upper"),
        bar("lower", "CE", "lower"),
        slider("ram", "E"),
    ]
    slide = joint("prismatic", "slide", "ground.D", "ram.E", axis=[0, -1])
    sizes = {"crank": crank, "rod": rod, "upper": upper, "lower": lower, "distance": distance}
    sizes |= {"drop": "upper" if drop is None else drop, "at": at}
    options: dict[str, Any] = {"inputs": {"O": "at"}, "assembly": {"C": "right", "E": "right"}}
    table = planar("toggle", sizes, ground, links, more=[slide], **options)
    return built(toggle, table, more, signed=["at"])


@public
def five_bar(
    a: Size,
    b: Size,
    c: Size,
    d: Size,
    e: Size,
    *,
    left: Size = "120 deg",
    right: Size = "60 deg",
    **more: Any,
) -> Mechanism:
    """Five-bar robot: cranks a = AB and d = ED, links b = BC and c = DC, base e = AE along x.

    Both cranks swing by `swing` (10 deg) about the angles `left` and `right`; C lies left of the
    line from B to D.

    >>> m = kb.linkages.five_bar(0.1, 0.2, 0.2, 0.1, 0.1)
    >>> kb.mobility(m).actual
    2
    """
    ground = {"A": (0, 0), "E": ("e", 0)}
    links = [
        bar("left crank", "AB", "a"),
        bar("right crank", "ED", "d"),
        bar("left link", "BC", "b"),
        bar("right link", "DC", "c"),
    ]
    sizes = {"a": a, "b": b, "c": c, "d": d, "e": e, "left": left, "right": right}
    sizes["swing"] = "10 deg"
    inputs = {"A": "left", "E": "right"}
    options: dict[str, Any] = {"inputs": inputs, "law": SWINGS, "assembly": {"C": "left"}}
    table = planar("five-bar", sizes, ground, links, **options)
    return built(five_bar, table, more, signed=["left", "right", "swing"])


@public
def pantograph(
    a: Size, b: Size, reach: Size, *, at: Size = "60 deg", bend: Size = "-60 deg", **more: Any
) -> Mechanism:
    """Pantograph: the point E draws what P is led along, reach / a times as large, about O.

    Bars OC = reach and CE = b reach / a, with a parallelogram A, C, F, P between them: OA = a,
    AP = b. The inputs, at O and at C, swing by `swing` (10 deg).

    >>> m = kb.linkages.pantograph("100 mm", "120 mm", "300 mm")
    >>> kb.mobility(m).actual
    2
    """
    first, second = bar("first", "OC", "reach"), bar("second", "CE", "(b*reach/a)")
    first["points"]["A"], second["points"]["F"] = ["a", 0], ["b", 0]
    links = [first, second, bar("inner", "AP", "b"), bar("outer", "FP", "(reach - a)")]
    sizes = {"a": a, "b": b, "reach": reach, "at": at, "bend": bend, "swing": "10 deg"}
    options: dict[str, Any] = {"inputs": {"O": "at", "C": "bend"}, "law": SWINGS}
    table = planar("pantograph", sizes, {"O": (0, 0)}, links, **options)
    for name, turn in (("A", "bend"), ("F", "180 deg - bend")):
        next(each for each in table["joint"] if each["name"] == name)["drawn"] = turn
    return built(pantograph, table, more, signed=["at", "bend", "swing"])


@public
def oldham(offset: Size, shaft: Size = "50 mm", *, at: Size = 0.0, **more: Any) -> Mechanism:
    """Oldham coupling: two parallel shafts, `offset` apart, turn as one through a cross disc.

    The disc slides in a slot of either shaft, across each other; its middle runs twice round the
    circle over the offset in a turn. `shaft` is the radius of the flanges.

    >>> m = kb.linkages.oldham("5 mm")
    >>> kb.mobility(m).actual
    1
    """
    ends: dict[str, Place] = {"A": (0, 0), "B": ("offset", 0)}
    mass = "density*shaft"
    flange: dict[str, Any] = {"mass": mass, "inertia": f"{mass}*shaft^2/2"}
    bodies = [
        body("input", {"A": [0, 0]}, **flange),
        body("disc", {"M": [0, 0]}, **flange),
        body("output", {"B": [0, 0]}, **flange),
    ]
    slots = [
        joint("prismatic", "first slot", "input.A", "disc.M", axis=[1, 0]),
        joint("prismatic", "second slot", "output.B", "disc.M", axis=[0, 1]),
    ]
    slots[0]["drawn"], slots[1]["drawn"] = "offset*cos(at)", "offset*sin(at)"
    sizes = {"offset": offset, "shaft": shaft, "at": at}
    table = planar("Oldham coupling", sizes, ends, bodies, more=slots, inputs={"A": "at"})
    return built(oldham, table, more, signed=["at"])

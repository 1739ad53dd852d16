"""Linkages of several dyads in the plane: six-bars, walking legs and a straight line.

They are alike: links pinned at points of the same name, and for every dyad the side on which its
inner pin lies. So each is a table of links and sides.
"""

from __future__ import annotations

from typing import Any

from ..door import public
from ..model.mechanism import Mechanism
from .parts import SWINGS, Size, bar, built, planar, plate

JANSEN = {
    **{"a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7},
    **{"h": 65.7, "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0},
}
"""Theo Jansen's numbers, in millimetres here."""
KLANN = {
    "crank": 0.268,
    "arm": 0.590,
    "elbow": 0.5221,
    "reach": 1.1051,
    "lower": 0.3206,
    "upper": 0.5177,
    "thigh": 0.8966,
    "shin": 0.8966,
    "leg": 1.732,
}
"""Proportions of Klann's patent (US 6,260,862)."""
ARM, LEG = ("arm", "reach", "elbow"), ("thigh", "shin", "leg")
"""Sides of the bent links of Klann's leg."""


@public
def watt(  # noqa: PLR0917  (eight lengths in a row)
    a: Size,
    b: Size,
    c: Size,
    d: Size,
    e: Size,
    f: Size,
    g: Size,
    h: Size,
    *,
    angle: Size = "60 deg",
    at: Size = "30 deg",
    **more: Any,
) -> Mechanism:
    """Watt's six-bar, two four-bars in a row: the rocker of a, b, c, d turns that of e, f, g, h.

    Base AD = d and DG = h along x, crank a = AB, coupler b = BC, rocker c = DC with the arm e = DE
    `angle` behind it (clockwise), link f = EF, rocker g = GF.

    >>> m = kb.linkages.watt(0.04, 0.12, 0.08, 0.1, 0.08, 0.12, 0.09, 0.15)
    >>> kb.mobility(m).actual
    1
    """
    ground = {"A": (0, 0), "D": ("d", 0), "G": ("d + h", 0)}
    across = "sqrt(c^2 + e^2 - 2*c*e*cos(angle))"
    arm = ("e*cos(angle)", "-e*sin(angle)")
    rocker, derived = plate("rocker", "DCE", ("c", "e", across), arm)
    links = [
        bar("crank", "AB", "a"),
        bar("coupler", "BC", "b"),
        rocker,
        bar("link", "EF", "f"),
        bar("second rocker", "GF", "g"),
    ]
    sizes = {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}
    sizes |= {"angle": angle, "at": at} | derived
    sides = {"C": "left", "F": "left"}
    table = planar("Watt six-bar", sizes, ground, links, inputs={"A": "at"}, assembly=sides)
    return built(watt, table, more, signed=["at", "angle", *derived])


@public
def stephenson(  # noqa: PLR0917  (eight lengths in a row)
    a: Size,
    b: Size,
    c: Size,
    d: Size,
    e: Size,
    f: Size,
    g: Size,
    h: Size,
    *,
    angle: Size = "30 deg",
    at: Size = "30 deg",
    **more: Any,
) -> Mechanism:
    """Stephenson's six-bar: a dyad on a point P of the coupler of the four-bar a, b, c, d.

    Base AD = d and AG = h along x, crank a = AB, coupler b = BC with the point P at the distance e
    from B, `angle` before BC (anticlockwise), link f = PF, rocker g = GF.

    >>> m = kb.linkages.stephenson(0.04, 0.12, 0.08, 0.1, 0.1, 0.15, 0.12, 0.2)
    >>> kb.mobility(m).actual
    1
    """
    ground = {"A": (0, 0), "D": ("d", 0), "G": ("h", 0)}
    across = "sqrt(b^2 + e^2 - 2*b*e*cos(angle))"
    point = ("e*cos(angle)", "e*sin(angle)")
    coupler, derived = plate("coupler", "BCP", ("b", "e", across), point)
    links = [
        bar("crank", "AB", "a"),
        coupler,
        bar("rocker", "DC", "c"),
        bar("link", "PF", "f"),
        bar("second rocker", "GF", "g"),
    ]
    sizes = {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}
    sizes |= {"angle": angle, "at": at} | derived
    sides = {"C": "left", "F": "left"}
    table = planar("Stephenson six-bar", sizes, ground, links, inputs={"A": "at"}, assembly=sides)
    return built(stephenson, table, more, signed=["at", "angle", *derived])


@public
def jansen(*, at: Size = "0 deg", **lengths: Any) -> Mechanism:
    """Theo Jansen's leg, with his thirteen numbers a ... m in millimetres; any may be given.

    The crank OM = m turns about the origin; Z, at (-a, -l), bears the triangle ZUL of b, d, e and
    the link ZW = c; j = MU and k = MW pull; f = LV and the triangle WVF of g, i, h carry a foot F.

    >>> foot = kb.linkages.jansen().body("foot").point("F")
    >>> round(float((foot[0] ** 2 + foot[1] ** 2) ** 0.5), 6)
    0.049
    """
    ground = {"O": (0, 0), "Z": ("-a", "-l")}
    upper, derived = plate("upper", "ZUL", ("b", "d", "e"))
    foot, more = plate("foot", "WVF", ("g", "i", "h"))
    links = [
        bar("crank", "OM", "m"),
        bar("upper rod", "MU", "j"),
        upper,
        bar("lower rod", "MW", "k"),
        bar("rocker", "ZW", "c"),
        bar("link", "LV", "f"),
        foot,
    ]
    derived |= more
    sizes: dict[str, Size] = {name: f"{length:g} mm" for name, length in JANSEN.items()}
    sizes |= {"at": at} | derived
    sides = {"U": "right", "W": "left", "V": "right"}
    table = planar("Jansen leg", sizes, ground, links, inputs={"O": "at"}, assembly=sides)
    return built(jansen, table, lengths, signed=["at", *derived])


@public
def klann(*, size: Size = "100 mm", at: Size = "0 deg", **lengths: Any) -> Mechanism:
    """Klann's leg: every length is its proportion in the patent times `size`; any may be given.

    Crank OB; arm BCD, with B to C `arm`, C to D `elbow` and B to D `reach`, on the lower rocker QC;
    leg DEF, with D to E `thigh`, D to F `shin` and E to F `leg`, on the upper rocker SE; F is the
    foot.

    >>> m = kb.linkages.klann()
    >>> kb.mobility(m).actual
    1
    """
    ground = {
        "O": (0, 0),
        "Q": ("(1.009 - 1.599)*size", "(0.574 - 0.750)*size"),
        "S": ("(1.366 - 1.599)*size", "(1.366 - 0.750)*size"),
    }
    bent = "({0}^2 + {1}^2 - {2}^2)/(2*{0})"
    arm, derived = plate("arm", "BCD", ARM, (bent.format(*ARM), "-sqrt(reach^2 - D_x^2)"))
    leg, more = plate("leg", "DEF", LEG, (bent.format(*LEG), "-sqrt(shin^2 - F_x^2)"))
    derived |= more
    lower, upper = bar("lower rocker", "QC", "lower"), bar("upper rocker", "SE", "upper")
    links = [bar("crank", "OB", "crank"), arm, lower, leg, upper]
    sizes: dict[str, Size] = {"size": size} | {
        name: f"{length}*size" for name, length in KLANN.items()
    }
    sizes |= {"at": at} | derived
    sides = {"C": "right", "E": "left"}
    table = planar("Klann leg", sizes, ground, links, inputs={"O": "at"}, assembly=sides)
    return built(klann, table, lengths, signed=["at", *derived])


@public
def peaucellier(
    long: Size, side: Size, crank: Size, *, at: Size = "10 deg", **more: Any
) -> Mechanism:
    """Peaucellier's inversor: P moves on the straight line x = (long^2 - side^2) / (2 crank).

    Arms OT and OB are `long`, the rhombus TRBP has the `side`; the crank CR turns about
    C = (crank, 0), so that R goes through the origin O. It swings by `swing` (30 deg) about `at`.

    >>> m = kb.linkages.peaucellier(0.5, 0.2, 0.2)
    >>> kb.mobility(m).actual
    1
    """
    ground = {"O": (0, 0), "C": ("crank", 0)}
    links = [
        bar("crank", "CR", "crank"),
        bar("upper arm", "OT", "long"),
        bar("lower arm", "OB", "long"),
        bar("upper inner", "RT", "side"),
        bar("lower inner", "RB", "side"),
        bar("upper outer", "TP", "side"),
        bar("lower outer", "BP", "side"),
    ]
    sizes = {"long": long, "side": side, "crank": crank, "at": at, "swing": "30 deg"}
    sides = {"T": "left", "B": "right", "P": "left"}
    table = planar(
        "Peaucellier inversor", sizes, ground, links, inputs={"C": "at"}, law=SWINGS, assembly=sides
    )
    return built(peaucellier, table, more, signed=["at", "swing"])

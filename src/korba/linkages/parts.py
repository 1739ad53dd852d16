"""What ready mechanisms are made of: tables as a file has them, with formulas of named sizes.

A link has named points, and links that have a point of the same name are pinned together there. A
uniform rod of length l has the mass `density*l`; a plate is made of rods along its sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

from ..errors import ExpressionError, Fault, ModelError, refuse_unknown
from ..expr import number
from ..files.lines import Lines
from ..files.reading import mechanism_of
from ..model.body import GROUND
from ..model.mechanism import Mechanism
from ..model.parameters import names_in, resolved

Size = float | str
"""A number in SI units, or a text with a unit."""
Table = dict[str, Any]
Place = Sequence[Any]
"""Components of a point: sizes, and formulas of parameters."""
COMMON: Mapping[str, Size] = {"density": "1 kg/m", "speed": "60 rpm"}
"""Parameters that every mechanism has: mass per length of its rods, speed of its input."""

TURNS, SWINGS = "{} + speed*t", "{} + swing*sin(speed*t)"
"""How inputs move: round and round, or to and fro where they cannot."""


def bar(name: str, ends: Sequence[str], length: str, *, spatial: bool = False) -> Table:
    """A uniform bar along x of its own frame, between two named points: "AB", or a pair of names.

    In space its radius is a twentieth of its length, so that it has an inertia about itself.
    """
    mass, across = f"density*{length}", f"density*{length}^3/12"
    inertia: Any = [f"density*{length}^3/800", across, across] if spatial else across
    points: dict[str, Place] = {ends[0]: [0, 0], ends[1]: [length, 0]}
    return body(name, points, mass=mass, com=[f"{length}/2", 0], inertia=inertia)


def plate(
    name: str, corners: str, sides: Sequence[str], third: Place | None = None
) -> tuple[Table, dict[str, Size]]:
    """Three rods along the sides of a triangle "ABC", and the parameters it needs.

    A is the origin, B lies on x; `sides` are AB, AC and BC. C is where these put it, left of AB,
    unless `third` says where. With C at (x, y), the centre of mass c and the perimeter P,

        c = (AB^2 + AC x + BC (AB + x), (AC + BC) y) / (2 P)
        I = AB^3/3 + AC^3/3 + BC (BC^2/12 + (AB + x)^2/4 + y^2/4) - P c^2,  times the density.
    """
    base, left, right = sides
    x, y, cx, cy = (f"{points}_{axis}" for points in (corners[2], corners) for axis in "xy")
    whole = f"({base} + {left} + {right})"
    place = third or (f"({base}^2 + {left}^2 - {right}^2)/(2*{base})", f"sqrt({left}^2 - {x}^2)")
    sizes: dict[str, Size] = {x: place[0], y: place[1]}
    sizes[cx] = f"({base}^2 + {left}*{x} + {right}*({base} + {x}))/(2*{whole})"
    sizes[cy] = f"({left} + {right})*{y}/(2*{whole})"
    far = f"{right}*({right}^2/12 + ({base} + {x})^2/4 + {y}^2/4)"
    moment = f"density*({base}^3/3 + {left}^3/3 + {far} - {whole}*({cx}^2 + {cy}^2))"
    points: dict[str, Place] = {corners[0]: [0, 0], corners[1]: [base, 0], corners[2]: [x, y]}
    return body(name, points, mass=f"density*{whole}", com=[cx, cy], inertia=moment), sizes


def body(name: str, points: Mapping[str, Place], **more: Any) -> Table:
    """A body with named points."""
    return {"name": name, "points": {p: list(place) for p, place in points.items()}, **more}


def slider(name: str, *points: str) -> Table:
    """A block that slides, as heavy as a rod of 0.1 m; its points are in its middle."""
    mass = "density*0.1 m"
    return body(name, {p: [0, 0] for p in points}, mass=mass, inertia=f"{mass}*(0.1 m)^2/6")


def pins(bodies: Iterable[Table], ground: Mapping[str, Place]) -> list[Table]:
    """A pin wherever points of bodies have one name: the first that has it is the parent.

    The second pin at a point P is called P2.
    """
    owners: dict[str, list[str]] = {point: [GROUND] for point in ground}
    for each in bodies:
        for point in each["points"]:
            owners.setdefault(point, []).append(each["name"])
    return [
        joint(
            "revolute", point if i == 1 else f"{point}{i}", f"{own[0]}.{point}", f"{other}.{point}"
        )
        for point, own in owners.items()
        for i, other in enumerate(own[1:], 1)
    ]


def joint(kind: str, name: str, parent: str, child: str, **more: Any) -> Table:
    """A joint between two points."""
    return {"name": name, "type": kind, "parent": parent, "child": child, **more}


def driven(joints: list[Table], inputs: Mapping[str, str], law: str = TURNS) -> list[Table]:
    """Drives that move joints on from the values of parameters, where they are drawn."""
    for each in joints:
        if each["name"] in inputs:
            each["drawn"] = inputs[each["name"]]
    return [
        {"name": f"drive {name}", "joint": name, "position": law.format(start)}
        for name, start in inputs.items()
    ]


def planar(
    name: str,
    sizes: Mapping[str, Size],
    ground: Mapping[str, Place],
    bodies: list[Table],
    *,
    more: Sequence[Table] = (),
    inputs: Mapping[str, str],
    law: str = TURNS,
    **top: Any,
) -> Table:
    """A planar linkage: links pinned at points of the same name, further joints, and its inputs."""
    joints = [*pins(bodies, ground), *more]
    return document(
        name,
        sizes,
        bodies,
        joints,
        driven(joints, inputs, law),
        points={p: list(place) for p, place in ground.items()},
        plane="xy",
        **top,
    )


def document(
    name: str,
    sizes: Mapping[str, Size],
    bodies: list[Table],
    joints: list[Table],
    drives: list[Table],
    **top: Any,
) -> Table:
    """A mechanism as a file has it."""
    parameters = {**sizes, **COMMON}
    sections = {"parameters": parameters, "body": bodies, "joint": joints, "drive": drives}
    return {"korba": 1, "name": name, **top, **{k: v for k, v in sections.items() if v}}


def built(
    builder: Callable[..., Mechanism],
    table: Table,
    more: Mapping[str, Any],
    *,
    signed: Iterable[str] = (),
) -> Mechanism:
    """The mechanism of a document, with further parameters replaced: those given to its builder.

    Lengths among its parameters are above 0, but for the `signed` ones.
    """
    _refuse_unknown_sizes(builder, more, table["parameters"])
    error = partial(ModelError.of_faults, f"mechanism {table['name']!r}")
    raw = {
        **table["parameters"],
        **{key: x for key, x in more.items() if key in table["parameters"]},
    }
    if faults := list(_length_faults(raw, {*signed, *COMMON})):
        raise error(faults)
    return mechanism_of(table, more, Lines(), error)


def _refuse_unknown_sizes(
    builder: Callable[..., Mechanism], more: Mapping[str, Any], sizes: Iterable[str]
) -> None:
    """An error for an argument that is neither an option of the builder nor a size."""
    known = [p.name for p in signature(builder).parameters.values() if p.kind != p.VAR_KEYWORD]
    known += [name for name in sizes if name not in known]
    refuse_unknown("option or size", more, known, builder.__name__)


def _length_faults(raw: Mapping[str, Size], signed: set[str]) -> Iterable[Fault]:
    """Parameters that are no lengths above 0."""
    quantities = resolved(raw)
    for fault in quantities.faults:
        lengths = sorted(_given(fault.where[1], raw) - {fault.where[1]})
        told = ", ".join(f"{name} = {raw[name]}" for name in lengths)
        message = f"has no value: {told} do not fit together; change one of them"
        yield replace(fault, message=message) if lengths else fault
    for name in raw.keys() - signed - quantities.bad:
        try:
            value = number(raw[name], "length", quantities.names)
        except ExpressionError as error:
            yield Fault(("parameter", name), str(error))
        else:
            if value <= 0:
                yield Fault(("parameter", name), f"is a length above 0, got {raw[name]!r}")


def _given(name: str, raw: Mapping[str, Size]) -> set[str]:
    """The parameters that a parameter is made of, in the end."""
    used = names_in(raw[name]) & raw.keys()
    return set().union(*(_given(each, raw) for each in used)) if used else {name}

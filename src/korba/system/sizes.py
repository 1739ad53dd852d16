"""A mechanism with some of its parameters as symbols: the sizes that are inputs of a program.

Values that the user wrote in terms of a parameter are read again, with the symbol `p[i]` in the
place of its number, and put into copies of the elements. Formulas then take them like any number,
so that one traced program serves every design. What is chosen by looking at numbers (the frames of
links, regrouped inertias) is left as it was described; a direction beside an axis is chosen by the
formula itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from ..errors import StructureError, refuse_unknown
from ..expr import Expr, Quantity, less_equal
from ..expr.quantities import size_symbol
from ..model.body import Body
from ..model.collapse import least_square, links_between_points
from ..model.fields import Element, Invalid, read_or_invalid, specs_of
from ..model.joint import Joint
from ..model.mechanism import Mechanism, unchecked
from ..model.parameters import names_in, resolved
from ..model.points import moved_points, placed_by_drawing
from ..model.specs import Number
from ..model.validate import CLASSES
from ..spatial.rotation import cross

ROUNDING = 1e-6
"""Part of a moment of inertia that is forgiven (spatial/inertia.py)."""


def with_symbols(m: Mechanism, parameters: Sequence[str]) -> Mechanism:
    """The mechanism with symbols for some of its parameters.

    It is for formulas only: it has not been checked as a mechanism is, and cannot be.
    """
    names, moving = _names(m, parameters)
    changes: dict[tuple[str, str], dict[str, Any]] = {}
    for (section, element, key), raw in m.formulas:
        if names_in(raw) & moving:
            changes.setdefault((section, element), {})[key] = raw
    shadow = unchecked(_changed(m, changes.pop(("mechanism", m.name), {}), names))
    for attribute, cls in CLASSES.items():
        elements = [
            _changed(element, changes.get((cls.section, element.name), {}), names)
            for element in getattr(m, attribute)
        ]
        object.__setattr__(shadow, attribute, tuple(elements))
    _refuse_rotors(m, changes)
    for attribute, placed in moved_points(shadow).items():
        object.__setattr__(shadow, attribute, placed)
    return shadow


def _names(m: Mechanism, wanted: Sequence[str]) -> tuple[Mapping[str, Quantity], set[str]]:
    """All parameters as quantities, and the names of those that depend on the wanted ones."""
    raw = dict(m.parameters)
    refuse_other_sizes(m, wanted)
    nominal = resolved(raw).names
    symbols = {
        name: Quantity(size_symbol(i), nominal[name].dimension) for i, name in enumerate(wanted)
    }
    moving = set(wanted)
    while more := {name for name in raw if name not in moving and names_in(raw[name]) & moving}:
        moving |= more
    return resolved(raw, symbols).names, moving


def refuse_other_sizes(m: Mechanism, names: Sequence[str]) -> None:
    """An error where a name is no parameter of the mechanism, or stands twice."""
    refuse_unknown("parameter", names, dict(m.parameters), end=f" in mechanism {m.name!r}")
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise StructureError(f"parameters: {twice[0]!r} is named twice; name it once")


def bounds(m: Mechanism, names: Sequence[str]) -> list[Expr]:
    """What must be above 0 for a design to be one, as formulas of the sizes that are inputs.

    Bounds of fields, masses and moments that a body can have, axes with a direction, links with
    a length.
    """
    shadow = with_symbols(m, names)
    elements = [element for key in CLASSES for element in getattr(shadow, key)]
    limits = [limit for element in elements for limit in _limits(element)]
    for body in shadow.bodies:
        limits += [] if body.as_given else _of_mass(body, m.plane is not None)
    for joint in shadow.joints:
        if joint.axis is not None:
            z = np.array(joint.axis)
            x = np.array(joint.x_axis or (0.0, 0.0, 0.0))
            limits += [z @ z - 1e-24] + ([sum(cross(z, x) ** 2)] if joint.x_axis else [])
    least = least_square(m)
    squares = [link.square for link in links_between_points(shadow)]
    limits += [1.0 - less_equal(x, least) for x in squares if isinstance(x, Expr)]
    return [limit for limit in limits if isinstance(limit, Expr) and limit.op != "constant"]


def _limits(element: Element) -> Iterator[Any]:
    """What the fields of an element, and of its parts, ask of sizes."""
    for key, spec in specs_of(type(element)).items():
        value = getattr(element, key)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Element):
                yield from _limits(part)
        if isinstance(spec, Number) and isinstance(value, Expr):
            if spec.positive:
                yield value
            if spec.minimum is not None:
                yield less_equal(spec.minimum, value)


def _of_mass(body: Body, planar: bool) -> list[Any]:
    """Mass and second moments of a real body: all minors of tr(I)/2 - I are those of a square."""
    inertia = np.array(body.inertia)
    if planar:
        return [less_equal(0.0, body.mass), less_equal(0.0, inertia[2, 2])]
    size = sum(abs(x) for x in inertia.diagonal()) * ROUNDING
    K = (np.trace(inertia) * 0.5 + size) * np.eye(3) - inertia
    minors = [K[i, i] * K[j, j] - K[i, j] * K[j, i] for i, j in ((0, 1), (0, 2), (1, 2))]
    whole = K[0] @ cross(K[1], K[2])
    return [less_equal(0.0, x) for x in (body.mass, *K.diagonal(), *minors, whole)]


def _refuse_rotors(m: Mechanism, changes: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """A joint with a rotor is written out in numbers, so its points cannot be symbols."""
    moving = {name for (section, name), keys in changes.items() if "points" in keys}
    for joint in m.joints:
        if joint.rotor is not None and joint.joins_points and moving & {joint.parent, joint.child}:
            raise StructureError(
                f"joint {joint.name!r}: it has a rotor, and a point that it joins depends on a "
                "parameter that is to be an input; keep this parameter a number"
            )


def _refuse_sketched(element: Any, key: str) -> None:
    """A place in a sketch has nothing to do with sizes, unless it is all there is of them."""
    if isinstance(element, Joint) and not element.joins_points:
        raise StructureError(
            f"joint {element.name!r}: its {key} depends on a parameter that is to be an input, but "
            "the drawing did not close and was moved; let the joint join points of its bodies"
        )


def _changed(element: Any, raw: Mapping[str, Any], names: Mapping[str, Quantity]) -> Any:
    """A copy of an element with some fields read again."""
    other: Element = copy(element)
    specs = specs_of(type(element))
    sketched = {key for key, _, _ in element.written}
    sketched -= {place for key, place in getattr(element, "places", ()) if key in sketched}
    for key, value in raw.items():
        if key in sketched and not (key == "at" and placed_by_drawing(element)):
            _refuse_sketched(element, key)
            continue
        new = read_or_invalid(specs[key], value, names, type(element))
        if isinstance(new, Invalid):
            raise StructureError(f"{element.section} {element.name!r}: {key} {new.message}")
        object.__setattr__(other, key, new)
    return other.settled()

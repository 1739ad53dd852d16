"""A mechanism with some of its parameters as symbols: the sizes that are inputs of a program.

Values that the user wrote in terms of a parameter are read again, with the symbol `p[i]` in the
place of its number, and put into copies of the elements. Formulas then take them like any number,
so that one traced program serves every design. What is chosen by looking at numbers (the frames of
links, regrouped inertias) is left as it was described.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from ..errors import StructureError
from ..expr import Expr, Quantity
from ..expr.quantities import size_symbol
from ..model.fields import Element, Invalid, read_or_invalid, specs_of
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..model.parameters import names_in, resolved
from ..model.points import moved_points
from ..model.validate import CLASSES

WRITTEN_OUT = ("armature", "rotor", "elastic")
"""Fields that become bodies and joints of their own before a tree is made."""
CHOSEN_BY_NUMBERS = ("axis", "x_axis", "drawn", "plane")
"""Fields that decide about signs and branches, so that only numbers will do."""


def with_symbols(m: Mechanism, whole: Mechanism, parameters: Sequence[str]) -> Mechanism:
    """`whole`, the mechanism `m` written out, with symbols for parameters of `m`.

    It is for formulas only: it has not been checked as a mechanism is, and cannot be.
    """
    names, moving = _names(m, parameters)
    changes: dict[tuple[str, str], dict[str, Any]] = {}
    for (section, element, key), raw in m.formulas:
        if names_in(raw) & moving:
            _refuse_unfit(section, element, key)
            changes.setdefault((section, element), {})[key] = raw
    shadow = _changed(whole, changes.pop(("mechanism", m.name), {}), names)
    for attribute, cls in CLASSES.items():
        elements = [
            _changed(element, changes.get((cls.section, element.name), {}), names)
            for element in getattr(whole, attribute)
        ]
        object.__setattr__(shadow, attribute, tuple(elements))
    for attribute, placed in moved_points(shadow).items():
        object.__setattr__(shadow, attribute, placed)
    return shadow


def _names(m: Mechanism, wanted: Sequence[str]) -> tuple[Mapping[str, Quantity], set[str]]:
    """All parameters as quantities, and the names of those that depend on the wanted ones."""
    raw = dict(m.parameters)
    refuse_unknown(m, wanted)
    nominal = resolved(raw).names
    symbols = {
        name: Quantity(size_symbol(i), nominal[name].dimension) for i, name in enumerate(wanted)
    }
    moving = set(wanted)
    while more := {name for name in raw if name not in moving and names_in(raw[name]) & moving}:
        moving |= more
    return resolved(raw, symbols).names, moving


def refuse_unknown(m: Mechanism, names: Sequence[str]) -> None:
    """An error where a name is no parameter of the mechanism, or stands twice."""
    known = [name for name, _ in m.parameters]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise StructureError(
            f"mechanism {m.name!r} has no parameter {', '.join(map(repr, unknown))}; there are "
            f"{', '.join(known) or 'none'}"
        )
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise StructureError(f"parameters: {twice[0]!r} is named twice; name it once")


def bounds(m: Mechanism, names: Sequence[str]) -> list[Expr]:
    """What must be above 0 for a design to be one, as formulas of the sizes that are inputs."""
    return []


def _refuse_unfit(section: str, element: str, key: str) -> None:
    if key in WRITTEN_OUT or key in CHOSEN_BY_NUMBERS:
        raise StructureError(
            f"{section} {element!r}: its {key} depends on a parameter that is to be an input; only "
            "lengths, places, masses, moments, laws and constants of forces can, so keep this "
            "parameter a number"
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
    for key, value in raw.items():
        if key in sketched:
            _refuse_sketched(element, key)
            continue
        new = read_or_invalid(specs[key], value, names, type(element))
        if isinstance(new, Invalid):
            raise StructureError(f"{element.section} {element.name!r}: {key} {new.message}")
        object.__setattr__(other, key, new)
    return other

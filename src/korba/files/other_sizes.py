"""A mechanism with other parameters: only what was written in terms of them is read again.

Which values those are is the same for all designs of a family, so it is found once and kept with
it: formulas that still give the value that their field has, and the parameters that each uses. A
design then costs the few values that change, and the closing of its drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import ExpressionError, ModelError
from ..model.fields import Element, Names, keep_units, specs_of
from ..model.given import as_given, made
from ..model.joint import coordinate_names, velocity_names
from ..model.mechanism import Mechanism, family_of
from ..model.parameters import Parameters, names_in, resolved
from ..model.sketches import NOTE, Starts, closed_before
from ..model.validate import CLASSES

KEPT = "formulas"
"""What a family keeps them under."""


class Formula(NamedTuple):
    """How a field was written, in terms of some parameters."""

    place: tuple[str, str, str]
    """Section, element and field."""
    raw: Any
    uses: frozenset[str]
    """Those parameters, and all that these are made of."""


@dataclass(frozen=True, eq=False)
class Formulas:
    """The formulas of a family, and its parameters in the design where they were looked at."""

    all: tuple[Formula, ...]
    texts: tuple[tuple[tuple[str, ...], Any], ...]
    """How values were written, as a mechanism keeps it."""
    parameters: Parameters
    uses: Mapping[str, frozenset[str]]
    """All that each parameter is made of, itself too."""

    def resolved(self, raw: Mapping[str, Any]) -> Parameters:
        """Parameters of another design; those that nothing has changed are known."""
        changed = _differing(self.parameters.raw, raw)
        names = self.parameters.names
        same = {name: names[name] for name in raw if not self.uses[name] & changed}
        return resolved(raw, same)


def with_sizes(m: Mechanism, sizes: Mapping[str, Any]) -> Mechanism | None:
    """The mechanism with other values of some parameters.

    None where something is wrong with it: reading it as a whole then tells what.
    """
    formulas: Formulas | None = family_of(m).get(KEPT) or _formulas(m)
    old = dict(m.parameters)
    if formulas is None or not sizes.keys() <= old.keys():
        return None
    family_of(m)[KEPT] = formulas
    new = old | {k: x.item() if isinstance(x, np.generic) else x for k, x in sizes.items()}
    parameters = formulas.resolved(new)
    if parameters.faults:
        return None
    changed = _differing(old, new)
    raw: dict[tuple[str, str], dict[str, Any]] = {}
    for formula in formulas.all:
        if formula.uses & changed:
            section, name, key = formula.place
            raw.setdefault((section, name), {})[key] = formula.raw
    try:
        return replace(
            m,
            **dict(_changes(m, raw, parameters.names)),
            parameters=tuple(new.items()),
            formulas=formulas.texts,
            notes=tuple(note for note in m.notes if not str(note).startswith(NOTE)),
        )
    except (ExpressionError, ModelError):
        return None


def _changes(
    m: Mechanism, raw: Mapping[tuple[str, str], Mapping[str, Any]], names: Names
) -> Iterator[tuple[str, Any]]:
    """Fields and lists of the mechanism with what is read again."""
    yield from _read(m, raw.get((m.section, m.name), {}), names).items()
    starts = closed_before(m.joints)
    for attribute, cls in CLASSES.items():
        elements = getattr(m, attribute)
        own = [raw.get((cls.section, element.name)) for element in elements]
        if any(own):
            pairs = zip(elements, own, strict=True)
            yield (
                attribute,
                [_changed(e, fields, names, starts) if fields else e for e, fields in pairs],
            )


def _changed(element: Any, raw: Mapping[str, Any], names: Names, starts: Starts) -> Any:
    """An element with some fields read again; a joint begins where it was closed before."""
    given = as_given(element)
    new = replace(given, **_read(given, raw, names))
    if element.units:
        object.__setattr__(new, "units", element.units)
    keep_units(new, raw, names)
    moved = starts.get(element.name) if element.section == "joint" else None
    return new if moved is None else made(new, drawn=moved)


def _read(element: Element, raw: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Values of fields."""
    if not raw:
        return {}
    specs = specs_of(type(element))
    with np.errstate(all="ignore"):  # what is not finite is judged, not warned of
        return {key: specs[key].read(value, names, type(element)) for key, value in raw.items()}


def _formulas(m: Mechanism) -> Formulas | None:
    """Those of a mechanism; None where names of parameters mean coordinates too."""
    raw = dict(m.parameters)
    parameters = resolved(raw)
    coordinates = {name for joint in m.joints for name in coordinate_names(joint)}
    coordinates |= {f"v_{name}" for joint in m.joints for name in velocity_names(joint)}
    if parameters.faults or coordinates & raw.keys():
        return None
    uses = {name: _made_of(name, raw) for name in raw}
    elements: dict[tuple[str, ...], Any] = {(m.section, m.name): m}
    for attribute, cls in CLASSES.items():
        elements |= {(cls.section, e.name): as_given(e) for e in getattr(m, attribute)}
    formulas, texts = list[Formula](), []
    for place, value in m.formulas:
        own = names_in(value) & raw.keys()
        element = elements.get(place[:2])
        if not own:
            texts.append((place, value))
        elif element is not None and _holds(element, place[2], value, parameters.names):
            section, name, key = place
            texts.append((place, value))
            formulas.append(
                Formula((section, name, key), value, frozenset().union(*(uses[n] for n in own)))
            )
    return Formulas(tuple(formulas), tuple(texts), parameters, uses)


def _holds(element: Element, key: str, raw: Any, names: Names) -> bool:
    """Whether a field still has the value that its formula gives."""
    with suppress(ExpressionError):
        return bool(_read(element, {key: raw}, names)[key] == getattr(element, key))
    return False


def _made_of(name: str, raw: Mapping[str, Any]) -> frozenset[str]:
    """A parameter and all that it is made of."""
    used, more = {name}, [name]
    while more:
        new = (names_in(raw[more.pop()]) & raw.keys()) - used
        used |= new
        more += new
    return frozenset(used)


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """Names of values that are not the same."""
    return {
        name
        for name, value in new.items()
        if type(value) is not type(old[name]) or value != old[name]
    }

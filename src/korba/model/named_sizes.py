"""Values that elements made in Python give in terms of the parameters of their mechanism.

    kb.Mechanism(parameters={"c": "2 kN/m"}, forces=[kb.Spring("s", ..., stiffness="c")], ...)

An element is made before its mechanism, and cannot know what "c" is: its field then is an `Invalid`
or a law of a strange name, and the text stays beside it (`Element.raw`). Here it is read again with
the parameters at hand, as a file is, and kept as a formula, so that `kb.redimension` and `kb.save`
know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..errors import Fault
from .fields import (
    Element,
    Names,
    Spec,
    default_of,
    keep_units,
    read_or_invalid,
    specs_of,
)
from .parameters import names_in, resolved

Formulas = dict[tuple[str, ...], Any]


class Sized(NamedTuple):
    """Elements whose texts were read with the parameters, and how these were written."""

    fields: dict[str, Any]
    """Values of the mechanism's own fields."""
    lists: dict[str, tuple[Any, ...]]
    formulas: Formulas
    faults: tuple[Fault, ...]
    """Of the parameters."""


def with_named_sizes(m: Any, lists: Mapping[str, type[Element]]) -> Sized | None:
    """What the parameters of a mechanism make of texts in its elements; None where that is nothing.

    `lists` are its fields that hold elements.
    """
    raw = dict(m.parameters)
    if not raw or not any(_named(each, raw) for key in ("", *lists) for each in _of(m, key)):
        return None
    parameters = resolved(raw)
    formulas: Formulas = {}
    texts = {key: (*((e, _named(e, raw)) for e in _of(m, key)),) for key in ("", *lists)}
    for element, named in chain(*texts.values()):
        place = element.section, str(getattr(element, "name", ""))
        formulas |= {(*place, key): text for key, text in named.items()}
    made = {key: tuple(_read(*pair, parameters.names) for pair in texts[key]) for key in lists}
    return Sized(_values(*texts[""][0], parameters.names), made, formulas, (*parameters.faults,))


def _of(m: Any, key: str) -> tuple[Any, ...]:
    """The elements in a field; of no field the mechanism itself."""
    return tuple(getattr(m, key)) if key else (m,)


def _read(element: Any, texts: Mapping[str, Any], names: Names) -> Any:
    """An element with some fields read again."""
    if not texts:
        return element
    new = replace(element, **_values(element, texts, names))
    object.__setattr__(new, "raw", ())
    keep_units(new, texts, names)
    return new


def _values(element: Any, texts: Mapping[str, Any], names: Names) -> dict[str, Any]:
    cls = type(element)
    return {key: read_or_invalid(specs_of(cls)[key], x, names, cls) for key, x in texts.items()}


def _named(element: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that are still as they were given, in texts that use such names, and these."""
    if not isinstance(element, Element):
        return {}
    return {key: _plain(text) for key, text in _texts(element) if names_in(text) & names.keys()}


def _plain(raw: Any) -> Any:
    """A raw value in words of TOML."""
    if isinstance(raw, Mapping):
        return {key: _plain(value) for key, value in raw.items()}
    if isinstance(raw, list | tuple | np.ndarray):
        return [_plain(value) for value in raw]
    return raw.item() if isinstance(raw, np.generic) else raw


def _texts(element: Element) -> Iterator[tuple[str, Any]]:
    """Fields of an element as they were given in texts, parts as tables of theirs."""
    specs, given = specs_of(type(element)), dict(element.raw)
    for key, spec in specs.items():
        value = getattr(element, key)
        parts = value if isinstance(value, tuple) else (value,)
        if key in given and _stands(spec, given[key], value, type(element)):
            yield key, given[key]
        elif any(isinstance(part, Element) and part.raw for part in parts):
            tables = [_table(part) if isinstance(part, Element) else part for part in parts]
            yield key, tables if isinstance(value, tuple) else tables[0]


def _table(part: Element) -> dict[str, Any]:
    """A part as a file has it, with its texts."""
    texts, specs = dict(_texts(part)), specs_of(type(part))
    return {
        key: texts[key] if key in texts else spec.write(getattr(part, key))
        for key, spec in specs.items()
        if key in texts or getattr(part, key) != default_of(type(part), key)
    }


def _stands(spec: Spec, raw: Any, value: Any, owner: type) -> bool:
    """Whether a field still is what its text gave without a mechanism."""
    return bool(read_or_invalid(spec, raw, {}, owner) == value)

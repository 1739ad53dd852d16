"""The tables of a file to a `Mechanism`, or to one error with everything that is wrong.

Elements are always built, with `Invalid` where a value cannot be read, so that the faults of keys,
of elements and of the mechanism as a whole come together. An element whose name is missing or
taken gets an alias ("#2", the second of its section), so that each fault finds its own line.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..door import shown
from ..errors import Fault, KorbaError, ModelError, nearest, unknown, way_out
from ..model.curve import LawOrCurve
from ..model.fields import (
    Element,
    Invalid,
    nearest_key,
    read_or_invalid,
    read_table,
    specs_of,
)
from ..model.given import made
from ..model.joint import coordinate_names, velocity_names
from ..model.mechanism import Mechanism
from ..model.parameters import Parameters, names_in, resolved, texts_in
from ..model.sketches import closed_before
from ..model.specs import Formulas, Law, Laws, Text
from .limits import Place
from .schema import SECTIONS, VERSION, Section

LineOf = Callable[[Place], int | None]
TOP_KEYS = ("korba", "notes", "parameters", *specs_of(Mechanism), *(s.key for s in SECTIONS))


@dataclass
class Entry:
    """One table of a section on its way to an element."""

    section: Section
    place: Place
    raw: dict[str, Any]
    shown_name: str
    alias: str = ""
    doubtful: bool = False
    """Whether its type is unknown, so that only what all elements have can be judged."""
    element: Any = None

    @property
    def where(self) -> tuple[str, str]:
        """How faults name it."""
        return (self.section.key, self.shown_name)


def mechanism_of(
    document: Mapping[str, Any],
    overrides: Mapping[str, Any],
    line_of: LineOf,
    error: Callable[[list[Fault]], KorbaError],
    text: str = "",
    *,
    near: Mechanism | None = None,
) -> Mechanism:
    """The mechanism that the document describes; raises `error` of all faults.

    Its drawing is closed starting from that of `near`, one of other sizes.
    """
    reader = _Reader(document, overrides, line_of, text, near)
    with np.errstate(all="ignore"):  # sizes of 1e200 m are judged, not warned of
        m = reader.mechanism() if reader.right_version() else None
    if m is None or reader.faults:
        found = dict.fromkeys(reader.faults)
        raise error(sorted(found, key=lambda fault: fault.line or 0))
    return m


@dataclass
class _Reader:
    document: Mapping[str, Any]
    overrides: Mapping[str, Any]
    line_of: LineOf
    text: str
    near: Mechanism | None = None
    faults: list[Fault] = field(default_factory=list)
    formulas: dict[tuple[str, ...], Any] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def fault(self, message: str, *keys: str, entry: Entry | None = None) -> None:
        """A fault at a key of an entry, or of the mechanism."""
        where = entry.where if entry else ("mechanism", self.name())
        place = (*entry.place, *keys) if entry else keys
        self.faults.append(Fault((*where, *keys), message, self.line_of(place)))

    def right_version(self) -> bool:
        """Whether the file has the format of this reader."""
        version = self.document.get("korba", VERSION)
        if version == VERSION and type(version) is int:
            return True
        message = f"is the version of the format; this Korba reads {VERSION}, got {shown(version)}"
        self.faults.append(Fault(("korba",), message, self.line_of(("korba",))))
        return False

    def mechanism(self) -> Mechanism | None:
        """The mechanism; None, with faults noted, where it makes no sense."""
        self.top_keys()
        parameters = self.parameters()
        values = self.own_fields(parameters)
        for section in SECTIONS:
            self.entries += self.section_entries(section)
        self.give_aliases()
        for entry in self.entries:
            self.build(entry, parameters)
        self.ambiguous_names(parameters)
        if self.near is not None:
            self.start_from(self.near)
        lists: dict[str, Any] = {
            s.attribute: [e.element for e in self.entries if e.section is s and e.element]
            for s in SECTIONS
        }
        try:
            return Mechanism(
                **values,
                **lists,
                parameters=tuple(parameters.raw.items()),
                formulas=tuple(self.formulas.items()),
                notes=tuple(self.notes()),
                text=self.text,
            )
        except ModelError as error:
            self.of_model(error, parameters)
            return None

    def start_from(self, near: Mechanism) -> None:
        """Joints begin where those of another mechanism were closed."""
        starts = closed_before(near.joints)
        for entry in self.entries:
            if entry.section.attribute == "joints" and entry.alias in starts and entry.element:
                entry.element = made(entry.element, drawn=starts[entry.alias])

    def top_keys(self) -> None:
        """Keys at the top that mean nothing; a section close to a known one is read as that one."""
        for key, value in self.document.items():
            if key not in TOP_KEYS:
                near = _near_section(key) if isinstance(value, dict | list) else None
                hint = f"unknown section {key!r}; did you mean [[{near}]]?"
                self.fault(hint if near else nearest_key(key, TOP_KEYS), key)

    def name(self) -> str:
        name = self.document.get("name", "")
        return name if isinstance(name, str) else ""

    def notes(self) -> Iterator[str]:
        raw = self.document.get("notes", [])
        for note in raw if isinstance(raw, list) else [raw]:
            if isinstance(note, str):
                yield note
            else:
                self.fault(f"expected a list of texts, got {shown(note)}", "notes")

    def parameters(self) -> Parameters:
        """All parameters, with the overrides in their places."""
        raw = self.document.get("parameters", {})
        if not isinstance(raw, Mapping):
            message = f'expected a table such as [parameters] l1 = "60 mm", got {shown(raw)}'
            self.fault(message, "parameters")
            raw = {}
        raw = dict(raw)
        for name, value in self.overrides.items():
            if name in raw:
                raw[name] = value.item() if isinstance(value, np.generic) else value
            else:
                message = unknown("parameter", name, raw, cutoff=0.5)
                self.faults.append(Fault(("parameter", name), message))
        parameters = resolved(raw)
        for fault in parameters.faults:
            line = self.line_of(("parameters", fault.where[1]))
            self.faults.append(dataclasses.replace(fault, line=line))
        return parameters

    def own_fields(self, parameters: Parameters) -> dict[str, Any]:
        """Name, plane, gravity and description of the mechanism."""
        self.keep_formulas(("mechanism", self.name()), Mechanism, self.document)
        return {
            key: read_or_invalid(spec, self.document[key], parameters.names, Mechanism)
            for key, spec in specs_of(Mechanism).items()
            if key in self.document
        }

    def keep_formulas(
        self, where: tuple[str, ...], cls: type[Element], raw: Mapping[str, Any]
    ) -> None:
        """Note how values were written, where that says more than a number."""
        for key, spec in specs_of(cls).items():
            if not spec.textual and any(texts_in(raw.get(key))):
                self.formulas[(*where, key)] = raw[key]

    def section_entries(self, section: Section) -> Iterator[Entry]:
        """The tables of a section, also of one whose name is nearly right."""
        for key, value in self.document.items():
            meant = key if key in TOP_KEYS else _near_section(key)
            if meant != section.key or not (key == meant or isinstance(value, dict | list)):
                continue
            if not isinstance(value, dict | list):
                self.fault(f"expected tables under [[{key}]], got {shown(value)}", key)
            elif isinstance(value, dict) and key == meant:
                self.fault(f"is a single table; write [[{key}]] with double brackets", key)
            if isinstance(value, dict):
                yield _entry(section, (key,), value, 0)
            for i, table in enumerate(value if isinstance(value, list) else ()):
                entry = _entry(section, (key, i), table if isinstance(table, dict) else {}, i)
                if isinstance(table, dict):
                    yield entry
                else:
                    self.fault(f"expected a table with a name, got {shown(table)}", entry=entry)

    def give_aliases(self) -> None:
        """Every entry a name of its own; one that is taken is a fault at its second use."""
        counts = Counter(e.where for e in self.entries)
        taken = set(counts)
        seen: Counter[tuple[str, str]] = Counter()
        for entry in self.entries:
            key = entry.where
            entry.alias = entry.shown_name
            seen[key] += 1
            if seen[key] == 2:
                message = f"the name is used {counts[key]} times; every {key[0]} needs its own"
                self.fault(message, "name", entry=entry)
            while seen[key] > 1 and (key[0], entry.alias) in taken:
                entry.alias += f"#{seen[key]}"
            taken.add((key[0], entry.alias))

    def build(self, entry: Entry, parameters: Parameters) -> None:
        """The element of an entry, and the faults of its keys."""
        cls = self.class_of(entry)
        if cls is None:
            return
        known = specs_of(cls)
        valid = [*known, "type"] if entry.section.typed else [*known]
        for key in entry.raw:
            if key not in valid and not entry.doubtful:
                self.fault(nearest_key(key, valid), key, entry=entry)
        table = {key: value for key, value in entry.raw.items() if key in known}
        element, _ = read_table(cls, table, parameters.names)
        name = getattr(element, "name", None)
        if isinstance(name, Invalid):
            self.fault(name.message, "name", entry=entry)
        if name != entry.alias:
            element = dataclasses.replace(element, name=entry.alias)  # type: ignore[call-arg]
        entry.element = element
        self.keep_formulas(entry.where, cls, table)

    def class_of(self, entry: Entry) -> type[Element] | None:
        """The class that the type of an entry names, or the nearest, or one to stand in for it."""
        section, types = entry.section, entry.section.types
        if not section.typed:
            return types[""]
        kind = entry.raw.get("type", section.default)
        if isinstance(kind, str) and kind in types:
            return types[kind]
        if kind is None:
            message = f"is missing; give one of {', '.join(types)}"
        else:
            message = f"unknown type {shown(kind)}; {way_out(kind, types)}"
        self.fault(message, "type", entry=entry)
        if kind is not None and (near := nearest(kind, types)):
            return types[near]
        entry.doubtful = True
        return _stand_in(section)

    def ambiguous_names(self, parameters: Parameters) -> None:
        """A law may not use a parameter that has the name of one of its variables."""
        joints = [e.element for e in self.entries if e.section.key == "joint" and e.element]
        coordinates = {name for joint in joints for name in coordinate_names(joint)}
        coordinates |= {f"v_{name}" for joint in joints for name in velocity_names(joint)}
        coordinates &= parameters.raw.keys()
        for entry in (entry for entry in self.entries if entry.element):
            cls = type(entry.element)
            for key, spec in specs_of(cls).items():
                own = law_variables(spec, cls, coordinates) & parameters.raw.keys()
                for name in sorted(own & names_in(entry.raw.get(key)) if own else ()):
                    both = f"{name!r} is a parameter and also a variable of the law"
                    self.fault(f"{both}; give the parameter another name", key, entry=entry)

    def of_model(self, error: ModelError, parameters: Parameters) -> None:
        """Faults of the whole mechanism, at the lines of the elements they name."""
        entries: dict[tuple[str, ...], Entry] = {(e.section.key, e.alias): e for e in self.entries}
        for fault in error.faults or (Fault((), str(error)),):
            entry = entries.get(fault.where[:2])
            rest = fault.where[2:]
            raw = (entry.raw if entry else self.document).get(rest[0]) if rest else None
            consequence = entry is not None and self.is_consequence(entry, rest)
            if not consequence and not (parameters.bad and names_in(raw) & parameters.bad):
                self.fault(fault.message, *rest, entry=entry)

    def is_consequence(self, entry: Entry, rest: tuple[str, ...]) -> bool:
        """Whether a fault only follows from another one: a bad name, or an unknown type."""
        if entry.alias != entry.raw.get("name") and not rest:
            return True
        return entry.doubtful and rest[:1] not in (("parent",), ("child",))


def _entry(section: Section, place: Place, raw: dict[str, Any], i: int) -> Entry:
    name = read_or_invalid(Text(), raw.get("name"), {}, Element)
    return Entry(section, place, raw, f"#{i + 1}" if isinstance(name, Invalid) else name)


def law_variables(spec: Any, owner: type[Element], coordinates: set[str]) -> set[str]:
    """The variables that a field may use: its own, those of its class, and coordinates."""
    if isinstance(spec, LawOrCurve) and spec.alone:
        return {spec.variable}
    if not isinstance(spec, Law | Laws | LawOrCurve | Formulas):
        return set()
    own: frozenset[str] = getattr(owner, "law_names", frozenset())
    allow = None if isinstance(spec, LawOrCurve) else spec.allow
    return set(allow) if allow is not None else {*own, *coordinates}


def _near_section(key: str) -> str | None:
    return nearest(key, [s.key for s in SECTIONS], cutoff=0.55)


def _stand_in(section: Section) -> type[Element] | None:
    """For a joint of unknown type one with one coordinate, so that its name means something."""
    found = (
        cls for cls in section.types.values() if len(getattr(cls, "coordinate_names", ())) == 1
    )
    return next(found, None)

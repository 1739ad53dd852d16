"""The tables of a file to a `Mechanism`, or to one error with everything that is wrong.

Elements are always built, with `Invalid` where a value cannot be read, so that the faults of keys,
of elements and of the mechanism as a whole come together. An element whose name is missing or
taken gets an alias ("#2", the second of its section), so that each fault finds its own line.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Fault, KorbaError, ModelError
from ..model.curve import LawOrCurve
from ..model.fields import Element, Invalid, nearest_key, read_or_invalid, read_table, shown
from ..model.joint import coordinate_names, velocity_names
from ..model.mechanism import Mechanism
from ..model.parameters import Parameters, frozen, names_in, override_faults, plain, resolved
from ..model.specs import Law, Laws, Text
from .limits import Place
from .raw import has_text
from .sections import SECTIONS, VERSION, Section, spec_of

LineOf = Callable[[Place], int | None]
TOP_KEYS = ("korba", "notes", "parameters", *spec_of(Mechanism), *(s.key for s in SECTIONS))


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


def mechanism_of(
    document: Mapping[str, Any],
    overrides: Mapping[str, Any],
    line_of: LineOf,
    error: Callable[[list[Fault]], KorbaError],
) -> Mechanism:
    """The mechanism that the document describes; raises `error` of all faults."""
    reader = _Reader(document, overrides, line_of)
    with np.errstate(over="ignore", invalid="ignore"):  # sizes of 1e200 m are judged, not warned of
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
    faults: list[Fault] = field(default_factory=list)
    formulas: dict[tuple[str, ...], Any] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def fault(self, where: tuple[str, ...], message: str, place: Place) -> None:
        self.faults.append(Fault(where, message, self.line_of(place)))

    def right_version(self) -> bool:
        """Whether the file has the format of this reader."""
        version = self.document.get("korba", VERSION)
        if version == VERSION and isinstance(version, int) and not isinstance(version, bool):
            return True
        message = f"is the version of the format; this Korba reads {VERSION}, got {shown(version)}"
        self.fault(("korba",), message, ("korba",))
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
            )
        except ModelError as error:
            self.faults += self.of_model(error, parameters)
            return None

    def top_keys(self) -> None:
        """Keys at the top that mean nothing; a section close to a known one is read as that one."""
        for key, value in self.document.items():
            if key not in TOP_KEYS:
                near = _near_section(key) if isinstance(value, dict | list) else None
                hint = f"unknown section {key!r}; did you mean [[{near}]]?"
                message = hint if near else nearest_key(key, TOP_KEYS)
                self.fault(("mechanism", self.name(), key), message, (key,))

    def name(self) -> str:
        name = self.document.get("name", "")
        return name if isinstance(name, str) else ""

    def notes(self) -> Iterator[str]:
        raw = self.document.get("notes", [])
        for note in raw if isinstance(raw, list) else [raw]:
            if isinstance(note, str):
                yield note
            else:
                where = ("mechanism", self.name(), "notes")
                self.fault(where, f"expected a list of texts, got {shown(note)}", ("notes",))

    def parameters(self) -> Parameters:
        """All parameters, with the overrides in their places."""
        raw = self.document.get("parameters", {})
        if not isinstance(raw, Mapping):
            message = f'expected a table such as [parameters] l1 = "60 mm", got {shown(raw)}'
            self.fault(("mechanism", self.name(), "parameters"), message, ("parameters",))
            raw = {}
        self.faults += override_faults(raw, self.overrides)
        given = {name: plain(value) for name, value in self.overrides.items() if name in raw}
        parameters = resolved({**raw, **given})
        for fault in parameters.faults:
            self.fault(fault.where, fault.message, ("parameters", fault.where[1]))
        return parameters

    def own_fields(self, parameters: Parameters) -> dict[str, Any]:
        """Name, plane, gravity and description of the mechanism."""
        values = {}
        for key, spec in spec_of(Mechanism).items():
            if key in self.document:
                raw = self.document[key]
                values[key] = read_or_invalid(spec, raw, parameters.names, Mechanism)
                if not spec.textual and has_text(raw):
                    self.formulas["mechanism", self.name(), key] = frozen(raw)
        return values

    def section_entries(self, section: Section) -> Iterator[Entry]:
        """The tables of a section, also of one whose name is nearly right."""
        for key, value in self.document.items():
            meant = key if key in TOP_KEYS else _near_section(key)
            if meant == section.key and isinstance(value, dict | list):
                yield from self.tables(section, key, value)
            elif key == section.key:
                message = f"expected tables under [[{key}]], got {shown(value)}"
                self.fault(("mechanism", self.name(), key), message, (key,))

    def tables(
        self, section: Section, key: str, value: dict[str, Any] | list[Any]
    ) -> Iterator[Entry]:
        """The entries of `[[key]]` tables."""
        if isinstance(value, dict):
            if key == section.key:
                message = f"is a single table; write [[{key}]] with double brackets"
                self.fault(("mechanism", self.name(), key), message, (key,))
            yield self.entry(section, (key,), value, 0)
            return
        for i, table in enumerate(value):
            if isinstance(table, dict):
                yield self.entry(section, (key, i), table, i)
            else:
                message = f"expected a table with a name, got {shown(table)}"
                self.fault((section.key, f"#{i + 1}"), message, (key, i))

    def entry(self, section: Section, place: Place, raw: dict[str, Any], i: int) -> Entry:
        name = read_or_invalid(Text(), raw.get("name"), {}, Element)
        return Entry(section, place, raw, f"#{i + 1}" if isinstance(name, Invalid) else name)

    def give_aliases(self) -> None:
        """Every entry a name of its own; one that is taken is a fault at its second use."""
        counts = Counter((e.section.key, e.shown_name) for e in self.entries)
        taken = set(counts)
        seen: Counter[tuple[str, str]] = Counter()
        for entry in self.entries:
            key = (entry.section.key, entry.shown_name)
            entry.alias = entry.shown_name
            seen[key] += 1
            if seen[key] == 2:
                message = f"the name is used {counts[key]} times; every {key[0]} needs its own"
                self.fault((*key, "name"), message, (*entry.place, "name"))
            while seen[key] > 1 and (key[0], entry.alias) in taken:
                entry.alias += f"#{seen[key]}"
            taken.add((key[0], entry.alias))

    def build(self, entry: Entry, parameters: Parameters) -> None:
        """The element of an entry, and the faults of its keys."""
        cls = self.class_of(entry)
        if cls is None:
            return
        known = spec_of(cls)
        valid = [*known, "type"] if entry.section.typed else [*known]
        where = (entry.section.key, entry.shown_name)
        for key in entry.raw:
            if key not in valid and not entry.doubtful:
                self.fault((*where, key), nearest_key(key, valid), (*entry.place, key))
        table = {key: value for key, value in entry.raw.items() if key in known}
        element, _ = read_table(cls, table, parameters.names)
        name = getattr(element, "name", None)
        if isinstance(name, Invalid):
            self.fault((*where, "name"), name.message, (*entry.place, "name"))
        if name != entry.alias:
            element = dataclasses.replace(element, name=entry.alias)  # type: ignore[call-arg]
        entry.element = element
        for key, raw in table.items():
            if not known[key].textual and has_text(raw):
                self.formulas[(*where, key)] = frozen(raw)

    def class_of(self, entry: Entry) -> type[Element] | None:
        """The class that the type of an entry names, or the nearest, or one to stand in for it."""
        section, types = entry.section, entry.section.types
        if not section.typed:
            return types[""]
        kind = entry.raw.get("type", section.default)
        if isinstance(kind, str) and kind in types:
            return types[kind]
        near = difflib.get_close_matches(str(kind), types, n=1)
        listed = ", ".join(types)
        if kind is None:
            message = f"is missing; give one of {listed}"
        elif near:
            message = f"unknown type {shown(kind)}; did you mean {near[0]!r}?"
        else:
            message = f"unknown type {shown(kind)}; there are {listed}"
        where = (section.key, entry.shown_name, "type")
        self.fault(where, message, (*entry.place, "type"))
        if kind is not None and near:
            return types[near[0]]
        entry.doubtful = True
        return _stand_in(section)

    def ambiguous_names(self, parameters: Parameters) -> None:
        """A law may not use a parameter that has the name of one of its variables."""
        joints = [e.element for e in self.entries if e.section.key == "joint" and e.element]
        coordinates = {name for joint in joints for name in coordinate_names(joint)}
        coordinates |= {f"v_{name}" for joint in joints for name in velocity_names(joint)}
        coordinates &= parameters.raw.keys()
        for entry in self.entries:
            if entry.element is None:
                continue
            cls = type(entry.element)
            for key, spec in spec_of(cls).items():
                own = law_variables(spec, cls, coordinates) & parameters.raw.keys()
                for name in sorted(own & names_in(entry.raw.get(key)) if own else ()):
                    message = (
                        f"{name!r} is a parameter and also a variable of the law; "
                        "give the parameter another name"
                    )
                    where = (entry.section.key, entry.shown_name, key)
                    self.fault(where, message, (*entry.place, key))

    def of_model(self, error: ModelError, parameters: Parameters) -> Iterator[Fault]:
        """Faults of the whole mechanism, at the lines of the elements they name."""
        entries: dict[tuple[str, ...], Entry] = {(e.section.key, e.alias): e for e in self.entries}
        for fault in error.faults or (Fault((), str(error)),):
            entry = entries.get(fault.where[:2])
            rest = fault.where[2:]
            if entry is None:
                raw = self.document.get(rest[0]) if rest else None
                where: tuple[str, ...] = ("mechanism", self.name(), *rest)
                place: Place = rest
            elif self.is_consequence(entry, rest):
                continue
            else:
                raw = entry.raw.get(rest[0]) if rest else None
                where = (entry.section.key, entry.shown_name, *rest)
                place = (*entry.place, *rest)
            if not parameters.bad or not names_in(raw) & parameters.bad:
                yield Fault(where, fault.message, self.line_of(place))

    def is_consequence(self, entry: Entry, rest: tuple[str, ...]) -> bool:
        """Whether a fault only follows from another one: a bad name, or an unknown type."""
        if entry.alias != entry.raw.get("name") and not rest:
            return True
        return entry.doubtful and rest[:1] not in (("parent",), ("child",))


def law_variables(spec: Any, owner: type[Element], coordinates: set[str]) -> set[str]:
    """The variables that a field may use: its own, those of its class, and coordinates."""
    if isinstance(spec, LawOrCurve):
        return {spec.variable}
    if not isinstance(spec, Law | Laws):
        return set()
    own: frozenset[str] = getattr(owner, "law_names", frozenset())
    return set(spec.allow) if spec.allow is not None else {*own, *coordinates}


def _near_section(key: str) -> str | None:
    near = difflib.get_close_matches(key, [s.key for s in SECTIONS], n=1, cutoff=0.55)
    return near[0] if near else None


def _stand_in(section: Section) -> type[Element] | None:
    """For a joint of unknown type one with one coordinate, so that its name means something."""
    found = (
        cls for cls in section.types.values() if len(getattr(cls, "coordinate_names", ())) == 1
    )
    return next(found, None)

"""A mechanism as the tables of its file; values as they were written, where that still holds."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..errors import ExpressionError, Fault, FileError
from ..model.fields import Element, Names, Spec, default_of, specs_of
from ..model.mechanism import Mechanism
from ..model.parameters import resolved, thawed
from .sections import SECTIONS, VERSION, Section

Formulas = dict[tuple[str, ...], Any]


def document_of(m: Mechanism) -> dict[str, Any]:
    """The tables of the file of `m`; raises FileError for what a file cannot say."""
    parameters = resolved(dict(m.parameters))
    writer = _Writer(m.plane is not None, dict(m.formulas), parameters.names)
    document: dict[str, Any] = {"korba": VERSION, **writer.table(m)}
    if m.notes:
        document["notes"] = [str(note) for note in m.notes]
    if m.parameters:
        document["parameters"] = parameters.raw
    for section in SECTIONS:
        if elements := getattr(m, section.attribute):
            document[section.key] = [writer.typed_table(section, e) for e in elements]
    if faults := [*parameters.faults, *writer.faults]:
        raise FileError.of_faults(f"mechanism {m.name!r} cannot be written; it", faults)
    return document


class _Writer:
    """Writes elements of one mechanism and gathers what cannot be written."""

    def __init__(self, planar: bool, formulas: Formulas, names: Names) -> None:
        self.planar, self.formulas, self.names = planar, formulas, names
        self.faults: list[Fault] = []

    def typed_table(self, section: Section, element: Element) -> dict[str, Any]:
        """The table of an element, with its type behind its name."""
        table = self.table(element)
        if not section.typed:
            return table
        kind = getattr(element, "type", "")
        return {"name": table.pop("name"), "type": kind, **table}

    def table(self, element: Element) -> dict[str, Any]:
        """The table of an element, without what is at its default."""
        table: dict[str, Any] = {}
        for name, spec in specs_of(type(element)).items():
            place = (element.section, str(getattr(element, "name", "")), name)
            try:
                raw = self.raw(spec, element, name, place)
            except ExpressionError as error:
                self.faults.append(Fault(place, str(error)))
            else:
                if raw is not None:
                    table[name] = raw
        return table

    def raw(self, spec: Spec, element: Element, name: str, place: tuple[str, ...]) -> Any:
        """A field as it was written, or plain, or None where it is at its default."""
        value, owner = getattr(element, name), type(element)
        if place in self.formulas:
            raw = thawed(self.formulas[place])
            with suppress(ExpressionError):
                if spec.read(raw, self.names, owner) == value:
                    return raw
        if value == _default(element, name):
            return None
        raw = spec.write(value, self.planar)
        if spec.read(raw, self.names, owner) != value:
            raise ExpressionError(f"{str(raw)[:60]!r} would be read as something else")
        return raw


def _default(element: Element, name: str) -> Any:
    """What a field is without its key; gravity depends on the plane."""
    if isinstance(element, Mechanism) and name == "gravity":
        return Mechanism(plane=element.plane).gravity
    return default_of(type(element), name)

"""XML files as small trees of elements, read by expat and by no rule that a file could abuse.

Refused, each by a `FileError` with the file and the line: document types and entity declarations
(a few lines of them unfold to gigabytes), external entities, text that is not well-formed,
encodings other than UTF-8, UTF-16, ASCII and Latin-1, and files that are too large or too deep.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Never
from xml.parsers import expat

from ..disk import read_bytes, refuse
from ..errors import FileError

DEEPEST_ELEMENT = 200
"""Most elements inside each other."""
MOST_ELEMENTS = 500_000
"""Most elements of a file."""

ENCODINGS = frozenset({"utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin-1"})


@dataclass(frozen=True, slots=True, eq=False)
class XmlElement:
    """An element: its tag, the prefix before the tag, its children, its line and its own text.

    Of the attributes only those without a prefix are kept.
    """

    tag: str
    prefix: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands between its tags, without what stands in its children."""
        return "".join(self.pieces)

    def all(self, *tags: str) -> Iterator[XmlElement]:
        """The children with one of those tags and no prefix."""
        return (child for child in self.children if child.tag in tags and not child.prefix)

    def first(self, tag: str) -> XmlElement | None:
        """The first child with that tag, or None."""
        return next(self.all(tag), None)


def read_xml(path: str | os.PathLike[str]) -> XmlElement:
    """The root element of a file."""
    return parse_xml(read_bytes(path), str(path))


def parse_xml(content: bytes, source: str) -> XmlElement:
    """The root element of a text; `source` names it in errors."""
    builder = _Builder(source)
    try:
        builder.parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "not well-formed")
        message = f"column {error.offset + 1}: this is not well-formed XML ({reason})"
        refuse(source, message, error.lineno)
    except (ValueError, LookupError) as error:
        raise FileError(f"{source}: the encoding cannot be read ({error}); save as UTF-8") from None
    if builder.root is None:
        raise FileError(f"{source}: there is no element in the file")
    return builder.root


class _Builder:
    """The handlers that expat calls, and the elements that are still open."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.root: XmlElement | None = None
        self.open: list[XmlElement] = []
        self.count = 0
        self.parser = parser = expat.ParserCreate()
        parser.XmlDeclHandler = self.declaration
        parser.StartElementHandler = self.start
        parser.EndElementHandler = lambda _: self.open.pop()
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.entity
        parser.UnparsedEntityDeclHandler = self.entity
        parser.ExternalEntityRefHandler = self.entity

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        """`<?xml encoding="..."?>`: only encodings that expat reads by itself."""
        if encoding is not None and encoding.lower() not in ENCODINGS:
            self.refuse(f"the encoding {encoding[:40]!r} is not read; save the file as UTF-8")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element opens."""
        self.count += 1
        if self.count > MOST_ELEMENTS:
            self.refuse(f"there are more than {MOST_ELEMENTS} elements")
        if len(self.open) >= DEEPEST_ELEMENT:
            self.refuse(f"elements are nested more than {DEEPEST_ELEMENT} deep")
        prefix, _, tag = name.rpartition(":")
        own = {key: text for key, text in attributes.items() if ":" not in key and key != "xmlns"}
        element = XmlElement(tag, prefix, own, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def characters(self, text: str) -> None:
        """Text between tags."""
        self.open[-1].pieces.append(text)

    def doctype(self, *_: object) -> None:
        """`<!DOCTYPE ...>`."""
        self.refuse("a document type (<!DOCTYPE ...>) is not allowed; delete it")

    def entity(self, *_: object) -> int:
        """`<!ENTITY ...>`, or a reference to something outside the file."""
        self.refuse("declarations of entities are not allowed; write the text itself")

    def refuse(self, message: str) -> Never:
        """Stop with the line that expat is at."""
        refuse(self.source, message, self.parser.CurrentLineNumber)

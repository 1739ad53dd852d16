"""Files as bytes, as text and as parsed TOML: whatever one holds, at worst it is a `FileError`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Never

from ..errors import Fault, FileError

LARGEST_FILE = 16 * 2**20
"""Bytes of the largest file that is read."""
DEEPEST_NESTING = 20
"""Levels of arrays and tables inside each other; a mechanism needs six."""
LARGEST_INTEGER_BITS = 1024
"""An integer beyond this is no number that a mechanism can have."""

_LONG_KEY = re.compile(r"""(?<![\w"'.-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){100}""")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")

Place = tuple[str | int, ...]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, of which never more are read than may be used."""
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(LARGEST_FILE + 1) if size <= LARGEST_FILE else b""
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise FileError(f"{path}: is a folder; give the path of a mechanism file") from None
    except PermissionError:
        raise FileError(f"{path}: may not be read; check the permissions of the file") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r}: cannot be read: {error}") from None
    if (size := max(size, len(data))) > LARGEST_FILE:
        raise FileError(
            f"{path}: has {size} bytes, the most is {LARGEST_FILE} (16 MiB); split the mechanism, "
            "or leave out what is not needed"
        )
    return data


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file in UTF-8."""
    return decoded(read_bytes(path), str(path))


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a file in UTF-8, with line ends that are the same on every system."""
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r}: cannot be written: {error}") from None


def decoded(data: bytes, source: str) -> str:
    """UTF-8 text without a byte order mark."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        refuse(source, f"is not UTF-8 text: {place}; save the file as UTF-8", line)


def parsed(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text, which hold nothing too deep or too large to be shown."""
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        refuse(source, "a key has more than 100 parts", line)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        refuse(source, "arrays or tables are nested too deeply")
    except ValueError as error:  # TOMLDecodeError, and integers of thousands of digits
        message, line_in_message = _placed(str(error), text)
        refuse(source, f"is not valid TOML: {message}", line_in_message)
    for place, message in _excesses(document):
        key = " in " + ".".join(map(str, place[:3])) if place else ""
        refuse(source, message + key)
    return document


def refuse(source: str, message: str, line: int | None = None) -> Never:
    """Stop with one fault on a line of a file."""
    raise FileError.of_faults(source, [Fault((), message, line)]) from None


def _placed(message: str, text: str) -> tuple[str, int | None]:
    """tomllib's message without its place, and the line."""
    if found := _PLACE.search(message):
        return f"{message[: found.start()]} (column {found[2]})", int(found[1])
    if message.endswith(" (at end of document)"):
        return message, text.count("\n") + 1
    return message, None


def _excesses(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """What no later message could show: deep nesting and giant integers. No recursion here."""
    stack: list[tuple[Place, Any]] = [((), document)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, int) and value.bit_length() > LARGEST_INTEGER_BITS:
            yield place, f"an integer has {value.bit_length()} bits; write a number such as 1e6"
        if isinstance(value, dict | list):
            if len(place) > DEEPEST_NESTING:
                yield place, "arrays or tables are nested too deeply"
                return
            items = value.items() if isinstance(value, dict) else enumerate(value)
            stack.extend(((*place, key), item) for key, item in items)

"""TOML text that looks as a person would write it: short arrays, inline tables for parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

WIDTH = 100
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}


def toml_text(document: dict[str, Any]) -> str:
    """The document: keys at the top, then tables, then arrays of tables, in order."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for key, value in document.items():
        if not isinstance(value, dict) and not _is_section(value):
            yield _pair(key, value)
    for key, value in document.items():
        if isinstance(value, dict):
            yield from ("", f"[{key_text(key)}]")
            yield from (_pair(name, item) for name, item in value.items())
    for key, value in document.items():
        for table in value if _is_section(value) else ():
            yield from ("", f"[[{key_text(key)}]]")
            yield from (_pair(name, item) for name, item in table.items())


def _is_section(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _pair(key: str, value: Any) -> str:
    start = f"{key_text(key)} = "
    if isinstance(value, str) and "\n" in value:
        return start + _long_text(value)
    return start + _fitted(value, len(start), "")


def key_text(key: str) -> str:
    """A key, in quotes where it is not a plain word."""
    return key if _BARE_KEY.fullmatch(key) else string_text(key)


def string_text(text: str) -> str:
    """A text in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def number_text(x: float) -> str:
    """A number to the last bit; whole ones without a point."""
    x = float(x)
    whole = x.is_integer() and abs(x) < 1e15 and str(x) != "-0.0"
    return str(int(x)) if whole else repr(x)


def _escaped(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    return f"\\u{ord(c):04x}" if ord(c) < 32 or 127 <= ord(c) < 160 else c


def _long_text(text: str) -> str:
    """A text of several lines, in triple quotes."""
    lines = ("".join(map(_escaped, line)).replace('\\"', '"') for line in text.split("\n"))
    body = re.sub(r'"(?="|\Z)', r'\\"', "\n".join(lines))
    return f'"""\n{body}"""'


def _inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{key_text(key)} = {_inline(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return string_text(value) if isinstance(value, str) else number_text(value)


def _fitted(value: Any, used: int, indent: str) -> str:
    """A value behind `used` characters of its line; arrays are wrapped where it does not fit."""
    text = _inline(value)
    if used + len(text) <= WIDTH:
        return text
    if isinstance(value, list):
        return _wrapped(value, indent)
    if isinstance(value, dict):
        pairs = (
            f"{key_text(key)} = {_fitted(item, WIDTH - 30, indent)}" for key, item in value.items()
        )
        return f"{{ {', '.join(pairs)} }}"
    return text


def _wrapped(items: list[Any], indent: str) -> str:
    """An array over several lines, as many plain values on each as fit."""
    inner = indent + "    "
    lines = [""]
    for item in items:
        text = _fitted(item, len(inner) + 1, inner) + ","
        plain = not isinstance(item, dict | list)
        if plain and lines[-1] and len(inner) + len(lines[-1]) + 1 + len(text) <= WIDTH:
            lines[-1] += " " + text
        else:
            lines.append(text)
    return "\n".join(["[", *(inner + line for line in lines[1:]), indent + "]"])

"""A TOML text with only what has changed written anew: comments, order and layout stay.

The text is cut into the keys at its top and its tables, each with the comments right above it and
the tables inside it. tomlkit changes values in such a part and keeps all around them. A table
belongs to the element of its name, or of its place where a name has changed; new ones stand behind
the last of their section.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tomlkit

from .lines import keys_and_headers
from .schema import SECTIONS
from .writing import pair_text, table_text

Document = dict[str, Any]
Part = tuple[str, str]
"""The key of a table, "" for the top, and its text."""

PARAMETERS = "parameters"
NEW = "\n["
"""How the text of a new table begins, and no other."""
SINGLE = ("points", "assembly", PARAMETERS)
"""Keys of one table each; they may as well stand at the top."""
TABLES = (*SINGLE, *(section.key for section in SECTIONS))


def edited(text: str, before: Document, after: Document) -> str:
    """The text, which says `before`, changed so that it says `after`."""
    plain = text.replace("\r\n", "\n")
    top, *parts = _parts(plain)
    inline = tomlkit.parse(top[1])
    apart = {key for key in TABLES if key not in inline and not isinstance(after.get(key), int)}
    old, own = ({k: x for k, x in each.items() if k not in apart} for each in (before, after))
    for key in TABLES:
        if key in apart:
            parts = _section(parts, key, _rows(before, key), _rows(after, key))
    whole = _joined([_changed(top[1], old, own), *(part for _, part in parts)])
    whole = whole.rstrip("\n") + plain[len(plain.rstrip("\n")) :]
    return whole.replace("\n", "\r\n") if plain != text else whole


def _joined(texts: list[str]) -> str:
    """The texts one after the other, with an empty line around new tables."""
    whole = ""
    for text in texts:
        if text.startswith(NEW) and (not whole or whole.endswith("\n\n")):
            whole += f"{text.removeprefix(NEW[0])}\n"
        else:
            whole += text if not whole or whole.endswith("\n") else f"\n{text}"
    return whole


def _parts(text: str) -> Iterator[Part]:
    """The top and the tables; the comments right above a header are part of its table."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    key, begin = "", 0
    for number, brackets, path in keys_and_headers(text):
        inside = len(path) > 1 and path[0] == key  # [joint.rotor] of the last [[joint]]
        if not brackets or inside:
            continue
        first = number - 1
        while first > begin and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        yield key, "".join(lines[begin:first])
        key, begin = str(path[0]), first
    yield key, "".join(lines[begin:])


def _rows(document: Document, key: str) -> list[Document]:
    """The tables of a key."""
    value = document.get(key, [])
    return [value] if isinstance(value, dict) else value


def _section(
    parts: list[Part], key: str, before: list[Document], after: list[Document]
) -> list[Part]:
    """The parts, those of one key with their tables as they are to be."""
    places = [i for i, part in enumerate(parts) if part[0] == key]
    texts = _texts(key, [parts[i][1] for i in places], before, after)
    behind = places[-1] + 1 if places else 0 if key in SINGLE else len(parts)
    new = [*parts[:behind], *((key, text) for text in texts[len(places) :]), *parts[behind:]]
    for k, i in enumerate(places):
        new[i] = (key, texts[k] if k < len(texts) else "")
    return new


def _texts(key: str, old: list[str], before: list[Document], after: list[Document]) -> list[str]:
    """The text of every table that is to be: the one of its name, of its place, or a new one."""
    known = {table.get("name"): i for i, table in enumerate(before)}
    taken = {known[table.get("name")] for table in after if table.get("name") in known}
    texts = []
    for place, table in enumerate(after):
        i = known.get(table.get("name"), place)
        if table.get("name") in known or (place < len(before) and place not in taken):
            texts.append(_changed(old[i], before[i], table, key))
        else:
            texts.append(table_text(key, table, "[]" if key in SINGLE else "[[]]"))
    return texts


def _changed(text: str, before: Document, after: Document, key: str = "") -> str:
    """The text of a part with what differs between two documents of it."""
    if before == after:
        return text
    body = text.rstrip("\n")
    part = tomlkit.parse(f"{body}\n")
    table: Any = part[key] if key else part
    _change(table if isinstance(table, dict) else table[0], before, after)
    return tomlkit.dumps(part).rstrip("\n") + (text[len(body) :] or "\n")


def _change(table: Any, before: Document, after: Document) -> None:
    """Set and delete what differs, inside tables and lists of equal length too."""
    for key in dict.fromkeys([*before, *after]):
        old: Any = before.get(key)
        new: Any = after.get(key)
        if old == new:
            continue
        if key not in after:
            del table[key]
        elif isinstance(old, dict) and isinstance(new, dict) and _order_stays(old, new):
            _change(table[key], old, new)
        elif _tables(old) and _tables(new) and len(old) == len(new):
            for place, pair in enumerate(zip(old, new, strict=True)):
                _change(table[key][place], *pair)
        else:
            table[key] = tomlkit.parse(pair_text(key, new))[key]


def _order_stays(old: Document, new: Document) -> bool:
    """Whether the keys of a table come out in their order when only what differs is changed."""
    return list(new) == list(dict.fromkeys([*(key for key in old if key in new), *new]))


def _tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)

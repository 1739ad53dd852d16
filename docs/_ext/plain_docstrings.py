"""Let docstrings be plain text: nothing in them can break the documentation.

Autodoc reads docstrings as reStructuredText, where `|x|`, `J_` or an indented equation is a
warning. Here a docstring is paragraphs, bullet lists, indented blocks shown as they stand, and
`code` in backticks.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"(?::[\w:]+:)?(``.+?``|`[^`]+`)")
BULLET = re.compile(r"[*-] +")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", convert)
    return {"parallel_read_safe": True}


def convert(
    _app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Replace the lines of a docstring by reStructuredText that shows the same text."""
    result: list[str] = []
    for literal, block in blocks(lines):
        result += ["::", "", *("    " + line for line in block)] if literal else prose(block)
        result.append("")
    lines[:] = result


def blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Split a docstring into runs of lines: (to be shown as they stand?, the lines)."""
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        if blank:
            continue
        paragraph = list(group)
        if paragraph[0].startswith(">>>"):
            yield True, paragraph
        elif BULLET.match(paragraph[0]):
            yield False, paragraph
        else:
            for indented, run in groupby(paragraph, key=lambda line: line[0].isspace()):
                yield indented, list(run)


def prose(paragraph: list[str]) -> list[str]:
    """One paragraph on one line, or one line for each bullet."""
    items: list[str] = []
    for line in paragraph:
        if not items or (BULLET.match(line) and BULLET.match(paragraph[0])):
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    if BULLET.match(paragraph[0]):
        return ["* \\ " + inline(BULLET.sub("", item, count=1)) for item in items]
    return ["\\ " + inline(item) for item in items]


def inline(text: str) -> str:
    """Escape everything but code; `\\ ` is an empty string that ends and starts words."""
    parts = CODE.split(text)
    parts[::2] = [re.sub(r"([\\*`|_\[\]:])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"\\ ``{part.strip('`').strip()}``\\ " for part in parts[1::2]]
    return "".join(parts)

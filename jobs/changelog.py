"""From the fragments of changelog.d to a version in CHANGELOG.md: `python -m jobs changelog 0.2.0`.

The sentences of one kind stand together under the heading of the version, which is made if it is
not there and is dated; a person then shortens, joins and orders them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from jobs.environment import ROOT

KINDS = ("added", "changed", "fixed", "removed")


def fragments(folder: Path) -> dict[str, list[Path]]:
    """The files of each kind, in the order of their names."""
    return {kind: sorted(folder.glob(f"*.{kind}.md")) for kind in KINDS}


def merged(text: str, version: str, day: str, sentences: Mapping[str, Sequence[str]]) -> str:
    """CHANGELOG.md with sentences, by kind, under a version; other versions stay as they are."""
    preface, *versions = re.split(r"(?m)^(?=## )", text)
    known = next((k for k, part in enumerate(versions) if _is(part, version)), None)
    part = versions.pop(known) if known is not None else ""
    body = part.partition("\n")[2].strip()
    for kind in (kind for kind in KINDS if sentences.get(kind)):
        items = "".join(f"* {' '.join(sentence.split())}\n" for sentence in sentences[kind])
        body = _under(body, f"### {kind.capitalize()}\n", items)
    versions.insert(known or 0, f"## {version} ({day})\n\n{body}\n\n")
    return (preface + "".join(versions)).rstrip() + "\n"


def _is(part: str, version: str) -> bool:
    return part.split("\n", 1)[0].split()[1:2] == [version]


def _under(body: str, heading: str, items: str) -> str:
    """Items at the end of a section, which is made if it is not there."""
    if heading not in body:
        return f"{body}\n\n{heading}\n{items}".strip()
    before, _, rest = body.partition(heading)
    own, *others = re.split(r"(?m)^(?=### )", rest)
    return f"{before}{heading}{own.rstrip()}\n{items}\n{''.join(others)}".strip()


def main(words: Sequence[str]) -> int:
    """Move all fragments into a version."""
    if len(words) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", words[0]):
        print("expected a version such as 0.2.0", file=sys.stderr)
        return 2
    found, file = fragments(ROOT / "changelog.d"), ROOT / "CHANGELOG.md"
    sentences = {kind: [path.read_text("utf-8") for path in paths] for kind, paths in found.items()}
    day = datetime.now(UTC).date().isoformat()
    file.write_text(merged(file.read_text("utf-8"), words[0], day, sentences), "utf-8")
    moved = [path for paths in found.values() for path in paths]
    for path in moved:
        path.unlink()
    print(f"{len(moved)} sentences are under {words[0]} in CHANGELOG.md: now make it a good read")
    return 0

"""From the fragments of changelog.d to a version in CHANGELOG.md: `python -m jobs changelog 0.2.0`.

The sentences of one kind stand together under the heading of the version, which is made if it is
not there and is dated; a person then shortens, joins and orders them.

The first version is told as a whole: before it nobody had anything that could change. Its page is
written by hand; of the fragments only what is not to be found there is named, to be read once more.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from jobs.environment import ROOT

KINDS = ("added", "changed", "fixed", "removed")
PUBLIC = re.compile(r"`(kb\.\w+)")
"""A public name at the beginning of code; rooms such as `kb.course` stand for all in them."""


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
        body = _under(body, f"### {kind.capitalize()}\n", _items(sentences[kind]))
    versions.insert(known or 0, f"## {version} ({day})\n\n{body}\n\n")
    return (preface + "".join(versions)).rstrip() + "\n"


def _items(sentences: Sequence[str]) -> str:
    return "".join(f"* {' '.join(sentence.split())}\n" for sentence in sentences)


def is_first(text: str, version: str) -> bool:
    """Whether the page of a version stands in CHANGELOG.md, and no other version does."""
    return re.findall(r"(?m)^## (\S+)", text) == [version]


def waiting(root: Path) -> str:
    """What the handbook says of the next version: the fragments by kind, none before the first."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    if not re.search(r"(?m)^## \S+ \(\d", text):
        return ""
    sentences = {
        kind: [path.read_text("utf-8") for path in paths]
        for kind, paths in fragments(root / "changelog.d").items()
    }
    parts = [
        f"\n### {kind.capitalize()}\n\n{_items(own)}" for kind, own in sentences.items() if own
    ]
    return "".join(["\n## Unreleased\n", *parts])


def untold(text: str, added: Mapping[str, str]) -> dict[str, list[str]]:
    """Public names, by the fragment that speaks of them, that a page does not have."""
    known = set(PUBLIC.findall(text))
    names = {name: dict.fromkeys(PUBLIC.findall(sentence)) for name, sentence in added.items()}
    missing = {name: [key for key in keys if key not in known] for name, keys in names.items()}
    return {name: keys for name, keys in missing.items() if keys}


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
    text, moved = file.read_text("utf-8"), [path for paths in found.values() for path in paths]
    sentences = {kind: [path.read_text("utf-8") for path in paths] for kind, paths in found.items()}
    if is_first(text, words[0]):
        added = dict(zip((path.stem for path in found["added"]), sentences["added"], strict=True))
        for name, keys in untold(text, added).items():
            print(f"not on the page: {', '.join(keys)} ({name})")
        print(f"{words[0]} is the first version: its page tells it as a whole")
        sentences = {}
    file.write_text(
        merged(text, words[0], datetime.now(UTC).date().isoformat(), sentences), "utf-8"
    )
    for path in moved:
        path.unlink()
    if sentences:
        print(f"{len(moved)} sentences are under {words[0]} in CHANGELOG.md: make it a good read")
    return 0

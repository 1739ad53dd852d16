"""The demonstration: the drive of the IRb robot, a mechanism that moves although it should not."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from ..files.toml_file import loads
from ..show.structure_graph import structure_graph
from ..structure.groups import groups
from ..structure.mobility import mobility

EXAMPLE = "irb_drive.toml"


def run(out: Path) -> Iterator[str]:
    """Load the embedded mechanism, report its mobility, draw its graph; lines of what it does."""
    text = files(__package__).joinpath(EXAMPLE).read_text(encoding="utf-8")
    m = loads(text, source=EXAMPLE)
    report = mobility(m)
    out.mkdir(parents=True, exist_ok=True)
    answers = {
        EXAMPLE: (text, "the mechanism: change a size and run `korba mobility` on it"),
        "mobility.txt": (f"{report}\n\n{groups(m)}\n", "the report above"),
        "structure.svg": (structure_graph(m), "its structure graph"),
    }
    yield f"{report}\n\n{groups(m)}\n"
    for name, (content, what) in answers.items():
        (out / name).write_text(content, encoding="utf-8")
        yield f"wrote {out / name}: {what}"

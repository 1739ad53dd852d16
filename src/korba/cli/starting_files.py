"""Files to start from: the ready mechanisms by their lengths, with comments on every kind of line.

The text is that of `kb.save`; the comments follow from it: what the builder's docstring says,
which length goes from where to where, what each section and each key means, and what to try next.
"""

from __future__ import annotations

import inspect
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import Any

from ..files.toml_file import dumps, loads
from ..linkages import ready
from ..model.mechanism import Mechanism
from .terminal import quoted

FILES = {"arm": "arm.toml", "irb-drive": "irb_drive.toml", "shaper": "shaper.toml"}
"""Examples that are files of the package."""
ALIASES = {
    "six-bar": "watt",
    "gears": "planetary",
    "spatial": "rssr",
    "walker": "jansen",
    "parallel-robot": "delta",
    "puma": "arm",
}
"""Other names under which one looks for them."""
Text = Callable[[], str]
COLUMN = 46
"""Where comments after a line begin."""

SECTIONS = {
    "points": "Points of the ground, by name.",
    "assembly": "On which side the loops are closed: left or right, looking from the first point.",
    "parameters": "Sizes, with units. Any value below may be a formula of them.",
    "body": "Bodies. Points and the centre of mass are in the body's own frame.",
    "joint": "Joints, between points of bodies; no matter which of them closes a loop.",
    "coupling": "Couplings: coordinates that follow from others.",
    "drive": "Drives: who moves it, and how.",
    "force": "Forces: springs, dampers, loads.",
    "pose": "Poses: positions with a name.",
}
"""What stands above the first of each section."""
KEYS = {
    ("", "korba"): "version of the format",
    ("", "plane"): "planar: everything moves in x and y",
    ("parameters", "density"): "mass per length of the rods",
    ("parameters", "speed"): "of the input",
    ("parameters", "at"): "where the input is at t = 0",
    ("parameters", "swing"): "how far the input goes to and fro",
    ("body", "mass"): "a number in kg, a text with a unit, or a formula",
    ("body", "com"): "centre of mass",
    ("body", "inertia"): "about the centre of mass",
    ("body", "points"): "places where joints may be",
    ("joint", "type"): "korba schema lists all types",
    ("joint", "parent"): "a joint joins this BODY.POINT",
    ("joint", "child"): "to this one",
    ("joint", "at"): "its place in the drawing",
    ("joint", "axis"): "its direction",
    ("joint", "drawn"): "its coordinate as drawn",
    ("joint", "on_parent"): "how it stands on the parent",
    ("joint", "profile"): "radius of the cam over its angle",
    ("drive", "joint"): "which coordinate",
    ("drive", "position"): "law of the time t",
}
"""What is said of a key where it comes first."""


@cache
def every_example() -> dict[str, tuple[str, Text]]:
    """What every example is, and its text as a file: builders first, then files."""
    made = {
        key: (what, lambda build=build: dumps(build()))
        for key, (what, build) in ready.ready().items()
    }
    return made | {key: _embedded(file) for key, file in FILES.items()}


def _embedded(file: str) -> tuple[str, Text]:
    """The first sentence of a file, and its text."""
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    first, *_ = re.split(r"\.(?: (?=[A-Z])|$)", " ".join(_comments(text)))
    return first, lambda: text


def _comments(text: str) -> list[str]:
    """The comments at the head of a file."""
    head = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return [line.removeprefix("#").strip() for line in head]


def starting_file(key: str, file: str) -> str:
    """The text of an example with comments, as it will be written to a file."""
    text = every_example()[key][1]()
    about = _comments(text) if key in FILES else _about(key)
    head = [*about, "", *_next(loads(text, source=key), quoted(file))]
    rows = text.splitlines()[len(about) :] if key in FILES else _commented(text.rstrip("\n"))
    return "\n".join([*(f"# {line}".rstrip() for line in head), "", *rows, ""])


def _about(key: str) -> list[str]:
    """What the builder says of itself, without its example."""
    (builder,) = (one for one in ready.READY if one.__name__.replace("_", "-") == key)
    return inspect.cleandoc((builder.__doc__ or "").partition(">>>")[0]).splitlines()


def _next(m: Mechanism, file: str) -> Iterator[str]:
    """Commands to try with a file, those that take this mechanism."""
    tries = [(f"korba check {file}", "is it right?"), (f"korba mobility {file}", "what moves?")]
    tries += [(f"korba draw {file}", "its picture")]
    lead = m.drives[0].coordinate if m.drives else None
    if m.drives:
        over = f" --over {shlex.quote(lead)}" if lead else ""
        tries += [(f"korba motion {file} --plot --degrees{over}", "one cycle, plotted")]
        tries += [(f"korba forces {file}", "what goes through its joints")]
    size = next(iter(dict(m.parameters)), "")
    tries += [(f"korba report {file}", "all of it on one page")]
    tries += [(f"korba watch {file}", "change a line, and look")]
    wide = max(len(what) for what, _ in tries)
    yield "Try next:"
    yield from (f"  {what:{wide}}  {why}" for what, why in tries)
    if size:
        yield f"Change {size} below and run one of them again; --force overwrites the last picture."


def _commented(text: str) -> Iterator[str]:
    """The lines of a file, each kind explained where it comes first."""
    lengths = dict(_lengths(tomllib.loads(text)))
    section, explained = "", set()
    for line in text.splitlines():
        if heading := re.fullmatch(r"\[+(\w+)\]+", line):
            section = heading[1]
            if section not in explained and section in SECTIONS:
                yield f"# {SECTIONS[section]}"
            explained.add(section)
        key = line.partition("=")[0].strip()
        said = lengths.get(key, "") if section == "parameters" else ""
        if (section, key) not in explained:
            said = said or KEYS.get((section, key), "")
            explained.add((section, key))
        yield f"{line:{COLUMN}}  # {said}" if said else line


def _lengths(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Parameters that are the distance of two points along x of a body: from where to where."""
    bodies = [*data.get("body", []), {"name": "ground", "points": data.get("points", {})}]
    for body in reversed(bodies):
        points = body.get("points", {})
        origin = next((p for p, at in points.items() if not any(at)), "")
        for point, at in points.items():
            if origin and not any(at[1:]) and at[0] in data.get("parameters", {}):
                yield at[0], f"{body['name']}, from {origin} to {point}"

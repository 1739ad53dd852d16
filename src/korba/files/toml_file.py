"""Mechanism files in TOML: `load`, `save`, and mechanisms with other sizes.

    korba = 1
    name = "pendulum"
    plane = "xy"

    [parameters]
    l = "60 mm"

    [[body]]
    name = "rod"
    mass = "1 kg"
    com = ["l/2", 0]

    [[joint]]
    name = "A"
    type = "revolute"
    parent = "ground"
    child = "rod"
    at = [0, 0]

Keys, units and types come from the fields of the model, so a new joint type needs no change here.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..disk import read_text, write_text
from ..door import public
from ..errors import FileError, ModelError
from ..model.drawing import MEETS
from ..model.given import as_given
from ..model.joint import Joint
from ..model.mechanism import Mechanism, family_of
from ..model.sketches import closed_before
from .limits import parsed
from .lines import Lines
from .mesh_files import read_from, written_to
from .other_sizes import with_sizes
from .reading import mechanism_of
from .writing import document_of, toml_text


def load(path: str | os.PathLike[str], /, **parameters: float | str) -> Mechanism:
    """The mechanism in a TOML file; `parameters` replace those of the file: `l1="80 mm"`.

    Whatever is wrong with the file is one FileError that lists every fault with its line.
    """
    return read_from(loads(read_text(path), source=str(path), **parameters), path)


@public
def loads(text: str, /, *, source: str = "<text>", **parameters: float | str) -> Mechanism:
    """The mechanism in a TOML text; `source` names it in errors."""
    document = parsed(text, source)
    if not document:
        raise FileError(f"{source}: is empty; a mechanism needs [[body]] and [[joint]] tables")
    error = partial(FileError.of_faults, source)
    return mechanism_of(document, parameters, Lines(text), error, text)


def save(m: Mechanism, path: str | os.PathLike[str], /) -> None:
    """Write a mechanism to a TOML file.

    One that was read from a file keeps its comments, its order and the way its values are written;
    only what has changed is written anew. Files of meshes are named from the folder of the file.
    """
    write_text(dumps(written_to(m, path)), path)


@public
def dumps(m: Mechanism, /) -> str:
    """A mechanism as TOML text, which `loads` reads back to the same mechanism."""
    document = document_of(pinned(m))
    text = _kept(m.text, document) or toml_text(document)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = text[error.start : error.end]
        raise FileError(
            f"mechanism {m.name!r}: a text holds {found!a}, which is no character"
        ) from None
    return text


def pinned(m: Mechanism) -> Mechanism:
    """The mechanism with `drawn` given where its file would be closed another way without."""
    if not closed_before(m.joints):
        return m
    fresh = replace(m, joints=tuple(map(as_given, m.joints)))
    if all(map(_drawn_alike, m.joints, fresh.joints)):
        return m
    return replace(m, joints=tuple(map(_with_drawn, m.joints)))


def _drawn_alike(joint: Joint, other: Joint) -> bool:
    return bool(np.allclose(joint.drawn_coordinates, other.drawn_coordinates, rtol=0, atol=MEETS))


def _with_drawn(joint: Joint) -> Joint:
    """The joint as it was given but for its coordinates, which are given too."""
    return replace(as_given(joint), drawn=joint.drawn)


def _kept(text: str, document: dict[str, Any]) -> str | None:
    """The text with what has changed, where it then says the same as the document; else None."""
    if not text.strip():
        return None
    from .keeping import edited

    try:
        new = edited(text, document_of(loads(text)), document)
        return new if document_of(loads(new)) == document else None
    except Exception:  # a text that cannot be edited is written anew; tomlkit has many errors
        return None


@public
def redimension(m: Mechanism, /, **parameters: float | str) -> Mechanism:
    """The mechanism with other parameters: every value written in terms of them is made anew.

    Loops are closed again on the branch that they are on. Programs that take its parameters as
    inputs (`kb.compile(verb, m, parameters=...)`) are those of the new design too: nothing is
    compiled again.
    """
    other = with_sizes(m, parameters)
    if other is None:
        error = partial(ModelError.of_faults, f"mechanism {m.name!r}")
        other = mechanism_of(document_of(m), parameters, Lines(), error, m.text, near=m)
    family_of(m, other)
    return other

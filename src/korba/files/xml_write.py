"""Elements of XML as text: numbers so that they read back the same, names as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape

import numpy as np

from ..errors import Fault
from ..model.body import Body
from ..model.coupling import Coupling
from ..model.force import Force
from ..model.joint import Joint
from ..model.mechanism import Mechanism

NOT_XML = re.compile("[^\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def name_faults(m: Mechanism, refused: Mapping[str, str] | None = None) -> Iterator[Fault]:
    """Names that XML cannot have, and those with a text in them that is refused, and why."""
    for fault, key, name in _names(m):
        if NOT_XML.search(name):
            yield fault(f"{name!r} has a character that XML does not allow; rename it", key)
        for text, reason in (refused or {}).items():
            if text in name:
                yield fault(f"{name!r} has {text!r}, {reason}; rename it", key)


def _names(m: Mechanism) -> Iterator[tuple[Callable[[str, str], Fault], str, str]]:
    """Of each name in a mechanism what makes a fault of it, its key and itself."""
    yield m.fault, "name", m.name
    parts: tuple[Body | Joint | Coupling | Force, ...]
    parts = (*m.bodies, *m.joints, *m.couplings, *m.forces)
    yield from ((part.fault, "name", part.name) for part in parts)
    owners: tuple[Mechanism | Body, ...] = (m, *m.bodies)
    for owner in owners:
        yield from ((owner.fault, "points", name) for name, _ in owner.points)
    for body in m.bodies:
        yield from ((body.fault, "shapes", shape.file) for shape in body.shapes)


def tag_of(tag: str, **attributes: object) -> str:
    """An element without children; numbers are written so that they read back the same."""
    words = [f'{key}="{text_of(value)}"' for key, value in attributes.items()]
    return f"<{' '.join([tag, *words])}/>"


def text_of(value: object) -> str:
    """A value inside quotes."""
    if isinstance(value, str):
        return escape(value, quote=True).replace("\n", "&#10;")
    return " ".join(repr(float(x) + 0.0) for x in np.ravel(np.asarray(value, dtype=float)))

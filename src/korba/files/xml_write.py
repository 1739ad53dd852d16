"""Elements of XML as text: numbers so that they read back the same, names as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

import numpy as np

from ..errors import Fault
from ..model.body import Body
from ..model.joint import Joint
from ..model.mechanism import Mechanism

NOT_XML = re.compile("[^\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def name_faults(m: Mechanism) -> Iterator[Fault]:
    """Names with characters that XML does not have."""
    elements: tuple[Mechanism | Body | Joint, ...] = (m, *m.bodies, *m.joints)
    for element in elements:
        if NOT_XML.search(element.name):
            message = f"{element.name!r} has a character that XML does not allow; rename it"
            yield element.fault(message, "name")


def tag_of(tag: str, **attributes: object) -> str:
    """An element without children; numbers are written so that they read back the same."""
    words = [f'{key}="{text_of(value)}"' for key, value in attributes.items()]
    return f"<{' '.join([tag, *words])}/>"


def text_of(value: object) -> str:
    """A value inside quotes."""
    if isinstance(value, str):
        return escape(value, quote=True).replace("\n", "&#10;")
    return " ".join(repr(float(x) + 0.0) for x in np.ravel(np.asarray(value, dtype=float)))

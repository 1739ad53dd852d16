"""Values as a file has them: what is written back where no text of the user's still holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ExpressionError
from ..model.fields import Names, Spec
from ..model.specs import Laws, Part, Parts, Points, Vector
from .sections import default_of, spec_of


def has_text(raw: Any) -> bool:
    """Whether a raw value contains a text."""
    if isinstance(raw, Mapping):
        return any(map(has_text, raw.values()))
    return any(map(has_text, raw)) if isinstance(raw, list) else isinstance(raw, str)


def reads_as(spec: Spec, raw: Any, value: Any, names: Names, owner: type) -> bool:
    """Whether reading `raw` gives `value`."""
    try:
        return bool(spec.read(raw, names, owner) == value)
    except ExpressionError:
        return False


def raw_of(spec: Spec, value: Any, planar: bool) -> Any:
    """The plain raw form of a value; in the plane, vectors have two components where z is 0."""
    if isinstance(spec, Parts):
        return [raw_part(part, planar) for part in value]
    if isinstance(spec, Part):
        return raw_part(value, planar)
    raw = spec.write(value)
    if planar and isinstance(spec, Vector | Laws):
        return _in_plane(raw)
    if planar and isinstance(spec, Points):
        return {name: _in_plane(point) for name, point in raw.items()}
    return raw


def raw_part(part: Any, planar: bool) -> dict[str, Any]:
    """The table of a part, without what is at its default."""
    cls = type(part)
    return {
        name: raw_of(spec, getattr(part, name), planar)
        for name, spec in spec_of(cls).items()
        if getattr(part, name) != default_of(cls, name)
    }


def _in_plane(raw: list[Any]) -> list[Any]:
    return raw[:2] if raw[2] == 0 else raw

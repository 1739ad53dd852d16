"""Results by name: one that is not there is answered with those that are."""

from __future__ import annotations

from typing import Any, TypeVar

from ...errors import StructureError, way_out

V = TypeVar("V")


class Named(dict[str, V]):
    """A dictionary by names of one kind of element, such as drives."""

    def __init__(self, kind: str, values: Any = ()) -> None:
        super().__init__(values)
        self.kind = kind

    def __missing__(self, name: object) -> V:
        if not self:
            raise StructureError(f"there is no {self.kind} {name!r} here, nor any other")
        raise StructureError(f"there is no {self.kind} {name!r} here; {way_out(name, self)}")

    def __reduce__(self) -> Any:
        return type(self), (self.kind, dict(self))

"""The option for what is laid over pictures and played motions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from ..show.overlays.catalogue import OVERLAYS
from .parameters import one_of, option


def overlays_of(show: Iterable[str] | None) -> dict[str, Any]:
    """Overlays by name, True or what was chosen; one that is not known is wrong usage."""
    overlays = dict(map(_overlay, show or ()))
    for each in overlays:
        one_of(each, OVERLAYS, "--show")
    return overlays


def _overlay(given: str) -> tuple[str, Any]:
    """`velocities`, or `velocities=B,C`."""
    name, _, chosen = given.partition("=")
    several = [each.strip() for each in chosen.split(",") if each.strip()]
    one = several[0] if len(several) == 1 else several
    return name.strip().replace("-", "_"), one or True


def _known(show: list[str] | None) -> list[str] | None:
    overlays_of(show)
    return show


Overlays = Annotated[
    list[str] | None,
    option(
        f"Lay over it {', '.join(OVERLAYS)}; of some only: velocities=B,C. May be repeated.",
        complete=lambda: list(OVERLAYS),
        callback=_known,
    ),
]

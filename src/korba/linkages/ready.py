"""The ready mechanisms under the names of `korba examples`, with sizes to start from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model.mechanism import Mechanism
from . import cams, four_links, gears, many_alike, parallel, robots, six_bars, spatial

Builder = Callable[..., Mechanism]
READY: dict[Builder, tuple[Any, ...]] = {
    four_links.four_bar: ("40 mm", "120 mm", "80 mm", "100 mm"),
    four_links.slider_crank: ("40 mm", "120 mm"),
    four_links.quick_return: ("50 mm", "100 mm", "250 mm", "100 mm"),
    four_links.toggle: ("30 mm", "200 mm", "150 mm", "150 mm", "200 mm"),
    four_links.five_bar: ("100 mm", "200 mm", "200 mm", "100 mm", "100 mm"),
    four_links.pantograph: ("100 mm", "120 mm", "200 mm"),
    four_links.oldham: ("5 mm",),
    six_bars.watt: ("40 mm", "120 mm", "80 mm", "100 mm", "80 mm", "120 mm", "90 mm", "150 mm"),
    six_bars.stephenson: (
        *("40 mm", "120 mm", "80 mm", "100 mm"),
        *("100 mm", "150 mm", "120 mm", "200 mm"),
    ),
    six_bars.jansen: (),
    six_bars.klann: (),
    six_bars.peaucellier: ("500 mm", "200 mm", "200 mm"),
    many_alike.scissor: ("1 m", 3),
    many_alike.engine: (4, "40 mm", "130 mm"),
    cams.cam: ("40 mm", "20 mm", "8 mm"),
    gears.planetary: ("30 mm", "20 mm"),
    gears.differential: ("40 mm", "25 mm"),
    spatial.rssr: ("40 mm", "160 mm", "100 mm", "120 mm"),
    spatial.cardan: ("30 deg", "200 mm"),
    spatial.bennett: ("200 mm", "300 mm"),
    robots.robot_arm: ("400 mm", "350 mm", "300 mm"),
    parallel.three_rrr: ("500 mm", "300 mm", "300 mm", "150 mm"),
    parallel.delta: ("200 mm", "250 mm", "500 mm", "60 mm"),
    parallel.stewart: ("1 m", "0.5 m", "1 m"),
}
"""Builders, and the arguments of the examples."""


def ready() -> dict[str, tuple[str, Callable[[], Mechanism]]]:
    """For every name what the mechanism is, in one line, and a function that builds it."""

    def maker(builder: Builder, sizes: tuple[Any, ...]) -> Callable[[], Mechanism]:
        return lambda: builder(*sizes)

    return {
        builder.__name__.replace("_", "-"): (_first_line(builder), maker(builder, sizes))
        for builder, sizes in READY.items()
    }


def _first_line(builder: Builder) -> str:
    return (builder.__doc__ or "").splitlines()[0].rstrip(".")

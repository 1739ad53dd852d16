"""What a plot is, as plain data: lines in panels, each panel with the units of its axes.

Results are turned into panels here and in motion.py and machine.py; three printers draw
them: curves.py (SVG, without other libraries), print_plots.py (matplotlib), page_plots.py (plotly).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...disk import write_text
from ...display import Displayed, Drawing, tidy
from ...expr.display_units import IN_SI, DisplayUnits
from ...model.display_units import display_units
from ...model.mechanism import Mechanism
from ...saving import save_by_ending
from ...spatial.rotation import Array
from ..schemes.themes import refuse_other_themes

MOST_LINES = 16
"""Lines in one panel; more cannot be told apart, and go to another panel of the same unit."""
QUANTITIES = {
    "rad": "angle",
    "m": "length",
    "1": "number",
    "rad/s": "angular velocity",
    "m/s": "velocity",
    "1/s": "rate",
    "rad/s^2": "angular acceleration",
    "m/s^2": "acceleration",
    "1/s^2": "second rate",
    "J": "energy",
    "N": "force",
    "N m": "moment",
    "W": "power",
    "A": "current",
    "kg m^2": "inertia",
    "kg": "mass",
    "kg m^2/s": "angular momentum",
    "kg m/s": "momentum",
}
"""What is measured in an SI unit."""
ENDINGS = (".svg", ".png", ".pdf", ".html")
"""Endings of the files that a plot can be written to."""


class Series(NamedTuple):
    """Values with their name and unit."""

    name: str
    values: Array
    unit: str = "1"

    @property
    def label(self) -> str:
        """Name and unit, for an axis."""
        return labelled(self.name, self.unit)

    def shown(self, units: DisplayUnits) -> Series:
        """The same as people read it."""
        return Series(self.name, units.values(self.values, self.unit), units.unit(self.unit))


class Component(NamedTuple):
    """What the components of vectors are called before their axis, and their SI unit."""

    name: str
    unit: str


@dataclass(frozen=True, eq=False)
class Line(Displayed):
    """A curve: x and y of its points; nan interrupts it."""

    name: str
    x: Array
    y: Array
    dash: str = "solid"
    """Or "dashed" or "dotted"."""
    hue: int | None = None
    """Number of its colour, -1 for ink; else that of its place in the panel."""
    width: float = 1.8
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Panel(Displayed):
    """Lines over one pair of axes."""

    x: str
    """The text at the axis, with the unit."""
    y: str
    lines: tuple[Line, ...]
    title: str = ""
    equal: bool = False
    """Whether both axes have one scale: of paths and hodographs."""
    origin: bool = False
    """Whether the origin is marked."""
    upright: tuple[float, ...] = ()
    """Where lines stand upright across the panel."""
    limits: tuple[float, float] | None = None
    """Of y, where values without bound would hide the others."""

    @property
    def legend(self) -> bool:
        """Whether lines have to be told apart: one that the axis names needs no legend."""
        name = self.lines[0].name
        told = not name or self.y.partition(",")[0] in (name, f"v_{name}")
        return len(self.lines) > 1 or not told


@dataclass(frozen=True, eq=False)
class Plot(Displayed):
    """A plot; a notebook shows it, `.svg()` is its text, `.save(path)` writes it.

    Endings are .svg (which needs nothing else), .png and .pdf (matplotlib) and .html (plotly).
    `.matplotlib()` and `.plotly()` are the figures of these libraries, to go on with.
    """

    title: str
    panels: tuple[Panel, ...] = field(repr=False)
    across: int = 1
    """Panels side by side."""
    theme: str = "light"

    def svg(self, *, phone: bool = False) -> Drawing:
        """The text of an SVG picture; for a phone in one column, 360 pixels wide."""
        from .curves import drawn

        return drawn(self, phone=phone)

    def matplotlib(self) -> Any:
        """A figure of matplotlib, for print."""
        from .print_plots import figure

        return figure(self)

    def plotly(self) -> Any:
        """A figure of plotly, for a page: it can be zoomed, and tells values under the mouse."""
        from .page_plots import figure

        return figure(self)

    def save(self, path: str | Path) -> None:
        """Write it to an .svg, .png, .pdf or .html file."""

        def printed(target: Path) -> None:
            from .print_plots import write

            write(self, target)

        def page(target: Path) -> None:
            from .page_plots import page as text

            write_text(text(self), target)

        ways = lambda target: self.svg().save(target), printed, printed, page
        save_by_ending("plot", path, dict(zip(ENDINGS, ways, strict=True)))

    def _repr_svg_(self) -> str:
        return str(self.svg())

    def _repr_html_(self) -> str:
        return str(self.svg())

    def __len__(self) -> int:
        """The number of lines."""
        return sum(len(panel.lines) for panel in self.panels)


def labelled(name: str, unit: str, units: DisplayUnits = IN_SI) -> str:
    """Text at an axis: `angle, deg`; numbers have no unit."""
    return name if unit == "1" else f"{name}, {units.unit(unit).replace('^2', '²')}"


def by_unit(
    columns: Iterable[Series],
    x: Series,
    sizes: Mapping[str, float] | None = None,
    units: DisplayUnits = IN_SI,
    coloured: Callable[[list[Line]], list[Line]] = list,
) -> Iterator[Panel]:
    """One panel for each unit, over x; several of them where there are very many lines.

    What is rounding beside the largest of its unit, or beside the size of it that is given, is 0.
    Columns are given in SI and shown in `units`; `coloured` gives lines their colours.
    """
    known = sizes or {}
    groups: dict[str, list[Series]] = {}
    for column in columns:
        groups.setdefault(column.unit, []).append(column)
    for unit, own in groups.items():
        tops = [np.abs(c.values).max(initial=0.0) for c in own]
        largest = np.fmax.reduce(tops, initial=known.get(unit, 0.0))
        lines = [Line(c.name, x.values, units.values(tidy(c.values, largest), unit)) for c in own]
        name = own[0].name if len(own) == 1 else QUANTITIES.get(unit, "value")
        yield from panels_of(coloured(lines), x.label, labelled(name, unit, units))


def panels_of(lines: list[Line], x: str, y: str, title: str = "", **more: Any) -> Iterator[Panel]:
    """Lines in one panel, or evenly in as many as they need."""
    count = -(-len(lines) // MOST_LINES)
    for part in np.array_split(np.arange(len(lines)), count) if count else ():
        yield Panel(x, y, tuple(lines[k] for k in part), title, **more)


VIEWS = ("xy", "xz", "yz")
"""Planes in which curves in space are seen; of a plane mechanism the first."""


def curves_in_plane(
    curves: Mapping[str, Array],
    axes: Iterable[str],
    quantity: Component,
    title: str,
    units: DisplayUnits = IN_SI,
) -> Iterator[Panel]:
    """Curves (points, 3) in the planes named by axes ("xy"), with one scale on both.

    Name and SI unit of the components are those of `quantity`; they are shown in `units`.
    """
    shown = {name: units.values(curve, quantity.unit) for name, curve in curves.items()}
    for plane in axes:
        i, j = ("xyz".index(axis) for axis in plane)
        lines = [Line(name, curve[:, i], curve[:, j]) for name, curve in shown.items()]
        x, y = (labelled(f"{quantity.name}{axis}", quantity.unit, units) for axis in plane)
        yield from panels_of(lines, x, y, title, equal=True, origin=title.startswith("hodograph"))


def plotted_units(m: Mechanism | None, degrees: bool | None) -> DisplayUnits:
    """The units of a plot: those of the mechanism, angles in degrees or radians where asked for."""
    return asked_angles(IN_SI if m is None else display_units(m), degrees)


def asked_angles(units: DisplayUnits, degrees: bool | None) -> DisplayUnits:
    """The same with angles in degrees or radians, where one of these is asked for."""
    return units if degrees is None else units.turning("deg" if degrees else "rad")


def known_theme(theme: str) -> str:
    """The theme, if there is one of that name."""
    refuse_other_themes("plot", theme)
    return theme

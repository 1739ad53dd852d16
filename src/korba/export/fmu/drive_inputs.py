"""Drives whose motion is an input of a unit, in place of their law in time.

Position, velocity and acceleration are given at a time t_0, the beginning of a step, and

    f(t) = f_0 + f_1 (t - t_0) + f_2 (t - t_0)^2 / 2

is the motion from there. The numbers are made parameters of the mechanism and the law a formula of
them, so that they are inputs of all programs, like any other size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import refuse_unknown
from ...expr import variable
from ...expr.units import KINDS
from ...model.drive import Drive
from ...model.fields import specs_of
from ...model.mechanism import Mechanism
from ...system.system import any_system


class DriveInput(NamedTuple):
    """A number of a motion: its name, its unit and what it is at the start."""

    name: str
    unit: str
    start: float


class Driven(NamedTuple):
    """A mechanism with motions as inputs: names of parameters (t_0 last), and what they are."""

    m: Mechanism
    parameters: tuple[str, ...] = ()
    inputs: tuple[DriveInput, ...] = ()


def with_inputs(m: Mechanism, names: Sequence[str], t: float) -> Driven:
    """The mechanism with the motions of some drives as inputs, at the start as their laws are."""
    if not names:
        return Driven(m)
    known = {drive.name: drive for drive in m.drives}
    refuse_unknown("drive", names, known, "drives", f" in mechanism {m.name!r}")
    stem, raw = "f", dict(m.parameters)
    while any(name.startswith(stem) for name in raw):
        stem += "_"
    clock, new, changed = f"{stem}t", dict[str, str](), dict[str, Drive]()
    inputs, formulas = list[DriveInput](), dict(m.formulas)
    for drive in (known[name] for name in dict.fromkeys(names)):
        laws: dict[str, Any] = {}
        for key, values, units in _motions(m, drive, t):
            own = f"{drive.name}.{key}" if drive.count > 1 else drive.name
            f = [f"{stem}{len(new) + i}" for i in range(3)]
            new |= {a: f"{x!r} {unit}" for a, x, unit in zip(f, values, units, strict=True)}
            inputs += map(DriveInput, (own, f"v_{own}", f"a_{own}"), units, values)
            since = f"(t - {clock})"
            formulas["drive", drive.name, key] = f"{f[0]} + {f[1]}*{since} + {f[2]}*{since}^2/2"
            ahead = variable("t") - t
            laws[key] = values[0] + values[1] * ahead + values[2] * ahead * ahead / 2.0
        changed[drive.name] = replace(drive, **laws)
    new[clock] = f"{t!r} s"
    other = replace(
        m,
        drives=tuple(changed.get(drive.name, drive) for drive in m.drives),
        parameters=tuple({**raw, **new}.items()),
        formulas=tuple(formulas.items()),
    )
    return Driven(other, tuple(new), tuple(inputs))


def _motions(m: Mechanism, drive: Drive, t: float) -> Iterator[tuple[str, list[float], list[str]]]:
    """Of each motion of a drive: its field, f, f' and f'' at a time, and their units."""
    tree = any_system(m).tree
    kinds = dict(
        zip((tree.coordinates[i] for i in tree.free_q), tree.coordinate_kinds, strict=True)
    )
    for key, values in zip(drive.given, drive.motion(t), strict=True):
        spec: Any = specs_of(type(drive))[key]
        kind = (
            spec.kind if isinstance(spec.kind, str) else kinds.get(drive.coordinate or "", "angle")
        )
        unit = KINDS[kind]
        yield key, [float(x) for x in values], [unit, f"{unit}/s", f"{unit}/s^2"]

"""A mechanism in a table: what `print(m)` shows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..display import columns
from ..expr import variables
from ..expr.display_units import DisplayUnits
from ..wording import given, named
from .body import Body
from .curve import Curve
from .display_units import display_units
from .fields import laws_of
from .given import as_given
from .joint import Joint

if TYPE_CHECKING:
    from .mechanism import Mechanism

JOINT_HEADS = ["joint", "type", "between", "dof", "limits", ""]
WIDTH = 100
"""Of lines."""
TIE = "\0"
"""A blank at which no line ends."""
MOST = 40
"""Rows of a table that are shown."""


def text(m: Mechanism) -> str:
    """What it is, its bodies and joints in tables, what else it has, and its notes."""
    lists = {key: [e.name for e in getattr(m, key)] for key in ("couplings", "forces", "drives")}
    lists["poses"] = [pose.name for pose in m.poses]
    sizes = [f"{name} = {value}" for name, value in m.parameters]
    lists["parameters"] = [each.replace(" ", TIE) if len(each) < 40 else each for each in sizes]
    space = f"plane {m.plane}" if m.plane else "spatial"
    shown = display_units(m)
    lines = [
        f"{m.name or 'mechanism'}: {len(m.bodies)} bodies, {len(m.joints)} joints, {space}",
        *_wrapped(_head(m, shown)),
        *_table(body_heads(shown), [body_row(body, shown) for body in m.bodies]),
        *_table(JOINT_HEADS, [joint_row(joint, shown) for joint in m.joints]),
        "",
        *_wrapped(_orders(m)),
        *_wrapped(f"{what}: {', '.join(_few(names))}" for what, names in lists.items() if names),
        *_wrapped(f"note: {note}" for note in (*m.notes, *friction_not_used(m), *held_lengths(m))),
    ]
    return "\n".join(lines).rstrip()


def friction_not_used(m: Mechanism) -> tuple[str, ...]:
    """What is said of dry friction where it was not asked for."""
    rough = [joint.name for joint in m.joints if joint.friction is not None]
    if not rough:
        return ()
    said = (
        f"{named('simulate')} takes it with {given('simulate', events='friction')}, "
        f"{named('reactions')} with {given('reactions', friction=True)}"
    )
    return (f"dry friction of {', '.join(_few(rough))} is not used; {said}",)


def held_lengths(m: Mechanism) -> tuple[str, ...]:
    """What is said of drives that hold two points at one distance."""
    apart = [drive for drive in m.drives if drive.ends is not None]
    still = [each.name for each in apart if not any(_moves(law) for _, law in laws_of(each))]
    if not still:
        return ()
    return (f"drive {', '.join(_few(still))} stands still: a distance that stays is a joint 'rod'",)


def _moves(law: Any) -> bool:
    """Whether a law has time in it."""
    return isinstance(law, Curve) or bool(variables(law))


def drives_not_followed(m: Mechanism, leader: str) -> tuple[str, ...]:
    """What is said of drives where something else leads the motion."""
    if not m.drives:
        return ()
    names = ", ".join(_few([drive.name for drive in m.drives]))
    return (f"drives ({names}) do not count here: the motion is led by {leader}",)


def body_heads(shown: DisplayUnits) -> list[str]:
    """Heads of the table of bodies."""
    return ["body", f"mass ({shown.unit('kg')})", f"centre of mass ({shown.unit('m')})"]


def _head(m: Mechanism, shown: DisplayUnits) -> Iterator[str]:
    """Freedoms, mass and gravity."""
    loops = len(m.joints) - len(m.bodies)
    rest = (
        f" in joints, tied by {loops} loop{'s' * (loops > 1)} (see {named('mobility')})"
        if loops > 0
        else ""
    )
    yield f"{m.nv} freedoms{rest}; q has {m.nq} coordinates, v has {m.nv} velocities"
    mass = sum(body.mass for body in m.bodies)
    yield f"mass {shown.told(mass, 'kg')}; gravity {_numbers(m.gravity or ())} m/s^2"


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """The rows under their heads; columns that say nothing are left out.

    The last column, which has no head, is told below where it would make the lines too long.
    """
    if not rows:
        return []
    told = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    cells = [[row[k] for k in told] for row in [heads, *rows[:MOST]]]
    rest = [f"  ... {len(rows) - MOST} more"] if len(rows) > MOST else []
    if cells[0][-1] or max(map(len, columns(cells))) <= WIDTH:
        return ["", *columns(cells, most=WIDTH), *rest]
    owners: dict[str, list[str]] = {}
    for row in rows:
        owners.setdefault(row[-1], []).append(row[0])
    below = [f"{what}: {', '.join(_few(names))}" for what, names in owners.items() if what]
    return ["", *columns([row[:-1] for row in cells], most=WIDTH), *rest, "", *_wrapped(below)]


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Indented lines; what is too long goes on below, further in."""
    for line in lines:
        for part in textwrap.wrap(
            line, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        ):
            yield part.replace(TIE, " ")


def _few(names: list[str]) -> list[str]:
    """The first names, and how many more there are."""
    rest = [f"... {len(names) - MOST} more"] if len(names) > MOST else []
    return [*names[:MOST], *rest]


def body_row(body: Body, shown: DisplayUnits) -> list[str]:
    """What is told of a body."""
    com = ", ".join(shown.number(x, "m") for x in body.com)
    return [body.name, shown.number(body.mass, "kg"), com]


def joint_row(joint: Joint, shown: DisplayUnits) -> list[str]:
    """What is told of a joint."""
    told = as_given(joint)
    ends = f"{told.parent} - {told.child}"
    rest = ", ".join(_drive(joint))
    return [joint.name, joint.type, ends, str(joint.nv), _limits(joint, shown), rest]


def _orders(m: Mechanism) -> Iterator[str]:
    """The order of q and v of joints with a quaternion, once for every type."""
    for joint in {joint.type: joint for joint in m.joints if joint.nq != joint.nv}.values():
        q, v = (", ".join(names) for names in (joint.coordinate_names, joint.velocity_names))
        yield f"{joint.type}: q is {q}; v is {v} (see help(kb.{type(joint).__name__}))"


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{x:.6g}" for x in values)


def _limits(joint: Joint, shown: DisplayUnits) -> str:
    """The range of every coordinate that has one."""
    ranges = []
    for name, kind, *ends in zip(
        joint.coordinate_names, joint.coordinate_kinds, *joint.limits, strict=False
    ):
        if np.any(np.isfinite(ends)):
            si = {"angle": "rad", "length": "m"}.get(kind, "1")
            own = f"{name} " if joint.nq > 1 else ""
            ranges.append(f"{own}{shown.number(ends[0], si, 5)} to {shown.told(ends[1], si, 5)}")
    return ", ".join(ranges)


def _drive(joint: Joint) -> Iterator[str]:
    """What else the joint has."""
    for key in ("armature", "damping", "max_effort", "max_velocity"):
        if value := getattr(joint, key):
            yield f"{key.replace('_', ' ')} {value:.6g}"
    for key in ("friction", "rotor", "elastic"):
        if getattr(joint, key) is not None:
            yield key

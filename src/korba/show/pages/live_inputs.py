"""What one moves in a page: the inputs of a mechanism with their ranges, and its sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import KorbaError, StructureError
from ...expr.units import KINDS, kind_dimension
from ...model.drawing import drawing
from ...model.mechanism import Mechanism
from ...model.parameters import names_in
from ...positions.allowed import allowed
from ...positions.loop_system import LoopSystem
from ...positions.loops import Loops
from ...positions.rank import governing_rows
from ...solve.configuration import drawn_closed, present
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ...system.system import any_system
from ...verbs.designs import quantities, sizes_of
from ...verbs.states import refuse_other
from ...workspace.input_range import input_range
from .live_drives import (
    coordinate_kinds,
    cylinders,
    driven_name,
    input_kinds,
    input_system,
)

ROOM = (0.35, 2.5)
"""Ends of a slider, in values of its size."""
ENDLESS = 20.0
"""Typical lengths from which on a stroke counts as without end."""
GRID = 25
"""Values of an input among which an end of its range is looked for, twice."""


class Input(NamedTuple):
    """A coordinate or cylinder that a page moves, others held: value, range and speed, in SI."""

    name: str
    kind: str
    value: float
    low: float
    high: float
    endless: bool
    """Whether a stroke has no end, so that the range is only as much as is shown."""
    speed: float


class Size(NamedTuple):
    """A named size, its value in SI, the ends of its slider, and the SI unit."""

    name: str
    value: float
    low: float
    high: float
    unit: str
    kind: str
    bare: bool
    """Whether it was given as a plain number."""


def input_names(m: Mechanism, asked: str | Sequence[str] | None) -> tuple[str, ...]:
    """The inputs that move a mechanism: those asked for, what its drives move, then the first.

    With N the velocities that the loops allow and R the rows by which the velocities change inputs,
    these govern the mechanism if R N is of full rank; as many as the mobility are taken.
    """
    tree = any_system(m).tree
    own = cylinders(tree.m)
    angles = [tree.coordinates[i] for i in tree.free_q if tree.coordinates[i] in tree.rates]
    known = [*angles, *own]
    if not known:
        raise StructureError(f"mechanism {m.name!r} has no coordinates: nothing moves in it")
    chosen = [asked] if isinstance(asked, str) else [*(asked or ())]
    for name in chosen:
        refuse_other("live: coordinate", name, known)
    loops = LoopSystem(tree, (), tuple(own.values()))
    q = drawn_closed(loops)
    lengths = loops.matrix(q)[len(loops.owners) - len(own) :]
    N = allowed(Loops(tree, (), ()), q).N
    wanted = tree.nv if not tree.closing else mobility(m).actual
    place = {i: k for k, i in enumerate(tree.free_v)}
    changes = {name: (N / loops.units[:, None])[place[tree.rates[name]]] for name in angles}
    changes |= dict(zip(own, lengths @ N / loops.scale, strict=True))
    driven = [driven_name(drive) for drive in m.drives]
    known.sort(key=lambda x: driven.index(x) if x in driven else len(driven))
    names = [*chosen, *(name for name in known if name not in chosen)]
    able = governing_rows(np.array([changes[name] for name in names]))
    if able[: len(chosen)] != list(range(len(chosen))):
        return tuple(chosen)
    return tuple(names[k] for k in able[: max(wanted, len(chosen))])


def first_input(m: Mechanism) -> str:
    """The coordinate of the first drive of a joint, or the first coordinate."""
    driven = [getattr(drive, "joint", None) for drive in m.drives]
    known = [name for name in driven if name in m.coordinates]
    if not m.coordinates:
        raise StructureError(f"mechanism {m.name!r} has no coordinates: nothing moves in it")
    return known[0] if known else m.coordinates[0]


def inputs_of(m: Mechanism, names: tuple[str, ...], start: Array) -> list[tuple[Input, Array]]:
    """Every input with its range, the others held as they are; and positions over it.

    A crank that closes loops and turns fully begins its cycle where it is drawn, as the curves of
    `kb.motion` do. Other joints without limits turn as far to both sides. Of several inputs, and of
    cylinders, ends are found in steps; the page finds them when it comes there.
    """
    if not names:
        raise StructureError(f"live: mechanism {m.name!r} has no freedom: nothing moves in it")
    if len(names) > 1 or names[0] in cylinders(m) or not any_system(m).tree.closing:
        return [_stepwise(m, names, number, start) for number in range(len(names))]
    (name,) = names
    kind, scale = coordinate_kinds(m)[name], drawing(m).scale
    way = input_range(m, name)
    value, (low, high) = way.input.value, way.ends
    endless = kind == "length" and high - low > ENDLESS * scale
    if endless:
        low, high = max(low, value - 2 * scale), min(high, value + 2 * scale)
    q = way.q(np.linspace(low, high, 25))
    return [(Input(name, kind, value, low, high, endless, _speed(m, name)), q)]


def _stepwise(
    m: Mechanism, names: tuple[str, ...], number: int, start: Array
) -> tuple[Input, Array]:
    """An input and its range in steps, as far as loops close and joints go."""
    system = input_system(m, names)
    here, name = present(system, start, 0.0), names[number]
    value = float(here[number])

    def positions(values: Array) -> Array:
        rows = np.tile(here, (len(values), 1))
        rows[:, number] = values
        q, done = system.led(start, here, rows, check_finite=False)
        return np.where((done == 1.0)[:, None] & _allowed(m, q)[:, None], q, np.nan)

    kind, aims, stopped = input_kinds(m)[name], *_aims(m, name, value)
    (low, below), (high, above) = (_as_far(positions, value, aim) for aim in aims)
    endless = kind == "length" and not stopped and (low, high) == aims
    row = Input(name, kind, value, low, high, endless, _speed(m, name))
    return row, np.concatenate([below[::-1], above])


def _as_far(positions: Callable[[Array], Array], value: float, aim: float) -> tuple[float, Array]:
    """How far it goes from a value towards another, and positions on the way: in two grids."""
    last, ways = value, list[Array]()
    for _ in range(2):
        values = np.linspace(last, aim, GRID)
        q = positions(values)
        missing = 1 + np.flatnonzero(np.isnan(q[1:]).any(axis=1))
        reached = int(missing[0]) - 1 if len(missing) else GRID - 1
        last = float(values[reached])
        ways.append(q[1 : reached + 1])
        if not len(missing):
            break
        aim = float(values[reached + 1])
    return last, np.concatenate(ways)


def _aims(m: Mechanism, name: str, value: float) -> tuple[tuple[float, float], bool]:
    """Up to where an input is tried, and whether these are its own limits, which no loop narrows.

    Limits beyond two turns, or far away, are as none.
    """
    tree, scale = any_system(m).tree, drawing(m).scale
    if name in cylinders(m):
        return (max(value - 2 * scale, 0.01 * value), value + 2 * scale), False
    turns = coordinate_kinds(m)[name] == "angle"
    reach, most = (np.pi, 4 * np.pi) if turns else (2 * scale, ENDLESS * scale)
    low, high = limits_of(m)[:, [tree.coordinates[i] for i in tree.free_q].index(name)]
    if not tree.closing and 0 < high - low < most:
        return (float(low), float(high)), True
    return (value - reach, value + reach), False


def _allowed(m: Mechanism, q: Array) -> Array:
    """Which positions (n, nq) are within the limits of the joints."""
    low, high = limits_of(m)
    slack = 1e-9 * LoopSystem(any_system(m).tree, (), ()).q_units
    return np.asarray(np.all((q >= low - slack) & (q <= high + slack), axis=1))


def limits_of(m: Mechanism) -> Array:
    """Least and greatest values of the independent coordinates, (2, nq)."""
    tree = any_system(m).tree
    ends = np.concatenate([np.array(joint.limits) for joint in tree.m.joints], axis=1)
    return np.asarray(ends[:, list(tree.free_q)])


def start_of(m: Mechanism) -> Array:
    """The mechanism as it is drawn, its loops closed.

    Robots are often drawn with joints beyond their limits: where no loops are to be closed, those
    stand in the middle of their ranges, or at the one limit that they have.
    """
    tree = any_system(m).tree
    q = drawn_closed(LoopSystem(tree, (), ()))
    if not tree.closing:
        for i, (low, high) in enumerate(limits_of(m).T):
            q[i] = q[i] if low <= q[i] <= high else _inside(low, high)
    return q


def _inside(low: float, high: float) -> float:
    """The middle of a range, or its only end."""
    return float(low + high) / 2 if np.isfinite(high - low) else float(max(low, min(high, 0.0)))


def _speed(m: Mechanism, name: str) -> float:
    """How fast a drive moves an input at first; else 1 rad/s, or a power of ten in lengths."""
    for drive in m.drives:
        if driven_name(drive) == name:
            rate = float(drive.motion(0.0)[0, 1])
            if rate:
                return rate
    length = input_kinds(m)[name] == "length"
    return float(10.0 ** np.floor(np.log10(drawing(m).scale))) if length else 1.0


def free_sizes(m: Mechanism) -> tuple[str, ...]:
    """Parameters by numbers of their own that programs take as inputs."""
    return tuple(name for name in _numbers(m) if _symbolic(m, name))


def fixed_sizes(m: Mechanism) -> tuple[str, ...]:
    """Those that programs cannot take, because numbers were chosen by them."""
    return tuple(name for name in _numbers(m) if not _symbolic(m, name))


def _numbers(m: Mechanism) -> list[str]:
    """Parameters that depend on no other."""
    own = {name for name, _ in m.parameters}
    return [name for name, raw in m.parameters if not names_in(raw) & own]


def _symbolic(m: Mechanism, name: str) -> bool:
    try:
        any_system(m, (name,))
    except KorbaError:
        return False
    return True


def size_rows(m: Mechanism, names: Sequence[str], moving: set[str]) -> list[Size]:
    """Values, ends and units of sizes; plain numbers that move points are lengths."""
    own, scale = quantities(m), drawing(m).scale
    rows = []
    for name, value in zip(names, map(float, sizes_of(m, names)), strict=True):
        dimension = own[name].dimension
        kind = next(
            (k for k in KINDS if dimension is not None and kind_dimension(k) == dimension), ""
        )
        if dimension is None and name in moving:
            kind = "length"
        unit = KINDS.get(kind, "" if dimension is None else str(dimension))
        low, high = sorted((ROOM[0] * value, ROOM[1] * value))
        if kind == "angle":
            low, high = value - np.pi / 2, value + np.pi / 2
        elif not value:
            low, high = -scale, scale
        rows.append(Size(name, value, float(low), float(high), unit, kind, dimension is None))
    return rows

"""What one moves in a page: the inputs of a mechanism with their ranges, and its sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import KorbaError, StructureError
from ...expr.units import KINDS, kind_dimension
from ...model.drawing import drawing
from ...model.mechanism import Mechanism
from ...model.parameters import names_in
from ...solve.assemble import Configuration, assemble, drawn_closed
from ...solve.batch_positions import assemble_many
from ...solve.loop_system import LoopSystem
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ...verbs.designs import quantities, sizes_of
from ...verbs.states import refuse_other
from ...verbs.systems import any_system
from ...workspace.input_range import input_range
from .live_programs import coordinate_kinds

ROOM = (0.35, 2.5)
"""Ends of a slider, in values of its size."""
ENDLESS = 20.0
"""Typical lengths from which on a stroke counts as without end."""
GRID = 49
"""Values of one of several inputs among which its range is looked for."""


class Input(NamedTuple):
    """A coordinate that a page moves, others held: its value, range and speed, in SI."""

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
    """The coordinates that move a mechanism: those asked for, driven ones, then the first.

    With N the velocities that the loops allow, coordinates govern the mechanism if their rows of N
    are independent; as many as the mobility are taken.
    """
    tree = any_system(m).tree
    known = [tree.coordinates[i] for i in tree.free_q if tree.coordinates[i] in tree.rates]
    if not known:
        raise StructureError(f"mechanism {m.name!r} has no coordinates: nothing moves in it")
    chosen = [asked] if isinstance(asked, str) else [*(asked or ())]
    for name in chosen:
        refuse_other("live: coordinate", name, known)
    driven = [getattr(drive, "joint", "") for drive in m.drives]
    loops = LoopSystem(tree, (), ())
    J = loops.unitless(drawn_closed(loops), np.zeros(0), np.zeros(2))[1]
    _, s, Vt = np.linalg.svd(J) if J.size else (None, np.zeros(0), np.eye(tree.nv))
    N = Vt[int(np.sum(s > 1e-9 * s.max(initial=1.0))) :].T
    wanted = tree.nv if not tree.closing else mobility(m).actual
    place = {i: k for k, i in enumerate(tree.free_v)}
    for name in sorted(known, key=lambda x: driven.index(x) if x in driven else len(driven)):
        rows = N[[place[tree.rates[each]] for each in [*chosen, name]]]
        if len(chosen) < wanted and np.linalg.matrix_rank(rows, tol=1e-6) > len(chosen):
            chosen.append(name)
    return tuple(chosen)


def first_input(m: Mechanism) -> str:
    """The coordinate of the first drive of a joint, or the first coordinate."""
    driven = [getattr(drive, "joint", None) for drive in m.drives]
    known = [name for name in driven if name in m.coordinates]
    if not m.coordinates:
        raise StructureError(f"mechanism {m.name!r} has no coordinates: nothing moves in it")
    return known[0] if known else m.coordinates[0]


def inputs_of(
    m: Mechanism, names: Sequence[str], start: Configuration
) -> list[tuple[Input, Array]]:
    """Every input with its range, the others held as they are; and positions over it.

    Of several inputs the ends are those of a grid; the page finds them when it comes there.
    """
    if len(names) > 1:
        return [_on_grid(m, names, name, start) for name in names]
    if not names:
        raise StructureError(f"live: mechanism {m.name!r} has no freedom: nothing moves in it")
    (name,) = names
    kind, scale = coordinate_kinds(m)[name], drawing(m).scale
    way = input_range(m, name)
    value, (low, high) = way.input.value, way.ends
    endless = kind == "length" and high - low > ENDLESS * scale
    if endless:
        low, high = max(low, value - 2 * scale), min(high, value + 2 * scale)
    q = way.q(np.linspace(low, high, 25))
    return [(Input(name, kind, value, low, high, endless, _speed(m, name)), q)]


def _on_grid(
    m: Mechanism, names: Sequence[str], name: str, start: Configuration
) -> tuple[Input, Array]:
    """An input and its range on a grid, as far as loops close and joints go."""
    kind, scale, value = coordinate_kinds(m)[name], drawing(m).scale, start[name]
    reach = np.pi if kind == "angle" else 2 * scale
    grid = value + np.linspace(-reach, reach, GRID)
    stops = _stops(m, name)
    if stops:
        grid = np.linspace(*stops, GRID)
    wanted = {other: np.full(GRID, start[other]) for other in names} | {name: grid}
    q = assemble_many(m, wanted, refuse=False).q
    open_ = np.flatnonzero(~_allowed(m, q))
    middle = GRID // 2
    first = int(max(open_[open_ < middle], default=-1)) + 1
    last = int(min(open_[open_ > middle], default=GRID)) - 1
    low, high, whole = grid[first], grid[last], last - first == GRID - 1 and not stops
    if whole and kind == "angle":
        low, high = value, value + 2 * np.pi
    endless = whole and kind != "angle"
    row = Input(name, kind, value, float(low), float(high), endless, _speed(m, name))
    return row, q[first : last + 1 : 2]


def _stops(m: Mechanism, name: str) -> tuple[float, float] | None:
    """The limits of a coordinate that no loop restricts, unless it has none or turns further."""
    tree = any_system(m).tree
    low, high = limits_of(m)[:, [tree.coordinates[i] for i in tree.free_q].index(name)]
    most = 4 * np.pi if coordinate_kinds(m)[name] == "angle" else ENDLESS * drawing(m).scale
    bounded = bool(np.isfinite(high - low)) and 0 < high - low < most
    return (float(low), float(high)) if bounded and not tree.closing else None


def _allowed(m: Mechanism, q: Array) -> Array:
    """Which positions (n, nq) are closed and within the limits of the joints."""
    low, high = limits_of(m)
    slack = 1e-9 * LoopSystem(any_system(m).tree, (), ()).q_units
    return np.asarray(np.all((q >= low - slack) & (q <= high + slack), axis=1))


def limits_of(m: Mechanism) -> Array:
    """Least and greatest values of the independent coordinates, (2, nq)."""
    tree = any_system(m).tree
    ends = np.concatenate([np.array(joint.limits) for joint in tree.m.joints], axis=1)
    return np.asarray(ends[:, list(tree.free_q)])


def start_of(m: Mechanism, names: Sequence[str]) -> Configuration:
    """The mechanism as it is drawn, all inputs held there.

    Robots are often drawn with joints beyond their limits: where no loops are to be closed, those
    stand in the middle of their ranges, or at the one limit that they have.
    """
    tree = any_system(m).tree
    q = drawn_closed(LoopSystem(tree, (), ()))
    free = [tree.coordinates[i] for i in tree.free_q]
    held = {name: float(q[free.index(name)]) for name in names if name in free}
    if not tree.closing:
        ends = zip(free, q, *limits_of(m), strict=True)
        held |= {name: _inside(low, high) for name, x, low, high in ends if not low <= x <= high}
    return assemble(m, held)


def _inside(low: float, high: float) -> float:
    """The middle of a range, or its only end."""
    return float(low + high) / 2 if np.isfinite(high - low) else float(max(low, min(high, 0.0)))


def _speed(m: Mechanism, name: str) -> float:
    """How fast a drive moves an input at first; else 1 rad/s, or a power of ten in lengths."""
    for drive in m.drives:
        if getattr(drive, "joint", None) == name:
            rate = float(drive.motion(0.0)[0, 1])
            if rate:
                return rate
    length = coordinate_kinds(m)[name] == "length"
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

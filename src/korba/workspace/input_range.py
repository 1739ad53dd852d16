"""How far a coordinate can move its mechanism: a full turn, or between which limits.

The coordinate x leads, everything else is held; it is the parameter of the path itself. From the
drawing it leads up and down on one branch (positions/follow.py). It ends where the curve of closed
positions folds back, dx/ds = 0 by arc length (solve/dead_point.py), where slides run away
(positions/asymptote.py), or where a joint comes to its `lower` or `upper` limit, a root of
q_j(x) - limit on the branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..expr.display_units import DisplayUnits
from ..kinematics.couplings import all_coordinates
from ..model.display_units import display_units
from ..model.mechanism import Mechanism
from ..positions.folds import Fold, fold_after
from ..positions.follow import Along, Nodes, filled, follow, on_line
from ..positions.loop_system import LoopSystem
from ..solve.batch_positions import held_system
from ..solve.bracketed import root_between
from ..solve.configuration import Configuration, assembled, drawn_closed, held_values, present
from ..solve.dead_point import in_line, stuck, values_at
from ..solve.search import SAME, apart
from ..spatial.rotation import Array
from .four_link_loops import FourBar, SliderCrank, grashof

FAR = 100.0
"""Typical lengths after which a stroke counts as unlimited."""
BETWEEN = 8
"""Positions looked at from node to node in search of limits."""


@dataclass(frozen=True, eq=False)
class SingleInput(Displayed):
    """Loops with one coordinate that leads, the first of those held, and where it starts."""

    system: LoopSystem
    start: Array

    @property
    def coordinate(self) -> str:
        """The coordinate that leads."""
        return self.system.held[0]

    @property
    def turns(self) -> bool:
        """Whether it is an angle."""
        return any(
            kind == "angle"
            for joint in self.system.m.joints
            for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
            if name == self.coordinate
        )

    @property
    def value(self) -> float:
        """Its value at the start."""
        return float(present(self.system, self.start, 0.0)[0])

    @property
    def along(self) -> Along:
        """The path on which the coordinate leads and the others keep their values."""
        here = present(self.system, self.start, 0.0)
        here[0], ahead = 0.0, np.eye(len(here))[0]
        return Along(self.system, on_line(here, ahead, 0.0))


@dataclass(frozen=True, eq=False)
class InputLimit(Displayed):
    """Where a coordinate comes to its end, and why."""

    value: float
    cause: str
    """`fold` (a dead point), `asymptote` (slides run away as it is approached), `joint` (the limit
    of a joint), or `lost` (it could not be followed further, and no dead point was found)."""
    joint: str
    """Whose limit it is; empty for other causes."""
    in_line: tuple[str, ...]
    """What stands in line or at right angles there, such as `B, C, D in line`."""
    stuck: tuple[str, ...]
    """At a fold: velocities that the coordinate does not govern there. At an asymptote: coordinates
    that run away."""
    values: dict[str, float]
    """Every coordinate there, by name; at an asymptote, where there is no position, at the last."""
    q: Array
    beyond: Array
    """At a fold: a position a little further, on the other branch."""

    def __str__(self) -> str:
        return f"{self.value:.10g} ({self._why})"

    def told(self, shown: DisplayUnits, si: str) -> str:
        """The same in the unit that people read."""
        return f"{shown.told(self.value, si)} ({self._why})"

    @property
    def _why(self) -> str:
        names = ", ".join(self.stuck)
        return {
            "joint": f"limit of {self.joint}",
            "fold": f"dead point: {'; '.join(self.in_line) or f'{names} not governed'}",
            "asymptote": f"{names} beyond all bounds",
            "lost": "not followed further, and no dead point found there",
        }[self.cause]


@dataclass(frozen=True, eq=False)
class InputRange(Displayed):
    """The range of a coordinate on the branch of its start. `print` shows it."""

    coordinate: str
    full_turn: bool
    lower: InputLimit | None
    """None after a full turn, or if a stroke has no end."""
    upper: InputLimit | None
    returns: bool
    """Whether every body is back after the full turn."""
    loops: tuple[FourBar | SliderCrank, ...]
    """Four-bars and slider-cranks that the coordinate's joint belongs to."""
    input: SingleInput
    nodes: Nodes
    """The branch, in rising order of the coordinate."""

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value with a position: at an asymptote just inside it."""
        return float(self.nodes.s[0]), float(self.nodes.s[-1])

    def q(self, values: Array) -> Array:
        """Closed positions at values of the coordinate within the range, shape (count, nq)."""
        values = np.asarray(values, dtype=float)
        q = filled(self.input.along, self.nodes, values)
        for limit in (self.lower, self.upper):
            if limit is not None:
                q[values == limit.value] = limit.q
        return q

    def __str__(self) -> str:
        if self.full_turn:
            lines = [f"{self.coordinate} turns fully"]
        else:
            shown, si = display_units(self.input.system.m), "rad" if self.input.turns else "m"
            low, high = (
                end.told(shown, si) if end else "without end" for end in (self.lower, self.upper)
            )
            lines = [f"{self.coordinate} moves from {low}", f"  to {high}"]
        return "\n".join([*lines, *(f"  {loop}" for loop in self.loops)])


@public
def input_range(
    m: Mechanism,
    coordinate: str,
    held: Mapping[str, float] | None = None,
    near: Configuration | None = None,
) -> InputRange:
    """Whether a coordinate turns fully, or between which limits it moves its mechanism.

    Mechanisms with several freedoms need the values of the others in `held`. The branch is that
    of the drawing, or of the configuration `near`. Drives of the mechanism do not count.
    """
    lead = single_input(m, coordinate, held, near)
    _refuse_outside(lead)
    up, upper = _one_way(lead, +1)
    down, lower = None, None
    full = lead.turns and upper is None
    if not full:
        down, lower = _one_way(lead, -1)
    nodes = up if down is None else _joined(down, up)
    returns = full and apart(lead.system, up.q[0], [up.q[-1]])[0] < 10 * SAME
    loops = tuple(loop for loop in grashof(m) if coordinate in loop.joints)
    return InputRange(coordinate, full, lower, upper, returns, loops, lead, nodes)


def single_input(
    m: Mechanism,
    coordinate: str,
    held: Mapping[str, float] | None = None,
    near: Configuration | None = None,
) -> SingleInput:
    """The input at the drawing, or at a configuration of the mechanism; drives do not count."""
    others = {name: value for name, value in (held or {}).items() if name != coordinate}
    system = held_system(m, (coordinate, *others))
    others = held_values(system.tree, others)
    if near is not None:
        return SingleInput(system, near.q)
    start = drawn_closed(system)
    if others:
        wanted = present(system, start, 0.0)
        wanted[1:] = list(others.values())
        start = assembled(system, wanted, 0.0)[0]
    return SingleInput(system, start)


def _one_way(lead: SingleInput, sign: int) -> tuple[Nodes, InputLimit | None]:
    """Nodes from the start up or down, and the limit at their end."""
    along, start = lead.along, lead.value
    reach = 2 * np.pi if lead.turns else FAR * lead.system.scale
    nodes = follow(along, lead.start, start, start + sign * reach)
    rising = nodes if sign > 0 else _reversed(nodes)
    crossing = _first_crossing(lead, rising, sign)
    if crossing is not None:
        value, joint = crossing
        q = filled(along, rising, np.array([value]))
        keep = (nodes.s - value) * sign < 0
        rate = along.node(q[0], value).rate
        return _ended(nodes, keep, value, q[0], rate), _limit(lead, value, q[0], joint)
    if nodes.complete:
        return nodes, None
    fold = fold_after(along, nodes)
    limit = _limit(lead, fold.s, fold.q, "", fold)
    if not fold.found:
        return nodes, limit
    inside = (nodes.s - fold.s) * sign < 0
    return _ended(nodes, inside, fold.s, fold.q, nodes.rate[-1]), limit


def _ended(nodes: Nodes, keep: Array, s: float, q: Array, rate: Array) -> Nodes:
    """Nodes up to a last one."""
    return Nodes(
        np.append(nodes.s[keep], s),
        np.vstack([nodes.q[keep], q]),
        np.vstack([nodes.rate[keep], rate]),
        False,
    )


def _limit(
    lead: SingleInput, value: float, q: Array, joint: str, fold: Fold | None = None
) -> InputLimit:
    tree = lead.system.tree
    values = values_at(tree, q)
    if fold is None:
        return InputLimit(value, "joint", joint, (), (), values, q, q)
    if not fold.found:
        cause = "asymptote" if fold.away else "lost"
        return InputLimit(value, cause, "", (), fold.away, values, q, q)
    loose = tuple(stuck(lead.system, q, 0.0))
    return InputLimit(value, "fold", "", in_line(tree, q), loose, values, q, fold.beyond)


def _reversed(nodes: Nodes) -> Nodes:
    return Nodes(nodes.s[::-1], nodes.q[::-1], nodes.rate[::-1], nodes.complete)


def _joined(down: Nodes, up: Nodes) -> Nodes:
    """Both ways as one, in rising order."""
    low = _reversed(down)
    s, q, rate = (
        np.concatenate([a[:-1], b]) for a, b in ((low.s, up.s), (low.q, up.q), (low.rate, up.rate))
    )
    return Nodes(s, q, rate, up.complete and down.complete)


def _margins(lead: SingleInput, q: Array) -> Array:
    """Distance of positions from all lower, then all upper limits of joints, negative beyond."""
    tree, rows = lead.system.tree, np.atleast_2d(q)
    if tree.couplings:
        rows = np.array([all_coordinates(tree, row) for row in rows])
    low, high = np.concatenate([joint.limits for joint in tree.m.joints], axis=1)
    return np.concatenate([rows - low, high - rows], axis=1)


def _limited(lead: SingleInput) -> list[str]:
    """Whose limit every column of the margins is."""
    joints = lead.system.m.joints
    return 2 * [joint.name for joint in joints for _ in range(joint.nq)]


def _refuse_outside(lead: SingleInput) -> None:
    for joint, margin in zip(_limited(lead), _margins(lead, lead.start)[0], strict=True):
        if margin < -1e-9:
            raise StructureError(
                f"joint {joint!r} is beyond its limits at the start of {lead.coordinate!r}; give "
                "a configuration within them as near="
            )


def _first_crossing(lead: SingleInput, rising: Nodes, sign: int) -> tuple[float, str] | None:
    """Where a joint first comes to a limit, and which joint."""
    if np.isinf(_margins(lead, lead.start)).all() or len(rising.s) < 2:
        return None
    parts = np.linspace(0, 1, BETWEEN, endpoint=False)
    s = np.append((rising.s[:-1, None] + np.diff(rising.s)[:, None] * parts).ravel(), rising.s[-1])
    s, margins = s[::sign], _margins(lead, filled(lead.along, rising, s))[::sign]
    found = []
    for k, joint in enumerate(_limited(lead)):
        beyond = 1 + np.flatnonzero(margins[1:, k] < 0)
        if len(beyond):
            ends = s[beyond[0] - 1], s[beyond[0]]
            found.append((_root(lead, rising, k, ends), joint))
    return min(found, key=lambda each: each[0] * sign, default=None)


def _root(lead: SingleInput, rising: Nodes, k: int, between: tuple[float, float]) -> float:
    """Where a margin vanishes on the branch."""

    def at(s: float) -> float:
        return float(_margins(lead, filled(lead.along, rising, np.array([s])))[0, k])

    low, high = between
    if at(low) <= 0:
        return float(low)
    return root_between(at, low, high, xtol=1e-13, rtol=1e-14)

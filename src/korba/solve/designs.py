"""Many designs of one mechanism at once: sizes differ from lane to lane, the program is one.

A design is placed in the lanes of the processor's vectors. Made of dyads, it is placed in closed
form in the assembly mode of the mechanism's own position; else it is led from there on one branch,
sizes and values together along a straight way. Then all designs move from time to time
side by side: a step that does not prove itself (dyad_motion.py) is led, and a design that cannot be
led further stands at a dead point. It is marked, and the others go on. A design that has a row in a
singular position, where other branches cross, is moved again alone: lanes do not look around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..expr import parse
from ..model.drawing import drawn_coordinates
from ..model.mechanism import Mechanism
from ..model.parameters import names_in
from ..positions.loop_system import LoopSystem
from ..progress import Progress
from ..spatial.rotation import Array
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED, Trajectory
from ..verbs.designs import sizes_of
from .dyad_motion import STEPS, Start, State, moved_by_dyads, start_at, step_program

SINGULAR = 1e-5
"""Part of the largest singularity of a motion below which velocities at a crossing are not trusted;
of tiny mechanisms it is small everywhere.
"""
FEW = 8
"""Times for each design from which designs are taken one after the other, all times at once."""
OPEN = "its loops cannot be assembled in the mode of the drawing"


@dataclass(frozen=True, eq=False)
class Designs:
    """Designs `p` of a mechanism, and a position of the mechanism itself to begin with."""

    m: Mechanism
    system: LoopSystem
    """With the sizes as inputs."""
    own: Array
    """Coordinates in which the mechanism with its own sizes is closed."""
    p: Array
    """Sizes, shape (designs, names)."""
    rates: bool = True
    """Whether velocities and accelerations are asked for; else they are nan."""

    @cached_property
    def nominal(self) -> Array:
        """The mechanism's own sizes."""
        return sizes_of(self.m, self.system.parameters)

    @cached_property
    def sign(self) -> Array | None:
        """The assembly mode of the mechanism's own position, if it is made of dyads."""
        return start_at(self.system, self.own, self.nominal).sign

    def placed(self, here: Array, wanted: Array, t: float) -> tuple[Array, Array]:
        """Coordinates where the wanted values hold, and whether the loops are closed.

        `here` are the values of the mechanism's own position.
        """
        dyads, clock = self.system.dyads, np.array([t, 0.0])
        if dyads is not None and self.sign is not None:
            rest = np.zeros(self.system.wanted)
            q, _, _, room = dyads.solve(
                wanted, rest, clock, self.sign, self.own, self.p, check_finite=False
            )
            closed = reached(q, room)
        else:
            start = np.concatenate([here, clock, self.nominal])
            q, closed = self.led(self.own, start, self._asked(wanted, clock, self.p))
        q[~closed] = np.nan
        return q, closed

    def led(self, q: Array, here: Array, target: Array) -> tuple[Array, Array]:
        """Coordinates at the end of straight ways, and whether it was reached."""
        q, done = self.system.led(q, here, target, check_finite=False)
        return q, done == 1.0

    def _asked(self, wanted: Array, clock: Array, p: Array) -> Array:
        asked = np.empty((len(p), self.system.wanted + 2 + p.shape[1]))
        asked[:, : self.system.wanted] = wanted
        asked[:, self.system.wanted : -p.shape[1]] = clock
        asked[:, -p.shape[1] :] = p
        return asked

    def at_time(self, t: float, p: Array) -> Array:
        """What is asked for where the drives are at a time."""
        return self._asked(np.zeros(self.system.wanted), np.array([t, 0.0]), p)


def reached(q: Array, room: Array) -> Array:
    """Whether dyads reach; those without a root where their lines are not parallel."""
    if not room.shape[-1]:
        return np.asarray(np.isfinite(q).all(axis=-1))
    return np.asarray(room[..., 0] >= 0 if room.shape[-1] == 1 else (room >= 0).all(axis=-1))


class Endings(Mapping[int, str]):
    """Why designs did not finish, by their number; the sentences are written when asked for."""

    def __init__(self, last: Array, t: Array) -> None:
        self.numbers = np.flatnonzero(last < len(t))
        self.last, self.t = last, t

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers.tolist())

    def __getitem__(self, number: int) -> str:
        k = int(self.last[number])
        if k >= len(self.t):
            raise KeyError(number)
        if k == 0:
            return f"at t = {self.t[0]:g} s {OPEN}"
        return (
            f"the drives cannot move it further: there is a dead point, or slides run away, "
            f"between t = {self.t[k - 1]:g} s and {self.t[k]:g} s"
        )


class Lanes:
    """Designs on their way along the times: q, v, a of shape (times, designs, ...)."""

    def __init__(self, designs: Designs, t: Array) -> None:
        system, count = designs.system, len(designs.p)
        self.designs, self.system, self.t = designs, system, t
        self.q = np.empty((len(t), count, system.tree.nq))
        self.v, self.a = (np.empty((len(t), count, system.tree.nv)) for _ in range(2))
        self.last = np.full(count, len(t), dtype=np.int32)
        """How many times each design reached."""
        self.sign: Any = designs.sign
        self.rest = np.zeros(system.wanted)
        self.room = np.empty((count, len(system.dyads.chains) if system.dyads else 0))
        self.best = np.zeros(count)
        """The largest singularity of each design so far."""
        self.crossing = np.zeros(count, dtype=bool)
        """Designs with a row in a singular position."""

    def start(self) -> None:
        """All designs at the first time."""
        if self.sign is None:
            wanted = np.zeros((len(self.designs.p), self.system.wanted))
            self.q[0], closed = self.designs.placed(wanted[0], wanted, float(self.t[0]))
            if self.designs.rates:
                self._rates(0, slice(None))
        else:
            self._solved(0, self.designs.own)
            closed = reached(self.q[0], self.room)
        self.last[~closed] = 0

    def step(self, k: int) -> None:
        """All designs from one time to the next."""
        going = self.last == len(self.t)
        if self.sign is None:
            self._lead(k, np.flatnonzero(going))
            return
        fair = self.solve(k, k - 1)
        if not fair.all():
            self._lead(k, np.flatnonzero((fair == 0.0) & going))

    def solve(self, k: int, before: int) -> Array:
        """Closed form at a time after another; 1 where the step there is fair."""
        self._solved(k, self.q[before])
        dyads, h = self.system.dyads, np.array([self.t[k] - self.t[before]])
        states = [x[j] for j in (before, k) for x in (self.q, self.v, self.a)]
        program = step_program(self.q.shape[-1])
        _, fair = program(*states, h, dyads.scale, dyads.turning, check_finite=False)  # type: ignore[union-attr]
        return fair

    def nodes(self) -> Array | None:
        """Places of times so close together that steps between them are fair; None if too far."""
        t, last = self.t, len(self.t) - 1
        places = np.append(np.arange(0, last, max(last // STEPS[0], 1)), last)
        longest = (1 + 1e-9) * float(t[-1] - t[0]) / STEPS[0]
        return places if np.diff(t[places]).max(initial=0.0) <= longest else None

    def fill(self, nodes: Array) -> Array:
        """All times within steps between nodes, where drives turn evenly; which designs are led.

        Steps are proved from node to node; angles are the nearest to those of the node before.
        """
        self.start()
        solved = self._solved if self.designs.rates else self._placed
        fair = (self.last > 0).astype(float)
        for before, k in pairwise(nodes.tolist()):
            fair *= self.solve(k, before)
        for before, k in pairwise(nodes.tolist()):
            for between in range(before + 1, k):
                solved(between, self.q[before])
        return np.flatnonzero(fair == 0.0)

    def take(self, numbers: Array, others: Lanes) -> None:
        """Put designs that moved by themselves in their places."""
        for own, other in ((self.q, others.q), (self.v, others.v), (self.a, others.a)):
            own[:, numbers] = other
        self.last[numbers] = others.last
        self.crossing[numbers] = others.crossing

    def put(self, number: int, moved: Trajectory) -> None:
        """Put a design that moved alone in its place."""
        self.last[number] = len(moved)
        for own, other in ((self.q, moved.q), (self.v, moved.v), (self.a, moved.a)):
            own[: len(moved), number] = other

    def state(self) -> State:
        """q, v and a; nan beyond the last time of a design."""
        for number in np.flatnonzero(self.last < len(self.t)):
            for x in (self.q, self.v, self.a):
                x[self.last[number] :, number] = np.nan
        if self.designs.rates:
            return self.q, self.v, self.a
        nothing = np.broadcast_to(np.nan, self.v.shape)
        return self.q, nothing, nothing

    def _solved(self, k: int, near: Array) -> None:
        """Closed form at a time; `room` tells whether it reaches."""
        out = self.q[k], self.v[k], self.a[k], self.room
        self.system.dyads.solve(*self._given(k, near), check_finite=False, out=out)  # type: ignore[union-attr]

    def _placed(self, k: int, near: Array) -> None:
        """The same without velocities and accelerations."""
        out = self.q[k], self.room
        self.system.dyads.place(*self._given(k, near), check_finite=False, out=out)  # type: ignore[union-attr]

    def _given(self, k: int, near: Array) -> tuple[Array, ...]:
        """What the closed form takes at a time."""
        clock = np.array([self.t[k], 1.0])
        return self.rest, self.rest, clock, self.sign, near, self.designs.p

    def _lead(self, k: int, lanes: Array) -> None:
        """Some designs from the time before by Newton's method; those that stop are marked."""
        if not len(lanes):
            return
        designs, p = self.designs, self.designs.p[lanes]
        here, target = (designs.at_time(float(t), p) for t in self.t[k - 1 : k + 1])
        self.q[k, lanes], closed = designs.led(self.q[k - 1, lanes], here, target)
        if designs.rates or self.sign is not None:  # steps of dyads are proved by them
            if not self.best[lanes].all():
                self._rates(k - 1, lanes)
            self._rates(k, lanes)
        self.last[lanes[~closed]] = k
        if self.sign is not None and closed.any():
            others = lanes[closed]
            self.sign = np.broadcast_to(self.sign, (len(designs.p), self.sign.shape[-1])).copy()
            self.sign[others] = self.system.dyads.signs(self.q[k, others], p[closed])  # type: ignore[union-attr]

    def _rates(self, k: int, lanes: Any) -> None:
        clock = np.array([self.t[k], 1.0])
        inputs = self.q[k, lanes], self.rest, self.rest, clock, self.designs.p[lanes]
        self.v[k, lanes], self.a[k, lanes], _, pivots, _ = self.system.rates(
            *inputs, check_finite=False
        )
        room = singularity_of(pivots)
        self.best[lanes] = np.fmax(self.best[lanes], room)
        self.crossing[lanes] |= room < SINGULAR * self.best[lanes]


def singularity_of(pivots: Array) -> Array:
    """Smallest pivot of the velocity equations over the largest: 0 at a dead point."""
    if not pivots.shape[1]:
        return np.ones(len(pivots))
    return np.asarray(pivots.min(axis=1) / pivots.max(axis=1))


def designs_in_motion(
    designs: Designs,
    t: Array,
    shape: tuple[int, ...],
    shown: Progress,
    alone: Callable[[Array], Trajectory | None],
) -> Trajectory:
    """The motion of designs of a batch shape; those at crossings of branches move `alone`."""
    state = one_by_one(designs, t) if len(t) >= FEW * len(designs.p) else None
    if state is not None:
        last, stopped = np.full(len(designs.p), len(t)), False
    else:
        lanes = Lanes(designs, t)
        stopped = _run(lanes, shown)
        for number in np.flatnonzero(lanes.crossing & (lanes.last > 0) & (not stopped)).tolist():
            if (own := alone(designs.p[number])) is not None:
                lanes.put(number, own)
        last, moved = lanes.last, lanes.state()
        state = (
            np.moveaxis(moved[0], 0, 1),
            np.moveaxis(moved[1], 0, 1),
            np.moveaxis(moved[2], 0, 1),
        )
    q, v, a = (x.reshape(*shape, len(t), x.shape[-1]) for x in state)
    return _trajectory(designs, t, (q, v, a), last.reshape(shape), stopped)


def _run(lanes: Lanes, shown: Progress) -> bool:
    """All designs along all times; whether the user stopped it."""
    designs, t = lanes.designs, lanes.t
    dyads = lanes.system.dyads
    try:
        steady = lanes.sign is not None and dyads and dyads.steady and len(t) > 2 * STEPS[0]
        if steady and (nodes := lanes.nodes()) is not None:
            led = lanes.fill(nodes)
            if len(led):
                others = Lanes(replace(designs, p=designs.p[led]), t)
                stopped = _along(others, shown)
                lanes.take(led, others)
                return stopped
            return False
        return _along(lanes, shown)
    except KeyboardInterrupt:
        lanes.last[:] = 0
        return True
    finally:
        shown.close()


def _along(lanes: Lanes, shown: Progress) -> bool:
    """Designs from time to time; whether the user stopped it."""
    t, k = lanes.t, 0
    try:
        lanes.start()
        for k in range(1, len(t)):
            if not np.any(lanes.last == len(t)):
                break
            lanes.step(k)
            shown(float(t[k] - t[0]), float(t[k]))
    except KeyboardInterrupt:
        lanes.last = np.minimum(lanes.last, k)
        return True
    return False


def one_by_one(designs: Designs, t: Array) -> State | None:
    """All times of one design after the other, in closed form; None if one has to be led."""
    states = []
    if not len(designs.p):
        tree = designs.system.tree
        q, v = (np.empty((0, len(t), count)) for count in (len(designs.own), tree.nv))
        return q, v, v.copy()
    for p in designs.p:
        if designs.sign is None:
            return None
        state = moved_by_dyads(designs.system, Start(designs.own, designs.sign), t, p)
        if state is None:
            return None
        states.append(state)
    q, v, a = (np.stack(x) for x in zip(*states, strict=True))
    return q, v, a


def moved_as_design(m: Mechanism, of: Designs, t: Array) -> State | None:
    """q, v and a of a mechanism as a design of another, in the mode of its own drawing.

    None where it is not made of dyads, or its steps do not prove themselves.
    """
    names, raw = of.system.parameters, dict(m.parameters)
    p = np.array([_number(raw[name]) for name in names])
    q = drawn_coordinates(m)
    drawn = np.concatenate([q[joint.name] for joint in of.system.m.joints])
    start = start_at(of.system, drawn[list(of.system.tree.free_q)], p)
    return moved_by_dyads(of.system, start._replace(q=of.own), t, p)


def differing_sizes(first: Mechanism, m: Mechanism) -> tuple[str, ...]:
    """Parameters in which two designs of a family differ; none if they differ otherwise."""
    if len(first.parameters) != len(m.parameters):
        return ()
    pairs = zip(first.parameters, m.parameters, strict=True)
    others = [(a[0], b) for a, b in pairs if a != b]
    plain = all(name == b[0] and not names_in(b[1]) for name, b in others)
    return tuple(name for name, _ in others) if plain else ()


def _number(raw: Any) -> float:
    """The value of a parameter in SI."""
    return float(parse(raw).value if isinstance(raw, str) else raw)


def _trajectory(designs: Designs, t: Array, state: State, last: Array, stopped: bool) -> Trajectory:
    finished = last == len(t)
    count, total = int(np.count_nonzero(finished)), last.size
    status: Any = np.broadcast_to(np.array(FINISHED), last.shape)
    if count < total:
        status = np.where(finished, FINISHED, INTERRUPTED if stopped else FAILED)
    message = f"{count} of {total} designs finished at t = {t[-1]:g} s"
    p = designs.p.reshape(*last.shape, 1, designs.p.shape[-1])
    return Trajectory(
        designs.m,
        t,
        *state,
        ended=status,
        message=message,
        method="driven",
        endings=Endings(last.ravel(), t),
        parameters={name: p[..., i] for i, name in enumerate(designs.system.parameters)},
    )

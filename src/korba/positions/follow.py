"""Following a mechanism along a path of its drives, on one branch.

From a position, its velocity and acceleration predict the next one (Gronowicz 2.147),

    q(s + h) = q + h q' + h^2/2 q''

and Newton's method corrects it. A step counts only if the correction is small beside the step,
shrinks from iteration to iteration, and the way back predicts the position before as well; else
it is halved. So a branch is followed or the step shrinks to nothing: then there is a dead point.
Where branches come near each other a step could still land on the wrong one. Then the equations
turn over in between,

    det J(s)' J(s + h) < 0

and the step is halved as well, until it is so short that the branches truly cross there (a change
point, such as a parallelogram in line): the mechanism then goes straight on. At a distance d from
there positions are known to eps/d only, and directions to eps/d^2: so no step may end just there,
and the crossing is leapt over, from well before it to as far behind.
Between the nodes positions follow from Hermite interpolation and Newton's method, many at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine.following import FAIR
from ..errors import StructureError
from ..libraries import undisturbed
from ..spatial.rotation import Array
from .asymptote import Pole, Strokes
from .loop_system import LoopSystem

Inputs = tuple[Array, Array, Array]
"""`wanted`, `speed` and `clock` of a loop system."""

LARGEST_MOVE = 0.35
"""Radians, or typical lengths, that a coordinate may change from node to node."""
SMALL = 1e-3
"""The step beside which corrections are judged where the mechanism hardly moves."""
AIM = 0.02
"""The part of the step that corrections should take."""
SMALLEST = 1e-9
"""The part of the longest step below which a step is given up."""
CROSSING = 1e-5
"""Branches nearer than such a step cross: in half of one directions are known to six digits."""
LEAP = 1e-3
"""How long before a crossing the step over it begins, in radians or typical lengths."""
FALL = 0.05
"""Part of the smallest pivot over the largest that a step has to leave."""
LOOKS, SOON = 1_000, 0.1
"""Steps after which slides are looked at that may run away; the part of the way that is left until
then, if nobody need go on."""
UNEVEN = 20
"""How much slower than its beginning the rest of a way may be."""
MOST_NODES, SURE = 500_000, 10_000
"""Steps of one path, and those after which it is judged by how many all of it would take."""
OPEN = 1e-6
"""Largest residual of a step that counts, beside that of its last correction."""
STIFF = 1e3
"""How much larger than the correction to come a residual may be."""
NEAR = 0.25
"""Smallest pivot over the largest below which steps are looked at for turning over."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Positions along a path, with what is known there."""

    s: Array
    q: Array
    rate: Array
    """dq/ds."""
    complete: bool
    """Whether the end was reached."""
    interrupted: bool = False
    """Whether the user stopped it."""
    crossings: tuple[float, ...] = ()
    """Where other branches were crossed."""
    pole: Pole | None = None
    """Where slides run away, if it ends before that."""


@dataclass(frozen=True, eq=False)
class Along:
    """A loop system on a path: s -> what is wanted."""

    system: LoopSystem
    inputs: Callable[[Any], Inputs]

    @property
    def largest(self) -> float:
        """How far a coordinate may move from node to node.

        An idle turn of a body on ball joints is not settled by the equations but by the steps
        themselves, so these are shorter.
        """
        idle = self.system.still and self.system.tree.quaternions
        return LARGEST_MOVE / 10 if idle else LARGEST_MOVE

    @property
    def strokes(self) -> Strokes:
        """The coordinates that may run away."""
        system = self.system
        lengths = np.array([kind == "length" for kind in system.tree.coordinate_kinds], dtype=bool)
        return Strokes(system.names, system.q_units, lengths & (system.own >= 0))

    def node(self, q: Array, s: float) -> _Node:
        """What is known at a position."""
        _, a, rate, pivots, _ = self.system.rates(q, *self.inputs(s))
        bend = np.where(self.system.own >= 0, a[self.system.own], 0.0)
        room = float(pivots.min() / pivots.max()) if pivots.size else 1.0
        return _Node(s, q, rate, bend, self.size(rate), room)

    def size(self, change: Array) -> float:
        """Largest change of a coordinate, in radians and typical lengths."""
        return float((np.abs(change) / self.system.q_units).max(initial=0.0))

    def turned_over(self, before: _Node, after: _Node) -> bool:
        """Whether the equations became singular between two positions, by their determinant."""
        inputs = [self.inputs(node.s) for node in (before, after)]
        J, K = (
            self.system.unitless(node.q, wanted, clock, sparse=True)[1]
            for node, (wanted, _, clock) in zip((before, after), inputs, strict=True)
        )
        return odd(J.T @ K)


def on_time(system: LoopSystem) -> Callable[[Any], Inputs]:
    """Inputs of the system on the way that the drives prescribe."""
    rest = np.zeros(system.wanted)

    def inputs(t: Any) -> Inputs:
        if isinstance(t, float):
            return rest, rest, np.array([t, 1.0])
        t = np.asarray(t, dtype=float)
        still, clock = np.zeros((*t.shape, system.wanted)), np.ones((*t.shape, 2))
        clock[..., 0] = t
        return still, still, clock

    return inputs


def on_line(here: Array, ahead: Array, t: float) -> Callable[[Any], Inputs]:
    """Inputs on a straight way of what is wanted: here + s ahead, the time standing still."""

    def inputs(s: Any) -> Inputs:
        part = np.asarray(s, dtype=float)[..., None]
        wanted = here + part * ahead
        clock = np.broadcast_to(np.array([t, 0.0]), (*part.shape[:-1], 2))
        return wanted, np.broadcast_to(ahead, wanted.shape), clock

    return inputs


class _Node(NamedTuple):
    """A position on the path: s, q, dq/ds, d2q/ds2, and how far from a singular one it is."""

    s: float
    q: Array
    rate: Array
    bend: Array
    speed: float
    """Size of dq/ds."""
    room: float
    """Smallest pivot over the largest."""
    crossed: float | None = None
    """Where another branch was crossed on the way there."""
    since: float | None = None
    """Where the step over it began: nodes in between do not count."""

    @property
    def near(self) -> bool:
        """Whether steps are looked at for turning over."""
        return not self.room > NEAR


def odd(A: Any) -> bool:
    """Whether the determinant of a matrix, dense or sparse, is not positive."""
    if isinstance(A, np.ndarray):
        return bool(np.linalg.slogdet(A)[0] <= 0)
    with undisturbed():
        from scipy.sparse.linalg import splu

    try:
        factors = splu(A.tocsc())
    except RuntimeError:  # exactly singular
        return True
    signs = np.sign(factors.U.diagonal()).prod()
    return bool(signs * _parity(factors.perm_r) * _parity(factors.perm_c) <= 0)


def _parity(order: Array) -> int:
    """1 for an even permutation, -1 for an odd one."""
    seen, sign = np.zeros(len(order), dtype=bool), 1
    for start in range(len(order)):
        k, length = start, 0
        while not seen[k]:
            seen[k], k, length = True, int(order[k]), length + 1
        sign = -sign if length and length % 2 == 0 else sign
    return sign


def follow(
    along: Along,
    q: Array,
    start: float,
    end: float,
    *,
    told: Callable[[float], object] = lambda s: None,
    stops: Sequence[float] | Array = (),
    kept: bool = False,
    even: bool = False,
) -> Nodes:
    """Nodes from `start` to `end`, or to where it does not go on; one at every stop between.

    `told` hears of every node. An interrupt from the keyboard ends it; if they are to be `kept`,
    with the nodes so far. On an `even` way, the same all along, one that is too long is known soon.
    """
    nodes = [along.node(q, start)]
    _refuse_beyond(along, nodes[0])
    stopped = False
    try:
        for aim in [*(s for s in stops if (s - start) * (end - s) > 0), end]:
            for node in _steps(along, nodes[-1], aim, abs(end - start)):
                while node.since is not None and (nodes[-1].s - node.since) * (end - start) > 0:
                    nodes.pop()
                nodes.append(node)
                told(node.s)
                if _is_endless(len(nodes) - 1, (node.s - start) / (end - start), even):
                    raise _endless(along, len(nodes) - 1, node.s, start, end)
                if len(nodes) % LOOKS == 0 and _runs_away(along, nodes, end):
                    break
            if not _reached(nodes[-1].s, aim, end - start):
                break
            if aim != end and len(nodes) > 1 and nodes[-1].room < FALL * nodes[-2].room:
                nodes.pop()
    except KeyboardInterrupt:
        if not kept:
            raise
        stopped = True
    s, qs, rates = (np.array(each) for each in zip(*(node[:3] for node in nodes), strict=True))
    complete = _reached(nodes[-1].s, end, end - start)
    crossings = tuple(node.crossed for node in nodes if node.crossed is not None)
    pole = None if complete else along.strokes.pole(nodes)
    return Nodes(s, qs, rates, complete, stopped and not complete, crossings, pole)


def _runs_away(along: Along, nodes: Sequence[_Node], end: float) -> bool:
    """Whether slides run away so soon that the end cannot be reached."""
    pole = along.strokes.pole(nodes)
    return pole is not None and abs(pole.s - nodes[-1].s) < SOON * abs(end - nodes[-1].s)


def _is_endless(count: int, part: float, even: bool) -> bool:
    """Whether so many steps are too many, or all of them would by far be."""
    most = MOST_NODES * (1 if even else UNEVEN)
    return count >= MOST_NODES or (count % SURE == 0 and count > most * part)


def _endless(along: Along, count: int, s: float, start: float, end: float) -> StructureError:
    """The error of a way that is too long to be followed."""
    return StructureError(
        f"mechanism {along.system.m.name!r}: {count} steps of {along.largest:g} rad or typical "
        f"lengths lead to {(s - start) / (end - start):.3g} of the way that is asked for; "
        "ask for a shorter one, or for slower drives"
    )


def _refuse_beyond(along: Along, node: _Node) -> None:
    """An error for a way whose velocities or accelerations are beyond all numbers."""
    if not (np.isfinite(node.rate).all() and np.isfinite(node.bend).all()):
        raise StructureError(
            f"mechanism {along.system.m.name!r}: the way that is asked for is so long or so fast "
            "that its accelerations are beyond all numbers; ask for a shorter one, or for "
            "slower drives"
        )


def _reached(s: float, end: float, whole: float) -> bool:
    return abs(s - end) <= 1e-12 * max(1.0, abs(whole))


def _steps(along: Along, node: _Node, end: float, whole: float) -> Iterator[_Node]:
    """One node after the other, with steps as long as they count."""
    ahead = float(np.sign(end - node.s))
    h = longest = min(abs(end - node.s), _allowed(along, node, along.largest / 4))
    passed = [node]
    while abs(end - node.s) > 1e-14 * whole:
        step = _step(along, node, ahead * h, last=h >= abs(end - node.s))
        if step is None:
            h = 0.5 * h
            if h < SMALLEST * longest or node.s + ahead * h == node.s:
                return
            continue
        node, correction, move = step
        if node.crossed is not None:
            node = _leapt(along, passed, node, end)
        passed.append(node)
        yield node
        longest = max(longest, h)
        growth = (AIM * max(move, SMALL) / max(correction, 1e-16)) ** (1 / 3)
        h = h * min(2.0, max(0.5, growth))
        h = min(h, _allowed(along, node, along.largest), abs(end - node.s))


def _allowed(along: Along, node: _Node, move: float) -> float:
    """The step in which no coordinate moves further."""
    return move / max(node.speed, 1e-300)


def _step(along: Along, node: _Node, h: float, *, last: bool) -> tuple[_Node, float, float] | None:
    """The next node, the correction and the size of the step; None if it does not count.

    Only the `last` one may end in a singular position.
    """
    step = _fair_step(along, node, h)
    if step is None:
        return None
    after, first, move = step
    if (node.near or after.near) and along.turned_over(node, after):
        return (after._replace(crossed=node.s + 0.5 * h), first, move) if move <= CROSSING else None
    return step if last or after.room >= FALL * node.room else None


def _leapt(along: Along, passed: Sequence[_Node], after: _Node, end: float) -> _Node:
    """The node after a crossing, by one step from well before it to as far behind."""
    where = after.s if after.crossed is None else after.crossed
    long = (node for node in reversed(passed) if abs(where - node.s) * node.speed >= LEAP)
    before = next(long, passed[0])
    far = where - before.s
    h = far + float(np.sign(far)) * min(abs(far), abs(end - where))
    step = _fair_step(along, before, h) if abs(h - far) > FALL * abs(far) else None
    return after if step is None else step[0]._replace(crossed=where, since=before.s)


def _fair_step(along: Along, node: _Node, h: float) -> tuple[_Node, float, float] | None:
    """The same, whether another branch is crossed or not."""
    s, q, rate, bend, *_ = node
    new, rate, bend, measures = along.system.advance(
        q, rate, bend, np.array([h]), *along.inputs(s + h)
    )
    first, last, gap, back, move, bent, speed, low, high = measures.tolist()
    fair = FAIR * (max(move, bent, 1e-9) if node.near else max(move, SMALL))
    if not (last <= 1e-7 and first <= fair and back <= fair and move <= 4 * LARGEST_MOVE):
        return None
    if not gap <= OPEN + STIFF * last or not np.isfinite(bend).all():
        return None
    return _Node(s + h, new, rate, bend, speed, low / high), first, move


def filled(along: Along, nodes: Nodes, s: Array) -> Array:
    """Positions at all `s` between the nodes, closed to rounding."""
    return closed_between(along, nodes, s)[0]


def closed_between(along: Along, nodes: Nodes, s: Array) -> tuple[Array, Array]:
    """The same, and where it counts: the corrections are small, as steps between nodes are."""
    k = np.clip(np.searchsorted(nodes.s, s, side="right") - 1, 0, max(0, len(nodes.s) - 2))
    cubic, u = _hermite(nodes, k, s)
    (wanted, _, clock), system = along.inputs(s), along.system
    fair, going = np.ones(len(s), dtype=bool), np.zeros(len(s), dtype=bool)
    if (between := system.between) is not None:
        q, first, last = between(cubic, u, wanted, clock, check_finite=False)
        if first.max(initial=0.0) <= FAIR * SMALL and last.max(initial=0.0) <= 1e-7:
            return q, fair
    c = cubic.reshape(len(s), 4, -1)
    q = system.tree.normalised(c[:, 0] + u * (c[:, 1] + u * (c[:, 2] + u * c[:, 3])))
    for iteration in range(12):
        new, x, residual = system.newton(q, wanted, clock, check_finite=False)
        x = np.abs(x) / system.units
        longest = x.max(initial=0.0)
        if longest <= 1e-9:
            return new, fair
        if iteration < 3 and longest <= FAIR * SMALL:
            q = new
            continue
        right = (np.abs(residual) / system.size < system.rounding / 10).all(axis=1)
        if iteration == 0:
            fair = right | (x.max(axis=1) <= FAIR * _moves(along, nodes)[k])
        going = ~(x.max(axis=1) <= 1e-9)
        q = np.where((going & right)[:, None], q, new)
        going &= ~right
        if not going.any():
            break
    return q, fair & ~going


def _moves(along: Along, nodes: Nodes) -> Array:
    """How far coordinates move from every node to the next."""
    apart = np.abs(np.diff(nodes.q, axis=0)) / along.system.q_units
    return np.maximum(np.append(apart.max(axis=1, initial=0.0), 0.0), SMALL)


def _hermite(nodes: Nodes, k: Array, s: Array) -> tuple[Array, Array]:
    """Cubics through positions and rates at both ends: four coefficients, and where on them."""
    h = np.diff(nodes.s)[:, None] if len(nodes.s) > 1 else np.ones((1, 1))
    u = ((s - nodes.s.take(k)) / h[:, 0].take(k))[:, None]
    q_0, q_1 = nodes.q[: len(h)], nodes.q[-len(h) :]
    d_0, d_1 = h * nodes.rate[: len(h)], h * nodes.rate[-len(h) :]
    c, d = 3 * (q_1 - q_0) - 2 * d_0 - d_1, 2 * (q_0 - q_1) + d_0 + d_1
    return np.concatenate([q_0, d_0, c, d], axis=1).take(k, axis=0), u

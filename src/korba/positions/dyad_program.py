"""Mechanisms made of dyads as one straight-line program: no iteration, the assembly mode an input.

The chains of the dyads (dyad_chains.py) are solved one after the other in symbols, so that the
coordinates q of all joints are formulas of what is given: held coordinates, drives, the sizes, and
a `sign` for each dyad that has two positions. Turns come out as cosine and sine; the rates of the
loops, written once (equations.py), take them in the place of cos q and sin q,

    cos(q + k) = c cos k - s sin k,        sin(q + k) = s cos k + c sin k                    (1)

so that only q itself asks for an angle. It is the one nearest to `near`: angles count their turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import pi
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, array_of, compile_cached, program_of, symbols
from ..codegen.callable.numbered import Numbered
from ..expr import Expr, evaluate, variables
from ..expr.differentiate import jacobian_rows
from ..expr.evaluate import replaced
from ..expr.node import as_expr, postorder, recorded
from ..expr.quantities import is_size
from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from .dyad_chains import DyadChain, dyad_chains, flat, pairs_of
from .dyads import KINDS, Vector
from .equations import WholeSystem, whole_system
from .loops import Loops


class Knowledge:
    """What stands in the place of coordinates q[i], of their sines and of their cosines."""

    def __init__(self) -> None:
        self.values: dict[Expr, Expr] = {}
        self.turns: dict[Expr, Vector] = {}

    def know(self, q: Expr, value: Any, turn: Vector | None = None) -> None:
        """A coordinate has a value, and as a turn this cosine and sine."""
        self.values[q] = as_expr(value)
        if turn is not None:
            self.turns[q] = turn

    def resolved(self, expressions: Any) -> Array:
        """Expressions without the coordinates that are known."""
        roots = [as_expr(x) for x in expressions]
        places = dict(self.values)
        for node in postorder(roots):
            turn = self._turn_of(node.args[0]) if node.op in ("sin", "cos") else None
            if turn is not None:
                places[node] = as_expr(turn[node.op == "sin"])
        return array_of(replaced(roots, places))

    def _turn_of(self, angle: Expr) -> Vector | None:
        """(1)."""
        if angle in self.turns:
            return self.turns[angle]
        if angle.op != "add":
            return None
        for q, k in (angle.args, angle.args[::-1]):
            if q in self.turns and (k.op == "constant" or is_size(k)):
                (c, s), (c_k, s_k) = self.turns[q], (k.cos(), k.sin())
                return c * c_k - s * s_k, s * c_k + c * s_k
        return None


@dataclass(frozen=True, eq=False)
class Dyads:
    """A mechanism made of dyads, solved in symbols."""

    whole: WholeSystem
    chains: tuple[DyadChain, ...]
    """Those with two positions, in the order of the signs."""
    knowledge: Knowledge
    rooms: Array
    leans: Array
    """Numbers with the signs of the dyads, in the coordinates and sizes."""
    order: list[Expr]
    paths: dict[tuple[float, float], Array] = field(default_factory=dict)
    """Positions along the motion from one time to another (dyad_motion.py)."""

    @cached_property
    def solve(self) -> Compiled | Numbered:
        """(wanted, speed, clock, sign, near[, p]) -> q, v, a and the rooms of the dyads."""
        return compile_cached(self._key("solved"), lambda: self.program)

    @cached_property
    def place(self) -> Compiled | Numbered:
        """(the same inputs) -> q and the rooms alone."""
        return compile_cached(self._key("placed"), lambda: self.placing)

    def _key(self, name: str) -> str | None:
        structure = self.whole.loops.structure
        return f"{structure} {name}" if structure else None

    def on_time(self, t: Array, sign: Any, near: Array, *p: Array) -> Any:
        """`solve` at times, as the drives prescribe."""
        rest, clock = np.zeros(self.whole.loops.wanted), np.ones((len(t), 2))
        clock[:, 0] = t
        return self.solve(rest, rest, clock, sign, near, *p, check_finite=False)

    @cached_property
    def steady(self) -> bool:
        """Whether all drives move at constant speed."""
        t = self.whole.clock[0]
        bends = [drive.motion(t)[0, 2] for drive in self.whole.loops.laws]
        return all(as_expr(bend).value == 0.0 for bend in bends)

    @cached_property
    def scale(self) -> Array:
        """1 over what every coordinate is measured in."""
        return np.asarray(1.0 / self.whole.loops.q_units)

    @cached_property
    def turning(self) -> Array:
        """1 for coordinates that come out as angles without their whole turns, 0 for others."""
        return np.array([float(q in self.knowledge.turns) for q in self.whole.q])

    @property
    def program(self) -> Program:
        """The same, to be compiled."""
        state, order = self.in_symbols()
        return self._program((*state, self.rooms), order)

    @property
    def placing(self) -> Program:
        """Positions alone, to be compiled."""
        (q, _, _), order = self.in_symbols()
        return self._program((q, self.rooms), order)

    def gradient(self, value: Callable[[Array, Array, Array], Any]) -> Program:
        """(the same inputs) -> a number made of q, v and a, and its derivatives by the sizes p.

        The derivatives are those of the straight-line program itself, in one reverse pass: exact,
        through the loops, at a few times the cost of the number.
        """
        state, order = self.in_symbols()
        names = [f"p[{i}]" for i in range(len(self.whole.loops.parameters))]
        with recorded() as more:
            total = as_expr(value(*state))
            slopes = array_of(jacobian_rows([total], names)[0])
        return self._program((array_of([total]), slopes), [*order, *more])

    def in_symbols(self) -> tuple[tuple[Array, Array, Array], list[Expr]]:
        """q, v and a in what is given, and the operations in the order they were asked for."""
        near, know = symbols("near", self.whole.loops.tree.nq), self.knowledge
        (v, a, *_), _ = self.whole.rates_in_symbols(direct=True)
        with recorded() as order:
            q = know.resolved(self.whole.q)
            for i, symbol in enumerate(self.whole.q):
                if symbol in know.turns:
                    q[i] = q[i] + 2 * pi * np.floor((near[i] - q[i]) / (2 * pi) + 0.5)
            v, a = know.resolved(v), know.resolved(a)
        return (q, v, a), order

    def _program(self, results: Any, order: list[Expr]) -> Program:
        loops, nq = self.whole.loops, self.whole.loops.tree.nq
        inputs = [("wanted", loops.wanted), ("speed", loops.wanted), ("clock", 2)]
        inputs += [("sign", len(self.chains)), ("near", nq)]
        if loops.parameters:
            inputs.append(("p", len(loops.parameters)))
        name = loops.m.name or "the mechanism"
        return program_of(inputs, results, name, [*self.order, *order])

    def signs(self, q: Array, p: Array | None = None) -> Array:
        """The assembly mode of a position: a sign for each dyad, 0 where it is at its end."""
        values = {f"q[{i}]": q[..., i] for i in range(q.shape[-1])}
        if p is not None:
            values |= {f"p[{i}]": p[..., i] for i in range(p.shape[-1])}
        return np.sign(evaluate(self.leans, values)) if len(self.leans) else np.zeros(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberedDyads(Dyads):
    """Those of all mechanisms of a structure, with the numbers of one of them."""

    shared: Dyads
    loops: Loops
    """Its own, in numbers."""
    numbers: Array

    @classmethod
    def of(cls, shared: Dyads, loops: Loops, numbers: Array) -> NumberedDyads:
        """The dyads of a mechanism."""
        own = {item.name: getattr(shared, item.name) for item in fields(Dyads)}
        return cls(**{**own, "paths": {}}, shared=shared, loops=loops, numbers=numbers)

    @cached_property
    def _alone(self) -> Dyads:
        """Those of the mechanism, with its numbers folded in."""
        found = dyads_of(whole_system(self.loops))
        if found is None:
            raise AssertionError("the dyads of a structure are those of its mechanisms")
        return found

    @cached_property
    def solve(self) -> Numbered:
        """With the numbers."""
        return Numbered(self.shared.solve, self.numbers, lambda: self._alone.program)

    @cached_property
    def place(self) -> Numbered:
        """With the numbers."""
        return Numbered(self.shared.place, self.numbers, lambda: self._alone.placing)

    @property
    def steady(self) -> bool:
        """Whether all drives move at constant speed."""
        return self.shared.steady

    @property
    def turning(self) -> Array:
        """Which coordinates come out without their whole turns."""
        return self.shared.turning

    @cached_property
    def scale(self) -> Array:
        """1 over what every coordinate is measured in."""
        return np.asarray(1.0 / self.loops.q_units)

    def signs(self, q: Array, p: Array | None = None) -> Array:
        """The assembly mode of a position."""
        return self.shared.signs(q, self.numbers)


def dyads_of(whole: WholeSystem) -> Dyads | None:
    """The mechanism solved dyad by dyad; None if it has other groups or another kind of drive."""
    loops = whole.loops
    given = _given(loops, whole.wanted, whole.clock[0])
    chains = None if given is None else dyad_chains(loops, tuple(given))
    if given is None or chains is None:
        return None
    know, names = Knowledge(), loops.names
    for name, value in given.items():
        know.know(whole.q[names.index(name)], value)
    modal = tuple(each for each in chains if KINDS[each.chain.kind][1] is not None)
    sign = dict(zip(modal, symbols("sign", len(modal)), strict=True))
    place = {i: k for k, i in enumerate(loops.formed.free_q)}
    rooms, leans = [], []
    with recorded() as order:
        at = Moving(loops.formed, all_coordinates(loops.formed, whole.q))
        for each in chains:
            own = [whole.q[place[i]] for i in each.coordinates]
            room = _solve(at, each, sign.get(each, 1.0), own, know)
            if each in sign:
                rooms.append(room)
                leans.append(_lean(each, own))
    return Dyads(whole, modal, know, array_of(rooms), array_of(leans), order)


def _given(loops: Loops, wanted: Array, t: Any) -> dict[str, Any] | None:
    """The coordinates that are held or driven, with their values; None for other drives."""
    given = dict(zip(loops.held, wanted, strict=False))
    for drive, more in zip(loops.laws, wanted[len(given) :], strict=False):
        if drive.coordinate is None or drive.count != 1 or drive.coordinate in given:
            return None
        given[drive.coordinate] = drive.motion(t, 0)[0, 0] + more
    return given


def _solve(at: Moving, each: DyadChain, sign: Any, own: list[Expr], know: Knowledge) -> Any:
    """Make the coordinates of a dyad known; its room."""
    X_A, X_B = (
        _known_pose(at, link, know) @ X
        for link, X in ((each.first, each.X_first), (each.last, each.X_last))
    )
    target = flat(X_A.R.T @ (X_B.p - X_A.p), each.axes)
    phi = flat(X_A.R.T @ (X_B.R @ (np.asarray(each.end.R).T @ each.axes[0])), each.axes)
    solution = KINDS[each.chain.kind][0]
    resolved = know.resolved([*target, *phi])
    solved = solution(each.chain, (resolved[0], resolved[1]), (resolved[2], resolved[3]), sign)
    for q, value, way in zip(own, solved.coordinates, each.signs, strict=True):
        if isinstance(value, tuple):
            c, s = value[0], way * value[1]
            know.know(q, as_expr(s).arctan2(as_expr(c)), (c, s))
        else:
            know.know(q, value)
    return solved.room


def _known_pose(at: Moving, link: int, know: Knowledge) -> Pose:
    """World pose of a link by coordinates that are known.

    It is that of the tree. Where the tree reaches the link through a dyad that is not solved yet,
    the way leads over pairs of dyads that are.
    """
    names = {str(q.value) for q in know.values}
    known = np.array(
        [all(n in names or n[:2] != "q[" for n in variables(as_expr(q))) for q in at.q_all]
    )
    if all(known[at.tree.links[k].q].all() for k in at.tree.support(link)):
        return at.pose(link)
    pairs = [pair for pair in pairs_of(at.tree).values() if known[pair.q].all()]
    poses, ends = {-1: identity()}, [-1]
    for before in ends:
        for pair in pairs:
            if (
                before in (pair.first, pair.second)
                and (after := pair.others(before)[0]) not in poses
            ):
                poses[after] = poses[before] @ pair.step(before, at.q_all[pair.q])
                ends.append(after)
    return poses[link]


def _lean(each: DyadChain, own: list[Expr]) -> Any:
    lean = KINDS[each.chain.kind][1]
    kinds = zip(each.chain.kind, own, each.signs, strict=True)
    values = [(np.cos(q), way * np.sin(q)) if kind == "R" else q for kind, q, way in kinds]
    return lean(each.chain, (values[0], values[1], values[2])) if lean else 0.0

"""How positions and motions change with the sizes of a mechanism: through loops, exactly.

A driven mechanism meets, at every time and for every design p,

    Phi(q, t, p) = 0,    J v = f',    J a + J' v = f''                                       (1)

Differentiated by a size along its solution, all three have the matrix J again:

    J dq = - Phi_p                                                                           (2)
    J dv = - d(J v - f')                 with q and p moving, v still                         (3)
    J da = - d(J a + J' v - f'')         with q, v and p moving, a still                      (4)

The right sides are derivatives of the graph along (dq, dv, dp), so no step has to be chosen and
none is lost to rounding; dq of a quaternion is its rate for the small turn that solves (2). What
a verb answers then changes by the chain rule. Source: Haug (1989), Computer-Aided Kinematics and
Dynamics of Mechanical Systems, chapter 6, for sizes in place of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled, array_of, compile_program, program_of, symbols
from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..expr import Expr
from ..expr.differentiate import directional
from ..expr.node import as_expr, recorded
from ..kinematics.couplings import all_coordinates
from ..kinematics.rates import coordinate_rates, product, turning
from ..kinematics.rows import entries, equations
from ..model.mechanism import Mechanism
from ..positions.allowed import parted
from ..positions.loop_system import LoopSystem, loop_system
from ..positions.loops import still_row
from ..spatial.rotation import Array
from ..system.sizes import refuse_other_sizes
from ..system.store import kept
from ..system.system import kept_system
from ..trajectory.places import PointMotion, body_point
from ..trajectory.trajectory import Trajectory
from ..verbs.designs import DESIGN, PARAMETERS, sizes_at, sizes_of
from ..verbs.options import ORIGIN
from ..verbs.verb import Given, Verb
from .configuration import Configuration, without_idle
from .motion import loops_of

INPUTS = {
    "J": "q t p",
    "moved": "q x p",
    "first": "q t p dp",
    "second": "q v t p dq dp",
    "third": "q v a t p dq dv dp",
}
"""What the programs of sensitivities are functions of."""


@dataclass(frozen=True, eq=False)
class Sensitivity(Displayed):
    """Derivatives of a configuration or a motion by sizes of the mechanism.

    `.q["rod"]`, `.v["rod"]` and `.a["rod"]` have the shapes of q, v and a; they are nan where the
    position is singular.
    """

    mechanism: Mechanism
    parameters: tuple[str, ...]
    t: Array
    state: tuple[Array, Array, Array]
    """q, v and a, of shapes (..., nq) and (..., nv)."""
    rates: tuple[Array, Array, Array]
    """Their derivatives, with the parameters on the first axis."""
    design: Mapping[str, Array]
    """Sizes of the states that are inputs of programs: the parameters first, then those in which
    designs of a batch differ."""

    @property
    def q(self) -> dict[str, Array]:
        """dq/dp by parameter."""
        return dict(zip(self.parameters, self.rates[0], strict=True))

    @property
    def v(self) -> dict[str, Array]:
        """dv/dp by parameter."""
        return dict(zip(self.parameters, self.rates[1], strict=True))

    @property
    def a(self) -> dict[str, Array]:
        """da/dp by parameter."""
        return dict(zip(self.parameters, self.rates[2], strict=True))

    def of(self, verb: Verb[..., Any], **options: Any) -> dict[str, Any]:
        """What a verb of q, v and a answers along the motion, differentiated by each parameter.

        >>> kb.sensitivity(motion, "b").of(kb.pose, body="rocker")["b"].shape
        (61, 4, 4)
        """
        m, sizes = self.mechanism, tuple(self.design)
        if not isinstance(verb, Verb) or not {*verb.inputs} <= {"q", "v", "a"}:
            raise StructureError(f"of: expected a verb of q, v and a, got {verb!r:.60}")
        asked = verb.checked(m, {**options, PARAMETERS: sizes})
        key = ("slope", verb, *asked.items())
        compiled: Compiled = kept(m, key, lambda: compile_program(_slope(verb, m, asked)))
        t = np.broadcast_to(self.t, self.state[0].shape[:-1])[..., None]
        values = dict(zip("qva", self.state, strict=True)) | {"t": t, DESIGN: _columns(self.design)}
        slopes = {}
        for k, name in enumerate(self.parameters):
            moving = {f"d{x}": rate[k] for x, rate in zip("qva", self.rates, strict=True)}
            own = values | moving | {f"d{DESIGN}": np.eye(len(sizes))[k]}
            arrays = [own[x] for x, _ in compiled.signature.inputs]
            result = compiled(*arrays, check_finite=False)
            given = Given(arrays, self.design, asked, named=compiled.signature.named)
            slopes[name] = verb.unpack(m, result, given)
        return slopes

    def point(self, body: str, at: Any = ORIGIN) -> dict[str, PointMotion]:
        """How position, velocity and acceleration of a point change with each parameter."""
        return {
            name: PointMotion(*parts)
            for name, parts in self.of(body_point, body=body, point=at).items()
        }


@public
def sensitivity(motion: Trajectory | Configuration, parameters: str | Sequence[str]) -> Sensitivity:
    """Derivatives of a driven motion, or of a configuration, by named sizes of the mechanism.

    They are those of the loops' implicit function, not differences. The answer has them for q, v
    and a, for points of bodies and for whatever a verb says of the motion. Those of a batch of
    designs, `kb.motion(m, times, parameters=...)`, are each at its own sizes.

    >>> s = kb.sensitivity(motion, ("a", "b"))
    >>> s.q["b"].shape, s.point("coupler")["b"].position.shape
    ((61, 4), (61, 3))
    """
    m = motion.mechanism if isinstance(motion, Trajectory) else motion.m
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    refuse_other_sizes(m, names)
    if not names:
        raise StructureError("sensitivity: parameters: name one or more sizes of the mechanism")
    system, t, state = _solved(m, motion)
    sizes = _sizes(m, names, motion)
    key = ("sensitivity", *sizes, system)
    programs = kept(m, key, lambda: Slopes(m, tuple(sizes), system))
    rates = programs.rates(t, state, _columns(sizes), len(names))
    return Sensitivity(m, names, t, state, rates, sizes)


def _sizes(
    m: Mechanism, names: Sequence[str], result: Trajectory | Configuration
) -> dict[str, Array]:
    """Values of the named sizes, and of those in which designs of a batch differ.

    A named one that is a formula of those is what they make of it in each design.
    """
    given = result.parameters if isinstance(result, Trajectory) else {}
    if not given:
        return dict(zip(names, sizes_of(m, names), strict=True))
    own = {name: x for name, x in sizes_at(m, given).items() if name in {*names, *given}}
    return {name: own[name] for name in dict.fromkeys([*names, *given])}


def _columns(sizes: Mapping[str, Array]) -> Array:
    """The input p, (..., names)."""
    return np.stack(np.broadcast_arrays(*sizes.values()), axis=-1)


def _solved(
    m: Mechanism, result: Trajectory | Configuration
) -> tuple[LoopSystem, Array, tuple[Array, Array, Array]]:
    """The equations that a result meets, its times and states; a configuration is at rest."""
    if isinstance(result, Trajectory):
        if result.method != "driven":
            raise StructureError(
                f"sensitivity: expected a driven motion, such as kb.motion(m, times), or a "
                f"configuration; this one is {result.method or 'not driven'}"
            )
        return loops_of(result), result.t, (result.q, result.v, result.a)
    system = loop_system(m, result.held, drives=not result.held)
    system = without_idle(system, result.q, result.t, result.free)
    still = np.zeros(system.tree.nv)
    return system, np.array(result.t), (result.q, still, still)


@dataclass(frozen=True, eq=False)
class Slopes:
    """The programs of (2) to (4) for some sizes of a mechanism."""

    m: Mechanism
    names: tuple[str, ...]
    system: LoopSystem

    def rates(
        self, t: Array, state: tuple[Array, Array, Array], p: Array, count: int
    ) -> tuple[Array, Array, Array]:
        """dq, dv and da by the first `count` sizes, which are on the first axis."""
        q, v, a = state
        t = np.broadcast_to(t, q.shape[:-1])[..., None]
        known = {"q": q, "v": v, "a": a, "t": t, DESIGN: p}
        inverse, regular = self._inverse(self._asked("J", known))
        found: dict[str, list[Array]] = {"dq": [], "dv": [], "da": []}
        for k in range(count):
            own = known | {"d" + DESIGN: np.eye(len(self.names))[k]}
            turn = self._step("first", own, inverse)
            own["dq"] = self._asked("moved", own | {"x": turn})
            own["dv"] = self._step("second", own, inverse)
            own["da"] = self._step("third", own, inverse)
            for name, rates in found.items():
                rates.append(np.where(regular[..., None], own[name], np.nan))
        return np.array(found["dq"]), np.array(found["dv"]), np.array(found["da"])

    def _step(self, name: str, known: Mapping[str, Array], inverse: Array) -> Array:
        """The x of J x = - right side."""
        return np.asarray(-(inverse @ self._asked(name, known)[..., None])[..., 0])

    def _inverse(self, J: Array) -> tuple[Array, Array]:
        """The pseudo-inverse of J, (..., rows, nv), and where J has the rank of its columns."""
        known = np.isfinite(J).all(axis=(-1, -2), keepdims=True)  # a design that stopped has no J
        loops, count = self.system, J.shape[-1]
        own = parted(np.where(known, J, 0.0), loops.units, loops.size, loops.wanted, count)
        return own.inverse, own.regular & (own.rank == count)

    def _asked(self, name: str, known: Mapping[str, Array]) -> Array:
        program = self._programs[name]
        arrays = [known[x] for x, _ in program.signature.inputs]
        return np.asarray(program(*arrays, check_finite=False))

    @cached_property
    def _programs(self) -> dict[str, Compiled]:
        """J; the right sides of (2), (3) and (4); and dq of a small motion x."""
        nominal, loops = kept_system(self.m).tree, self.system
        tree, count = kept_system(self.m, self.names).tree, len(self.names)
        sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv, "t": 1, DESIGN: count}
        sizes |= {"x": tree.nv, "dq": tree.nq, "dv": tree.nv, "d" + DESIGN: count}
        q, v, a, t, x = (symbols(name, sizes[name]) for name in ("q", "v", "a", "t", "x"))
        with recorded() as order:
            held = dict.fromkeys(loops.held, 0.0)
            rows = [still_row(nominal, all_coordinates(nominal, q), s) for s in loops.still]
            rows += equations(tree, q, t[0], held, loops.drives and tree.m.drives)
            lines = entries(rows)
            J = np.zeros((len(lines), tree.nv), dtype=object)
            for i, line in enumerate(lines):
                for j, entry in line.items():
                    J[i, j] = entry
            gap, rate, bend = (
                [as_expr(e) for row in rows for e in getattr(row, part)]
                for part in ("residual", "rate", "acceleration")
            )
            speed = [product(line, v) - f for line, f in zip(lines, rate, strict=True)]
            turned = turning(lines, v, lambda still: _named("q", coordinate_rates(tree, q, still)))
            terms = zip(lines, turned, bend, strict=True)
            pull = [product(line, a) + own - f for line, own, f in terms]
            results = {
                "J": J,
                "moved": coordinate_rates(tree, q, x),
                "first": _along(gap, sizes, DESIGN),
                "second": _along(speed, sizes, "q", DESIGN),
                "third": _along(pull, sizes, "q", "v", DESIGN),
            }
        inputs = {name: [(x, sizes[x]) for x in words.split()] for name, words in INPUTS.items()}
        return {
            name: compile_program(program_of(inputs[name], e, self.m.name, order))
            for name, e in results.items()
        }


def _named(name: str, values: Any) -> dict[str, Any]:
    return {f"{name}[{i}]": value for i, value in enumerate(values)}


def _along(expressions: Sequence[Any], sizes: Mapping[str, int], *inputs: str) -> Array:
    """The rates of expressions while some inputs x change at the rates dx."""
    rates: dict[str, Any] = {}
    for name in inputs:
        rates |= _named(name, symbols(f"d{name}", sizes[name]))
    return np.asarray(array_of(directional([as_expr(e) for e in expressions], rates)))


def _slope(verb: Verb[..., Any], m: Mechanism, asked: Mapping[str, Any]) -> Any:
    """The program of how a verb's answer changes along (dq, dv, da, dp)."""
    value = verb.straight(m, asked)
    moving = [(name, size) for name, size in value.inputs if name != "t"]
    with recorded() as record:
        flat: list[Expr] = list(_along(value.outputs, dict(moving), *dict(moving)))
    ends = np.cumsum(value.sizes)
    parts = [
        array_of(flat[end - size : end]).reshape(shape)
        for end, size, shape in zip(ends, value.sizes, value.shapes, strict=True)
    ]
    inputs = [*value.inputs, *((f"d{name}", size) for name, size in moving)]
    results = parts[0] if value.single else tuple(parts)
    program = program_of(inputs, results, value.name, [*value.nodes, *record])
    return replace(program, named=value.named)

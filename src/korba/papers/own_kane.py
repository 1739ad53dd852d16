"""Kane's equations of a system that is given by its own J, Omega and rate matrix T.

The user says of every body what the paper asks for: mass, tensor, the Jacobians of its mass centre
and of its angular velocity, what acts on it; and how coordinates follow speeds,

    q' = T(q) u,      v_i = J_i(q) q',      w_i = Omega_i(q) q'                    (1-3, 9, 10)

T may have fewer columns than rows: then it holds constraints of velocities too, such as rolling.
Functions are plain NumPy, called once with symbols: rates of J T and Omega T along the motion are
derivatives of what they return, and nothing is differentiated by hand.

    A u' = h,      Psi'A Psi = L,      u' = Psi L^-1 Psi'h             (11), (53)-(60)

as for mechanisms (dynamics/kane_congruence.py). Source: Meghdari & Fahimi, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled, compile_program, trace
from ..codegen.routine import AnyProgram, call, packed, routine
from ..display import Displayed
from ..door import public, real_array
from ..dynamics.kane_congruence import Kane
from ..dynamics.kane_congruence import congruency as congruency_of
from ..errors import KorbaError, StructureError
from ..expr.differentiate import directional
from ..expr.node import as_expr
from ..simulation.first_order import FirstOrder
from ..simulation.runs import DONE
from ..spatial.rotation import Array
from ..verbs.states import increasing_times
from .kane import Congruency

TIGHT = 1e-10
"""Relative tolerance of motions."""


@dataclass(frozen=True, eq=False)
class KaneBody(Displayed):
    """A body by its own Jacobians; vectors in the plane have two components, turns one."""

    mass: float
    inertia: Any
    """About the mass centre, in axes of the reference frame: a number in the plane, a tensor, or
    a function of q."""
    J: Callable[[Any], Any]
    """dr/dq of the mass centre, a function of q: (2, n) or (3, n)."""
    Omega: Any
    """dw/dq', (n,) in the plane or (3, n): an array, or a function of q."""
    force: Any = (0.0, 0.0)
    """At the mass centre: an array, or a function of (q, u, t)."""
    moment: Any = 0.0
    """About it, alike."""


@dataclass(frozen=True, eq=False)
class KaneSystem(Displayed):
    """Bodies, the number n of coordinates, and T(q) (n, p); without it u = q'."""

    bodies: Sequence[KaneBody]
    coordinates: int
    T: Callable[[Any], Any] | None = field(default=None)

    @cached_property
    def speeds(self) -> int:
        """p."""
        return int(self._rate_matrix(np.zeros(self.coordinates)).shape[1])

    @cached_property
    def equations(self) -> Compiled:
        """(q, u, t) -> A, h, Psi, L, u' and q'."""
        sizes = {"q": self.coordinates, "u": self.speeds, "t": 1}
        return compile_program(trace(self._written, sizes, "Kane's equations"))

    def at(self, q: Any, u: Any, t: float = 0.0) -> Congruency:
        """A, h, Psi, L and the accelerations a = u' at a state, or at arrays of states."""
        return Congruency(*self.equations(q, u, np.array([t]))[:-1])

    @cached_property
    def _first_order(self) -> FirstOrder:
        """q' and u' in the state (q, u)."""
        n, size = self.coordinates, self.coordinates + self.speeds

        def slope(y: Any, t: Any, *_: Any) -> Any:
            found = call(self.equations.program, y[:n], y[n:], t)
            return packed([found[-1], found[-2]])

        def programs() -> dict[str, AnyProgram]:
            return {"slope": routine(slope, {"y": size, "t": 1, "tau": 0, "base": 0}, "slope")}

        return FirstOrder("Kane's equations", size, programs, lambda made: compile_program(made()))

    def motion(self, times: Any, q: Any, u: Any) -> tuple[Array, Array]:
        """q and u at times, from those at the first, by the steps of `kb.simulate`."""
        t, n = increasing_times(times, 2), self.coordinates
        start = np.concatenate([real_array("q", q), real_array("u", u)])
        run = self._first_order.followed(start, t, rtol=TIGHT, atol=1e-2 * TIGHT)
        if run.end.status[0] != DONE:
            raise KorbaError(
                f"the motion stops at t = {run.end.t[0]:.9g} s: it comes to a singular position, "
                "or to forces that grow without bound"
            )
        return run.written[:, 1 : 1 + n], run.written[:, 1 + n :]

    def _rate_matrix(self, q: Any) -> Array:
        if self.T is None:
            return np.eye(self.coordinates)
        return _shaped("T", self.T(q), (self.coordinates, None))

    def _written(self, q: Array, u: Array, t: Array) -> tuple[Array, ...]:
        T, n = self._rate_matrix(q), self.coordinates
        q_rate = T @ u
        along = {f"q[{i}]": as_expr(rate) for i, rate in enumerate(q_rate)}

        def rate(x: Array) -> Array:
            flat = [as_expr(each) for each in np.ravel(x)]
            return np.array(directional(flat, along), dtype=object).reshape(np.shape(x))

        parts: list[list[Any]] = [[] for _ in range(8)]
        for k, body in enumerate(self.bodies):
            what = f"body {k}"
            J = _padded(f"{what}: J", _of(body.J, q), n)
            Omega = _turning(f"{what}: Omega", _of(body.Omega, q), n)
            V, Gamma = J @ T, Omega @ T
            loads = (_of(x, q, u, t[0]) for x in (body.force, body.moment))
            force, moment = next(loads), next(loads)
            own = [V, Gamma, rate(V) @ u, rate(Gamma) @ u, Gamma @ u, _tensor(what, body, q)]
            own += [_padded(f"{what}: force", np.reshape(force, (-1, 1)), 1)[:, 0]]
            own += [_turning(f"{what}: moment", np.reshape(moment, (-1, 1)), 1)[:, 0]]
            for part, x in zip(parts, own, strict=True):
                part.append(x)
        V, Gamma, Vdot, Gammadot, w, tensors, f, M = (np.array(part) for part in parts)
        masses = np.array([body.mass for body in self.bodies])
        no = np.zeros(len(u))
        kane = Kane(V, Gamma, Vdot, Gammadot, w, masses, tensors, f, M, no)
        A, h = kane.A(), kane.h()
        factors = congruency_of(A)
        return A, h, factors.matrix(), factors.L, factors.solved(h), q_rate


@public
def kane_system(
    bodies: Sequence[KaneBody], coordinates: int, T: Callable[[Any], Any] | None = None
) -> KaneSystem:
    """A system by its own J, Omega and T, whose equations are decoupled as the paper does it.

    A skate, whose blade goes along its edge only: coordinates x, y and the angle, speeds along the
    edge and of the turn.

    >>> import numpy as np, korba as kb
    >>> skate = kb.papers.KaneBody(2.0, 0.1, lambda q: np.eye(3)[:2], [0, 0, 1], force=(3.0, 0.0))
    >>> along = lambda q: np.array([[np.cos(q[2]), 0], [np.sin(q[2]), 0], [0, 1]])
    >>> system = kb.papers.kane_system([skate], 3, along)
    >>> system.at([0, 0, np.pi / 3], [1.0, 0.5]).a.round(6)
    array([0.75, 0.  ])
    """
    if not bodies:
        raise StructureError("bodies: expected at least one kb.papers.KaneBody, got none")
    return KaneSystem(tuple(bodies), coordinates, T)


def _of(given: Any, *arguments: Any) -> Any:
    return np.asarray(given(*arguments) if callable(given) else given)


def _shaped(what: str, given: Any, shape: tuple[int, int | None]) -> Array:
    x = np.asarray(given)
    if x.ndim != 2 or x.shape[0] != shape[0] or shape[1] not in {None, x.shape[1]}:
        wide = "p" if shape[1] is None else shape[1]
        raise StructureError(f"{what}: expected shape ({shape[0]}, {wide}), got {x.shape}")
    return x


def _padded(what: str, x: Array, n: int) -> Array:
    """Rows x, y and z; two are in the plane."""
    if x.ndim == 2 and len(x) == 2:
        x = np.concatenate([x, np.zeros((1, x.shape[1]))])
    return _shaped(what, x, (3, n))


def _turning(what: str, x: Array, n: int) -> Array:
    """Rows about x, y and z; a single one is about z."""
    x = x[None] if x.ndim == 1 else x
    if x.ndim == 2 and len(x) == 1:
        x = np.concatenate([np.zeros((2, x.shape[1])), x])
    return _shaped(what, x, (3, n))


def _tensor(what: str, body: KaneBody, q: Array) -> Array:
    given = _of(body.inertia, q)
    return _shaped(f"{what}: inertia", np.eye(3) * given if given.ndim == 0 else given, (3, 3))

"""The verbs of dynamics: each answers for one state or for arrays of states.

Arrays carry batch axes in front: `q` has shape (..., nq), `v`, `a` and `tau` have (..., nv). A verb
compiles itself for the mechanism at its first use and keeps the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..codegen import Compiled, Operations, Program, compile_cached, compile_program, stable_key
from ..codegen.repetition import Repetition
from ..dynamics.catalogue import CATALOGUE
from ..dynamics.formulation import VERBS
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .derivatives import derivative_program
from .programs import gravity_key, jacobian_program, runnable, with_time
from .store import compiled as kept_program


class Energy(NamedTuple):
    """Kinetic energy, and potential energy of gravity (zero at the world's origin)."""

    kinetic: Array
    potential: Array


def inverse_dynamics(
    m: Mechanism,
    q: Any,
    v: Any,
    a: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    formulation: str | None = None,
) -> Array:
    """Forces tau of the joints that give the accelerations a:  tau = M(q) a + h(q, v)."""
    return _answer("inverse_dynamics", m, (q, v, a), t, gravity=gravity, formulation=formulation)


def forward_dynamics(
    m: Mechanism,
    q: Any,
    v: Any,
    tau: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    formulation: str | None = None,
) -> Array:
    """Accelerations that the joint forces tau give:  M(q) a = tau - h(q, v).

    Without a formulation by name: "composite-body" (M, then L'DL along the tree) or
    "articulated-body", whichever takes fewer operations for this mechanism.
    """
    return _answer("forward_dynamics", m, (q, v, tau), t, gravity=gravity, formulation=formulation)


def bias_forces(
    m: Mechanism,
    q: Any,
    v: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    formulation: str | None = None,
) -> Array:
    """h(q, v): gravity, velocity terms, damping and loads; the forces at zero acceleration."""
    return _answer("bias_forces", m, (q, v), t, gravity=gravity, formulation=formulation)


def mass_matrix(m: Mechanism, q: Any, *, formulation: str | None = None) -> Array:
    """Joint-space inertia matrix M(q), shape (..., nv, nv)."""
    return _answer("mass_matrix", m, (q,), formulation=formulation)


def energy(
    m: Mechanism, q: Any, v: Any, *, gravity: Any = None, formulation: str | None = None
) -> Energy:
    """Kinetic and potential energy."""
    return Energy(*_answer("energy", m, (q, v), gravity=gravity, formulation=formulation))


def momentum(m: Mechanism, q: Any, v: Any) -> Array:
    """Angular momentum about the world's origin and linear momentum, shape (..., 6)."""
    return _answer("momentum", m, (q, v))


def jacobian(m: Mechanism, q: Any, body: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """J with (w, v_P) = J v of a point of a body: (..., 6, nv), world axes, angular first."""
    place = tuple(float(x) for x in point)
    place = (*place, 0.0) if len(place) == 2 else place
    m.body(body)
    compiled = kept_program(m, ("jacobian", body, place), lambda: jacobian_program(m, body, place))
    return compiled(q)


def compile(
    verb: Callable[..., Any] | Program,
    m: Mechanism | None = None,
    *,
    formulation: str | None = None,
    gravity: Any = None,
) -> Compiled:
    """The machine code of a verb for a mechanism, or of a `derivative`: a function of arrays.

    >>> f = kb.compile(kb.inverse_dynamics, arm)                             # doctest: +SKIP
    >>> tau = f(q, v, a)              # any batch axes; threads=2, check_finite=False
    """
    if isinstance(verb, Program):
        return compile_program(verb)
    key = stable_key(_verb_name(verb, m), m, formulation, gravity)
    return compile_cached(key, lambda: _runnable(verb, m, formulation, gravity))


def operations(
    verb: Callable[..., Any] | Program,
    m: Mechanism | None = None,
    *,
    formulation: str | None = None,
) -> Operations:
    """Multiplications, additions, divisions and sine-cosine pairs that one evaluation takes."""
    if isinstance(verb, Program):
        return verb.operations
    return _runnable(verb, m, formulation, None).operations


def derivative(
    verb: Callable[..., Any],
    m: Mechanism,
    by: str | Sequence[str],
    *,
    formulation: str | None = None,
    gravity: Any = None,
) -> Program:
    """The program of d(result)/d(input): compile it like a verb. The last axis is the input's.

    `by` is an input's name or several of them; several give a tuple of arrays from one program
    that shares all it can (of a verb with several results: all results by the first input, then
    all by the second). Coordinates are taken as they stand: "q" counts the four numbers of a
    quaternion as independent. A formulation given by name is differentiated as it is written,
    without a name the shortest way is taken.

    >>> f = kb.compile(kb.derivative(kb.inverse_dynamics, arm, "q"))          # doctest: +SKIP
    >>> g = kb.compile(kb.derivative(kb.forward_dynamics, arm, ("q", "v")))   # doctest: +SKIP
    """
    name = _verb_name(verb, m)
    return derivative_program(name, m, by, formulation=formulation, gravity=gravity)


def formulations() -> dict[str, tuple[str, ...]]:
    """The formulations of every verb of dynamics."""
    return {verb: tuple(f.name for f in CATALOGUE.values() if verb in f.verbs) for verb in VERBS}


def _runnable(
    verb: Callable[..., Any], m: Mechanism | None, formulation: str | None, gravity: Any
) -> Program | Repetition:
    name = _verb_name(verb, m)
    assert m is not None  # noqa: S101  (the line above has asked)
    return runnable(name, m, formulation, gravity)


def _verb_name(verb: Callable[..., Any], m: Mechanism | None) -> str:
    name = getattr(verb, "__name__", str(verb))
    if name not in VERBS or m is None:
        raise StructureError(
            f"expected one of the verbs {', '.join(VERBS)} and a mechanism, got {name}"
        )
    return name


def _answer(
    verb: str,
    m: Mechanism,
    inputs: tuple[Any, ...],
    t: Any = 0.0,
    *,
    gravity: Any = None,
    formulation: str | None = None,
) -> Any:
    key = (verb, formulation, gravity_key(gravity))
    compiled = kept_program(m, key, lambda: runnable(verb, m, formulation, gravity))
    return compiled(*with_time(compiled, inputs, t))

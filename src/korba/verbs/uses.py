"""What can be done with any verb besides asking it: compile, count, differentiate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen import Compiled, Operations, Program, compile_program
from ..errors import StructureError
from ..model.mechanism import Mechanism
from .derivatives import derivative_program
from .verb import Verb


def compile(verb: Verb[..., Any] | Program, m: Mechanism | None = None, **options: Any) -> Compiled:
    """The machine code of a verb for a mechanism, or of a `derivative`: a function of arrays.

    The options are those of the verb, such as `body`, `point`, `gravity` or `formulation`; of
    those that are mappings from names, the names.

    >>> f = kb.compile(kb.inverse_dynamics, arm)                             # doctest: +SKIP
    >>> tau = f(q, v, a)              # any batch axes; threads=2, check_finite=False
    >>> X = kb.compile(kb.pose, arm, body="hand")(q)                         # doctest: +SKIP
    """
    if isinstance(verb, Program):
        return compile_program(verb)
    return _asked(verb).compiled(m, **options)  # type: ignore[arg-type]


def operations(
    verb: Verb[..., Any] | Program, m: Mechanism | None = None, **options: Any
) -> Operations:
    """Multiplications, additions, divisions and sine-cosine pairs that one evaluation takes."""
    if isinstance(verb, Program):
        return verb.operations
    return _asked(verb).compiled(m, **options).operations  # type: ignore[arg-type]


def derivative(
    verb: Verb[..., Any], m: Mechanism, by: str | Sequence[str], **options: Any
) -> Program:
    """The program of d(result)/d(input): compile it like a verb. The last axis is the input's.

    `by` is an input's name or several of them; several give a tuple of arrays from one program
    that shares all it can (of a verb with several results: all results by the first input, then
    all by the second). Coordinates are taken as they stand: "q" counts the four numbers of a
    quaternion as independent. A formulation given by name is differentiated as it is written,
    without a name the shortest way is taken. The other options are those of the verb.

    >>> f = kb.compile(kb.derivative(kb.inverse_dynamics, arm, "q"))          # doctest: +SKIP
    >>> g = kb.compile(kb.derivative(kb.forward_dynamics, arm, ("q", "v")))   # doctest: +SKIP
    >>> h = kb.compile(kb.derivative(kb.pose, arm, "q", body="hand"))         # doctest: +SKIP
    """
    return derivative_program(_asked(verb), m, by, options)


def _asked(verb: Any) -> Verb[..., Any]:
    if not isinstance(verb, Verb):
        name = getattr(verb, "__name__", repr(verb))
        raise StructureError(
            f"expected a verb from arrays to arrays, such as kb.inverse_dynamics or kb.pose, and a "
            f"mechanism; {name:.60} is none"
        )
    return verb

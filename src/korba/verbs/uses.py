"""What can be done with any verb besides asking it: compile, count, differentiate.

A verb's program is differentiated as a graph: by columns (forward) or by rows (reverse), whichever
takes fewer operations when everything asked for is made together. A verb may know a shorter way
(slopes.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen import Operations, Program, compile_program, program_of
from ..codegen.callable.device import OnDevice
from ..codegen.callable.gpu import gpu
from ..codegen.program import substituted
from ..door import refuse_unfit
from ..errors import ArgumentError, StructureError
from ..expr import variable
from ..expr.differentiate import jacobian_columns, jacobian_rows
from ..expr.node import recorded
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .designs import DESIGN, PARAMETERS, sizes_of
from .generated import asked_for, program_of_verb, verb_of
from .verb import Jacobians, Verb, Written


def compile(
    verb: Any, m: Mechanism | None = None, *, device: str | None = None, **options: Any
) -> Any:
    """The machine code of a verb for a mechanism, or of a `derivative`: a function of arrays.

    The options are those of the verb, such as `body`, `point`, `gravity` or `formulation`; of
    those that are mappings from names, the names. `parameters` names sizes of the mechanism that
    are inputs: they are the columns of one more input p, the last, and one program is that of
    every design. Of `kb.simulate`, `kb.motion` and `kb.assemble` it is the routine that
    `kb.generate` writes.

    With `device="cuda"` it runs on the GPU (extra `gpu`), a thread for each state: it takes arrays
    that lie there, of any library that knows DLPack, and returns such; nothing is copied.

    >>> f = kb.compile(kb.inverse_dynamics, arm)
    >>> q, v, a = np.zeros((3, 1000, arm.nv))
    >>> f(q, v, a).shape              # any batch axes; threads=2, check_finite=False
    (1000, 3)
    >>> kb.compile(kb.pose, arm, body="forearm")(q).shape
    (1000, 4, 4)
    >>> g = kb.compile(kb.inverse_dynamics, arm, parameters=("upper", "fore"))
    >>> g(q, v, a, [0.3, 0.25])[0].round(6)
    array([0.      , 1.483762, 0.306562])
    >>> h = kb.compile(kb.inverse_dynamics, arm, device="cuda")              # doctest: +SKIP
    >>> tau = h(*(torch.as_tensor(x, device="cuda") for x in (q, v, a)))     # doctest: +SKIP
    """
    refuse_unfit("compile: device", str | None, device)
    if device is not None:
        if device != "cuda":
            raise StructureError(
                f"device: expected 'cuda', or None for this processor, got {device!r}"
            )
        return OnDevice(program_of_verb(verb, m, options).program, gpu())
    if isinstance(verb, Program):
        return compile_program(verb)
    if isinstance(verb := verb_of(verb), Verb):
        return verb.compiled(m, **options).folded()  # type: ignore[arg-type]
    return compile_program(program_of_verb(verb, m, options).program)


def operations(
    verb: Verb[..., Any] | Program, m: Mechanism | None = None, **options: Any
) -> Operations:
    """Multiplications, additions, divisions and sine-cosine pairs that one evaluation takes.

    They are those of the program with the numbers of the mechanism.
    """
    if isinstance(verb, Program):
        return verb.operations
    return _asked(verb).compiled(m, **options).program.operations  # type: ignore[arg-type]


def derivative(
    verb: Verb[..., Any], m: Mechanism, by: str | Sequence[str] | None = None, **options: Any
) -> Program:
    """The program of d(result)/d(input): compile it like a verb. The last axis is the input's.

    `by` is an input's name or several of them; several give a tuple of arrays from one program
    that shares all it can (of a verb with several results: all results by the first input, then
    all by the second). Coordinates are taken as they stand: "q" counts the four numbers of a
    quaternion as independent. A formulation given by name is differentiated as it is written,
    without a name the shortest way is taken. The other options are those of the verb.

    The name of a parameter stands for that size of the mechanism, one number, so it adds no axis.
    The sizes that `parameters` names are inputs of the program too, all others are those of `m`.

    >>> kb.compile(kb.derivative(kb.inverse_dynamics, arm, "q"))
    <Compiled robot arm: q (3), v (3), a (3) -> (3, 3)>
    >>> kb.compile(kb.derivative(kb.forward_dynamics, arm, ("q", "v")))
    <Compiled robot arm: q (3), v (3), tau (3), t (1) -> (3, 3), (3, 3)>
    >>> kb.compile(kb.derivative(kb.pose, arm, "q", body="forearm"))
    <Compiled robot arm: q (3) -> (4, 4, 3)>
    """
    own = _asked(verb)
    named = own.checked(m, options)
    if by is None:
        known = [*own.inputs, *dict(m.parameters)]
        raise ArgumentError(
            f"derivative: by what? give an input of {own.name} or a size, or several of them; "
            f"there are {', '.join(known) or 'none'}"
        )
    refuse_unfit("derivative: by", str | Sequence[str], by)
    wanted = (by,) if isinstance(by, str) else tuple(by)
    inputs: Any = named[PARAMETERS]
    sizes = [name for name in wanted if name in dict(m.parameters) and name not in own.inputs]
    asked = named | {PARAMETERS: (*dict.fromkeys([*inputs, *sizes]),)}
    value, system = own.straight(m, asked), own.system(m, asked)
    _refuse_unknown(wanted, [name for name, _ in value.inputs], dict(m.parameters))
    arrays = [*dict.fromkeys(DESIGN if name in sizes else name for name in wanted)]
    written = own.slopes(system, asked, value, arrays)
    jacobians, order = least(value, arrays, {}) if written is None else written
    columns = {name: jacobians[DESIGN][:, system.parameters.index(name)] for name in sizes}
    results = [part for name in wanted for part in _split(value, (jacobians | columns)[name])]
    program = program_of(value.inputs, tuple(results), value.name, order)
    if len(system.parameters) > len(inputs):
        program = _at_own_sizes(program, system.parameters, inputs, m)
    return replace(program, single=isinstance(by, str) and value.single)


def _at_own_sizes(
    program: Program, sizes: Sequence[str], inputs: Sequence[str], m: Mechanism
) -> Program:
    """The program with the mechanism's own numbers for the sizes that are no inputs of it."""
    first = len(inputs)
    values = sizes_of(m, sizes[first:]).tolist()
    own = {f"{DESIGN}[{first + i}]": value for i, value in enumerate(values)}
    left = [(name, first if name == DESIGN else size) for name, size in program.inputs]
    return substituted(program, own, [each for each in left if each[1]])


def _asked(verb: Any) -> Verb[..., Any]:
    if not isinstance(verb := verb_of(verb), Verb):
        raise StructureError(
            "expected a verb from arrays to arrays, such as kb.inverse_dynamics or kb.pose, and a "
            f"mechanism, got {asked_for(verb)}"
        )
    return verb


def least(value: Program, wanted: Sequence[str], known: Jacobians) -> Written:
    """The Jacobians by every input wanted, written with least work, and an order to compute in.

    Those in `known` are written already.
    """
    names = tuple(dict.fromkeys(wanted))
    if not names:
        return {}, ()
    given = {name: known[name] for name in names if name in known}
    with recorded() as record:
        columns, rows = by_columns(value, names), by_rows(value, names)
    choices = [columns, rows, columns | given, rows | given]
    order = [*value.nodes, *record]
    programs = [program_of(value.inputs, tuple(c.values()), value.name, order) for c in choices]
    best = min(range(len(choices)), key=lambda i: programs[i].operations.total)
    return choices[best], programs[best].nodes


def by_columns(value: Program, wanted: Sequence[str]) -> Jacobians:
    """The Jacobians of all results by the inputs, by forward passes."""
    names = [str(x.value) for x in symbols(value, wanted)]
    J = np.array(jacobian_columns(value.outputs, names), dtype=object)
    return _parted(value, wanted, J.reshape(len(names), len(value.outputs)).T)


def by_rows(value: Program, wanted: Sequence[str]) -> Jacobians:
    """The same by reverse passes."""
    names = [str(x.value) for x in symbols(value, wanted)]
    J = np.array(jacobian_rows(value.outputs, names), dtype=object)
    return _parted(value, wanted, J.reshape(len(value.outputs), len(names)))


def symbols(value: Program, wanted: Sequence[str]) -> Array:
    """The variables of inputs, one after the other."""
    sizes = dict(value.inputs)
    names = [f"{name}[{i}]" for name in wanted for i in range(sizes[name])]
    return np.array([variable(name) for name in names], dtype=object)


def _parted(value: Program, wanted: Sequence[str], J: Array) -> Jacobians:
    """One Jacobian for each input."""
    sizes = dict(value.inputs)
    ends = np.cumsum([sizes[name] for name in wanted], dtype=int)
    return {name: J[:, end - sizes[name] : end] for name, end in zip(wanted, ends, strict=True)}


def _split(value: Program, J: Array) -> list[Array]:
    """The Jacobian of all results, or a column of it, as one array for each of them."""
    parts = np.split(J, np.cumsum(value.sizes)[:-1])
    return [
        part.reshape((*shape, *J.shape[1:]))
        for part, shape in zip(parts, value.shapes, strict=True)
    ]


def _refuse_unknown(wanted: Sequence[str], inputs: list[str], sizes: Mapping[str, Any]) -> None:
    unknown = [name for name in wanted if name not in inputs and name not in sizes]
    if unknown or not wanted:
        named = ", ".join(map(repr, unknown)) or "nothing"
        known = ", ".join([*inputs, *(f"the parameter {name}" for name in sizes)])
        raise StructureError(f"by: expected one or more of {known}, got {named}")

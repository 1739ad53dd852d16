"""A program: the outputs of a formula as one straight list of operations on its inputs.

`trace` calls a plain NumPy function with symbols in place of numbers and keeps what comes back.
A program knows the names and sizes of its inputs, the shapes of its outputs and the operations
between them, in the order in which the formula asked for them: that order computes well, because
a value is mostly used soon after it is made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from korba.codegen.keys import digest
from korba.display import Displayed
from korba.errors import ExpressionError
from korba.expr import Expr, variable
from korba.expr.evaluate import replaced
from korba.expr.node import Row, as_expr, nodes_of, postorder, reached, recorded, rows_of

BESIDE = "beside"
"""Name of the numbers that stand beside the code of a program."""
LARGEST_POWER = 64
"""Whole powers up to this one are products; beyond it they are a call of the power function."""


@dataclass(frozen=True)
class Operations:
    """How many operations a program has; a change of sign is free."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    roots: int = 0
    trigs: int = 0
    others: int = 0

    @property
    def total(self) -> int:
        """All of them; the sine and cosine of one angle count once."""
        return sum(vars(self).values())


@dataclass(frozen=True)
class Formed(Displayed):
    """What has a name, inputs as (name, size) pairs, and the shapes of its outputs.

    `single` says that there is one array rather than a tuple, `named` are the names of the outputs
    where the formula gave them; `streams` are arrays of any length that a routine reads and writes
    besides.
    """

    name: str
    inputs: tuple[tuple[str, int], ...]
    shapes: tuple[tuple[int, ...], ...]
    single: bool = field(default=True, kw_only=True)
    named: tuple[str, ...] = field(default=(), kw_only=True)
    streams: tuple[str, ...] = field(default=(), kw_only=True)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of elements of each output."""
        return tuple(prod(shape) for shape in self.shapes)


@dataclass(frozen=True)
class Signature(Formed):
    """All of a program but its operations: what a caller of its machine code has to know."""

    digest: str
    operations: Operations
    code: str = field(default="", kw_only=True)
    """The digest without its numbers, where these stand beside the code (beside.py)."""
    numbers: tuple[float, ...] = field(default=(), kw_only=True)
    """What stands there."""

    def to_bytes(self) -> bytes:
        """The signature as JSON."""
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def from_bytes(content: bytes) -> Signature:
        """The signature that `to_bytes` wrote."""
        read = json.loads(content)
        read |= {key: tuple(map(tuple, read[key])) for key in ("inputs", "shapes")}
        read |= {key: tuple(read[key]) for key in ("named", "streams", "numbers")}
        return Signature(**{**read, "operations": Operations(**read["operations"])})


class Computed(Formed):
    """Base of what can be compiled and printed: to a caller all are alike."""

    @property
    def operations(self) -> Operations:
        """The operations of one evaluation, counted."""
        raise NotImplementedError

    @property
    def digest(self) -> str:
        """A hash of all that decides the results and their order, the same in every process."""
        raise NotImplementedError

    @cached_property
    def signature(self) -> Signature:
        """What a caller has to know."""
        form = {item.name: getattr(self, item.name) for item in fields(Formed)}
        return Signature(**form, digest=self.digest, operations=self.operations)


@dataclass(frozen=True)
class Program(Computed):
    """`outputs`, expressions in the variables `q[0]`, `q[1]`, ... of the inputs.

    `inputs` holds (name, size) pairs, `shapes` the shapes of the results, `outputs` their
    elements one after the other, `nodes` everything to compute, arguments first.
    """

    in_words: ClassVar[str] = "a derivative"

    outputs: tuple[Expr, ...]
    nodes: tuple[Expr, ...]
    beside: int = field(default=0, kw_only=True)
    """How many variables `beside[k]` there are, numbers that stand beside the code (beside.py)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """One list in which every node stands once, with the places of `outputs` and `nodes`."""
        whole = postorder([*self.nodes, *self.outputs])
        place = {node: i for i, node in enumerate(whole)}
        places = [[place[node] for node in nodes] for nodes in (self.outputs, self.nodes)]
        form = {item.name: getattr(self, item.name) for item in fields(Formed)}
        return _rebuilt, (rows_of(whole), *places, form)

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """Each variable's name -> (which input, which element); -1 is what stands beside."""
        given = [*enumerate(self.inputs), (-1, (BESIDE, self.beside))]
        return {f"{name}[{k}]": (i, k) for i, (name, size) in given for k in range(size)}

    @cached_property
    def operations(self) -> Operations:
        """The operations of one evaluation, counted."""
        return _counted(self.nodes)

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the results and their order, the same in every process."""
        form = self.inputs, self.shapes, self.single
        if self.beside:  # of programs that differ in their order only the first is compiled
            return digest(*form, self.beside, self.outputs)
        return digest(*form, self.nodes, self.outputs)


def _rebuilt(rows: list[Row], outputs: list[int], nodes: list[int], form: Any) -> Program:
    """The program of `Program.__reduce__`."""
    whole = nodes_of(rows)
    results, order = (tuple(whole[i] for i in places) for places in (outputs, nodes))
    return Program(**form, outputs=results, nodes=order)


def trace(function: Callable[..., Any], inputs: Mapping[str, int], name: str = "") -> Program:
    """The program of `function`, called with one array of symbols for each input.

    `inputs` gives each input's size, in the order of the arguments; the result is an array (or
    number), a tuple of them, or a mapping from their names. `name` says in error messages whose
    program it is.
    """
    arguments = [symbols(key, size) for key, size in inputs.items()]
    with recorded() as record:
        results = function(*arguments)
    return program_of(tuple(inputs.items()), results, name, record)


def program_of(
    inputs: Sequence[tuple[str, int]],
    results: Any,
    name: str = "",
    order: Iterable[Expr] = (),
    beside: int = 0,
) -> Program:
    """The program of finished expressions; `order` proposes the order to compute them in."""
    results, named, single = parted(results)
    arrays = [np.asarray(result, dtype=object) for result in results]
    outputs = tuple(as_expr(item) for array in arrays for item in array.flat)
    needed = reached(outputs)
    nodes = postorder([*(node for node in dict.fromkeys(order) if node in needed), *outputs])
    shapes = tuple(array.shape for array in arrays)
    form: dict[str, Any] = {"single": single, "named": named, "beside": beside}
    program = Program(name, tuple(inputs), shapes, outputs, tuple(nodes), **form)
    _refuse_unknown(program)
    return program


def parted(results: Any) -> tuple[tuple[Any, ...], tuple[str, ...], bool]:
    """The arrays of what a formula returns, their names if it gives them, whether it is just one.

    One array alone is told by its name too, and returned as it is.
    """
    if isinstance(results, Mapping):
        return tuple(results.values()), tuple(results), len(results) == 1
    single = not isinstance(results, tuple)
    return (results,) if single else results, (), single


def inlined(program: Program, **given: Any) -> tuple[Any, ...]:
    """The results of a program with expressions or numbers for its inputs by name."""
    known = {
        variable(f"{name}[{i}]"): as_expr(given[name][i])
        for name, size in program.inputs
        for i in range(size)
    }
    flat, ends = replaced(program.outputs, known), np.cumsum(program.sizes)
    parts = (
        np.array(flat[end - size : end], dtype=object)
        for end, size in zip(ends, program.sizes, strict=True)
    )
    return tuple(part.reshape(shape) for part, shape in zip(parts, program.shapes, strict=True))


def substituted(
    program: Program, values: Mapping[str, Expr | float], inputs: Sequence[tuple[str, int]]
) -> Program:
    """The program with expressions or numbers for some variables, computed in the same order."""
    known = {variable(name): as_expr(value) for name, value in values.items()}
    results, order = substituted_nodes(program, known)
    changed = program_of(inputs, results, program.name, order)
    return replace(changed, single=program.single, named=program.named)


def substituted_nodes(
    program: Program, known: Mapping[Expr, Expr]
) -> tuple[tuple[Any, ...], list[Expr]]:
    """The results of a program with other expressions for some nodes, and the order to compute."""
    count = len(program.nodes)
    nodes = replaced([*program.nodes, *program.outputs], known)
    flat = iter(nodes[count:])
    results = tuple(
        array_of([next(flat) for _ in range(size)]).reshape(shape)
        for size, shape in zip(program.sizes, program.shapes, strict=True)
    )
    return results, nodes[:count]


def whole_power(node: Expr) -> int | None:
    """The exponent of a power that is computed by multiplications, else None."""
    exponent = node.args[1].value if node.op == "pow" else None
    if not isinstance(exponent, float) or not exponent.is_integer():
        return None
    return int(exponent) if abs(exponent) <= LARGEST_POWER else None


def symbols(name: str, size: int) -> Any:
    """An array of name[0], name[1], ..."""
    return array_of([variable(f"{name}[{k}]") for k in range(size)])


def array_of(items: Iterable[Any]) -> Any:
    """Expressions and numbers in an array; NumPy would ask them for their lengths."""
    listed = list(items)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _refuse_unknown(program: Program) -> None:
    used = {str(node.value) for node in program.nodes if node.op == "variable"}
    unknown = sorted(used - set(program.places))
    if unknown:
        inputs = ", ".join(f"{name} ({size})" for name, size in program.inputs)
        raise ExpressionError(
            f"{program.name or 'the program'}: uses {', '.join(map(repr, unknown))}, "
            f"which is no element of its inputs {inputs or '(none)'}"
        )


_KIND = {"mul": 0, "add": 1, "sub": 1, "div": 2, "sqrt": 3}
_FREE = frozenset({"neg", "constant", "variable", "sin", "cos"})


def _counted(nodes: Iterable[Expr]) -> Operations:
    counts = [0, 0, 0, 0, 0, 0]
    angles = set()
    for node in nodes:
        if node.op in ("sin", "cos"):
            angles.add(node.args[0])
        elif (power := whole_power(node)) is not None:
            counts[0] += abs(power).bit_length() + abs(power).bit_count() - 2
            counts[2] += power < 0
        elif node.op not in _FREE:
            counts[_KIND.get(node.op, 5)] += 1
    counts[4] = len(angles)
    return Operations(*counts)

"""A verb as a function that other libraries differentiate: its program, and its differentials.

Of a program y = f(x) of several inputs and results

    pushforward    dy = J dx      one forward pass over its graph                           (1)
    pullback       x* = J' y*     one reverse pass                                          (2)

are programs again, of the inputs of f and of dx or y*. Each takes a few times as long as f, however
many elements x and y have: no Jacobian is made. Being programs they have differentials themselves,
so that derivatives of any order are there for whoever asks. Each is linear in its last inputs, and
each is the other's transpose. Source: Griewank & Walther (2008), Evaluating Derivatives, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from operator import mul
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, array_of, compile_program, program_of
from ..codegen.callable.device import OnDevice
from ..codegen.callable.gpu import gpu
from ..codegen.program import symbols
from ..codegen.routine import Routine
from ..errors import StructureError
from ..expr import Expr
from ..expr.differentiate import directional, jacobian_rows
from ..expr.node import as_expr, recorded
from ..libraries import library
from ..spatial.rotation import Array
from ..verbs.generated import asked_for, verb_of
from ..verbs.verb import Verb


class Function:
    """A program that is called with arrays, and differentiated as often as asked for."""

    def __init__(self, program: Program, transpose: Callable[[], Function] | None = None) -> None:
        self.program = program
        self.transpose = transpose
        """Of what is linear in its last inputs: its transpose in them."""

    @cached_property
    def compiled(self) -> Compiled:
        """The machine code."""
        return compile_program(self.program)

    @cached_property
    def on_gpu(self) -> OnDevice:
        """The kernels, for arrays on the GPU."""
        return OnDevice(self.program, gpu())

    @property
    def sizes(self) -> tuple[int, ...]:
        """Elements of each input."""
        return tuple(size for _, size in self.program.inputs)

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """All results, for arrays with batch axes in front; what is no number stays so."""
        results = self.compiled(*arrays, check_finite=False)
        return (results,) if self.program.single else results

    @cached_property
    def pushforward(self) -> Function:
        """(1): (x, dx) -> dy."""
        own, more = self.program, self._more("d", self.sizes)
        changes = zip(_elements(own.inputs), _elements(more), strict=True)
        with recorded() as record:
            dy = directional(own.outputs, {str(x.value): dx for x, dx in changes})
        return self._beside(more, dy, own.shapes, record, lambda: self.pullback)

    @cached_property
    def pullback(self) -> Function:
        """(2): (x, y*) -> x*."""
        own, more = self.program, self._more("w", self.program.sizes)
        names = [str(x.value) for x in _elements(own.inputs)]
        with recorded() as record:
            total: Any = sum(map(mul, _elements(more), own.outputs), 0.0)
            shares = jacobian_rows([as_expr(total)], names)[0]
        shapes = [(size,) for size in self.sizes]
        return self._beside(more, shares, shapes, record, lambda: self.pushforward)

    def _more(self, mark: str, sizes: Sequence[int]) -> list[tuple[str, int]]:
        """Inputs that come behind those that are there, under names of their own."""
        first = len(self.program.inputs)
        return [(f"{mark}{first + k}", size) for k, size in enumerate(sizes)]

    def _beside(
        self,
        more: Sequence[tuple[str, int]],
        values: Sequence[Expr],
        shapes: Sequence[tuple[int, ...]],
        record: Sequence[Expr],
        transpose: Callable[[], Function],
    ) -> Function:
        """A function of the inputs and of more, in which it is linear."""
        own, ends = self.program, np.cumsum([prod(shape) for shape in shapes])
        parts = np.split(array_of(values), ends[:-1])
        results = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
        order = [*own.nodes, *record]
        return Function(program_of([*own.inputs, *more], results, own.name, order), transpose)


def _elements(inputs: Sequence[tuple[str, int]]) -> list[Expr]:
    """The variables of inputs, one after the other."""
    return [x for name, size in inputs for x in symbols(name, size)]


def function_of(where: str, verb: Any, m: Any, options: dict[str, Any]) -> Function:
    """The straight-line program of a verb for a mechanism, or of a `derivative`."""
    if isinstance(verb, Program):
        return Function(verb)
    if not isinstance(verb := verb_of(verb), Verb):
        raise StructureError(f"{where}: expected a verb such as kb.pose, got {asked_for(verb)}")
    asked = verb.checked(m, options)
    system = verb.system(m, asked)
    if isinstance(verb.repetition(system, asked, verb.sizes(system, asked)), Routine):
        raise StructureError(
            f"{where}: {verb.name} with these options is found by steps and not by a formula that "
            "can be differentiated; leave out friction and limits"
        )
    return Function(verb.straight(m, asked))


def refuse_shapes(function: Function, shapes: Sequence[tuple[int, ...]]) -> None:
    """An error unless there is an array (..., size) for each input."""
    inputs = function.program.inputs
    if len(shapes) != len(inputs):
        names = ", ".join(f"{name} ({size})" for name, size in inputs)
        raise StructureError(f"expected {len(inputs)} arrays, {names}; got {len(shapes)}")
    for (name, size), shape in zip(inputs, shapes, strict=True):
        if not shape or shape[-1] != size:
            raise StructureError(f"{name}: expected shape (..., {size}), got {tuple(shape)}")


def host_library(name: str, part: str = "") -> Any:
    """Another library, or a part of it, loaded where it is asked for."""
    return library(
        f"{name}{part}",
        f"kb.{name} needs the library {name}, which is not installed; run: "
        f"pip install 'korba[{name}]'",
    )

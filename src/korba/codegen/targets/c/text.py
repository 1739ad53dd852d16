"""A program of any kind as a C99 file.

    void name(const double *in0, ..., double *out0, ..., double *stream0, ...)

computes one state. The file needs the C library's mathematical functions and nothing else.
"""

from __future__ import annotations

from korba.codegen.program import Program
from korba.codegen.repetition import CONSTANTS, SCRATCH, Place, Repetition, Step
from korba.codegen.routine.ir import AnyProgram, Routine
from korba.codegen.targets.c.function import HELPERS, CFunction, head, number
from korba.codegen.targets.c.routine import RoutineFunction

INNER = "static "
"""Before functions that only this file calls."""


def c_text(program: AnyProgram, name: str = "f") -> str:
    """The whole file, with the function `name`."""
    body = any_text(program, name)
    helpers = [f"static double {key}{rest}" for key, rest in HELPERS.items() if key in body]
    return "\n".join(["#include <math.h>", "", *helpers, "", body])


def any_text(program: AnyProgram, name: str, linkage: str = "") -> str:
    """The function of a program, after those that it calls."""
    if isinstance(program, Repetition):
        return _repetition_text(program, name, linkage)
    if not isinstance(program, Routine):
        return _straight_text(program, name, linkage)
    names = {called: f"{name}_p{k}" for k, called in enumerate(program.programs)}
    parts = [any_text(called, own, INNER) for called, own in names.items()]
    return "\n".join([*parts, RoutineFunction(program, names).written(name, linkage)])


class _Straight(CFunction):
    """The operations of a program in their order."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program

    def leaf(self, name: str) -> str:
        """An element of an input."""
        which, element = self.program.places[name]
        return f"in{which}[{element}]"


def _straight_text(program: Program, name: str, linkage: str = "") -> str:
    """`void name(const double *in0, ..., double *out0, ...)`."""
    function = _Straight(program)
    for node in program.nodes:
        function.value(node)
    places = [(k, j) for k, size in enumerate(program.sizes) for j in range(size)]
    for (k, j), node in zip(places, program.outputs, strict=True):
        function.line(f"out{k}[{j}] = {function.value(node)};")
    return function.text(head(name, program, linkage=linkage))


class _StepFunction(CFunction):
    """A step: place k is the array `pk`, which begins where the row says."""

    def __init__(self, step: Step) -> None:
        super().__init__()
        self.step, self.numbers = step, {place: k for k, place in enumerate(step.places)}

    def leaf(self, name: str) -> str:
        """An element of a place that is read."""
        which, element = self.step.program.places[name]
        return self._at(self.step.reads[which], element)

    def _at(self, place: Place, element: int) -> str:
        return f"p{self.numbers[place]}[{element}]"

    def written(self, name: str) -> str:
        """The function; outputs are stored after everything is read."""
        for node in self.step.program.nodes:
            self.value(node)
        values = [self.value(node) for node in self.step.program.outputs]
        for (place, element), value in zip(self.step.writes, values, strict=True):
            self.line(f"{self._at(place, element)} = {value};")
        kept = {place for place, _ in self.step.writes}
        given = [f"{'' if p in kept else 'const '}double *p{k}" for p, k in self.numbers.items()]
        return self.text(f"static void {name}({', '.join(given)})")


def _repetition_text(program: Repetition, name: str, linkage: str = "") -> str:
    """A function for each step, and a `for` over the rows of the table."""
    steps = [_StepFunction(s).written(f"{name}_step{k}") for k, s in enumerate(program.steps)]
    columns = max((len(row) for row in program.rows), default=1)
    padded = [x for row in program.rows for x in (*row, *[0] * (columns - len(row)))]
    constants = ", ".join(map(number, program.constants or (0.0,)))
    function = CFunction()
    function.line(f"static const int rows[] = {{{', '.join(map(str, padded))}}};")
    function.line(f"static const double {CONSTANTS}[] = {{{constants}}};")
    function.line(f"double {SCRATCH}[{max(1, program.scratch)}];")
    with function.inside(f"for (int i = 0; i < {len(program.rows)}; i++)"):
        function.line(f"const int *row = rows + {columns} * i;")
        with function.inside("switch (row[0])"):
            for k, step in enumerate(program.steps):
                places = ", ".join(f"{p.array} + row[{p.column}]" for p in step.places)
                function.line(f"case {k}: {name}_step{k}({places}); break;")
    return "\n".join([*steps, function.text(head(name, program, linkage=linkage))])

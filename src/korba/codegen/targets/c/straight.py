"""A straight-line program as a C function."""

from __future__ import annotations

from korba.codegen.program import Program
from korba.codegen.targets.c.function import CFunction, head


class _Straight(CFunction):
    """The operations of a program in their order."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program

    def leaf(self, name: str) -> str:
        """An element of an input."""
        which, element = self.program.places[name]
        return f"in{which}[{element}]"


def straight_text(program: Program, name: str, linkage: str = "") -> str:
    """`void name(const double *in0, ..., double *out0, ...)`."""
    function = _Straight(program)
    for node in program.nodes:
        function.value(node)
    places = [(k, j) for k, size in enumerate(program.sizes) for j in range(size)]
    for (k, j), node in zip(places, program.outputs, strict=True):
        function.line(f"out{k}[{j}] = {function.value(node)};")
    return function.text(head(name, program, linkage=linkage))

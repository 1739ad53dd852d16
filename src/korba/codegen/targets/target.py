"""A target: one language that programs or formulas are written in for others.

A printer is one file that ends with its `Target`; the catalogue (codegen/catalogue) has a line for
each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from korba.codegen.program import Formed
from korba.codegen.routine.ir import AnyProgram, Routine
from korba.errors import StructureError
from korba.expr.formula import Formula

Pair = tuple[Formula, Formula]
"""Both sides of an equation."""


@dataclass(frozen=True)
class Target:
    """A name, how files end, how a comment begins, and the printer of programs or of formulas."""

    name: str
    extension: str
    comment: str
    """How a comment begins: "/*" is closed again, others stand before every line, "" is none."""
    text: Callable[[AnyProgram, str], str] | None = None
    """From a program and the name of its function to the text of a file."""
    formula: Callable[[Sequence[Pair]], str] | None = None
    """From equations to their text, in languages for people."""
    single: bool = False
    """Whether numbers have single precision."""
    beside: tuple[str, ...] = ()
    """Targets whose text belongs beside this one, such as a header."""

    def program_text(self, program: AnyProgram, name: str, about: Sequence[str]) -> str:
        """The file of a program; `about` says at its head what it is."""
        if self.text is None:
            raise StructureError(f"generate: {self.name!r} is a language of formulas")
        if self.single and isinstance(program, Routine):
            raise StructureError(
                f"generate: the answer is found by steps, which want double precision; take "
                f"{self.name.removesuffix('-float')!r}"
            )
        return "\n".join([*commented(about, self.comment), self.text(program, name)])


def line_by_line(
    printer: Callable[[Formula], str], equation: str = "{} = {}"
) -> Callable[[Sequence[Pair]], str]:
    """Equations a line each, from a printer of one formula."""
    return lambda pairs: "\n".join(equation.format(*map(printer, pair)) for pair in pairs)


def commented(lines: Sequence[str], mark: str) -> list[str]:
    """Lines as a comment, and an empty one behind it."""
    if not mark or not lines:
        return []
    if mark != "/*":
        return [*(f"{mark} {line}".rstrip() for line in lines), ""]
    plain = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return ["/* " + plain[0], *(f" * {line}".rstrip() for line in plain[1:]), " */", ""]


def argument_names(program: Formed) -> tuple[list[str], list[str]]:
    """Names of the arrays that a function takes and gives; streams are given last."""
    inputs = [key for key, _ in program.inputs]
    outputs = [f"out{k}" for k in range(len(program.shapes))]
    return inputs, [*outputs, *(f"stream{k}" for k in range(len(program.streams)))]

"""The printer for Python with NumPy: programs of every kind as a function of arrays.

Batch axes stand in front, as everywhere: the function takes arrays of shape (..., size). Routines
and repetitions (python_steps.py) go over columns: arrays of shape (size, N) for N states.
"""

from __future__ import annotations

from collections.abc import Callable

from korba.codegen.program import Program, whole_power
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.language import Values
from korba.expr import Expr

FORMS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "less": "({} < {}) * 1.0",
    "less_equal": "({} <= {}) * 1.0",
    "where": "np.where({} != 0, {}, {})",
    "pow": "np.power({}, {})",
}
"""How operations are written that are no functions of NumPy by their own name."""


def python_text(program: Program, name: str) -> str:
    """The file with the function `name` of a straight program."""
    names = [key for key, _ in program.inputs]
    function = PythonLines(element_of(program, names, "{}[..., {}]"))
    values = function.computed_in_order(program)
    results, done = [], 0
    lines = [batch_line(names)]
    for k, (size, shape) in enumerate(zip(program.sizes, program.shapes, strict=True)):
        lines.append(f"    out{k} = np.empty((*batch, {size}))")
        lines += [f"    out{k}[..., {j}] = {values[done + j]}" for j in range(size)]
        results.append(f"out{k}.reshape((*batch, {''.join(f'{n}, ' for n in shape)}))")
        done += size
    given = [f"    {key} = np.asarray({key}, dtype=float)" for key in names]
    head = ["import numpy as np", "", "", f"def {name}({', '.join(names)}):"]
    return "\n".join([*head, *given, *function.lines, *lines, returned(program, results), ""])


def batch_line(names: list[str]) -> str:
    """The line that finds the batch axes of the inputs."""
    shapes = ", ".join(f"{key}.shape[:-1]" for key in names)
    return f"    batch = np.broadcast_shapes({shapes})"


def returned(program: AnyProgram, results: list[str]) -> str:
    """The line that returns one array or a tuple of them."""
    several = ", ".join(results)
    return f"    return {several if program.single else f'({several},)'}"


def element_of(program: Program, names: list[str], form: str) -> Callable[[str], str]:
    """How an element of an input is written."""

    def element(variable: str) -> str:
        which, place = program.places[variable]
        return form.format(names[which], place)

    return element


class PythonLines(Values):
    """Lines of a function, an operation each; `leaf` writes a variable of the graph."""

    def __init__(self, leaf: Callable[[str], str], depth: int = 1) -> None:
        super().__init__()
        self.leaf, self.depth = leaf, depth
        self.lines: list[str] = []
        self._count = 0

    def line(self, text: str) -> None:
        """One line, indented."""
        self.lines.append("    " * self.depth + text)

    def computed_in_order(self, program: Program) -> list[str]:
        """Write all operations of a program; the names of its outputs."""
        for node in program.nodes:
            self.value(node)
        return [self.value(node) for node in program.outputs]

    def known(self, node: Expr) -> str | None:
        """The name of a value; numbers and inputs always have one."""
        if isinstance(node.value, float):
            return number(node.value)
        return self.leaf(node.value) if isinstance(node.value, str) else self.values.get(node)

    def computed(self, node: Expr) -> str:
        """Write an operation on known values; return its name."""
        args = [self.value(arg) for arg in node.args]
        name, self._count = f"x{self._count}", self._count + 1
        if node.op == "lookup":
            inside = f"np.where({args[0]} > 0, np.minimum({args[0]}, {len(args) - 2}), 0)"
            self.line(f"{name} = np.array([{', '.join(args[1:])}])[{inside}.astype(int)]")
            return name
        power, form = whole_power(node), FORMS.get(node.op, f"np.{node.op}" + _places(len(args)))
        self.line(
            f"{name} = " + (f"{args[0]}**{power}" if power is not None else form.format(*args))
        )
        return name


def _places(count: int) -> str:
    return "(" + ", ".join(["{}"] * count) + ")"


def number(x: float) -> str:
    """A number, to the last bit."""
    text = repr(float(x)).replace("inf", "np.inf").replace("nan", "np.nan")
    return f"({text})" if text.startswith("-") else text

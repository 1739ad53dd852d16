"""The printer for Python with NumPy: a straight-line program as a function of arrays.

Batch axes stand in front, as everywhere: the function takes arrays of shape (..., size).
"""

from __future__ import annotations

from korba.codegen.program import Program, whole_power
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
    """The file with the function `name`."""
    function = _Function(program)
    for node in program.nodes:
        function.value(node)
    values = [function.value(node) for node in program.outputs]
    names = [key for key, _ in program.inputs]
    results, done = [], 0
    shapes = ", ".join(f"{key}.shape[:-1]" for key in names)
    lines = [f"    batch = np.broadcast_shapes({shapes})"]
    for k, (size, shape) in enumerate(zip(program.sizes, program.shapes, strict=True)):
        lines.append(f"    out{k} = np.empty((*batch, {size}))")
        lines += [f"    out{k}[..., {j}] = {values[done + j]}" for j in range(size)]
        results.append(f"out{k}.reshape((*batch, {''.join(f'{n}, ' for n in shape)}))")
        done += size
    given = [f"    {key} = np.asarray({key}, dtype=float)" for key in names]
    head = ["import numpy as np", "", "", f"def {name}({', '.join(names)}):"]
    single = results[0] if program.single else f"({', '.join(results)},)"
    return "\n".join([*head, *given, *function.lines, *lines, f"    return {single}", ""])


class _Function(Values):
    """The lines of the function, an operation each."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program, self.lines = program, list[str]()

    def known(self, node: Expr) -> str | None:
        """The name of a value; numbers and inputs always have one."""
        if isinstance(node.value, float):
            return repr(node.value) if node.value >= 0 else f"({node.value!r})"
        if isinstance(node.value, str):
            which, place = self.program.places[node.value]
            return f"{self.program.inputs[which][0]}[..., {place}]"
        return self.values.get(node)

    def computed(self, node: Expr) -> str:
        """Write an operation on known values; return its name."""
        name = f"x{len(self.lines)}"
        args = [self.value(arg) for arg in node.args]
        power, form = whole_power(node), FORMS.get(node.op, f"np.{node.op}" + "({})")
        text = f"{args[0]}**{power}" if power is not None else form.format(*args)
        self.lines.append(f"    {name} = {text}")
        return name

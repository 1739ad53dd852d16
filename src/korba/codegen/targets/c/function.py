"""The body of a C function being written: lines, and the names of values known in each block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from korba.codegen.program import Formed, whole_power
from korba.expr import Expr

HELPERS = {
    "minimum_of": "(double a, double b) { return a < b || a != a ? a : b; }",
    "maximum_of": "(double a, double b) { return a > b || a != a ? a : b; }",
    "sign_of": "(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }",
}
"""Functions that C lacks, for files that need them; of nan they are nan."""

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_COMPARISONS = {"less": "<", "less_equal": "<="}
_CALLS = {
    "minimum": "minimum_of",
    "maximum": "maximum_of",
    "sign": "sign_of",
    "abs": "fabs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
}
"""Functions whose name in C is another one."""
_LARGEST_PRODUCT = 4  # powers up to it are products


class CFunction:
    """Lines of one function; blocks inside know the values of those around them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: list[dict[Expr, str]] = [{}]
        self._count = 0

    def line(self, text: str) -> None:
        """One line, indented."""
        self.lines.append("  " * len(self._known) + text)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """A block in braces."""
        self.line(f"{head} {{")
        self._known.append({})
        yield
        self._known.pop()
        self.line("}")

    def leaf(self, name: str) -> str:
        """A variable in C."""
        return name

    def value(self, node: Expr) -> str:
        """The name of a value, computed here if need be."""
        waiting = [node]
        while waiting:
            top = waiting[-1]
            more = []
            if self._name(top) is None:
                more = [arg for arg in top.args if self._name(arg) is None]
                if not more:
                    self._count += 1
                    self.line(f"const double v{self._count} = {self._operation(top)};")
                    self._known[-1][top] = f"v{self._count}"
            if more:
                waiting += more
            else:
                waiting.pop()
        return str(self._name(node))

    def _name(self, node: Expr) -> str | None:
        if isinstance(node.value, float):
            return number(node.value)
        if isinstance(node.value, str):
            return self.leaf(node.value)
        return next((names[node] for names in reversed(self._known) if node in names), None)

    def _operation(self, node: Expr) -> str:
        args = [str(self._name(arg)) for arg in node.args]
        power = whole_power(node)
        if power is not None and 0 < power <= _LARGEST_PRODUCT:
            return " * ".join([args[0]] * power)
        if node.op in _SIGNS:
            return f"{args[0]} {_SIGNS[node.op]} {args[1]}"
        if node.op in _COMPARISONS:
            return f"{args[0]} {_COMPARISONS[node.op]} {args[1]} ? 1.0 : 0.0"
        if node.op == "where":
            return f"{args[0]} != 0.0 ? {args[1]} : {args[2]}"
        if node.op == "neg":
            return f"-{args[0]}"
        return f"{_CALLS.get(node.op, node.op)}({', '.join(args)})"

    def text(self, head: str) -> str:
        """The whole function."""
        return "\n".join([head, "{", *self.lines, "}", ""])


def number(x: float) -> str:
    """A double in C, to the last bit."""
    return repr(x) if x >= 0 else f"({x!r})"


def head(name: str, program: Formed, streams: tuple[str, ...] = (), linkage: str = "") -> str:
    """The first line of the function of a program."""
    given = [f"const double *restrict in{k}" for k in range(len(program.inputs))]
    given += [f"double *restrict out{k}" for k in range(len(program.shapes))]
    given += [f"double *restrict stream{k}" for k in range(len(streams))]
    return f"{linkage}void {name}({', '.join(given)})"

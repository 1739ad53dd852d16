"""Languages with braces: a table of what differs, and a function being written in one of them.

C, JavaScript and their like share expressions, blocks, `for`, `if` and `switch`. How numbers and
arrays are declared and mathematical functions are called is said once for each, in a `Language`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import copysign

from korba.codegen.program import Formed, whole_power
from korba.expr import Expr
from korba.expr.node import build

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_COMPARISONS = {"less": "<", "less_equal": "<="}
_LARGEST_PRODUCT = 4  # powers up to it are products
_MOST_UNROLLED = 128  # turns: arrays that are only met at known places can be registers


@dataclass(frozen=True)
class Language:
    """What differs; `{}` stands where names, values and sizes go."""

    calls: Mapping[str, str]
    """Functions of the graph whose name is another one."""
    helpers: Mapping[str, str]
    """Functions that the language lacks, by name, for files that need them."""
    head: str
    """How a file begins."""
    function: str
    """Linkage, name, parameters."""
    inner: str
    """The linkage of functions that only this file calls."""
    input: str
    output: str
    read: str
    written: str
    """Parameters: arrays of their own, and parts of arrays that others see too."""
    value: str
    """Name and value of a number that does not change."""
    numbers: str
    """Names of numbers that do."""
    array: str
    """Name and size."""
    table: str
    """Name and numbers."""
    whole_table: str
    """Name and whole numbers."""
    lookup: str
    """Name and numbers of a table in which programs look up what stands at a place."""
    entry: str
    """The whole part of a number between 0 and the last place of a table; of nan it is 0."""
    counter: str
    """How a whole number that counts is declared, without its name."""
    whole: str
    """A number as a whole number."""
    part: str
    """An array from an element on."""
    place: str
    """Name and value of a part of an array."""
    library: str = ""
    """What stands before the name of a function."""
    unused: str = ""
    """How a function says that it does not use a parameter."""
    outer: str = ""
    """The linkage of functions for others."""
    literal: str = "{}"
    """A number."""
    pair: str = ""
    """Sine and cosine together: a declaration of two names, and the call that gives them values."""
    angles_first: bool = False
    """Whether a pair is a call, before which registers are emptied."""
    lasting: str = ""
    """How what lasts around a function begins, where local arrays are made once for all calls."""
    longest: int = 0
    """Operations of a function, above which it is cut; 0 where its length does not matter."""
    cut: str = ""
    """The linkage of the parts of one that is cut: compilers must not join them again."""
    unroll: str = ""
    """What stands before a `for` whose turns are few."""

    def call(self, op: str, args: Iterable[str]) -> str:
        """A function of the graph."""
        return f"{self.library}{self.calls.get(op, op)}({', '.join(args)})"

    def number(self, x: float) -> str:
        """A number, to the last bit."""
        text = self.literal.format(repr(abs(x)))
        return text if copysign(1.0, x) > 0 else f"(-{text})"

    def repetition(self, count: int) -> str:
        """The head of a block for i = 0, 1, ... below a count."""
        unroll = self.unroll if count <= _MOST_UNROLLED else ""
        return f"{unroll}for ({self.counter} i = 0; i < {count}; i++)"


class Values:
    """Names of values by their nodes, each computed where it is first needed."""

    def __init__(self) -> None:
        self.values: dict[Expr, str] = {}

    def known(self, node: Expr) -> str | None:
        """The name of a value, if it has one."""
        return self.values.get(node)

    def computed(self, node: Expr) -> str:
        """Write an operation on known values; return its name."""
        raise NotImplementedError

    def value(self, node: Expr) -> str:
        """The name of a value, computed here if need be."""
        waiting = [node] if self.known(node) is None else []
        while waiting:
            missing = [arg for arg in waiting[-1].args if self.known(arg) is None]
            if missing:
                waiting += missing
            elif self.known(top := waiting.pop()) is None:
                self.values[top] = self.computed(top)
        return str(self.known(node))


class Function(Values):
    """Lines of one function; blocks inside know the values of those around them.

    `leaf` writes a variable of the graph.
    """

    def __init__(self, language: Language, leaf: Callable[[str], str] = str) -> None:
        super().__init__()
        self.language, self.leaf = language, leaf
        self.lines: list[str] = []
        self._lasting: list[str] = []
        self._outer: list[dict[Expr, str]] = []
        self._count = 0

    def line(self, text: str) -> None:
        """One line, indented."""
        self.lines.append("  " * (1 + len(self._outer)) + text)

    def declare(self, text: str) -> None:
        """An array or table of the function; where the language says so, made once."""
        if self.language.lasting:
            self._lasting.append(f"  {text}")
        else:
            self.line(text)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """A block in braces."""
        self.line(f"{head} {{")
        self._outer.append(self.values)
        self.values = dict(self.values)
        yield
        self.values = self._outer.pop()
        self.line("}")

    def known(self, node: Expr) -> str | None:
        """The name of a value; numbers and variables always have one."""
        if isinstance(node.value, float):
            return self.language.number(node.value)
        return self.leaf(node.value) if isinstance(node.value, str) else self.values.get(node)

    def computed(self, node: Expr) -> str:
        """Write an operation on known values; return its name."""
        if self.language.pair and node.op in ("sin", "cos"):
            return self._sine_and_cosine(node)
        operation = self._operation(node)
        self._count += 1
        self.line(self.language.value.format(f"v{self._count}", operation))
        return f"v{self._count}"

    def _sine_and_cosine(self, node: Expr) -> str:
        """Both of one angle, where a language computes them together."""
        angle = self.value(node.args[0])
        self._count += 1
        names = {"sin": f"s_{self._count}", "cos": f"c_{self._count}"}
        self.line(self.language.pair.format(angle, *names.values()))
        for op, name in names.items():
            self.values[build(op, node.args[0])] = name
        return names[node.op]

    def _operation(self, node: Expr) -> str:
        args = [self.value(arg) for arg in node.args]
        power = whole_power(node)
        if power is not None and 0 < power <= _LARGEST_PRODUCT:
            return " * ".join([args[0]] * power)
        if node.op in _SIGNS:
            return f"{args[0]} {_SIGNS[node.op]} {args[1]}"
        if node.op in _COMPARISONS:
            one, zero = self.language.number(1.0), self.language.number(0.0)
            return f"{args[0]} {_COMPARISONS[node.op]} {args[1]} ? {one} : {zero}"
        if node.op == "where":
            zero = self.language.number(0.0)
            return f"{args[0]} != {zero} ? {args[1]} : {args[2]}"
        if node.op == "neg":
            return f"-{args[0]}"
        if node.op == "lookup":
            return self._entry(args[0], args[1:])
        return self.language.call(node.op, args)

    def _entry(self, index: str, entries: Sequence[str]) -> str:
        """A number of a table, the first or last of which is taken outside of it."""
        name = f"t{self._count}"
        self.declare(self.language.lookup.format(name, ", ".join(entries)))
        return f"{name}[{self.language.entry.format(index, len(entries) - 1)}]"

    def written(self, name: str, parameters: list[str], linkage: str = "") -> str:
        """The whole function."""
        own = self.language
        head = own.function.format("" if self._lasting else linkage, name, ", ".join(parameters))
        text = "\n".join([head, "{", *self.lines, "}"])
        if not self._lasting:
            return f"{text}\n"
        lasting = [
            own.lasting.format(linkage, name),
            *self._lasting,
            f"return {text};",
            "})();",
            "",
        ]
        return "\n".join(lasting)

    def of_program(
        self, name: str, program: Formed, linkage: str = "", names: Sequence[str] = ()
    ) -> str:
        """The whole function of a program: inputs, outputs, streams."""
        own = self.language
        inputs = names or [f"in{k}" for k in range(len(program.inputs))]
        outputs = [f"out{k}" for k in range(len(program.shapes))]
        outputs += [f"stream{k}" for k in range(len(program.streams))]
        words = set(re.findall(r"\w+", " ".join(self.lines)))
        unused = [key for key in (*inputs, *outputs) if key not in words] if own.unused else []
        self.lines[:0] = [f"  {own.unused.format(key)}" for key in unused]
        given = [own.input.format(key) for key in inputs]
        given += [own.output.format(key) for key in outputs]
        return self.written(name, given, linkage)

"""Programs of any kind as text of a language with braces.

    name(q, v, ..., out0, ..., stream0, ...)

computes one state. Numbers and arrays of a routine are local variables, control of flow is the
language's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from korba.codegen.parts import Angles, parts
from korba.codegen.program import Program
from korba.codegen.repetition import CONSTANTS, SCRATCH, Repetition, Step
from korba.codegen.routine import ir
from korba.codegen.targets.language import Function, Language
from korba.expr import Expr

_NOTHING = {"add": "0.0", "maximum": "-1.7976931348623157e308"}
_Pairs = list[tuple[Any, Expr]]


def program_text(language: Language, program: ir.AnyProgram, name: str = "f") -> str:
    """The whole file, with the function `name`."""
    body = _any_text(language, program, name, language.outer, {})
    helpers = [text for key, text in language.helpers.items() if key in body]
    return "\n".join([language.head, "", *helpers, "", body])


def _any_text(
    language: Language,
    program: ir.AnyProgram,
    name: str,
    linkage: str,
    written: dict[str, str],
) -> str:
    """The function of a program, after those that it calls and that are not `written` already."""
    if isinstance(program, Repetition):
        return _repetition_text(language, program, name, linkage)
    if not isinstance(program, ir.Routine):
        return _straight_text(language, program, name, linkage)
    names: dict[ir.AnyProgram, str] = {}
    parts: list[str] = []
    for called in program.programs:
        if called.digest not in written:
            own = f"{name}_p{len(parts)}"
            parts.append(_any_text(language, called, own, language.inner, written))
            written[called.digest] = own
        names[called] = written[called.digest]
    return "\n".join([*parts, _RoutineFunction(language, program, names).text(name, linkage)])


def _function(
    language: Language, program: Program, inputs: Sequence[str], outputs: Sequence[str]
) -> Function:
    """The operations of a program in their order, from arrays by name to elements.

    Outputs are stored after everything is read.
    """
    function = Function(language, _elements(program, inputs))
    for node in (*_angles_first(language, program), *program.nodes):
        function.value(node)
    values = [function.value(node) for node in program.outputs]
    for place, value in zip(outputs, values, strict=True):
        function.line(f"{place} = {value};")
    return function


def _elements(program: Program, inputs: Sequence[str]) -> Callable[[str], str]:
    """Writes variables of a program as elements of its inputs."""

    def element(variable: str) -> str:
        which, place = program.places[variable]
        return f"{inputs[which]}[{place}]"

    return element


def _angles_first(language: Language, program: Program) -> list[Expr]:
    """Sines and cosines of inputs, where they are calls: nothing else is in registers yet."""
    if not language.angles_first:
        return []
    return [x for x in program.nodes if x.op in ("sin", "cos") and x.args[0].op == "variable"]


def _straight_text(language: Language, program: Program, name: str, linkage: str) -> str:
    """A straight program."""
    inputs = [key for key, _ in program.inputs]
    outputs = [f"out{k}[{j}]" for k, size in enumerate(program.sizes) for j in range(size)]
    if language.longest and len(program.nodes) > language.longest:
        return _cut_text(language, program, name, linkage, outputs)
    return _function(language, program, inputs, outputs).of_program(name, program, linkage, inputs)


def _cut_text(
    language: Language, program: Program, name: str, linkage: str, outputs: Sequence[str]
) -> str:
    """A long program in functions one after the other; what passes between them is in an array.

    It belongs to the call, or to the file where arrays last. Outputs are there too until the last
    is done: they may be stored where inputs are read.
    """
    inputs = [key for key, _ in program.inputs]
    pieces, count = parts(program, Angles((), ()), language.longest)
    kept = f"{name}_kept"
    whole, texts = Function(language), []
    array = language.array.format(kept, count + len(outputs))
    if language.lasting:
        texts.append(array)
    else:
        whole.line(array)
    for k, piece in enumerate(pieces):
        function = Function(language, _elements(program, inputs))
        function.values |= {node: f"{kept}[{place}]" for node, place in piece.loads.items()}
        for node in piece.nodes:
            function.value(node)
        for node, place in piece.stores.items():
            function.line(f"{kept}[{place}] = {function.value(node)};")
        for node, own in piece.outputs.items():
            for place in own:
                function.line(f"{kept}[{count + place}] = {function.value(node)};")
        words = set(re.findall(r"\w+", " ".join(function.lines)))
        used = [key for key in inputs if key in words]
        given = [language.input.format(key) for key in used]
        if not language.lasting:
            used, given = [*used, kept], [*given, language.output.format(kept)]
        texts.append(function.written(f"{name}_part{k}", given, language.cut))
        whole.line(f"{name}_part{k}({', '.join(used)});")
    for place, output in enumerate(outputs):
        whole.line(f"{output} = {kept}[{count + place}];")
    return "\n".join([*texts, whole.of_program(name, program, linkage, inputs)])


def _step_text(language: Language, step: Step, name: str) -> str:
    """A step: place k is the array `pk`, which begins where the row says."""
    names = {place: f"p{k}" for k, place in enumerate(step.places)}
    outputs = [f"{names[place]}[{element}]" for place, element in step.writes]
    function = _function(language, step.program, [names[p] for p in step.reads], outputs)
    kept = {place for place, _ in step.writes}
    forms = [language.written if place in kept else language.read for place in names]
    given = [form.format(own) for form, own in zip(forms, names.values(), strict=True)]
    return function.written(name, given, language.inner)


def _repetition_text(language: Language, program: Repetition, name: str, linkage: str) -> str:
    """A function for each step, and a `for` over the rows of the table."""
    steps = [_step_text(language, s, f"{name}_step{k}") for k, s in enumerate(program.steps)]
    columns = max((len(row) for row in program.rows), default=1)
    padded = [x for row in program.rows for x in (*row, *[0] * (columns - len(row)))]
    constants = ", ".join(map(language.number, program.constants or (0.0,)))
    function = Function(language)
    function.declare(language.whole_table.format("rows", ", ".join(map(str, padded))))
    function.declare(language.table.format(CONSTANTS, constants))
    function.declare(language.array.format(SCRATCH, max(1, program.scratch)))
    turns = f"for ({language.counter} i = 0; i < {len(program.rows)}; i++)"
    step_at_hand = f"switch (rows[{columns} * i])"
    with function.inside(turns), function.inside(step_at_hand):
        for k, step in enumerate(program.steps):
            offsets = [(p.array, f"rows[{columns} * i + {p.column}]") for p in step.places]
            places = ", ".join(language.part.format(*offset) for offset in offsets)
            function.line(f"case {k}: {name}_step{k}({places}); break;")
    return "\n".join([*steps, function.of_program(name, program, linkage)])


class _RoutineFunction(Function):
    """The statements of a routine; `names` are those of the programs that it runs."""

    def __init__(
        self, language: Language, routine: ir.Routine, names: dict[ir.AnyProgram, str]
    ) -> None:
        super().__init__(language)
        self.routine, self.names = routine, names

    def text(self, name: str, linkage: str) -> str:
        """The function."""
        r, own = self.routine, self.language
        for array in r.arrays.values():
            if array.values is None:
                self.declare(own.array.format(array.name, max(1, array.size)))
            else:
                self.declare(own.table.format(array.name, ", ".join(map(own.number, array.values))))
        made = [str(x.value) for s in ir.walked(r.body) for x in ir.defined_numbers(s)]
        if made:
            self.line(own.numbers.format(", ".join(made)))
        names = [f"in_{key}" for key, _ in r.inputs]
        for own_name, array in zip(names, r.arguments, strict=True):
            self._copy(array.name, own_name, array.size)
        self.block(r.body)
        for k, array in enumerate(r.results):
            self._copy(f"out{k}", array.name, array.size)
        return self.of_program(name, r, linkage, names)

    def _copy(self, to: str, source: str, size: int) -> None:
        self.line(f"{self.language.repetition(size)} {to}[i] = {source}[i];")

    def block(self, block: ir.Block) -> None:
        """Statements one after the other."""
        for s in block:
            getattr(self, f"_{type(s).__name__.lower()}")(s)

    def _each(self, s: ir.Each) -> None:
        for fold in s.folds:
            self.line(f"{fold.own.value} = {_NOTHING[fold.op]};")
        with self.inside(self.language.repetition(s.size)):
            for array, x in s.writes:
                self.line(f"{array.name}[i] = {self.value(x)};")
            for fold in s.folds:
                own, value = fold.own.value, self.value(fold.x)
                largest = self.language.call("maximum", (str(own), value))
                self.line(f"{own} = {f'{own} + {value}' if fold.op == 'add' else largest};")

    def _run(self, s: ir.Run) -> None:
        places = ", ".join(array.name for array in (*s.reads, *s.writes))
        self.line(f"{self.names[s.program]}({places});")

    def _get(self, s: ir.Get) -> None:
        index = self.language.whole.format(self.value(s.index))
        source = s.source.name if isinstance(s.source, ir.Array) else self._stream(s.source)
        self.line(f"{s.number.value} = {source}[{index}];")

    def _put(self, s: ir.Put) -> None:
        with self.inside(f"if ({self.value(s.when)} != 0.0)"):
            length = sum(array.size for array in s.row)
            first = f"{length} * {self.language.whole.format(self.value(s.index))}"
            row = self.language.part.format(self._stream(s.stream), first)
            self.line(self.language.place.format("row", row))
            done = 0
            for array in s.row:
                self._copy(self.language.part.format("row", done), array.name, array.size)
                done += array.size

    def _stream(self, name: str) -> str:
        return f"stream{self.routine.streams.index(name)}"

    def _assign(self, pairs: Iterable[tuple[Any, Expr]]) -> None:
        """Numbers and arrays = expressions of the values before, all at once."""
        by_size: dict[int, _Pairs] = {}
        new = []
        for own, x in pairs:
            if isinstance(own, ir.Array):
                by_size.setdefault(own.size, []).append((own, x))
            elif own is not x:
                new.append((own.value, self.value(x)))
        with self.inside(""):
            for k, (_, value) in enumerate(new):
                self.line(self.language.value.format(f"new{k}", value))
            for size, writes in by_size.items():
                with self.inside(self.language.repetition(size)):
                    values = [self.value(x) for _, x in writes]
                    for k, value in enumerate(values):
                        self.line(self.language.value.format(f"next{k}", value))
                    for k, (own, _) in enumerate(writes):
                        self.line(f"{own.name}[i] = next{k};")
            for k, (name, _) in enumerate(new):
                self.line(f"{name} = new{k};")

    def _repeat(self, s: ir.Repeat) -> None:
        self._assign((carry.own, carry.first) for carry in s.carries)
        with self.inside("for (;;)"):
            self.block(s.test)
            self.line(f"if (!({self.value(s.condition)} != 0.0)) break;")
            self.block(s.body)
            self._assign((carry.own, carry.second) for carry in s.carries)

    def _choose(self, s: ir.Choose) -> None:
        with self.inside(f"if ({self.value(s.condition)} != 0.0)"):
            self.block(s.yes)
            self._assign((carry.own, carry.first) for carry in s.carries)
        with self.inside("else"):
            self.block(s.no)
            self._assign((carry.own, carry.second) for carry in s.carries)

"""The kernel of a repetition as LLVM text: a function for each step, and a loop over the rows.

    void step(double *input, ..., double *output, ..., double *scratch, int32 *row)

reads the offsets in its row and works on one group of states. The kernel has the signature of every
kernel (kernel.py); group by group it goes through all rows, so the scratch memory is that of
one group. Constants of a row are one number for all lanes.
"""

from __future__ import annotations

from korba.codegen.parts import Part
from korba.codegen.repetition import CONSTANTS, SCRATCH, Place, Repetition, Step
from korba.codegen.targets.llvm.instructions import hexadecimal, vector_type
from korba.codegen.targets.llvm.kernel import Kernel, pointers
from korba.codegen.targets.llvm.part import Layout, PartWriter, group_pointers, over_groups
from korba.expr import Expr

_LEAVES = ("constant", "variable")


def repetition_kernel(repetition: Repetition, name: str, width: int, tile: int) -> Kernel:
    """The kernel of a repetition for vectors of `width` states in tiles of `tile`."""
    needs: set[str] = set()
    columns = max((len(row) for row in repetition.rows), default=1)
    texts = [
        _table(f"{name}_rows", repetition, columns),
        _constants(f"{name}_constants", repetition),
    ]
    for k, step in enumerate(repetition.steps):
        writer = _StepWriter(repetition, step, Layout(width, tile, 0), f"{name}_constants")
        texts.append(writer.text(f"{name}_step{k}", needs))
    texts.append(_over_rows(repetition, name, columns))
    texts.append(_over_groups(repetition, name, width, tile))
    return Kernel(name, "\n".join(texts), frozenset(needs), repetition.scratch * width, 1)


class _StepWriter(PartWriter):
    """A step as a function of its row."""

    def __init__(self, repetition: Repetition, step: Step, layout: Layout, constants: str) -> None:
        super().__init__(step.program, _whole(step), layout, None)
        self.repetition, self.step, self.constants = repetition, step, constants
        self.out.block = "entry"
        self.names = {place: f"%p{k}" for k, place in enumerate(step.places)}

    def text(self, name: str, needs: set[str]) -> str:
        """The function; `needs` gains what it wants declared."""
        self._body()
        needs |= self.out.used
        head = ", ".join([*_bases(self.repetition), "ptr %scratch", "ptr %row"])
        lines = [f"define internal void @{name}({head}) nounwind noinline {{", "entry:"]
        for place, pointer in self.names.items():
            lines += self._beginning(place, pointer)
        return "\n".join([*lines, *self.out.lines, "ret void", "}"])

    def _beginning(self, place: Place, pointer: str) -> list[str]:
        """Where a place begins, by its offset in the row."""
        base = f"@{self.constants}" if place.array == CONSTANTS else f"%{place.array}"
        return [
            f"{pointer}c = getelementptr i32, ptr %row, i64 {place.column}",
            f"{pointer}i = load i32, ptr {pointer}c",
            f"{pointer}l = sext i32 {pointer}i to i64",
            f"{pointer}o = mul i64 {pointer}l, {self._stride(place)}",
            f"{pointer} = getelementptr double, ptr {base}, i64 {pointer}o",
        ]

    def _stride(self, place: Place) -> int:
        """Doubles from one element to the next."""
        return {CONSTANTS: 1, SCRATCH: self.width}.get(place.array, self.tile)

    def _value(self, node: Expr) -> str:
        if node in self.values or not isinstance(node.value, str):
            return super()._value(node)
        which, element = self.program.places[node.value]
        place = self.step.reads[which]
        if place.array == CONSTANTS:
            loaded = self._broadcast(self.names[place], element)
        else:
            loaded = self._load(self.names[place], element * self._stride(place))
        self.values[node] = loaded
        return loaded

    def _broadcast(self, base: str, element: int) -> str:
        """One number in every lane."""
        out = self.out
        place = out.set(f"getelementptr double, ptr {base}, i64 {element}")
        number = out.set(f"load double, ptr {place}, align 8")
        if self.width == 1:
            return number
        lanes = vector_type(self.width, "i32")
        one = out.set(f"insertelement {out.vector} poison, double {number}, i32 0")
        return out.set(
            f"shufflevector {out.vector} {one}, {out.vector} poison, {lanes} zeroinitializer"
        )

    def _store_output(self, value: str, places: tuple[int, ...]) -> None:
        for number in places:
            place, element = self.step.writes[number]
            self._store(value, self.names[place], element * self._stride(place))


def _whole(step: Step) -> Part:
    """All of a step's program as one part."""
    outputs: dict[Expr, tuple[int, ...]] = {}
    for number, node in enumerate(step.program.outputs):
        outputs[node] = (*outputs.get(node, ()), number)
    nodes = tuple(node for node in step.program.nodes if node.op not in _LEAVES)
    return Part(nodes, {}, {}, outputs)


def _bases(repetition: Repetition) -> list[str]:
    return [f"ptr {base}" for base in pointers(repetition)]


def _table(name: str, repetition: Repetition, columns: int) -> str:
    """The rows, filled up to one length."""
    numbers = ", ".join(
        f"i32 {number}" for row in repetition.rows for number in (*row, *[0] * (columns - len(row)))
    )
    return f"@{name} = internal constant [{len(repetition.rows) * columns} x i32] [{numbers}]"


def _constants(name: str, repetition: Repetition) -> str:
    numbers = ", ".join(f"double {hexadecimal(x)}" for x in repetition.constants)
    return f"@{name} = internal constant [{len(repetition.constants)} x double] [{numbers}]"


def _over_rows(repetition: Repetition, name: str, columns: int) -> str:
    """The function that takes the steps of all rows, for one group."""
    head = ", ".join([*_bases(repetition), "ptr %scratch"])
    count = range(len(repetition.steps))
    lines = [
        f"define internal void @{name}_all({head}) nounwind {{",
        "entry:",
        "br label %loop",
        "loop:",
        "%r = phi i64 [ 0, %entry ], [ %next, %done ]",
        f"%at = mul i64 %r, {columns}",
        f"%row = getelementptr i32, ptr @{name}_rows, i64 %at",
        "%which = load i32, ptr %row",
        "switch i32 %which, label %done [",
        *(f"i32 {k}, label %take{k}" for k in count),
        "]",
    ]
    for k in count:
        lines += [f"take{k}:", f"call void @{name}_step{k}({head}, ptr %row)", "br label %done"]
    lines += [
        "done:",
        "%next = add i64 %r, 1",
        f"%more = icmp slt i64 %next, {len(repetition.rows)}",
        "br i1 %more, label %loop, label %exit",
        "exit:",
        "ret void",
        "}",
    ]
    return "\n".join(lines)


def _over_groups(repetition: Repetition, name: str, width: int, tile: int) -> str:
    """The kernel: every group in its turn."""
    arguments = ", ".join([*(f"ptr {base}g" for base in pointers(repetition)), "ptr %scratch"])
    begin = group_pointers(repetition, width, tile)
    return over_groups(repetition, name, [*begin, f"call void @{name}_all({arguments})"])

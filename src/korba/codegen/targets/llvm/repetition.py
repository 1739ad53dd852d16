"""The kernel of a repetition as LLVM text: a function for each step, and a loop over the rows.

    void step(double *input, ..., double *output, ..., double *scratch, int32 *row)

reads the offsets in its row and works on one group of states. Group by group the kernel goes
through all rows, so the scratch memory is that of one group. Constants of a row are one number for
all lanes.
"""

from __future__ import annotations

from korba.codegen.parts import Angles, parts
from korba.codegen.repetition import CONSTANTS, SCRATCH, Place, Repetition, Step
from korba.codegen.targets.llvm.groups import Kernel, Layout, over_groups, pointers, table, typed
from korba.codegen.targets.llvm.instructions import Writer
from korba.codegen.targets.llvm.straight import PartWriter


def repetition_kernel(repetition: Repetition, name: str, layout: Layout, needs: set[str]) -> Kernel:
    """The kernel of a repetition; `needs` gains what is to be declared."""
    columns = max((len(row) for row in repetition.rows), default=1)
    rows = [n for row in repetition.rows for n in (*row, *[0] * (columns - len(row)))]
    bases = typed([*pointers(repetition), "%scratch"])
    texts = [table(f"{name}_rows", rows), table(f"{name}_constants", repetition.constants)]
    for k, step in enumerate(repetition.steps):
        head = f"internal void @{name}_step{k}({bases}, ptr %row) nounwind noinline"
        texts.append(_StepWriter(step, layout, f"@{name}_constants", needs).written(head))
    texts.append(_over_rows(repetition, name, columns, needs))
    w = Writer(1, needs)

    def group(_: str, begin: dict[str, str]) -> None:
        w.line(f"call void @{name}_all({typed([*begin.values(), '%scratch'])})")

    texts.append(over_groups(w, repetition, name, layout, group))
    return Kernel(name, "\n".join(texts), repetition.scratch * layout.width)


class _StepWriter(PartWriter):
    """A step as a function of its row; `constants` is the table of them."""

    def __init__(self, step: Step, layout: Layout, constants: str, needs: set[str]) -> None:
        (whole,), _ = parts(step.program, Angles((), ()), len(step.program.nodes))
        super().__init__(step.program, whole, layout, needs)
        self.step, self.constants = step, constants
        self.begins: dict[Place, str] = {}

    def written(self, head: str) -> str:
        """The function of one group."""
        self.begins = {place: self._beginning(place) for place in self.step.places}
        self.body()
        return self.out.function(head)

    def _beginning(self, place: Place) -> str:
        """Where a place begins, by its offset in the row."""
        column = self.out.set(f"getelementptr i32, ptr %row, i64 {place.column}")
        whole = self.out.set(f"sext i32 {self.out.set(f'load i32, ptr {column}')} to i64")
        offset = self.out.set(f"mul i64 {whole}, {self._stride(place)}")
        return self.out.at(
            self.constants if place.array == CONSTANTS else f"%{place.array}", offset
        )

    def _stride(self, place: Place) -> int:
        """Doubles from one element to the next."""
        return {CONSTANTS: 1, SCRATCH: self.width}.get(place.array, self.tile)

    def variable(self, name: str) -> str:
        """An element of a place that is read; a constant is one number in every lane."""
        which, element = self.program.places[name]
        place = self.step.reads[which]
        if place.array == CONSTANTS:
            number = Writer(1, self.out.text).load(self.begins[place], element)
            return self.out.everywhere(number)
        return self.out.load(self.begins[place], element * self._stride(place))

    def store_output(self, value: str, places: tuple[int, ...]) -> None:
        """Write a result to where it is wanted."""
        for number in places:
            place, element = self.step.writes[number]
            self.out.store(value, self.begins[place], element * self._stride(place))


def _over_rows(repetition: Repetition, name: str, columns: int, needs: set[str]) -> str:
    """The function that takes the steps of all rows, for one group."""
    w, bases = Writer(1, needs), typed([*pointers(repetition), "%scratch"])

    def turn(r: str, nothing: list[str]) -> list[str]:
        at = w.set(f"mul i64 {r}, {columns}")
        row = w.set(f"getelementptr i32, ptr @{name}_rows, i64 {at}")
        which, done = w.set(f"load i32, ptr {row}"), w.label()
        labels = [w.label() for _ in repetition.steps]
        ways = " ".join(f"i32 {k}, label %{label}" for k, label in enumerate(labels))
        w.line(f"switch i32 {which}, label %{done} [ {ways} ]")
        for k, label in enumerate(labels):
            w.start(label)
            w.line(f"call void @{name}_step{k}({bases}, ptr {row})")
            w.go(done)
        w.start(done)
        return nothing

    w.repeated(turn, str(len(repetition.rows)))
    return w.function(f"internal void @{name}_all({bases}) nounwind")

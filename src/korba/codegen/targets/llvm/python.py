"""The module of a program for one state, with the entry that CPython calls: no layer between.

    PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
    PyObject *call_tuple(PyObject *self, PyObject *args, PyObject *keywords)

are a function of the kind METH_FASTCALL | METH_KEYWORDS and what a type has as `tp_call`. Where
every argument is a plain float64 vector of the right size, contiguous, aligned and finite, they
make the results, run the scalar kernel and return. Everything else (batches, lists, keywords,
faults, results that are not finite) goes to `slow`, written in Python. The addresses they
need stand in the table `runtime`, filled after loading, so that the object code itself can be kept
on disk; where things stand in objects is asked of the interpreter (layouts.py).

A result that is one vector goes into one of two spare arrays where nobody else holds that any more
(its count of references says so) and nobody has changed its form: making and destroying an array
takes as long as the dynamics of an arm.

    void scalar(double *input, ..., double *output, ...)

is the same kernel for callers that hold pointers.
"""

from __future__ import annotations

from functools import reduce

from korba.codegen.parts import LONGEST_PART
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm import layouts
from korba.codegen.targets.llvm.fastcall import RUNTIME, has_spares
from korba.codegen.targets.llvm.groups import Layout, Module, pointers, typed
from korba.codegen.targets.llvm.instructions import Writer, module
from korba.codegen.targets.llvm.routine import any_kernel

_WRITTEN_OUT = 16  # vectors looked through one after the other; more are looped over


def scalar_text(
    program: AnyProgram, longest: int = LONGEST_PART, *, for_python: bool = True
) -> str:
    """The module with `scalar`, for pointers, and `call` and `call_tuple`, for CPython."""
    needs = Module()
    one = any_kernel(program, "one", Layout(1, 1), needs, longest)
    w, bases = Writer(1, needs), pointers(program)
    memory = w.set(f"alloca [{max(1, one.scratch)} x double], align 64")
    w.line(f"call void @{one.name}({typed([*bases, memory])}, i64 1)")
    texts = [one.text, w.function(f"void @scalar({typed(bases)}) nounwind")]
    if for_python and not program.streams:
        texts.append(f"@runtime = global [{len(RUNTIME)} x ptr] zeroinitializer")
        texts += [_Entry(program, needs).written(), _call_tuple()]
    return module(texts, needs)


def _field(w: Writer, kind: str, base: str, offset: int) -> str:
    """What lies so many bytes into an object."""
    return w.set(f"load {kind}, ptr {w.set(f'getelementptr i8, ptr {base}, i64 {offset}')}")


def _runtime(w: Writer, name: str) -> str:
    """An entry of the table."""
    return _field(w, "ptr", "@runtime", 8 * RUNTIME.index(name))


class _Entry(Writer):
    """The function `call` being written."""

    def __init__(self, program: AnyProgram, needs: set[str]) -> None:
        super().__init__(1, needs)
        self.program = program
        self.places = layouts.places()
        self.runtime = {name: _runtime(self, name) for name in RUNTIME}

    def written(self) -> str:
        """The function, and the shapes of its results."""
        program, given = self.program, len(self.program.inputs)
        self.require("other", ("i64", "%count", given), ("ptr", "%names", "null"))
        data = [self._argument(k, size) for k, (_, size) in enumerate(program.inputs)]
        held = "" if program.single else self._made(f"new_tuple(i64 {len(program.shapes)})")
        results = []
        for k in range(len(program.shapes)):
            results.append(self._spare_or_new() if has_spares(program) else self._array(k, held))
            if held:
                given_on = f"(ptr {held}, i64 {k}, ptr {results[-1]})"
                self.set(f"call i32 {self.runtime['set_item']}{given_on}")
        data += [_field(self, "ptr", result, self.places.data) for result in results]
        self.line(f"call void @scalar({typed(data)})")
        for place, size in zip(data[given:], program.sizes, strict=True):
            self._require_finite(place, size, "lost")
        self.line(f"ret ptr {held or results[0]}")
        self.start("lost")
        self.line(f"call void {self.runtime['decref']}(ptr {held or results[0]})")
        self.go("other")
        if held:
            self.start("dropped")
            self.line(f"call void {self.runtime['decref']}(ptr {held})")
            self.go("failed")
        self.start("failed")
        self.line("ret ptr null")
        self.start("other")
        arguments = f"ptr {self.runtime['slow']}, ptr %args, i64 %count, ptr %names"
        slow = self.set(f"call ptr {self.runtime['vectorcall']}({arguments})")
        head = "ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) nounwind"
        return "\n".join([*self._shapes(), self.function(head, f"ptr {slow}")])

    def _shapes(self) -> list[str]:
        texts = []
        for k, shape in enumerate(self.program.shapes):
            numbers = typed([*map(str, shape)], "i64")
            texts.append(f"@shape{k} = internal constant [{len(shape)} x i64] [{numbers}]")
        return texts

    def require(self, otherwise: str, *checks: tuple[str, str, object]) -> None:
        """Go on if every value (type, value, wanted) is what is wanted."""
        same = [self.set(f"icmp eq {kind} {value}, {wanted}") for kind, value, wanted in checks]
        self.go_on(reduce(lambda a, b: self.set(f"and i1 {a}, {b}"), same), otherwise)

    def go_on(self, condition: str, otherwise: str) -> None:
        """Go on in a new block if a condition holds."""
        label = self.label()
        self.go(label, condition, otherwise)
        self.start(label)

    def _argument(self, k: int, size: int) -> str:
        """The data of argument k: an ndarray, a vector of float64, aligned, finite."""
        a = _field(self, "ptr", "%args", 8 * k)
        self.require(
            "other",
            ("ptr", _field(self, "ptr", a, self.places.type_pointer), self.runtime["array_type"]),
        )
        data = _field(self, "ptr", a, self.places.data)
        low = self.set(f"and i64 {self.set(f'ptrtoint ptr {data} to i64')}, 7")
        self._require_vector("other", a, size, ("i64", low, 0))
        self._require_finite(data, size, "other")
        return data

    def _require_finite(self, data: str, size: int, otherwise: str) -> None:
        """Go on if all numbers are finite: 0 x[0] + 0 x[1] + ... is 0, else nan."""
        wide, zero = Writer(4, self.text), "zeroinitializer"
        total, single = zero, self.number(0.0)

        def four(j: str, sums: list[str]) -> list[str]:
            return [wide.fma(wide.load(data, j), zero, sums[0])]

        even = size - size % 4
        if even > 4 * _WRITTEN_OUT:
            (total,) = wide.repeated(four, str(even), 4, [zero])
        else:
            for j in range(0, even, 4):
                (total,) = four(str(j), [total])
        for j in range(even, size):
            single = self.fma(self.load(data, j), self.number(0.0), single)
        for j in range(4):
            lane = self.set(f"extractelement {wide.vector} {total}, i32 {j}")
            single = self.binary("fadd", single, lane)
        self.go_on(self.set(f"fcmp ord double {single}, 0.0"), otherwise)

    def _require_vector(
        self, otherwise: str, a: str, size: int, *more: tuple[str, str, object]
    ) -> None:
        """Go on with an array of float64 of one axis and that size, contiguous."""
        descr = ("ptr", _field(self, "ptr", a, self.places.descr), self.runtime["descr"])
        self.require(otherwise, descr, ("i32", _field(self, "i32", a, self.places.ndim), 1), *more)
        axes = [
            _field(self, "ptr", a, offset)
            for offset in (self.places.dimensions, self.places.strides)
        ]
        length, step = (self.set(f"load i64, ptr {axis}") for axis in axes)
        self.require(otherwise, ("i64", length, size), ("i64", step, 8))

    def _made(self, call: str, otherwise: str = "failed") -> str:
        """What a function of the table makes, or go to `otherwise` where it makes nothing."""
        name, arguments = call.split("(", 1)
        made = self.set(f"call ptr {self.runtime[name]}({arguments}")
        self.go_on(self.set(f"icmp ne ptr {made}, null"), otherwise)
        return made

    def _array(self, k: int, held: str = "") -> str:
        """The array of output k."""
        shape = self.program.shapes[k]
        form = f"i32 {len(shape)}, ptr @shape{k}"
        kind = f"ptr {self.runtime['array_type']}, ptr {self.runtime['descr']}"
        self.line(f"call void {self.runtime['incref']}(ptr {self.runtime['descr']})")
        call = f"new_array({kind}, {form}, ptr null, ptr null, i32 0, ptr null)"
        return self._made(call, "dropped" if held else "failed")

    def _spare_or_new(self) -> str:
        """A spare array that is free and as it was made, else a new one."""
        run, ways = self.label(), []
        for name in ("spare0", "spare1"):
            spare, otherwise = self.runtime[name], self.label()
            self.require(otherwise, ("i32", self.set(f"load i32, ptr {spare}"), 1))
            base = ("ptr", _field(self, "ptr", spare, self.places.base), "null")
            flags = ("i32", _field(self, "i32", spare, self.places.flags), self.places.own_vector)
            self._require_vector(otherwise, spare, self.program.sizes[0], base, flags)
            self.line(f"call void {self.runtime['incref']}(ptr {spare})")
            ways.append(f"[ {spare}, %{self.text.block} ]")
            self.go(run)
            self.start(otherwise)
        ways.append(f"[ {self._array(0)}, %{self.text.block} ]")
        self.go(run)
        self.start(run)
        return self.set(f"phi ptr {', '.join(ways)}")


def _call_tuple() -> str:
    """The function `call_tuple`: `call` on the items of a tuple."""
    w, at = Writer(1, set()), layouts.places()
    slow = _runtime(w, "slow")
    w.go("direct", w.set("icmp eq ptr %keywords, null"), "other")
    w.start("direct")
    items = w.set(f"getelementptr i8, ptr %args, i64 {at.items}")
    given = f"ptr {slow}, ptr {items}, i64 {_field(w, 'i64', '%args', at.count)}, ptr null"
    w.line(f"ret ptr {w.set(f'tail call ptr @call({given})')}")
    w.start("other")
    given = f"ptr {slow}, ptr %args, ptr %keywords"
    result = w.set(f"call ptr {_runtime(w, 'object_call')}({given})")
    return w.function(
        "ptr @call_tuple(ptr %self, ptr %args, ptr %keywords) nounwind", f"ptr {result}"
    )

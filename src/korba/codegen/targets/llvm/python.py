"""The entry that CPython calls for one state, as LLVM text: no layer between it and the kernel.

    PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
    PyObject *call_tuple(PyObject *self, PyObject *args, PyObject *keywords)

are a function of the kind METH_FASTCALL | METH_KEYWORDS and what a type has as `tp_call`. Where
every argument is a plain float64 vector of the right size, contiguous, aligned and finite, they
make the results, run the scalar kernel and return. Everything else (batches, lists, keywords,
faults) goes to `slow`, written in Python. The addresses they need stand in the table `runtime`,
filled after loading, so that the object code itself can be kept on disk.

A result that is one vector goes into one of two spare arrays where nobody else holds that any more
(its count of references says so) and nobody has changed its form: making and destroying an array
takes as long as the dynamics of an arm.

    void scalar(double *input, ..., double *output, ...)

is the same kernel for callers that hold pointers.
"""

from __future__ import annotations

from korba.codegen.program import Signature
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm.instructions import declaration
from korba.codegen.targets.llvm.kernel import Kernel, pointers

RUNTIME = (
    "array_type",
    "descr",
    "new_array",
    "slow",
    "vectorcall",
    "object_call",
    "incref",
    "decref",
    "new_tuple",
    "set_item",
    "spare0",
    "spare1",
)
"""What the table holds, in order."""

_TYPE, _DATA, _NDIM, _DIMENSIONS, _STRIDES = 8, 16, 24, 32, 40  # bytes into an ndarray
_BASE, _DESCR, _FLAGS = 48, 56, 64
_OWN_VECTOR = 0x507  # contiguous both ways, owns its data, aligned, writeable
_COUNT, _ITEMS = 16, 24  # bytes into a tuple


def scalar_entry(program: AnyProgram, kernel: Kernel) -> str:
    """The function `scalar`."""
    bases = pointers(program)
    head = ", ".join(f"ptr {base}" for base in bases)
    size = max(1, kernel.scratch)
    return "\n".join(
        [
            f"define void @scalar({head}) nounwind {{",
            f"%scratch = alloca [{size} x double], align 64",
            f"call void @{kernel.name}({', '.join([head, 'ptr %scratch', 'i64 1'])})",
            "ret void",
            "}",
        ]
    )


def python_entry(program: AnyProgram) -> str:
    """The table `runtime` and the function `call`."""
    lines = [f"@runtime = global [{len(RUNTIME)} x ptr] zeroinitializer"]
    for k, shape in enumerate(program.shapes):
        if shape:
            numbers = ", ".join(f"i64 {n}" for n in shape)
            lines.append(f"@shape{k} = internal constant [{len(shape)} x i64] [{numbers}]")
    lines += [
        "define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) nounwind {",
        "entry:",
        *(line for name in RUNTIME for line in _runtime(name)),
        f"%fits = icmp eq i64 %count, {len(program.inputs)}",
        "%plain = icmp eq ptr %names, null",
        "%start = and i1 %fits, %plain",
        "br i1 %start, label %arg0, label %other",
    ]
    for k, (_, size) in enumerate(program.inputs):
        lines += _argument(k, size)
    lines += [f"arg{len(program.inputs)}:"]
    lines += _results(program)
    lines += [
        "other:",
        "%r = call ptr %vectorcall(ptr %slow, ptr %args, i64 %count, ptr %names)",
        "ret ptr %r",
        "}",
    ]
    return "\n".join([*lines, _CALL_TUPLE])


def has_spares(program: AnyProgram | Signature) -> bool:
    """Whether the results of a program are one vector, which may go into a spare array."""
    return program.single and len(program.shapes[0]) == 1 and program.sizes[0] > 0


def declarations() -> list[str]:
    """What the functions of this file need declared."""
    return [
        declaration("llvm.fabs.f64", 1),
        "declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)",
        "declare double @llvm.fma.f64(double, double, double)",
    ]


def _runtime(name: str) -> list[str]:
    """Load an entry of the table."""
    return [
        f"%{name}_p = getelementptr ptr, ptr @runtime, i64 {RUNTIME.index(name)}",
        f"%{name} = load ptr, ptr %{name}_p",
    ]


def _argument(k: int, size: int) -> list[str]:
    """Check argument k: an ndarray, float64, one axis of `size` elements, contiguous, finite."""
    a = f"%a{k}"
    lines = [
        f"arg{k}:",
        f"{a}_p = getelementptr ptr, ptr %args, i64 {k}",
        f"{a} = load ptr, ptr {a}_p",
        *_field(a, "type", _TYPE, "ptr"),
        f"{a}_is_array = icmp eq ptr {a}_type, %array_type",
        f"br i1 {a}_is_array, label %array{k}, label %other",
        f"array{k}:",
        *_field(a, "descr", _DESCR, "ptr"),
        *_field(a, "ndim", _NDIM, "i32"),
        *_field(a, "data", _DATA, "ptr"),
        f"{a}_is_double = icmp eq ptr {a}_descr, %descr",
        f"{a}_is_vector = icmp eq i32 {a}_ndim, 1",
        f"{a}_address = ptrtoint ptr {a}_data to i64",
        f"{a}_low = and i64 {a}_address, 7",
        f"{a}_is_aligned = icmp eq i64 {a}_low, 0",
        f"{a}_ok1 = and i1 {a}_is_double, {a}_is_vector",
        f"{a}_ok2 = and i1 {a}_ok1, {a}_is_aligned",
        f"br i1 {a}_ok2, label %vector{k}, label %other",
        f"vector{k}:",
        *_field(a, "dims", _DIMENSIONS, "ptr"),
        *_field(a, "strides", _STRIDES, "ptr"),
        f"{a}_size = load i64, ptr {a}_dims",
        f"{a}_stride = load i64, ptr {a}_strides",
        f"{a}_fits = icmp eq i64 {a}_size, {size}",
        f"{a}_packed = icmp eq i64 {a}_stride, 8",
        f"{a}_ok3 = and i1 {a}_fits, {a}_packed",
        f"br i1 {a}_ok3, label %finite{k}, label %other",
        f"finite{k}:",
    ]
    return [*lines, *_finite(k, size)]


def _field(a: str, name: str, offset: int, kind: str) -> list[str]:
    return [
        f"{a}_{name}_p = getelementptr i8, ptr {a}, i64 {offset}",
        f"{a}_{name} = load {kind}, ptr {a}_{name}_p",
    ]


def _finite(k: int, size: int) -> list[str]:
    """Go on if 0 x[0] + 0 x[1] + ... is 0 and not nan; four elements at a time."""
    a, zero, lines = f"%a{k}", "zeroinitializer", []
    wide, single = zero, "0.0"
    for j in range(0, size - size % 4, 4):
        lines += [
            f"{a}_w{j}p = getelementptr double, ptr {a}_data, i64 {j}",
            f"{a}_w{j} = load <4 x double>, ptr {a}_w{j}p, align 8",
            f"{a}_s{j} = call <4 x double> @llvm.fma.v4f64(<4 x double> {a}_w{j}, "
            f"<4 x double> {zero}, <4 x double> {wide})",
        ]
        wide = f"{a}_s{j}"
    for j in range(size - size % 4, size):
        lines += [
            f"{a}_w{j}p = getelementptr double, ptr {a}_data, i64 {j}",
            f"{a}_w{j} = load double, ptr {a}_w{j}p, align 8",
            f"{a}_s{j} = call double @llvm.fma.f64(double {a}_w{j}, double 0.0, double {single})",
        ]
        single = f"{a}_s{j}"
    for j in range(4):
        lines += [
            f"{a}_e{j} = extractelement <4 x double> {wide}, i32 {j}",
            f"{a}_t{j} = fadd double {single}, {a}_e{j}",
        ]
        single = f"{a}_t{j}"
    return [
        *lines,
        f"{a}_known = fcmp ord double {single}, 0.0",
        f"br i1 {a}_known, label %arg{k + 1}, label %other",
    ]


def _results(program: AnyProgram) -> list[str]:
    """Make the results, run the kernel, return one array or a tuple."""
    lines = []
    count = len(program.shapes)
    if has_spares(program):
        lines += _spare_or_new(f"arg{len(program.inputs)}", program.sizes[0])
    elif not program.single:
        lines += _guarded("tuple", f"call ptr %new_tuple(i64 {count})", "failed")
    for k, shape in enumerate(program.shapes):
        lines += _new_array(k, shape, "failed" if program.single else "dropped")
        if not program.single:
            lines.append(f"%set{k} = call i32 %set_item(ptr %tuple, i64 {k}, ptr %o{k})")
    if has_spares(program):
        lines += ["br label %run", "run:"]
        lines.append("%p0 = phi ptr [ %o0, %o0_made ], [ %spare, %given ]")
    names = ["%p0"] if has_spares(program) else [f"%o{k}" for k in range(count)]
    for name in names:
        lines += _field(name, "data", _DATA, "ptr")
    arguments = [f"ptr %a{k}_data" for k in range(len(program.inputs))]
    arguments += [f"ptr {name}_data" for name in names]
    lines.append(f"call void @scalar({', '.join(arguments)})")
    lines.append(f"ret ptr {names[0] if program.single else '%tuple'}")
    if not program.single:
        lines += ["dropped:", "call void %decref(ptr %tuple)", "br label %failed"]
    return [*lines, "failed:", "ret ptr null"]


def _new_array(k: int, shape: tuple[int, ...], otherwise: str) -> list[str]:
    """Make the array of output k, or go to `otherwise`."""
    dims = f"ptr @shape{k}" if shape else "ptr null"
    make = (
        f"call ptr %new_array(ptr %array_type, ptr %descr, i32 {len(shape)}, {dims}, "
        "ptr null, ptr null, i32 0, ptr null)"
    )
    return ["call void %incref(ptr %descr)", *_guarded(f"o{k}", make, otherwise)]


def _spare_or_new(before: str, size: int) -> list[str]:
    """Go to `run` with a spare array that is free and as it was made, else to `fresh`."""
    a = "%spare"
    return [
        "%count0 = load i32, ptr %spare0",
        "%free0 = icmp eq i32 %count0, 1",
        "br i1 %free0, label %take, label %second",
        "second:",
        "%count1 = load i32, ptr %spare1",
        "%free1 = icmp eq i32 %count1, 1",
        "br i1 %free1, label %take, label %fresh",
        "take:",
        f"{a} = phi ptr [ %spare0, %{before} ], [ %spare1, %second ]",
        *_field(a, "ndim", _NDIM, "i32"),
        *_field(a, "base", _BASE, "ptr"),
        *_field(a, "descr", _DESCR, "ptr"),
        *_field(a, "flags", _FLAGS, "i32"),
        f"{a}_is_vector = icmp eq i32 {a}_ndim, 1",
        f"{a}_is_own = icmp eq ptr {a}_base, null",
        f"{a}_is_double = icmp eq ptr {a}_descr, %descr",
        f"{a}_is_plain = icmp eq i32 {a}_flags, {_OWN_VECTOR}",
        f"{a}_ok1 = and i1 {a}_is_vector, {a}_is_own",
        f"{a}_ok2 = and i1 {a}_is_double, {a}_is_plain",
        f"{a}_ok3 = and i1 {a}_ok1, {a}_ok2",
        f"br i1 {a}_ok3, label %form, label %fresh",
        "form:",
        *_field(a, "dims", _DIMENSIONS, "ptr"),
        *_field(a, "strides", _STRIDES, "ptr"),
        f"{a}_size = load i64, ptr {a}_dims",
        f"{a}_stride = load i64, ptr {a}_strides",
        f"{a}_fits = icmp eq i64 {a}_size, {size}",
        f"{a}_packed = icmp eq i64 {a}_stride, 8",
        f"{a}_ok4 = and i1 {a}_fits, {a}_packed",
        f"br i1 {a}_ok4, label %given, label %fresh",
        "given:",
        f"call void %incref(ptr {a})",
        "br label %run",
        "fresh:",
    ]


def _guarded(name: str, make: str, otherwise: str) -> list[str]:
    return [
        f"%{name} = {make}",
        f"%{name}_none = icmp eq ptr %{name}, null",
        f"br i1 %{name}_none, label %{otherwise}, label %{name}_made",
        f"{name}_made:",
    ]


_CALL_TUPLE = "\n".join(
    [
        "define ptr @call_tuple(ptr %self, ptr %args, ptr %keywords) nounwind {",
        "entry:",
        *_runtime("slow"),
        "%plain = icmp eq ptr %keywords, null",
        "br i1 %plain, label %direct, label %other",
        "direct:",
        f"%count_p = getelementptr i8, ptr %args, i64 {_COUNT}",
        "%count = load i64, ptr %count_p",
        f"%items = getelementptr i8, ptr %args, i64 {_ITEMS}",
        "%r = tail call ptr @call(ptr %slow, ptr %items, i64 %count, ptr null)",
        "ret ptr %r",
        "other:",
        *_runtime("object_call"),
        "%s = call ptr %object_call(ptr %slow, ptr %args, ptr %keywords)",
        "ret ptr %s",
        "}",
    ]
)

"""A program as whole LLVM modules: one for single states, one for batches."""

from __future__ import annotations

from korba.codegen.parts import LONGEST_PART
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm import pack as llvm_pack
from korba.codegen.targets.llvm import python as llvm_python
from korba.codegen.targets.llvm import rows as llvm_rows
from korba.codegen.targets.llvm.instructions import RARE_METADATA
from korba.codegen.targets.llvm.kernel import Kernel, pointers, row_sizes, streams
from korba.codegen.targets.llvm.routine import any_kernel
from korba.codegen.tiles import TILE


def scalar_text(program: AnyProgram, longest: int = LONGEST_PART) -> str:
    """The module with `scalar`, for pointers, and `call`, for CPython."""
    one = any_kernel(program, "one", 1, 1, longest)
    body = [llvm_python.scalar_entry(program, one)]
    if not streams(program):
        body.append(llvm_python.python_entry(program))
    return _module([one.text, *body], {*one.needs, *llvm_python.declarations()})


def batch_text(program: AnyProgram, width: int, longest: int = LONGEST_PART) -> str:
    """The module with `rows`, for row-major arrays, `on_tiles` and `scratch`, their memory."""
    many = any_kernel(program, "many", width, TILE, longest)
    body = [llvm_rows.rows(program, many, width), _tile_entry(program, many, width)]
    body.append(
        f"define i64 @scratch() {{\nret i64 {llvm_rows.rows_scratch(program, many)}\n}}",
    )
    return _module([many.text, *body], {*many.needs, *llvm_pack.declarations()})


def _tile_entry(program: AnyProgram, many: Kernel, width: int) -> str:
    """`on_tiles(arrays, scratch, start, stop)`: the kernel over some of the tiles."""
    bases = pointers(program)
    lines = [
        "define void @on_tiles(ptr %arrays, ptr %scratch, i64 %start, i64 %stop) nounwind {",
        "%count = sub i64 %stop, %start",
        f"%groups = mul i64 %count, {TILE // width}",
    ]
    for k, (base, size) in enumerate(zip(bases, row_sizes(program), strict=True)):
        lines += [
            f"{base}a = getelementptr ptr, ptr %arrays, i64 {k}",
            f"{base}b = load ptr, ptr {base}a",
            f"{base}o = mul i64 %start, {size * TILE}",
            f"{base} = getelementptr double, ptr {base}b, i64 {base}o",
        ]
    arguments = ", ".join([*(f"ptr {base}" for base in bases), "ptr %scratch", "i64 %groups"])
    return "\n".join([*lines, f"call void @{many.name}({arguments})", "ret void", "}"])


def _module(functions: list[str], needs: set[str]) -> str:
    return "\n".join([*sorted(needs), *functions, RARE_METADATA, ""])

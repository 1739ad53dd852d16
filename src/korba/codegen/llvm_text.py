"""A program as whole LLVM modules: one for single states, one for batches."""

from __future__ import annotations

from korba.codegen import llvm_python, llvm_rows
from korba.codegen.llvm_kernel import Kernel, kernel, pointers
from korba.codegen.llvm_math import RARE_METADATA
from korba.codegen.parts import LONGEST_PART
from korba.codegen.program import Program
from korba.codegen.tiles import TILE


def scalar_text(program: Program, longest: int = LONGEST_PART) -> str:
    """The module with `scalar`, for pointers, and `call`, for CPython."""
    one = kernel(program, "one", 1, 1, longest)
    body = [llvm_python.scalar_entry(program, one), llvm_python.python_entry(program)]
    return _module([one.text, *body], {*one.needs, *llvm_python.declarations()})


def batch_text(program: Program, width: int, longest: int = LONGEST_PART) -> str:
    """The module with `rows`, for row-major arrays, `on_tiles` and `scratch`, their memory."""
    many = kernel(program, "many", width, TILE, longest)
    body = [llvm_rows.rows(program, many, width), _tile_entry(program, many, width)]
    body.append(
        f"define i64 @scratch() {{\nret i64 {llvm_rows.rows_scratch(program, many)}\n}}",
    )
    return _module([many.text, *body], {*many.needs, *llvm_rows.declarations(width)})


def _tile_entry(program: Program, many: Kernel, width: int) -> str:
    """`on_tiles(arrays, scratch, start, stop)`: the kernel over some of the tiles."""
    bases = pointers(program)
    sizes = [size for _, size in program.inputs] + list(program.sizes)
    lines = [
        "define void @on_tiles(ptr %arrays, ptr %scratch, i64 %start, i64 %stop) nounwind {",
        "%count = sub i64 %stop, %start",
        f"%groups = mul i64 %count, {TILE // width}",
    ]
    for k, (base, size) in enumerate(zip(bases, sizes, strict=True)):
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

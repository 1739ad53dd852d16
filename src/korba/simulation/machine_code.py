"""A driver and its kernels as loaded machine code, taken from the cache on disk where it is.

The cache is asked twice: for the signatures of the kernels, under a key that stands for the
mechanism and its options, and for the object code of all of them together. Where both are there,
nothing is traced and nothing compiled.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.cache import CacheFolder, cache_folder
from ..codegen.program import Program
from ..codegen.targets.llvm.instructions import RARE_METADATA
from ..codegen.targets.llvm.kernel import Kernel, kernel
from ..codegen.targets.llvm.machine import Compiler, Library, host
from ..codegen.targets.llvm.objects import object_key, signature, sources_digest
from .driver import Driver, Sizes, driver_memory
from .llvm_code import Memory

NAMES = ("run", "slope_at")
KERNELS = ("slope", "settle", "row")
Programs = Callable[[], Mapping[str, Program]]


@dataclass(frozen=True, eq=False)
class Method:
    """A driver to be: its name, its own vectors, and what writes it."""

    name: str
    vectors: Mapping[str, int]
    write: Callable[[Sizes], Driver]


@dataclass(frozen=True, eq=False)
class MachineCode:
    """The compiled driver: `run(m, c, times, rows)`, and `slope_at(m, from, to)`."""

    memory: Memory
    sizes: Sizes
    run: Callable[..., int]
    slope_at: Callable[..., None]
    library: Library


def machine_code(method: Method, key: str | None, programs: Programs) -> MachineCode:
    """The driver of a method compiled with the kernels that `programs` gives.

    `key` stands for all that `programs` depends on; without one, they are traced now.
    """
    folder = cache_folder()
    digest = _digest(key, programs, folder)
    name = object_key(f"{method.name} {sources_digest(Path(__file__).parent)}", digest, host())
    kept = folder.get(name)
    if kept is None:
        kept = _compiled(method, programs())
        folder.put(name, kept)
    head, _, code = kept.partition(b"\n")
    return _loaded(method, Sizes(**json.loads(head)), code)


def _digest(key: str | None, programs: Programs, folder: CacheFolder) -> str:
    """A hash of the three kernels."""
    if key is None:
        return " ".join(programs()[name].digest for name in KERNELS)
    found = [signature(f"{key}\n{name}", partial(_one, programs, name), folder) for name in KERNELS]
    return " ".join(each.digest for each in found)


def _one(programs: Programs, name: str) -> Program:
    return programs()[name]


def _compiled(method: Method, programs: Mapping[str, Program]) -> bytes:
    """Sizes in one line, then the object code."""
    compiler = Compiler(host())  # it starts while the text is written
    try:
        kernels = {name: kernel(programs[name], name, 1, 1) for name in KERNELS}
        sizes = _sizes(programs, kernels)
        code = compiler.object_code(_module(method.write(sizes), kernels))
    finally:
        compiler.close()
    return json.dumps(asdict(sizes)).encode() + b"\n" + code


def _loaded(method: Method, sizes: Sizes, code: bytes) -> MachineCode:
    library = Library(code, host(), NAMES)
    pointer, whole = ctypes.c_void_p, ctypes.c_int64
    run = library.function("run", whole, pointer, pointer, pointer, pointer)
    slope_at = library.function("slope_at", None, pointer, whole, whole)
    return MachineCode(driver_memory(sizes, method.vectors), sizes, run, slope_at, library)


def _sizes(programs: Mapping[str, Program], kernels: Mapping[str, Kernel]) -> Sizes:
    given = dict(programs["slope"].inputs)
    scratch = max(each.scratch for each in kernels.values())
    row = programs["row"].sizes[0]
    return Sizes(given["y"], given["tau"], given["base"], row, scratch)


def _module(driver: Driver, kernels: Mapping[str, Kernel]) -> str:
    own, needs = driver.text(), set(driver.needs)
    for each in kernels.values():
        needs |= each.needs
    functions = [each.text for each in kernels.values()]
    return "\n".join([*sorted(needs), *functions, own, _slope_at(driver), RARE_METADATA, ""])


def _slope_at(driver: Driver) -> str:
    """`slope_at(m, from, to)`: the slope at the state that lies at `from`."""
    places = driver.memory.places
    fixed = ("stage_time", "tau", "base", "scratch")
    lines = [
        "define void @slope_at(ptr %m, i64 %from, i64 %to) nounwind {",
        "%y = getelementptr double, ptr %m, i64 %from",
        "%out = getelementptr double, ptr %m, i64 %to",
        *(f"%{key} = getelementptr double, ptr %m, i64 {places[key]}" for key in fixed),
    ]
    arguments = "ptr %y, ptr %stage_time, ptr %tau, ptr %base, ptr %out, ptr %scratch, i64 1"
    return "\n".join([*lines, f"call void @slope({arguments})", "ret void", "}"])


def address(array: np.ndarray[Any, Any]) -> int:
    """Where an array's numbers are."""
    return int(array.ctypes.data)

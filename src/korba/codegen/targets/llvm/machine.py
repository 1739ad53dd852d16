"""From a program to loaded machine code: from the cache on disk, or compiled and kept there."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from threading import RLock
from time import time_ns
from typing import Any

from korba.codegen.beside import coded
from korba.codegen.cache import CacheFolder
from korba.codegen.program import BESIDE, Signature
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm import helper as llvm_helper
from korba.codegen.targets.llvm import layouts
from korba.codegen.targets.llvm.compiler import Compiler, Host, host
from korba.codegen.targets.llvm.instructions import LIBRARY
from korba.forking import at_fork
from korba.working import working

NAMES = {
    "scalar": ("scalar", "call", "call_tuple", "runtime"),
    "plain": ("scalar",),
    "batch": ("rows", "on_tiles", "scratch"),
}
"""The libraries of a program and what each holds."""

CALLED = ("fma", "floor", "memcpy", "memmove", "memset")
"""What LLVM calls where a processor lacks an instruction, or much is copied or cleared."""
STACK = ("__chkstk",)
"""What it calls on Windows where a function wants more than a page of the stack."""
PACKAGE = Path(__file__).parents[3]
_LOADED = time_ns()  # when this process read Korba's sources
_LOADING = RLock()  # held at a fork: LLVM's own locks are open then
at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release)
_NUMBERS = count()
RENEWED = 400
"""Libraries after which LLVM's linker is made anew."""


@cache
def llvm_version() -> str:
    """The version of LLVM inside llvmlite."""
    llvm = llvm_helper.binding()
    return ".".join(map(str, llvm.llvm_version_info))


class Library:
    """Loaded object code; it lives as long as this object does."""

    def __init__(
        self, code: bytes, target: Host, names: Sequence[str], numbers: Sequence[float] = ()
    ) -> None:
        llvm = llvm_helper.binding()
        with _LOADING:
            builder = llvm.JITLibraryBuilder().add_object_img(code)
            for name, address in _library_addresses().items():
                builder = builder.import_symbol(name, address)
            for name in (*names, *[BESIDE] * bool(numbers)):
                builder = builder.export_symbol(name)
            number = next(_NUMBERS)
            self._tracker = builder.link(_linker(target, number // RENEWED), f"korba{number}")
        if numbers:
            table = (ctypes.c_double * len(numbers)).from_address(self.address(BESIDE))
            table[:] = list(numbers)

    def address(self, name: str) -> int:
        """Where a function or variable of the library is."""
        with _LOADING:
            return int(self._tracker[name])

    def function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        """A function of the library, called through ctypes without Python's global lock."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(name))


@lru_cache(maxsize=1)
def _linker(target: Host, _: int) -> Any:
    """LLVM's linker in memory: it keeps code and numbers of one object close together.

    Of every library that it linked it keeps 23 kB for ever, so another one is taken after some;
    what the libraries share of the one before goes with the last of them.
    """
    llvm = llvm_helper.binding()
    machine = llvm_helper.target_machine(target.cpu, target.features)
    return llvm.create_lljit_compiler(machine, use_jit_link=True)


@cache
def _library_addresses() -> dict[str, int]:
    """Where functions of the C library are."""
    libraries = [ctypes.CDLL(name) for name in _c_libraries(sys.platform)]
    wanted = (*LIBRARY.values(), *CALLED, *(STACK if sys.platform == "win32" else ()))
    found = {name: next((x for x in libraries if hasattr(x, name)), None) for name in wanted}
    return {
        name: int(ctypes.cast(getattr(own, name), ctypes.c_void_p).value or 0)
        for name, own in found.items()
        if own is not None
    }


def _c_libraries(platform: str) -> list[str | None]:
    """Libraries with these functions: Python's own process, and that of mathematics."""
    if platform == "win32":
        return ["ucrtbase", "ntdll"]
    return [None, *filter(None, [ctypes.util.find_library("m")])]


def library(
    kind: str,
    digest: str,
    make: Callable[[], AnyProgram],
    folder: CacheFolder,
    numbers: Sequence[float] = (),
) -> Library:
    """The library of a program for many states ("batch"), or for single ones.

    These are "scalar", with an entry for CPython, or "plain", which only pointers can call.

    `make` gives the program with this digest; it is called only where the cache has no code.
    `numbers` stand beside the code.
    """
    target = host()
    key = object_key(kind, digest, target)
    folder = folder if _unchanged("codegen") else CacheFolder(None)
    code = folder.get(key)
    if code is None:
        code = _compiled(kind, make(), target)
        folder.put(key, code)
    return Library(code, target, NAMES[kind], numbers)


def signature(
    key: str, make: Callable[[], Signature], folder: CacheFolder, *, beside: bool = False
) -> Signature:
    """The signature that `make` gives, kept on disk under the caller's key.

    The key stands for all that `make` depends on, except the sources of Korba itself: these are
    looked at here.
    """
    folder = folder if _unchanged() else CacheFolder(None)
    name = own_key(f"signature {beside}\n{key}")
    content = folder.get(name)
    if content is not None:
        return Signature.from_bytes(content)
    made = make()
    folder.put(name, made.to_bytes())
    return made


def own_key(content: str) -> str:
    """The name of what this version of Korba writes of some content."""
    return sha256(f"{content}\n{sources_digest(PACKAGE)}".encode()).hexdigest()


def told(program: AnyProgram, *, beside: bool) -> Signature:
    """What a caller has to know of a program, with numbers that stand `beside` its code."""
    if not beside:
        return program.signature
    code, numbers = coded(program)
    return replace(program.signature, code=code.digest, numbers=numbers)


def _compiled(kind: str, program: AnyProgram, target: Host) -> bytes:
    with working("compiling"), Compiler(target) as compiler:  # it starts while the text is written
        from korba.codegen.targets.llvm.python import scalar_text  # not for what is cached
        from korba.codegen.targets.llvm.rows import batch_text

        if kind == "batch":
            return compiler.object_code(batch_text(program, target.width))
        return compiler.object_code(scalar_text(program, for_python=kind == "scalar"))


def object_key(kind: str, digest: str, target: Host) -> str:
    """The name of the object code of a program: a hash of all that decides it."""
    writers = sources_digest(PACKAGE / "codegen")
    parts = [kind, digest, *map(str, vars(target).values()), llvm_version(), writers]
    if kind == "scalar":  # its entry reads Python's objects
        parts.append(layouts.places().key)
    return sha256("\n".join(parts).encode()).hexdigest()


@cache
def _unchanged(within: str = "") -> bool:
    """Whether the sources on disk, of one folder or all, are those that this process runs.

    Where someone has edited them since, what it writes is nobody's: it must not be kept.
    """
    files = (PACKAGE / within).rglob("*.py")
    return all(file.stat().st_mtime_ns <= _LOADED for file in files)


@cache
def sources_digest(folder: Path) -> str:
    """A hash of a folder's sources by name and content; any other version starts afresh."""
    digest = sha256()
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()

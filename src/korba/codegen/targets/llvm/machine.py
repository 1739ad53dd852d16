"""Our machine: its vector width, how LLVM text becomes object code, and how that is loaded."""

from __future__ import annotations

import ctypes
import ctypes.util
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from korba.codegen.targets.llvm import helper as llvm_helper
from korba.codegen.targets.llvm.instructions import LIBRARY
from korba.errors import KorbaError

_LOADING = Lock()
_NUMBERS = count()


@dataclass(frozen=True)
class Host:
    """A processor as LLVM names it, and how many doubles one of its vectors holds."""

    cpu: str
    features: str
    width: int


@cache
def host() -> Host:
    """The processor this process runs on."""
    llvm = llvm_helper.binding()
    features = llvm.get_host_cpu_features()
    width = 8 if features.get("avx512f") else 4 if features.get("avx2") else 2
    return Host(llvm.get_host_cpu_name(), features.flatten(), width)


@cache
def llvm_version() -> str:
    """The version of LLVM inside llvmlite."""
    llvm = llvm_helper.binding()
    return ".".join(map(str, llvm.llvm_version_info))


class Compiler:
    """A helper process that starts at once and compiles one text when it is there."""

    def __init__(self, target: Host) -> None:
        self._host = target
        self._process = _started(target)

    def object_code(self, text: str) -> bytes:
        """Object code of LLVM text: from the helper process, or from this one if there is none."""
        if self._process is not None:
            code, _ = self._process.communicate(text.encode())
            if self._process.returncode == 0 and code:
                return code
        try:
            return llvm_helper.object_code(text, self._host.cpu, self._host.features)
        except RuntimeError as error:
            raise KorbaError(f"LLVM did not compile the program: {error}") from error

    def close(self) -> None:
        """End a process that was never needed."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


class Library:
    """Loaded object code; it lives as long as this object does."""

    def __init__(self, code: bytes, target: Host, names: Sequence[str]) -> None:
        llvm = llvm_helper.binding()
        builder = llvm.JITLibraryBuilder().add_object_img(code)
        for name, address in _library_addresses().items():
            builder = builder.import_symbol(name, address)
        for name in names:
            builder = builder.export_symbol(name)
        with _LOADING:
            self._tracker = builder.link(_linker(target), f"korba{next(_NUMBERS)}")

    def address(self, name: str) -> int:
        """Where a function or variable of the library is."""
        return int(self._tracker[name])

    def function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        """A function of the library, called through ctypes without Python's global lock."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(name))


def _started(target: Host) -> subprocess.Popen[bytes] | None:
    """The helper process, or None where none can be started."""
    script = Path(llvm_helper.__file__)
    packages = Path(llvm_helper.binding().__file__).parents[2]
    if not sys.executable or not script.is_file():
        return None
    command = [sys.executable, "-I", "-S", str(script), str(packages), target.cpu, target.features]
    try:
        return subprocess.Popen(  # noqa: S603  (this interpreter and a file of this package)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


@cache
def _linker(target: Host) -> Any:
    """LLVM's linker in memory: it keeps code and numbers of one object close together."""
    llvm = llvm_helper.binding()
    machine = llvm_helper.target_machine(target.cpu, target.features)
    return llvm.create_lljit_compiler(machine, use_jit_link=True)


@cache
def _library_addresses() -> dict[str, int]:
    """Where the C library's mathematical functions are."""
    library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
    if not hasattr(library, "sin"):
        library = ctypes.CDLL(ctypes.util.find_library("m"))
    return {
        name: int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)
        for name in LIBRARY.values()
    }

"""What a question is: text that is the same in every process where it asks the same.

A function is its code, its defaults, what it closes over, and what its names stand for outside, and
so on from there. What is installed, or comes with Python or Korba, is its name and version. Any
other value is what `pickle` would make it anew from, its class by the code of its methods. What
pickle cannot take, such as an open file, has no content that could be told.

Not seen are what a question reads while it runs (files, a clock, chance), modules that it imports
then, and names that it makes up (`getattr(module, name)`, `eval`).
"""

from __future__ import annotations

import builtins
import copyreg
import dis
import platform
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..codegen.keys import stable_key

OWN = "korba"
PLAIN = (type(None), bool, int, str, bytes, complex, type(Ellipsis), type(NotImplemented), range)
DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)
UNSAID = {
    "__doc__",
    "__firstlineno__",
    "__static_attributes__",
    "__weakref__",
    "__dict__",
    "_abc_impl",
}
"""What a class has besides what it does."""


class NoContentError(Exception):
    """A value whose content cannot be told; its text says where it was found."""


def content(value: Any) -> str:
    """A hash of a value's content; a `NoContentError` where it has none that can be told."""
    own = _Content()
    try:
        own.add(value)
    except RecursionError as error:
        raise NoContentError("values nested too deep") from error
    return sha256("\n".join(own.lines).encode()).hexdigest()


@cache
def version_of(module: str) -> str | None:
    """The version of what a module belongs to; None where it is the user's own, which changes."""
    top = module.partition(".")[0]
    if top == OWN:
        return metadata.version(OWN)
    if top in sys.stdlib_module_names:
        return platform.python_version()
    file = getattr(sys.modules.get(top), "__file__", None)
    installed = {Path(sysconfig.get_path(key)) for key in ("purelib", "platlib")}
    if file is None or not installed & {*Path(file).parents}:
        return None
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        return getattr(sys.modules[top], "__version__", None)


class _Content:
    """Lines that tell one value from another; one that comes again is said to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._seen: dict[int, tuple[int, Any]] = {}

    def add(self, value: Any, name: str = "") -> None:
        """The lines of a value, found under a name."""
        if isinstance(value, PLAIN) and type(value) in PLAIN:
            self.lines.append(f"{type(value).__name__} {value!r}")
        elif type(value) is float:
            self.lines.append(value.hex())
        elif id(value) in self._seen:
            self.lines.append(f"= {self._seen[id(value)][0]}")
        else:
            self._seen[id(value)] = len(self._seen), value
            self._add_new(value, name)

    def _all(self, head: str, *values: Any, name: str = "") -> None:
        self.lines.append(f"{head} {len(values)}")
        for value in values:
            self.add(value, name)

    def _add_new(self, value: Any, name: str) -> None:
        if isinstance(value, ModuleType):
            self._module(value, name)
        elif isinstance(value, CodeType):
            self._code(value, name)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, MethodType):
            self._all("method", value.__self__, value.__func__, name=name)
        elif isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType):
            self._all(f"method {value.__name__}", value.__self__, name=name)
        elif type(value) in (tuple, list):
            self._all(type(value).__name__, *value, name=name)
        elif type(value) in (dict, MappingProxyType):
            self._all("dict", *(x for item in value.items() for x in item), name=name)
        elif type(value) in (set, frozenset):
            self._all("set", *sorted(map(content, value)))
        elif isinstance(value, staticmethod | classmethod):
            self._all(type(value).__name__, value.__func__, name=name)
        elif isinstance(value, property):
            self._all("property", value.fget, value.fset, value.fdel, name=name)
        elif isinstance(value, DESCRIPTORS):
            self.lines.append(f"descriptor {value.__name__}")
        elif type(value) is np.ndarray and value.dtype.kind in "iufbc":
            self._all("array", value.dtype.str, value.shape, value.tobytes())
        elif type(value).__module__.startswith(f"{OWN}.") and (key := stable_key(value)):
            self.lines.append(key)
        else:
            self._made_anew(value, name)

    def _found(self, value: Any, module: str, name: str) -> bool:
        """Whether it is installed under its name: then this, and the version, say what it is."""
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        version = version_of(module)
        if version is None or found is not value:
            return False
        self.lines.append(f"{module}.{name} {version}")
        return True

    def _module(self, module: ModuleType, name: str) -> None:
        """An installed one by its version, another by its text."""
        version = version_of(module.__name__)
        file = getattr(module, "__file__", None)
        if version is None and file is None:
            raise NoContentError(f"{name!r}, a module without a file")
        text = version or sha256(Path(str(file)).read_bytes()).hexdigest()
        self.lines.append(f"module {module.__name__} {text}")

    def _code(self, code: CodeType, name: str) -> None:
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        self._all("code", code.co_code, counts, *names, code.co_consts, name=name)

    def _function(self, function: FunctionType) -> None:
        """Code, defaults, what it closes over, attributes, and what its names stand for."""
        if self._found(function, function.__module__ or "", function.__qualname__):
            return
        own = function.__qualname__
        self._all("function", function.__code__, function.__defaults__, name=own)
        self._all("more", function.__kwdefaults__, vars(function) or None, name=own)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            self._all("closes over", *_inside(cell), name=name)
        known = {**vars(builtins), **function.__globals__}
        for first, *more in sorted({*_names(function.__code__)}):
            if first in known:
                self._outside(known[first], first, more)

    def _outside(self, value: Any, name: str, attributes: list[str]) -> None:
        """A global; of a module the attribute that is asked for."""
        while attributes and isinstance(value, ModuleType) and hasattr(value, attributes[0]):
            name = f"{name}.{attributes[0]}"
            value = getattr(value, attributes.pop(0))
        self._all(f"global {name}", value, name=name)

    def _class(self, kind: type) -> None:
        """Its bases and what is in it."""
        if self._found(kind, kind.__module__, kind.__qualname__):
            return
        inside = {name: x for name, x in vars(kind).items() if name not in UNSAID}
        self._all(f"class {kind.__qualname__}", *kind.__bases__)
        for name, value in sorted(inside.items()):
            self._all(f"has {name}", value, name=f"{kind.__qualname__}.{name}")

    def _made_anew(self, value: Any, name: str) -> None:
        """What pickle would make it from, or the name that it would look up."""
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            parts = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except Exception as error:  # every kind of value has its own way to say that it has none
            raise NoContentError(f"{name!r}, a {type(value).__name__}") from error
        if not isinstance(parts, str):
            make, given, *more = parts
            lists = [list(x) if isinstance(x, Iterator) else x for x in more]
            self._all("made", type(value), make, given, *lists, name=name)
        elif not self._found(value, _module_of(value, parts), parts):
            if not hasattr(value, "__wrapped__"):
                raise NoContentError(f"{name!r}, a {type(value).__name__}")
            self._all("around", type(value), value.__wrapped__, name=name)


def _module_of(value: Any, name: str) -> str:
    """The module that has a value under its name, where the value does not say so itself."""
    own = getattr(value, "__module__", None)
    every = ((module, getattr(x, "__dict__", {})) for module, x in [*sys.modules.items()])
    return own or next((module for module, inside in every if inside.get(name) is value), "")


def _inside(cell: CellType) -> list[Any]:
    """What a cell holds, or nothing yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _names(code: CodeType) -> Iterator[tuple[str, ...]]:
    """Names from outside that code, and code inside it, uses, with the attributes asked of them."""
    chain: tuple[str, ...] = ()
    for step in dis.get_instructions(code):
        if step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and chain:
            chain = (*chain, step.argval)
            continue
        if chain:
            yield chain
        chain = (step.argval,) if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"} else ()
    if chain:
        yield chain
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _names(inside)

"""Makes a compiled function callable from CPython without a layer of Python in between.

The entry `call` in the library (python.py) reads NumPy arrays by their layout in memory
(layouts.py). Whether this is done at all says fast_way.py.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from korba.codegen.program import Formed
from korba.codegen.targets.llvm import layouts
from korba.codegen.targets.llvm.machine import Library

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
_FASTCALL_WITH_KEYWORDS = 0x0080 | 0x0002
_NEW_FROM_DESCR = 94  # PyArray_NewFromDescr's place in NumPy's table of functions
_NAME = b"__call__"
_DATA = 0 if layouts.layout_fault() else layouts.places().data


def has_spares(program: Formed) -> bool:
    """Whether the results of a program are one vector, which may go into a spare array."""
    return program.single and len(program.shapes[0]) == 1 and program.sizes[0] > 0


def data_address(array: NDArray[np.float64]) -> int:
    """Where an array's numbers are: `array.ctypes.data`, in a fifth of the time."""
    if not _DATA:
        return array.ctypes.data
    return ctypes.c_void_p.from_address(id(array) + _DATA).value or 0


def install(compiled: Any, library: Library, slow: Callable[..., Any]) -> None:
    """Give `compiled` a class of its own whose `__call__` is the library's entry.

    A built-in function in a class is not bound to the instance, so the call goes straight to
    it, and CPython's way to find it there is cut short too. `slow` is called for everything
    that is not one plain state; it keeps the library alive. The entry holds what it points to as
    its `self`, so that nothing of that is gone before it is.
    """
    table = (ctypes.c_void_p * len(RUNTIME)).from_address(library.address("runtime"))
    shape = compiled.signature.shapes[0] if has_spares(compiled.signature) else (0,)
    spares = tuple(np.empty(shape) for _ in range(2))
    addresses = {**_runtime(), "slow": id(slow), "spare0": id(spares[0]), "spare1": id(spares[1])}
    for place, name in enumerate(RUNTIME):
        table[place] = addresses[name]
    kind = type(compiled)
    definition = _method_definition(library.address("call"))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    entry = make(definition.ctypes.data, (slow, definition, spares), None)
    names = {"__call__": entry, "__doc__": kind.__doc__, "__module__": kind.__module__}
    own = type(kind.__name__, (kind,), names)
    slot = ctypes.c_void_p.from_address(id(own) + layouts.places().call)
    slot.value = library.address("call_tuple")
    compiled._kept = slow, spares
    compiled.__class__ = own


def _method_definition(address: int) -> NDArray[np.uintp]:
    """CPython's PyMethodDef: name, function, flags and no documentation, a word each.

    It is a plain array, whose memory no collector of garbage takes before the array is gone.
    """
    name = ctypes.cast(ctypes.c_char_p(_NAME), ctypes.c_void_p).value or 0
    return np.array([name, address, _FASTCALL_WITH_KEYWORDS, 0], dtype=np.uintp)


def _runtime() -> dict[str, int]:
    """The addresses that `call` needs."""
    api = ctypes.pythonapi
    functions = {
        "object_call": api.PyObject_Call,
        "vectorcall": api.PyObject_Vectorcall,
        "incref": api.Py_IncRef,
        "decref": api.Py_DecRef,
        "new_tuple": api.PyTuple_New,
        "set_item": api.PyTuple_SetItem,
    }
    found = {name: _address(function) for name, function in functions.items()}
    found["array_type"] = id(np.ndarray)
    found["descr"] = id(np.dtype(np.float64))
    found["new_array"] = _numpy_function(_NEW_FROM_DESCR)
    return found


def _address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _numpy_function(place: int) -> int:
    """The address at a place of NumPy's table of functions."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    capsule = _multiarray_umath._ARRAY_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = (ctypes.c_void_p * (place + 1)).from_address(get(capsule, None))
    return int(table[place] or 0)

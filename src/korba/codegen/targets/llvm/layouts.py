"""Where CPython and NumPy keep what the entry in machine code reads: asked of them, then checked.

The places are bytes into an object. They follow from sizes that the interpreter tells (a tuple's
items stand at 24 up to Python 3.13 and at 32 since), from the order of fields that NumPy has
promised to keep, and from CPython's own table of slots. Each is then held against an object whose
content is known. These checks read only memory that the object surely has, so that a layout which
is wrong is told, and does not end the process.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import cache
from typing import Any

import numpy as np

WORD = 8
_TP_CALL = 50  # the number of tp_call in CPython's stable ABI
_ARRAY = ("data", "ndim", "dimensions", "strides", "base", "descr", "flags")  # NumPy's order
_SHAPES = ((3,), (2, 3), (4, 2, 3))


@dataclass(frozen=True)
class Places:
    """Bytes into an object, a tuple, an ndarray and a type; the flags of a vector of its own."""

    type_pointer: int
    count: int
    items: int
    data: int
    ndim: int
    dimensions: int
    strides: int
    base: int
    descr: int
    flags: int
    call: int
    own_vector: int

    @property
    def key(self) -> str:
        """All of it as text, for the keys of what is kept on disk."""
        return " ".join(map(str, astuple(self)))


@cache
def places() -> Places:
    """The layout that this interpreter and this NumPy say they have."""
    header = object.__basicsize__
    return Places(
        type_pointer=header - WORD,
        count=header,
        items=tuple.__basicsize__,
        **{name: header + WORD * k for k, name in enumerate(_ARRAY)},
        call=_call_place(),
        own_vector=np.empty(3).flags.num,  # contiguous both ways, owns its data, ...
    )


@cache
def layout_fault() -> str:
    """What is not where `places` says, in a sentence; empty where all of it is."""
    return fault_of(places())


def fault_of(layout: Places) -> str:
    """The first place of a layout at which something else stands; empty where there is none."""
    if sys.implementation.name != "cpython":
        return f"this is {sys.implementation.name}, and only CPython's objects are known"
    if ctypes.sizeof(ctypes.c_void_p) != WORD or object.__basicsize__ != 2 * WORD:
        return f"objects begin with {object.__basicsize__} bytes, and 16 are known"
    checks = (_of_objects, _of_tuples, _of_arrays, _of_vectors, _of_types)
    wrong = next((place for check in checks for place in check(layout)), "")
    return f"{wrong} is not where it was looked for" if wrong else ""


def _of_objects(at: Places) -> Iterator[str]:
    """The type of an object, and the count of those that hold it."""
    held = (np.empty(3),)
    if not _inside(at.type_pointer, np.ndarray) or _word(held[0], at.type_pointer) != id(
        np.ndarray
    ):
        yield "the type of an object"
    where = id(held[0])
    counts = [ctypes.c_int32.from_address(where).value]
    more = [held[0], held[0]]
    counts.append(ctypes.c_int32.from_address(where).value)
    if counts != [1, 1 + len(more)]:
        yield "the count of references"


def _of_tuples(at: Places) -> Iterator[str]:
    """The number of items of a tuple, and the items."""
    for count in range(4):
        known = tuple(object() for _ in range(count))
        size = known.__sizeof__()
        if not 0 <= at.count <= size - WORD or _word(known, at.count) != count:
            yield "the number of items of a tuple"
        inside = 0 <= at.items <= size - WORD * count
        items = [_word(known, at.items + WORD * k) for k in range(count)] if inside else None
        if items != [*map(id, known)]:
            yield "the items of a tuple"


def _of_arrays(at: Places) -> Iterator[str]:
    """What an ndarray says of itself; its axes stand in one piece, which is read last."""
    for shape in _SHAPES:
        a = np.empty(shape)
        for name, known in _known_words(a).items():
            place = getattr(at, name)
            half = name in {"ndim", "flags"}
            if not _inside(place, np.ndarray) or _word(a, place, half=half) != known:
                yield f"an array's {name}"
        if _axes(a, at) != [*shape, *a.strides]:
            yield "the axes of an array"


def _axes(a: Any, at: Places) -> list[int]:
    """Lengths and steps of an array; none where they do not follow each other."""
    if not _inside(at.dimensions, np.ndarray) or not _inside(at.strides, np.ndarray):
        return []
    lengths, steps = _word(a, at.dimensions), _word(a, at.strides)
    if not lengths or steps - lengths != WORD * a.ndim:
        return []
    return [*(ctypes.c_int64 * (2 * a.ndim)).from_address(lengths)]


def _known_words(a: Any) -> dict[str, int]:
    """What stands in an array that owns its numbers, as Python tells it."""
    words = {"data": a.ctypes.data, "descr": id(np.dtype(np.float64)), "base": 0}
    return words | {"ndim": a.ndim, "flags": a.flags.num}


def _of_vectors(at: Places) -> Iterator[str]:
    """The flags of a new vector, and the array that another is part of."""
    whole = np.empty(5)
    if whole.flags.num != at.own_vector:
        yield "the flags of a vector"
    if not _inside(at.base, np.ndarray) or _word(whole[1:], at.base) != id(whole):
        yield "an array's base"


def _of_types(at: Places) -> Iterator[str]:
    """What calls the instances of a type."""
    if not at.call or at.call != _call_place():
        yield "the slot tp_call of a type"


def _call_place() -> int:
    """Where a type keeps what calls its instances: the one place that tells two types apart.

    CPython's function for it gives the value, and the value is looked for; 0 if it is not there
    once.
    """
    if sys.implementation.name != "cpython":
        return 0
    get = ctypes.pythonapi.PyType_GetSlot
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    kind: Any = type
    called, other = kind("A", (), {"__call__": print}), kind("B", (), {})
    value = get(called, _TP_CALL)
    among = range(0, kind.__basicsize__, WORD)
    found = [k for k in among if _word(called, k) == value and not _word(other, k)]
    return found[0] if value and len(found) == 1 else 0


def _inside(place: int, kind: type) -> bool:
    """Whether a word at that place is part of every object of a type."""
    return 0 <= place <= kind.__basicsize__ - WORD


def _word(thing: object, place: int, *, half: bool = False) -> int:
    """The word, or the half of it, that stands so many bytes into an object."""
    kind = ctypes.c_int32 if half else ctypes.c_uint64
    return kind.from_address(id(thing) + place).value

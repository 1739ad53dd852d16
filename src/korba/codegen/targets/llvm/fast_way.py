"""Whether calls from Python go straight into machine code, or why they take the plain way.

The straight way (python.py, fastcall.py) reads objects by their layout in memory. It is taken
where the interpreter and NumPy are ones that it was tested with, every place is where it is
looked for (layouts.py), and a program of one line, called through it once in a process, gives
what it should. Everywhere else calls go through Python and ctypes: the same numbers, later.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from korba.codegen.cache import cache_folder
from korba.codegen.program import Signature, trace
from korba.codegen.targets.llvm import fastcall, layouts
from korba.codegen.targets.llvm.machine import Library, library

PYTHONS = ((3, 11), (3, 14))
"""The first and the last Python that the straight way was tested with."""
NUMPY = 2
"""The NumPy whose layout and table of functions are known."""


@cache
def plain_reason() -> str:
    """Why calls take the plain way, in a sentence; empty where they go straight."""
    return version_fault() or layouts.layout_fault() or trial_fault()


def version_fault() -> str:
    """Why this interpreter or this NumPy is not one that was tested; empty where it is."""
    found, numpy = sys.version_info[:2], np.__version__
    if sys.implementation.name != "cpython":
        return f"this is {sys.implementation.name}, and only CPython was tested"
    if "t" in getattr(sys, "abiflags", "") or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "this Python is free-threaded, and only builds with the global lock were tested"
    if not PYTHONS[0] <= found <= PYTHONS[1]:
        first, last, own = (".".join(map(str, version)) for version in (*PYTHONS, found))
        return f"Python {first} to {last} were tested, and this is {own}"
    if numpy.split(".")[0] != str(NUMPY):
        return f"NumPy {NUMPY} was tested, and this is {numpy}"
    return ""


class Trial:
    """What the program of one line is called through: it stands where a compiled program does."""

    def __init__(self, signature: Signature, code: Library) -> None:
        self.signature = signature
        self.code = code  # it lives as long as what calls it
        self.slow_calls: list[tuple[Any, Any]] = []

    def __call__(self, *given: Any, **named: Any) -> None:
        """Here comes what does not go straight."""
        self.slow_calls.append((given, named))


def trial_fault() -> str:
    """What y = x + x called straight gives else than it should; empty where nothing."""
    program = trace(lambda x: x + x, {"x": 2})
    code = library("scalar", program.digest, lambda: program, cache_folder())
    trial = Trial(program.signature, code)
    fastcall.install(trial, code, trial.__call__)
    return _wrong_of(trial)


def _wrong_of(trial: Trial) -> str:
    """Whether vectors go straight, by both entries, and all else goes to Python."""
    entry: Any = type(trial).__call__  # a built-in function, which is not bound
    given = [np.array([k, 0.5 - k]) for k in range(6)]  # more than there are spares
    results = [way(x) for x, way in zip(given, [trial, entry] * 3, strict=True)]
    if trial.slow_calls:
        return "a program of one line was not called straight"
    pairs = zip(given, results, strict=True)
    if not all(type(y) is np.ndarray and [*y] == [*(2 * x)] for x, y in pairs):
        return "a program of one line gave something else than it should"
    others: list[tuple[Any, Any]] = [(([1.0, 2.0],), {}), ((given[0],), {"threads": 1}), ((), {})]
    for way in (trial, entry):
        for positional, named in others:
            way(*positional, **named)
    if trial.slow_calls != [*others, *others]:
        return "what a program of one line cannot take did not come to Python"
    return ""

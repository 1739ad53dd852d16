"""A program of any kind as a C99 file.

    void name(const double *in0, ..., double *out0, ..., double *stream0, ...)

computes one state. The file needs the C library's mathematical functions and nothing else.
"""

from __future__ import annotations

from korba.codegen.repetition import Repetition
from korba.codegen.routine.ir import AnyProgram, Routine
from korba.codegen.targets.c.function import HELPERS
from korba.codegen.targets.c.repetition import repetition_text
from korba.codegen.targets.c.routine import RoutineFunction
from korba.codegen.targets.c.straight import straight_text

INNER = "static "
"""Before functions that only this file calls."""


def c_text(program: AnyProgram, name: str = "f") -> str:
    """The whole file, with the function `name`."""
    body = any_text(program, name)
    helpers = [f"static double {key}{rest}" for key, rest in HELPERS.items() if key in body]
    return "\n".join(["#include <math.h>", "", *helpers, "", body])


def any_text(program: AnyProgram, name: str, linkage: str = "") -> str:
    """The function of a program, after those that it calls."""
    if isinstance(program, Repetition):
        return repetition_text(program, name, linkage)
    if not isinstance(program, Routine):
        return straight_text(program, name, linkage)
    names = {called: f"{name}_p{k}" for k, called in enumerate(program.programs)}
    parts = [any_text(called, own, INNER) for called, own in names.items()]
    return "\n".join([*parts, RoutineFunction(program, names).written(name, linkage)])

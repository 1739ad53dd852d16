"""Algorithms above programs: plain functions that run, or are recorded and printed."""

from korba.codegen.routine.constructs import (
    both,
    call,
    choose,
    either,
    get,
    get_row,
    held,
    negated,
    packed,
    packed_size,
    put,
    repeat,
    unpacked,
)
from korba.codegen.routine.ir import AnyProgram, Routine
from korba.codegen.routine.record import routine

__all__ = [
    "AnyProgram",
    "Routine",
    "both",
    "call",
    "choose",
    "either",
    "get",
    "get_row",
    "held",
    "negated",
    "packed",
    "packed_size",
    "put",
    "repeat",
    "routine",
    "unpacked",
]

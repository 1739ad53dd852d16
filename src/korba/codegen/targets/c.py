"""The printer for C99: programs of every kind as text that any compiler takes.

The file needs the C library's mathematical functions and nothing else.
"""

from __future__ import annotations

from dataclasses import replace

from korba.codegen.targets.language import Language

C = Language(
    calls={
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "abs": "fabs",
        "minimum": "minimum_of",
        "maximum": "maximum_of",
        "sign": "sign_of",
    },
    helpers={  # of nan they are nan
        "minimum_of": "static double minimum_of(double a, double b) "
        "{ return a < b || a != a ? a : b; }",
        "maximum_of": "static double maximum_of(double a, double b) "
        "{ return a > b || a != a ? a : b; }",
        "sign_of": "static double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }",
    },
    head="#include <math.h>",
    function="{}void {}({})",
    inner="static ",
    input="const double *restrict {}",
    output="double *restrict {}",
    read="const double *{}",
    written="double *{}",
    value="const double {} = {};",
    numbers="double {};",
    array="double {}[{}];",
    table="static const double {}[] = {{{}}};",
    whole_table="static const int {}[] = {{{}}};",
    counter="int",
    whole="(long)({})",
    part="({} + {})",
    place="double *{} = {};",
    unused="(void){};",
)


def _single(text: str) -> str:
    return text.replace("double", "float")


FLOAT_C = replace(
    C,
    helpers={key: _single(text) for key, text in C.helpers.items()},
    head="#include <tgmath.h>",
    literal="{}f",
    input=_single(C.input),
    output=_single(C.output),
    read=_single(C.read),
    written=_single(C.written),
    value=_single(C.value),
    numbers=_single(C.numbers),
    array=_single(C.array),
    table=_single(C.table),
    place=_single(C.place),
)
"""The same in single precision."""

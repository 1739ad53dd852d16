"""The printer for C99: programs of every kind as text that any compiler takes.

The file needs the C library's mathematical functions and nothing else, and allocates nothing. A
compiler of C++ takes it too, and gives the function its name in C. With -DKORBA_MAIN it has a
`main` to try it; the header is text of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.language import Language
from korba.codegen.targets.sine import LARGEST_ANGLE, body
from korba.codegen.targets.target import Target, argument_names
from korba.codegen.targets.text import program_text

AS_CPP = """
#ifdef __cplusplus
#define restrict __restrict
#define KORBA_C extern "C"
#else
#define KORBA_C
#endif"""
"""What lets a compiler of C++ take the file."""

APART = "KORBA_APART"
"""The helper that keeps parts of long functions apart."""

C = Language(
    calls={
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "abs": "fabs",
        "minimum": "korba_minimum",
        "maximum": "korba_maximum",
        "sign": "korba_sign",
    },
    helpers={  # of nan they are nan
        "korba_minimum": "static double korba_minimum(double a, double b) "
        "{ return a < b || a != a ? a : b; }",
        "korba_maximum": "static double korba_maximum(double a, double b) "
        "{ return a > b || a != a ? a : b; }",
        "korba_sine_and_cosine": f"""
static inline void korba_sine_and_cosine(double x, double *sine_of_x, double *cosine_of_x)
{{
  if (!(fabs(x) < {LARGEST_ANGLE!r})) {{
    *sine_of_x = sin(x);
    *cosine_of_x = cos(x);
    return;
  }}
{body("const double", "const int turns = (int)n")}
  *sine_of_x = s;
  *cosine_of_x = c;
}}
""",
        APART: """#if defined(__GNUC__)
#define KORBA_APART static __attribute__((noinline))
#elif defined(_MSC_VER)
#define KORBA_APART static __declspec(noinline)
#else
#define KORBA_APART static
#endif
""",
        "korba_place": "static int korba_place(double x, int last) "
        "{ return x > 0.0 ? (x < last ? (int)x : last) : 0; }\n",
        "korba_sign": "static double korba_sign(double x) "
        "{ return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }",
    },
    head=f"#include <math.h>\n{AS_CPP}",
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
    lookup="static const double {}[] = {{{}}};",
    entry="korba_place({}, {})",
    counter="int",
    whole="(long)({})",
    part="({} + {})",
    place="double *{} = {};",
    unused="(void){};",
    pair="double {1}, {2}; korba_sine_and_cosine({0}, &{1}, &{2});",
    angles_first=True,
    outer="KORBA_C ",
    longest=2000,
    cut="KORBA_APART ",
)


def single_precision(language: Language) -> Language:
    """The same language with floats for doubles."""

    def single(text: str) -> str:
        return text.replace("double", "float")

    changed: dict[str, Any] = {
        key: single(text) for key, text in vars(language).items() if isinstance(text, str)
    }
    helpers = {key: single(text).replace(".0", ".0f") for key, text in language.helpers.items()}
    return replace(language, **(changed | {"helpers": helpers, "literal": "{}f"}))


FLOAT_C = replace(single_precision(C), head=f"#include <tgmath.h>\n{AS_CPP}", pair="")


def header_text(program: AnyProgram, name: str) -> str:
    """The declaration, for C and C++."""
    guard = f"{name.upper()}_H"
    inputs, outputs = argument_names(program)
    given = [f"const double *{key}" for key in inputs] + [f"double *{key}" for key in outputs]
    return f"""#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

void {name}({", ".join(given)});

#ifdef __cplusplus
}}
#endif

#endif
"""


def main_text(program: AnyProgram, name: str, number: str = "double") -> str:
    """A `main` for trying the function: inputs 0.1, 0.2, ..., results to the last digit."""
    if program.streams:
        return ""
    inputs, outputs = argument_names(program)
    tenth = "0.1" if number == "double" else "0.1f"
    given = list(zip(inputs, (size for _, size in program.inputs), strict=True))
    results = list(zip(outputs, program.sizes, strict=True))
    lines = [f"  {number} {key}[{size or 1}];" for key, size in (*given, *results)]
    lines += [
        f"  for (int i = 0; i < {size}; i++) {key}[i] = {tenth} * (i + 1);" for key, size in given
    ]
    lines.append(f"  {name}({', '.join([*inputs, *outputs])});")
    lines += [
        f'  for (int i = 0; i < {size}; i++) printf("%.17g\\n", (double){key}[i]);'
        for key, size in results
    ]
    body = "\n".join(lines)
    return f"""
#ifdef KORBA_MAIN
#include <stdio.h>

int main(void)
{{
{body}
  return 0;
}}
#endif
"""


def c_text(program: AnyProgram, name: str) -> str:
    """The file in double precision, with a `main` to try it."""
    return program_text(C, program, name) + main_text(program, name)


def float_text(program: AnyProgram, name: str) -> str:
    """The file in single precision, with a `main` to try it."""
    return program_text(FLOAT_C, program, name) + main_text(program, name, "float")


def float_header_text(program: AnyProgram, name: str) -> str:
    """The header of the file in single precision."""
    return header_text(program, name).replace("double *", "float *")


TARGETS = (
    Target("c", ".c", "/*", c_text, beside=("c-header",)),
    Target("c-float", ".c", "/*", float_text, single=True, beside=("c-float-header",)),
    Target("c-header", ".h", "/*", header_text),
    Target("c-float-header", ".h", "/*", float_header_text, single=True),
)

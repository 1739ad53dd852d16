"""Programs of verbs as text for others: C, JavaScript, NumPy, LLVM, formulas.

What is printed is what runs here: the straight-line program of a verb, a repetition over many
links, or the routine that it takes (Newton's method, friction). A printer knows no mechanics; the
names of coordinates, velocities and sizes stand in the text's head.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..codegen import Program
from ..codegen.routine.ir import AnyProgram
from ..codegen.targets.c import FLOAT_C, C
from ..codegen.targets.formula.latex import latex
from ..codegen.targets.formula.text import text
from ..codegen.targets.javascript import JAVASCRIPT
from ..codegen.targets.llvm.python import scalar_text
from ..codegen.targets.python import python_text
from ..codegen.targets.text import program_text
from ..door import public
from ..errors import StructureError, way_out
from ..expr.canonical import canonical
from ..expr.formula import Formula, Symbol, collected
from ..expr.waves import TooLongError
from ..model.mechanism import Mechanism
from .designs import PARAMETERS
from .equations import sizes_by_symbol
from .symbol_names import defined, symbol_names
from .systems import any_system
from .verb import Verb

Printer = Callable[[AnyProgram, str], str]
"""From a program and the name of its function to the text of a file."""


def _numpy(program: AnyProgram, name: str) -> str:
    if not isinstance(program, Program):
        raise StructureError(
            "generate: the answer is found by steps, not by one formula, which is not written for "
            "NumPy; take 'c' or 'javascript'"
        )
    return python_text(program, name)


def _llvm(program: AnyProgram, name: str) -> str:
    module = scalar_text(program, for_python=False)
    return module.replace("@scalar(", f"@{name}(")


TARGETS: dict[str, tuple[str, Printer]] = {
    "c": ("/*", lambda program, name: program_text(C, program, name) + main_text(program, name)),
    "c-float": ("/*", lambda program, name: program_text(FLOAT_C, program, name)),
    "c-header": ("/*", lambda program, name: header_text(program, name)),  # noqa: PLW0108  (below)
    "javascript": ("/*", lambda program, name: program_text(JAVASCRIPT, program, name)),
    "numpy": ("#", _numpy),
    "llvm": (";", _llvm),
}
"""How comments begin, and the printer."""
FORMULAS: dict[str, Callable[[Formula], str]] = {"text": text, "latex": latex}
"""Printers of formulas."""


@public
def generate(
    verb: Verb[..., Any] | Program,
    m: Mechanism,
    target: str,
    *,
    name: str = "",
    **options: Any,
) -> str:
    """The program of a verb for a mechanism as text in another language.

    Targets are "c" (C99, in double precision), "c-float", "c-header", "javascript" (an ES module),
    "numpy" and "llvm"; "latex" and "text" are formulas of the results. The options are those of
    the verb; `parameters` names sizes that stay inputs. The function computes one state: it takes
    an array for each input and then one for each result, row by row, and allocates nothing. It is
    named after the mechanism and the verb, or `name`. C compiled with -DKORBA_MAIN has a `main`
    that prints the results for inputs 0.1, 0.2, ... A `derivative` is printed as it is compiled.

        >>> m = kb.linkages.four_bar(1, 3, 2.5, 3.2)
        >>> text = kb.generate(kb.pose, m, "c", body="coupler", parameters=("a", "b"))
        >>> "void four_bar_pose(const double *restrict q, const double *restrict p" in text
        True
    """
    known = [*TARGETS, *FORMULAS]
    if target not in known:
        raise StructureError(f"generate: there is no target {target!r}; {way_out(target, known)}")
    if isinstance(verb, Program):
        program: AnyProgram = verb
    elif isinstance(verb, Verb):
        program = verb.compiled(m, **options).program
    else:
        raise StructureError(f"generate: expected a verb such as kb.pose, got {verb!r:.60}")
    asked = verb.name if isinstance(verb, Verb) else "derivative"
    own = identifier(name or f"{m.name}_{asked}")
    if target == "c-float" and not isinstance(program, Program):
        raise StructureError(
            "generate: the answer is found by steps, which want double precision; take 'c'"
        )
    sizes = tuple(options.get(PARAMETERS, ()))
    if target in FORMULAS:
        return _formulas(m, program, sizes, FORMULAS[target])
    mark, printer = TARGETS[target]
    about = _about(m, f"{asked} of {m.name!r}", program, own, sizes)
    return "\n".join([*_comment(about, mark), printer(program, own)])


def _formulas(
    m: Mechanism, program: AnyProgram, sizes: tuple[str, ...], printer: Callable[[Formula], str]
) -> str:
    """Every element of the results in canonical form, a line each."""
    if not isinstance(program, Program):
        raise StructureError("generate: the answer is found by steps, not by a formula")
    system = any_system(m, sizes)
    try:
        known = canonical(program.outputs, sizes_by_symbol(m, system))
    except TooLongError as error:
        raise StructureError(
            f"generate: the results have {error}, which nobody reads; kb.equations writes the "
            "equations of motion in layers"
        ) from error
    names = symbol_names(system, known)
    lines = [f"{printer(left)} = {printer(right)}" for left, right in defined(known, names)]
    places = [(k, *at) for k, shape in enumerate(program.shapes) for at in np.ndindex(*shape)]
    for (k, *at), value in zip(places, known.values, strict=True):
        index = ",".join(str(i + 1) for i in at)
        left = Symbol(f"{'y' if program.single else f'y{k + 1}'}_{index}" if at else f"y_{k + 1}")
        lines.append(f"{printer(left)} = {printer(collected(value, names))}")
    return "\n".join(lines)


def identifier(name: str) -> str:
    """A name that every language takes: letters, digits and _."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[\W_]+", "_", plain).strip("_")
    return word if word[:1].isalpha() else f"f_{word}".rstrip("_")


def _about(
    m: Mechanism, title: str, program: AnyProgram, name: str, sizes: Sequence[str]
) -> list[str]:
    """What the text is, and what every element of its inputs means."""
    tree = any_system(m).tree
    free_q = [tree.coordinates[i] for i in tree.free_q]
    free_v = [tree.velocities[i] for i in tree.free_v]
    meanings = {"q": free_q, "v": free_v, "a": free_v, "tau": free_v, "p": list(sizes)}
    lines = [title, "", f"{name}: one state; arrays of numbers in SI units and radians"]
    for key, size in program.inputs:
        named = meanings.get(key, [])
        own = ", ".join(named) if len(named) == size else ""
        lines.append(f"  in   {key}[{size}]" + (f": {own}" if own else ""))
    for k, shape in enumerate(program.shapes):
        lines.append(f"  out  out{k}: {' x '.join(map(str, shape)) or 'one number'}")
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, 96, subsequent_indent="       ") or [""]
    ]


def _comment(lines: Sequence[str], mark: str) -> list[str]:
    if mark != "/*":
        return [*(f"{mark} {line}".rstrip() for line in lines), ""]
    plain = [line.replace("*/", "* /") for line in lines]
    return ["/* " + plain[0], *(f" * {line}".rstrip() for line in plain[1:]), " */", ""]


def header_text(program: AnyProgram, name: str) -> str:
    """The declaration, for C and C++."""
    guard = f"{name.upper()}_H"
    inputs, outputs = parameters_of(program)
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


def main_text(program: AnyProgram, name: str) -> str:
    """A `main` for trying the function: inputs 0.1, 0.2, ..., results to the last digit."""
    if program.streams:
        return ""
    inputs, outputs = parameters_of(program)
    sizes = [size for _, size in program.inputs]
    lines = [f"  double {key}[{size or 1}];" for key, size in zip(inputs, sizes, strict=True)]
    lines += [
        f"  double {key}[{size or 1}];" for key, size in zip(outputs, program.sizes, strict=True)
    ]
    lines += [
        f"  for (int i = 0; i < {size}; i++) {key}[i] = 0.1 * (i + 1);"
        for key, size in zip(inputs, sizes, strict=True)
    ]
    lines.append(f"  {name}({', '.join([*inputs, *outputs])});")
    lines += [
        f'  for (int i = 0; i < {size}; i++) printf("%.17g\\n", {key}[i]);'
        for key, size in zip(outputs, program.sizes, strict=True)
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


def parameters_of(program: AnyProgram) -> tuple[list[str], list[str]]:
    """Names of the arrays that a function takes and gives."""
    inputs = [key for key, _ in program.inputs]
    return inputs, [f"out{k}" for k in range(len(program.shapes))]

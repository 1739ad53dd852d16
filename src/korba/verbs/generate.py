"""Programs of verbs as text for others: C, CUDA, JavaScript, NumPy, LLVM, formulas.

What is printed is what runs here: the straight-line program of a verb, a repetition over many
links, or the routine that it takes (Newton's method, friction, an integrator). A printer knows no
mechanics (codegen/catalogue); the names of coordinates, velocities and sizes stand in the text's
head.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen import Program
from ..codegen.catalogue.targets import TARGETS
from ..codegen.routine.ir import AnyProgram
from ..codegen.targets.target import Pair
from ..door import public
from ..errors import StructureError, refuse_unknown
from ..expr.canonical import canonical
from ..expr.formula import Names, Symbol, collected
from ..expr.waves import TooLongError
from ..model.mechanism import Mechanism
from ..system.system import any_system
from ..wording import named
from .designs import PARAMETERS
from .equations import sizes_by_symbol
from .generated import Generated, program_of_verb
from .symbol_names import defined, symbol_names
from .written import of

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        and arguments as assert async auto await bool break case catch char class const continue
        debugger def default del delete do double elif else enum eval except export extends extern
        false finally float for friend from function global goto if implements import in inline
        instanceof int interface is lambda let long main namespace new none nonlocal not null
        operator or package pass private protected public raise register restrict return short
        signed sizeof static struct super switch template this throw true try typedef typename
        typeof union unsigned using var virtual void volatile while with xor yield
        acos asin atan atan2 cos cosh exp fabs fetched floor log np pair pow put sin sincos
        sine_and_cosine sinh sqrt tan tanh turned
        abs abort acosh asinh atanh calloc cbrt ceil copysign div erf erfc exit exp2 expm1 fdim
        fma fmax fmin fmod free frexp gamma hypot ilogb infinity isfinite isinf isnan j0 j1 jn
        labs ldexp lgamma llrint llround log10 log1p log2 logb lrint lround malloc memcpy memset
        math modf nan nearbyint nextafter nexttoward null number object printf puts rand remainder
        remquo rint round scalbln scalbn signbit tgamma trunc y0 y1 yn float64array
        """,
    )
)
"""Words that a function is not called by: those of the languages, and of what texts use."""


@public
def generate(
    verb: Any,
    m: Mechanism,
    target: str,
    *,
    name: str = "",
    **options: Any,
) -> str:
    """The program of a verb for a mechanism as text in another language.

    Targets are "c" (C99, in double precision, which allocates nothing), "c-float", their headers
    "c-header" and "c-float-header", "cuda" and "cuda-float" (kernels for batches), "javascript" (an
    ES module), "numpy" and "llvm"; "text", "latex", "mathml" and "sympy" (a Python program) are
    formulas of the results. The verb is the function itself; the options are those of the
    verb; `parameters` names sizes that stay inputs. In C and JavaScript the function computes one
    state: it takes an array for each input and then one for each result, row by row. It is named
    after the mechanism and the verb, or `name`; a name that languages do not take is changed, and
    the head says so. C compiled with -DKORBA_MAIN has a `main` that
    prints the results for inputs 0.1, 0.2, ... A `derivative` is printed as it is compiled.

    Of `kb.simulate` the whole run is written, of `kb.motion` and `kb.assemble` the Newton routine
    that closes the loops; their docs say what these take.

        >>> m = kb.linkages.four_bar(1, 3, 2.5, 3.2)
        >>> text = kb.generate(kb.pose, m, "c", body="coupler", parameters=("a", "b"))
        >>> "void four_bar_pose(const double *restrict q, const double *restrict p" in text
        True
    """
    refuse_unknown("target", target, TARGETS, "generate")
    written = program_of_verb(verb, m, options)
    asked = name or "_".join(word for word in (m.name, written.name) if word)
    own = asked if asked.isascii() and asked.isidentifier() else identifier(asked)
    own = f"f_{own}" if own.lower() in RESERVED else own
    sizes = tuple(options.get(PARAMETERS, ()))
    printer = TARGETS[target]
    if printer.formula is not None:
        return printer.formula(_equations(m, written.program, sizes))
    about = _about(m, written, own, sizes)
    if own != asked:
        about.insert(1, f"(called {own}, because {asked!r} is no name of a function everywhere)")
    return printer.program_text(written.program, own, about)


def _equations(m: Mechanism, program: AnyProgram, sizes: tuple[str, ...]) -> list[Pair]:
    """Every element of the results in canonical form."""
    if not isinstance(program, Program):
        code = ", ".join(name for name, each in TARGETS.items() if each.formula is None)
        raise StructureError(
            f"generate: the answer is found by steps, not by a formula; take one of {code}"
        )
    system = any_system(m, sizes)
    try:
        known = canonical(program.outputs, sizes_by_symbol(m, system))
    except TooLongError as error:
        raise StructureError(
            f"generate: the results have {error}, which nobody reads; {named('equations')} writes "
            "the equations of motion in layers"
        ) from error
    names = _with_inputs(symbol_names(system, known), program)
    pairs: list[Pair] = [(left, right) for left, right in defined(known, names)]
    places = [(k, *at) for k, shape in enumerate(program.shapes) for at in np.ndindex(*shape)]
    for (k, *at), value in zip(places, known.values, strict=True):
        index = ",".join(str(i + 1) for i in at)
        left = Symbol(f"{'y' if program.single else f'y{k + 1}'}_{index}" if at else f"y_{k + 1}")
        pairs.append((left, collected(value, names)))
    return pairs


def _with_inputs(names: Names, program: Program) -> Names:
    """Names with those of all other inputs: t, tau_1, tau_2, ..."""
    more = {
        f"{key}[{i}]": Symbol(f"{key}_{i + 1}" if size > 1 else key)
        for key, size in program.inputs
        for i in range(size)
    }
    return Names({**names.symbols, **{x: y for x, y in more.items() if x not in names.symbols}})


def identifier(name: str) -> str:
    """A name that every language takes: letters, digits and _."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[\W_]+", "_", plain).strip("_")
    return word if word[:1].isalpha() else f"f_{word}".rstrip("_")


def _about(m: Mechanism, written: Generated, name: str, sizes: Sequence[str]) -> list[str]:
    """What the text is, and what every element of its inputs means."""
    tree, program = any_system(m).tree, written.program
    free_q = ", ".join(tree.coordinates[i] for i in tree.free_q)
    free_v = ", ".join(tree.velocities[i] for i in tree.free_v)
    lengths = {"q": tree.nq, "v": tree.nv, "a": tree.nv, "tau": tree.nv, "p": len(sizes)}
    meanings = {"q": free_q, "v": free_v, "a": free_v, "tau": free_v, "p": ", ".join(sizes)}
    lines = [f"{written.name}{of(m.name)}", ""]
    lines.append(f"{name}: one state; arrays of numbers in SI units and radians")
    for key, size in program.inputs:
        own = meanings.get(key, "") if lengths.get(key) == size else ""
        own = written.about.get(key, own)
        lines.append(f"  in   {key}[{size}]" + (f": {own}" if own else ""))
    for k, shape in enumerate(program.shapes):
        own = written.about.get(f"out{k}", "")
        form = " x ".join(map(str, shape)) or "one number"
        lines.append(f"  out  out{k}: {form}" + (f": {own}" if own else ""))
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, 96, subsequent_indent="       ") or [""]
    ]

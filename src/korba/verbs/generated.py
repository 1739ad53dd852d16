"""What is compiled and printed of a question: the program of a verb, or a routine for it.

Verbs from arrays to arrays have programs of their own. Of functions that return more than arrays
(`kb.simulate`, `kb.motion`, `kb.assemble`) a routine does the work; `written_by` says which:

    @written_by(run_routine)
    @public
    def simulate(m, until=10.0, ...): ...

    kb.generate(kb.simulate, m, "c", method="rk4")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from ..codegen import Program
from ..codegen.routine.ir import AnyProgram
from ..codegen.routine.needed import pruned
from ..errors import StructureError
from ..model.mechanism import Mechanism
from .verb import Verb

P = ParamSpec("P")
R = TypeVar("R")
PLACE = "written_by"
"""Where a function says what stands for it."""


@dataclass(frozen=True)
class Generated:
    """A program, what it is called, and what its inputs and results (`out0`, ...) mean."""

    program: AnyProgram
    name: str
    about: Mapping[str, str] = field(default_factory=dict)


def written_by(
    make: Callable[..., tuple[AnyProgram, Mapping[str, str]]] | Verb[..., Any],
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Says what stands for a function: a verb, or `make(m, **options)` with what it takes."""

    def marked(function: Callable[P, R]) -> Callable[P, R]:
        vars(function)[PLACE] = make
        return function

    return marked


def is_written(verb: Any) -> bool:
    """Whether `program_of_verb` takes it."""
    return isinstance(verb, Verb) or hasattr(verb, PLACE)


def program_of_verb(verb: Any, m: Any, options: Mapping[str, Any]) -> Generated:
    """The program of a verb, of a derivative, or of a function that either stands for."""
    if isinstance(verb, Program):
        return Generated(verb, "derivative")
    verb = verb_of(verb)
    if isinstance(verb, Verb):
        program = pruned(verb.compiled(m, **options).program)
        return Generated(program, verb.name, {f"out{k}": x for k, x in enumerate(program.named)})
    make = getattr(verb, PLACE, None)
    if make is None or not isinstance(m, Mechanism):
        raise StructureError(
            "expected a mechanism, and a verb such as kb.inverse_dynamics, a derivative, "
            f"kb.simulate, kb.motion or kb.assemble, got {asked_for(verb)}"
        )
    program, about = make(m, **options)
    return Generated(pruned(program), verb.__name__, about)


def verb_of(given: Any) -> Any:
    """The verb from arrays to arrays under a question such as `kb.reduce`; else what is given."""
    made = getattr(given, PLACE, None)
    return made if isinstance(made, Verb) else given


def asked_for(given: Any) -> str:
    """What was given in place of a verb, for an error; a text should be the function itself."""
    if isinstance(given, str):
        return f"{given!r:.60}, which is a text; give the function itself, such as kb.{given:.40}"
    return f"{getattr(given, '__name__', repr(given)):.60}"

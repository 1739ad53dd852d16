"""Verbs that several formulations answer: the one that is named, or the one with least work."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..codegen.repetition import Repetition
from ..dynamics.catalogue import CATALOGUE
from ..dynamics.formulation import Formulation
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..system.system import System
from .systems import under
from .verb import Options, Slopes, Verb

P = ParamSpec("P")
R = TypeVar("R")

MANY = 64
"""Links from which on sweeps are repeated: straight-line code is little faster, and ready later."""


def formulated(
    slopes: Slopes = lambda *_: None, **how: Any
) -> Callable[[Callable[Concatenate[System, P], R]], Verb[P, R]]:
    """The verb of the formula below it, with an option `formulation`.

    A formulation given by name is differentiated as it is written, without a name by `slopes`.
    """

    def made(formula: Callable[Concatenate[System, P], R]) -> Verb[P, R]:
        name = formula.__name__

        def check(_: Mechanism, given: Any, __: Mapping[str, Any]) -> Hashable:
            return None if given is None else chosen(name, given).name

        def ways(system: System, options: Options) -> list[Options]:
            tried = worth_trying(name, system, options["formulation"])
            return [{**options, "formulation": f.name} for f in tried]

        def repetition(
            system: System, options: Options, sizes: Mapping[str, int]
        ) -> Repetition | None:
            if len(system.tree.links) < MANY:
                return None
            from .repetition.dynamics import repeated

            tried = _wanted(name, options["formulation"])
            able = [f for f in tried if name in f.sweeps and f.refuses(system.tree) is None]
            s = under(system, options.get("gravity"))
            return repeated(name, able[0], s, sizes) if able else None

        def short(system: System, options: Options, *more: Any) -> Any:
            return slopes(system, options, *more) if options["formulation"] is None else None

        own: dict[str, Any] = {"ways": ways, "repetition": repetition, "slopes": short}
        return Verb(formula, checks={"formulation": check}, **own, **how)

    return made


def formula_of(verb_name: str, formulation: str | None) -> Callable[..., Any]:
    """The function of a formulation that answers a verb; without a name an everyday one's."""
    return _wanted(verb_name, formulation)[0].verbs[verb_name]


def worth_trying(verb_name: str, system: System, formulation: Any) -> Sequence[Formulation]:
    """The formulation of that name, or those among which the one with least work is."""
    wanted = _wanted(verb_name, formulation)
    refusals = {f.name: f.refuses(system.tree) for f in wanted}
    usable = [f for f in wanted if refusals[f.name] is None]
    if not usable:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in refusals.items())
        raise StructureError(f"mechanism {system.tree.m.name!r}: {reasons}")
    return [f for f in usable if f.pays(system.tree)] or usable


def chosen(verb_name: str, name: str) -> Formulation:
    """The formulation of that name, where it answers the verb."""
    known = [f.name for f in CATALOGUE.values() if verb_name in f.verbs]
    if name not in known:
        raise StructureError(
            f"{verb_name} has no formulation {name!r}; there are {', '.join(known)}"
        )
    return CATALOGUE[name]


def _wanted(verb_name: str, formulation: Any) -> list[Formulation]:
    """The formulation of that name; without one those that are tried when the user names none."""
    if formulation is not None:
        return [chosen(verb_name, formulation)]
    return [f for f in CATALOGUE.values() if f.everyday and verb_name in f.verbs]

"""From a verb and a mechanism to a program: which formulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, trace
from ..codegen.repetition import Repetition
from ..dynamics.catalogue import CATALOGUE
from ..dynamics.formulation import LOADED, VERBS, Formulation
from ..errors import StructureError
from ..forces.loads import depends_on_time, loads_at
from ..kinematics.couplings import refuse_timed
from ..kinematics.velocity import jacobian
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.loads import Loads
from ..system.system import System, system_of
from .massless import refuse_massless
from .repetition.dynamics import repeated, worth_repeating


def tree_system(m: Mechanism, gravity: Any = None) -> System:
    """The system of a mechanism without loops."""
    system = system_of(m, gravity)
    if system.tree.closing:
        names = ", ".join(joint.name for joint in system.tree.closing)
        raise StructureError(
            f"mechanism {m.name!r} has loops (closed by joints {names}); the dynamics of closed "
            "mechanisms is not part of Korba yet, trees only"
        )
    refuse_timed(system.tree)
    return system


def gravity_key(gravity: Any) -> tuple[Any, ...] | None:
    """What stands for a given gravity in the key of a program."""
    return None if gravity is None else tuple(np.ravel(gravity).tolist())


def with_time(compiled: Compiled, inputs: Sequence[Any], t: Any) -> list[Any]:
    """The inputs of a program, with the time where its loads depend on it."""
    if len(compiled.signature.inputs) == len(inputs):
        return list(inputs)
    return [*inputs, np.asarray(t, dtype=float)[..., None]]


def program(
    verb: str, m: Mechanism, formulation: str | None = None, gravity: Any = None
) -> Program:
    """The program of a verb for a mechanism; without a formulation the one with least work."""
    return _straight(verb, tree_system(m, gravity), formulation)


def runnable(
    verb: str, m: Mechanism, formulation: str | None = None, gravity: Any = None
) -> Program | Repetition:
    """The program of a verb to be compiled: repeated over the links where these are many."""
    system = tree_system(m, gravity)
    tried = [chosen(verb, formulation)] if formulation else everyday(verb)
    way = worth_repeating(verb, tried, system.tree)
    if way is not None:
        return repeated(verb, way, system)
    return _straight(verb, system, formulation)


def _straight(verb: str, system: System, formulation: str | None) -> Program:
    tried = worth_trying(verb, system, formulation)
    return min((traced(verb, f, system) for f in tried), key=lambda p: p.operations.total)


def worth_trying(verb: str, system: System, formulation: str | None) -> list[Formulation]:
    """The formulation of that name, or those among which the one with least work is."""
    wanted = [chosen(verb, formulation)] if formulation else everyday(verb)
    refusals = {f.name: f.refuses(system.tree) for f in wanted}
    usable = [f for f in wanted if refusals[f.name] is None]
    if not usable:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in refusals.items())
        raise StructureError(f"mechanism {system.tree.m.name!r}: {reasons}")
    if verb == "forward_dynamics":
        refuse_massless(system)
    return [f for f in usable if f.pays(system.tree)] or usable


def chosen(verb: str, name: str) -> Formulation:
    """The formulation of that name, where it answers the verb."""
    known = [f.name for f in CATALOGUE.values() if verb in f.verbs]
    if name not in known:
        raise StructureError(f"{verb} has no formulation {name!r}; there are {', '.join(known)}")
    return CATALOGUE[name]


def everyday(verb: str) -> list[Formulation]:
    """The formulations tried when the user names none."""
    return [f for f in CATALOGUE.values() if f.everyday and verb in f.verbs]


def traced(verb: str, formulation: Formulation, system: System) -> Program:
    """The program that a formulation writes for a verb."""
    tree, formula = system.tree, formulation.verbs[verb]
    sizes = {name: tree.nq if name == "q" else tree.nv for name in VERBS[verb]}
    if verb in LOADED and depends_on_time(tree):
        sizes["t"] = 1

    def written(*inputs: Array) -> Any:
        given, rest = inputs[: len(VERBS[verb])], inputs[len(VERBS[verb]) :]
        t = rest[0][0] if rest else 0.0

        def acting(q_all: Array, v_all: Array) -> Loads:
            return loads_at(tree, q_all, v_all, t)

        return formula(replace(system, loads=acting), *given)

    return trace(written, sizes, tree.m.name or "the mechanism")


def jacobian_program(m: Mechanism, body: str, point: tuple[float, ...]) -> Program:
    """The program of a body's Jacobian."""
    tree = tree_system(m).tree
    return trace(lambda q: jacobian(tree, q, body, point), {"q": tree.nq}, m.name)

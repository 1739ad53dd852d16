"""One mechanism through every formulation: the same numbers, at what price.

At random states every formulation that can take the mechanism answers the same questions. What it
gives is compared with the answer of another formulation, forward dynamics with the accelerations
that the forces were made from:

    difference = max |x - x_ref| / max |x_ref|      over all components, worst state

Joint forces and accelerations of one state are compared as whole vectors, so a component that is
zero by accident does not count as an error. What acts may cancel in them, in part or as a whole:
where drives dictate the accelerations, loads do not show in them. So they are compared beside at
least what acts in the state, and what this would accelerate the opened mechanism by
(magnitudes.py); the verdict does not depend on how large loads or masses are.

With loops the states have them closed, and efforts would accelerate the opened mechanism by about
1. Accelerations by multipliers in the coordinates of all joints are the reference for
those by absolute and by minimal coordinates, and for the reduced model in named coordinates; forces
are compared where drives move all freedoms. Trees are compared as forces alone move them; with
drives, also as they follow these.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..codegen import Compiled, compile_cached
from ..display import Displayed, Tabled, records
from ..door import public
from ..dynamics.catalogue import CATALOGUE
from ..dynamics.formulation import Formulation
from ..errors import StructureError, refuse_unknown
from ..model.mechanism import Mechanism
from ..positions.closed import closed, walked
from ..positions.loop_system import loop_system
from ..progress import Progress
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.store import program_key
from ..system.system import System, any_system
from .dynamics import bias_forces, energy, forward_dynamics, inverse_dynamics, mass_matrix
from .loops import allowed_velocities, governing_coordinates
from .magnitudes import Magnitudes, condition, magnitudes, unit_efforts
from .one_structure import shared_code
from .states import drawn_coordinates, random_states
from .systems import refuse_massless
from .verb import Verb

COMPARED: tuple[Verb[..., Any], ...] = (
    *(inverse_dynamics, bias_forces, mass_matrix),
    *(forward_dynamics, energy),
)
"""The verbs that more than one formulation answers."""

TIMED_STATES = 2048
TIME = 0.3
"""When all are asked, in s."""
STRIDE = 0.2
"""From the drawing to random states near it, in radians and typical lengths."""


@dataclass(frozen=True)
class Check(Displayed):
    """One formulation's answer to one verb."""

    verb: str
    formulation: str
    difference: float
    """Worst relative difference from the reference, over the states."""
    multiplications: int
    additions: int
    divisions: int
    trigonometric: int
    nanoseconds: float
    """Time of one state in a batch, one thread."""


@dataclass(frozen=True)
class CrossCheck(Tabled):
    """The answer of `crosscheck`; `print` shows the table."""

    mechanism: str
    nv: int
    states: int
    tolerance: float
    condition: float
    """Largest condition number among the states: of the mass matrix, or with loops of (4.199);
    lengths in a typical one, masses beside the largest."""
    checks: tuple[Check, ...]
    refused: dict[str, str]
    """Formulations that cannot take the mechanism, with the reason."""

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each comparison."""
        return records(self.checks)

    @property
    def worst(self) -> float:
        """The largest difference of all."""
        return max((check.difference for check in self.checks), default=0.0)

    def allowed(self, verb: str) -> float:
        """The tolerance; solving with M may lose as many digits as its condition has."""
        lost = 100 * float(np.finfo(float).eps) * self.condition
        return max(self.tolerance, lost) if verb == "forward_dynamics" else self.tolerance

    @property
    def agree(self) -> bool:
        """Whether every difference is within what is allowed (a nan is not)."""
        return all(check.difference <= self.allowed(check.verb) for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {"ok": self.agree, "worst": self.worst, **asdict(self)}

    def __str__(self) -> str:
        return "\n".join(_lines(self))


@public
def crosscheck(
    m: Mechanism,
    *,
    states: int = 32,
    seed: int = 0,
    tolerance: float = 1e-10,
    formulations: Sequence[str] | str | None = None,
    progress: bool | Callable[[float], object] | None = None,
) -> CrossCheck:
    """Every formulation that can take the mechanism at random states: agreement and cost.

    `formulations` names those to run, all by default. `progress` shows a bar (by itself after a
    second at a terminal) or is called with the count of answers that are there.
    """
    whole = any_system(m)
    system = whole if whole.ties or not whole.drives else any_system(replace(m, drives=()))
    wanted = _wanted(formulations)
    refused = {f.name: why for f in wanted if (why := f.refusal(system.tree)) is not None}
    usable = [f for f in wanted if f.name not in refused]
    for name, value, least in (("states", states, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or value < least:
            raise StructureError(f"{name}: expected a whole number, {least} or more, got {value!r}")
    if not usable:
        reasons = "; ".join(f"{name}: {why}" for name, why in refused.items())
        raise StructureError(f"formulations: none is left to compare ({reasons or 'none named'})")
    refuse_massless(system)
    reference = partial(_closed_reference, m) if system.ties else _reference
    known = reference(system, states, seed)
    checks = []
    asked = [
        (v, f) for v, f in product(COMPARED, usable) if v.name in f.verbs.keys() & known.answers
    ]
    with closing(Progress(progress, len(asked), "comparing", "answers")) as shown:
        for k, (verb, f) in enumerate(asked):
            shown(k, k, f"{verb.name} by {f.name}")
            checks.append(_check(verb, {"formulation": f.name}, f.name, system, known))
    if system.ties and formulations is None:
        checks += _reduced(m, system, known)
    if system is not whole:
        checks += _following(whole, usable, known)
    return CrossCheck(
        m.name, known.freedoms, states, tolerance, known.condition, tuple(checks), refused
    )


def _wanted(names: Sequence[str] | str | None) -> list[Formulation]:
    if isinstance(names, str):
        names = (names,)
    refuse_unknown("", names or (), CATALOGUE, "formulations")
    return [f for f in CATALOGUE.values() if names is None or f.name in names]


@dataclass(frozen=True, eq=False)
class _Reference:
    """What all answers are compared with."""

    inputs: dict[str, Array]
    """The states."""
    answers: dict[str, list[Array]]
    """What holds there, by verb."""
    freedoms: int
    condition: float
    sizes: Magnitudes
    """What forces and accelerations are compared beside."""

    def least(self, verb: Verb[..., Any]) -> Any:
        """The size of each state beside which a verb's answers are compared at least."""
        if verb is forward_dynamics:
            return self.sizes.accelerations
        return self.sizes.efforts if verb in (inverse_dynamics, bias_forces) else 0.0


def _known(
    system: System, inputs: dict[str, Array], answers: dict[str, list[Array]], freedoms: int
) -> _Reference:
    """Answers with what they are compared beside."""
    sizes = magnitudes(system, inputs["q"], inputs["v"], inputs["tau"], TIME)
    return _Reference(inputs, answers, freedoms, condition(system, inputs["q"], TIME), sizes)


def _reference(system: System, states: int, seed: int) -> _Reference:
    """The states, and the answers of the everyday formulations there."""
    inputs = random_states(system.tree, states, seed) | {"t": np.full((states, 1), TIME)}
    answers = {"forward_dynamics": [inputs["a"]]}
    for verb in COMPARED:
        if verb.name not in answers:
            answers[verb.name] = _results(_compiled(verb, system), inputs)
    inputs["tau"] = answers["inverse_dynamics"][0]
    return _known(system, inputs, answers, system.tree.nv)


def _closed_reference(m: Mechanism, system: System, states: int, seed: int) -> _Reference:
    """The same with loops closed; forces only where drives move all freedoms."""
    report = mobility(m)
    freedoms = report.actual + report.local
    if not freedoms:
        raise StructureError(f"mechanism {m.name!r} has loops that leave it no motion to compare")
    tau = np.random.default_rng(seed).normal(size=(states, system.tree.nv)) * unit_efforts(system)
    inputs = closed_states(m, states, seed) | {"t": np.full((states, 1), TIME), "tau": tau}
    answers = {"forward_dynamics": _results(_compiled(forward_dynamics, system), inputs)}
    inputs["a"] = answers["forward_dynamics"][0]
    if not report.undriven:
        answers["inverse_dynamics"] = _results(_compiled(inverse_dynamics, system), inputs)
    return _known(system, inputs, answers, freedoms)


def _reduced(m: Mechanism, system: System, known: _Reference) -> list[Check]:
    """The accelerations of named coordinates, where nothing is driven and nothing idle."""
    names = governing_coordinates(m, drawn_coordinates(system.tree))
    if system.drives or mobility(m).local or not names:
        return []
    places = [system.tree.free_v.index(system.tree.velocity_of(name)) for name in names]
    own = {"forward_dynamics": [known.answers["forward_dynamics"][0][:, places]]}
    options, name = {"coordinates": names}, f"reduced ({', '.join(names)})"
    return [_check(forward_dynamics, options, name, system, replace(known, answers=own))]


def _following(system: System, usable: list[Formulation], known: _Reference) -> list[Check]:
    """Accelerations of a tree that follows its drives, by the formulations with rows."""
    own = {"forward_dynamics": _results(_compiled(forward_dynamics, system), known.inputs)}
    driven = replace(known, answers=own)
    return [
        _check(forward_dynamics, {"formulation": f.name}, f"{f.name}, driven", system, driven)
        for f in usable
        if f.closed
    ]


def _check(
    verb: Verb[..., Any], options: dict[str, Any], name: str, system: System, known: _Reference
) -> Check:
    compiled = _compiled(verb, system, options)
    pairs = zip(_results(compiled, known.inputs), known.answers[verb.name], strict=True)
    count = compiled.operations
    return Check(
        verb.name,
        name,
        max(_difference(*pair, known.least(verb)) for pair in pairs),
        count.multiplications,
        count.additions,
        count.divisions,
        count.trigs,
        _nanoseconds(compiled, known.inputs),
    )


def _compiled(
    verb: Verb[..., Any], system: System, options: dict[str, Any] | None = None
) -> Compiled:
    """The program of a verb with some options, such as a formulation; the disk may know it."""
    verb.refuse(system)
    every = {**verb.options, **(options or {})}
    ways = [every] if options else verb.ways(system, every)
    own = "crosscheck", verb.name
    key = program_key(system.m, *own, options or {})
    share = partial(shared_code, verb, system, own, ways)
    return compile_cached(key, lambda: verb.least(system, ways), beside=True, share=share)


def _results(compiled: Compiled, inputs: dict[str, Array]) -> list[Array]:
    found = compiled(*(inputs[name] for name, _ in compiled.signature.inputs))
    return list(found) if isinstance(found, tuple) else [found]


def _difference(found: Array, reference: Array, least: Any) -> float:
    """Worst state: largest difference over the largest component of the reference, or `least`."""
    if not reference.size:
        return 0.0
    axes = tuple(range(1, reference.ndim))
    size = np.abs(reference).max(axis=axes, initial=0.0)
    floor = np.maximum(max(1e-3 * float(size.max()), np.finfo(float).tiny), least)
    return float((np.abs(found - reference).max(axis=axes) / np.maximum(size, floor)).max())


def _nanoseconds(compiled: Compiled, inputs: dict[str, Array]) -> float:
    """Least time of a few runs on a batch, per state."""
    repeats = -(-TIMED_STATES // len(inputs["q"]))
    names = [name for name, _ in compiled.signature.inputs]
    arrays = [np.tile(inputs[name], (repeats, 1)) for name in names]
    times = timeit.repeat(lambda: compiled(*arrays), repeat=3, number=1)
    return min(times) / len(arrays[0]) * 1e9


def _lines(answer: CrossCheck) -> Iterator[str]:
    name = answer.mechanism or "mechanism"
    freedoms = "1 freedom" if answer.nv == 1 else f"{answer.nv} freedoms"
    yield f"{name!r}: {freedoms}, {answer.states} random states"
    yield f"condition of the equations up to {answer.condition:.3g}"
    width = max(len(name) for name in (*CATALOGUE, *(c.formulation for c in answer.checks)))
    verb = ""
    for check in answer.checks:
        if check.verb != verb:
            verb = check.verb
            columns = f"{'difference':>11}{'mul':>9}{'add':>9}{'div':>7}{'sin cos':>9}{'ns':>10}"
            yield ""
            yield f"{verb:<{width + 2}}{columns}"
        yield (
            f"  {check.formulation:<{width}}{check.difference:>11.1e}{check.multiplications:>9}"
            f"{check.additions:>9}{check.divisions:>7}{check.trigonometric:>9}"
            f"{check.nanoseconds:>10.1f}"
        )
    yield ""
    for reason in dict.fromkeys(answer.refused.values()):
        names = ", ".join(name for name, why in answer.refused.items() if why == reason)
        yield f"{names}: not for this mechanism; {reason}"
    word = "agree" if answer.agree else "DO NOT AGREE"
    worst = f"worst difference {answer.worst:.1e}, tolerance {answer.tolerance:.0e}"
    if (solved := answer.allowed("forward_dynamics")) > answer.tolerance:
        worst += f", of accelerations {solved:.0e} at this condition"
    yield f"all answers {word}: {worst}"


def closed_states(m: Mechanism, count: int, seed: int = 0) -> dict[str, Array]:
    """`q` and `v` near the drawing with loops closed: (count, nq) and (count, nv)."""
    loops, rng = loop_system(m, drives=False), np.random.default_rng(seed)
    drawn, _ = closed(loops, np.tile(loops.drawn, (count, 1)))
    q, v = walked(loops, drawn, STRIDE, rng), rng.normal(size=(count, any_system(m).tree.nv))
    return {"q": q, "v": allowed_velocities(m, q, v)}

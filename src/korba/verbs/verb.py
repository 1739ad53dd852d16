"""A verb: one question from arrays to arrays, as a value.

A verb is its formula, a plain NumPy function of a system, arrays and options. Called with a
mechanism and numbers, the verb answers. And because it is a value, it can be compiled, counted,
differentiated and printed like any other:

    @verb(closed=True)
    def pose(system: System, q: Any, body: str) -> Array:
        ...                                                       X_WB as a 4 x 4 matrix

    kb.pose(m, q, "hand")            kb.compile(kb.pose, m, body="hand")
                                     kb.derivative(kb.pose, m, "q", body="hand")

The names of the formula's arguments say what they are: q, v, a and tau are arrays with one element
for each independent coordinate or velocity, or names with values (states.py); t is the time, an
input where something depends on it; a `named` one is a mapping from names to arrays, of which the
names are an option and the numbers an input; all others are options. Every verb has the option
`parameters` besides: sizes of the mechanism that are inputs, or values for them (designs.py).
Programs are kept with the mechanism (store.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType, MethodType
from typing import (
    Any,
    ClassVar,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
    get_type_hints,
    overload,
)

import numpy as np

from ..codegen import Compiled, Program, trace
from ..codegen.routine.ir import AnyProgram
from ..door import refuse_unfit
from ..errors import ArgumentError, KorbaError, NotFiniteError, StructureError, refuse_unknown
from ..expr import Expr
from ..forces.loads import depends_on_time
from ..model.mechanism import Mechanism
from ..model.points import body_and_point
from ..spatial.rotation import Array
from ..system import store
from ..system.sizes import refuse_other_sizes
from ..system.system import System, any_system
from ..wording import given as said
from .dead_centres import of_dead_centre
from .designs import DESIGN, PARAMETERS, design_values, drawn_at, sizes_of
from .one_structure import Question
from .options import CHECKS, Check, Options, joined, names_of, points_by_name
from .states import refuse_zero, state
from .systems import tree_system
from .unfinished import is_partial, of_reached_rows, refuse_unfinished

P = ParamSpec("P")
R = TypeVar("R")

Jacobians = dict[str, Array]
"""For each input the derivatives of all results by it."""
Written = tuple[Jacobians, Sequence[Expr]]
"""Jacobians, and an order to compute them in."""
Slopes = Callable[[System, Options, Program, Sequence[str]], Written | None]
"""A way to derivatives shorter than differentiating the program; None where there is none."""

SIZES = {"q": "nq", "v": "nv", "a": "nv", "tau": "nv"}
TIME = "t"
NO_OPTIONS: Options = MappingProxyType({})
_PARAMETERS = inspect.Parameter(
    PARAMETERS,
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation="Mapping[str, Any] | None",
)


PLACE = ("body", "point")
"""Options that are a point together."""


class Motion(Protocol):
    """What a verb takes in place of its arrays: a trajectory."""

    @property
    def t(self) -> Array: ...  # noqa: D102
    @property
    def q(self) -> Array: ...  # noqa: D102
    @property
    def a(self) -> Array: ...  # noqa: D102


class Asked(NamedTuple):
    """What a question comes to: a program, and what it wants at the door."""

    program: Compiled
    timed: bool
    quaternions: Sequence[Any]
    """Places of quaternions in q."""
    sizes: tuple[str, ...]
    """Names of the sizes that are its input p."""
    own: Array
    """Their values in the mechanism that asks."""
    options: Options = NO_OPTIONS
    named: tuple[str, ...] = ()
    """Names of the program's results."""


class Given(NamedTuple):
    """The arrays that a program was given, the design where sizes are among them, and options."""

    arrays: Sequence[Any]
    design: Mapping[str, Array]
    options: Options = NO_OPTIONS
    t: Any = 0.0
    """The time, whether the program takes it or not."""
    named: tuple[str, ...] = ()
    """Names of the program's results, where the verb packs them by name."""

    def by_name(self, result: Any) -> dict[str, Array]:
        """The arrays of a result by their names."""
        return dict(zip(self.named, [result] if len(self.named) == 1 else result, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Verb(Generic[P, R]):
    """A question from arrays to arrays; the documentation is that of its formula."""

    in_words: ClassVar[str] = "a verb itself, such as kb.pose"

    formula: Callable[Concatenate[System, P], R]
    """formula(system, *arrays, **options): of numbers or symbols."""
    closed: bool = False
    """Whether it takes mechanisms with loops: then arrays list all joints, closing ones too."""
    named: Mapping[str, int] = field(default_factory=dict)
    """Inputs that are mappings from names, and the elements of each value."""
    checks: Mapping[str, Check] = field(default_factory=dict)
    """Checks of options that are this verb's own."""
    pack: Callable[[Any], Any] = lambda result: result
    """From what the formula returns to an array, a tuple of arrays, or arrays by name."""
    unpack: Callable[[Mechanism, Any, Given], Any] = lambda _, result, __: result
    """From an array or a tuple of arrays, and the inputs, to what the verb returns."""
    unpacks: Callable[[Mechanism], bool] = lambda _: True
    """Whether `unpack` does anything for a mechanism."""
    refuse: Callable[[System], None] = lambda _: None
    """An error for systems to which the question has no answer."""
    finished: bool = False
    """Whether a trajectory must have come to its end."""
    ways: Callable[[System, Options], Sequence[Options]] = lambda _, options: [options]
    """Options among which those with the least work are taken."""
    repetition: Callable[..., AnyProgram | None] = lambda *_: None
    """Of a system, options and sizes: the verb repeated over many links, where that pays, or the
    routine that it takes; None for straight-line code."""
    slopes: Slopes = lambda *_: None
    needs_time: Callable[[System], bool] = lambda _: False
    """Whether the time is an input of a system whose loads do not use it."""
    name: str = field(init=False)
    inputs: tuple[str, ...] = field(init=False)
    """Names of the arrays, in order, without named ones and the time."""
    timed: bool = field(init=False)
    options: Mapping[str, Any] = field(init=False)
    """Names of the options and their defaults."""
    needed: tuple[str, ...] = field(init=False)
    """Names of options and named inputs that have no default."""
    words: tuple[str, ...] = field(init=False)
    """Names of options and named inputs in the order in which they are given."""
    signature: inspect.Signature = field(init=False)
    """How it is called: that of the formula, with the mechanism in place of the system."""

    def __post_init__(self) -> None:
        whole = inspect.signature(self.formula)
        first, *rest = whole.parameters.values()
        names = [parameter.name for parameter in rest]
        known = {*SIZES, *self.named, TIME}
        mechanism = first.replace(name="m", annotation="Mechanism")
        own = {
            "name": self.formula.__name__,
            "inputs": tuple(name for name in names if name in SIZES),
            "timed": TIME in names,
            "words": (*(name for name in names if name not in {*SIZES, TIME}), PARAMETERS),
            "options": {p.name: p.default for p in rest if p.name not in known},
            "needed": tuple(p.name for p in rest if p.name not in SIZES and p.default is p.empty),
            "checks": {**CHECKS, **self.checks},
            "signature": whole.replace(parameters=[mechanism, *rest, _PARAMETERS]),
            "__wrapped__": self.formula,
        }
        for key in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
            own[key] = getattr(self.formula, key)
        self.__dict__.update(own, __signature__=own["signature"])

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        """What the arguments are, by the annotations of the formula."""
        return get_type_hints(self.formula)

    @overload
    def __call__(self, m: Mechanism, *args: P.args, **options: P.kwargs) -> R: ...

    @overload
    def __call__(
        self, m: Mechanism, *args: Any, parameters: Mapping[str, Any] | None, **options: Any
    ) -> R: ...

    @overload
    def __call__(self, m: Mechanism, motion: Motion, /, *args: Any, **options: Any) -> R: ...

    @overload
    def __call__(self, motion: Motion, /, *args: Any, **options: Any) -> R: ...

    def __call__(self, m: Any, *args: Any, **options: Any) -> R:
        """The answer for one state, or for arrays of states with batch axes in front.

        A motion stands for its mechanism and its arrays. `parameters` gives sizes of the mechanism
        other values, which broadcast with the arrays.
        """
        count = len(self.inputs)
        if len(args) == count and args and args[0].__class__ is np.ndarray and not options:
            try:
                return m.__dict__[store.PLACE][self](*args)
            except (KeyError, AttributeError, KorbaError):
                pass  # asked for the first time, or refused: the way below tells
        if hasattr(m, "accelerations"):
            m, args = m.mechanism, (m, *args)
        if args and hasattr(args[0], "accelerations"):
            motion = args[0]
            args, options = self._of_motion(m, args, options)
            if is_partial(motion):
                return of_reached_rows(self, m, motion, args, options)
        t = options.pop(TIME, 0.0) if self.timed and options else 0.0
        arrays, words = args[:count], args[count:]
        design = options.get(PARAMETERS) if options else None
        mappings: Sequence[tuple[str, Any]] = ()
        if design is not None:
            options[PARAMETERS] = names_of(PARAMETERS, design)
        if self.named and (words or options):
            words, options, mappings = self._split(words, options)
        try:
            asked = m.__dict__[store.PLACE][self, len(arrays), words, *options.items()]
        except (KeyError, TypeError, AttributeError):
            asked, arrays = self._looked_up(m, arrays, words, options)
        if mappings:
            arrays += tuple(joined(n, given, self.named[n]) for n, given in mappings if given)
        if asked.timed:
            arrays += (np.asarray(t, dtype=float)[..., None],)
        if asked.sizes:
            arrays += (design_values(m, asked.sizes, design) if design else asked.own,)
        try:
            result = asked.program(*arrays)
        except KorbaError as error:  # only here, so that arrays pay nothing
            arrays, result = self._looked_at_again(m, asked, arrays, error)
        if asked.quaternions:
            refuse_zero(arrays[0], asked.quaternions)
        given = Given(arrays, _by_size(asked.sizes, arrays), asked.options, t, asked.named)
        return self.unpack(m, result, given)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bound like a function: so `help`, Sphinx and classes take it for one."""
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return str(self.__dict__["__qualname__"])

    def __repr__(self) -> str:
        return f"<verb {self.name}({', '.join(self.signature.parameters)})>"

    def compiled(self, m: Mechanism, **options: Any) -> Compiled:
        """The program of the verb for a mechanism in machine code; made once and kept."""
        asked = self.checked(m, options)
        question = Question(self, m, asked)
        share = None if asked[PARAMETERS] else question.shared
        return store.compiled(m, self.key(asked), question.program, asked[PARAMETERS], share)

    def runnable(self, m: Mechanism, options: Options) -> AnyProgram:
        """What is compiled: the straight-line program, a repetition where that pays, a routine."""
        return Question(self, m, options).program()

    def program(self, m: Mechanism, **options: Any) -> Program:
        """The straight-line program of the verb for a mechanism, traced now."""
        return self.straight(m, self.checked(m, options))

    def straight(self, m: Mechanism, options: Options) -> Program:
        """The straight-line program with least work; the options are checked ones."""
        nominal = self.system(m)
        self.refuse(nominal)
        return self.least(self.system(m, options), self.ways(nominal, options))

    def least(self, system: System, ways: Sequence[Options], formula: Any = None) -> Program:
        """The program of a system with least work among several ways, of another formula too."""
        formula = formula or (lambda *args, **rest: self.pack(self.formula(*args, **rest)))
        programs = [self._traced(system, way, formula) for way in ways]
        return min(programs, key=lambda program: program.operations.total)

    def system(self, m: Mechanism, options: Options = NO_OPTIONS) -> System:
        """The system of a mechanism that the formula takes, with sizes as symbols or without."""
        names: Any = options.get(PARAMETERS, ())
        return any_system(m, names) if self.closed else tree_system(m, parameters=names)

    def sizes(self, system: System, options: Options) -> dict[str, int]:
        """The inputs of the program and their sizes."""
        sizes = {name: getattr(system.tree, SIZES[name]) for name in self.inputs}
        sizes |= {name: self.named[name] * len(names) for name, names in self._names(options)}
        timed = self.timed and (depends_on_time(system.tree) or self.needs_time(system))
        sizes |= {TIME: 1} if timed else {}
        return sizes | ({DESIGN: len(system.parameters)} if system.parameters else {})

    def checked(self, m: Mechanism, given: Mapping[str, Any]) -> dict[str, Hashable]:
        """All options, by default where they are not given, each checked and as its key."""
        if not isinstance(m, Mechanism):
            raise StructureError(f"{self.name}: expected a mechanism, got {m!r:.60}")
        known = {*self.options, *self.named, PARAMETERS}
        self._refuse_unknown([name for name in given if name not in known])
        for name in self.options.keys() & given.keys():
            refuse_unfit(f"{self.name}: {name}", self.hints[name], given[name])
        for name in self.needed:
            if name not in given:
                way = said("generate", **{name: ...})
                raise StructureError(f"{self.name} needs the option {name!r}; give {way}")
        whole = {**self.options, **given}
        if "point" in whole:
            whole |= zip(PLACE, body_and_point(m, *map(whole.get, PLACE)), strict=True)
        sizes = names_of(PARAMETERS, given.get(PARAMETERS))
        refuse_other_sizes(m, sizes)
        options = {name: self.checks[name](m, whole[name], whole) for name in self.options}
        options |= {name: names_of(name, given.get(name)) for name in self.named}
        return options | {PARAMETERS: sizes}

    def key(self, options: Options) -> tuple[Hashable, ...]:
        """What stands for the verb with options, whatever sizes are inputs."""
        own = [item for item in options.items() if item[0] != PARAMETERS]
        return (self.__module__, self.name, *own)

    def _looked_at_again(
        self, m: Mechanism, asked: Asked, arrays: Any, error: KorbaError
    ) -> tuple[Any, Any]:
        """The arrays and the answer where there are names among them; else the error.

        Of a result that is not finite the verb may know better what it comes from.
        """
        lost = error if isinstance(error, NotFiniteError) else None
        if lost is None:
            if not any(isinstance(each, Mapping | str) for each in arrays[: len(self.inputs)]):
                raise error
            arrays = self._by_name(m, arrays, asked.sizes)
            try:
                return arrays, asked.program(*arrays)
            except NotFiniteError as beyond:
                lost = beyond
        if asked.quaternions:
            refuse_zero(arrays[0], asked.quaternions)
        by_size = _by_size(asked.sizes, arrays)
        given = Given(arrays, by_size, asked.options, named=asked.named)
        try:
            self.unpack(m, lost.results, given)
        except NotFiniteError as known:
            lost = known
        if "q" in self.inputs:
            q = np.asarray(arrays[self.inputs.index("q")], dtype=float)
            lost = of_dead_centre(self.name, m, q, lost)
        raise lost

    def _by_name(
        self, m: Mechanism, arrays: Sequence[Any], sizes: tuple[str, ...]
    ) -> tuple[Any, ...]:
        """The arrays, with those made that are given by names of coordinates."""
        tree, names = self.system(m).tree, (*self.inputs, *[""] * len(arrays))
        drawn = drawn_at(m, sizes, arrays[-1]) if sizes else None
        return tuple(
            state(tree, name, x, drawn=drawn) if isinstance(x, Mapping | str) else x
            for name, x in zip(names, arrays, strict=False)
        )

    def _of_motion(self, m: Mechanism, args: Any, options: Any) -> tuple[Any, Any]:
        """Arguments with the arrays of a trajectory in its place, its times and its designs."""
        motion, *rest = args
        if motion.mechanism is not m and motion.coordinates != m.coordinates:
            _refuse_motion_of_another(self.name, m, motion)
        if self.finished:
            refuse_unfinished(self.name, motion)
        arrays = [getattr(motion, name) for name in self.inputs if name != "tau"]
        if self.timed:
            options = {TIME: motion.t, **options}
        if motion.parameters:
            options = {**options, PARAMETERS: {**motion.parameters, **options.get(PARAMETERS, {})}}
        return (*arrays, *rest), options

    def _split(self, words: Any, options: Any) -> tuple[Any, Any, list[tuple[str, Any]]]:
        """Options with the names of mappings in their places, and the mappings by name."""
        mappings = []
        for name in self.named:
            place = self.words.index(name)
            if name in options:
                mappings.append((name, options[name]))
                options = {**options, name: names_of(name, options[name])}
            elif place < len(words):
                mappings.append((name, words[place]))
                words = (*words[:place], names_of(name, words[place]), *words[place + 1 :])
        return words, options, mappings

    def _looked_up(self, m: Any, arrays: Any, words: Any, options: Any) -> tuple[Asked, Any]:
        """The program of a question not asked in these words before, and the arrays in order."""
        self._refuse_unknown([name for name in options if name not in self.signature.parameters])
        try:
            bound = self.signature.bind(m, *arrays, *words, **options)
        except TypeError as error:
            raise ArgumentError(self._how_to_call(error)) from None
        bound.apply_defaults()
        values = bound.arguments
        given = {n: values[n] for n in (*self.options, *self.named, PARAMETERS)}
        compiled, names = self._for_designs(m, given) or (self.compiled(m, **given), ())
        turns = self.system(m).tree.quaternions if "q" in self.inputs else ()
        timed = TIME in dict(compiled.signature.inputs)
        own, named = sizes_of(m, names), compiled.signature.named
        asked = Asked(compiled, timed, turns, names, own, self.checked(m, given), named)
        if len(arrays) == len(self.inputs):
            with suppress(TypeError):  # words that cannot be a key are looked up again
                kept = store.store_of(m)
                kept[self, len(arrays), words, *options.items()] = asked
                bare = self.unpack is Verb.unpack or not self.unpacks(m)
                if bare and not (words or options or timed or names or turns):
                    kept[self] = compiled
        return asked, tuple(values[name] for name in self.inputs)

    def _for_designs(
        self, m: Mechanism, given: Mapping[str, Any]
    ) -> tuple[Compiled, tuple[str, ...]] | None:
        """A program with sizes as inputs, and their names: made for these, or known already.

        None where sizes are not asked for, and no design of the mechanism has such a program.
        """
        names = names_of(PARAMETERS, given[PARAMETERS])
        if not names and not store.has_family(m):
            return None
        asked = self.checked(m, {**given, PARAMETERS: names or tuple(dict(m.parameters))})
        known = store.of_family(m, self.key(asked), names)
        return known or ((self.compiled(m, **given), names) if names else None)

    def _traced(self, system: System, options: Options, formula: Callable[..., Any]) -> Program:
        """The program that a formula of the same arguments writes with one set of options."""
        sizes = self.sizes(system, options)

        def written(*symbols: Array) -> Any:
            given = dict(zip(sizes, symbols, strict=True))
            more: dict[str, Any] = {name: {} for name in self.named}
            more |= {name: _parted(names, given[name]) for name, names in self._names(options)}
            if TIME in given:
                more[TIME] = given[TIME][0]
            rest = points_by_name(system, {name: options[name] for name in self.options})
            arrays = [given[name] for name in self.inputs]
            return formula(system, *arrays, **rest, **more)

        return trace(written, sizes, system.m.name or "the mechanism")

    def _names(self, options: Any) -> list[tuple[str, tuple[str, ...]]]:
        """The named inputs that are there, with their names."""
        return [(name, options[name]) for name in self.named if options.get(name)]

    def _how_to_call(self, error: TypeError) -> str:
        """What was wrong with a call, and what to give."""
        given = f"; give {', '.join(self.inputs)} of all joints" if self.inputs else ""
        motion = f", or a motion: kb.{self.name}(m, kb.motion(m, times))" if given else ""
        return f"{self.name}: {error}{given}{motion}"

    def _refuse_unknown(self, names: Sequence[str]) -> None:
        refuse_unknown("option", names, self.words, self.name)


def verb(**how: Any) -> Callable[[Callable[Concatenate[System, P], R]], Verb[P, R]]:
    """The verb of the formula below it; the arguments are the fields of `Verb`."""
    return lambda formula: Verb(formula, **how)


def _parted(names: Any, values: Array) -> dict[str, Any]:
    """The values of a named input by their names: numbers, or arrays where there are several."""
    size = len(values) // len(names)
    parts = values.reshape(len(names), size)
    return {name: part[0] if size == 1 else part for name, part in zip(names, parts, strict=True)}


def _refuse_motion_of_another(name: str, m: Mechanism, motion: Any) -> None:
    raise StructureError(
        f"{name}: the motion is that of {motion.mechanism.name!r}, with coordinates "
        f"{', '.join(motion.coordinates[:8])}; mechanism {m.name!r} has "
        f"{', '.join(m.coordinates[:8])}. Give a motion of this mechanism"
    )


def _by_size(names: Sequence[str], arrays: Sequence[Any]) -> Mapping[str, Array]:
    """The sizes among the arrays, the last of which they are, by name."""
    return {name: arrays[-1][..., i] for i, name in enumerate(names)}

"""Programs of verbs by structure: mechanisms that differ in numbers only are asked by one code.

The equations of a verb are written once for a structure, over symbols (system/in_symbols.py). What
they were decided by (system/decisions.py) is kept beside them: another mechanism of the structure
takes them where it decides alike, and has them written anew where it does not. Both lie in the
cache on disk too, so that a new process writes nothing. A formula that cannot be written without
numbers is written for each mechanism by itself, as are programs with named sizes, repetitions and
routines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..codegen import Program, cache_folder, stable_key
from ..codegen.cache import CacheFolder
from ..codegen.callable.shared import Shared, parted, shared
from ..codegen.program import Signature
from ..codegen.routine.ir import AnyProgram
from ..codegen.targets.llvm.machine import own_key
from ..errors import KorbaError
from ..model.mechanism import Mechanism
from ..system.decisions import Decided, decides_alike
from ..system.in_symbols import in_symbols, taken_apart
from ..system.store import CODES
from ..system.system import System

if TYPE_CHECKING:
    from .options import Options
    from .verb import Verb

MOST = 8
"""Ways in which numbers may decide, of which the code is kept for a structure."""


class Written(NamedTuple):
    """The code of a verb for mechanisms that decide alike."""

    decided: Sequence[Decided]
    shared: Shared


@dataclass(eq=False)
class Structure:
    """All codes of a verb for a structure; `refused` says that it is not written over symbols."""

    written: list[Written] = field(default_factory=list)
    refused: bool = False

    def to_bytes(self) -> bytes:
        """Everything as JSON."""
        codes = [(each.decided, each.shared.to_data()) for each in self.written]
        return json.dumps([self.refused, codes]).encode()

    @staticmethod
    def of_bytes(content: bytes) -> Structure:
        """What `to_bytes` wrote."""
        refused, codes = json.loads(content)
        return Structure(
            [Written([_plain(x) for x in own], Shared.of_data(data)) for own, data in codes],
            refused,
        )


class Own(NamedTuple):
    """The code of one mechanism: its signature, and how the program is written again."""

    signature: Signature
    program: Callable[[], Program]


@dataclass(frozen=True, eq=False)
class Question:
    """A verb with checked options, asked of a mechanism: what is compiled."""

    verb: Verb[..., Any]
    m: Mechanism
    options: Options

    def __reduce__(self) -> tuple[Any, ...]:
        return Question, (self.verb, self.m, dict(self.options))

    @cached_property
    def repeated(self) -> AnyProgram | None:
        """A repetition over links or a routine, in place of straight-line code."""
        system = self.verb.system(self.m, self.options)
        sizes = self.verb.sizes(system, self.options)
        return self.verb.repetition(system, self.options, sizes)

    def program(self) -> AnyProgram:
        """The program of this mechanism alone."""
        return self.repeated or self.verb.straight(self.m, self.options)

    def shared(self) -> Own | None:
        """The code that it shares with mechanisms of its structure; None where it has its own."""
        if self.repeated is not None:
            return None
        verb, nominal = self.verb, self.verb.system(self.m)
        verb.refuse(nominal)
        return shared_code(verb, nominal, verb.key(self.options), verb.ways(nominal, self.options))


def shared_code(
    verb: Verb[..., Any], system: System, key: Sequence[Hashable], ways: Sequence[Options]
) -> Own | None:
    """The code of the least program among several ways, for all of a system's structure.

    None where the mechanism has its own. `key` stands for the verb.
    """
    ways_key = tuple(tuple(way.items()) for way in ways)
    found, rest = taken_apart(system), stable_key(key, ways_key)
    if found is None or rest is None:
        return None
    name, folder = own_key(f"structure {found.key}\n{rest}"), cache_folder()
    known: Structure = CODES.of(name, lambda: _read(folder, name))
    if known.refused:
        return None

    def written() -> tuple[Written, Program] | None:
        own = in_symbols(system, found)
        try:
            program = verb.least(own, ways)
        except (KorbaError, TypeError):  # numbers are asked for; who has them asks again
            return None
        parts = parted(program)
        if not parts or own.common is None:
            return None
        return Written(own.common.listed, shared(*parts)), parts[0]

    code = next((each for each in known.written if decides_alike(system, each.decided)), None)
    made = written() if code is None and len(known.written) < MOST else None
    if code is None:
        known.refused = known.refused or made is None
        known.written += [made[0]] if made else []
        folder.put(name, known.to_bytes())
    code = made[0] if made else code
    signature = (
        None
        if code is None
        else code.shared.of(found.values.tolist(), system.m.name or "the mechanism")
    )

    def program() -> Program:
        again = made or written()
        if again is None:
            raise AssertionError(f"{system.m.name}: what was written cannot be written again")
        return again[1]

    return None if signature is None else Own(signature, program)


def _read(folder: CacheFolder, name: str) -> Structure:
    content = folder.get(name)
    return Structure() if content is None else Structure.of_bytes(content)


def _plain(x: Any) -> Any:
    """Lists of JSON as the tuples that they were."""
    return tuple(map(_plain, x)) if isinstance(x, list) else x

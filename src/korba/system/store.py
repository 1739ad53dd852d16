"""What belongs to a mechanism and is made at its first use: programs, systems, prepared runs.

The one place that knows where such things are kept, under which keys, and for how long. They lie in
the mechanism's own `__dict__`, beside its fields, which is all that equality, hashes, `repr` and
files look at: so they cost one look into a dictionary, may hold the mechanism themselves, and are
gone when the mechanism is. A mechanism made by `replace` starts with nothing, and so does one that
was pickled or copied deeply.

Programs are known on disk too, by the content of the mechanism in place of the mechanism.

Designs of one mechanism, made by `redimension`, are a family: they differ in their parameters and
in nothing else. A program whose input p holds all that differs serves any of them, so a family
shares such programs, and a new design need not be compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from ..codegen import Compiled, compile_cached, stable_key
from ..codegen.routine.ir import AnyProgram
from ..model.mechanism import FAMILY, Mechanism, family_of
from ..model.parameters import names_in

T = TypeVar("T")

PLACE = "_store"
"""The entry of a mechanism's `__dict__`."""


class Store(dict[Hashable, Any]):
    """The values of one mechanism by their keys; nothing of it is copied or pickled."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Store:
        return Store()

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, ()


def store_of(m: Mechanism) -> Store:
    """Everything kept of a mechanism so far."""
    return m.__dict__.setdefault(PLACE, Store())


def kept(m: Mechanism, key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives for a mechanism, made at its first use; threads that come together agree.

    `key` says what it is and names everything that `make` depends on besides the mechanism.
    """
    values = store_of(m)
    return values[key] if key in values else values.setdefault(key, make())


class Recent(dict[str, Any]):
    """What mechanisms of one structure share: the last ones that were asked for."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def of(self, key: str, make: Callable[[], T]) -> T:
        """What is kept under a key, made for the first who asks."""
        known = self.pop(key, self)
        known = make() if known is self else known
        self[key] = known  # the last ones stand at the end
        for oldest in [*self][: max(0, len(self) - self.most)]:
            self.pop(oldest, None)
        return known


EQUATIONS, CODES = Recent(256), Recent(4096)
"""Of structures the equations of their positions, and the codes of verbs."""


def program_key(m: Mechanism, *rest: object) -> str | None:
    """What stands for a program in the cache on disk: the content of all that it depends on."""
    content = kept(m, "content", lambda: stable_key(m, m.formulas))
    own = stable_key(*rest)
    return None if content is None or own is None else f"{content}\n{own}"


def compiled(
    m: Mechanism,
    key: Hashable,
    make: Callable[[], AnyProgram],
    sizes: Any = (),
    share: Callable[[], Any] | None = None,
) -> Compiled:
    """The program of `key` for a mechanism in machine code; not traced where the disk knows it.

    `sizes` are the names of the parameters that are its input p: then the family shares it. Else
    `share` gives the code of its structure, if it has one.
    """
    own = ("program", key, sizes)
    known = of_family(m, key, sizes) if sizes else None
    if known is not None and known[1] == sizes:
        return known[0]

    def made() -> Compiled:
        own_share = None if sizes else share
        stands = program_key(m, key, sizes)
        return compile_cached(stands, make, finite=True, beside=not sizes, share=own_share)

    program = kept(m, own, made)
    if sizes:
        designs = family_of(m).setdefault(key, {})
        designs.setdefault((sizes, m.parameters), program)
    return program


def has_family(m: Any) -> bool:
    """Whether a design of the mechanism has been compiled with sizes as inputs."""
    return isinstance(m, Mechanism) and bool(m.__dict__.get(FAMILY))


def of_family(
    m: Mechanism, key: Hashable, names: Sequence[str]
) -> tuple[Compiled, tuple[str, ...]] | None:
    """A program of `key` that serves this design with inputs for `names`, and its sizes.

    Everything in which the design differs from the one that was compiled must be an input. An
    input that is neither that nor asked for takes its value from the design, so it may not be a
    formula of others. None where nothing is asked for and nothing differs: folded numbers are
    faster.
    """
    own = dict(m.parameters)
    for (sizes, raw), program in family_of(m).get(key, {}).items():
        other = dict(raw)
        wanted = {*names, *(name for name in own if own[name] != other[name])}
        more = [name for name in sizes if name not in names]
        if not wanted or not wanted <= {*sizes}:
            continue
        if not (names and any(names_in(own[name]) for name in more)):
            return program, sizes
    return None

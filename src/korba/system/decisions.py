"""What formulas decide by looking at numbers, while they are written for all of one structure.

Mechanisms that differ in numbers only share the equations of a verb: these are written once, with
symbols for numbers (in_symbols.py). Where a formula has to look at numbers, such as for a rank, it
asks a *decision*, a function of a system and plain values with a plain answer:

    @decision
    def freedom_counts(s: System) -> tuple[int, int, int]:

The mechanism that comes first answers, and what was asked and answered is written down: another one
shares the equations if it answers the same. Whatever else is asked of numbers is an error, and then
the equations are not shared.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from ..errors import KorbaError

if TYPE_CHECKING:
    from ..spatial.rotation import Array
    from .system import System
    from .tree import Link

P = ParamSpec("P")
R = TypeVar("R", bound=Hashable)

Decided = tuple[str, tuple[Any, ...], Any]
"""The name of a decision, the values it was asked with, and the answer."""


class NumbersDecideError(KorbaError):
    """What is asked depends on numbers that are inputs."""


@dataclass(frozen=True, eq=False)
class Common:
    """What a system in symbols has of the structure: numbers of its own kind, and decisions."""

    nominal: System
    """The system of the mechanism that came first, which answers."""
    links: tuple[Link, ...]
    moments: tuple[tuple[Any, Array, Array], ...]
    """The links, and their mass, first and second moments regrouped."""
    scale: Any
    """The typical length."""
    heaviest: Any
    """The mass of the heaviest body."""
    decided: dict[tuple[str, tuple[Any, ...]], Any] = field(default_factory=dict)
    """What was asked, and the answers."""

    @property
    def listed(self) -> list[Decided]:
        """All decisions as plain data."""
        return [(name, given, answer) for (name, given), answer in self.decided.items()]


def decision(
    f: Callable[Concatenate[System, P], R],
) -> Callable[Concatenate[System, P], R]:
    """A function of a system in numbers that systems in symbols may ask too."""
    name = f"{f.__module__}.{f.__qualname__}"

    @wraps(f)
    def decided(system: Any, *given: Any) -> Any:
        common = system.common
        if common is None:
            return f(system, *given)  # type: ignore[call-arg]
        if (name, given) not in common.decided:
            common.decided[name, given] = f(common.nominal, *given)  # type: ignore[call-arg]
        return common.decided[name, given]

    _KNOWN[name] = f
    return cast("Callable[Concatenate[System, P], R]", decided)


_KNOWN: dict[str, Callable[..., Any]] = {}


def decides_alike(system: System, decided: Sequence[Decided]) -> bool:
    """Whether a system answers all that was asked while equations were written as the first did.

    A decision of a module that nobody has loaded yet is one that has not been answered.
    """
    return all(
        name in _KNOWN and _KNOWN[name](system, *given) == own for name, given, own in decided
    )

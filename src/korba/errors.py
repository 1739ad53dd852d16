"""Every exception that Korba raises on purpose.

An error names the element, says what was found and what was expected, and gives
the way out. Where several things are wrong, one error carries all of them.
"""

from __future__ import annotations

import difflib
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MOST_TOLD = 100
"""Faults that the text of an error lists; `faults` holds all."""
CLOSELY = 12
"""Names that are compared with a wrong one letter by letter, from either end."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: where it is (`("joint", "A", "axis")`), what, and on which line."""

    where: tuple[str, ...]
    message: str
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fault as plain data, ready for JSON."""
        return {"where": list(self.where), "message": self.message, "line": self.line}

    def __str__(self) -> str:
        """`line 12: joint 'A', axis: has length 0; give a direction such as [0, 0, 1]`."""
        element = " ".join([*self.where[:1], *(repr(name) for name in self.where[1:2])])
        place = ", ".join([element, *self.where[2:]]) if self.where else ""
        return "".join(
            [
                f"line {self.line}: " if self.line is not None else "",
                f"{place}: " if place else "",
                self.message,
            ]
        )


def nearest(name: object, known: Iterable[object], cutoff: float = 0.6) -> str | None:
    """The known name that is most like a wrong one, or None where none is.

    Of many names its neighbours in order of first and of last letters are looked at closely: a
    file with thousands of wrong names is answered in seconds.
    """
    wrong, names = str(name)[:100], tuple(map(str, known))
    if len(names) > CLOSELY:
        forwards, backwards = _in_order(names)
        ends = [*_around(forwards, wrong), *(x[::-1] for x in _around(backwards, wrong[::-1]))]
        names = tuple(dict.fromkeys(ends))
    return next(iter(difflib.get_close_matches(wrong, names, 1, cutoff)), None)


@lru_cache(maxsize=8)
def _in_order(names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Names in order, and in order when read backwards, so read."""
    short = [name[:100] for name in names]
    return sorted(short), sorted(name[::-1] for name in short)


def _around(names: list[str], wrong: str) -> list[str]:
    """The neighbours of a name in order."""
    place = bisect(names, wrong)
    return names[max(0, place - CLOSELY // 2) : place + CLOSELY // 2]


def way_out(name: object, known: Iterable[object], cutoff: float = 0.6) -> str:
    """The way out of a wrong name: `did you mean 'rod'?`, or else the names that there are."""
    names = [str(one) for one in known]
    listed = ", ".join([*names[:24], *["..."] * (len(names) > 24)])
    near = nearest(name, names, cutoff)
    return f"did you mean {near!r}?" if near else f"there are {listed or 'none'}"


def unknown(
    kind: str, name: object, known: Iterable[object], end: str = "", cutoff: float = 0.6
) -> str:
    """What is wrong with a name: `there is no joint 'rodd'; did you mean 'rod'?`."""
    subject = f"{kind} {name!r:.60}" if kind else f"{name!r:.60}"
    return f"there is no {subject}{end}; {way_out(name, known, cutoff)}"


def refuse_unknown(
    kind: str, names: Any, known: Iterable[object], what: str = "", end: str = ""
) -> None:
    """An error in the sentence of `unknown`, unless all names (or a single one) are known.

    `what` is asked, or the verb or argument that was given them; `end` is said after the name.
    """
    there = list(known)
    for name in [names] if isinstance(names, str) or not isinstance(names, Iterable) else names:
        if name not in there:
            before = f"{what}: " if what else ""
            raise StructureError(before + unknown(kind, name, there, end))


def _rebuilt(kind: Any, args: tuple[Any, ...], own: dict[str, Any]) -> Any:
    """The error of `KorbaError.__reduce__`."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(own)
    return error


class KorbaError(Exception):
    """Base of all errors of Korba; `faults` holds every single fault found."""

    def __init__(self, message: str, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors reach other processes whatever else they carry."""
        return _rebuilt, (type(self), self.args, self.__dict__)

    @classmethod
    def of_faults(cls, subject: str, faults: Iterable[Fault]) -> KorbaError:
        """One error that lists all `faults` of `subject`, a line each."""
        found = tuple(faults)
        count = f"{len(found)} faults" if len(found) > 1 else "1 fault"
        more = [f"... and {len(found) - MOST_TOLD} more"] * (len(found) > MOST_TOLD)
        lines = [f"{subject} has {count}:", *map(str, found[:MOST_TOLD]), *more]
        return cls("\n  ".join(lines), found)


class ExpressionError(KorbaError):
    """A text is not an expression, or its units do not fit."""


class ModelError(KorbaError):
    """The description of a mechanism does not make sense."""


class FileError(KorbaError):
    """A file cannot be read or written, or says something wrong."""


class StructureError(KorbaError):
    """A question about the structure of a mechanism cannot be answered."""


class ArgumentError(StructureError, TypeError):
    """A call that lacks an argument, or has one too many."""


class SimulationError(KorbaError):
    """A motion cannot be computed to its end; `trajectory` holds it as far as it came."""

    def __init__(self, message: str, trajectory: Any = None) -> None:
        self.trajectory = trajectory
        super().__init__(message)


class NotFiniteError(KorbaError):
    """Results that are infinite or no numbers although the inputs are finite; it holds them."""

    def __init__(self, message: str, results: Any = None) -> None:
        super().__init__(message)
        self.results = results


class SingularError(StructureError, NotFiniteError):
    """States at which loops lose rank; `results` has those of the others, and nan there."""


class AssemblyError(KorbaError):
    """A mechanism cannot be assembled: some loop stays open.

    `residuals` has the opening of every loop, in m and rad, by the joint that closes it; of many
    configurations `positions` has those that close.
    """

    def __init__(
        self, message: str, residuals: dict[str, float] | None = None, *, positions: Any = None
    ) -> None:
        self.residuals = dict(residuals or {})
        self.positions = positions
        super().__init__(message)


class DeadPointError(KorbaError):
    """The drives cannot move a mechanism further; `motion` holds what came before."""

    def __init__(self, message: str, *, t: float, values: dict[str, float], motion: Any) -> None:
        self.t = t
        self.values = dict(values)
        self.motion = motion
        super().__init__(message)


class ReachError(KorbaError):
    """A body cannot reach a target; `q` is where it comes nearest.

    `distance` and `angle` say what is missing there, in m and rad.
    """

    def __init__(self, message: str, *, distance: float, angle: float, q: Any) -> None:
        self.distance = distance
        self.angle = angle
        self.q = q
        super().__init__(message)

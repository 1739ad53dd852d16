"""Parameters: named sizes, in any order, that may use each other; values written in terms of them.

[parameters]
l2 = "2*l1"
l1 = "60 mm"
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import ExpressionError, Fault
from ..expr import Quantity, expression, parse, variable, variables
from ..expr.text import name_text
from .fields import shown

Names = Mapping[str, Quantity]
NO_NAMES: Names = MappingProxyType({})


@dataclass
class Parameters:
    """Raw values, their quantities, and what is wrong with them.

    `names` is given to the specs. A parameter that has no value is in `bad` and in `names` under
    a variable, so that whoever uses it cannot get a number either.
    """

    raw: dict[str, Any]
    names: dict[str, Quantity] = field(default_factory=dict)
    bad: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)


def resolved(raw: Mapping[str, Any], given: Names = NO_NAMES) -> Parameters:
    """The quantities of all parameters, each after those that it uses; `given` ones are known."""
    found = Parameters(dict(raw))
    for name in raw:
        if message := name_fault(name):
            _mark(found, name, message)
    uses = {name: names_in(value) & raw.keys() for name, value in raw.items()}
    for name in _in_order(uses):
        if name not in found.bad and not _spoiled(found, name, uses[name]):
            _resolve(found, name, given)
    left = raw.keys() - found.names.keys() - found.bad
    for circle in _circles({name: uses[name] & left for name in raw if name in left}):
        trail = " -> ".join([*circle, circle[0]])
        _mark(found, circle[0], f"goes in a circle: {trail}; give one of them a value")
    found.bad |= left
    found.names |= {
        name: Quantity(variable(name), None) for name in found.bad if not name_fault(name)
    }
    return found


def name_fault(name: str) -> str | None:
    """Why `name` cannot name a parameter, or None."""
    if name == "t":
        return "'t' is the time; choose another name"
    if not name.isidentifier():
        return f"{shown(name)} is not a name; use letters, digits and _, such as l1"
    if name_text(name) != name:
        return f"{shown(name)} means something else in expressions; choose another name"
    return None


def override_faults(parameters: Mapping[str, Any], overrides: Mapping[str, Any]) -> Iterator[Fault]:
    """Overrides of parameters that are not there."""
    for name in overrides:
        if name not in parameters:
            near = difflib.get_close_matches(name, [*parameters], n=1, cutoff=0.5)
            known = ", ".join(parameters) or "none"
            hint = f"did you mean {near[0]!r}?" if near else f"there are {known}"
            yield Fault(("parameter", name), f"there is no parameter {name!r}; {hint}")


class RawTable(tuple[tuple[str, Any], ...]):
    """A table as a tuple of pairs, which is not mistaken for a list."""

    __slots__ = ()


def frozen(raw: Any) -> Any:
    """A raw value with tuples for lists and for tables, as `Mechanism.formulas` keeps it."""
    if isinstance(raw, Mapping):
        return RawTable((str(key), frozen(value)) for key, value in raw.items())
    return tuple(map(frozen, raw)) if isinstance(raw, list | tuple) else raw


def thawed(value: Any) -> Any:
    """The raw value again."""
    if isinstance(value, RawTable):
        return {key: thawed(item) for key, item in value}
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


def plain(value: Any) -> Any:
    """A parameter given in Python, as a file has it: NumPy's numbers become Python's."""
    return value.item() if isinstance(value, np.generic) else value


def names_in(raw: Any) -> set[str]:
    """Names that the texts in a raw value use; a text that cannot be read uses none."""
    if isinstance(raw, Mapping):
        raw = list(raw.values())
    if isinstance(raw, list | tuple):
        return set().union(*map(names_in, raw))
    if not isinstance(raw, str):
        return set()
    try:
        return set(variables(parse(raw).value))
    except ExpressionError:
        return set()


def _mark(found: Parameters, name: str, message: str) -> None:
    found.bad.add(name)
    found.faults.append(Fault(("parameter", name), message))


def _spoiled(found: Parameters, name: str, used: set[str]) -> bool:
    """Whether a parameter uses a bad one; then it is bad as well, without a fault of its own."""
    if used & found.bad:
        found.bad.add(name)
    return name in found.bad


def _resolve(found: Parameters, name: str, given: Names) -> None:
    """One parameter whose used ones are known."""
    raw = found.raw[name]
    try:
        if name in given:
            quantity = given[name]
        elif isinstance(raw, str):
            quantity = parse(raw, found.names, allow=found.raw.keys())
        else:
            quantity = Quantity(expression(raw, "any"), None)
    except ExpressionError as error:
        _mark(found, name, str(error))
        return
    found.names[name] = quantity


def _in_order(uses: Mapping[str, set[str]]) -> Iterator[str]:
    """Names after all that they use; those in circles, or behind one, are left out."""
    waiting = {name: len(used) for name, used in uses.items()}
    users: dict[str, list[str]] = {}
    for name, used in uses.items():
        for other in used:
            users.setdefault(other, []).append(name)
    ready = [name for name, count in waiting.items() if count == 0]
    while ready:
        name = ready.pop()
        yield name
        for user in users.get(name, []):
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)


def _circles(uses: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """One circle for each group of names that use each other."""
    seen: set[str] = set()
    for start in uses:
        path: list[str] = []
        name = start
        while name in uses and name not in seen:
            seen.add(name)
            path.append(name)
            name = min(uses[name], default="")
        if name in path:
            yield path[path.index(name) :]

"""Parameters: named sizes, in any order, that may use each other; values written in terms of them.

[parameters]
l2 = "2*l1"
l1 = "60 mm"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ..door import shown
from ..errors import ExpressionError, Fault
from ..expr import Quantity, expression, parse, variable, variables
from ..expr.text import name_text


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

    def mark(self, name: str, message: str) -> None:
        """Say what is wrong with a parameter."""
        self.bad.add(name)
        self.faults.append(Fault(("parameter", name), message))


def resolved(raw: Mapping[str, Any], given: Mapping[str, Quantity] | None = None) -> Parameters:
    """The quantities of all parameters, each after those that it uses; `given` ones are known.

    One that uses a bad one is bad as well, without a fault of its own.
    """
    result = Parameters(dict(raw))
    for name in raw:
        if message := name_fault(name):
            result.mark(name, message)
    uses = {name: names_in(value) & raw.keys() for name, value in raw.items()}
    for name in in_order(uses):
        if uses[name] & result.bad:
            result.bad.add(name)
        elif name not in result.bad:
            _resolve(result, name, given or {})
    for circle in circles(uses):
        trail = " -> ".join([*circle, circle[0]])
        result.mark(circle[0], f"goes in a circle: {trail}; give one of them a value")
    result.bad |= raw.keys() - result.names.keys()
    result.names |= {
        name: Quantity(variable(name), None) for name in result.bad if not name_fault(name)
    }
    return result


def name_fault(name: str) -> str | None:
    """Why `name` cannot name a parameter, or None."""
    if name == "t":
        return "'t' is the time; choose another name"
    if not name.isidentifier():
        return f"{shown(name)} is not a name; use letters, digits and _, such as l1"
    if name_text(name) != name:
        return f"{shown(name)} means something else in expressions; choose another name"
    return None


def texts_in(raw: Any) -> Iterator[str]:
    """The texts in a raw value: a text, or a list or table of raw values."""
    if isinstance(raw, str):
        yield raw
    elif isinstance(raw, Mapping | list | tuple):
        for item in raw.values() if isinstance(raw, Mapping) else raw:
            yield from texts_in(item)


def names_in(raw: Any) -> set[str]:
    """Names that the texts in a raw value use; a text that cannot be read uses none."""
    names: set[str] = set()
    for text in texts_in(raw):
        names |= _names_of(text)
    return names


@lru_cache(maxsize=4096)
def _names_of(text: str) -> frozenset[str]:
    with suppress(ExpressionError):
        return frozenset(variables(parse(text).value))
    return frozenset()


def _resolve(result: Parameters, name: str, given: Mapping[str, Quantity]) -> None:
    """One parameter whose used ones are known."""
    raw = result.raw[name]
    try:
        if name in given:
            result.names[name] = given[name]
        elif isinstance(raw, str):
            result.names[name] = parse(raw, result.names, allow=result.raw.keys())
        else:
            result.names[name] = Quantity(expression(raw, "any"), None)
    except ExpressionError as error:
        result.mark(name, str(error))


def in_order(uses: Mapping[str, Set[str]]) -> Iterator[str]:
    """Names after all that they use; those in circles, or behind one, are left out."""
    sorter = TopologicalSorter(uses)
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        yield from ready
        sorter.done(*ready)


def circles(uses: Mapping[str, Set[str]]) -> Iterator[list[str]]:
    """One circle, each name followed by one that it uses, for each group of them."""
    blocked, seen = uses.keys() - {*in_order(uses)}, set[str]()
    for start in (name for name in uses if name in blocked):
        path, name = list[str](), start
        while name not in seen:
            seen.add(name)
            path.append(name)
            name = min(uses[name] & blocked)
        if name in path:
            yield path[path.index(name) :]

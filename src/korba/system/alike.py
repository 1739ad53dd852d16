"""Links that are alike: the same kind of joint, placed alike, so that one step serves them all.

A link is taken apart into what it is (types, shapes, whole numbers, the constants of its joint)
and the numbers in it (constant pose, moments, damping). Links of one class differ in these numbers
only. A number that is the same in all of them is a constant of the class; one that is the same as
another, or its negative, in all of them, is that one; the others are parameters, a row of them for
each link. Zeros, ones and minus ones tell classes apart while these stay few, since a step is
shorter by every one that is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..expr import constant, variable
from ..spatial.rotation import Array
from .numbers import apart, pattern, together
from .tree import Link

PARAMETERS = "parameters"
FEWEST, SHARE = 4, 16
"""A pattern has a class of its own where so many links show it, and one of so many of all."""


@dataclass(frozen=True, eq=False)
class Alike:
    """Links of one class."""

    links: tuple[int, ...]
    template: Link
    """A link whose numbers are symbols where the links differ."""
    parameters: Array
    """The numbers behind the symbols, a row for each link."""
    mark: Any
    """What the caller tells links apart by."""


def classes(links: Sequence[Link], mark: Callable[[int], Hashable]) -> list[Alike]:
    """The links in classes; `mark` gives what else must be the same."""
    parts = [apart(_mechanical(link)) for link in links]
    kinds = [(mark(i), what) for i, (what, _) in enumerate(parts)]
    patterns = [(kind, pattern(numbers)) for kind, (_, numbers) in zip(kinds, parts, strict=True)]
    often, enough = Counter(patterns), max(FEWEST, len(links) // SHARE)
    found: dict[Hashable, list[int]] = {}
    for i, (kind, shown) in enumerate(patterns):
        known = shown if often[patterns[i]] >= enough else None
        found.setdefault((kind, known), []).append(i)
    return [
        _class(links, members, np.array([parts[i][1] for i in members]), kinds[members[0]][0])
        for members in found.values()
    ]


def _class(links: Sequence[Link], members: list[int], numbers: Array, mark: Hashable) -> Alike:
    symbols, columns = numbered(numbers)
    link = links[members[0]]
    template = replace(link, **together(_mechanical(link), iter(symbols)))
    return Alike(tuple(members), template, numbers[:, columns], mark)


def numbered(numbers: Array) -> tuple[list[Any], list[int]]:
    """A constant or symbol for every column, and the columns that the symbols stand for."""
    found: list[Any] = []
    columns: list[int] = []
    known: dict[bytes, Any] = {}
    for k, column in enumerate((numbers + 0.0).T):
        if np.all(column == column[0]):
            found.append(constant(column[0]))
            continue
        if column.tobytes() not in known:
            symbol = variable(f"{PARAMETERS}[{len(columns)}]")
            columns.append(k)
            known[(0.0 - column).tobytes()] = -symbol
            known[column.tobytes()] = symbol
        found.append(known[column.tobytes()])
    return found, columns


def _mechanical(link: Link) -> dict[str, Any]:
    """What steps may ask a link for."""
    wanted = ("joint", "X_PF", "mass", "h", "K", "damping")
    return {name: getattr(link, name) for name in wanted}

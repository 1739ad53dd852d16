"""Recursions over a tree, said for one link.

An outward step finds values of a link from its own and those of its parent. An inward step finds
values of a link from its own and from what its children have handed in, and hands a share to its
parent; the shares of several children add up:

    outward:  own, parent -> new own            inward:  own -> new own, share of the parent

`swept` takes steps over all links of a tree one after the other, for numbers or symbols: that is
straight-line code. The same steps, traced once for links that are alike, are repeated over the
links (codegen/repetition.py); so a step must ask for nothing but its arguments, and values are
arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from ..system.tree import Link, Tree

Values = Mapping[str, Any]
"""Arrays by name, of one link."""
InwardStep = Callable[[Link, Values], tuple[Values, Values]]


@dataclass(frozen=True, eq=False)
class Outward:
    """A step from the base to the ends."""

    step: Callable[[Link, Values, Values], Values]
    base: Values
    """What stands for the parent's values where a link hangs on the base; no other is asked for."""

    def over(self, links: Sequence[Link], own: list[dict[str, Any]]) -> None:
        """Add the new values of every link to `own`."""
        for i, link in enumerate(links):
            parent = self.base if link.parent < 0 else own[link.parent]
            own[i].update(self.step(link, own[i], parent))


@dataclass(frozen=True, eq=False)
class Inward:
    """A step from the ends to the base."""

    step: InwardStep
    gathered: Mapping[str, int]
    """Names of the shares, which are vectors, and their lengths."""

    def over(self, links: Sequence[Link], own: list[dict[str, Any]]) -> None:
        """Add the new values of every link to `own`."""
        for values in own:
            values.update({name: np.zeros(size) for name, size in self.gathered.items()})
        for i in reversed(range(len(links))):
            found, share = self.step(links[i], own[i])
            own[i].update(found)
            if links[i].parent >= 0:
                above = own[links[i].parent]
                above.update({name: above[name] + share[name] for name in self.gathered})


Sweep = Outward | Inward


def swept(tree: Tree, sweeps: Sequence[Sweep], given: Sequence[Values]) -> list[dict[str, Any]]:
    """The values of every link after all sweeps, from those it is given."""
    own = [dict(values) for values in given]
    for sweep in sweeps:
        sweep.over(tree.links, own)
    return own


def together(*steps: InwardStep) -> InwardStep:
    """Inward steps taken on a link one after the other, in one sweep."""

    def step(link: Link, own: Values) -> tuple[Values, Values]:
        found: dict[str, Any] = {}
        shares: dict[str, Any] = {}
        for one in steps:
            new, share = one(link, {**own, **found})
            found.update(new)
            shares.update(share)
        return found, shares

    return step


def in_order(tree: Tree, own: Sequence[Values], name: str) -> Array:
    """A value of all links, as one array over the velocities of the tree."""
    found = np.zeros(len(tree.velocities), dtype=object)
    for link, values in zip(tree.links, own, strict=True):
        found[link.v] = values[name]
    return found

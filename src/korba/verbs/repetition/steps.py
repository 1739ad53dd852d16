"""Steps of sweeps over a tree, each traced once for every class of links.

A step is called with symbols for the numbers of its class (classes.py), for what the link is given,
for the values of its parent and for what its children have handed in. An element that is the same
constant for all links, such as the motion out of the plane in a planar mechanism, is found to be so
by taking it for constant until a step says otherwise, and is never stored.

What a step finds is kept in blocks of the scratch memory, for each sweep: `shared` for what
children read, `gathered` for what they hand in, `own` for what the link may need again in a later
sweep. rows.py makes the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...codegen import array_of, symbols
from ...codegen.repetition import Draft, Spot, Write
from ...expr import Expr, variable
from ...expr.node import as_expr, recorded
from ...kinematics.sweep import Inward, Outward, Sweep
from ...spatial.rotation import Array
from ...system.alike import Alike, classes
from ...system.tree import Link

PARENT, RESULT = "parent ", "result"
"""What the name of a block of the parent starts with, and the name of what is handed out."""


class _Mark(NamedTuple):
    """What tells links apart besides what they are."""

    on_base: bool
    leaf: bool
    first: bool
    """Whether it is the first to hand its share to its parent."""
    spots: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Section:
    """Sweeps over links: where they find what they are given, and where what they find goes.

    At a spot without an array a value that is given is zero, and one that is found goes nowhere.
    """

    links: Sequence[Link]
    sweeps: Sequence[Sweep]
    given: Mapping[str, Sequence[Spot]]
    """By the name of a value, its place for every link."""
    out: str
    """The name of the value that is found."""
    result: Sequence[Spot]


class Tracer:
    """The drafts of all classes, sweep by sweep; `own` holds what a class knows so far."""

    def __init__(self, section: Section) -> None:
        self.section, links = section, section.links
        self.children: list[list[int]] = [[] for _ in links]
        for i, link in enumerate(links):
            if link.parent >= 0:
                self.children[link.parent].append(i)
        self.classes = classes(links, self._mark)
        self.own = [self._start(alike) for alike in self.classes]
        self.drafts = [[Draft() for _ in section.sweeps] for _ in self.classes]
        self.sizes: list[dict[str, int]] = [{} for _ in self.classes]
        for s, sweep in enumerate(section.sweeps):
            if isinstance(sweep, Outward):
                self._outward(s, sweep)
            else:
                self._inward(s, sweep)

    def _mark(self, i: int) -> _Mark:
        parent = self.section.links[i].parent
        spots = [*(spots[i] for spots in self.section.given.values()), self.section.result[i]]
        first = parent >= 0 and self.children[parent][-1] == i
        kinds = tuple((spot.array, spot.size) for spot in spots)
        return _Mark(parent < 0, not self.children[i], first, kinds)

    def _start(self, alike: Alike) -> dict[str, Any]:
        """What the links of a class are given."""
        return {
            name: symbols(name, size) if array else np.zeros(size)
            for name, (array, size) in zip(self.section.given, alike.mark.spots, strict=False)
        }

    def _outward(self, s: int, sweep: Outward) -> None:
        shared = _Block(f"shared{s}", {n: np.asarray(x) for n, x in sweep.base.items()})

        def step(c: int) -> tuple[Any, Any]:
            alike = self.classes[c]
            parent = sweep.base if alike.mark.on_base else shared.symbols(PARENT)
            values = sweep.step(alike.template, self.own[c], parent)
            return values, values

        for c, (values, _, order) in _settled(shared, range(len(self.classes)), step).items():
            rest = {n: x for n, x in values.items() if n not in sweep.base}
            self._record(c, s, Draft(shared.writes(values), order), rest)
            self.own[c].update(shared.symbols())
            self.sizes[c][shared.name] = shared.size

    def _inward(self, s: int, sweep: Inward) -> None:
        nothing = {name: np.zeros(size) for name, size in sweep.gathered.items()}
        gathered = _Block(f"gathered{s}", nothing)

        def step(c: int) -> tuple[Any, Any]:
            alike = self.classes[c]
            handed_in = nothing if alike.mark.leaf else gathered.symbols()
            values, share = sweep.step(alike.template, {**self.own[c], **handed_in})
            if not alike.mark.first:
                share = {n: x + share[n] for n, x in gathered.symbols(PARENT).items()}
            return values, None if alike.mark.on_base else share

        for c, (values, share, order) in _settled(gathered, self._ends_first(), step).items():
            writes = [] if share is None else gathered.writes(share, PARENT)
            self._record(c, s, Draft(writes, order), values)
            self.sizes[c][gathered.name] = gathered.size

    def _ends_first(self) -> list[int]:
        """Classes so that, of some link of each, the children are in classes before it."""
        height = [0] * len(self.section.links)
        for i in reversed(range(len(self.section.links))):
            height[i] = 1 + max((height[child] for child in self.children[i]), default=0)
        least = [min(height[i] for i in alike.links) for alike in self.classes]
        return sorted(range(len(least)), key=least.__getitem__)

    def _record(self, c: int, s: int, draft: Draft, values: Mapping[str, Any]) -> None:
        """Keep what a step has found, each expression once and without its sign."""
        places: dict[Expr, Expr] = {}

        def kept(e: Expr) -> Expr:
            if e.op == "neg":
                return -kept(e.args[0])
            if e.op == "constant" or (e.op == "variable" and _lasts(str(e.value))):
                return e
            if e not in places:
                places[e] = variable(f"own{s}[{len(places)}]")
                draft.writes.append(Write(f"own{s}", len(places) - 1, e))
            return places[e]

        for name, value in values.items():
            self.own[c][name] = _each(kept, value)
        if self.section.out in values and self.classes[c].mark.spots[-1][0]:
            found = enumerate(_flat(values[self.section.out]))
            draft.writes += [Write(RESULT, k, e) for k, e in found]
        self.drafts[c][s] = draft
        self.sizes[c][f"own{s}"] = len(places)


class _Block:
    """Values that links pass on, one layout for all classes: constants until they are seen to vary.

    Values start as the constants given, those of the base or zeros.
    """

    def __init__(self, name: str, start: Mapping[str, Array]) -> None:
        self.name = name
        self.known = {n: np.array(x, dtype=object) for n, x in start.items()}
        self.offsets, self.size = {}, 0
        for n, x in start.items():
            self.offsets[n] = self.size
            self.size += x.size

    def symbols(self, prefix: str = "") -> dict[str, Array]:
        """Constants and, where values vary, symbols."""
        return {n: self._symbols(n, prefix) for n in self.known}

    def _symbols(self, n: str, prefix: str) -> Array:
        known, start = self.known[n], self.offsets[n]
        here = symbols(prefix + self.name, start + known.size)[start:].reshape(known.shape)
        return np.where(known == None, here, known)  # noqa: E711

    def learn(self, values: Mapping[str, Any]) -> bool:
        """Whether elements vary that did not so far; from now on they do."""
        found = False
        for n, known in self.known.items():
            for place, e in zip(np.ndindex(known.shape), _flat(values[n]), strict=True):
                if known[place] is not None and e.value != known[place]:
                    known[place] = None
                    found = True
        return found

    def writes(self, values: Mapping[str, Any], prefix: str = "") -> list[Write]:
        """The elements that vary."""
        return [
            Write(prefix + self.name, self.offsets[n] + k, e)
            for n, known in self.known.items()
            for k, (was, e) in enumerate(zip(known.flat, _flat(values[n]), strict=True))
            if was is None
        ]


def _settled(
    block: _Block, classes: Sequence[int], step: Callable[[int], tuple[Any, Any]]
) -> dict[int, tuple[Any, Any, list[Expr]]]:
    """What the step of each class finds and passes on, when no more elements are seen to vary."""
    found: dict[int, Any] = {}
    changed = True
    while changed:
        changed = False
        for c in classes:
            with recorded() as order:
                values, passed = step(c)
            found[c] = values, passed, order
            changed |= passed is not None and block.learn(passed)
    return found


def _flat(value: Any) -> list[Expr]:
    return [as_expr(e) for e in np.asarray(value, dtype=object).flat]


def _each(change: Any, value: Any) -> Array:
    array = np.asarray(value, dtype=object)
    return array_of(change(e) for e in _flat(array)).reshape(array.shape)


def _lasts(name: str) -> bool:
    """Whether a symbol means the same in later sweeps."""
    return not name.startswith((PARENT, "gathered"))

"""Traced steps of a tree as a repetition: what is stored, where, and the rows of all links.

Of the expressions in the drafts only those are stored that somebody reads. Sines, roots and
quotients that a later sweep asks for again are stored as well, rather than computed twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...codegen import Program, program_of
from ...codegen.repetition import CONSTANTS, SCRATCH, Place, Repetition, Step
from ...codegen.scratch import Lifetimes
from ...expr import Expr, variable
from ...expr.node import build, postorder
from ...kinematics.sweep import Outward
from .classes import PARAMETERS
from .steps import PARENT, RESULT, Draft, Section, Spot, Tracer, Write

KEPT = "kept"
_CHEAP = frozenset({"add", "sub", "mul", "neg", "constant", "variable"})


@dataclass(frozen=True, eq=False)
class Straight:
    """Straight-line code around sweeps; `writes` gives places for its outputs in their order."""

    program: Program
    reads: Sequence[Spot]
    writes: Sequence[Spot]


class _Piece(NamedTuple):
    """Steps, their rows and the constants of the rows, the scratch memory beyond what is fixed."""

    steps: list[Step]
    rows: list[tuple[int, ...]]
    constants: list[float]
    scratch: int


def repeated_program(
    name: str,
    inputs: Sequence[tuple[str, int]],
    shape: tuple[int, ...],
    sections: Sequence[Section | Straight],
    fixed: int = 0,
) -> Repetition:
    """The program that works through the sections.

    Places of the scratch memory below `fixed` are left to the sections' spots.
    """
    steps: list[Step] = []
    rows: list[tuple[int, ...]] = []
    constants: list[float] = []
    scratch = 0
    for section in sections:
        before = (len(constants), fixed)
        piece = _straight(section) if isinstance(section, Straight) else _swept(section, *before)
        rows += [(row[0] + len(steps), *row[1:]) for row in piece.rows]
        steps += piece.steps
        constants += piece.constants
        scratch = max(scratch, piece.scratch)
    numbers, found = (tuple(steps), tuple(rows), tuple(constants)), fixed + scratch
    return Repetition(name, tuple(inputs), (shape,), *numbers, found)


def _straight(section: Straight) -> _Piece:
    """One step, taken once."""
    spots = [*section.reads, *section.writes]
    places = [Place(spot.array, k + 1) for k, spot in enumerate(spots)]
    writes = [
        (place, element)
        for place, spot in zip(places[len(section.reads) :], section.writes, strict=True)
        for element in range(spot.size)
    ]
    step = Step(section.program, tuple(places[: len(section.reads)]), tuple(writes))
    return _Piece([step], [(0, *(spot.start for spot in spots))], [], 0)


def _swept(section: Section, constants: int, fixed: int) -> _Piece:
    tracer = Tracer(section)
    _drop_unread(tracer)
    _close_up(tracer)
    kept = [_keep_costly(drafts) for drafts in tracer.drafts]
    return _Assembly(tracer, kept).piece(constants, fixed)


def _drop_unread(tracer: Tracer) -> None:
    """Leave only those writes that a step reads which itself is of use."""
    read: list[set[str]] = [set() for _ in tracer.classes]
    below: set[str] = set()  # what links read of their parents

    def wanted(c: int, write: Write) -> bool:
        name = f"{write.block}[{write.element}]"
        if write.block == RESULT:
            return True
        if write.block.startswith(PARENT):
            return any(name.removeprefix(PARENT) in names for names in read)
        return name in read[c] or (not tracer.classes[c].mark.leaf and name in below)

    before = -1
    while (count := sum(map(len, read)) + len(below)) != before:
        before = count
        for c, drafts in enumerate(tracer.drafts):
            for draft in drafts:
                values = [write.value for write in draft.writes if wanted(c, write)]
                for name in variables_in(values):
                    if name.startswith(PARENT):
                        below.add(name.removeprefix(PARENT))
                    else:
                        read[c].add(name)
    for c, drafts in enumerate(tracer.drafts):
        for draft in drafts:
            draft.writes[:] = [write for write in draft.writes if wanted(c, write)]


def _close_up(tracer: Tracer) -> None:
    """Number the elements of every block anew, without those that are not stored."""
    common = _renamed(write for drafts in tracer.drafts for d in drafts for write in d.writes)
    for drafts, sizes in zip(tracer.drafts, tracer.sizes, strict=True):
        new = common | _renamed((write for d in drafts for write in d.writes), own=True)
        names = {variable(old): variable(name) for old, name in new.items()}
        names |= {variable(PARENT + a): variable(PARENT + b) for a, b in common.items()}
        for block in sizes:
            sizes[block] = sum(name.startswith(f"{block}[") for name in new)
        for draft in drafts:
            _replace(draft, names)
            for k, write in enumerate(draft.writes):
                name = new.get(f"{_bare(write.block)}[{write.element}]")
                if name is not None:
                    draft.writes[k] = write._replace(element=int(name.rsplit("[", 1)[1][:-1]))


def _renamed(writes: Iterable[Write], own: bool = False) -> dict[str, str]:
    """New names for elements: in blocks of one class (`own`), or in those of all."""
    elements: dict[str, set[int]] = {}
    for write in writes:
        if write.block != RESULT and write.block.startswith("own") == own:
            elements.setdefault(_bare(write.block), set()).add(write.element)
    return {
        f"{block}[{old}]": f"{block}[{new}]"
        for block, found in elements.items()
        for new, old in enumerate(sorted(found))
    }


def _keep_costly(drafts: Sequence[Draft]) -> int:
    """Store what costs much and is asked for again in a later sweep; how many values there are."""
    nodes = [postorder(write.value for write in draft.writes) for draft in drafts]
    kept: dict[Expr, Expr] = {}
    home: dict[Expr, int] = {}
    for s, here in enumerate(nodes):
        again = [e for e in here if e.op not in _CHEAP and home.setdefault(e, s) < s]
        for e in again:
            if e not in kept:
                kept[e] = variable(f"{KEPT}[{len(kept)}]")
                drafts[home[e]].writes.append(Write(KEPT, len(kept) - 1, e))
        _replace(drafts[s], {e: kept[e] for e in again})
    return len(kept)


def _replace(draft: Draft, known: Mapping[Expr, Expr]) -> None:
    """Put the known expressions in place of others, everywhere in a draft."""
    values = [write.value for write in draft.writes]
    needed = set(postorder(values))
    draft.order[:] = [e for e in draft.order if e in needed]
    new: dict[Expr, Expr] = {}
    for e in postorder([*draft.order, *values]):
        args = [new[arg] for arg in e.args]
        same = all(a is b for a, b in zip(args, e.args, strict=True))
        new[e] = known[e] if e in known else e if same else build(e.op, *args)
    draft.order[:] = [new[e] for e in draft.order]
    draft.writes[:] = [write._replace(value=new[write.value]) for write in draft.writes]


def variables_in(expressions: Iterable[Expr]) -> set[str]:
    """The names of all variables in some expressions."""
    return {str(e.value) for e in postorder(expressions) if e.op == "variable"}


class _Assembly:
    """The steps of a section, its memory and its rows."""

    def __init__(self, tracer: Tracer, kept: Sequence[int]) -> None:
        self.tracer, self.section = tracer, tracer.section
        for sizes, count in zip(tracer.sizes, kept, strict=True):
            sizes[KEPT] = count
        self.home = {i: c for c, alike in enumerate(tracer.classes) for i in alike.links}
        self.names: dict[tuple[int, int], list[str]] = {}
        self.steps: dict[tuple[int, int], Step] = {}
        for c, drafts in enumerate(tracer.drafts):
            for s, draft in enumerate(drafts):
                if draft.writes:
                    self._step(c, s, draft)

    def piece(self, constants: int, fixed: int) -> _Piece:
        """Steps and rows; `constants` stand before these in the table."""
        taken = list(self._taken())
        lives = Lifetimes()
        for time, (i, key) in enumerate(taken):
            for name in self.names[key]:
                if (block := self._block(i, name)) is not None:
                    lives.touch(block, time, self.tracer.sizes[self.home[i]][_bare(name)])
        offsets, scratch = lives.offsets()
        numbers, starts = self._constants()
        which = {key: k for k, key in enumerate(self.steps)}

        def offset(i: int, name: str) -> int:
            if name == PARAMETERS:
                return constants + starts[i]
            block = self._block(i, name)
            return self._spot(i, name).start if block is None else fixed + offsets[block]

        rows = [(which[key], *(offset(i, name) for name in self.names[key])) for i, key in taken]
        return _Piece(list(self.steps.values()), rows, numbers, scratch)

    def _step(self, c: int, s: int, draft: Draft) -> None:
        """The step of a class in a sweep; a column for every name it reads or writes."""
        values = np.empty(len(draft.writes), dtype=object)
        values[:] = [write.value for write in draft.writes]
        reads = sorted({name.rsplit("[", 1)[0] for name in variables_in(values)})
        names = list(dict.fromkeys([*reads, *(write.block for write in draft.writes)]))
        place = {name: Place(self._array(c, name), k + 1) for k, name in enumerate(names)}
        inputs = [(name, self._size(c, name)) for name in reads]
        writes = tuple((place[write.block], write.element) for write in draft.writes)
        program = program_of(inputs, values, "", draft.order)
        self.steps[c, s] = Step(program, tuple(place[name] for name in reads), writes)
        self.names[c, s] = names

    def _spot(self, i: int, name: str) -> Spot:
        return self.section.result[i] if name == RESULT else self.section.given[name][i]

    def _is_spot(self, name: str) -> bool:
        return name == RESULT or name in self.section.given

    def _array(self, c: int, name: str) -> str:
        if self._is_spot(name):
            return self._spot(self.tracer.classes[c].links[0], name).array
        return CONSTANTS if name == PARAMETERS else SCRATCH

    def _size(self, c: int, name: str) -> int:
        alike = self.tracer.classes[c]
        if name == PARAMETERS:
            return int(alike.parameters.shape[1])
        if self._is_spot(name):
            return self._spot(alike.links[0], name).size
        return self.tracer.sizes[c][_bare(name)]

    def _block(self, i: int, name: str) -> tuple[int, str] | None:
        """The block of the scratch memory that a name means for link i, if it is one."""
        if self._is_spot(name) or name == PARAMETERS:
            return None
        return (self.section.links[i].parent if name.startswith(PARENT) else i), _bare(name)

    def _taken(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Links and their steps, in the order in which they are taken."""
        links = range(len(self.section.links))
        for s, sweep in enumerate(self.section.sweeps):
            for i in links if isinstance(sweep, Outward) else reversed(links):
                if (self.home[i], s) in self.steps:
                    yield i, (self.home[i], s)

    def _constants(self) -> tuple[list[float], dict[int, int]]:
        """The parameters of all links one after the other, and where each link's begin."""
        numbers: list[float] = []
        starts: dict[int, int] = {}
        for alike in self.tracer.classes:
            for i, row in zip(alike.links, alike.parameters, strict=True):
                starts[i] = len(numbers)
                numbers += row.tolist()
        return numbers, starts


def _bare(name: str) -> str:
    return name.removeprefix(PARENT)

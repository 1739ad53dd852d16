"""Traced steps of a tree as a repetition: what is stored, where, and the rows of all links.

Of the expressions in the drafts only those are stored that somebody reads. Sines, roots and
quotients that a later sweep asks for again are stored as well, rather than computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ...codegen.parts import CHEAP
from ...codegen.repetition import Block, Draft, Repeater, Repetition, Spot, Write
from ...expr import Expr, variable
from ...expr.evaluate import replaced
from ...expr.node import postorder
from ...kinematics.sweep import Outward
from ...system.alike import PARAMETERS
from .steps import PARENT, RESULT, Section, Tracer

KEPT = "kept"


@dataclass(frozen=True, eq=False)
class Straight:
    """Straight-line code around sweeps, and where its blocks are."""

    draft: Callable[[], Draft]
    spots: Mapping[str, Spot]


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
    program = Repeater(fixed)
    for number, section in enumerate(sections):
        if isinstance(section, Straight):
            program.take(number, section.draft, section.spots)
        else:
            _swept(program, number, section)
    return program.repetition(name, inputs, (shape,))


def _swept(program: Repeater, number: int, section: Section) -> None:
    """The rows of all links, sweep by sweep."""
    tracer = Tracer(section)
    _drop_unread(tracer)
    _close_up(tracer)
    for drafts, sizes in zip(tracer.drafts, tracer.sizes, strict=True):
        sizes[KEPT] = _keep_costly(drafts)
    spots = _spots(program, number, tracer)
    home = {i: c for c, alike in enumerate(tracer.classes) for i in alike.links}

    def at(i: int, name: str) -> Spot | Block:
        if name in spots[i]:
            return spots[i][name]
        bare, link = _bare(name), section.links[i].parent if name.startswith(PARENT) else i
        return (number, link, bare), tracer.sizes[home[i]][bare]

    for s, i in _order(section):
        key, draft = (number, s, home[i]), tracer.drafts[home[i]][s]
        if draft.writes and key not in program.names:
            program.step(key, draft, partial(at, i))
        if draft.writes:
            program.row(key, partial(at, i))


def _spots(program: Repeater, number: int, tracer: Tracer) -> list[dict[str, Spot]]:
    """What every link is given, hands out and has for parameters."""
    given, result = tracer.section.given, tracer.section.result
    spots = [
        {name: at[i] for name, at in given.items()} | {RESULT: x} for i, x in enumerate(result)
    ]
    for alike in tracer.classes:
        for i, row in zip(alike.links, alike.parameters, strict=True):
            spots[i][PARAMETERS] = program.constant((number, i), row)
    return spots


def _order(section: Section) -> Iterator[tuple[int, int]]:
    """Sweeps and links, in the order in which they are taken."""
    links = range(len(section.links))
    for s, sweep in enumerate(section.sweeps):
        yield from ((s, i) for i in (links if isinstance(sweep, Outward) else reversed(links)))


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
                for name in (str(e.value) for e in postorder(values) if e.op == "variable"):
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
        again = [e for e in here if e.op not in CHEAP and home.setdefault(e, s) < s]
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
    order = [e for e in draft.order if e in needed]
    new = replaced([*order, *values], known)
    draft.order[:] = new[: len(order)]
    pairs = zip(draft.writes, new[len(order) :], strict=True)
    draft.writes[:] = [write._replace(value=value) for write, value in pairs]


def _bare(name: str) -> str:
    return name.removeprefix(PARENT)

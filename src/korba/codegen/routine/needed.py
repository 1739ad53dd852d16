"""A routine without what nobody needs: counts that are kept but not asked for, and the like.

Needed are results, conditions, rows that are put, and all that those are made of. Everything else
that statements give values to is left out, and statements that are left with nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from korba.codegen.routine import ir

Known = dict[int, ir.Routine]
"""Routines that are done, by the identity of what they were."""


def pruned(program: ir.AnyProgram) -> ir.AnyProgram:
    """The same results with less work, in the routines that are called too."""
    return _pruned(program, {}) if isinstance(program, ir.Routine) else program


def _pruned(routine: ir.Routine, known: Known) -> ir.Routine:
    made_of: dict[str, set[str]] = {}
    waiting = {array.name for array in routine.results}
    for s in ir.walked(routine.body):
        for name, parts in _definitions(s):
            made_of.setdefault(name, set()).update(parts)
        waiting |= _always(s)
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        needed.add(name)
        waiting |= made_of.get(name, set()) - needed
    return replace(routine, body=_block(routine.body, needed, known))


def _definitions(s: ir.Statement) -> Iterable[tuple[str, list[str]]]:
    """Names that a statement itself gives values to, each with the names in its value."""
    if isinstance(s, ir.Each):
        yield from ((array.name, ir.variable_names([x])) for array, x in s.writes)
        yield from ((str(fold.own.value), ir.variable_names([fold.x])) for fold in s.folds)
    elif isinstance(s, ir.Run):
        yield from ((array.name, [each.name for each in s.reads]) for array in s.writes)
    elif isinstance(s, ir.Get):
        parts = [array.name for array in ir.read_arrays(s)]
        yield str(s.number.value), [*parts, *ir.variable_names([s.index])]
    elif isinstance(s, ir.Repeat | ir.Choose):
        yield from ((_name(c), ir.variable_names([c.first, c.second])) for c in s.carries)


def _always(s: ir.Statement) -> set[str]:
    """Names that a statement needs whatever becomes of its values."""
    if isinstance(s, ir.Put):
        return {*(array.name for array in s.row), *ir.variable_names([s.index, s.when])}
    return {*ir.variable_names([s.condition])} if isinstance(s, ir.Repeat | ir.Choose) else set()


def _block(block: ir.Block, needed: set[str], known: Known) -> ir.Block:
    left = (_statement(s, needed, known) for s in block)
    return tuple(s for s in left if s is not None)


def _statement(s: ir.Statement, needed: set[str], known: Known) -> ir.Statement | None:
    """A statement with what is needed of it; None if nothing is."""
    if isinstance(s, ir.Each):
        writes = tuple(write for write in s.writes if write[0].name in needed)
        folds = tuple(fold for fold in s.folds if fold.own.value in needed)
        return replace(s, writes=writes, folds=folds) if writes or folds else None
    if isinstance(s, ir.Run):
        return _run(s, known) if any(array.name in needed for array in s.writes) else None
    if isinstance(s, ir.Get):
        return s if s.number.value in needed else None
    if isinstance(s, ir.Repeat):
        carries = tuple(carry for carry in s.carries if _name(carry) in needed)
        test, body = _block(s.test, needed, known), _block(s.body, needed, known)
        return replace(s, carries=carries, test=test, body=body)
    if isinstance(s, ir.Choose):
        carries = tuple(carry for carry in s.carries if _name(carry) in needed)
        yes, no = _block(s.yes, needed, known), _block(s.no, needed, known)
        return replace(s, carries=carries, yes=yes, no=no) if carries or yes or no else None
    return s


def _run(s: ir.Run, known: Known) -> ir.Run:
    if not isinstance(s.program, ir.Routine):
        return s
    if id(s.program) not in known:
        known[id(s.program)] = _pruned(s.program, known)
    return replace(s, program=known[id(s.program)])


def _name(carry: ir.Carry) -> str:
    return carry.own.name if isinstance(carry.own, ir.Array) else str(carry.own.value)

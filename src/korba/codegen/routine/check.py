"""Every value is used where it is known: after it was made, in its block or one inside."""

from __future__ import annotations

from collections.abc import Iterable

from korba.codegen.routine.ir import (
    Array,
    Block,
    Carry,
    Choose,
    Each,
    Repeat,
    Routine,
    defined_arrays,
    defined_numbers,
    read_arrays,
    used,
    variable_names,
)
from korba.errors import ExpressionError
from korba.expr import Expr


def refuse_strangers(routine: Routine) -> None:
    """An error where a value of a repetition or a branch was carried out of it."""
    known = {array.name for array in (*routine.tables, *routine.arguments)}
    _block(routine.body, known)
    _refuse((array.name for array in routine.results), known)


def _block(block: Block, known: set[str]) -> None:
    """`known` gains what the block makes."""
    for s in block:
        _refuse((array.name for array in read_arrays(s)), known)
        if isinstance(s, Each):
            for array, x in s.writes:  # one after the other
                _refuse(variable_names([x]), known)
                known.add(array.name)
            _refuse(variable_names(fold.x for fold in s.folds), known)
        elif isinstance(s, Repeat):
            _refuse(variable_names(carry.first for carry in s.carries), known)
            inside = known | set(map(_name, s.carries))
            _inner(s.test, [s.condition], inside)
            _inner(s.body, [carry.second for carry in s.carries], inside)
        elif isinstance(s, Choose):
            _refuse(variable_names([s.condition]), known)
            _inner(s.yes, [carry.first for carry in s.carries], known)
            _inner(s.no, [carry.second for carry in s.carries], known)
        else:
            _refuse(variable_names(used(s)), known)
        known |= {array.name for array in defined_arrays(s)}
        known |= {str(number.value) for number in defined_numbers(s)}


def _inner(block: Block, ends: Iterable[Expr], known: set[str]) -> None:
    inside = set(known)
    _block(block, inside)
    _refuse(variable_names(ends), inside)


def _name(carry: Carry) -> str:
    return carry.own.name if isinstance(carry.own, Array) else str(carry.own.value)


def _refuse(names: Iterable[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise ExpressionError(
                f"{name} is a value of a repetition or a branch, used outside of it; hand it on in "
                "the state that `repeat` or `choose` returns"
            )

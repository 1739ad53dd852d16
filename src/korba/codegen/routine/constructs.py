"""What a routine is written in; with numbers it is ordinary Python.

    call(program, *arrays)              arrays = the program's results
    repeat(body, state, while_=...)     state = body(state), as long as a condition of it holds
    choose(condition, a, b)             a or b: values, or functions without arguments to be run
    get(stream, k)  get_row(stream, k, n)  put(stream, k, row, when=...)
    held(x)                             computed here and now
    packed(state)  unpacked(form, x)    a state as one vector, and back

A state is a number, a vector, or a (named) tuple or list of them. Conditions are comparisons,
joined by `both`, `either` and `negated`. Write conditions for going on, so that nan ends a
repetition: no comparison with nan holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from korba.codegen.routine.record import active, leaves, rebuilt
from korba.expr import maximum, minimum
from korba.expr.node import as_expr

State = TypeVar("State")


def call(program: Any, *arrays: Any) -> Any:
    """The results of a program (with numbers: of any function of arrays) for arrays."""
    if (recorder := active()) is not None:
        return recorder.run(program, arrays)
    return program(*[np.atleast_1d(x) for x in arrays])


def repeat(
    body: Callable[[State], State], state: State, *, while_: Callable[[State], Any]
) -> State:
    """`state = body(state)` while `while_(state)`."""
    if (recorder := active()) is not None:
        return recorder.repeat(body, state, while_)
    while while_(state):
        state = body(state)
    return state


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`; functions are run only where they are needed."""
    recorder = active()
    if callable(yes):
        if recorder is not None:
            return recorder.choose(as_expr(condition), yes, no)
        return yes() if condition else no()
    if recorder is None:
        return yes if condition else no
    pairs = zip(leaves(yes), leaves(no), strict=True)
    return rebuilt(yes, [recorder.where(as_expr(condition), a, b) for a, b in pairs])


def get(stream: Any, k: Any) -> Any:
    """Element k of an array of any length."""
    if (recorder := active()) is not None:
        return recorder.got(stream, as_expr(k))
    return np.asarray(stream).flat[int(k)]


def get_row(stream: Any, k: Any, size: int) -> Any:
    """Row k of a table of any length."""
    if (recorder := active()) is not None:
        first = as_expr(k) * float(size)
        return recorder.joined([recorder.got(stream, first + float(j)) for j in range(size)])
    return np.reshape(stream, (-1, size))[int(k)]


def put(stream: Any, k: Any, row: Any, when: Any = 1.0) -> None:
    """Row k of a table of any length = row, where `when` holds."""
    if (recorder := active()) is not None:
        recorder.put(stream, as_expr(k), row, as_expr(when))
    elif when:
        numbers = np.hstack([np.atleast_1d(x) for x in leaves(row)])
        stream.reshape(-1, len(numbers))[int(k)] = numbers


def held(x: Any) -> Any:
    """The number or vector, computed here and now: nothing is rearranged across it.

    The rules of expressions would turn (y - (y + c)) + c, which rounding takes from a sum, into 0.
    And a vector that does not change in a repetition is held before it, or is computed every time.
    """
    recorder = active()
    return x if recorder is None else recorder.held(x)


def both(a: Any, b: Any) -> Any:
    """Whether two conditions hold."""
    return minimum(a, b)


def either(a: Any, b: Any) -> Any:
    """Whether one of two conditions holds."""
    return maximum(a, b)


def negated(a: Any) -> Any:
    """Whether a condition does not hold."""
    return 1.0 - a


def packed(state: Any) -> Any:
    """All numbers and vectors of a state one after the other, in one vector."""
    if (recorder := active()) is not None:
        return recorder.joined(leaves(state))
    return np.hstack([np.atleast_1d(x) for x in leaves(state)])


def unpacked(form: Any, x: Any) -> Any:
    """The state in a vector; `form` is a state of lengths, None for numbers."""
    values, start = [], 0
    for size in leaves(form):
        if size is None:
            values.append(x[start])
        else:
            values.append(x[start : start + size] if size else np.zeros(0))
        start += 1 if size is None else size
    return rebuilt(form, values)


def packed_size(form: Any) -> int:
    """The length of the vector of a state."""
    return sum(1 if size is None else size for size in leaves(form))

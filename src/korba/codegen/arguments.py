"""What comes in from outside: arrays of the right kind and size, finite, with one batch shape.

Arrays that machine code is to fill come in here too: it writes where they lie, so they must lie as
it expects, and nowhere among the inputs, which it reads block by block while it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from korba.codegen.program import Formed
from korba.errors import KorbaError, NotFiniteError

Array = NDArray[np.float64]
_FLOATS = np.dtype(np.float64)


def checked(
    program: Formed, given: Sequence[Any], check_finite: bool
) -> tuple[tuple[int, ...], list[Array]]:
    """The batch shape of the inputs together, and the inputs as float arrays (..., size)."""
    refuse_count(program, len(given))
    arrays = [
        as_floats(name, size, item, program.name)
        for (name, size), item in zip(program.inputs, given, strict=True)
    ]
    if check_finite:
        refuse_infinite(program, arrays)
    return batch_shape(program, arrays), arrays


def refuse_count(program: Formed, count: int) -> None:
    """An error unless there are as many arrays as the program has inputs."""
    if count != len(program.inputs):
        names = ", ".join(name for name, _ in program.inputs)
        raise KorbaError(
            f"{_whose(program.name)}expected {len(program.inputs)} inputs ({names}), got {count}"
        )


def as_floats(name: str, size: int, given: Any, whose: str = "") -> Array:
    """`given` as a float64 array of shape (..., size)."""
    if given.__class__ is np.ndarray and given.dtype is _FLOATS and given.shape[-1:] == (size,):
        return given
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise KorbaError(f"{name}: expected an array of numbers, got {given!r:.60}") from error
    if array.dtype.kind not in "iuf" and array.size:
        raise KorbaError(
            f"{name}: expected real numbers (float64), got an array of {array.dtype}; "
            "convert it before the call"
        )
    if array.ndim == 0 or array.shape[-1] != size:
        wanted = f"(..., {size})" + (f" for {whose!r}" if whose else "")
        raise KorbaError(f"{name}: expected shape {wanted}, got {array.shape}")
    return array.astype(np.float64, copy=False)


def batch_shape(program: Formed, arrays: Sequence[Array]) -> tuple[int, ...]:
    """The leading axes of the inputs, broadcast together."""
    leading = {array.shape[:-1] for array in arrays}
    if len(leading) > 1:
        leading.discard(())
    if len(leading) == 1:
        return leading.pop()
    try:
        return np.broadcast_shapes(*leading)
    except ValueError as error:
        shapes = ", ".join(
            f"{name} {array.shape}" for (name, _), array in zip(program.inputs, arrays, strict=True)
        )
        raise KorbaError(
            f"{_whose(program.name)}the leading axes of the inputs do not fit together: {shapes}"
        ) from error


def refuse_infinite(program: Formed, arrays: Sequence[Array]) -> None:
    """An error that names the first element that is infinite or not a number."""
    for (name, _), array in zip(program.inputs, arrays, strict=True):
        finite = np.isfinite(array)
        if not finite.all():
            place = np.argwhere(~finite)[0].tolist()
            raise KorbaError(
                f"{name}{place}: expected a finite number, got {array[tuple(place)]}; "
                "check_finite=False lets it through"
            )


def refuse_lost(program: Formed, arrays: Sequence[Array], results: Sequence[Array]) -> None:
    """An error if a result is not finite, which names the largest number that it comes from."""
    for result, shape in zip(results, program.shapes, strict=True):
        lost = ~np.isfinite(result)
        if lost.any():
            batch = lost.ndim - len(shape)
            state = tuple(np.argwhere(lost)[0].tolist())[:batch]
            at = f" of state {list(state)}" if state else ""
            raise NotFiniteError(
                f"{_whose(program.name)}the result{at} is not finite ({result[lost].flat[0]}), "
                f"though its inputs are{_largest(program, arrays, result.shape[:batch], state)}",
                results[0] if program.single else tuple(results),
            )


def _largest(
    program: Formed, arrays: Sequence[Array], batch: tuple[int, ...], state: tuple[int, ...]
) -> str:
    """In words, the number furthest from 0 that a state has as input."""
    named = []
    for (name, size), array in zip(program.inputs, arrays, strict=True):
        for k, x in enumerate(np.broadcast_to(array, (*batch, size))[state]):
            named.append((abs(x), f"{name}{[k]} = {x:g}"))
    if not named:
        return ""
    return (
        f"; is {max(named)[1]}, the largest of them, meant so? check_finite=False lets it through"
    )


def places(
    shapes: Sequence[tuple[int, ...]],
    out: Any,
    inputs: Sequence[Array],
    single: bool,
    make: Callable[[tuple[int, ...]], Array] = np.empty,
) -> tuple[Array, ...]:
    """Arrays for the results, one for each shape: new ones, or `out` if they can lie there."""
    if out is None:
        return tuple(map(make, shapes))
    given = (out,) if single else out
    if not isinstance(given, tuple | list) or len(given) != len(shapes):
        raise KorbaError(f"out: expected a tuple of {len(shapes)} arrays, got {_kind(given)}")
    taken = list(inputs)
    for k, (shape, array) in enumerate(zip(shapes, given, strict=True)):
        name = "out" if single else f"out[{k}]"
        refuse_layout(name, shape, array, "make one with np.empty")
        if not array.flags.writeable:
            raise KorbaError(f"{name}: expected an array to write to, got a read-only one")
        for other in taken:
            if np.may_share_memory(array, other):
                raise KorbaError(
                    f"{name}: expected memory of its own, but an input or another result lies "
                    "there; make one with np.empty"
                )
        taken.append(array)
    return tuple(given)


def refuse_streams(program: Formed, streams: Sequence[Any]) -> None:
    """An error unless there is an array that machine code can use in place for each stream."""
    names = program.streams
    if len(streams) != len(names):
        wanted = f"{len(names)} ({', '.join(names)})" if names else "none"
        raise KorbaError(f"{_whose(program.name)}streams: expected {wanted}, got {len(streams)}")
    for name, array in zip(names, streams, strict=True):
        refuse_layout(name, np.shape(array), array, "make one with np.ascontiguousarray")


def refuse_layout(name: str, shape: tuple[int, ...], array: Any, way_out: str) -> None:
    """An error unless this is a float64 array of that shape that machine code can use in place."""
    fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape == shape
    if not fits or not (array.flags.c_contiguous and array.flags.aligned):
        wanted = f"a contiguous float64 array of shape {shape}"
        raise KorbaError(f"{name}: expected {wanted}, got {_kind(array)}; {way_out}")


def _kind(given: Any) -> str:
    if isinstance(given, tuple | list):
        return f"a {type(given).__name__} of {len(given)}"
    if not isinstance(given, np.ndarray):
        return type(given).__name__
    order = "" if given.flags.c_contiguous else ", not contiguous"
    return f"{given.dtype} of shape {given.shape}{order}"


def _whose(name: str) -> str:
    return f"{name!r}: " if name else ""

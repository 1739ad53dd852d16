"""Batches: rows of states handed to machine code where they lie, split over threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, reduce
from math import prod
from operator import or_
from threading import Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from korba.codegen.callable.processors import processors
from korba.codegen.program import Signature
from korba.codegen.targets.llvm.fastcall import data_address
from korba.codegen.targets.llvm.machine import Library
from korba.codegen.tiles import TILE
from korba.forking import at_fork

Array = NDArray[np.float64]
_COPIED_ROWS = 1 << 14  # rows copied together where the inputs do not lie in even steps
_FEWEST_OPERATIONS = 4e6  # a thread gets no fewer, some 0.2 ms: waking one costs a part of that
_SMALLEST = 8  # that share of it is the smallest piece of work handed out
_CACHE_LINE = 64
_KEPT = 1 << 23
"""Bytes of results whose memory is kept for the next ones.

The C library of Linux gives freed memory back to the system from 256 KiB on, and every call then
waits for new pages, until a block has been freed that it took for large; so one is, which nobody
has touched. Then blocks up to that size count as small."""
np.empty(_KEPT, dtype=np.uint8)


class Batch:
    """The batch functions of a library."""

    def __init__(self, signature: Signature, library: Library) -> None:
        pointer, whole = ctypes.c_void_p, ctypes.c_int64
        self._sizes = (*signature.sizes, *[0] * len(signature.streams))
        self._fewest = int(_FEWEST_OPERATIONS / (signature.operations.total + 10)) + TILE
        self._rows = library.function("rows", whole, pointer, pointer, pointer, whole, whole)
        self._on_tiles = library.function("on_tiles", None, pointer, pointer, whole, whole)
        self._scratch_size = int(library.function("scratch", whole)())
        self._memory = local()
        self._library = library

    def on_rows(
        self,
        batch: tuple[int, ...],
        inputs: Sequence[Array],
        results: Sequence[Array],
        threads: int,
        streams: Sequence[Array] = (),
    ) -> int:
        """Fill `results`, contiguous arrays (*batch, ...).

        Bit 0 of what is returned says that an input was not finite, bit 1 that a result is not.
        """
        steps = [row_step(array, batch) for array in inputs]
        even = [step for step in steps if step is not None]
        count = prod(batch)
        if len(even) == len(inputs):
            return self._run(count, inputs, even, (*results, *streams), threads)
        wide = [np.broadcast_to(array, (*batch, array.shape[-1])) for array in inputs]
        if count <= _COPIED_ROWS:
            packed = [np.ascontiguousarray(array) for array in wide]
            sizes = [a.shape[-1] for a in packed]
            return self._run(count, packed, sizes, (*results, *streams), threads)
        if batch[0] == 1:
            here, there = [array[0] for array in wide], [result[0] for result in results]
            return self.on_rows(batch[1:], here, there, threads, streams)
        infinite = 0
        at_once = max(1, _COPIED_ROWS * batch[0] // count)
        for start in range(0, batch[0], at_once):
            part = slice(start, start + at_once)
            here = [array[part] for array in wide]
            there = [result[part] for result in results]
            infinite |= self.on_rows(there[0].shape[: len(batch)], here, there, threads, streams)
        return infinite

    def on_tiles(
        self, inputs: Sequence[Array], results: Sequence[Array], count: int, threads: int
    ) -> None:
        """Fill `results`, tiles, from `inputs`, tiles."""
        arrays = _addresses([*inputs, *results])
        _split(
            count,
            self._fewest // TILE,
            threads,
            lambda a, b: self._on_tiles(arrays, self._scratch(), a, b),
        )

    def _run(
        self,
        count: int,
        inputs: Sequence[Array],
        steps: Sequence[int],
        results: Sequence[Array],
        threads: int,
    ) -> int:
        arrays = _addresses([*inputs, *results])
        strides = (ctypes.c_int64 * len(arrays))(*steps, *self._sizes)
        found: list[int] = []
        _split(
            count,
            self._fewest,
            threads,
            lambda a, b: found.append(self._rows(arrays, strides, self._scratch(), a, b)),
        )
        return reduce(or_, found, 0)

    def _scratch(self) -> int:
        """The address of this thread's scratch memory, at the start of a cache line."""
        address = getattr(self._memory, "address", None)
        if address is None:
            self._memory.buffer = np.empty(self._scratch_size * 8 + _CACHE_LINE, dtype=np.uint8)
            start = self._memory.buffer.ctypes.data
            address = self._memory.address = -(-start // _CACHE_LINE) * _CACHE_LINE
        return int(address)


def row_step(array: Array, batch: tuple[int, ...]) -> int | None:
    """Doubles from one row of the batch to the next; None where rows do not lie in even steps."""
    size = array.shape[-1]
    if array.ndim == 1 and array.flags.carray:
        return 0
    if array.flags.carray and array.shape[:-1] == batch:
        return size
    if (size > 1 and array.strides[-1] != 8) or not array.flags.aligned:
        return None
    if array.ndim == 2 and array.shape[:1] == batch and array.strides[0] % 8 == 0:
        return array.strides[0] // 8
    strides = np.broadcast_to(array, (*batch, size)).strides[:-1]
    axes = [(n, s) for n, s in zip(batch, strides, strict=True) if n > 1]
    if not axes:
        return size
    step = axes[-1][1]
    length = step
    for n, s in reversed(axes):
        if s != length:
            return None
        length = n * s
    return step // 8 if step % 8 == 0 else None


def _addresses(arrays: Sequence[Array]) -> Any:
    """A C array of the arrays' addresses; it keeps the arrays alive."""
    made: Any = (ctypes.c_void_p * len(arrays))(*map(data_address, arrays))
    made.arrays = arrays
    return made


def _split(count: int, fewest: int, threads: int, work: Callable[[int, int], Any]) -> None:
    """Call `work(start, stop)` over all of `count`, in as many threads as are worth the trouble.

    Each thread takes the next piece when it is done with one, so a thread that is held up holds
    up nobody. Pieces get smaller towards the end, so that all finish together.
    """
    number = max(1, min(threads, count // fewest))
    if number == 1:
        if count:
            work(0, count)
        return
    pieces = _pieces(count, max(1, fewest // _SMALLEST), number)
    lock = Lock()

    def share() -> None:
        while True:
            with lock:
                piece = next(pieces, None)
            if piece is None:
                return
            work(*piece)

    others = [_pool().submit(share) for _ in range(number - 1)]
    try:
        share()
    except BaseException:  # a keyboard interrupt too: the others take no more pieces
        with lock:
            list(pieces)
        raise
    for other in others:
        if not other.cancel():  # one that never started has nothing left to do
            other.result()


def _pieces(count: int, smallest: int, threads: int) -> Iterator[tuple[int, int]]:
    """Starts and stops, each with an equal share of half of what is left, in whole tiles."""
    start = 0
    while start < count:
        wanted = max(smallest, (count - start) // (2 * threads))
        stop = min(count, start + -(-wanted // TILE) * TILE)
        yield start, stop
        start = stop


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads of this process, started when needed and then kept."""
    return ThreadPoolExecutor(processors(), thread_name_prefix="korba")


at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of its parent's threads

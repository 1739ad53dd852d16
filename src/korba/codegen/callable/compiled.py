"""A program as a function for Python: one state, or a batch of any shape, on one or more threads.

Machine code is made when it is first needed, apart for single states and for batches. After the
first single state, calls with plain vectors go straight into machine code (python.py).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from math import prod
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from korba.codegen import arguments as door
from korba.codegen.beside import coded
from korba.codegen.cache import CacheFolder, cache_folder
from korba.codegen.callable.batch import Batch
from korba.codegen.program import Operations, Signature
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm import fastcall
from korba.codegen.targets.llvm.fast_way import plain_reason
from korba.codegen.targets.llvm.machine import Library, library, signature, told
from korba.codegen.tiles import TILE, empty_tiles
from korba.errors import KorbaError
from korba.forking import at_fork
from korba.working import working

Array = NDArray[np.float64]

PAYS = 100_000_000_000
"""Operations, of all states of batches together, after which numbers are folded into their code:
one or two seconds of them."""
Share = Callable[[], Any]
"""Gives what has a `signature` with numbers and the `program` of the code, or None."""
_LOCKS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
at_fork(after_in_child=_LOCKS.clear)


class Compiled:
    """`f(q, v, ..., threads=None, check_finite=True, out=None)`: a program in machine code.

    Inputs are arrays of shape (..., size); their leading axes broadcast against each other and
    stand in front of the results' own axes. `threads` is the number of threads a batch is split
    over, one by default; the result does not depend on it. `check_finite=False` lets infinities
    and nans through; else they are refused in the inputs and, by what answers a verb (`finite`),
    in the results. `out` is an array to fill and return, or a tuple of them where there are
    several results: float64, contiguous, of the results' shapes, apart from the inputs. It saves
    the memory of new results, which for large batches takes up to as long as the numbers; after
    an error its content is undefined. A routine with streams takes them as `streams`: contiguous
    float64 arrays, read and written where they lie, the same for all states.
    """

    def __init__(
        self,
        key: str | None,
        make: Callable[[], AnyProgram],
        folder: CacheFolder,
        *,
        finite: bool = False,
        beside: bool = False,
        share: Share | None = None,
        rows: int = 0,
    ) -> None:
        self._key = key
        self._make = make
        self._share = share
        self._folder = folder
        self._finite = finite
        self._beside, self._left = beside, PAYS if beside else -1
        self.signature: Signature = (
            self._told() if key is None else signature(key, self._told, folder, beside=beside)
        )

        self._rows = rows
        self._in_rows = 0 < rows < self.signature.operations.total

    def _told(self) -> Signature:
        """What a caller has to know: of the code that others share, or of its own."""
        found = self._shared
        return told(self.program, beside=self._beside) if found is None else found.signature

    @cached_property
    def _shared(self) -> Any:
        """Its code as that of its structure; None where it has its own."""
        if self._share is None:
            return None
        with working("writing the equations"):
            return self._share()

    def __call__(
        self,
        *inputs: ArrayLike,
        threads: int | None = None,
        check_finite: bool = True,
        out: Any = None,
        streams: Sequence[Array] = (),
    ) -> Any:
        """The results for one state or a batch of them."""
        number = thread_count(threads)
        batch, arrays = door.checked(self.signature, inputs, check_finite=False)
        door.refuse_streams(self.signature, streams)
        shapes = [(*batch, *shape) for shape in self.signature.shapes]
        results = door.places(shapes, out, arrays, self.signature.single)
        rows: tuple[Sequence[Array], Sequence[Array]] = arrays, results
        if not batch and self._in_rows:
            batch, rows = (1,), ([x[None] for x in arrays], [x[None] for x in results])
        if not batch:
            self._one(arrays, (*results, *streams), check_finite)
        elif 0 not in batch:
            infinite = self._batch.on_rows(batch, *rows, number, streams)
            if self._left >= 0:
                self._work(prod(batch))
            if infinite & 1 and check_finite:
                door.refuse_infinite(self.signature, arrays)
            if infinite and check_finite and self._finite:
                door.refuse_lost(self.signature, arrays, results)
        return results[0] if self.signature.single else results

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} ({size})" for name, size in self.signature.inputs)
        shapes = ", ".join(map(str, self.signature.shapes))
        return f"<Compiled {self.signature.name or 'program'}: {inputs} -> {shapes}>"

    def __copy__(self) -> Compiled:
        return self

    def __deepcopy__(self, memo: object) -> Compiled:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(_same, self.program) if self._key is None else self._make
        how: dict[str, Any] = {"finite": self._finite, "beside": self._beside}
        how |= {"share": self._share, "rows": self._rows}
        return _compile_again, (self._key, make, how, self._left < 0)

    @cached_property
    def program(self) -> AnyProgram:
        """The program itself, traced again if the code came from the cache."""
        with working("writing the equations"):
            return self._make()

    @property
    def operations(self) -> Operations:
        """The operations of one evaluation."""
        return self.signature.operations

    @property
    def address(self) -> int:
        """The address of `void f(double *input, ..., double *output, ...)`, for one state."""
        return self._scalar.address("scalar")

    @cached_property
    def pointer(self) -> Any:
        """The same as a ctypes function, which Numba-compiled code can call."""
        count = len(self.signature.inputs) + len(self.signature.shapes)
        kind = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * count)
        return kind(self.address)

    def on_tiles(self, *inputs: Array, threads: int | None = None, out: Any = None) -> Any:
        """The results for states in tiles (see tiles.py), in tiles: shapes (T, elements, 8).

        The inputs are used where they lie: contiguous float64 arrays of shape (T, size, 8). The
        elements of a result of shape (3, 3) stand one after the other. Nothing is checked for
        infinities, because a tile may hold places nobody uses. `out` takes tiles to fill.
        """
        door.refuse_count(self.signature, len(inputs))
        count = len(inputs[0]) if inputs else 1
        for (name, size), array in zip(self.signature.inputs, inputs, strict=True):
            door.refuse_layout(name, (count, size, TILE), array, "see tiles()")
        shapes = [(count, size, TILE) for size in self.signature.sizes]
        results = door.places(shapes, out, inputs, self.signature.single, empty_tiles)
        self._batch.on_tiles(inputs, results, count, thread_count(threads))
        return results[0] if self.signature.single else results

    def folded(self) -> Compiled:
        """The same function, in batches from now on with its numbers in the code: for long use.

        Vectors of states are a tenth faster so, and it is compiled once more.
        """
        self._left = -1
        if self._beside:
            self.__dict__.pop("_batch", None)
        return self

    def _work(self, states: int) -> None:
        """So many states went by: after many of them folding pays."""
        self._left -= states * self.signature.operations.total
        if self._left < 0:
            self.folded()

    def _one(self, arrays: Sequence[Array], results: Sequence[Array], check_finite: bool) -> None:
        if check_finite:
            door.refuse_infinite(self.signature, arrays)
        packed = [np.ascontiguousarray(array) for array in arrays]
        self._run_one(*map(fastcall.data_address, (*packed, *results)))
        if check_finite and self._finite:
            door.refuse_lost(self.signature, arrays, results)

    @cached_property
    def _run_one(self) -> Any:
        own = self.signature
        count = len(own.inputs) + len(own.shapes) + len(own.streams)
        return self._scalar.function("scalar", None, *[ctypes.c_void_p] * count)

    @cached_property
    def _scalar(self) -> Library:
        with _lock_of(self):  # two threads that come first together make it once
            if "_scalar" not in self.__dict__:
                if self.signature.streams or plain_reason():
                    found = self._library("plain")
                else:
                    found = self._library("scalar")
                    fastcall.install(self, found, self.__call__)
                self.__dict__["_scalar"] = found
            return self.__dict__["_scalar"]

    @cached_property
    def _batch(self) -> Batch:
        with _lock_of(self):
            if "_batch" not in self.__dict__:
                self.__dict__["_batch"] = Batch(self.signature, self._library("batch"))
            return self.__dict__["_batch"]

    def _library(self, kind: str) -> Library:
        own, folder = self.signature, self._folder
        if own.numbers and not (self._left < 0 and kind == "batch"):
            return library(kind, own.code, self._coded, folder, own.numbers)
        digest = own.digest if self._share is None else self.program.digest
        return library(kind, digest, lambda: self.program, folder)

    def _coded(self) -> AnyProgram:
        """The program whose numbers stand beside it."""
        found = self._shared
        return coded(self.program).program if found is None else found.program()


def compile_program(
    program: AnyProgram, folder: CacheFolder | None = None, *, beside: bool = False
) -> Compiled:
    """The program in machine code, made at the first call or taken from the cache on disk."""
    return compile_cached(None, lambda: program, folder, beside=beside)


def _compile_again(
    key: str | None, make: Callable[[], AnyProgram], how: dict[str, Any], folded: bool
) -> Compiled:
    """What was pickled: its code is the same, so its answers are, to the last bit."""
    made = compile_cached(key, make, **how)
    return made.folded() if folded else made


def _same(program: AnyProgram) -> AnyProgram:
    return program


def compile_cached(
    key: str | None,
    make: Callable[[], AnyProgram],
    folder: CacheFolder | None = None,
    *,
    finite: bool = False,
    beside: bool = False,
    share: Share | None = None,
    rows: int = 0,
) -> Compiled:
    """The program that `make` traces, in machine code; not even traced if the cache knows `key`.

    `key` stands for everything that `make` depends on but Korba's own sources: the content of
    the mechanism, the name of the formula, its options (see `stable_key`). Without a key the
    program is traced now. With `finite` results that are not finite are refused. With
    `beside` its numbers stand beside the code, which others share (codegen/beside.py); `share`
    gives the code of its structure, if it has one (shared.py). One of more operations than `rows`
    has code for rows only, by which single states go too: they are few.
    """
    folder = cache_folder() if folder is None else folder
    return Compiled(key, make, folder, finite=finite, beside=beside, share=share, rows=rows)


def _lock_of(compiled: Compiled) -> Any:
    """The lock of a function's making."""
    return _LOCKS.setdefault(compiled, RLock())


def thread_count(threads: int | None) -> int:
    """How many threads are asked for; None is one."""
    if threads is None:
        return 1
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise KorbaError(f"threads: expected a whole number of 1 or more, or None, got {threads!r}")
    return threads

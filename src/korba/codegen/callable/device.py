"""A program as a function of arrays on a GPU: a thread for each state, nothing copied.

Arrays of any library come in through DLPack (PyTorch, CuPy, JAX) or the CUDA array interface
(Numba), are read where they lie, and results go out the same way, in the library of the first
input. Double or single precision is that of the arrays; the kernels of each (targets/cuda.py) are
compiled when they are first needed. Calls return before the GPU is done, as is usual there: they
are in the order of `stream`, by default that in which the libraries work.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from korba.codegen.arguments import batch_shape, refuse_count
from korba.codegen.catalogue.targets import TARGETS
from korba.codegen.program import Operations, Signature
from korba.codegen.routine.ir import AnyProgram
from korba.errors import KorbaError

NAME = "korba"
"""The function in the text that is compiled here."""
FORMS = {"float64": "cuda", "float32": "cuda-float"}
"""Targets by the kind of numbers."""


class View(Protocol):
    """An array as DLPack tells of it; strides count elements, None is row by row."""

    ptr: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: Any


class Machine(Protocol):
    """What a GPU is asked for (gpu.py)."""

    def viewed(self, array: Any, stream: Any) -> View | None:
        """Where an array lies; None if it is none of this GPU."""

    def empty(
        self, shape: tuple[int, ...], strides: tuple[int, ...], kind: str, stream: Any
    ) -> View:
        """A new array, which others take through DLPack."""

    def filled(self, numbers: Any, stream: Any) -> View:
        """A row of numbers, put there."""

    def kernels(self, text: str, names: Sequence[str]) -> Sequence[Any]:
        """Compiled kernels by name."""

    def launch(self, kernel: Any, count: int, arguments: Sequence[int], stream: Any) -> None:
        """A thread for each of so many states."""


class Place(NamedTuple):
    """Where the rows of an array lie: address, elements from row to row and along a row."""

    address: int
    row: int
    element: int


class OnDevice:
    """`f(q, v, ..., out=None, stream=None)`: a program on the GPU, for arrays (..., size) there.

    Leading axes broadcast against each other where rows lie in even steps; a plain number, or a
    list of them, is the same for all states. `out` is an array to fill, or a tuple of them.
    """

    def __init__(self, program: AnyProgram, machine: Machine) -> None:
        if program.streams:
            raise KorbaError(f"{program.name}: rows of any length are not written on the GPU")
        self.program, self._machine = program, machine
        self.signature: Signature = program.signature
        self._kernels: dict[str, Sequence[Any]] = {}

    def __call__(self, *inputs: Any, out: Any = None, stream: Any = None) -> Any:
        """The results for a batch of states."""
        own = self.signature
        refuse_count(own, len(inputs))
        views = [
            self._view(name, x, stream) for (name, _), x in zip(own.inputs, inputs, strict=True)
        ]
        known = [view for view in views if view is not None]
        if not known:
            raise KorbaError("expected arrays on the GPU, such as a tensor of PyTorch on 'cuda'")
        kind = str(np.dtype(known[0].dtype))
        given = [
            self._machine.filled(np.atleast_1d(np.asarray(x, dtype=kind)), stream)
            if view is None
            else view
            for x, view in zip(inputs, views, strict=True)
        ]
        for (name, size), view in zip(own.inputs, given, strict=True):
            _refuse_other(name, view, kind, size)
        shapes: Any = given  # it asks for shapes only
        batch = batch_shape(own, shapes)
        places = [
            placed(name, view, batch) for (name, _), view in zip(own.inputs, given, strict=True)
        ]
        results = self._results(out, batch, kind, places, stream)
        self._launched(kind, prod(batch), places, self._result_places(results, batch), stream)
        if out is not None:
            return out
        first = next(x for x, view in zip(inputs, views, strict=True) if view is not None)
        whole = tuple(_like(first, array) for array in results)
        return whole[0] if own.single else whole

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} ({size})" for name, size in self.signature.inputs)
        shapes = ", ".join(map(str, self.signature.shapes))
        return f"<OnDevice {self.signature.name or 'program'}: {inputs} -> {shapes}>"

    @property
    def operations(self) -> Operations:
        """The operations of one evaluation."""
        return self.signature.operations

    def _view(self, name: str, given: Any, stream: Any) -> View | None:
        """An array of the GPU; None of plain numbers."""
        if isinstance(given, int | float | list | tuple):
            return None
        view = self._machine.viewed(given, stream)
        if view is None:
            raise KorbaError(
                f"{name}: expected an array on the GPU, got {type(given).__name__} elsewhere; put "
                "it there first, with torch.as_tensor(x, device='cuda') or cupy.asarray(x)"
            )
        return view

    def _results(
        self, out: Any, batch: tuple[int, ...], kind: str, places: Sequence[Place], stream: Any
    ) -> list[View]:
        """Views of the arrays to fill: those given, or new ones, in columns where inputs are."""
        own = self.signature
        if out is not None:
            given = (out,) if own.single else tuple(out)
            if len(given) != len(own.shapes):
                raise KorbaError(f"out: expected {len(own.shapes)} arrays, got {len(given)}")
            views = [self._view("out", x, stream) for x in given]
            for view, shape in zip(views, own.shapes, strict=True):
                wanted = (*batch, *shape)
                if view is None or view.shape != wanted or str(np.dtype(view.dtype)) != kind:
                    found = None if view is None else (view.shape, str(view.dtype))
                    raise KorbaError(f"out: expected {kind} of shape {wanted}, got {found}")
            return [view for view in views if view is not None]
        count = prod(batch)
        columns = len(batch) == 1 and count > 1 and all(x.row in (0, 1) for x in places)
        made = []
        for shape in own.shapes:
            inner, whole = _contiguous(shape), (*batch, *shape)
            strides = (1, *(count * s for s in inner)) if columns else _contiguous(whole)
            made.append(self._machine.empty(whole, strides, kind, stream))
        return made

    def _result_places(self, results: Sequence[View], batch: tuple[int, ...]) -> list[Place]:
        """Where results go: their own axes as one."""
        pairs = zip(results, self.signature.shapes, strict=True)
        return [placed("out", view, batch, len(shape)) for view, shape in pairs]

    def _launched(
        self,
        kind: str,
        count: int,
        places: Sequence[Place],
        results: Sequence[Place],
        stream: Any,
    ) -> None:
        """Rows one after the other through shared memory, all else by its steps."""
        if not count:
            return
        if kind not in self._kernels:
            text = TARGETS[FORMS[kind]].program_text(self.program, NAME, ())
            self._kernels[kind] = self._machine.kernels(text, (f"{NAME}_rows", f"{NAME}_steps"))
        rows, steps = self._kernels[kind]
        sizes = [*(size for _, size in self.signature.inputs), *self.signature.sizes]
        whole = [*places, *results]
        if all(
            p.row == n and (p.element == 1 or n == 1) for p, n in zip(whole, sizes, strict=True)
        ):
            self._machine.launch(rows, count, [count, *(p.address for p in whole)], stream)
        else:
            self._machine.launch(steps, count, [count, *(x for p in whole for x in p)], stream)


def _refuse_other(name: str, view: View, kind: str, size: int) -> None:
    """An error for other numbers than the first input's, and for other sizes."""
    if str(np.dtype(view.dtype)) != kind or kind not in FORMS:
        raise KorbaError(
            f"{name}: expected float64, or float32 for all arrays, got {np.dtype(view.dtype)} "
            f"beside {kind}"
        )
    if view.shape[-1:] != (size,):
        raise KorbaError(f"{name}: expected shape (..., {size}), got {tuple(view.shape)}")


def placed(name: str, view: View, batch: tuple[int, ...], own: int = 1) -> Place:
    """Rows of an array with `own` last axes for a batch of states, by one step from row to row."""
    shape, strides = view.shape, _steps(view)
    last = len(shape) - own
    pairs = zip(shape[:last], strides[:last], strict=True)
    leading = [*[0] * (len(batch) - last), *(0 if n == 1 else step for n, step in pairs)]
    element, row = _even(shape[last:], strides[last:]), _even(batch, leading)
    if element is None or row is None:
        raise KorbaError(
            f"{name}: its rows do not lie in even steps for a batch of shape {batch}; make it "
            "contiguous in that shape first"
        )
    return Place(view.ptr, row, element)


def _even(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """The one step with which axes are gone through in their order; None if there is none."""
    axes = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    if not axes:
        return prod(shape) if not shape else 1
    step = length = axes[-1][1]
    for n, s in reversed(axes):
        if s != length:
            return None
        length = n * s
    return step


def _steps(view: View) -> tuple[int, ...]:
    return _contiguous(view.shape) if view.strides is None else tuple(view.strides)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def _like(first: Any, array: Any) -> Any:
    """A result in the library of an input, where that takes arrays through DLPack."""
    namespace = getattr(first, "__array_namespace__", None)
    library = namespace() if namespace else sys.modules.get(type(first).__module__.split(".")[0])
    take = getattr(library, "from_dlpack", None)
    return array if take is None else take(array)

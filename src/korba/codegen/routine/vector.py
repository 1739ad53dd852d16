"""A vector of symbols: one expression for the element at hand, so its length costs nothing.

It goes through `+`, `*`, `@`, `np.abs`, `np.maximum`, `np.sum`, `np.max`, `np.concatenate` and
slices as an array of numbers does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from korba.errors import ExpressionError
from korba.expr import Expr
from korba.expr.functions import FUNCTIONS
from korba.expr.node import as_expr, build

if TYPE_CHECKING:
    from korba.codegen.routine.ir import Array
    from korba.codegen.routine.record import Recorder

_NAMES = {
    "absolute": "abs",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "power": "pow",
}
_FOLDS = {np.sum: "add", np.max: "maximum"}


class Vector(np.lib.mixins.NDArrayOperatorsMixin):
    """`size` elements, each the expression `element` of those of other vectors and of numbers."""

    def __init__(self, element: Expr, size: int, recorder: Recorder) -> None:
        self.element, self.size, self._recorder = element, size, recorder
        self.array: Array | None = None
        """Where its elements lie, once they were computed."""

    def __len__(self) -> int:
        return self.size

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = _NAMES.get(ufunc.__name__, ufunc.__name__)
        if method == "__call__" and name == "matmul":
            return self._recorder.fold("add", inputs[0] * inputs[1])
        if method != "__call__" or name not in FUNCTIONS or options:
            return NotImplemented
        elements = [self._recorder.element(x) for x in inputs]
        return Vector(build(name, *elements), common_size(inputs), self._recorder)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function in _FOLDS:
            return self._recorder.fold(_FOLDS[function], self)
        if function is np.concatenate:
            return self._recorder.joined(args[0])
        return NotImplemented

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return self._recorder.part(self, range(*at.indices(self.size)))
        return self._recorder.got(self._recorder.placed(self), as_expr(range(self.size)[at]))

    def __iter__(self) -> Iterator[Expr]:
        return iter([self[k] for k in range(self.size)])


def is_long(x: Any) -> bool:
    """Whether it is a vector rather than a number."""
    return isinstance(x, Vector) or (isinstance(x, np.ndarray) and x.ndim > 0)


def common_size(values: Any) -> int:
    """The length of the vectors among some values."""
    sizes = {len(x) for x in values if is_long(x)}
    if len(sizes) != 1:
        raise ExpressionError(
            f"expected vectors of one length, got lengths {', '.join(map(str, sorted(sizes)))}"
        )
    return sizes.pop()

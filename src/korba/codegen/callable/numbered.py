"""A program that many mechanisms share, with the numbers of one of them as its last input.

It is called as the program of that mechanism alone would be. Once it was asked for so many states
that a program with the numbers folded into it would have paid for its compilation, that is made and
takes over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from korba.codegen.callable.compiled import Array, Compiled, compile_program
from korba.codegen.program import Signature
from korba.codegen.routine.ir import AnyProgram

PAYS = 2_000_000_000
"""Operations, of all states together, after which folded numbers pay: about a second of them."""
CALL = 3_000
"""Operations that take as long as one call does."""


class Numbered:
    """`shared(*inputs, numbers)` as a function of the inputs alone."""

    def __init__(self, shared: Any, numbers: Array, make: Callable[[], AnyProgram]) -> None:
        self.shared, self.numbers, self._make = shared, numbers, make
        self.left = PAYS
        own = shared.signature
        self._work = own.operations.total // max(1, own.sizes[0])

    def __call__(self, *inputs: Any, **how: Any) -> Any:
        """The results for one state or a batch of them."""
        if self.left < 0:
            return self.folded(*inputs, **how)
        result = self.shared(*inputs, self.numbers, **how)
        first = result[0] if isinstance(result, tuple) else result
        self.left -= CALL + self._work * first.size
        return result

    @property
    def signature(self) -> Signature:
        """That of the program with folded numbers."""
        return self.folded.signature

    @property
    def program(self) -> AnyProgram:
        """The program with folded numbers."""
        return self.folded.program

    @cached_property
    def folded(self) -> Compiled:
        """The program of this mechanism alone."""
        return compile_program(self._make())

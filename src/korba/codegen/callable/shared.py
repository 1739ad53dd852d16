"""A program that many mechanisms share: its code, and how the numbers beside it are found.

A formula was written with symbols `p[k]` for the numbers of a mechanism. What depends on these
alone is no work of a call: it is taken out (hoist.py) and stands beside the code, filled in for
each mechanism when its code is loaded, as in beside.py. So the code is as short as that of a
mechanism whose numbers were known, and the next mechanism costs the evaluation of these numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from korba.codegen.hoist import beside
from korba.codegen.program import Program, Signature
from korba.expr import Expr
from korba.expr.evaluate import computed
from korba.expr.node import nodes_of, postorder, rows_of

LONGEST, MOST = 60_000, 2000
"""Nodes and numbers of a program up to which these stand beside it."""


@dataclass(frozen=True, eq=False)
class Shared:
    """The code of a formula for all mechanisms of a structure."""

    signature: Signature
    numbers: tuple[Expr, ...]
    """What stands beside the code, as formulas of `p`."""

    @cached_property
    def _order(self) -> list[Expr]:
        return postorder(self.numbers)

    def of(self, values: Sequence[float], name: str) -> Signature | None:
        """The signature with the numbers of one mechanism; None where one of them is none."""
        given = {f"p[{k}]": x for k, x in enumerate(values)}
        found = computed(self._order, self.numbers, given.__getitem__)
        if not np.all(np.isfinite(found)):
            return None
        return replace(self.signature, name=name, numbers=tuple(map(float, found)))

    def to_data(self) -> Any:
        """Everything as plain data."""
        place = {node: i for i, node in enumerate(self._order)}
        wanted = [place[node] for node in self.numbers]
        return self.signature.to_bytes().decode(), rows_of(self._order), wanted

    @staticmethod
    def of_data(data: Any) -> Shared:
        """The value of `to_data`, read from JSON."""
        text, rows, wanted = data
        nodes = nodes_of((op, value, tuple(places)) for op, value, places in rows)
        return Shared(Signature.from_bytes(text.encode()), tuple(nodes[i] for i in wanted))


def parted(program: Program, by: str = "p") -> tuple[Program, tuple[Expr, ...]] | None:
    """A program without what depends on the input `by` alone, and that; None if it is too long."""
    rest, numbers = beside(program, by)
    return None if len(numbers) > MOST or len(rest.nodes) > LONGEST else (rest, numbers)


def shared(program: Program, numbers: tuple[Expr, ...]) -> Shared:
    """The two parts of a program as what its callers have to know."""
    own = program.signature
    return Shared(replace(own, code=own.digest), numbers)

"""The first part of a kernel: sines and cosines of all early angles, into the scratch memory.

In a batch the lanes of a vector are states, and four angles go through the series side by side.
For one state the lanes are angles. Where one angle is out of the series' range, all of the group
are computed by the C library.
"""

from __future__ import annotations

from collections.abc import Sequence

from korba.codegen.angles import Angles
from korba.codegen.parts import Part
from korba.codegen.program import Program
from korba.codegen.targets.llvm.instructions import (
    LARGEST_ANGLE,
    Writer,
    declaration,
    small_sincos,
    vector_type,
)
from korba.codegen.targets.llvm.part import Layout, PartWriter
from korba.expr import Expr

_TOGETHER = 4  # angles that go through the series side by side
_WIDE = 4  # lanes where a vector holds the angles of one state


class AngleWriter(PartWriter):
    """A function that computes the early angles' sines and cosines, group by group."""

    def __init__(
        self, program: Program, angles: Angles, layout: Layout, fetched: set[Expr] | None
    ) -> None:
        super().__init__(program, Part(angles.nodes, {}, {}, {}), layout, fetched)
        self.angles = angles

    def _body(self) -> None:
        out = self.out
        for node in self.part.nodes:
            self.values[node] = self._computed(node)
        values = [self._value(angle) for angle, _ in self.angles.pairs]
        small = self._all_small(values)
        out.lines.append(f"br i1 {small}, label %near, label %far, !prof !1")
        out.start_block("near")
        if self.width == 1:
            self._near_across(values)
        else:
            self._near(values)
        out.lines.append("br label %done")
        out.start_block("far")
        self._far(values)
        out.lines.append("br label %done")
        out.start_block("done")

    def _all_small(self, values: Sequence[str]) -> str:
        """One bit: every angle of every lane is in the range of the series."""
        out, bits = self.out, vector_type(self.width, "i1")
        total = ""
        for value in values:
            size = out.call("fabs", value)
            here = out.set(f"fcmp ult {out.vector} {size}, {out.number(LARGEST_ANGLE)}")
            total = out.set(f"and {bits} {total}, {here}") if total else here
        if self.width == 1:
            return total
        out.used.add(f"declare i1 @llvm.vector.reduce.and.v{self.width}i1({bits})")
        return out.set(f"call i1 @llvm.vector.reduce.and.v{self.width}i1({bits} {total})")

    def _near(self, values: Sequence[str]) -> None:
        for start in range(0, len(values), _TOGETHER):
            here = [
                self._fresh(k, values[k]) for k in range(start, min(start + _TOGETHER, len(values)))
            ]
            for k, pair in enumerate(small_sincos(self.out, here), start):
                self._store_pair(k, *pair)

    def _near_across(self, values: Sequence[str]) -> None:
        """Four angles of one state in a vector."""
        wide = Writer(_WIDE, self.out.lines, self.out.used, prefix="w")
        vectors = [
            self._vector(start, values[start : start + _WIDE])
            for start in range(0, len(values), _WIDE)
        ]
        for k, pair in enumerate(small_sincos(wide, vectors)):
            self._store_pair(k * _WIDE, *pair, vector=wide.vector)

    def _vector(self, start: int, values: Sequence[str]) -> str:
        """Angles `start`, ... as one vector: loaded as they lie, if they lie so."""
        angles = [angle for angle, _ in self.angles.pairs[start : start + _WIDE]]
        places = [self.program.places.get(str(a.value), (-1, -1)) for a in angles]
        which, first = places[0]
        vector = vector_type(_WIDE)
        if places == [(which, first + k) for k in range(_WIDE)] and which >= 0:
            place = self.out.set(f"getelementptr double, ptr %in{which}g, i64 {first}")
            return self.out.set(f"load {vector}, ptr {place}, align 8")
        made = "zeroinitializer"
        for k, value in enumerate(values):
            made = self.out.set(f"insertelement {vector} {made}, double {value}, i32 {k}")
        return made

    def _fresh(self, k: int, value: str) -> str:
        """An input loaded again, rather than held since the test."""
        angle = self.angles.pairs[k][0]
        if not isinstance(angle.value, str):
            return value
        which, element = self.program.places[angle.value]
        return self._load(f"%in{which}g", element * self.tile)

    def _store_pair(self, k: int, sine: str, cosine: str, vector: str = "") -> None:
        kind = vector or self.out.vector
        for value, place in ((sine, k), (cosine, self.angles.padded + k)):
            at = self.out.set(f"getelementptr double, ptr %scratchg, i64 {place * self.width}")
            self.out.lines.append(f"store {kind} {value}, ptr {at}, align 8")

    def _far(self, values: Sequence[str]) -> None:
        self.out.used.add(declaration("sin", 1))
        self.out.used.add(declaration("cos", 1))
        for k in range(len(values)):
            value = self._fresh(k, values[k])
            self._store_pair(
                k, self.out.library_call("sin", value), self.out.library_call("cos", value)
            )

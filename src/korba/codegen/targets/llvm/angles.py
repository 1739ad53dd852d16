"""The first part of a kernel: sines and cosines of all early angles, into the scratch memory.

In a batch the lanes of a vector are states, and four angles go through the series side by side.
For one state the lanes are angles. Where one angle is out of the series' range, all of the group
are computed by the C library.
"""

from __future__ import annotations

from korba.codegen.parts import Angles, Part
from korba.codegen.program import Program
from korba.codegen.targets.llvm.groups import Layout
from korba.codegen.targets.llvm.instructions import LIKELY, Writer
from korba.codegen.targets.llvm.part import PartWriter
from korba.codegen.targets.llvm.sincos import is_small, small_sincos

_TOGETHER = 4  # angles that go through the series side by side


class AngleWriter(PartWriter):
    """A function that computes the early angles' sines and cosines, group by group."""

    def __init__(
        self,
        program: Program,
        angles: Angles,
        layout: Layout,
        needs: set[str],
        fetched: set[str] | None,
    ) -> None:
        super().__init__(program, Part(angles.nodes, {}, {}, {}), layout, needs, fetched)
        self.angles = angles

    def body(self) -> None:
        """The angles, and one test for all of them."""
        super().body()
        out, values = self.out, [self.value(angle) for angle, _ in self.angles.pairs]
        small = is_small(out, values[0])
        for value in values[1:]:
            small = out.set(f"and {out.bits} {small}, {is_small(out, value)}")
        near, far, done = out.label(), out.label(), out.label()
        out.go(near, out.reduced("and", small), far, LIKELY)
        out.start(near)
        starts = range(0, len(values), _TOGETHER)
        if self.width == 1:
            wide = Writer(_TOGETHER, out.text)
            vectors = [self._across(wide, k, values[k : k + _TOGETHER]) for k in starts]
            for k, pair in zip(starts, small_sincos(wide, vectors), strict=True):
                self._store_pair(wide, k, pair)
        else:
            for start in starts:
                stop = min(start + _TOGETHER, len(values))
                angles = [self._fresh(k, values[k]) for k in range(start, stop)]
                for k, pair in enumerate(small_sincos(out, angles), start):
                    self._store_pair(out, k, pair)
        out.go(done)
        out.start(far)
        for k in range(len(values)):
            value = self._fresh(k, values[k])
            pair = out.library_call("sin", value), out.library_call("cos", value)
            self._store_pair(out, k, pair)
        out.go(done)
        out.start(done)

    def _across(self, wide: Writer, start: int, values: list[str]) -> str:
        """Four angles of one state in a vector: loaded as they lie, if they lie so."""
        angles = [angle for angle, _ in self.angles.pairs[start : start + _TOGETHER]]
        places = [self.program.places.get(str(angle.value), (-1, -1)) for angle in angles]
        which, first = places[0]
        if places == [(which, first + k) for k in range(_TOGETHER)] and which >= 0:
            return wide.load(self.begin[f"%in{which}"], first)
        vector = "zeroinitializer"
        for k, value in enumerate(values):
            vector = wide.set(f"insertelement {wide.vector} {vector}, double {value}, i32 {k}")
        return vector

    def _fresh(self, k: int, value: str) -> str:
        """An input loaded again, rather than held since the test."""
        angle = self.angles.pairs[k][0]
        return self.variable(angle.value) if isinstance(angle.value, str) else value

    def _store_pair(self, out: Writer, k: int, pair: tuple[str, str]) -> None:
        for value, place in zip(pair, (k, self.angles.padded + k), strict=True):
            out.store(value, self.scratch, place * self.width)

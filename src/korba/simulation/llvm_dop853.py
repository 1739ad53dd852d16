"""The adaptive driver: Dormand and Prince's Runge-Kutta pair of order 8, with its interpolant.

A step from (t, y) with the slopes k_j of tableau_dop853.py is measured by

    e_5 = sum E5_j k_j / s,   e_3 = sum E3_j k_j / s,   s = atol + rtol max(|y|, |y_new|)
    err = h |e_5|^2 / sqrt(n (|e_5|^2 + 0.01 |e_3|^2))                              (1)

and accepted where err < 1; the next step is 0.9 err^(-1/8) times as long, within 0.2 ... 10, and
not longer than the last after a rejection: the control of SciPy's DOP853, step for step. Inside a
step the state is the polynomial of order 7 of Hairer, Norsett & Wanner (II.6), for which three
slopes more are found where a time is asked for. A step counts as stiff where it is limited by
stability, h |k_12 - k_11| > 6.1 |y_new - y_11| (their section IV.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from . import tableau_dop853 as tableau
from .driver import DONE, TOO_SMALL, Driver, Sizes, one_minus
from .llvm_code import VECTOR, number, splat

VECTORS = {"y_old": 1, "K": 16, "F": 7}
_SMALLEST = 10 * 2.0**-52
_SAFETY, _LEAST, _MOST, _STIFF = 0.9, 0.2, 10.0, 6.1**2


def dop853(sizes: Sizes) -> Driver:
    """The driver for a state of the given size."""
    c = _Dop853(sizes, VECTORS)
    rejected = c.cell("i1")
    c.go("step")
    c.begin("step")
    c.write_due_times()
    c.leave_when(c.compare("oge", c.get("t"), c.get("end")), DONE)
    c.leave_when_full()
    c.leave_when_enough()
    shortest = c.greatest(c.get("shortest"), c.mul(number(_SMALLEST), c.call("fabs", c.get("t"))))
    c.put("h", c.least(c.greatest(c.get("h"), shortest), c.get("longest")))
    c.lines.append(f"store i1 false, ptr {rejected}")
    c.go("attempt")
    c.begin("attempt")
    c.leave_when(c.compare("ult", c.get("h"), shortest), TOO_SMALL)
    t, t_new, h = c.clipped_step()
    c.stages(t, h)
    c.slope(t_new, "y_new", "K", 12)
    c.count("slopes", 12)
    error, stiff = c.error(h)
    factor = c.mul(number(_SAFETY), c.eighth_root_inverse(error))
    c.lines.append(f"br i1 {c.compare('olt', error, number(1.0))}, label %accept, label %reject")
    c.begin("reject")
    c.put("h", c.mul(h, c.greatest(number(_LEAST), factor)))
    c.lines.append(f"store i1 true, ptr {rejected}")
    c.count("rejected")
    c.go("attempt")
    c.begin("accept")
    again = c.set(f"load i1, ptr {rejected}")
    limit = c.set(f"select i1 {again}, double {number(1.0)}, double {number(_MOST)}")
    c.put("h", c.mul(h, c.least(limit, factor)))
    c.finish_step(t, t_new, h, stiff)
    c.go("step")
    return c


class _Dop853(Driver):
    """The parts of the driver."""

    def clipped_step(self) -> tuple[str, str, str]:
        """t, and end and length of the step, which does not go beyond the end of the run."""
        t, end = self.get("t"), self.get("end")
        t_new = self.least(self.add(t, self.get("h")), end)
        return t, t_new, self.op("fsub", t_new, t)

    def stages(self, t: str, h: str) -> None:
        """Slopes 1 ... 11, and y_new."""
        for s in range(1, 12):
            self.combine("stage", h, tableau.A[s])
            self.slope(self.add(t, self.mul(number(tableau.C[s]), h)), "stage", "K", s)
        self.combine("y_new", h, tableau.B)

    def error(self, h: str) -> tuple[str, str]:
        """The measure (1) of the error, and whether stability limits the step."""
        cells = [self.cell(VECTOR) for _ in range(4)]
        for cell in cells:
            self.lines.append(f"store {VECTOR} {splat(0.0)}, ptr {cell}")
        rtol = self.spread(self.get("rtol"))
        with self.blocks() as i:
            size = self.vcall(
                "maxnum", *[self.vcall("fabs", self.vector(name, i)) for name in ("y", "y_new")]
            )
            scale = self.vop(
                "fadd contract", self.vector("atol", i), self.vop("fmul contract", rtol, size)
            )
            step = self.vop("fsub", self.vector("y_new", i), self.vector("stage", i))
            rows: list[Mapping[int, float]] = [tableau.E5, tableau.E3, {12: 1.0, 11: -1.0}]
            for cell, value in zip(
                cells, [*(self.weighted("K", i, row) for row in rows), step], strict=True
            ):
                self._add_square(cell, self.vop("fdiv", value, scale))
        e5, e3, turn, moved = (self.total(self.set(f"load {VECTOR}, ptr {x}")) for x in cells)
        mixed = self.add(e5, self.mul(number(0.01), e3))
        root = self.call("sqrt", self.mul(mixed, self.get("controlled")))
        measure = self.op("fdiv", self.mul(h, e5), root)
        none = self.compare("oeq", e5, number(0.0))
        stiff = self.compare("ogt", self.mul(self.mul(h, h), turn), self.mul(number(_STIFF), moved))
        return self.set(f"select i1 {none}, double {number(0.0)}, double {measure}"), stiff

    def _add_square(self, cell: str, x: str) -> None:
        before = self.set(f"load {VECTOR}, ptr {cell}")
        after = self.vop("fadd contract", before, self.vop("fmul contract", x, x))
        self.lines.append(f"store {VECTOR} {after}, ptr {cell}")

    def eighth_root_inverse(self, x: str) -> str:
        """X^(-1/8); of nan it is nan, which makes the step shorter."""
        for _ in range(3):
            x = self.call("sqrt", x)
        return self.op("fdiv", number(1.0), x)

    def finish_step(self, t: str, t_new: str, h: str, stiff: str) -> None:
        """The new state is the state; rows are written or made ready."""
        for name, value in (("t_old", t), ("h_old", h), ("t", t_new)):
            self.put(name, value)
        self.copy("y_old", "y")
        with self.when(self.due()):
            self.prepare_interpolant(t, h)
        self.settle()
        self.copy("K", "K", 12 * self.memory.padded)
        self.count("steps")
        with self.when(stiff):
            self.count("stiff")
        self.write_each_step("y")

    def prepare_interpolant(self, t: str, h: str) -> None:
        """The polynomials F of the step, which need three more slopes."""
        for s in range(13, 16):
            self.combine("stage", h, tableau.A[s], "y_old")
            self.slope(self.add(t, self.mul(number(tableau.C[s]), h)), "stage", "K", s)
        self.count("slopes", 3)
        step, n = self.spread(h), self.memory.padded
        with self.blocks() as i:
            change = self.vop("fsub", self.vector("y_new", i), self.vector("y_old", i))
            first = self.vop("fmul", step, self.vector("K", i))
            last = self.vop("fmul", step, self.vector("K", i, 12 * n))
            twice = self.vop("fadd", change, change)
            rows = [change, self.vop("fsub", first, change)]
            rows.append(self.vop("fsub", twice, self.vop("fadd", first, last)))
            rows += [self.vop("fmul", step, self.weighted("K", i, row)) for row in tableau.D]
            for k, row in enumerate(rows):
                self.store("F", i, row, k * n)

    def interpolate(self, x: str, into: str) -> None:
        """y_old + x (F_0 + (1 - x) (F_1 + x (F_2 + ...)))."""
        along, rest = self.spread(x), self.spread(one_minus(self, x))
        n = self.memory.padded
        with self.blocks() as i:
            value = splat(0.0)
            for k in reversed(range(7)):
                value = self.vop("fadd", value, self.vector("F", i, k * n))
                value = self.vop("fmul", value, along if k % 2 == 0 else rest)
            self.store(into, i, self.vop("fadd", self.vector("y_old", i), value))

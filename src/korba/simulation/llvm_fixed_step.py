"""Drivers with steps of one length: the classical Runge-Kutta scheme, and Gauss's.

Runge-Kutta (order 4, explicit):

    k_1 = f(t, y),  k_2 = f(t + h/2, y + h k_1/2),  k_3 = f(t + h/2, y + h k_2/2),
    k_4 = f(t + h, y + h k_3),      y_new = y + h (k_1 + 2 k_2 + 2 k_3 + k_4) / 6

Gauss (order 4, two stages, implicit; symplectic in canonical coordinates):

    k_i = f(t + c_i h, y + h sum_j a_ij k_j),      y_new = y + h (k_1 + k_2) / 2

with the k_i found by fixed-point iteration from those of the step before until they stand still in
the last digits. Steps end at start + k h, without sums of rounding; the state is summed with
compensation, so that rounding does not drift over long runs. Between steps the state is Hermite's
cubic, of the same order. Source: Hairer, Lubich & Wanner (2006), Geometric Numerical Integration,
sections II.1, VIII.5 and VIII.6.
"""

from __future__ import annotations

from collections.abc import Callable

from .driver import DONE, NO_CONVERGENCE, NOT_FINITE, Driver, Sizes, one_minus
from .llvm_code import VECTOR, number, splat

VECTORS = {"K": 4, "f_0": 1, "f_1": 1, "lost": 1}
MOST_ITERATIONS = 100
_ROOT = 3**0.5 / 6
GAUSS_A = ({0: 0.25, 1: 0.25 - _ROOT}, {0: 0.25 + _ROOT, 1: 0.25})
GAUSS_C = (0.5 - _ROOT, 0.5 + _ROOT)
_STANDS = 2e-16  # change of an iteration that is rounding alone
_NEARLY = 1e-13  # below it an iteration that no longer gains is done
_TINY = 1e-30


def rk4(sizes: Sizes) -> Driver:
    """The driver of the explicit scheme."""
    return _Fixed(sizes, VECTORS).with_steps(_runge_kutta)


def gauss(sizes: Sizes) -> Driver:
    """The driver of the symplectic scheme."""
    return _Fixed(sizes, VECTORS).with_steps(_gauss)


class _Fixed(Driver):
    """The parts that both have."""

    def with_steps(self, make_step: Callable[[_Fixed, str, str], None]) -> _Fixed:
        """The whole driver around one step, `make_step(driver, t, h)`: y_new from y."""
        self.go("step")
        self.begin("step")
        with self.when(self.set(f"icmp ne i64 {self.counter('ready')}, 0")):
            self.write_due_times()
            with self.when(self.set(f"icmp ne i64 {self.counter('each')}, 0")):
                self.leave_when_full()
                self.write_row("y_new", self.get("t"))
            self.settle()
            self.set_counter("ready", "0")
        steps, total = self.counter("steps"), self.counter("total")
        self.leave_when(self.set(f"icmp sge i64 {steps}, {total}"), DONE)
        self.leave_when_enough()
        t, h = self.get("t"), self.get("h")
        make_step(self, t, h)
        self.leave_when(self.not_finite(), NOT_FINITE)
        t_new = self._end_of_step(steps, total, h)
        for name, value in (("t_old", t), ("h_old", h), ("t", t_new)):
            self.put(name, value)
        with self.when(self.due()):
            self.slope(t, "y", "f_0")
            self.slope(t_new, "y_new", "f_1")
            self.count("slopes", 2)
        self.count("steps")
        self.set_counter("ready", "1")
        self.go("step")
        return self

    def _end_of_step(self, steps: str, total: str, h: str) -> str:
        number_of = self.set(f"add i64 {steps}, 1")
        passed = self.mul(self.set(f"sitofp i64 {number_of} to double"), h)
        last = self.set(f"icmp sge i64 {number_of}, {total}")
        on_grid = self.add(self.get("start"), passed)
        return self.set(f"select i1 {last}, double {self.get('end')}, double {on_grid}")

    def advance(self, h: str, weights: dict[int, float]) -> None:
        """y_new = y + h sum_j weights[j] K_j, with what rounding lost kept for the next step."""
        step = self.spread(h)
        with self.blocks() as i:
            y = self.vector("y", i)
            change = self.vop("fmul", step, self.weighted("K", i, weights))
            change = self.vop("fadd", change, self.vector("lost", i))
            new = self.vop("fadd", y, change)
            self.store("y_new", i, new)
            self.store("lost", i, self.vop("fadd", self.vop("fsub", y, new), change))

    def not_finite(self) -> str:
        """Whether an element of y_new is infinite or not a number."""
        cell = self.cell(VECTOR)
        self.lines.append(f"store {VECTOR} {splat(0.0)}, ptr {cell}")
        with self.blocks() as i:
            nothing = self.vop("fmul", self.vector("y_new", i), splat(0.0))
            before = self.set(f"load {VECTOR}, ptr {cell}")
            self.lines.append(f"store {VECTOR} {self.vop('fadd', before, nothing)}, ptr {cell}")
        return self.compare("uno", self.total(self.set(f"load {VECTOR}, ptr {cell}")), number(0.0))

    def interpolate(self, x: str, into: str) -> None:
        """Hermite's cubic through both ends with their slopes."""
        rest = one_minus(self, x)
        h, outer = self.get("h_old"), self.mul(x, self.op("fsub", x, number(1.0)))
        bend = self.op("fsub", rest, x)
        weights = [self.spread(v) for v in (rest, x, outer, bend)]
        slopes = [self.spread(self.mul(h, v)) for v in (self.op("fsub", x, number(1.0)), x)]
        with self.blocks() as i:
            y0, y1 = self.vector("y", i), self.vector("y_new", i)
            straight = self._sum([(weights[0], y0), (weights[1], y1)])
            change = self.vop("fsub", y1, y0)
            ends = [(slopes[0], self.vector("f_0", i)), (slopes[1], self.vector("f_1", i))]
            curved = self._sum([(weights[3], change), *ends])
            self.store(into, i, self._sum([(splat(1.0), straight), (weights[2], curved)]))

    def _sum(self, terms: list[tuple[str, str]]) -> str:
        total = ""
        for weight, value in terms:
            share = self.vop("fmul", weight, value)
            total = self.vop("fadd", total, share) if total else share
        return total


def _runge_kutta(c: _Fixed, t: str, h: str) -> None:
    half = c.mul(number(0.5), h)
    c.slope(t, "y", "K", 0)
    for row, (before, part) in enumerate([(0, half), (1, half), (2, h)], start=1):
        c.combine("stage", part, {before: 1.0})
        c.slope(c.add(t, part), "stage", "K", row)
    c.count("slopes", 4)
    c.advance(h, {0: 1 / 6, 1: 1 / 3, 2: 1 / 3, 3: 1 / 6})


def _gauss(c: _Fixed, t: str, h: str) -> None:
    """A step by fixed-point iteration.

    It is done where no element changes any more, or where the largest change, relative to the
    largest element, is small and no longer shrinks: elements that are zero but for rounding
    never stand still.
    """
    measures = [c.cell(VECTOR) for _ in range(3)]
    before, count = c.cell("double"), c.cell("i64")
    c.lines.append(f"store double {number(float.fromhex('0x1p1000'))}, ptr {before}")
    c.lines.append(f"store i64 0, ptr {count}")
    c.go("iterate")
    c.begin("iterate")
    c.lines += [f"store {VECTOR} {splat(0.0)}, ptr {cell}" for cell in measures]
    for stage in range(2):
        c.combine("stage", h, GAUSS_A[stage])
        c.slope(c.add(t, c.mul(number(GAUSS_C[stage]), h)), "stage", "f_0")
        _replace_slope(c, stage, h, measures)
    c.count("slopes", 2)
    made = c.set(f"add i64 {c.set(f'load i64, ptr {count}')}, 1")
    c.lines.append(f"store i64 {made}, ptr {count}")
    each, moved, size = (_largest(c, c.set(f"load {VECTOR}, ptr {cell}")) for cell in measures)
    now, last = c.op("fdiv", moved, size), c.set(f"load double, ptr {before}")
    c.lines.append(f"store double {now}, ptr {before}")
    c.leave_when(c.compare("uno", each, moved), NO_CONVERGENCE)
    stands = c.compare("ole", each, number(_STANDS))
    near, no_gain = c.compare("olt", now, number(_NEARLY)), c.compare("oge", now, last)
    done = c.set(f"or i1 {stands}, {c.set(f'and i1 {near}, {no_gain}')}")
    c.lines.append(f"br i1 {done}, label %iterated, label %further")
    c.begin("further")
    c.leave_when(c.set(f"icmp sge i64 {made}, {MOST_ITERATIONS}"), NO_CONVERGENCE)
    c.go("iterate")
    c.begin("iterated")
    c.advance(h, {0: 0.5, 1: 0.5})


def _replace_slope(c: _Fixed, stage: int, h: str, measures: list[str]) -> None:
    """K_stage = f_0; the measures gain its change, by element and in all, and the size of y."""
    step, place = c.spread(h), stage * c.memory.padded
    with c.blocks() as i:
        new, old = c.vector("f_0", i), c.vector("K", i, place)
        moved = c.vop("fmul", step, c.vcall("fabs", c.vop("fsub", new, old)))
        motion = c.vop("fmul", step, c.vcall("fabs", new))
        size = c.vop("fadd", c.vcall("fabs", c.vector("y", i)), c.vop("fadd", motion, splat(_TINY)))
        found = (c.vop("fdiv", moved, size), moved, size)
        for cell, value in zip(measures, found, strict=True):
            before = c.set(f"load {VECTOR}, ptr {cell}")
            c.lines.append(f"store {VECTOR} {c.vcall('maximum', before, value)}, ptr {cell}")
        c.store("K", i, new, place)


def _largest(c: _Fixed, block: str) -> str:
    parts = [c.set(f"extractelement {VECTOR} {block}, i32 {k}") for k in range(4)]
    first = c.call("maximum", parts[0], parts[1])
    return c.call("maximum", first, c.call("maximum", parts[2], parts[3]))

"""What all drivers share: their memory, the functions they call and the rows they write.

A driver is a function

    int64 run(double *m, int64 *c, double *times, double *rows)

compiled together with three kernels of the mechanism, which all take the state y, the time, the
given forces and the base of local coordinates:

    slope(y, t, tau, base) -> dy/dt        the equations of motion
    settle(y, t, tau, base) -> y, base     what is done to the state after every step
    row(y, t, tau, base) -> t, q, v, ...   what is written down

It makes steps until the asked end, or until the array of rows is full or enough steps are made, and
then returns; called again it goes on where it was. `settle` is the place of projections: unit
quaternions today, closed loops later. Right after it a step has ended and its interpolant can be
made: the place to ask functions of events whether they changed sign, and to return for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .llvm_code import Code, Memory, memory, number

MORE, DONE, TOO_SMALL, NOT_FINITE, NO_CONVERGENCE = range(5)
"""What `run` returns."""

SCALARS = (
    "t",
    "h",
    "start",
    "end",
    "rtol",
    "longest",
    "shortest",
    "controlled",
    "stage_time",
    "t_old",
    "h_old",
)
"""`controlled` is the count of elements under error control; `shortest` a floor for steps."""

COUNTERS = (
    "steps",
    "rejected",
    "slopes",
    "stiff",
    "next",
    "times",
    "rows",
    "capacity",
    "most",
    "each",
    "total",
    "ready",
)
"""`next` of `times` is written next; `most` steps make a call return; `each` writes every step."""


@dataclass(frozen=True)
class Sizes:
    """Elements of the arrays that a driver handles."""

    state: int
    tau: int
    base: int
    row: int
    scratch: int
    """Doubles of working memory of the kernels."""


def driver_memory(sizes: Sizes, vectors: Mapping[str, int]) -> Memory:
    """Places of what every driver has, and of the vectors of one (name -> number of rows)."""
    n = -(-max(1, sizes.state) // 4) * 4
    common = {"y": n, "y_new": n, "stage": n, "atol": n}
    given = {"tau": sizes.tau, "base": sizes.base, "base_new": sizes.base, "scratch": sizes.scratch}
    own = {name: rows * n for name, rows in vectors.items()}
    return memory(sizes.state, SCALARS, {**common, **given, **own}, COUNTERS)


class Driver(Code):
    """A driver being written."""

    def __init__(self, sizes: Sizes, vectors: Mapping[str, int]) -> None:
        super().__init__(driver_memory(sizes, vectors))
        self.sizes = sizes

    def slope(self, t: str, of: str, into: str, row: int = 0) -> None:
        """Row `row` of `into` = dy/dt at the state `of`."""
        self.put("stage_time", t)
        out = self.place(into, row * self.memory.padded)
        self._kernel("slope", of, "stage_time", f"ptr {out}")

    def settle(self) -> None:
        """The state y = what y_new becomes after the step."""
        outputs = f"ptr {self.place('y')}"
        if self.sizes.base:
            outputs += f", ptr {self.place('base_new')}"
        self._kernel("settle", "y_new", "t", outputs)
        for k in range(self.sizes.base):
            value = self.set(f"load double, ptr {self.place('base_new', k)}")
            self.lines.append(f"store double {value}, ptr {self.place('base', k)}")

    def write_row(self, of: str, t: str) -> None:
        """Write the state `of` down."""
        self.put("stage_time", t)
        offset = self.set(f"mul i64 {self.counter('rows')}, {self.sizes.row}")
        at = self.set(f"getelementptr double, ptr %rows, i64 {offset}")
        self._kernel("row", of, "stage_time", f"ptr {at}")
        self.count("rows")

    def _kernel(self, name: str, y: str, t: str, outputs: str) -> None:
        inputs = ", ".join(f"ptr {self.place(key)}" for key in (y, t, "tau", "base"))
        scratch = self.place("scratch")
        self.lines.append(f"call void @{name}({inputs}, {outputs}, ptr {scratch}, i64 1)")

    def combine(self, into: str, h: str, weights: Mapping[int, float], of: str = "y") -> None:
        """`into` = of + h sum_j weights[j] K_j."""
        step = self.spread(h)
        with self.blocks() as i:
            change = self.vop("fmul contract", step, self.weighted("K", i, weights))
            self.store(into, i, self.vop("fadd contract", self.vector(of, i), change))

    def copy(self, into: str, of: str, offset: int = 0) -> None:
        """`into` = of, from `offset` on."""
        with self.blocks() as i:
            self.store(into, i, self.vector(of, i, offset))

    def leave_when_full(self) -> None:
        """Return for more room where the array of rows is full."""
        full = f"icmp sge i64 {self.counter('rows')}, {self.counter('capacity')}"
        self.leave_when(self.set(full), MORE)

    def leave_when_enough(self) -> None:
        """Return where this call has made its steps."""
        enough = f"icmp sge i64 {self.counter('steps')}, {self.counter('most')}"
        self.leave_when(self.set(enough), MORE)

    def due(self) -> str:
        """Whether a time is asked for that is not after t."""
        there = self.set(f"icmp slt i64 {self.counter('next')}, {self.counter('times')}")
        cell = self.cell("i1")
        self.lines.append(f"store i1 false, ptr {cell}")
        with self.when(there):
            reached = self.compare("ole", self.next_time(), self.get("t"))
            self.lines.append(f"store i1 {reached}, ptr {cell}")
        return self.set(f"load i1, ptr {cell}")

    def next_time(self) -> str:
        """The next time asked for."""
        at = self.set(f"getelementptr double, ptr %times, i64 {self.counter('next')}")
        return self.set(f"load double, ptr {at}")

    def write_due_times(self) -> None:
        """Write a row at every time asked for up to t, by `interpolate`."""
        again, write, after = (self.new(key) for key in ("waiting", "write", "written"))
        self.go(again)
        self.begin(again)
        self.lines.append(f"br i1 {self.due()}, label %{write}, label %{after}")
        self.begin(write)
        self.leave_when_full()
        t = self.next_time()
        self.interpolate(
            self.op("fdiv", self.op("fsub", t, self.get("t_old")), self.get("h_old")), "stage"
        )
        self.write_row("stage", t)
        self.count("next")
        self.go(again)
        self.begin(after)

    def interpolate(self, x: str, into: str) -> None:
        """`into` = the state at t_old + x h_old."""
        raise NotImplementedError(f"{type(self).__name__}.interpolate")

    def write_each_step(self, of: str) -> None:
        """Write a row where every step is wanted."""
        wanted = self.set(f"icmp ne i64 {self.counter('each')}, 0")
        with self.when(wanted):
            self.write_row(of, self.get("t"))

    def text(self) -> str:
        """The function `run`."""
        return self.function("i64 @run(ptr %m, ptr %c, ptr %times, ptr %rows)")


def one_minus(code: Code, x: str) -> str:
    """1 - x."""
    return code.op("fsub", number(1.0), x)

"""Inverse and forward dynamics of robots beside Pinocchio, in one run.

Pinocchio's own C++ batch calls (`rneaInParallel`, `abaInParallel`) and its calls from Python,
against Korba on plain row-major arrays, on tiles, and called for one state. Needs the extra `bench`
and example-robot-data. Results are checked against each other before they are timed. Both sides are
timed in turns, so that a busy moment of the machine meets both; the least time of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import korba as kb
from korba.codegen import tiles

ROBOTS = ("ur5_robot", "xarm7", "simple_humanoid")
STATES = 100_000
GOALS = {  # rows, tiles, one call: times Pinocchio's speed
    ("arm", "inverse"): (22, 35, 6),
    ("arm", "forward"): (28, 40, 6),
    ("humanoid", "inverse"): (17, 24, None),
    ("humanoid", "forward"): (22, 30, None),
}
THREADS_GOAL = 1.7


def robot_files() -> list[Path]:
    share = distribution("example-robot-data").locate_file("cmeel.prefix/share")
    return sorted(Path(str(share)).rglob("*.urdf"))


def urdf(name: str) -> Path:
    return next(path for path in robot_files() if path.stem == name)


def race(
    calls: list[Callable[[], object]],
    repeats: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Least time of each call, after one to warm up; the calls take turns.

    Processor time, unless told otherwise: the clock on the wall of a busy machine favours whoever
    is done before the next interruption.
    """
    least = [float("inf")] * len(calls)
    for turn in range(repeats + 1):
        for k, call in enumerate(calls):
            start = clock()
            call()
            if turn:
                least[k] = min(least[k], clock() - start)
    return least


def many(call: Callable[[], object], count: int = 2000) -> Callable[[], object]:
    """The call, that many times over."""

    def repeated() -> None:
        for _ in range(count):
            call()

    return repeated


def pinocchio_order(model: object, m: kb.Mechanism) -> list[int]:
    """Place in Korba's q of each of Pinocchio's velocities; joints of one freedom only."""
    names = {model.joints[i].idx_v: model.names[i] for i in range(1, model.njoints)}  # type: ignore[attr-defined]
    return [m.coordinates.index(names[k]) for k in range(model.nv)]  # type: ignore[attr-defined]


def undamped(m: kb.Mechanism) -> kb.Mechanism:
    """Without viscous damping, which Pinocchio's recursions leave out."""
    return replace(m, joints=tuple(replace(joint, damping=0.0) for joint in m.joints))


class Robot:
    """A robot for both libraries, and states for both in their own order."""

    def __init__(self, name: str) -> None:
        import pinocchio as pin

        self.name, self.pin = name, pin
        self.m = undamped(kb.read_urdf(urdf(name), merge_fixed=True))
        self.model = pin.buildModelFromUrdf(str(urdf(name)))
        self.data = self.model.createData()
        self.order = pinocchio_order(self.model, self.m)
        self.states = np.random.default_rng(0).uniform(-1, 1, size=(3, STATES, self.m.nv))
        self.theirs = [np.asfortranarray(x[:, self.order].T) for x in self.states]
        self.out = np.zeros((self.model.nv, STATES), order="F")

    def verbs(self) -> list[tuple[str, Callable[..., object], object, object]]:
        inverse = ("inverse", kb.inverse_dynamics, self.pin.rneaInParallel, self.pin.rnea)
        return [inverse, ("forward", kb.forward_dynamics, self.pin.abaInParallel, self.pin.aba)]

    def checked(self, verb: Callable[..., object], batch: object) -> object:
        """Korba's code of a verb, after comparing its answers with Pinocchio's."""
        f = kb.compile(verb, self.m)
        batch(1, self.pin.ModelPool(self.model, 1), *self.theirs, self.out)  # type: ignore[operator]
        difference = np.abs(f(*self.states)[:, self.order].T - self.out).max()
        assert difference < 1e-9 * np.abs(self.out).max()
        return f


def one_thread(robot: Robot) -> list[str]:
    found = []
    for word, verb, batch, single in robot.verbs():
        f = robot.checked(verb, batch)
        pool = robot.pin.ModelPool(robot.model, 1)
        tiled = [tiles(x) for x in robot.states]
        one = [x[0].copy() for x in robot.states]
        their_one = [x[:, 0].copy() for x in robot.theirs]
        t = race(
            [
                partial(batch, 1, pool, *robot.theirs, robot.out),
                partial(f, *robot.states),
                partial(f.on_tiles, *tiled),
            ]
        )
        calls = race(
            [many(partial(single, robot.model, robot.data, *their_one)), many(partial(f, *one))], 30
        )
        goals = GOALS["humanoid" if "humanoid" in robot.name else "arm", word]
        ratios = (t[0] / t[1], t[0] / t[2], calls[0] / calls[1])
        ns = [x / STATES * 1e9 for x in t]
        cells = [
            f"{r:.1f} x{'' if g is None else f' ({g} x)'}"
            for r, g in zip(ratios, goals, strict=True)
        ]
        found.append(
            f"| {robot.name} ({robot.m.nv}), {word} | {ns[0]:.0f} | {ns[1]:.1f} | {cells[0]} "
            f"| {ns[2]:.1f} | {cells[1]} | {calls[1] / 2000 * 1e9:.0f} | {cells[2]} |"
        )
    return found


def two_threads(robot: Robot) -> list[str]:
    found = []
    for word, verb, batch, _ in robot.verbs():
        f = robot.checked(verb, batch)
        tiled = [tiles(x) for x in robot.states]
        calls: list[Callable[[], object]] = []
        for threads in (1, 2):
            pool = robot.pin.ModelPool(robot.model, threads)
            calls += [
                partial(f, *robot.states, threads=threads),
                partial(f.on_tiles, *tiled, threads=threads),
                partial(batch, threads, pool, *robot.theirs, robot.out),
            ]
        t = race(calls, 15, time.perf_counter)
        cells = [f"{t[k] / t[k + 3]:.2f} x" for k in range(3)]
        found.append(f"| {robot.name} ({robot.m.nv}), {word} | " + " | ".join(cells) + " |")
    return found


def table() -> str:
    robots = [Robot(name) for name in ROBOTS]
    lines = [f"## Trees: {STATES} states, one thread; times Pinocchio's speed (goal)", ""]
    lines += ["| robot | Pinocchio ns | rows ns | ratio | tiles ns | ratio | one call ns | ratio |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    lines += [row for robot in robots for row in one_thread(robot)]
    lines += ["", f"## Two threads against one (goal {THREADS_GOAL} x on an idle machine)", ""]
    lines += ["| robot | Korba, rows | Korba, tiles | Pinocchio |", "|---|---|---|---|"]
    lines += [row for robot in robots for row in two_threads(robot)]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

"""Routines in the lanes of vectors beside what they replace, on one core, in one process.

Many runs against the same runs one by one: both sides are asked for the start and the end of every
run, and the loop is timed on a part of the runs and counted for all of them. A four-bar closed at
many angles against Newton's method with NumPy's masks around a compiled step.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from simulation import pendulum

import korba as kb
from korba.positions.loop_system import LoopSystem
from korba.solve.batch_positions import held_system

REPEATS = 5


def best(call: Callable[[], Any]) -> float:
    """The shortest of some calls, in seconds, after one to warm up."""
    call()
    found = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return min(found)


def compared(count: int, part: int, until: float, **options: Any) -> tuple[float, float]:
    """Seconds for all runs in lanes, and in a loop."""
    m, q = pendulum(), np.random.default_rng(0).uniform(-1, 1, (count, 2))
    lanes = best(lambda: kb.simulate(m, until, q=q, **options))
    loop = best(
        lambda: [kb.simulate(m, until, q=row, **{"times": 2, **options}) for row in q[:part]]
    )
    return lanes, loop * count / part


FOUR_BAR = """
name = "four-bar"
plane = "xy"
body = [{name = "crank"}, {name = "coupler"}, {name = "rocker"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = [0, 0.2]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = [0.5, 0.5]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = [0.8, 0]},
]
"""


def masked(system: LoopSystem, start: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Closed positions by steps of all that are not there yet, the way halved where it is long."""
    q = np.repeat(start[None], len(target), axis=0)
    done, part, busy = np.zeros(len(target)), np.ones(len(target)), np.arange(len(target))
    while len(busy):
        end = np.minimum(1.0, done[busy] + part[busy])
        new, good, last = q[busy], np.ones(len(busy), dtype=bool), np.full(len(busy), np.inf)
        for k in range(8):
            new, x, _ = system.newton(new, end[:, None] * target[busy], np.zeros(2))
            size = np.max(np.abs(x) / system.units, axis=1)
            good &= size <= (1.5 if k == 0 else np.maximum((0.25, 0.5)[k > 1] * last, 1e-9))
            last = size
            if not np.any(size[good] > 1e-9):
                break
        good &= last <= 1e-9
        q[busy[good]], done[busy[good]] = new[good], end[good]
        part[busy] *= np.where(good, 1.5, 0.5)
        busy = busy[(done[busy] < 1.0) & (part[busy] > 1e-4)]
    return q


def closed(angles: np.ndarray) -> tuple[float, float]:
    """Seconds for a four-bar closed at all angles, in lanes and with masks."""
    m = kb.loads(FOUR_BAR)
    system, start = held_system(m, ("A",)), kb.assemble(m, {"A": 0.0}).q
    blocks = [angles[k : k + 2048, None] for k in range(0, len(angles), 2048)]
    answer = np.concatenate([masked(system, start, block) for block in blocks])
    assert np.abs(kb.assemble(m, {"A": angles}).q - answer).max() < 1e-13
    lanes = best(lambda: kb.assemble(m, {"A": angles}))
    return lanes, best(lambda: [masked(system, start, block) for block in blocks])


def table() -> str:
    runs = {
        "RK4, 10,000 runs of 1,000 steps": (
            10_000,
            200,
            1.0,
            {"method": kb.Method("rk4", step=1e-3)},
        ),
        "dop853 at 1e-8, 1,000 runs of 10 s": (1_000, 100, 10.0, {}),
        "dop853, the same at 101 times": (1_000, 100, 10.0, {"times": 101}),
    }
    lines = [
        "## Routines in lanes, one core",
        "",
        "| double pendulums; four-bars | lanes, ms | one by one; masks, ms | times |",
        "|---|---|---|---|",
    ]
    for name, (count, part, until, options) in runs.items():
        lanes, loop = compared(count, part, until, **options)
        lines.append(f"| {name} | {1e3 * lanes:.0f} | {1e3 * loop:.0f} | {loop / lanes:.1f} x |")
    angles = np.linspace(-np.pi, np.pi, 100_000)
    for name, given in (("a whole turn", angles), ("0.6 rad", 0.3 / np.pi * angles)):
        lanes, masks = closed(given)
        lines.append(
            f"| four-bar closed at 1e5 angles of {name} | {1e3 * lanes:.1f} | {1e3 * masks:.0f} | "
            f"{masks / lanes:.1f} x |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

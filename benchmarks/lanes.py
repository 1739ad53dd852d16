"""Many runs in the lanes of vectors beside the same runs one by one, on one core, in one process.

Both sides are asked for the start and the end of every run; the loop is timed on a part of the runs
and counted for all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from simulation import pendulum

import korba as kb

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


def table() -> str:
    runs = {
        "RK4, 10,000 runs of 1,000 steps": (10_000, 200, 1.0, {"method": "rk4", "step": 1e-3}),
        "dop853 at 1e-8, 1,000 runs of 10 s": (1_000, 100, 10.0, {}),
        "dop853, the same at 101 times": (1_000, 100, 10.0, {"times": 101}),
    }
    lines = [
        "## Double pendulums in lanes, one core",
        "",
        "| runs | lanes, ms | one by one, ms | times |",
        "|---|---|---|---|",
    ]
    for name, (count, part, until, options) in runs.items():
        lanes, loop = compared(count, part, until, **options)
        lines.append(f"| {name} | {1e3 * lanes:.0f} | {1e3 * loop:.0f} | {loop / lanes:.1f} x |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

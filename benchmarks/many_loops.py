"""Forward dynamics of many four-bars in a row: loops whose equations are banded.

The N-four-bar: N + 1 cranks of 1 m on the ground, a coupler of 1 m from each to the next, rods of
1 kg: one freedom, 2 N + 1 bodies, N loops. For each N the processor time until the first result is
there, with nothing cached, the time of one call, and that time per four-bar beside the one of the
smallest N: 1 where it grows with N and no faster.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

import korba as kb
from korba.codegen import CacheFolder, compile_program

NUMBERS = (10, 100, 1000)
LEAN = 0.4


def four_bars(n: int) -> kb.Mechanism:
    feet = np.column_stack([np.arange(n + 1.0), np.zeros(n + 1)])
    tips = feet + np.array([np.sin(LEAN), np.cos(LEAN)])
    ends = {f"crank{i}": (feet[i], tips[i]) for i in range(n + 1)}
    ends |= {f"coupler{i}": (tips[i], tips[i + 1]) for i in range(n)}
    bodies = [kb.Body(name, 1.0, tuple((P + Q) / 2), 1 / 12) for name, (P, Q) in ends.items()]
    pins = [(f"A{i}", "ground", f"crank{i}", feet[i]) for i in range(n + 1)]
    for i in range(n):
        pins.append((f"B{i}", f"crank{i}", f"coupler{i}", tips[i]))
        pins.append((f"C{i}", f"coupler{i}", f"crank{i + 1}", tips[i + 1]))
    joints = [kb.Revolute(name, one, two, at=tuple(p)) for name, one, two, p in pins]
    return kb.Mechanism(f"{n} four-bars", bodies, joints, plane="xy")


def moving(m: kb.Mechanism) -> np.ndarray:
    """Velocities with all cranks at -1 rad/s."""
    speeds = {"A": -1.0, "B": 1.0, "C": -1.0}
    return np.array([speeds[name[0]] for name in m.velocities])


def exact(n: int) -> float:
    """x'' of the lean x of the cranks:  ((N + 1)/3 + N) x'' = ((N + 1)/2 + N) g sin x."""
    return 9.81 * np.sin(LEAN) * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)


def measured(n: int) -> tuple[float, float, float, Any]:
    """Seconds until the first result, of one call, and the error beside the exact answer."""
    start = sum(os.times()[:4])
    m = four_bars(n)
    v = moving(m)
    runnable = kb.forward_dynamics.runnable(m, kb.forward_dynamics.checked(m, {}))
    if n < 32:  # few enough bodies for straight-line code, which is not what is measured here
        from korba.system.system import any_system
        from korba.verbs.repetition.bodies import repeated_accelerations
        from korba.verbs.systems import under

        sizes = {"q": m.nq, "v": m.nv, "tau": m.nv}
        runnable = repeated_accelerations(under(any_system(m)), sizes)
    f = compile_program(runnable, CacheFolder(None))
    q, tau = np.zeros(m.nq), np.zeros(m.nv)
    a = f(q, v, tau)
    ready = sum(os.times()[:4]) - start
    times = []
    for _ in range(max(20, 20_000 // n)):
        begun = time.perf_counter()
        f(q, v, tau)
        times.append(time.perf_counter() - begun)
    return ready, min(times), abs(-a[m.velocities.index("A0")] / exact(n) - 1), f


def table() -> str:
    lines = [
        "## Many four-bars in a row, forward dynamics",
        "",
        "| four-bars | ready after s | one call us | ns a four-bar | ratio | operations | error |",
        "|---|---|---|---|---|---|---|",
    ]
    first = 0.0
    for n in NUMBERS:
        ready, call, error, f = measured(n)
        first = first or call / n
        lines.append(
            f"| {n} | {ready:.1f} | {call * 1e6:.2f} | {call / n * 1e9:.0f} | "
            f"{call / n / first:.2f} | {f.operations.total} | {error:.1e} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

"""Time per step of the semi-canonical form on planar chains, beside articulated bodies.

One step of the paper's scheme (3.1) with either solver of the inner problem, against one evaluation
of compiled articulated-body forward dynamics, which is what an explicit Euler step on (q, v) takes.
Chains are uniform, 1 m and 1 kg in all, released from rest; angles are absolute, as in the paper.
In the second table every link carries 0.02 kg m^2 of drive inertia.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import korba as kb
from korba.papers.canonical_motion import driven
from korba.papers.canonical_state import machine

LINKS = (5, 10, 20, 50, 100, 200, 500)
SOLVERS = ("conjugate", "minimal-residual")
TOLERANCE, STEPS = 1e-4, 100
PATIENCE = 10.0
"""Seconds for the runs of one solver; long ones make fewer steps."""


def cpu_time(call: Callable[[], object], repeats: int) -> float:
    """Least processor time of some runs: others on the machine do not count."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def step_length(n: int) -> float:
    """1 ms for five links, shorter for more: an explicit scheme has to follow their swinging."""
    return 5e-3 / n


def chain(n: int, drive: float, absolute: bool) -> kb.Mechanism:
    """A uniform chain along x, which points down; with dials where angles are absolute."""
    links = [
        kb.Body(f"link{i}", 1 / n, ((i + 0.5) / n, 0), 1 / (12 * n**3) + drive) for i in range(n)
    ]
    names = ["ground", *(link.name for link in links)]
    joints = [kb.Revolute(f"r{i}", names[i], names[i + 1], at=(i / n, 0)) for i in range(n)]
    dials, couplings = [f"q{i}" for i in range(1, n)] if absolute else [], []
    for i, dial in enumerate(dials, 1):
        before = dials[i - 2] if i > 1 else "r0"
        links.append(kb.Body(f"dial{i}"))
        joints.append(kb.Revolute(dial, "ground", f"dial{i}", at=(0, 0)))
        couplings.append(kb.Coupling(f"c{i}", f"r{i}", f"{dial} - {before}"))
    return kb.Mechanism(f"chain {n}", links, joints, couplings, gravity=(9.81, 0), plane="xy")


def run(m: kb.Mechanism, solver: str) -> tuple[float, float, float]:
    """Seconds a step, iterations a step and multiplications a step."""
    made, n = machine(m, solver), m.nv
    y, z = np.concatenate([np.full(n, 1.0), np.zeros(n)]), np.zeros(n)
    stop = made.stop(TOLERANCE, 10**7)

    def motion(steps: int) -> np.ndarray:
        times = np.arange(steps + 1) * step_length(n)
        return driven(made, "euler", times, stop, (y, z), tau=None)[2]

    motion(1)
    each = cpu_time(partial(motion, 3), 1) / 3
    steps = int(np.clip(PATIENCE / 3 / each, 3, STEPS))
    counts = motion(steps)
    seconds = cpu_time(partial(motion, steps), 5 if each * steps < 0.5 else 1) / steps
    work = [made[name].operations for name in ("once", "start", "rates", "step")]
    products = [w.multiplications + w.divisions for w in work]
    mean = float(counts.mean())
    return seconds, mean, sum(products[:3]) + mean * products[3]


def articulated(n: int, drive: float) -> tuple[float, int]:
    """Seconds and multiplications of one evaluation by articulated bodies, in relative angles."""
    f = kb.compile(kb.forward_dynamics, chain(n, drive, False), formulation="articulated-body")
    q, v = np.random.default_rng(0).uniform(-1, 1, size=(2, n))
    tau, repeats = np.zeros(n), max(20, 20_000 // n)

    def calls() -> None:
        for _ in range(repeats):
            f(q, v, tau)

    calls()
    return cpu_time(calls, 5) / repeats, f.operations.multiplications + f.operations.divisions


def rows(drive: float, links: tuple[int, ...]) -> list[str]:
    found = []
    for n in links:
        m, cells = chain(n, drive, True), [str(n)]
        for solver in SOLVERS:
            seconds, count, products = run(m, solver)
            cells += [f"{count:.1f}", f"{seconds * 1e6:.3g}", f"{products / n:.0f} n"]
        seconds, products = articulated(n, drive)
        cells += [f"{seconds * 1e6:.3g}", f"{products / n:.0f} n"]
        found.append("| " + " | ".join(cells) + " |")
        print(found[-1], file=sys.stderr, flush=True)
    return found


def table(links: tuple[int, ...] = LINKS) -> str:
    head = (
        "| n | N, conjugate | us | mult. | N, minimal residual | us | mult. "
        "| articulated us | mult. |\n" + "|---" * 9 + "|"
    )
    titles = {0.0: "Bare chain", 0.02: "With 0.02 kg m^2 of drive inertia on every link"}
    lines = [f"## Semi-canonical form: one Euler step, h = 5/n ms, tolerance {TOLERANCE}"]
    for drive, title in titles.items():
        lines += ["", f"{title}:", "", head, *rows(drive, links)]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(tuple(map(int, sys.argv[1:])) or LINKS))

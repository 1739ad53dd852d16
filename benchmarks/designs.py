"""Designs by their lengths: one program for a million four-bars, cycles, gradients, a walking leg.

Sizes are inputs of the program, so a batch of designs is a batch like any other. Beside it stands
pylinkage, whose documented way to another design is to set the lengths and to step; its compiled
loop gives positions alone. Processor time, best of several runs, both in one run on one core.
"""

from __future__ import annotations

import math
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from closed_motion import best, four_bar, peer, six_bar

import korba as kb
from korba.codegen import compile_program
from korba.positions.loop_system import with_sizes
from korba.solve.motion import driven_loops

LENGTHS = {"a": 0.2, "b": 0.6, "c": 0.6, "d": 0.8}
DESIGNS = 1_000_000


def sized_four_bar() -> kb.Mechanism:
    return kb.linkages.four_bar(*LENGTHS.values(), at="90 deg")


def million() -> float:
    """Milliseconds for a position with velocities and accelerations of a million four-bars."""
    m, sizes = sized_four_bar(), spread(DESIGNS)
    return best(lambda: kb.motion(m, [0.3], parameters=sizes), 8)


def spread(count: int) -> dict[str, np.ndarray]:
    """Lengths a few hundredths apart: every design turns over."""
    rng = np.random.default_rng(0)
    return {name: x * rng.uniform(0.95, 1.05, count) for name, x in LENGTHS.items()}


def cycles_of_designs(count: int = 10_000, positions: int = 360) -> tuple[float, ...]:
    """Milliseconds for cycles with transmission angles, and by `kb.sweep`; pylinkage's two ways."""
    m, sizes = sized_four_bar(), spread(count)
    t = np.linspace(0, 1, positions, endpoint=False)

    def ours() -> object:
        between = kb.motion(m, t, parameters=sizes)["C"]
        return between.min(axis=1), between.max(axis=1)

    def swept() -> object:
        return kb.sweep(m, sizes, "transmission angle", t, designs="given")

    few = 100
    slow = best(lambda: [list(one.step(positions)) for one in peers(sizes, few // 10)], 2)
    fast = best(lambda: [one.step_fast(positions) for one in peers(sizes, few)], 2)
    return best(ours, 4), best(swept, 4), slow * count / (few // 10), fast * count / few


def peers(sizes: dict[str, np.ndarray], count: int) -> list:
    import pylinkage as pl

    made = []
    for a, b, c, d in zip(*(sizes[name][:count] for name in "abcd"), strict=True):
        A, D = pl.Ground(0, 0), pl.Ground(float(d), 0)
        crank = pl.Crank(A, float(a), angular_velocity=2 * math.pi / 360, initial_angle=math.pi / 2)
        made.append(pl.Linkage([A, D, crank, pl.RRRDyad(crank, D, float(b), float(c))]))
    return made


def gradient() -> tuple[float, float]:
    """Milliseconds for 100,000 values made of q, v and a, and with their gradients."""
    m = sized_four_bar()
    own = driven_loops(m)
    dyads = with_sizes(m, own, tuple(LENGTHS)).dyads
    p, rest = np.stack(list(spread(100_000).values()), axis=-1), np.zeros(1)
    inputs = rest, rest, np.array([0.3, 1.0]), np.ones(1), own.drawn, p
    (q, v, a), order = dyads.in_symbols()
    value = compile_program(dyads._program(np.array([loss(q, v, a)], dtype=object), order))
    both = compile_program(dyads.gradient(loss))
    return best(lambda: value(*inputs), 20), best(lambda: both(*inputs), 20)


def loss(q, v, a):
    return sum(x * x for x in (*q, *v, *a))


def leg_again() -> tuple[float, float]:
    """Milliseconds for a leg of other lengths, and for its motion, after the first two."""
    m, t = kb.linkages.jansen(), np.linspace(0, 1, 360)
    lengths = iter(np.linspace(0.049, 0.051, 400))
    kb.motion(m, t)

    def made():
        return kb.redimension(m, j=float(next(lengths)))

    return best(made, 20), best(lambda: kb.motion(made(), t), 20)


def table() -> str:
    lines = [
        "## Designs by their lengths, ms of processor time on one core",
        "",
        "| what | korba | goal | pylinkage `step` | ratio | `step_fast` | ratio |",
        "|---|---|---|---|---|---|---|",
        f"| 1,000,000 four-bars x 1 position: q, v, a | {million():.0f} | 50 | | | | |",
    ]
    if find_spec("pylinkage") and find_spec("numba"):
        ours, swept, slow, fast = cycles_of_designs()
        cells = (
            f"{ours:.0f} | 500 | {slow:.0f} | {slow / ours:.0f} | {fast:.0f} | {fast / ours:.1f}"
        )
        lines.append(f"| 10,000 four-bars x 360: q, v, a, transmission angle | {cells} |")
        cells = f"{swept:.0f} | 500 | {slow:.0f} | {slow / swept:.0f} | {fast:.0f}"
        lines.append(f"| the same by `kb.sweep`: q and angle | {cells} | {fast / swept:.1f} |")
        t = np.linspace(0, 2 * math.pi, 3600, endpoint=False)
        for name, m, six in (("four-bar", four_bar(), False), ("six-bar", six_bar(), True)):
            other = peer(six)
            ours, fast = best(lambda m=m: kb.motion(m, t)), best(lambda o=other: o.step_fast(3600))
            cells = f"{ours:.3f} | {fast / 3:.3f} | | | {fast:.3f} | {fast / ours:.1f}"
            lines.append(f"| a cycle of a {name}, 3,600 positions: q, v, a | {cells} |")
        few = best(lambda: kb.motion(m, t[:2]))
        lines.append(f"| the same, 2 positions: what a call costs | {few:.3f} | 0.05 | | | | |")
    value, both = gradient()
    cells = f"{both:.2f} | {3 * value:.2f}"
    lines.append(f"| 100,000 gradients by four lengths (values: {value:.2f}) | {cells} | | | | |")
    make, whole = leg_again()
    lines.append(
        f"| a leg redimensioned ({make:.1f}) and moved, 360 positions | {whole:.1f} | 5 | | | | |"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    if find_spec("pylinkage"):
        print(f"pylinkage {version('pylinkage')}\n")
    print(table())

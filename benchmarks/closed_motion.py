"""Closed mechanisms in motion: linkages beside pylinkage, and chains of N four-bars.

A cycle of 3,600 positions, with velocities and accelerations here and positions alone there; both
after compilation, from Python, processor time, best of several runs. `step` of pylinkage is its
documented loop, `step_fast` its arrays, compiled where Numba is installed. A chain's "ready" is the
processor time from the mechanism to its first motion, nothing cached, the compiler's own processes
included.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from time import process_time

import numpy as np

import korba as kb

POSITIONS = 3600
SIZES = (10, 30, 100, 300, 1000)
LINKS = (0.2, 0.6, 0.6, 0.8)


def tip(B: np.ndarray, D: np.ndarray, b: float, c: float) -> np.ndarray:
    """The point at b from B and c from D, on the left of the way from B to D."""
    r = float(np.linalg.norm(D - B))
    along, u = (r * r + b * b - c * c) / (2 * r), (D - B) / r
    return B + along * u + math.sqrt(b * b - along * along) * np.array([-u[1], u[0]])


def linkage(name: str, points: dict[str, np.ndarray], joints: list[tuple[str, str, str]]):
    names = dict.fromkeys(b for _, *pair in joints for b in pair if b != "ground")
    bodies = [kb.Body(each) for each in names]
    made = [kb.Revolute(f"{p}{k}", a, b, at=points[p]) for k, (p, a, b) in enumerate(joints)]
    drive = kb.JointDrive("motor", made[0].name, "t")
    return kb.Mechanism(name, bodies, made, plane="xy", drives=[drive])


def four_bar() -> kb.Mechanism:
    a, b, c, d = LINKS
    points = {"A": np.zeros(2), "B": np.array([0.0, a]), "D": np.array([d, 0.0])}
    points["C"] = tip(points["B"], points["D"], b, c)
    joints = [
        ("A", "ground", "crank"),
        ("B", "crank", "coupler"),
        ("C", "coupler", "rocker"),
        ("D", "ground", "rocker"),
    ]
    return linkage("four-bar", points, joints)


def six_bar() -> kb.Mechanism:
    """Stephenson III: the four-bar with a dyad from its coupler's tip to the ground."""
    a, b, c, d = LINKS
    points = {"A": np.zeros(2), "B": np.array([0.0, a]), "D": np.array([d, 0.0])}
    points["C"] = tip(points["B"], points["D"], b, c)
    points["E"] = tip(points["B"], points["C"], 0.5, 0.4)
    points["G"] = np.array([1.4, 0.5])
    points["F"] = tip(points["E"], points["G"], 1.1, 0.9)
    joints = [
        ("A", "ground", "crank"),
        ("B", "crank", "coupler"),
        ("C", "coupler", "rocker"),
        ("D", "ground", "rocker"),
        ("E", "coupler", "rod"),
        ("F", "rod", "swing"),
        ("G", "ground", "swing"),
    ]
    return linkage("six-bar", points, joints)


def peer(six: bool):  # pylinkage has no types
    import pylinkage as pl

    a, b, c, d = LINKS
    A, D, G = pl.Ground(0, 0), pl.Ground(d, 0), pl.Ground(1.4, 0.5)
    crank = pl.Crank(A, a, angular_velocity=2 * math.pi / POSITIONS, initial_angle=math.pi / 2)
    C = pl.RRRDyad(crank, D, b, c)
    if not six:
        return pl.Linkage([A, D, crank, C])
    E = pl.RRRDyad(crank, C, 0.5, 0.4)
    return pl.Linkage([A, D, G, crank, C, E, pl.RRRDyad(E, G, 1.1, 0.9)])


def best(run: Callable[[], object], repeats: int = 40) -> float:
    """Milliseconds of processor time."""
    run()
    times = []
    for _ in range(repeats):
        start = process_time()
        run()
        times.append(process_time() - start)
    return 1e3 * min(times)


def beside() -> str:
    t = np.linspace(0, 2 * math.pi, POSITIONS, endpoint=False)
    compiled = "with Numba" if find_spec("numba") else "without Numba"
    lines = [
        f"## A cycle of {POSITIONS} positions, ms (pylinkage {version('pylinkage')})",
        "",
        f"| linkage | korba: q, v, a | step: q | ratio | step_fast {compiled}: q | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for name, m, six in (("four-bar", four_bar(), False), ("six-bar", six_bar(), True)):
        other = peer(six)
        ours = best(lambda m=m: kb.motion(m, t))
        slow = best(lambda other=other: list(other.step(POSITIONS)), 5)
        fast = best(lambda other=other: other.step_fast(POSITIONS), 5)
        cells = f"{ours:.2f} | {slow:.1f} | {slow / ours:.1f} | {fast:.2f} | {fast / ours:.2f}"
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def chain(count: int) -> kb.Mechanism:
    """Four-bars in a row: the rocker of each is the crank of the next."""
    bodies, crank, angle = [kb.Body("r0")], "r0", math.pi / 2
    joints = [kb.Revolute("A", "ground", crank, at=(0, 0))]
    for k in range(1, count + 1):
        A = np.array([0.8 * (k - 1), 0.0])
        B, D = A + 0.2 * np.array([math.cos(angle), math.sin(angle)]), A + np.array([0.8, 0])
        C = tip(B, D, 0.6, 0.6)
        angle = float(np.arctan2(*(C - D)[::-1]))
        bodies += [kb.Body(f"b{k}"), kb.Body(f"r{k}")]
        joints += [
            kb.Revolute(f"B{k}", crank, f"b{k}", at=B),
            kb.Revolute(f"C{k}", f"b{k}", f"r{k}", at=C),
            kb.Revolute(f"D{k}", "ground", f"r{k}", at=D),
        ]
        crank = f"r{k}"
    drive = kb.JointDrive("motor", "A", "0.3*sin(t)")
    return kb.Mechanism(f"chain of {count}", bodies, joints, plane="xy", drives=[drive])


def spent() -> float:
    """Processor time of this process and of those it waited for."""
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def measured_chain(count: int) -> None:
    """Print ready, microseconds a position in a batch, residual; run in a process of its own."""
    start = spent()
    m = chain(count)
    made = spent()
    few = kb.motion(m, np.linspace(0, 2, 10))
    ready = spent()
    per_run = [best(lambda n=n: kb.motion(m, np.linspace(0, 2, n)), 3) for n in (200, 1200)]
    each = (per_run[1] - per_run[0]) / 1000 * 1e3
    print(made - start, ready - made, each, per_run[1] / 1200 * 1e3, few.audit.residual)


def chains() -> str:
    lines = [
        "## Chains of N four-bars",
        "",
        "| N | mechanism, s | ready, s | µs a position | with the way between, µs | residual |",
        "|---|---|---|---|---|---|",
    ]
    costs = {}
    for count in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, __file__, str(count)],
                env={**os.environ, "KORBA_CACHE": folder, "OMP_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
                check=True,
            )
        make, ready, each, whole, gap = map(float, done.stdout.split())
        costs[count] = each
        lines.append(
            f"| {count} | {make:.2f} | {ready:.2f} | {each:.1f} | {whole:.1f} | {gap:.1e} |"
        )
    x, y = np.log(list(costs)), np.log(list(costs.values()))
    lines += ["", f"The time a position takes grows as N^{np.polyfit(x, y, 1)[0]:.2f}."]
    return "\n".join(lines)


def table() -> str:
    if find_spec("pylinkage") is None:
        return "(linkages beside pylinkage need the extra `bench`)\n\n" + chains()
    return f"{beside()}\n\n{chains()}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measured_chain(int(sys.argv[1]))
    else:
        print(table())

"""What the engine costs besides its speed: compiling, starting again, memory, a call from Numba.

Every figure is taken in a process of its own, with a cache of its own, and stands beside its goal.
Times begin after the imports (of llvmlite too) and with the mechanism read. Beside the time on the
clock stands the processor time, the compiler's process included: the two differ on a busy machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import korba as kb

START = """
import json, resource, sys, time
import numpy as np
import llvmlite.binding
import korba as kb
from tree_dynamics import undamped
m = undamped(kb.read_urdf(sys.argv[1], merge_fixed=True))
verb = getattr(kb, sys.argv[2])
one = [np.zeros(m.nq), np.zeros(m.nv), np.zeros(m.nv)]
def clocks():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return np.array([time.perf_counter(), sum(x.ru_utime + x.ru_stime for x in used)])
"""
FIRST_CALL = (
    START
    + """
start = clocks()
kb.compile(verb, m)(*one)
print(json.dumps((clocks() - start).tolist()))
"""
)
FIRST_BATCH = (
    START
    + """
start = clocks()
kb.compile(verb, m)(*[x[None] for x in one])
print(json.dumps((clocks() - start).tolist()))
"""
)
MEMORY = (
    START
    + """
def memory(which):  # in MB, as Linux counts: VmRSS now, VmHWM at most
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(which))
f = kb.compile(verb, m)
states = [np.random.default_rng(k).uniform(-1, 1, (1_000_000, m.nv)) for k in range(3)]
before = memory("VmRSS")
result = f(*states)
print(json.dumps(memory("VmHWM") - before - result.nbytes / 2**20))
"""
)
NUMBA = (
    START
    + """
import numba
f = kb.compile(verb, m)
g = f.pointer
@numba.njit
def run(states, out):
    for k in range(len(out)):
        g(states[0, k].ctypes, states[1, k].ctypes, states[2, k].ctypes, out[k].ctypes)
states = np.random.default_rng(0).uniform(-1, 1, (3, 10000, m.nv))
out = np.empty((10000, m.nv))
times = []
for _ in range(20):
    start = time.perf_counter()
    run(states, out)
    times.append(time.perf_counter() - start)
assert np.allclose(out, f(*states), rtol=1e-9)
def calls():
    start = time.perf_counter()
    for k in range(2000):
        f(one[0], one[1], one[2])
    return (time.perf_counter() - start) / 2000
print(json.dumps([min(times) / 10000, min(calls() for _ in range(20))]))
"""
)
IMPORT = """
import json, time
start = time.perf_counter()
import korba
print(json.dumps(time.perf_counter() - start))
"""


def child(script: str, *arguments: str, cache: str | None = None) -> Any:
    """What a script prints, run in a process of its own."""
    with tempfile.TemporaryDirectory() as own:
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            env={**os.environ, "KORBA_CACHE": cache or own},
            cwd=Path(__file__).parent,
            stdout=subprocess.PIPE,
            check=True,
        )
    return json.loads(done.stdout)


def starts(path: Path, verb: str, goal: float) -> list[str]:
    """First results of a process with an empty cache and of the next one, best of three."""
    cold, again = [], []
    for _ in range(3):
        for script in (FIRST_CALL, FIRST_BATCH):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(child(script, str(path), verb, cache=cache))
                again.append(child(script, str(path), verb, cache=cache))
    what = f"{path.stem}, {verb}"
    return [
        f"| {what}: trace and compile, one state | {_least(cold[::2])} | {goal} s |",
        f"| {what}: trace and compile, batch | {_least(cold[1::2])} | {goal} s |",
        f"| {what}: second process, one state | {_least(again[::2])} | 0.1 s |",
        f"| {what}: second process, batch | {_least(again[1::2])} | 0.1 s |",
    ]


def _least(pairs: list[list[float]]) -> str:
    return f"{min(a for a, _ in pairs):.3f} / {min(b for _, b in pairs):.3f} s"


def stanford_arm() -> kb.Mechanism:
    """Stanford arm with diagonal link inertias, masses and centres after Paul (1981)."""
    data = [
        ("revolute", "-90 deg", 0, 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071)),
        ("revolute", "90 deg", 0.1524, 5.01, (0, -1.054, 0), (0.108, 0.018, 0.1)),
        ("prismatic", 0, 0, 4.25, (0, 0, -6.447), (2.51, 2.51, 0.006)),
        ("revolute", "-90 deg", 0, 1.08, (0, 0.092, -0.054), (0.002, 0.001, 0.001)),
        ("revolute", "90 deg", 0, 0.63, (0, 0, 0.566), (0.003, 0.003, 0.0004)),
        ("revolute", 0, 0.2, 0.51, (0, 0, 1.554), (0.013, 0.013, 0.0003)),
    ]
    rows = [
        kb.DHRow(joint=kind, a=0, alpha=alpha, theta=0, d=d, mass=mass, com=com, inertia=inertia)
        for kind, alpha, d, mass, com, inertia in data
    ]
    return kb.from_dh(rows, name="Stanford arm")


def counts() -> list[str]:
    """Operations of the Stanford arm, and of the robots of the other table."""
    from tree_dynamics import ROBOTS, undamped, urdf

    found = kb.operations(kb.inverse_dynamics, stanford_arm())
    lines = [
        f"| Stanford arm, inverse dynamics: mul / add (Kane & Levinson 646 / 394) "
        f"| {found.multiplications} / {found.additions} | 150 / 115 |"
    ]
    for name in ROBOTS:
        m = undamped(kb.read_urdf(urdf(name), merge_fixed=True))
        for verb in (kb.inverse_dynamics, kb.forward_dynamics):
            found = kb.operations(verb, m)
            lines.append(
                f"| {name}, {verb.__name__}: mul / add / div "
                f"| {found.multiplications} / {found.additions} / {found.divisions} | |"
            )
    return lines


def table() -> str:
    from tree_dynamics import urdf

    arm, humanoid = urdf("xarm7"), urdf("simple_humanoid")
    lines = [
        "## The engine's costs",
        "",
        "| what | measured (clock / processor) | goal |",
        "|---|---|---|",
    ]
    lines.append(f"| `import korba` | {min(child(IMPORT) for _ in range(5)):.2f} s | 0.5 s |")
    lines += starts(arm, "forward_dynamics", 0.5)
    lines += starts(humanoid, "forward_dynamics", 1.5)
    if Path("/proc/self/status").exists():
        extra = child(MEMORY, str(arm), "forward_dynamics")
        what = "xarm7, forward, 1e6 states: memory beyond inputs and outputs"
        lines.append(f"| {what} | {extra:.0f} MB | 64 MB |")
    if find_spec("numba") is not None:
        inside, python = child(NUMBA, str(arm), "inverse_dynamics")
        lines.append(
            f"| xarm7, inverse: a call from Numba-compiled code, from Python "
            f"| {inside * 1e9:.0f} ns, {python * 1e9:.0f} ns | |"
        )
    return "\n".join([*lines, *counts()])


if __name__ == "__main__":
    print(table())

"""Equations and code: deriving, writing and generating them, beside SymPy's mechanics.

    python benchmarks/equations.py                   12 links; SymPy takes minutes
    python benchmarks/equations.py --links 2 4 6     shorter pendulums: the trend

"Derive and compile" is everything from the description of a pendulum of n links to the first
numbers: accelerations of one state. SymPy does it by Kane's method and `lambdify` with common
subexpressions, and the two must agree. Every figure is that of a fresh process, imports aside, with
an empty cache, and the least of a few (of one for SymPy).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

LINKS = (12,)
TIMES = 3
GOALS = {"double_pendulum": 1.0, "four_bar": 3.0, "six_joints": 2.0, "pendulum": 50.0}
DOUBLE = """
plane = "xy"
parameters = {m1 = 1, m2 = 1, l1 = 1, s1 = 0.5, s2 = 0.5, I1 = 0.1, I2 = 0.1}
body = [
  {name = "upper", mass = "m1", com = [0, "-s1"], inertia = "I1"},
  {name = "lower", mass = "m2", com = [0, "-l1 - s2"], inertia = "I2"},
]
joint = [
  {name = "q1", type = "revolute", parent = "ground", child = "upper", at = [0, 0]},
  {name = "q2", type = "revolute", parent = "upper", child = "lower", at = [0, "-l1"]},
]
"""


def pendulum(n: int) -> kb.Mechanism:
    """n point masses of 1 kg on rods of 1 m."""
    bodies = [kb.Body(f"b{i}", 1.0, (0, -i - 1)) for i in range(n)]
    ends = ["ground", *(body.name for body in bodies)]
    joints = [kb.Revolute(f"q{i}", ends[i], ends[i + 1], at=(0, -i)) for i in range(n)]
    return kb.Mechanism("pendulum", bodies, joints, plane="xy")


def state(n: int) -> tuple[Any, Any]:
    """Angles against the link before, and their rates."""
    return np.linspace(0.1, 0.3, n), np.linspace(-0.5, 0.5, n)


def by_korba(n: int) -> list[float]:
    """Accelerations, from the description on."""
    q, v = state(n)
    return kb.forward_dynamics(pendulum(n), q, v, np.zeros(n)).tolist()


def by_sympy(n: int) -> list[float]:
    """The same by Kane's method: relative angles as coordinates, their rates as speeds."""
    import sympy as sp
    from sympy.physics import mechanics as me

    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    N, g = me.ReferenceFrame("N"), sp.Symbol("g")
    point, frame, particles, loads = me.Point("O"), N, [], []
    point.set_vel(N, 0)
    for i in range(n):
        turned = frame.orientnew(f"A{i}", "Axis", (q[i], N.z))
        turned.set_ang_vel(frame, u[i] * N.z)
        end = point.locatenew(f"P{i}", -turned.y)
        end.v2pt_theory(point, N, turned)
        particles.append(me.Particle(f"b{i}", end, sp.Integer(1)))
        loads.append((end, -g * N.y))
        point, frame = end, turned
    rates = [x.diff(me.dynamicsymbols._t) - y for x, y in zip(q, u, strict=True)]
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations(particles, loads)
    f = sp.lambdify([*q, *u, g], [kane.mass_matrix, kane.forcing], cse=True)
    M, force = f(*np.concatenate(state(n)), 9.81)
    return np.linalg.solve(np.array(M, float), np.array(force, float).ravel()).tolist()


def double_pendulum() -> str:
    """Its equations as text."""
    return kb.equations(kb.loads(DOUBLE)).text()


def four_bar() -> str:
    """Its equations as text, with what closes its loop."""
    return kb.equations(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)).text()


def six_joints() -> str:
    """Forward dynamics in C of a Puma with two rotors and elastic joints."""
    from dataclasses import replace

    arm = kb.load(Path(kb.__file__).parent / "cli" / "arm.toml")
    rotor = kb.Rotor(ratio=60.0, mass=0.5, inertia=(1e-4, 1e-4, 2e-4))
    soft = kb.Elastic(stiffness=2e4)
    joints = [replace(j, rotor=rotor, elastic=soft) for j in arm.joints[:2]]
    return kb.generate(
        kb.forward_dynamics, replace(arm, joints=(*joints, *arm.joints[2:]), poses=()), "c"
    )


TASKS: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (by_korba, by_sympy, double_pendulum, four_bar, six_joints)
}


def timed(task: str, *args: int, times: int = TIMES) -> tuple[float, Any]:
    """The least seconds of a task in fresh processes with empty caches, and its result."""
    seconds, result = [], None
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, "--task", task, *map(str, args)]
            run = subprocess.run(
                command,
                env={**os.environ, "KORBA_CACHE": folder},
                capture_output=True,
                text=True,
                check=True,
            )
        taken, result = json.loads(run.stdout.splitlines()[-1])
        seconds.append(taken)
    return min(seconds), result


def beside(n: int) -> str:
    """A row: a pendulum of n links."""
    ours, a = timed("by_korba", n)
    theirs, b = timed("by_sympy", n, times=1)
    assert np.allclose(a, b, rtol=1e-8), "the two do not agree"
    goal = f"{GOALS['pendulum']:g} x" if n == 12 else ""
    return (
        f"| pendulum of {n} links, derive and compile | {ours:.2f} s | {theirs:.1f} s, "
        f"{theirs / ours:.0f} x | {goal} |"
    )


def table(links: tuple[int, ...] = LINKS) -> str:
    """All figures."""
    lines = [
        "## Equations and code",
        "",
        "| what | Korba | SymPy, Kane | goal |",
        "|---|---|---|---|",
    ]
    for name, task in (
        ("readable equations of a double pendulum", "double_pendulum"),
        ("readable equations of a four-bar", "four_bar"),
        ("six joints, two rotors on springs, to C", "six_joints"),
    ):
        goal = GOALS[task]
        lines.append(f"| {name} | {timed(task)[0]:.2f} s | | {goal:g} s |")
    if find_spec("sympy"):
        lines += [beside(n) for n in links]
    return "\n".join(lines)


def main() -> None:
    if "--task" in sys.argv:
        task, *args = sys.argv[sys.argv.index("--task") + 1 :]
        import llvmlite.binding  # noqa: F401  (imports are not measured)

        if task == "by_sympy":
            import sympy.physics.mechanics  # noqa: F401
        for name in ("forward_dynamics", "equations", "generate", "linkages", "loads"):
            getattr(kb, name)
        start = time.perf_counter()
        result = TASKS[task](*map(int, args))
        print(json.dumps([time.perf_counter() - start, result]))
        return
    at = sys.argv.index("--links") if "--links" in sys.argv else None
    print(table(tuple(map(int, sys.argv[at + 1 :])) if at else LINKS))


if __name__ == "__main__":
    main()

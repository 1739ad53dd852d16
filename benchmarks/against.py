"""This checkout beside another one, job by job, in one run:  python benchmarks/against.py OTHER

OTHER is the src of a checkout, or a commit of this one, such as HEAD~1. With --most 1.3 the exit
status tells whether a job takes longer than that many times the other's.
Both sides run the same jobs in fresh processes, one after the other and several times over; the
least time of each counts, so that what else the machine does falls on both. A ratio below 1 means
that this checkout takes less time. "cold" jobs start from an empty cache on disk.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

ROUNDS = 5
HERE = Path(__file__).resolve().parents[1] / "src"
Jobs = dict[str, float]


def least(job: Callable[[], object], repeats: int) -> float:
    """Least processor time of some calls."""
    times = []
    for _ in range(repeats):
        start = process_time()
        job()
        times.append(process_time() - start)
    return min(times)


def arm(links: int = 6):
    """A serial arm with axes that turn from link to link."""
    import korba as kb

    rng = np.random.default_rng(1)
    bodies, joints, p = [], [], np.zeros(3)
    for k in range(links):
        inertia = np.diag(rng.uniform(0.01, 0.02, 3))
        bodies.append(kb.Body(f"b{k}", mass=1.0 + 0.1 * k, com=(0.1, 0.02, 0.05), inertia=inertia))
        axis = ((0, 0, 1), (0, 1, 0), (1, 0, 0))[k % 3]
        parent = bodies[k - 1].name if k else "ground"
        joints.append(kb.Revolute(f"q{k}", parent, f"b{k}", at=tuple(p), axis=axis))
        p = p + np.array([0.2, 0.05, 0.1])
    return kb.Mechanism(f"arm{links}", bodies, joints)


def double_pendulum():
    import korba as kb

    bodies = [kb.Body(n, mass=1.0, com=(0.5, 0.0), inertia=0.08) for n in ("a", "b")]
    A = kb.Revolute("A", "ground", "a", at=(0, 0))
    B = kb.Revolute("B", "a", "b", at=(1, 0))
    return kb.Mechanism("double pendulum", bodies, [A, B], plane="xy")


def trees() -> Jobs:
    import korba as kb

    m = arm()
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 4096, m.nv))
    inverse, forward = kb.compile(kb.inverse_dynamics, m), kb.compile(kb.forward_dynamics, m)
    slopes = kb.compile(kb.derivative(kb.inverse_dynamics, m, ("q", "v")))
    one = [np.ascontiguousarray(x[0]) for x in (q, v, a)]
    return {
        "inverse dynamics, 4096 rows": least(lambda: inverse(q, v, a), 30),
        "forward dynamics, 4096 rows": least(lambda: forward(q, v, a), 30),
        "derivatives, 4096 rows": least(lambda: slopes(q, v, a), 15),
        "one call, compiled": least(lambda: [inverse(*one) for _ in range(2000)], 10),
        "one call of the verb": least(
            lambda: [kb.inverse_dynamics(m, *one) for _ in range(500)], 8
        ),
    }


def cold() -> Jobs:
    import korba as kb

    start = perf_counter()
    kb.compile(kb.forward_dynamics, arm(7))(*np.zeros((3, 7)))
    dynamics = perf_counter() - start
    start = perf_counter()
    kb.simulate(double_pendulum(), until=0.1, q=[0.3, 0.1])
    simulate = perf_counter() - start
    from closed_motion import four_bar

    start = perf_counter()
    kb.motion(four_bar(), np.linspace(0, 1, 10))
    return {
        "cold: forward dynamics ready": dynamics,
        "cold: first simulation": simulate,
        "cold: first motion": perf_counter() - start,
    }


def warm() -> Jobs:
    import korba as kb

    start = perf_counter()
    kb.compile(kb.forward_dynamics, arm(7))(*np.zeros((3, 7)))
    return {"second process: forward dynamics ready": perf_counter() - start}


def stepped(method: str, step: float) -> dict[str, object]:
    """A method of fixed steps, in the words of checkouts before `kb.Method` too."""
    import korba as kb

    whole = getattr(kb, "Method", None)
    return {"method": whole(method, step=step)} if whole else {"method": method, "step": step}


def simulations() -> Jobs:
    import korba as kb

    two, robot = double_pendulum(), arm(7)
    jobs: dict[str, Callable[[], object]] = {
        "double pendulum 10 s, dop853": lambda: kb.simulate(two, until=10.0, q=[0.3, 0.1]),
        "double pendulum 10 s, rk4": lambda: kb.simulate(
            two, until=10.0, q=[0.3, 0.1], **stepped("rk4", 1e-3)
        ),
        "double pendulum 10 s, symplectic": lambda: kb.simulate(
            two, until=10.0, q=[0.3, 0.1], **stepped("symplectic", 5e-3)
        ),
        "arm of 7, 2 s, dop853": lambda: kb.simulate(robot, until=2.0),
        "double pendulum, 1001 times": lambda: kb.simulate(
            two, times=np.linspace(0, 10, 1001), q=[0.3, 0.1]
        ),
    }
    return {name: least(job, 12) for name, job in jobs.items()}


def closed() -> Jobs:
    from closed_motion import four_bar, six_bar

    import korba as kb

    t = np.linspace(0, 2 * np.pi, 3600)
    four, six = four_bar(), six_bar()
    angles = np.linspace(0, 6.0, 100_000)
    assemble = getattr(kb, "assemble_many", kb.assemble)  # its name in older checkouts
    return {
        "four-bar, 3600 positions": least(lambda: kb.motion(four, t), 20),
        "six-bar, 3600 positions": least(lambda: kb.motion(six, t), 20),
        "four-bar closed at 1e5 angles": least(
            lambda: assemble(four, {four.joints[0].name: angles}), 5
        ),
    }


def large() -> Jobs:
    from closed_motion import chain as four_bars
    from structure_chain import chain as loops

    import korba as kb

    m = arm(300)
    start = perf_counter()
    f = kb.compile(kb.forward_dynamics, m)
    x = np.zeros((3, 64, 300))
    f(*x)
    ready = perf_counter() - start
    many = four_bars(100)
    start = perf_counter()
    kb.motion(many, np.linspace(0, 0.1, 5))
    moving = perf_counter() - start
    structure = loops(200, "xy")
    return {
        "cold: chain of 300 ready": ready,
        "chain of 300, 64 states": least(lambda: f(*x), 5),
        "cold: 100 four-bars ready": moving,
        "mobility and groups of 200 loops": least(
            lambda: (kb.mobility(structure), kb.groups(structure, "J0")), 2
        ),
    }


PARTS: dict[str, Callable[[], Jobs]] = {
    part.__name__: part for part in (trees, cold, warm, simulations, closed, large)
}


def measured(source: Path, part: str, cache: str) -> Jobs:
    """The times of one part in a process of its own."""
    folders = os.pathsep.join([str(source), str(Path(__file__).parent)])
    run = subprocess.run(
        [sys.executable, __file__, "--part", part],
        env={**os.environ, "PYTHONPATH": folders, "KORBA_CACHE": cache, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        sys.exit(f"{part} of {source}:\n{run.stderr}")
    return dict(json.loads(run.stdout))


@contextmanager
def source_of(other: str) -> Iterator[Path]:
    """The src of another checkout, or of a commit, laid out for as long as it is needed."""
    if Path(other).is_dir():
        yield Path(other).resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", str(HERE.parent), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", f"{folder}/other", other], check=True)
        try:
            yield Path(folder) / "other" / "src"
        finally:
            subprocess.run([*git, "remove", "--force", f"{folder}/other"], check=True)


def compared(other: Path, parts: list[str]) -> dict[str, dict[str, float]]:
    """The least times of all jobs here and there."""
    sides = {"here": HERE, "there": other}
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as kept:
        for k in range(ROUNDS):
            for part in parts:
                for side, source in sides.items():
                    empty = part in ("cold", "large")
                    cache = f"{kept}/{k if empty else 0}{side}{part if empty else ''}"
                    for name, seconds in measured(source, part, cache).items():
                        row = best.setdefault(name, {})
                        row[side] = min(seconds, row.get(side, np.inf))
    return best


def table(best: dict[str, dict[str, float]]) -> str:
    """All jobs of both sides, with ratios."""
    lines = ["| job | this checkout, ms | the other, ms | ratio |", "|---|---|---|---|"]
    for name, row in best.items():
        here, there = 1e3 * row["here"], 1e3 * row["there"]
        lines.append(f"| {name} | {here:.4g} | {there:.4g} | {here / there:.2f} |")
    return "\n".join(lines)


def main() -> None:
    if sys.argv[1:2] == ["--part"]:
        print(json.dumps(PARTS[sys.argv[2]]()))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", default="HEAD~1", help="a folder, or a commit")
    parser.add_argument("--most", type=float, default=np.inf, help="the largest ratio allowed")
    parser.add_argument("--only", nargs="*", choices=[*PARTS], help="parts that are run")
    given = parser.parse_args()
    with source_of(given.other) as other:
        best = compared(other, given.only or list(PARTS))
    print(table(best))
    slower = [name for name, row in best.items() if row["here"] > given.most * row["there"]]
    if slower:
        sys.exit(f"longer than {given.most:g} times as before: {', '.join(slower)}")


if __name__ == "__main__":
    main()

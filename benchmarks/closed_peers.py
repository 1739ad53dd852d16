"""Free motion of mechanisms with loops, to the accuracy of their reference solutions.

Two four-bars beside MuJoCo (RK4, steps of 1e-4 s, a stiff equality) and exudyn (trapezoidal rule,
steps of 1e-4 s), and the IFToMM benchmark problems beside exudyn with the longest steps, of a few
tried, that come near the tolerance stated for each problem. Errors are distances from the reference
solution: Korba's at all its times, the peers' at the end. Processor time on one core, the least of
several runs, the sides in turns.

    python benchmarks/closed_peers.py [--only p2 p10] [--rounds 3]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from closed_dynamics import SPEED, four_bar, mujoco_run

import korba as kb

FOLDER = Path(__file__).parent
sys.path += [str(FOLDER / "peers"), str(FOLDER.parent / "tests" / "simulation")]
import closed_references as made  # noqa: E402

CALLS = 10
"""Runs of Korba in each round."""


@dataclass(frozen=True)
class Peer:
    """What another library is told to do."""

    library: str
    step: float
    goal: int
    """How many times faster Korba is to be."""
    method: str = "TrapezoidalIndex2"
    spare: str = ""
    """A joint of which one row is left out."""
    newton: float | None = None
    """Tolerance of Newton's method, where the library's own is too loose for the steps."""


@dataclass(frozen=True)
class Case:
    """A mechanism, how it starts, what of its motion is compared, and with whom."""

    title: str
    m: kb.Mechanism
    v: dict[str, float]
    times: Any
    told: Any
    """The reference solution at the times, shape (times,) or (times, 3)."""
    tolerance: float
    of: tuple[str, Any]
    """A body, and the point of it that is compared, or the joint of its angle."""
    rtol: float
    peers: tuple[Peer, ...]
    how: dict[str, Any] = field(default_factory=dict)

    def run(self, times: Any = 2) -> kb.Trajectory:
        how = {"rtol": self.rtol, "atol": self.rtol / 100, **self.how}
        return kb.simulate(self.m, self.times[-1], v=self.v, times=times, **how)

    def misses(self) -> float:
        """The largest error of a run at all times of the reference."""
        body, point = self.of
        moved = self.run(self.times)
        if isinstance(point, str):
            return float(np.abs(moved[point] + self.told[0] - self.told).max())
        return float(np.abs(moved.point(body, point).position - self.told).max())

    def peer(self, p: Peer) -> tuple[Callable[[], Any], Callable[[], Any]]:
        """The run of another library, and what it gives at the end."""
        body, point = self.of
        if p.library == "mujoco":
            call, kept = mujoco_run(self.m, self.v["A"], p.step), []
            return lambda: kept.append(call()[0]), lambda: kept[-1] + self.told[0]
        from exudyn_motion import Free

        free = Free(self.m, self.v, p.spare)
        end = free.angle if isinstance(point, str) else partial(free.point, p=point)
        first = self.told[0] if isinstance(point, str) else 0.0
        run = partial(free.run, self.times[-1], p.step, p.method, p.newton)
        return run, lambda: end(body) + first


def cases() -> dict[str, Callable[[], Case]]:
    """By name."""
    return {
        "four-bar": _four_bar,
        "p10": _free_four_bar,
        "p1": _double_four_bar,
        "p2": _bricard,
        "p3": _governor,
        "p4": _andrews,
        "p5": _slider_crank,
    }


def _four_bar() -> Case:
    m, times = four_bar(), [0.0, 10.0]
    exact = kb.simulate(m, 10.0, v={"A": SPEED}, times=2, method=kb.Method(rtol=1e-13, atol=1e-15))
    told = exact["A"]
    peers = Peer("mujoco", 1e-4, 500), Peer("exudyn", 1e-4, 500)
    return Case("four-bar, 10 s", m, {"A": SPEED}, times, told, 1e-7, ("crank", "A"), 4e-10, peers)


def _free_four_bar() -> Case:
    _, states, results = made.reference("p10_fourbar_free")
    told = np.array(results["crank_angle"])
    m, peers = made.free_four_bar(), (Peer("mujoco", 1e-4, 400), Peer("exudyn", 1e-4, 400))
    return Case(
        *("P10, four-bar, 10 s", m, {"A": 10.0}, states["t"], told, 1e-6),
        *(("crank", "A"), 2e-10, peers),
    )


def _double_four_bar() -> Case:
    _, states, results = made.reference("p1_double_fourbar")
    told = np.pad(np.array(results["B0"]), ((0, 0), (0, 1)))
    peers = (Peer("exudyn", 1e-3, 20, "GeneralizedAlpha"),)
    m = made.double_four_bar()
    return Case(
        *("P1, double four-bar, 10 s", m, {"A0": -1.0}, states["t"], told, 1e-4),
        *(("crank0", (0, 1)), 1e-8, peers),
    )


def _bricard() -> Case:
    _, states, results = made.reference("p2_bricard")
    told = np.array(results["values"])[:, :3]
    peers = (Peer("exudyn", 2.5e-3, 20, spare="P5"),)
    return Case(
        *("P2, Bricard, 10 s", made.bricard(), {}, states["t"], told, 1e-6),
        *(("rod2", (1, -1, 1)), 1e-7, peers),
    )


def _governor() -> Case:
    _, states, results = made.reference("p3_flyball")
    height = np.array(results["values"])[:, 0]
    told = np.stack([0 * height, 0 * height, height], axis=-1)
    peers = (Peer("exudyn", 1e-3, 20),)
    return Case(
        *("P3, flyball governor, 10 s", made.governor(), {"shaft": 2 * np.pi}, states["t"]),
        *(told, 1e-4, ("slider", (0, 0, 0.5)), 1e-6, peers, {"method": "stiff"}),
    )


def _andrews() -> Case:
    _, states, results = made.reference("p4_andrews")
    told = np.array(results["angles"])[:, 0]
    peers = (Peer("exudyn", 1e-6, 20, newton=1e-11),)
    return Case(
        *("P4, Andrews' squeezer, 0.03 s", made.andrews(), {}, states["t"], told, 1e-6),
        *(("K1", "O"), 1e-8, peers),
    )


def _slider_crank() -> Case:
    _, states, results = made.reference("p5_spatial_slider_crank")
    x = np.array(results["values"])[:, 0]
    told = np.stack([x, 0 * x, 0 * x], axis=-1)
    peers = (Peer("exudyn", 5e-5, 20, newton=1e-11),)
    return Case(
        *("P5, spatial slider-crank, 5 s", made.spatial_slider_crank(), {"A": 6.0}, states["t"]),
        *(told, 1e-7, ("slider", (0.2, 0, 0)), 3e-9, peers),
    )


def spent(call: Callable[[], Any], times: int = 1) -> float:
    """Milliseconds of processor time, the least of several calls."""
    least = np.inf
    for _ in range(times):
        begun = time.process_time()
        call()
        least = min(least, time.process_time() - begun)
    return 1e3 * least


def rows_of(case: Case, rounds: int) -> list[str]:
    """Rows of the table: the case by Korba, then by each peer."""
    miss = case.misses()
    if miss > case.tolerance:
        raise SystemExit(f"{case.title}: off by {miss:.1e}, expected {case.tolerance:.0e}")
    peers = [(p, *case.peer(p)) for p in case.peers if find_spec(p.library) is not None]
    own, others = np.inf, [np.inf] * len(peers)
    for _ in range(rounds):
        own = min(own, spent(case.run, CALLS))
        others = [min(ms, spent(p[1])) for ms, p in zip(others, peers, strict=True)]
    method = case.how.get("method", "dop853")
    rows = [
        f"| {case.title} | Korba, {method}, {case.rtol:.0e} | {own:.2f} | {miss:.1e} | "
        f"{case.tolerance:.0e} | |"
    ]
    for ms, (p, _, end) in zip(others, peers, strict=True):
        far = float(np.abs(end() - case.told[-1]).max())
        name = "MuJoCo, RK4" if p.library == "mujoco" else f"exudyn, {p.method}"
        rows.append(
            f"| | {name}, {p.step:g} s | {ms:.0f} | {far:.1e} | | {ms / own:.0f} x ({p.goal} x) |"
        )
    return rows


def table(only: tuple[str, ...] = (), rounds: int = 3) -> str:
    known = {name: make for name, make in cases().items() if not only or name in only}
    there = [name for name in ("mujoco", "exudyn") if find_spec(name) is not None]
    lines = [
        f"## Motion with loops beside {', '.join(f'{name} {version(name)}' for name in there)}",
        "",
        "| case | run | CPU ms | error, m or rad | stated tolerance | Korba is faster (goal) |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(row for make in known.values() for row in rows_of(make(), rounds))])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=(), choices=[*cases()], help="these cases")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run")
    asked = parser.parse_args()
    print(table(tuple(asked.only), asked.rounds))

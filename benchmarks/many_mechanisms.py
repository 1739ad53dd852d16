"""Many mechanisms of a few structures in one process: loaded, their mobility asked, moved.

    python benchmarks/many_mechanisms.py [--count 20000] [--reports 10]

Random four-bars and slider-cranks, a text each, with sizes, places and masses of their own: no two
have the same numbers, and their programs have numbers as inputs. Processor time of this process
without the first mechanism of each kind; how many programs were compiled after those (of ways on
which no mechanism was led before); what memory grows by after the first tenth. Reports are written
of some of them in the same way.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import korba as kb
from korba.codegen.targets.llvm import machine

T = np.linspace(0, 1, 61)
HEAD = (
    'name = "{name} {i}"\nplane = "xy"\npoints = {{ A = [0, 0], {far} }}\n'
    'assembly = {{ C = "{side}" }}\n'
)
BODY = 'name = "{}"\npoints = {{ {} }}\nmass = {:.4f}\ncom = [{:.5f}, 0]\ninertia = {:.4e}\n'
JOINT = 'name = "{}"\ntype = "{}"\nparent = "{}"\nchild = "{}"\n'
DRIVE = '[[drive]]\nname = "motor"\njoint = "A"\nposition = "{:.3f} deg + {:.3f} rpm*t"\n'


def bar(rng: np.random.Generator, name: str, ends: str, length: float) -> str:
    """A uniform bar between two named points."""
    mass = rng.uniform(0.1, 2.0)
    points = f"{ends[0]} = [0, 0], {ends[1]} = [{length:.5f}, 0]"
    return "[[body]]\n" + BODY.format(name, points, mass, length / 2, mass * length**2 / 12)


def joints(*given: tuple[str, ...]) -> str:
    return "".join("[[joint]]\n" + JOINT.format(*each) for each in given)


def drive(rng: np.random.Generator) -> str:
    return DRIVE.format(rng.uniform(0, 90), rng.uniform(10, 600))


def four_bar(rng: np.random.Generator, i: int) -> str:
    """A crank that turns right round: shortest and longest link are less than the others."""
    a, d = rng.uniform(0.02, 0.05), rng.uniform(0.09, 0.11)
    b, c = rng.uniform(0.08, 0.14, 2)
    if not a + max(b, c, d) < 0.98 * (b + c + d - max(b, c, d)) or abs(b - c) > 0.98 * (d - a):
        return four_bar(rng, i)
    tilt = rng.uniform(-1, 1)
    place = f"D = [{d * np.cos(tilt):.5f}, {d * np.sin(tilt):.5f}]"
    head = HEAD.format(name="four-bar", i=i, far=place, side="left")
    bars = [
        bar(rng, *own) for own in (("crank", "AB", a), ("coupler", "BC", b), ("rocker", "DC", c))
    ]
    pins = joints(
        ("A", "revolute", "ground.A", "crank.A"),
        ("B", "revolute", "crank.B", "coupler.B"),
        ("C", "revolute", "coupler.C", "rocker.C"),
        ("D", "revolute", "ground.D", "rocker.D"),
    )
    return head + "".join(bars) + pins + drive(rng)


def slider_crank(rng: np.random.Generator, i: int) -> str:
    """A crank, a rod and a slider on a line along x that is somewhat off the crank's bearing."""
    a = rng.uniform(0.02, 0.05)
    offset = rng.uniform(0.002, 0.01)
    head = HEAD.format(name="slider-crank", i=i, far=f"G = [0, {offset:.5f}]", side="right")
    bars = [bar(rng, "crank", "AB", a), bar(rng, "rod", "BC", rng.uniform(0.08, 0.14))]
    slider = "[[body]]\n" + BODY.format("slider", "C = [0, 0]", rng.uniform(0.1, 2.0), 0.0, 0.0)
    pins = joints(
        ("A", "revolute", "ground.A", "crank.A"),
        ("B", "revolute", "crank.B", "rod.B"),
        ("C", "revolute", "rod.C", "slider.C"),
        ("slide", "prismatic", "ground.G", "slider.C"),
    )
    return head + "".join(bars) + slider + pins + "axis = [1, 0]\n" + drive(rng)


KINDS: dict[str, Callable[[np.random.Generator, int], str]] = {
    "four-bars": four_bar,
    "slider-cranks": slider_crank,
}


class Counted:
    """How many programs were compiled, read from the compiler itself."""

    def __init__(self) -> None:
        self.count, compiled = 0, machine._compiled

        def counting(*given: Any) -> bytes:
            self.count += 1
            return compiled(*given)

        machine._compiled = counting


def moved(text: str) -> None:
    """What is asked of every mechanism."""
    m = kb.loads(text)
    if kb.mobility(m).actual != 1:
        raise SystemExit(f"mobility is not 1:\n{text}")
    kb.motion(m, T)


def reported(text: str, folder: Path) -> None:
    kb.report(kb.loads(text), folder / "report.html")


def memory() -> float:
    """Megabytes that are resident now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def table(count: int, reports: int) -> str:
    """A row for each kind of mechanism and what is asked of it."""
    lines = ["| what | count | first, ms | each, ms | compiled after the first | memory grows by |"]
    lines.append("|---|---|---|---|---|---|")
    compiled = Counted()
    with tempfile.TemporaryDirectory() as folder:
        asked: list[tuple[str, int, Callable[[str], None]]] = [
            ("load, mobility, motion", count // len(KINDS), moved),
            ("report", reports, lambda text: reported(text, Path(folder))),
        ]
        for what, number, ask in asked:
            for kind, make in KINDS.items():
                rng, texts = np.random.default_rng(7), list[str]()
                texts = [make(rng, i) for i in range(number + 1)]
                start = process_time()
                ask(texts[0])
                first, before, tenth, size = process_time(), compiled.count, number // 10, 0.0
                for i, text in enumerate(texts[1:]):
                    ask(text)
                    size = memory() if i == tenth else size
                each = (process_time() - first) / max(1, number)
                cells = [f"{kind}: {what}", f"{number:,}", f"{(first - start) * 1e3:.0f}"]
                cells += [f"{each * 1e3:.1f}", str(compiled.count - before)]
                lines.append(f"| {' | '.join([*cells, f'{memory() - size:.1f} MB'])} |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--reports", type=int, default=10)
    given = parser.parse_args()
    print(table(given.count, given.reports))


if __name__ == "__main__":
    main()

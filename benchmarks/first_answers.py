"""How long the first answer takes in a fresh process, with an empty cache and with a full one.

    python benchmarks/first_answers.py [OTHER/src] [--only cassie] [--rounds 3]

Processor time of all processes, from the start of Python to its end: imports, equations, the
compiler beside it. Each question is asked three times by processes of their own that share a
cache: the first finds it empty, the third has it full (the second may still compile what was
plain before). The other checkout is asked in turns with this one, and so are MuJoCo and Pinocchio,
from their file to their first answer. The median of all rounds counts.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).resolve().parents[1] / "src"
BEGIN = "import numpy as np, korba as kb, sys; t = np.linspace(0, 1, 61); L = kb.linkages\n"
FOUR_BAR = "m = L.four_bar('40 mm', '120 mm', '80 mm', '100 mm')\n"


class Question(NamedTuple):
    """What is asked, and the goals: seconds with an empty and with a full cache."""

    script: str
    empty: float | None = None
    full: float | None = None


QUESTIONS = {
    "four-bar, motion": Question(f"{FOUR_BAR}kb.motion(m, t)", 0.8, 0.5),
    "Jansen, motion": Question("kb.motion(L.jansen(), t)", 0.9, 0.5),
    "Stewart, motion": Question("kb.motion(L.stewart('0.3 m', '0.15 m', '0.4 m'), t)", 1.3, 0.6),
    "four-bar, report": Question(f"{FOUR_BAR}kb.report(m, sys.argv[1] + '/r.html')", 2.0, 1.2),
    "Jansen, report": Question("kb.report(L.jansen(), sys.argv[1] + '/r.html')", 3.0, 2.0),
    "V6, motion": Question("kb.motion(L.engine(6), t)", 4.0, 0.7),
    "Cassie, simulate": Question("kb.simulate(kb.read_sdf(CASSIE), 0.1)", 8.0, 0.8),
    "Cassie, mobility": Question("kb.mobility(kb.read_sdf(CASSIE))", None, 0.7),
    "korba mobility FILE": Question("", None, 0.6),
}
PEERS = {
    "Cassie, MuJoCo: load and 50 steps": (
        "mujoco",
        "import mujoco as mj, sys; m = mj.MjModel.from_xml_path(sys.argv[1] + '/cassie.xml')\n"
        "d = mj.MjData(m)\nfor _ in range(50): mj.mj_step(m, d)",
    ),
    "Cassie, Pinocchio: load and dynamics": (
        "pinocchio",
        "import pinocchio as p, sys, numpy as np\nm = p.buildModelFromMJCF(sys.argv[1] + "
        "'/cassie.xml')\nd = m.createData()\n"
        "p.aba(m, d, p.neutral(m), np.zeros(m.nv), np.zeros(m.nv))",
    ),
}


def cassie() -> Path | None:
    """The SDF of Cassie in example-robot-data, where that is installed."""
    folder = "cmeel.prefix/share/example-robot-data/robots/cassie_description/robots/cassie_v2.sdf"
    found = [Path(path) / folder for path in sys.path if (Path(path) / folder).is_file()]
    return found[0] if found else None


def seconds(command: list[str], source: Path | None, cache: str) -> float:
    """Processor time of a process and all that it waited for."""
    own = {"PYTHONPATH": str(source)} if source else {}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        command,
        env={**environment, **own, "KORBA_CACHE": cache, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        sys.exit(f"{' '.join(command)[:200]}:\n{run.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def asked(name: str, folder: str) -> list[str]:
    """The command of a question."""
    if not QUESTIONS[name].script:
        return [sys.executable, "-m", "korba", "mobility", f"{folder}/four_bar.toml"]
    script = f"CASSIE = {str(cassie())!r}\n{BEGIN}{QUESTIONS[name].script}"
    return [sys.executable, "-c", script, folder]


def measured(name: str, source: Path, folder: str) -> tuple[float, float]:
    """Seconds with an empty and with a full cache."""
    with tempfile.TemporaryDirectory() as cache:
        times = [seconds(asked(name, folder), source, cache) for _ in range(3)]
    return times[0], times[2]


def prepared(folder: str) -> None:
    """The files that questions and peers read."""
    import korba as kb

    kb.save(kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm"), f"{folder}/four_bar.toml")
    if cassie():
        kb.write_mjcf(kb.read_sdf(cassie()), f"{folder}/cassie.xml")


def table(other: Path | None, names: list[str], rounds: int) -> str:
    """All questions beside the goals, the other checkout, and the peers."""
    sides = [HERE, other] if other else [HERE]
    lines = [
        "| question | empty / full, s | goal | the other, s | ratio |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        prepared(folder)
        for name in names:
            found = [[measured(name, side, folder) for side in sides] for _ in range(rounds)]
            middle = [
                tuple(median(row[k][i] for row in found) for i in (0, 1)) for k in range(len(sides))
            ]
            goal = " / ".join("-" if x is None else f"{x:g}" for x in QUESTIONS[name][1:])
            cells = [name, told(middle[0]), goal]
            if other:
                ratios = [a / b for a, b in zip(*middle, strict=True)]
                cells += [told(middle[1]), told(ratios)]
            lines.append(f"| {' | '.join(cells)} |")
        for name, (library, script) in PEERS.items():
            if find_spec(library) and cassie() and any("Cassie" in each for each in names):
                command = [sys.executable, "-c", script, folder]
                own = median(seconds(command, None, "off") for _ in range(rounds))
                lines.append(f"| {name} | {own:.2f} |")
    return "\n".join(lines)


def told(pair: tuple[float, ...] | list[float]) -> str:
    return " / ".join(f"{x:.2f}" for x in pair)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", type=Path, help="src of another checkout")
    parser.add_argument("--only", default="", help="questions with this in their names")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    names = [name for name in QUESTIONS if given.only.lower() in name.lower()]
    names = [name for name in names if cassie() or "Cassie" not in name]
    print(table(given.other and given.other.resolve(), names, given.rounds))


if __name__ == "__main__":
    main()

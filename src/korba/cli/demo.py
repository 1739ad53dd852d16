"""The demonstration: a mechanism that moves although it should not, and an arm at full speed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from timeit import repeat

import numpy as np

from ..codegen import Operations, Program, compile_program, evaluate_program
from ..files.disk import make_folder, write_text
from ..files.toml_file import loads
from ..linkages.four_links import quick_return
from ..model.mechanism import Mechanism
from ..show.report.report import report
from ..show.structure_graph import structure_graph
from ..structure.groups import groups
from ..structure.mobility import mobility
from ..verbs.dynamics import forward_dynamics, inverse_dynamics

EXAMPLE = "irb_drive.toml"
ARM = "arm.toml"
STATES = 20_000
LEVER = {"crank": "100 mm", "distance": "250 mm", "lever": "500 mm", "link": "200 mm"}
"""Sizes of the quick return that the report is about."""


def run(out: Path) -> Iterator[str]:
    """Load the embedded mechanisms, answer for them, write files; lines of what it does."""
    make_folder(out)
    m, text = _embedded(EXAMPLE)
    arm, arm_text = _embedded(ARM)
    found = mobility(m)
    yield f"{found}\n\n{groups(m)}\n"
    speed = "\n".join(arm_lines(arm))
    yield f"{speed}\n"
    answers = {
        EXAMPLE: (text, "the mechanism: change a size and run `korba mobility` on it"),
        "mobility.txt": (f"{found}\n\n{groups(m)}\n", "the report above"),
        "structure.svg": (structure_graph(m), "its structure graph"),
        ARM: (arm_text, "the arm"),
        "arm.txt": (f"{speed}\n", "its operations and times"),
    }
    for name, (content, what) in answers.items():
        write_text(content, out / name)
        yield f"wrote {out / name}: {what}"
    report(quick_return(**LEVER), out / "report.html")
    yield f"wrote {out / 'report.html'}: a quick return, alive: open it in a browser"


def arm_lines(m: Mechanism) -> Iterator[str]:
    """Operations of the arm's dynamics, and its time in machine code beside that in NumPy."""
    yield f"{m.name}: dynamics of {STATES} states, one thread, time of one state"
    for verb in (inverse_dynamics, forward_dynamics):
        traced = verb.program(m)
        compiled, numpy, apart = _raced(traced)
        yield (
            f"  {verb.name.replace('_', ' ')}: {_counted(traced.operations)}; machine code "
            f"{compiled:.0f} ns, NumPy {numpy:.0f} ns: {numpy / compiled:.0f} x "
            f"(results agree to {apart:.0e})"
        )


def _embedded(name: str) -> tuple[Mechanism, str]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return loads(text, source=name), text


def _counted(count: Operations) -> str:
    division = f", {count.divisions} divisions" if count.divisions else ""
    return (
        f"{count.multiplications} multiplications, {count.additions} additions{division}, "
        f"{count.trigs} sine-cosine pairs"
    )


def _raced(traced: Program) -> tuple[float, float, float]:
    """Nanoseconds a state in machine code and in NumPy, and the difference of the results."""
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(-1, 1, size=(STATES, size)) for _, size in traced.inputs]
    compiled = compile_program(traced)
    fast, slow = compiled(*inputs), evaluate_program(traced, *inputs)
    apart = float(np.abs(fast - slow).max() / np.abs(slow).max())
    quick = min(repeat(lambda: compiled(*inputs), repeat=5, number=1))
    plain = min(repeat(lambda: evaluate_program(traced, *inputs), repeat=2, number=1))
    return quick / STATES * 1e9, plain / STATES * 1e9, apart

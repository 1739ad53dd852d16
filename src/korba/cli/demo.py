"""`korba demo`: a shaper with two loops, friction, a cutting force and a flywheel.

What a designer asks of it is answered in a few lines, and its live report is written.
"""

from __future__ import annotations

import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

from ..disk import make_folder, write_text
from ..files.toml_file import loads
from ..solve.cycle import cycle_time
from .answers import Output
from .commands import command
from .options import Answer
from .parameters import option

EXAMPLE = "shaper.toml"
CRANK, RAM, POSITIONS = "A", "slide", 361


@command("korba demo --out out", out=option("Folder for what is written.", "--out -o"))
def demo(*, out: Path = Path("out"), answer: Answer) -> None:
    """Ask all of a shaper with friction and a flywheel, and write its live report."""
    make_folder(out)
    m, text = embedded()
    made = answers(m)
    change = "the mechanism: change a size and run `korba report` on it"
    page = "all of it on one page, with the mechanism alive: open it in a browser"
    outputs = [
        Output(out / EXAMPLE, change, lambda path: write_text(text, path)),
        Output(out / "report.html", page, lambda path: kb.report(m, path)),
    ]
    answer(made, told(made), *outputs)


def embedded() -> tuple[kb.Mechanism, str]:
    """The mechanism, and the text of its file."""
    text = files(__package__).joinpath(EXAMPLE).read_text(encoding="utf-8")
    return loads(text, source=EXAMPLE), text


def answers(m: kb.Mechanism) -> dict[str, Any]:
    """Mobility, range, largest reaction and driving moment, irregularity; without and with."""
    begun = time.perf_counter()
    turn = kb.motion(m, np.linspace(0.0, cycle_time(m), POSITIONS))
    rough = kb.reactions(m, turn, friction=True)
    smooth = rough.frictionless
    assert smooth is not None  # noqa: S101  (asked for with friction)
    speed = float(turn[f"v_{CRANK}"][0])
    stroke = turn[RAM]
    return {
        "mechanism": m.name,
        "mobility": kb.mobility(m).actual,
        "full_turn": kb.input_range(m, CRANK).full_turn,
        "stroke_m": float(np.ptp(stroke)),
        "largest_reaction_N": {"without": _largest(smooth), "with": _largest(rough)},
        "driving_moment_Nm": {"without": _driving(smooth), "with": _driving(rough)},
        "efficiency": float(rough.efficiency),
        "irregularity": {
            "without": _irregularity(kb.redimension(m, wheel="0 kg*m^2"), speed),
            "with": _irregularity(m, speed),
        },
        "residual": float(turn.audit.residual),
        "seconds": time.perf_counter() - begun,
    }


def _largest(forces: kb.results.Reactions) -> float:
    return float(np.linalg.norm(forces.force, axis=-1).max())


def _driving(forces: kb.results.Reactions) -> float:
    return float(np.abs(forces.efforts).max())


def _irregularity(m: kb.Mechanism, speed: float) -> float | None:
    """None where it does not get through a turn."""
    try:
        return kb.steady_cycle(m, CRANK, speed=speed).irregularity.delta
    except kb.StructureError:
        return None


def told(found: dict[str, Any]) -> str:
    """The answers in a few lines."""
    force, moment = found["largest_reaction_N"], found["driving_moment_Nm"]
    even = found["irregularity"]
    without = f"{even['without']:.3g}" if even["without"] else "no turn is got through"
    turns = "turns fully" if found["full_turn"] else "does not turn fully"
    rows = {
        "mobility": f"{found['mobility']}; the crank {turns}, the ram's stroke is "
        f"{1000 * found['stroke_m']:.0f} mm",
        "largest reaction": f"{force['without']:.0f} N, with friction {force['with']:.0f} N",
        "driving moment": f"{moment['without']:.0f} N m, with friction {moment['with']:.0f} N m; "
        f"efficiency {found['efficiency']:.3f}",
        "irregularity": f"{even['with']:.3g} with the flywheel, {without} without it",
        "audit": f"loops closed to {found['residual']:.0e} of a typical length",
    }
    lines = [f"  {name:<18}{text}" for name, text in rows.items()]
    return "\n".join([f"{found['mechanism']}, in {found['seconds']:.2g} s:", *lines])

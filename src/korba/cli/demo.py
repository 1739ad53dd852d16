"""The demonstration: a shaper with two loops, friction, a cutting force and a flywheel.

What a designer asks of it is answered in a few lines, and its live report is written.
"""

from __future__ import annotations

import time
from importlib.resources import files
from typing import Any

import numpy as np

from ..errors import StructureError
from ..files.toml_file import loads, redimension
from ..machine.cycle import steady_cycle
from ..model.mechanism import Mechanism
from ..solve.cycle import cycle_time
from ..solve.motion import motion
from ..structure.mobility import mobility
from ..verbs.forces.reactions import reactions
from ..verbs.forces.results import Reactions
from ..workspace.input_range import input_range

EXAMPLE = "shaper.toml"
CRANK, RAM, POSITIONS = "A", "slide", 361


def embedded() -> tuple[Mechanism, str]:
    """The mechanism, and the text of its file."""
    text = files(__package__).joinpath(EXAMPLE).read_text(encoding="utf-8")
    return loads(text, source=EXAMPLE), text


def answers(m: Mechanism) -> dict[str, Any]:
    """Mobility, range, largest reaction and driving moment, irregularity; without and with."""
    begun = time.perf_counter()
    turn = motion(m, np.linspace(0.0, cycle_time(m), POSITIONS))
    rough = reactions(m, turn, friction=True)
    smooth = rough.frictionless
    assert smooth is not None  # noqa: S101  (asked for with friction)
    speed = float(turn[f"v_{CRANK}"][0])
    stroke = turn[RAM]
    return {
        "mechanism": m.name,
        "mobility": mobility(m).actual,
        "full_turn": input_range(m, CRANK).full_turn,
        "stroke_m": float(np.ptp(stroke)),
        "largest_reaction_N": {"without": _largest(smooth), "with": _largest(rough)},
        "driving_moment_Nm": {"without": _driving(smooth), "with": _driving(rough)},
        "efficiency": float(rough.efficiency),
        "irregularity": {
            "without": _irregularity(redimension(m, wheel="0 kg*m^2"), speed),
            "with": _irregularity(m, speed),
        },
        "residual": float(turn.audit.residual),
        "seconds": time.perf_counter() - begun,
    }


def _largest(forces: Reactions) -> float:
    return float(np.linalg.norm(forces.force, axis=-1).max())


def _driving(forces: Reactions) -> float:
    return float(np.abs(forces.efforts).max())


def _irregularity(m: Mechanism, speed: float) -> float | None:
    """None where it does not get through a turn."""
    try:
        return steady_cycle(m, CRANK, speed=speed).irregularity.delta
    except StructureError:
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

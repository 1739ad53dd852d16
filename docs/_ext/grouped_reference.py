"""Pages on every public name, in groups by what one asks: written from the docstrings.

A name that no group has is on the page of the others, so a new name is never lost. The index has a
sentence on each.
"""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.application import Sphinx

import korba
import korba.results
from korba.files.schema import SECTIONS

FOLDER = "reference"
ROOMS = {
    "linkages": "Ready mechanisms by their lengths.",
    "solids": "Solids with mass, centre and inertia.",
    "course": "Methods of a course under their own names.",
    "papers": "Methods of four papers.",
    "results": "What verbs give, as classes.",
}


class Group(NamedTuple):
    """A page: its file, its heading, what it is for, and the names on it."""

    file: str
    title: str
    about: str
    names: str


SAMPLES = """\
Examples give what they show: all of them are run with the tests. They use these names:

```python
import dataclasses
from pathlib import Path
import numpy as np
import korba as kb

m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
motion = kb.motion(m, np.linspace(0, 1, 61))
arm = kb.linkages.robot_arm(0.4, 0.35, 0.3)
```

"""
TABLES = "The types by the names that files use."
ELEMENTS = "Every field is explained on [a page of its own](../elements/index.md), with a picture."
GROUPS = [
    Group(
        "model",
        "Say what it is",
        "A mechanism and its parts ([the model](../model.md)).",
        "Mechanism Body Shape Frame Coupling Curve NamedPose Rotor Elastic Friction expanded "
        "redimension",
    ),
    Group(
        "joints",
        "Joints",
        f"What connects two bodies. {ELEMENTS}",
        "Joint JOINT_TYPES Revolute Prismatic Screw Cylindrical Universal Spherical Planar "
        "PointOnLine PointOnPlane Rod Free Fixed PinInSlot CurvedSlot CamRoller CamFlat "
        "CurveContact CurveRolling GearMesh GearRack GearLineContact GearPointContact GearBevel "
        "Geneva",
    ),
    Group(
        "loads",
        "Drives and forces",
        f"What moves a mechanism and what loads it. {ELEMENTS}",
        "Drive JointDrive BodyDrive LengthDrive PointDrive Force PointForce Moment Spring "
        "SeriesSpring Bushing Rope JointForce Motor Controller PID Sensor",
    ),
    Group(
        "files",
        "Read and write",
        "TOML, URDF, SDF, MJCF and tables ([files](../files.md)).",
        "load save loads dumps schema read_urdf write_urdf read_sdf read_mjcf write_mjcf from_dh "
        "DHRow",
    ),
    Group(
        "structure",
        "What can move, and why",
        "Mobility, groups, redesigns ([structure](../structure.md)).",
        "mobility groups rational_variants size_deviations Mobility Groups "
        "RationalVariants DeviationEffect",
    ),
    Group(
        "motion",
        "Where it is and how it moves",
        "Positions with loops closed, driven motion ([motion](../motion.md)).",
        "assemble configurations motion programmed_motion speed_profile "
        "inverse_kinematics sensitivity Trajectory Configuration Configurations Positions "
        "InverseKinematics Sensitivity BodyMotion PointMotion Audit Effort",
    ),
    Group(
        "kinematics",
        "Places and velocities from arrays",
        "Verbs of coordinates, one state or many ([kinematics](../kinematics.md)).",
        "pose poses velocity acceleration jacobian jacobian_rate centre_of_mass",
    ),
    Group(
        "workspace",
        "What it can reach",
        "Ranges, curves, dead points ([workspace](../workspace.md)).",
        "input_range coupler_curve singularities transmission_angle time_ratio grashof InputRange "
        "InputLimit CouplerCurve CurveBranch Singularities Singularity TransmissionAngle "
        "cam_profile CamProfile mechanical_advantage MechanicalAdvantage reachable Reachable "
        "FourBar SliderCrank",
    ),
    Group(
        "dynamics",
        "Equations of motion from arrays",
        "Formulations that are proved equal ([dynamics](../dynamics.md)).",
        "inverse_dynamics forward_dynamics mass_matrix bias_forces gravity_forces "
        "generalised_forces energy momentum formulations crosscheck base_parameters regressor "
        "CrossCheck BaseParameters BaseParameter Energy",
    ),
    Group(
        "forces",
        "Forces in joints, masses",
        "What a motion takes, with friction ([forces](../forces.md), [masses](../masses.md)).",
        "reactions driving_forces Distribution inertia_forces shaking_forces mass_properties "
        "Reactions DrivingForces PowerBalance Jam LiftOff Wrench LineOfAction InertiaForces "
        "ShakingForces Harmonic MassProperties PointMasses",
    ),
    Group(
        "machine",
        "How a machine runs",
        "Reduced model, flywheel, balance, small motions ([machines](../machine.md)).",
        "reduce run_up speeds steady_speed steady_cycle irregularity flywheel "
        "balance equilibrium linearise Reduction ReducedModel Speeds SteadySpeed Cycle "
        "Irregularity Flywheel Balance Counterweight Shaft Equilibrium LinearSystem Mode",
    ),
    Group(
        "simulation",
        "Motion in time",
        "By forces, with events and impacts ([simulation](../simulation.md)).",
        "simulate Event Events Occurrence Contact Ratchet",
    ),
    Group(
        "design",
        "Many designs, and the best",
        "Sizes as inputs ([best design](../best_design.md)).",
        "sweep optimise path_goal Sweep Optimum PathGoal",
    ),
    Group(
        "code",
        "Formulas and programs",
        "Any verb as equations, machine code or text ([code](../code.md)).",
        "equations compile derivative operations generate export_fmu torch jax casadi Equations "
        "LayeredEquations ReducedEquations FMU",
    ),
    Group(
        "show",
        "Pictures and pages",
        "Schemes, plots, motions that play, reports ([pictures](../pictures.md)).",
        "draw plot animate live report Plot Drawing Page",
    ),
    Group(
        "errors",
        "Errors",
        "Whatever Korba refuses is one of these, in a sentence with a way out.",
        "KorbaError ModelError FileError ExpressionError StructureError AssemblyError "
        "DeadPointError ReachError SimulationError Fault",
    ),
]


FRONTS = (korba, korba.results)
"""Verbs, values that are made by hand, and what verbs give: all on the pages of groups."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir)))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(docs: Path) -> None:
    """All pages of the folder; one that is right already is left alone."""
    (docs / FOLDER).mkdir(exist_ok=True)
    grouped = {name for group in GROUPS for name in group.names.split()}
    every = [*korba.__all__, *korba.results.__all__]
    rest = [name for name in every if name not in grouped and name not in ROOMS]
    groups = [*GROUPS, *([Group("others", "Others", "", " ".join(rest))] if rest else [])]
    index = f"# Every name, by what it does\n\n{SAMPLES}"
    toctree = ""
    for group in groups:
        asked, given = ([n for n in group.names.split() if n in x.__all__] for x in FRONTS)
        told = f"{table(korba, asked)}{table(korba.results, given, head=False)}"
        index += f"\n## [{group.title}]({group.file}.md)\n\n{group.about}\n\n{told}"
        own = f"{entries(korba, asked)}\n{entries(korba.results, given)}"
        _write(docs / FOLDER / f"{group.file}.md", f"# {group.title}\n\n{group.about}\n\n{own}")
        toctree += f"{group.file}\n"
    for room, about in ROOMS.items():
        module = importlib.import_module(f"korba.{room}")
        own = f"```{{eval-rst}}\n.. automodule:: korba.{room}\n```\n"
        heading = f"# `kb.{room}`\n\n{own}\n{table(module, module.__all__)}"
        told = "" if module in FRONTS else entries(module, module.__all__)
        _write(docs / FOLDER / f"{room}.md", f"{heading}\n{told}")
        index += f"\n## [`kb.{room}`]({room}.md)\n\n{about}\n"
        toctree += f"{room}\n"
    index += f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{toctree}```\n"
    _write(docs / FOLDER / "index.md", index)


def table(module: Any, names: list[str], *, head: bool = True) -> str:
    """A sentence on each name, with the pages of joints, drives and forces."""
    rows = ["| name | what it is |", "|---|---|"] if head else []
    for name in names:
        page = element_page(getattr(module, name))
        more = f" [Its fields](../elements/{page}.md)" if page else ""
        full = f"{module.__name__}.{name}"
        rows.append(f"| [`{name}`](#{full}) | {sentence(getattr(module, name))}{more} |")
    return "".join(f"{row}\n" for row in rows)


def element_page(value: Any) -> str:
    """The page on a kind of joint, drive or force."""
    for section in SECTIONS:
        for kind, cls in section.types.items():
            if cls is value and section.key in ("joint", "drive", "force"):
                return f"{section.key}-{kind}"
    return ""


def sentence(value: Any) -> str:
    """The first sentence of a docstring, as Markdown shows it."""
    text = TABLES if isinstance(value, dict | tuple) else inspect.getdoc(value) or ""
    first = re.split(r"(?<=[.:])\s|\n\n", text.strip(), maxsplit=1)[0].rstrip(".:") + "."
    parts = first.split("`")  # every second one is code, and stays
    for k in range(0, len(parts), 2):
        for sign in ("\\", "*", "_", "|", "[", "]", "<", "$"):
            parts[k] = parts[k].replace(sign, f"\\{sign}")
    return " ".join("`".join(parts).split())


def entries(module: Any, names: list[str]) -> str:
    """What autodoc is to show."""
    lines = []
    for name in names:
        value = getattr(module, name)
        full = f"{module.__name__}.{name}"
        if isinstance(value, dict | tuple):
            lines += [f".. autodata:: {full}", "   :no-value:", ""]
        elif inspect.isclass(value):
            kind = "autoexception" if issubclass(value, Exception) else "autoclass"
            lines += [f".. {kind}:: {full}", "   :members:", ""]
        else:
            lines += [f".. autofunction:: {full}", ""]
    body = "\n".join(lines)
    return f"```{{eval-rst}}\n{body}\n```\n"


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")

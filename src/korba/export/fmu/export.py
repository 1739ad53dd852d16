"""The verb `export_fmu`: from a mechanism to a file of FMI 3.0 or 2.0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...disk import FilePath, replaced
from ...display import Displayed
from ...door import public
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...verbs.generate import identifier
from . import build, description2
from .description import (
    INPUT,
    OUTPUT,
    PARAMETER,
    SECOND,
    Variable,
    description,
    variables_of,
)
from .unit import Unit, unit_of

METHODS = ("dop853", "stiff")
NO_COMPILER = (
    "there was no C compiler, so that the file holds sources and no library; a program that runs "
    "it has to compile them. Install one (cc, gcc or clang), or pip install 'korba[zig]', and again"
)
ONE_PLATFORM = (
    "the library is for {} only; with pip install 'korba[zig]' one file has libraries for "
    "Windows, macOS and Linux"
)


@dataclass(frozen=True)
class FMU(Displayed):
    """What was written: where, under which name, for which machines, and its variables."""

    path: Path
    name: str
    """The name of the unit in programs, that of its library."""
    platforms: tuple[str, ...]
    """The machines of the libraries inside, such as "x86_64-linux"; empty where there is none."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parameters: tuple[str, ...]
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What one should know."""


@public
def export_fmu(
    m: Mechanism,
    path: FilePath,
    *,
    q: Any = None,
    v: Any = None,
    t: Any = 0.0,
    parameters: Sequence[str] | None = None,
    drives: Sequence[str] = (),
    gravity: Any = None,
    method: str = "dop853",
    fmi: str = "3.0",
    platforms: Sequence[str] | None = None,
) -> FMU:
    """Write a mechanism as a functional mock-up unit, with generated C inside.

    Programs that simulate systems of many kinds (and FMPy) run it, in co-simulation, where it makes
    its steps itself, as `kb.simulate` does (to the tolerance asked for, 1e-8 by default), or in
    model exchange, where they do. Inputs are forces in the joints (`tau_A`); outputs coordinates
    (`A`), velocities (`v_A`), accelerations (`a_A`) and named points of bodies (`rod.tip.x`). Sizes
    are parameters: all that do not follow from others, or those named in `parameters`.

    It starts at `t` with `q` and `v`, given as to `kb.simulate`; whoever runs it may set other
    values. With loops or drives as many coordinates as there are freedoms keep what they are given,
    and the others follow. Loops stay closed in co-simulation after every step, in model exchange by
    events of the unit. Drives move as their laws say; the motions of those named in `drives` are
    inputs instead, position, velocity and acceleration (`motor`, `v_motor`, `a_motor`), from which
    a step of co-simulation goes on. `method` is "dop853" or "stiff".

    `fmi` is the version of the standard, "3.0" or "2.0". The file holds the sources and, where
    there is a C compiler, a library for this machine; where Zig is installed (`pip install
    'korba[zig]'`) libraries for Windows, macOS and Linux, or those named in `platforms`
    ("x86_64-windows", "aarch64-darwin", ...).

        >>> m = kb.linkages.slider_crank(0.05, 0.2)
        >>> fmu = kb.export_fmu(m, "crank.fmu")
        >>> fmu.parameters
        ('crank', 'rod', 'offset', 'at', 'density', 'speed')
    """
    if method not in METHODS:
        raise StructureError(f"method: expected {' or '.join(METHODS)}, got {method!r:.60}")
    if fmi not in build.VERSIONS:
        raise StructureError(f"fmi: expected {' or '.join(build.VERSIONS)}, got {fmi!r:.60}")
    unit = unit_of(m, (q, v, t), (parameters, drives), method, gravity)
    variables, name = variables_of(unit), identifier(m.name or "mechanism")
    content, made = _content(unit, variables, name, fmi, platforms)
    with replaced(path) as file:
        file.write(content)
    inputs, outputs, sizes = (
        tuple(each.name for each in variables if each.causality == kind)
        for kind in (INPUT, OUTPUT, PARAMETER)
    )
    notes = [*_said(m, name, variables), *([] if made else [NO_COMPILER])]
    notes += [ONE_PLATFORM.format(made[0])] if platforms is None and len(made) == 1 else []
    return FMU(Path(path), name, made, inputs, outputs, sizes, tuple(notes))


def _content(
    unit: Unit,
    variables: Sequence[Variable],
    name: str,
    fmi: str,
    platforms: Sequence[str] | None,
) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of the file, and the machines that its libraries are for."""
    sources = build.sources_of(unit, name, fmi)
    token = build.token_of(sources)
    states = variables[1 : 1 + unit.shape.controlled]
    sources["unit.h"] = build.header(unit, [each.nominal for each in states], name, token)
    libraries = build.libraries_of(sources, name, fmi, platforms)
    listed = build.compiled_of(sources, fmi)
    if fmi == "2.0":
        about = description2.description(unit, variables, name, token, listed)
        texts = {"modelDescription.xml": about}
    else:
        texts = {
            "modelDescription.xml": description(unit, variables, name, token),
            "sources/buildDescription.xml": build.build_description(name, listed),
        }
    texts |= {f"sources/{key}": text for key, text in sources.items()}
    folders = [place.split("/")[1] for place in libraries]
    old = {each.old: key for key, each in build.PLATFORMS.items()}
    return build.archive(texts, libraries), tuple(old.get(folder, folder) for folder in folders)


def _said(m: Mechanism, name: str, variables: Sequence[Variable]) -> Iterator[str]:
    """Names that are not what the mechanism has."""
    if name != m.name:
        yield f"the unit is called {name!r}: names of units are small letters, digits and _"
    changed = [each.name for each in variables if SECOND in each.name]
    if changed:
        yield f"names that are there twice have a number: {', '.join(changed)}"

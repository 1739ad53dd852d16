"""The file of a unit: sources, libraries where there is a compiler, and the description.

A compiler for C is looked for: the one that CC names, cc, gcc, clang. Zig's, from PyPI, compiles
for every system on any; where it is installed one file has libraries for all of them.
"""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as Xml

from ...codegen.keys import digest
from ...codegen.routine import AnyProgram
from ...codegen.routine.needed import pruned
from ...codegen.targets.c import C
from ...codegen.targets.text import program_text
from ...errors import KorbaError, StructureError, way_out
from ...simulation.queues import End
from ...simulation.runs import DONE, FRESH, Task
from .unit import Unit

FLAGS = ("-std=c99", "-O2", "-shared", "-fvisibility=hidden")
LONG = 20_000
"""Lines of a function from which on gcc, whose time grows with their square, is not to optimise."""
PLAIN = """#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O0")
#endif
"""
SECONDS = 600
"""That a compiler may take."""
VERSIONS = ("3.0", "2.0")
"""Of FMI."""
INNER = {"2.0": "unit.c"}
"""A source that another one includes: it is not compiled by itself."""


@dataclass(frozen=True)
class Platform:
    """A kind of machine: Zig's name, how libraries end, its folder in FMI 2.0 if that knows it."""

    target: str
    ending: str
    old: str = ""


PLATFORMS = {
    "x86_64-linux": Platform("x86_64-linux-gnu.2.17", "so", "linux64"),
    "aarch64-linux": Platform("aarch64-linux-gnu.2.17", "so"),
    "x86_64-windows": Platform("x86_64-windows-gnu", "dll", "win64"),
    "x86_64-darwin": Platform("x86_64-macos", "dylib", "darwin64"),
    "aarch64-darwin": Platform("aarch64-macos", "dylib"),
}
"""Machines by the names that FMI 3.0 has for them."""
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def sources_of(unit: Unit, identifier: str, fmi: str) -> dict[str, str]:
    """Text of all sources by file name: a file for each program, and what is around them."""
    texts = {
        f"{name}.c": _source(program, f"{identifier}_{name}")
        for name, program in unit.programs.items()
    }
    own = files(__package__)
    around = ("fmi3.h", "unit.c", *(("fmi2.h", "fmi2.c") if fmi == "2.0" else ()))
    return texts | {name: own.joinpath(name).read_text("utf-8") for name in around}


def compiled_of(sources: Mapping[str, str], fmi: str) -> list[str]:
    """Names of the sources that a compiler is given."""
    return [name for name in sources if name.endswith(".c") and name != INNER.get(fmi)]


def _source(program: AnyProgram, name: str) -> str:
    """A program as C."""
    text = program_text(C, pruned(program), name)
    longest = max(function.count("\n") for function in text.split("\n}\n"))
    return PLAIN + text if longest > LONG else text


def token_of(sources: Mapping[str, str]) -> str:
    """What a program that runs the unit must know: a hash of all that it is made of."""
    return "{" + digest(*(f"{name}\n{text}" for name, text in sorted(sources.items()))) + "}"


def header(unit: Unit, nominals: Sequence[float], identifier: str, token: str) -> str:
    """unit.h: counts, places, the start, and the functions by the names that unit.c has."""
    places, size = unit.scheme.places, unit.shape.size
    task = {f"TASK_{name.upper()}": k for k, name in enumerate(Task._fields)}
    numbers = {
        "STATES": unit.shape.controlled,
        "ELEMENTS": size,
        "FORCES": unit.plant.tree.nv,
        "SIZES": len(unit.sizes) + len(unit.driven.inputs),
        "DRIVEN": int(bool(unit.driven.inputs)),
        "PLACES": len(unit.points) * len(unit.axes),
        "SETTLES": int(unit.settles),
        "QUEUE": unit.scheme.size,
        "QUEUE_STATUS": int(places.run.status),
        "QUEUE_LEFT": int(places.left),
        "QUEUE_H": int(places.run.h),
        "QUEUE_Y": int(places.run.y[0]),
        "TASK": len(Task._fields),
        **task,
        "ENDS": len(End._fields),
        "STATUS_FRESH": f"({FRESH})",
        "STATUS_DONE": DONE,
        "LENGTH": repr(float(unit.length)),
        "TOLERANCE": "1e-8",
        "TOKEN": f'"{token}"',
    }
    tables = {
        "korba_start": [*unit.y],
        "korba_constants": [*unit.u],
        "korba_nominals": [*nominals],
    }
    forms = {name: _form(program) for name, program in unit.programs.items()}
    return "\n".join(
        [
            *(f"#define KORBA_{name} {value}" for name, value in numbers.items()),
            *(f"#define korba_{name} {identifier}_{name}" for name in forms),
            *(f"void korba_{name}({form});" for name, form in forms.items()),
            *(
                f"static const double {name}[] = {{{', '.join(repr(float(x)) for x in values)}}};"
                for name, values in tables.items()
            ),
            "",
        ]
    )


def _form(program: AnyProgram) -> str:
    """What the function of a program takes."""
    written = len(program.shapes) + len(program.streams)
    return ", ".join(["const double *"] * len(program.inputs) + ["double *"] * written)


def build_description(identifier: str, sources: Sequence[str]) -> str:
    """sources/buildDescription.xml: how a program that runs the unit may compile it."""
    root = Xml.Element("fmiBuildDescription", fmiVersion="3.0")
    way = Xml.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    listed = Xml.SubElement(way, "SourceFileSet", language="C99")
    for name in sources:
        Xml.SubElement(listed, "SourceFile", name=name)
    Xml.SubElement(way, "Library", name="m")
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def archive(texts: Mapping[str, str], libraries: Mapping[str, bytes]) -> bytes:
    """The file: the same bytes for the same content, whenever it is made."""
    stream = io.BytesIO()
    content = {name: text.encode("utf-8") for name, text in texts.items()} | dict(libraries)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            file.writestr(entry, data)
    return stream.getvalue()


def compiler() -> list[str] | None:
    """The command of a C compiler for this machine; None where there is none."""
    named = os.environ.get("CC", "")
    for name in filter(None, (named, "cc", "gcc", "clang")):
        if path := shutil.which(name):
            return [path]
    return zig()


def zig(target: str = "") -> list[str] | None:
    """The command of Zig's C compiler, for another machine too; None where it is not installed."""
    if not find_spec("ziglang"):
        return None
    return [sys.executable, "-m", "ziglang", "cc", *(("-target", target) if target else ())]


def this_platform() -> str:
    """The machine at hand by its name in FMI."""
    return f"{MACHINES.get(platform.machine().lower(), '?')}-{platform.system().lower()}"


def libraries_of(
    sources: Mapping[str, str], identifier: str, fmi: str, platforms: Sequence[str] | None
) -> dict[str, bytes]:
    """Libraries by their places in the file: those asked for, or all that can be made here."""
    commands = dict(_commands(fmi, platforms))
    make = partial(_library, sources, identifier, fmi)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return dict(threads.map(make, commands, commands.values()))


def _commands(fmi: str, platforms: Sequence[str] | None) -> Iterator[tuple[str, list[str]]]:
    """Machines and the compiler for each; an error for one that is asked for and cannot be had."""
    known = {name: each for name, each in PLATFORMS.items() if fmi != "2.0" or each.old}
    for name in known if platforms is None else platforms:
        if name not in known:
            which = way_out(name, known)
            raise StructureError(f"platforms: FMI {fmi} has no machine {name!r}; {which}")
        command = compiler() if name == this_platform() else zig(known[name].target)
        if command is not None:
            yield name, command
        elif platforms is not None:
            raise KorbaError(f"export_fmu: a library for {name!r} {NEEDS_ZIG}")


NEEDS_ZIG = "needs the compiler Zig, which is not installed; run: pip install 'korba[zig]'"


def _library(
    sources: Mapping[str, str], identifier: str, fmi: str, name: str, command: Sequence[str]
) -> tuple[str, bytes]:
    """Place in the file and bytes of the library for a machine."""
    own = PLATFORMS[name]
    with TemporaryDirectory() as folder:
        for file, text in sources.items():
            Path(folder, file).write_text(text, "utf-8")
        made = Path(folder, f"{identifier}.{own.ending}")
        position = [] if own.ending == "dll" else ["-fPIC"]
        files = compiled_of(sources, fmi)
        _run([*command, *FLAGS, *position, *files, "-o", str(made), "-lm"], folder)
        place = own.old if fmi == "2.0" else name
        return f"binaries/{place}/{made.name}", made.read_bytes()


def _run(command: Sequence[str], folder: str) -> None:
    """Run a compiler; what it says against our sources is an error."""
    try:
        done = subprocess.run(  # noqa: S603  (a compiler, and files that we wrote)
            command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KorbaError(f"export_fmu: the compiler {command[0]} does not run: {error}") from error
    if done.returncode:
        said = done.stderr.strip()
        raise KorbaError(f"export_fmu: the compiler {command[0]} failed: {said:.300}")

"""The file of a unit: sources, the library where there is a compiler, and the description.

A compiler for C is looked for: the one that CC names, cc, gcc, clang, and Zig's from PyPI.
"""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
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
from ...errors import KorbaError
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
ENDINGS = {"linux": "so", "darwin": "dylib", "windows": "dll"}
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def sources_of(unit: Unit, identifier: str) -> dict[str, str]:
    """Text of all sources by file name: a file for each program, and what is around them."""
    texts = {
        f"{name}.c": _source(program, f"{identifier}_{name}")
        for name, program in unit.programs.items()
    }
    own = files(__package__)
    texts |= {name: own.joinpath(name).read_text("utf-8") for name in ("fmi3.h", "unit.c")}
    return texts


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
            *(f"#define {name} {value}" for name, value in numbers.items()),
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
    """The command of a C compiler; None where there is none."""
    named = os.environ.get("CC", "")
    for name in filter(None, (named, "cc", "gcc", "clang")):
        if path := shutil.which(name):
            return [path]
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") else None


def library_of(sources: Mapping[str, str], identifier: str) -> tuple[str, bytes] | None:
    """Place in the file and bytes of the library for this machine; None without a compiler."""
    command, system = compiler(), platform.system().lower()
    machine = MACHINES.get(platform.machine().lower())
    if command is None or system not in ENDINGS or machine is None:
        return None
    with TemporaryDirectory() as folder:
        for name, text in sources.items():
            Path(folder, name).write_text(text, "utf-8")
        made = Path(folder, f"{identifier}.{ENDINGS[system]}")
        position = [] if system == "windows" else ["-fPIC"]
        names = [name for name in sources if name.endswith(".c")]
        _run([*command, *FLAGS, *position, *names, "-o", str(made), "-lm"], folder)
        return f"binaries/{machine}-{system}/{made.name}", made.read_bytes()


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

"""`korba doctor`: what this installation is made of, and whether it works."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

import numpy as np
import typer

from ..codegen.cache import cache_folder
from ..codegen.callable.gpu import gpu
from ..codegen.targets.llvm.compiler import WAITING, host
from ..codegen.targets.llvm.fast_way import plain_reason
from ..codegen.targets.llvm.machine import llvm_version
from ..errors import KorbaError
from ..model.body import Body
from ..model.joints.revolute import Revolute
from ..model.mechanism import Mechanism
from ..verbs.dynamics import forward_dynamics
from .commands import command
from .options import Answer

_NEED = re.compile(r"(?P<library>[\w.-]+)[^;]*(;.*extra\s*==\s*['\"](?P<extra>[\w-]+))?")


@command("korba doctor")
def doctor(answer: Answer) -> None:
    """Say what this installation is made of, which way it calls, and test it."""
    found = findings()
    answer(found, told(found))
    if not found["self_test"]["passed"]:
        raise typer.Exit(1)


def findings() -> dict[str, Any]:
    """Versions, processor, calls, compiler, cache, GPU, extras, and a test of all together."""
    needs = libraries(requires("korba") or ())
    target, kept = host(), cache_folder().path
    return {
        "korba": version("korba"),
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.system()} {platform.machine()}",
        "libraries": {name: _version(name) for name in needs.pop("", [])},
        "processor": {"name": target.cpu, "lanes": target.width, "llvm": llvm_version()},
        "calls": {"straight": not plain_reason(), "reason": plain_reason()},
        "compiler": {"apart": _helper_starts(), "executable": sys.executable},
        "cache": {"folder": str(kept) if kept else None, **_kept_files(kept)},
        "gpu": _gpu(),
        "extras": {
            extra: {name: _version(name) for name in names}
            for extra, names in sorted(needs.items())
        },
        "self_test": _self_test(),
    }


def libraries(needs: Any) -> dict[str, list[str]]:
    """The names of libraries by the extra that asks for them, those of all under ''."""
    found: dict[str, list[str]] = {}
    for match in filter(None, map(_NEED.match, needs)):
        found.setdefault(match["extra"] or "", []).append(match["library"])
    return found


def told(found: Mapping[str, Any]) -> str:
    """The findings for a person."""
    calls, kept, test = found["calls"], found["cache"], found["self_test"]
    straight = "straight into machine code"
    beside = "a process beside this one" if found["compiler"]["apart"] else "in this process"
    folder = f"{kept['folder']} ({kept['files']} files, {kept['bytes'] / 1e6:.1f} MB)"
    lanes = f"{found['processor']['lanes']} numbers at a time"
    lines = {
        "python": f"{found['python']}, {found['system']}",
        "libraries": _listed(found["libraries"]),
        "processor": f"{found['processor']['name']}, {lanes}, LLVM {found['processor']['llvm']}",
        "calls": straight if calls["straight"] else f"the plain way, slower: {calls['reason']}",
        "compiler": beside,
        "cache": folder if kept["folder"] else "none: every process compiles anew",
        "GPU": found["gpu"],
        "self-test": "passed" if test["passed"] else f"failed: {test['reason']}",
        "extras": "",
    }
    head = [
        f"korba {found['korba']}",
        *(f"  {key:10} {text}".rstrip() for key, text in lines.items()),
    ]
    return "\n".join([*head, *(_extra(*item) for item in found["extras"].items())])


def _extra(extra: str, found: Mapping[str, str | None]) -> str:
    """An extra: the versions that are there, or the line that gets it."""
    whole = all(found.values())
    said = _listed(found) if whole else f"missing; pip install 'korba[{extra}]'"
    return f"    {extra:10} {said}"


def _listed(found: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name} {number or 'missing'}" for name, number in found.items())


def _version(library: str) -> str | None:
    """The version of a library, None if it is not there."""
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _helper_starts() -> bool:
    """Whether the compiler runs beside this process."""
    process = WAITING.taken(host())
    if process is not None:
        WAITING.put_back(host(), process)
    return process is not None


def _kept_files(folder: Any) -> dict[str, int]:
    sizes = [file.stat().st_size for file in folder.glob("*.o")] if folder else []
    return {"files": len(sizes), "bytes": sum(sizes)}


def _gpu() -> str:
    """That a GPU answers, or why none does."""
    try:
        gpu()
    except KorbaError as error:
        return f"none; {error}"
    return "answers"


def _self_test() -> dict[str, Any]:
    """A level rod of length 1 that is let go begins to turn by 3 g / 2, one state or many."""
    across = 2.0 / 12.0
    inertia = ((0.0, 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, across))
    rod = Body("rod", 2.0, com=(0.5, 0.0, 0.0), inertia=inertia)
    pivot = Revolute("A", "ground", "rod", at=(0.0, 0.0, 0.0))
    m = Mechanism("rod", (rod,), (pivot,), plane="xy")
    expected, states = -1.5 * 9.81, np.zeros((3, 1))
    try:
        answers = [forward_dynamics(m, *[q] * 3)[..., 0] for q in (states[0], states, [0.0])]
    except KorbaError as error:
        return {"passed": False, "reason": str(error)}
    off = max(float(np.abs(a - expected).max()) for a in answers)
    near = off < 1e-12 * abs(expected)
    reason = "" if near else f"the acceleration of a rod is off by {off:.3g} of {expected:.3g}"
    return {"passed": near, "reason": reason}

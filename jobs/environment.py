"""The environment that jobs run in: made once, filled by groups of pyproject.toml (PEP 735).

What is installed is kept as text beside it, by group, and is installed again where that text has
changed: another bound does it, another rule of the linter does not.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
OWN = "korba"
"""The name under which Korba's own dependencies are kept."""
BROWSER = ROOT / "tests" / "browser" / "chromium.py"


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def project() -> dict[str, Any]:
    """All of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def requirements(group: str) -> list[str]:
    """Requirements of a group, those of groups that it includes too."""
    listed: list[str] = []
    for need in project()["dependency-groups"][group]:
        listed += requirements(need["include-group"]) if isinstance(need, dict) else [need]
    return listed


def wanted(groups: Iterable[str]) -> dict[str, str]:
    """What has to be installed, as text, by group; Korba itself first."""
    whole = project()
    keys = ("name", "version", "dynamic", "requires-python", "dependencies", "scripts")
    own = [whole["build-system"], *(whole["project"].get(key) for key in keys)]
    return {OWN: json.dumps(own)} | {group: json.dumps(requirements(group)) for group in groups}


def prepared(groups: Sequence[str]) -> Path:
    """The interpreter of `.venv`, with Korba and these groups in it."""
    python = python_of(VENV)
    if not python.exists():
        print(f"== environment ({VENV.name})", flush=True)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    asked = wanted(groups)
    missing = {group: text for group, text in asked.items() if _kept(group) != text}
    if missing:
        needs = [need for group in missing if group != OWN for need in requirements(group)]
        _install(python, needs, " and ".join(missing))
        for group, text in missing.items():
            _place(group).write_text(text, "utf-8")
    if "browser" in groups:
        _browser(python)
    return python


def _place(group: str) -> Path:
    return VENV / f".has-{group}"


def _kept(group: str) -> str:
    place = _place(group)
    return place.read_text("utf-8") if place.exists() else ""


def _install(python: Path, needs: Sequence[str], what: str) -> None:
    """Install Korba in its place and what it is to have beside it."""
    words = [*dict.fromkeys(needs), "--editable", str(ROOT)]
    fetched = sorted(_to_fetch(python, words), key=str.lower)
    print(f"== install {what}: {len(fetched)} packages to fetch", flush=True)
    print("\n".join(_wrapped(fetched)), flush=True)
    _pip(python, ["-qq", *words])
    size = sum(file.lstat().st_size for file in VENV.rglob("*") if file.is_file())
    print(f"   {VENV.name} now has {size / 1e6:,.0f} MB", flush=True)


def _to_fetch(python: Path, words: Sequence[str]) -> Iterator[str]:
    """Names and versions of what pip would install."""
    report = VENV / ".fetch.json"
    _pip(python, ["-qq", "--dry-run", "--report", str(report), *words])
    for each in json.loads(report.read_text("utf-8"))["install"]:
        about = each["metadata"]
        if re.sub(r"[-_.]+", "-", about["name"]).lower() != OWN:
            yield f"{about['name']} {about['version']}"


def _wrapped(names: Iterable[str]) -> Iterator[str]:
    line = "  "
    for name in names:
        if len(line) + len(name) > 98:
            yield line
            line = "  "
        line += f" {name},"
    if line.strip():
        yield line.rstrip(",")


def _pip(python: Path, words: Sequence[str]) -> None:
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        *words,
    ]
    if status := subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise SystemExit(status)


def _browser(python: Path) -> None:
    """Without a browser the tests of pages are skipped, in CI they fail; the next run tries."""
    text = sha256(BROWSER.read_bytes()).hexdigest()
    if _kept("browser-itself") == text:
        return
    print("== a browser for the tests of pages", flush=True)
    if not subprocess.run([python, BROWSER], cwd=ROOT, check=False).returncode:
        _place("browser-itself").write_text(text, "utf-8")

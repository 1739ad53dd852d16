"""Pythons to test with: those of this machine, else Debian's, unpacked into a folder.

Debian's newer suites are asked through the archives that apt already has here, in a state of its
own: nothing of the system is touched, and no root is needed. An interpreter comes with the C
library that it was built for and is started by that library's own loader.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

SUITES = ("unstable", "testing", "stable")
START = """#!/bin/sh
exec "{loader}" --library-path "{libraries}" --argv0 "$0" "{program}" "$@"
"""


class NoPythonError(Exception):
    """An interpreter cannot be had here, and why."""


def interpreter(version: str, folder: Path) -> Path:
    """The interpreter of a version such as `3.13`; one that is fetched stays in `folder`."""
    return _here(version) or _unpacked(version, folder / f"debian-{version}")


def pip_wheel(python: Path) -> Path | None:
    """The pip that came beside an interpreter which was unpacked."""
    kept = python.parents[1] / "share" / "python-wheels"
    return next(iter(sorted(kept.glob("pip-*.whl"))), None)


def _here(version: str) -> Path | None:
    """One that is on the path, or that pyenv has, and starts."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    named = shutil.which(f"python{version}")
    kept = sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
    for found in ([Path(named)] if named else []) + kept[::-1]:
        if _starts(found, version):
            return found
    return None


def _starts(python: Path, version: str) -> bool:
    """Whether it is that version, and can make environments."""
    question = "import sys, venv, ctypes; print('.'.join(map(str, sys.version_info[:2])))"
    asked = subprocess.run([python, "-c", question], capture_output=True, text=True, check=False)
    return asked.returncode == 0 and asked.stdout.strip() == version


def _unpacked(version: str, folder: Path) -> Path:
    python = folder / "root" / "usr" / "bin" / f"python{version}"
    if not _is_ready(python, version):
        shutil.rmtree(folder, ignore_errors=True)
        root = _fetched(f"python{version}-venv", folder)
        _made_to_start(python, root)
        if not _is_ready(python, version):
            raise NoPythonError(f"Debian's python{version} does not start here")
    return python


def _is_ready(python: Path, version: str) -> bool:
    return python.exists() and _starts(python, version)


def _fetched(package: str, folder: Path) -> Path:
    """A root with a package of Debian and all that it needs, as if nothing were installed."""
    root, state = folder / "root", folder / "apt"
    for part in ("state/lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True)
    root.mkdir()
    (state / "sources.list").write_text("".join(_lines(_archives())))
    (state / "status").write_text("")
    (state / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{state}/sources.list";\nDir::Etc::sourceparts "/dev/null";\n'
        f'Dir::State "{state}/state";\nDir::State::status "{state}/status";\n'
        f'Dir::Cache "{state}/cache";\nAPT::Sandbox::User "";\n'
    )
    _apt(state, "update")
    _apt(state, "install", "--yes", "--no-install-recommends", "--download-only", package)
    for file in sorted((state / "cache" / "archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", file, root], check=True)
    shutil.rmtree(state)
    return root


def _archives() -> list[tuple[str, str]]:
    """Addresses of Debian's own archive that apt has here, each with the key it is signed by."""
    places = Path("/etc/apt")
    found = []
    for file in [places / "sources.list", *sorted(places.glob("sources.list.d/*"))]:
        text = file.read_text("utf-8", errors="replace") if file.is_file() else ""
        found += [(m[2], m[1] or "") for m in re.finditer(_LINE, text, re.M)]
        for part in re.split(r"\n\s*\n", text):
            keys = re.search(r"^Signed-By:\s*(/\S+)", part, re.M)
            uris = re.search(r"^URIs:\s*(\S+)", part, re.M)
            found += [(uris[1], keys[1] if keys else "")] if uris else []
    own = {uri.rstrip("/"): key for uri, key in found if uri.rstrip("/").endswith("/debian")}
    if not own or not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise NoPythonError("it is not here, and apt has no archive of Debian to get it from")
    return [*own.items()]


_LINE = r"^deb\s+(?:\[.*?signed-by=(\S+?)[\s\]].*?\]?\s*)?(\S+)\s+\S+\s+.*\bmain\b"


def _lines(archives: list[tuple[str, str]]) -> list[str]:
    signed = [(uri, f"[signed-by={key}] " if key else "") for uri, key in archives]
    return [f"deb {key}{uri} {suite} main\n" for uri, key in signed for suite in SUITES]


def _apt(state: Path, *words: str) -> None:
    ran = subprocess.run(
        ["apt-get", "-qq", *words],
        env={**os.environ, "APT_CONFIG": str(state / "apt.conf")},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        said = (ran.stderr or ran.stdout).strip().splitlines()
        raise NoPythonError(f"apt-get {words[0]}: {said[-1] if said else 'failed'}")


def _made_to_start(python: Path, root: Path) -> None:
    """A script in its place that starts it by the loader of its own C library."""
    loaders = sorted(root.glob("usr/lib/*-linux-gnu*/ld-linux*.so.*"))
    if not python.is_file() or not loaders:
        raise NoPythonError(f"Debian's {python.name} came without its C library")
    program = root / "libexec" / python.name
    program.parent.mkdir()
    python.rename(program)
    text = START.format(loader=loaders[0], libraries=loaders[0].parent, program=program)
    python.write_text(text)
    python.chmod(0o755)

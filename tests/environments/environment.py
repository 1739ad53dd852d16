"""An environment for one run of the tests: made, filled, used, and told in a line."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from interpreters import pip_wheel
from requirements import ROOT

KEPT = ROOT / "build" / "environments"
"""Where environments and interpreters are kept; `make clean` removes them."""
TOOLS = {"korba", "pip", "setuptools", "wheel"}


@dataclass
class Environment:
    """A folder with an interpreter of its own; `notes` tell what could not be had."""

    folder: Path
    base: Path = field(default_factory=lambda: Path(sys.executable))
    notes: list[str] = field(default_factory=list)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def make(self) -> None:
        """Make it, with a pip that knows this interpreter."""
        wheel = pip_wheel(self.base)
        without = ["--without-pip"] if wheel else []
        self._run([self.base, "-m", "venv", "--clear", *without, self.folder])
        first = [self.python, f"{wheel}/pip"] if wheel else [self.python, "-m", "pip"]
        self._run([*first, "install", "-qq", "--upgrade", "pip"])

    def install(self, needs: list[str], *options: str, all_or_none: bool = False) -> None:
        """Korba and its requirements: together, or else one by one, with notes of those missing."""
        said = self._pip([*options, *needs])
        if said and all_or_none:
            raise SystemExit(f"{self.folder.name}: they cannot be installed together: {said}")
        for need in needs if said else ():
            alone = self._pip([*options, need])
            self.notes += [f"{need} could not be installed: {alone}"] if alone else []
        said = self._pip(["--no-deps", "--editable", str(ROOT)])
        if said:
            raise SystemExit(f"{self.folder.name}: Korba itself cannot be installed: {said}")

    def versions(self) -> dict[str, str]:
        """Versions of all that is installed, without Korba itself and its tools."""
        asked = self._run([self.python, "-m", "pip", "list", "--format=freeze"]).stdout
        lines = [line.split("==") for line in asked.splitlines() if "==" in line]
        return {name: version for name, version in lines if name not in TOOLS}

    def pytest(self, tests: list[str], *options: str) -> int:
        """The tests, as many processes as there are processors; the exit status of pytest."""
        command = [self.python, "-m", "pytest", "-n", "auto", "-rs", "-p", "no:cacheprovider"]
        return self.call([*command, *options, *tests])

    def call(self, command: list[object]) -> int:
        """A command with this environment first on the path, seen as it goes."""
        path = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", "")])
        env = {**os.environ, "PATH": path}
        env.pop("PYTHONPATH", None)
        return subprocess.run([*map(str, command)], cwd=ROOT, env=env, check=False).returncode

    def _pip(self, words: list[str]) -> str:
        """Install something; the last line of what pip says where it cannot."""
        ran = subprocess.run(
            [self.python, "-m", "pip", "install", "-qq", "--no-input", "--prefer-binary", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        said = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")]
        return (said[-1] if said else "pip failed") if ran.returncode else ""

    @staticmethod
    def _run(command: list[object]) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)

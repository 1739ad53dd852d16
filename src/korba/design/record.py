"""What a sweep knows so far, in a file: Parquet (.parquet, by pyarrow) or NumPy (.npz).

The file has one row for each design: sizes, answers, whether it was asked, and the reason where it
failed. It is replaced as a whole, so that it is never half written; a key made of everything that
was asked says whether a sweep is the one that the file began.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, KorbaError
from ..files.disk import opened, replaced
from ..files.toml_file import dumps
from ..spatial.rotation import Array
from .designs import Designs
from .running import Part, Task

ENDINGS = (".parquet", ".npz")
FORMAT = "korba sweep 1"
PATIENCE = 2.0
"""Seconds between two writings, and how many times longer than a writing they are at least."""
ASKED, REASON, ABOUT = "asked", "reason", "about"
Columns = dict[str, Any]


class Record:
    """Answers as they come in, and the file that keeps them."""

    def __init__(self, task: Task, designs: Designs, path: str | Path | None) -> None:
        self.designs, self.path = designs, None if path is None else Path(path)
        count = len(designs.p)
        self.answers = {
            name: np.full((count, *shape), np.nan) for name, shape in task.shapes.items()
        }
        self.asked = np.zeros(count, dtype=bool)
        self.reasons: dict[int, str] = {}
        self.key = _key(task, designs)
        self._written, self._pause = time.monotonic(), PATIENCE
        if self.path is not None:
            refuse_ending(self.path)
            if self.path.exists():
                self._read(self.path)

    def take(self, part: slice, said: Part) -> None:
        """Answers to a part; the file is written when it is time."""
        for name, values in said.answers.items():
            own = self.answers.get(name)
            if own is None or own.shape[1:] != values.shape[1:]:
                if np.isnan(values).all():
                    continue
                own = np.full((len(self.asked), *values.shape[1:]), np.nan)
                self.answers[name] = own
            own[part] = values
        self.reasons |= {part.start + number: text for number, text in said.reasons.items()}
        self.asked[part] = True
        if time.monotonic() - self._written > self._pause:
            self.write()

    def write(self) -> None:
        """The file as things stand."""
        if self.path is None:
            return
        begun = time.monotonic()
        columns = table(self.designs, self.answers, self.asked, self.reasons)
        shapes = {name: x.shape[1:] for name, x in self.answers.items()}
        about = json.dumps({"format": FORMAT, "key": self.key, "shapes": shapes})
        write_columns(self.path, columns, about)
        self._written = time.monotonic()
        self._pause = max(PATIENCE, 10 * (self._written - begun))

    def _read(self, path: Path) -> None:
        columns, about = _read_columns(path)
        if about.get("format") != FORMAT or about.get("key") != self.key:
            raise FileError(
                f"{path}: holds another sweep, of other designs, questions or times, or of another "
                "mechanism; give another file, or remove this one"
            )
        try:
            self.asked[:] = columns[ASKED]
            for name, own in self.answers.items():
                flat = [columns[each] for each in _flat_names(name, own.shape[1:])]
                own[:] = np.stack(flat, axis=-1).reshape(own.shape)
            self.reasons = {k: str(text) for k, text in enumerate(columns[REASON]) if text}
        except (LookupError, TypeError, ValueError) as error:
            raise FileError(f"{path}: is damaged ({error}); remove it to begin anew") from error


def refuse_ending(path: Path) -> None:
    """A file whose ending names no format."""
    if path.suffix.lower() not in ENDINGS:
        raise FileError(f"{path}: the ending must be {' or '.join(ENDINGS)}")


def table(
    designs: Designs, answers: Mapping[str, Array], asked: Array, reasons: Mapping[int, str]
) -> Columns:
    """One column for each size and each number of an answer, one row for each design."""
    columns: Columns = dict(zip(designs.names, designs.p.T, strict=True))
    for name, x in answers.items():
        flat = x.reshape(len(x), -1)
        columns |= dict(zip(_flat_names(name, x.shape[1:]), flat.T, strict=True))
    words = np.full(len(asked), "", dtype=object)
    for number, text in reasons.items():
        words[number] = text
    return columns | {ASKED: asked, REASON: words}


def _flat_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """`stroke`, or `point[0,2]` for the numbers of an array."""
    return [f"{name}[{','.join(map(str, k))}]" if k else name for k in np.ndindex(*shape)]


def write_columns(path: Path, columns: Columns, about: str) -> None:
    """A table with a text about it."""
    if path.suffix.lower() == ".parquet":
        arrow = _arrow("pyarrow")
        content = arrow.table(columns).replace_schema_metadata({ABOUT: about})
        with replaced(path) as file:
            _arrow("pyarrow.parquet").write_table(content, file)
        return
    arrays = {name: np.asarray(x) for name, x in columns.items() if name != REASON}
    words = json.dumps([str(x) for x in columns[REASON]])
    texts = {ABOUT: about, REASON: words}
    arrays |= {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
    with replaced(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _read_columns(path: Path) -> tuple[Columns, dict[str, Any]]:
    """The columns of a file and what it says about them."""
    with opened(path) as file:
        try:
            return _parquet(file) if path.suffix.lower() == ".parquet" else _archive(file)
        except KorbaError:
            raise
        except Exception as error:  # every library has its own errors for what is something else
            raise FileError(
                f"{path}: is no file of a sweep, or is damaged ({error}); remove it to begin anew"
            ) from error


def _parquet(file: Any) -> tuple[Columns, dict[str, Any]]:
    content = _arrow("pyarrow.parquet").read_table(file)
    about = json.loads((content.schema.metadata or {}).get(ABOUT.encode(), b"{}"))
    return {name: content[name].to_numpy() for name in content.column_names}, about


def _archive(file: Any) -> tuple[Columns, dict[str, Any]]:
    with np.load(file, allow_pickle=False) as archive:
        columns: Columns = {name: archive[name] for name in archive.files}
    about, reasons = (columns.pop(name).tobytes().decode() for name in (ABOUT, REASON))
    return {**columns, REASON: json.loads(reasons)}, json.loads(about)


def _arrow(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise KorbaError(
            "a .parquet file needs pyarrow: pip install pyarrow, or give a .npz file"
        ) from error


def _key(task: Task, designs: Designs) -> str:
    """What stands for everything that was asked."""
    names = [*designs.names, *task.shapes, *(question.name for question in task.questions)]
    digest = sha256("\n".join([dumps(task.m), *names]).encode())
    digest.update(np.ascontiguousarray(task.times).tobytes())
    digest.update(np.ascontiguousarray(designs.p).tobytes())
    return digest.hexdigest()

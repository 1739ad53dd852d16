"""What a sweep knows so far, in a file: Parquet (.parquet, by pyarrow) or NumPy (.npz).

The file has one row for each design: sizes, answers, whether it was asked, and the reason where it
failed. It is replaced as a whole, so that it is never half written; hashes of everything that was
asked, questions by their content (content.py), say whether a sweep is the one that the file began.
No two columns have one name: sizes, answers and what the table says itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from ..disk import opened, replaced
from ..errors import FileError, KorbaError, StructureError
from ..files.toml_file import dumps
from ..libraries import library
from ..spatial.rotation import Array
from .content import NoContentError, content
from .designs import Designs
from .running import Part, Task

ENDINGS = (".parquet", ".npz")
FORMAT = "korba sweep 2"
PATIENCE = 2.0
"""Seconds between two writings, and how many times longer than a writing they are at least."""
ASKED, REASON, ABOUT = "asked", "reason", "about"
TEXT = ".json"
"""Ending of what is text in an archive of arrays; columns end otherwise there."""
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
        self.keys: dict[str, str] = {}
        self._written, self._pause = time.monotonic(), PATIENCE
        if self.path is not None:
            refuse_ending(self.path)
            self.keys = _keys(task, designs)
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
                refuse_clashes(self.designs.names, _shapes(self.answers))
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
        said = {"format": FORMAT, "keys": self.keys, "shapes": _shapes(self.answers)}
        about = json.dumps(said)
        write_columns(self.path, columns, about)
        self._written = time.monotonic()
        self._pause = max(PATIENCE, 10 * (self._written - begun))

    def _read(self, path: Path) -> None:
        columns, about = _read_columns(path)
        keys = about.get("keys", {}) if about.get("format") == FORMAT else {}
        other = [name for name in {**keys, **self.keys} if keys.get(name) != self.keys.get(name)]
        if other:
            what = ", ".join(other) if keys else "all of it"
            raise FileError(
                f"{path}: holds another sweep, or one asked otherwise; not the same: {what}; give "
                "another file, or remove this one"
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


def _shapes(answers: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
    """Of the answers to one design."""
    return {name: x.shape[1:] for name, x in answers.items()}


def refuse_clashes(sizes: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """An error where two columns of the table would have one name."""
    owner = dict.fromkeys((ASKED, REASON), "a column of every table")
    for name in sizes:
        if name in owner:
            raise StructureError(
                f"sweep: the size {name!r} has the name of {owner[name]}; rename the parameter of "
                "the mechanism"
            )
        owner[name] = "a size"
    for answer, shape in shapes.items():
        for name in _flat_names(answer, shape):
            if name in owner:
                raise StructureError(
                    f"sweep: the answer {name!r} has the name of {owner[name]}; give the question "
                    f"another, such as {{'{answer} found': ...}}"
                )
            owner[name] = "another answer"


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
    words = json.dumps([str(x) for x in columns[REASON]])
    with replaced(path) as file, ZipFile(file, "w") as archive:
        for name, text in ((ABOUT, about), (REASON, words)):
            archive.writestr(name + TEXT, text)
        for name, x in columns.items():
            if name != REASON:  # not by savez, whose arguments have names of their own
                with archive.open(f"{name}.npy", "w", force_zip64=True) as column:
                    np.lib.format.write_array(column, np.asarray(x), allow_pickle=False)


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
    about, reasons = (json.loads(columns.pop(name + TEXT)) for name in (ABOUT, REASON))
    return {**columns, REASON: reasons}, about


def _arrow(name: str) -> Any:
    return library(name, "a .parquet file needs pyarrow: pip install pyarrow, or give a .npz file")


def _keys(task: Task, designs: Designs) -> dict[str, str]:
    """Hashes of everything that was asked."""
    keys = {"mechanism": content(dumps(task.m)), "designs": content([*designs.names, designs.p])}
    for question in task.questions:
        try:
            keys[f"question {question.name!r}"] = content(question.ask)
        except NoContentError as unknown:
            raise StructureError(
                f"sweep: file: question {question.name!r} uses {unknown}, whose content cannot be "
                "told, so that nobody knows later to which question the answers in a file belong; "
                "leave `file` out, or ask a function of numbers, texts and other functions"
            ) from unknown
    return keys | {"times": content(task.times), "version of Korba": version("korba")}

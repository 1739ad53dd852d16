"""How values show themselves: a few lines of `repr`, a table or a picture, plain data, a dataframe.

`repr` names the class and the fields that are not at their default, long ones by their size; `str`
is the full report of the classes that have one. A notebook shows the table of a value that has one
(`_table`), else its report.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from html import escape
from itertools import zip_longest
from math import floor, isfinite, log10
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar, overload

import numpy as np

from .disk import FilePath, replaced, write_text
from .libraries import library
from .saving import save_by_ending, table_ways

FEW = 6
"""Items of a sequence, or numbers of an array, that are written out."""
WIDTH, MOST_LINES = 92, 8
"""Of a `repr`."""
DIGITS = 6
"""Significant ones that are told where nothing else is said."""
LONGEST, SMALLEST = 7, -5
"""Powers of ten between which numbers have no exponent."""
MOST_ROWS = 40
"""Of a table in a notebook."""
NOTHING = 1e-12
"""Beside the largest number of a table: what is shown as 0."""


T = TypeVar("T")
_NO_DATA = object()


class Table(NamedTuple):
    """What a notebook shows: a sentence, the heads of the columns, and rows of cells."""

    caption: str
    heads: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class Displayed:
    """Base of values that show themselves in one screen; dataclasses keep this `repr`."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__repr__" not in cls.__dict__:  # a dataclass would make one that writes all out
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return described(self)

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON; a mechanism stands there by its name."""
        return as_data(self)

    def _repr_html_(self) -> str:
        """A table where there is one, else the report."""
        table = getattr(self, "_table", None)
        return html_table(table()) if table is not None else f"<pre>{escape(str(self))}</pre>"


class Tabled(Displayed):
    """What has rows that mean something, by the names of their columns."""

    rows_of: ClassVar[tuple[tuple[str, int], ...]] = ()
    """Fields with a row for each state, and how many axes behind have the parts of one state."""

    @property
    def columns(self) -> dict[str, Any]:
        """Columns by name, of one length; without fields that have rows those of a notebook."""
        if not self.rows_of:
            table: Table = self._table()  # type: ignore[attr-defined]
            return dict(zip(table.heads, zip(*table.rows, strict=True), strict=False))
        found: dict[str, Any] = {}
        for name, parts in self.rows_of:
            value = getattr(self, name)
            each = value.items() if isinstance(value, Mapping) else [("", value)]
            for key, x in each:
                found |= parted_columns(f"{name}.{_key(key)}" if key else name, x, parts)
        return found

    def to_dataframe(self) -> Any:
        """The rows as a `pandas.DataFrame` (extra `table`)."""
        missing = "to_dataframe needs the package pandas: pip install 'korba[table]'"
        return library("pandas", missing).DataFrame(dict(self.columns))

    def save(self, path: FilePath) -> None:
        """Write the rows to a .csv or .parquet file, with the names of the columns."""
        save_by_ending(type(self).__name__, path, table_ways(lambda: self.columns))


class Plotted(Displayed):
    """What has curves."""

    def plot(self, path: Any = None, **options: Any) -> Any:
        """Its curves; the options are those of `kb.plot`."""
        from .show.plots.plot import plot

        return plot(self, path, **options)  # type: ignore[arg-type]


class Listed(Tabled, Sequence[T]):
    """Base of answers that are sequences: of the items in their field `listed`."""

    listed: ClassVar[str]

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each item: those of a notebook's table, else its fields."""
        return super().columns if hasattr(self, "_table") else records(self)

    def __len__(self) -> int:
        return len(getattr(self, self.listed))

    @overload
    def __getitem__(self, i: int) -> T: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[T, ...]: ...
    def __getitem__(self, i: int | slice) -> T | tuple[T, ...]:
        """An item by its number, or some of them."""
        return getattr(self, self.listed)[i]


class Drawn(Displayed):
    """What has a picture."""

    def draw(self, at: Any = None, **options: Any) -> Drawing:
        """Its picture; the options are those of `kb.draw`."""
        from .show.drawings.draw import draw

        return draw(self, at, **options)


class Drawing(str):
    """The text of an SVG picture; a notebook shows the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: FilePath) -> None:
        """Write it to an .svg file, or to a .png one (extra `film`)."""
        missing = "a .png picture needs resvg-py: pip install 'korba[film]'; .svg needs nothing"

        def pixels(target: Path) -> None:
            resvg = library("resvg_py", missing)
            with replaced(target) as file:
                file.write(resvg.svg_to_bytes(svg_string=str(self)))

        ways = {".svg": lambda target: write_text(str(self), target), ".png": pixels}
        save_by_ending("draw", path, ways)

    def __repr__(self) -> str:
        title = self.partition("<title>")[2].partition("</title>")[0]
        return f"<Drawing {title[:60]!r}, {len(self)} characters of SVG>"


class Page(str):
    """The text of an HTML page that needs nothing else; a notebook shows it."""

    __slots__ = ()

    def framed(self, height: int = 640) -> str:
        """The page inside another one, with styles and scripts of its own."""
        frame = f"style='width:100%;border:0' height='{height}'"
        return f"<iframe {frame} srcdoc='{escape(str(self))}'></iframe>"

    def _repr_html_(self) -> str:
        return self.framed()

    def save(self, path: FilePath) -> None:
        """Write it to an .html file."""
        save_by_ending("page", path, {".html": lambda target: write_text(str(self), target)})

    def __repr__(self) -> str:
        title = self.partition("<title>")[2].partition("</title>")[0]
        return f"<Page {title[:60]!r}, {len(self)} characters of HTML>"


def as_data(value: Any) -> dict[str, Any]:
    """The fields of a result as numbers, texts, lists and mappings; functions are left out."""
    own = fields(value) if is_dataclass(value) else ()
    names = getattr(value, "_fields", None) or [f.name for f in own if f.repr]
    parts = {name: _data(getattr(value, name)) for name in names}
    return {name: each for name, each in parts.items() if each is not _NO_DATA}


def _data(value: Any) -> Any:
    if isinstance(value, bool | int | float | str | None):
        return value if type(value) in (bool, int, float, str, type(None)) else str(value)
    if isinstance(value, np.ndarray | np.generic):
        return _data(value.tolist())
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(named := getattr(value, "stands_as", None), str):
        return named
    if isinstance(value, Mapping):
        pairs = {_key(key): _data(each) for key, each in value.items()}
        return {key: each for key, each in pairs.items() if each is not _NO_DATA}
    if isinstance(value, Displayed) and hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "_fields") or (is_dataclass(value) and not isinstance(value, type)):
        return as_data(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [each for each in map(_data, value) if each is not _NO_DATA]
    return _NO_DATA


def _key(key: Any) -> str:
    return (
        key if isinstance(key, str) else ".".join(map(str, key if type(key) is tuple else (key,)))
    )


def parted_columns(name: str, value: Any, parts: int = 1) -> dict[str, Any]:
    """Columns of a quantity whose last axes have parts (`force_x`, ...), rows in one line."""
    x = np.asarray(value)
    if not parts:
        return {name: x.ravel()}
    labels = "xyz" if x.shape[-1] == 3 else [f"{i}" for i in range(x.shape[-1])]
    found: dict[str, Any] = {}
    for label, part in zip(labels, np.moveaxis(x, -1, 0), strict=True):
        found |= parted_columns(f"{name}_{label}", part, parts - 1)
    return found


def records(items: Iterable[Any]) -> dict[str, list[Any]]:
    """Columns of results that are alike, a row for each."""
    rows = [as_data(item) for item in items]
    return {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}


def described(value: Any) -> str:
    """Class and telling fields of a dataclass or named tuple, in a few lines."""
    parts = [f"{name}={brief(each)}" for name, each in _telling(value)]
    lines = textwrap.wrap(
        f"{type(value).__name__}({', '.join(parts)})",
        WIDTH,
        subsequent_indent="    ",
        max_lines=MOST_LINES,
        placeholder=" ...)",
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def brief(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, str):
        return repr(str(value) if len(value) <= 60 else f"{value[:57]}...")
    if isinstance(value, bool | np.bool_ | int | None):
        return str(value)
    if isinstance(value, float | np.floating | np.integer):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Mapping):
        short = len(value) <= FEW and all(_plain(each) for each in value.values())
        inside = ", ".join(f"{brief(key)}: {brief(each)}" for key, each in value.items())
        return f"{{{inside}}}" if short else f"<{len(value)} entries>"
    if isinstance(value, tuple | list | set | frozenset) and not hasattr(value, "_fields"):
        if len(value) > FEW or not all(_plain(each) for each in value):
            return f"<{len(value)} {_kind(value)}>"
        return f"({', '.join(map(brief, value))}{',' if len(value) == 1 else ''})"
    name = getattr(value, "name", None)
    return f"{type(value).__name__}({name[:40]!r})" if isinstance(name, str) else _unnamed(value)


def tidy(values: Any, largest: Any = None) -> Any:
    """Numbers with 0 for those that are rounding beside the largest of them, or a given one."""
    sizes = np.abs(values)
    top = np.fmax.reduce(sizes, axis=None, initial=0.0) if largest is None else largest
    return np.where(sizes <= NOTHING * top, 0.0, values)


def number_told(x: float, digits: int = DIGITS) -> str:
    """A number with so many significant digits, without an exponent unless it is far from 1.

    >>> number_told(-5e4, 2), number_told(0.1483486223), number_told(2.5e-9)
    ('-50000', '0.148349', '2.5e-09')
    """
    if not isfinite(x) or not x:
        return f"{x + 0.0:g}"
    rounded = float(f"{x:.{digits - 1}e}")
    size = floor(log10(abs(rounded)))
    if not SMALLEST <= size < LONGEST:
        return f"{x:.{digits}g}"
    text = f"{rounded:.{max(digits - 1 - size, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def columns(
    rows: Sequence[Sequence[str]], indent: str = "  ", most: int | None = None
) -> list[str]:
    """Rows of cells as lines, in columns two blanks apart.

    Where they would be wider than `most`, cells of the widest columns take several lines; words
    are broken last.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = [max(map(len, " ".join(column).split(" "))) for column in zip(*rows, strict=True)]
    while most is not None and len(indent) + sum(widths) + 2 * (len(widths) - 1) > most:
        loose = [wide for wide, word in zip(widths, words, strict=True) if wide > word]
        widths[widths.index(max(loose or widths))] -= 1
    return [
        (indent + "  ".join(f"{part:<{w}}" for part, w in zip(parts, widths, strict=True))).rstrip()
        for row in rows
        for parts in zip_longest(*map(_lines, row, widths), fillvalue="")
    ]


def _lines(cell: str, width: int) -> list[str]:
    return textwrap.wrap(cell, width, break_on_hyphens=False) if len(cell) > width else [cell]


def html_table(table: Table) -> str:
    """A plain table, everything escaped."""
    head = "".join(f"<th>{escape(each)}</th>" for each in table.heads)
    rows = [
        "<tr>" + "".join(f"<td>{escape(_cell(each))}</td>" for each in row) + "</tr>"
        for row in table.rows[:MOST_ROWS]
    ]
    if len(table.rows) > MOST_ROWS:
        rows.append(f"<tr><td>... {len(table.rows) - MOST_ROWS} more</td></tr>")
    caption = escape(table.caption).replace("\n", "<br>")
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{''.join(rows)}</table>"


def _telling(value: Any) -> Iterable[tuple[str, Any]]:
    """Fields that are not at their default."""
    if not is_dataclass(value):
        return [(name, getattr(value, name)) for name in getattr(value, "_fields", ())]
    shown = [f for f in fields(value) if f.repr]
    pairs = [(f, getattr(value, f.name)) for f in shown]
    told = [(f.name, each) for f, each in pairs if not _default(f, each)]
    return told + [(name, getattr(value, name)) for name in getattr(value, "also_shown", ())]


def _default(f: Field[Any], value: Any) -> bool:
    if f.default is MISSING or isinstance(value, np.ndarray):
        return False
    return value is f.default or (type(value) is type(f.default) and bool(value == f.default))


def _plain(value: Any) -> bool:
    return isinstance(value, str | bool | int | float | np.generic | None)


def _array(value: np.ndarray[Any, Any]) -> str:
    if value.ndim > 1 or value.size > FEW or value.dtype.kind not in "biuf":
        return f"<array {value.shape}>"
    return brief(value.item()) if not value.ndim else f"[{', '.join(map(brief, value))}]"


def _kind(values: Iterable[Any]) -> str:
    """What a sequence holds, where that is one thing."""
    kinds = {type(each).__name__ for each in values}
    return f"of {kinds.pop()}" if len(kinds) == 1 else "items"


def _unnamed(value: Any) -> str:
    if callable(value):
        return f"<{getattr(value, '__name__', type(value).__name__)}>"
    return f"<{type(value).__name__}>"


def _cell(value: Any) -> str:
    """Numbers as people read them, other values in a few words."""
    if isinstance(value, float | np.floating):
        return number_told(float(value))
    return value if isinstance(value, str) else brief(value)

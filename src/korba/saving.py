"""Results in files: the ending says how, and a table is written as CSV or as Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from .disk import FilePath, replaced
from .errors import StructureError
from .libraries import library


def save_by_ending(what: str, path: FilePath, ways: Mapping[str, Callable[[Path], object]]) -> None:
    """Write to a file in the way that its ending names; another ending is refused."""
    target = Path(path)
    if (way := ways.get(target.suffix.lower())) is None:
        known = ", ".join(ways)
        raise StructureError(f"{what}: the ending must be one of {known}, got {str(path)!r:.60}")
    way(target)


def table_ways(columns: Callable[[], Mapping[str, Any]]) -> dict[str, Callable[[Path], object]]:
    """How columns of one length are written, by the ending of the file."""
    return {
        ".csv": lambda target: write_csv(columns(), target),
        ".parquet": lambda target: write_parquet(columns(), target),
    }


def write_csv(columns: Mapping[str, Any], path: FilePath) -> None:
    """Columns as text, with the names in the first line; every digit that tells a number."""
    parts = [x.tolist() if hasattr(x, "tolist") else x for x in columns.values()]
    with replaced(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*parts, strict=True))
        text.flush()
        text.detach()


def write_parquet(columns: Mapping[str, Any], path: FilePath) -> None:
    """Columns as a Parquet file; it needs pyarrow."""
    missing = "a Parquet file needs the package pyarrow: pip install pyarrow"
    pyarrow, parquet = (library(name, missing) for name in ("pyarrow", "pyarrow.parquet"))
    with replaced(path) as file:
        parquet.write_table(pyarrow.table(dict(columns)), file)

"""Columns over time to files and to other libraries: one place for motions and simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import KorbaError
from ..spatial.rotation import Array


def write_csv(path: str | Path, names: Sequence[str], columns: Array) -> None:
    """Columns beside each other, with their names in the first line."""
    head = ",".join(f'"{name}"' if "," in name else name for name in names)
    try:
        np.savetxt(path, columns, fmt="%.17g", delimiter=",", header=head, comments="")
    except OSError as error:
        raise KorbaError(f"cannot write {path}: {error.strerror}") from error


def write_parquet(path: str | Path, columns: Mapping[str, Array]) -> None:
    """Columns by name as a Parquet file; it needs pyarrow."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise KorbaError("a Parquet file needs pyarrow: pip install pyarrow") from error
    try:
        parquet.write_table(pyarrow.table(dict(columns)), str(path))
    except OSError as error:
        raise KorbaError(f"cannot write {path}: {error.strerror}") from error


def dataset(columns: Mapping[str, Array], status: str) -> Any:
    """An xarray.Dataset with one variable for each name but `t`, over `t`."""
    try:
        import xarray
    except ImportError as error:
        raise KorbaError("to_xarray needs the package xarray: pip install xarray") from error
    data = {name: ("t", column) for name, column in columns.items() if name != "t"}
    return xarray.Dataset(data, coords={"t": columns["t"]}, attrs={"status": status})

"""Columns over time to files and to other libraries: one place for all trajectories.

A table is a mapping from names to columns of one length. The runs of a batch stand below each
other, with the number of the run in a first column `run`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, KorbaError
from ..spatial.rotation import Array

Table = Mapping[str, Array]
Units = Mapping[str, str]


def in_degrees(values: Array, unit: str) -> tuple[Array, str]:
    """Angles, and their rates, in degrees; everything else as it is."""
    return (np.degrees(values), f"deg{unit[3:]}") if unit[:3] == "rad" else (values, unit)


def stacked(columns: Table, shape: tuple[int, ...]) -> dict[str, Array]:
    """Columns of shape (..., times) below each other, with the number of each run."""
    whole = {name: np.broadcast_to(values, shape) for name, values in columns.items()}
    if len(shape) > 1:
        runs = np.arange(np.prod(shape[:-1])).reshape(*shape[:-1], 1)
        whole = {"run": np.broadcast_to(runs, shape)} | whole
    return {name: values.reshape(-1) for name, values in whole.items()}


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """What a file that cannot be written raises, in words."""
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}") from error


def _library(name: str, needed: str) -> Any:
    """A library that is loaded where it is asked for."""
    try:
        return import_module(name)
    except ImportError as error:
        raise KorbaError(f"{needed}: pip install {name}") from error


def write_csv(path: str | Path, table: Table) -> None:
    """Columns beside each other, with their names in the first line."""
    head = ",".join(f'"{name}"' if "," in name else name for name in table)
    rows = np.column_stack(list(table.values()))
    with writing(path):
        np.savetxt(path, rows, fmt="%.17g", delimiter=",", header=head, comments="")


def write_parquet(path: str | Path, table: Table) -> None:
    """A Parquet file; it needs pyarrow."""
    pyarrow = _library("pyarrow", "a Parquet file needs pyarrow")
    content = pyarrow.table(dict(table))
    with writing(path):
        _library("pyarrow.parquet", "").write_table(content, str(path))


def dataframe(table: Table, units: Units, about: Mapping[str, Any]) -> Any:
    """A pandas.DataFrame; `attrs` has the units and what else is known."""
    pandas = _library("pandas", "to_dataframe needs the package pandas")
    frame = pandas.DataFrame(dict(table))
    frame.attrs = {**about, "units": dict(units)}
    return frame


def dataset(columns: Table, units: Units, about: Mapping[str, Any]) -> Any:
    """An xarray.Dataset over `t`, and over `run`, `run_1` ... of a batch; units as attributes."""
    xarray = _library("xarray", "to_xarray needs the package xarray")
    data = {
        name: ([*_runs(values), "t"], values, {"units": units[name]})
        for name, values in columns.items()
        if name != "t"
    }
    t = ("t", columns["t"], {"units": "s"})
    return xarray.Dataset(data, coords={"t": t}, attrs=dict(about))


def _runs(values: Array) -> list[str]:
    """Names of the axes of a batch."""
    return [f"run_{k}" if k else "run" for k in range(values.ndim - 1)]

"""Columns over time to files and to other libraries: what a trajectory can be turned into.

A table is a mapping from names to columns of one length. The runs of a batch stand below each
other, with the number of the run in a first column `run`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StructureError
from ..libraries import library
from ..saving import save_by_ending, table_ways
from ..spatial.rotation import Array
from . import archive

if TYPE_CHECKING:
    from .trajectory import Trajectory

Names = Iterable[str] | None


def save(
    moved: Trajectory, path: str | Path, names: Names = None, *, degrees: bool = False
) -> None:
    """Write all of it, mechanism included, to an .npz file that `Trajectory.load` reads back.

    Or columns, all of them or those named, to a .csv or .parquet file.
    """

    def whole(target: Path) -> None:
        if names is not None or degrees:
            raise StructureError("save: an archive has all columns in SI; name some for .csv files")
        archive.write(moved, target)

    ways = {".npz": whole, **table_ways(lambda: _stacked(moved, names, degrees)[0])}
    save_by_ending("save", path, ways)


def to_dataframe(moved: Trajectory, names: Names = None, *, degrees: bool = False) -> Any:
    """The columns as a `pandas.DataFrame`; `attrs["units"]` has the units."""
    table, units = _stacked(moved, names, degrees)
    frame = _library("pandas", "to_dataframe").DataFrame(table)
    frame.attrs = {**archive.about(moved), "units": units}
    return frame


def to_xarray(moved: Trajectory, names: Names = None, *, degrees: bool = False) -> Any:
    """The same as an `xarray.Dataset` over the time; every variable has its `units`.

    A batch has the axes `run`, `run_1` ... besides.
    """
    xarray = _library("xarray", "to_xarray")
    columns, units = _chosen(moved, names, degrees)
    columns.pop("t", None)
    axes = [f"run_{k}" if k else "run" for k in range(len(moved.shape))] + ["t"]
    data = {name: (axes, values, {"units": units[name]}) for name, values in columns.items()}
    t = ("t", moved.t, {"units": "s"})
    return xarray.Dataset(data, coords={"t": t}, attrs=archive.about(moved))


def _chosen(
    moved: Trajectory, names: Names, degrees: bool
) -> tuple[dict[str, Array], dict[str, str]]:
    """Columns by name, angles and their rates in degrees where asked for, and their units."""
    wanted = moved.names if names is None else tuple(names)
    columns, units = {name: moved[name] for name in wanted}, {n: moved.units[n] for n in wanted}
    for name in [name for name in wanted if degrees and units[name].startswith("rad")]:
        columns[name], units[name] = np.degrees(columns[name]), f"deg{units[name][3:]}"
    return columns, units


def _stacked(
    moved: Trajectory, names: Names, degrees: bool
) -> tuple[dict[str, Array], dict[str, str]]:
    """The same with runs below each other, and the number of each run."""
    columns, units = _chosen(moved, names, degrees)
    shape = moved.q.shape[:-1]
    whole = {name: np.broadcast_to(values, shape) for name, values in columns.items()}
    if moved.shape:
        runs = np.arange(np.prod(moved.shape)).reshape(*moved.shape, 1)
        whole = {"run": np.broadcast_to(runs, shape)} | whole
    return {name: values.reshape(-1) for name, values in whole.items()}, units


def _library(name: str, what: str) -> Any:
    package = name.partition(".")[0]
    return library(name, f"{what} needs the package {package}: pip install {package}")

"""Designs to be tried: a table of values of named sizes, one row for each design.

grid      every value of one size with every value of the others
random    sizes between two ends, spread evenly (a Latin hypercube)
given     the values as they stand, row by row
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..door import shown
from ..errors import StructureError
from ..libraries import undisturbed
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.sizes import refuse_other_sizes
from ..verbs.designs import fit, refusal, size_values, sizes_of
from ..verbs.states import refuse_other
from ..wording import given

KINDS = ("grid", "random", "given")
LARGEST = 20_000_000
"""Designs of one sweep."""


class Designs(NamedTuple):
    """Values of named sizes."""

    names: tuple[str, ...]
    p: Array
    """In SI, shape (designs, names)."""
    shape: tuple[int, ...]
    """The axes of a grid, one for each name; else (designs,)."""


def designs_of(m: Mechanism, given: Mapping[str, Any], kind: str, count: int, seed: int) -> Designs:
    """The table of the designs that were asked for."""
    refuse_other("designs", kind, KINDS)
    refuse_other_sizes(m, [*given])
    if not given:
        raise StructureError("sweep: name one or more sizes to vary, such as {'rod': [0.1, 0.2]}")
    values = {name: np.atleast_1d(size_values(m, name, value)) for name, value in given.items()}
    for name, each in values.items():
        if each.ndim != 1 or not each.size:
            raise StructureError(
                f"sweep: {name!r}: expected a row of values, got {shown(given[name])}"
            )
    if kind == "random":
        return _random(values, count, seed)
    if kind == "given":
        return _rows(values)
    shape = tuple(len(each) for each in values.values())
    _refuse_many(float(np.prod(np.array(shape, dtype=float))))
    columns = np.meshgrid(*values.values(), indexing="ij")
    return Designs(tuple(values), np.stack([x.ravel() for x in columns], axis=-1), shape)


def bounds_of(m: Mechanism, given: Mapping[str, Any], what: str) -> tuple[Array, Array]:
    """Lower and upper ends of sizes, in SI; those the wrong way round are refused."""
    refuse_other_sizes(m, [*given])
    if not given:
        raise StructureError(f"{what}: name one or more sizes, such as {{'rod': (0.1, 0.2)}}")
    values = {name: np.atleast_1d(size_values(m, name, value)) for name, value in given.items()}
    low, high = _ends(values, what)
    _refuse_unfit_ends(m, tuple(given), low, high, what)
    return low, high


def _refuse_unfit_ends(
    m: Mechanism, names: tuple[str, ...], low: Array, high: Array, what: str
) -> None:
    """An error for a range at whose end there is no mechanism, whatever the others are."""
    others = np.array([np.clip(sizes_of(m, names), low, high), low, high])
    for k, name in enumerate(names):
        for side, end in (("lower", low[k]), ("upper", high[k])):
            p = np.where(np.arange(len(names)) == k, end, others)
            if not fit(m, names, p).any() and (reason := refusal(m, names, p[0])):
                raise StructureError(
                    f"{what}: {name!r}: there is no mechanism at the {side} end of its range, "
                    f"{end:.6g}: {reason}"
                )


def _ends(values: Mapping[str, Array], what: str) -> tuple[Array, Array]:
    for name, each in values.items():
        if each.shape != (2,):
            raise StructureError(
                f"{what}: {name!r}: expected its lower and upper end, such as ('100 mm', "
                f"'200 mm'), got {each.size} value{'s' * (each.size != 1)}"
            )
        if not each[0] < each[1]:
            raise StructureError(
                f"{what}: {name!r}: the lower end {each[0]:.6g} is not below the upper end "
                f"{each[1]:.6g}; give the smaller value first"
            )
    low, high = np.array([*values.values()]).T
    return low, high


def spread(low: Array, high: Array, count: int, seed: int) -> Array:
    """Designs between two ends, evenly spread, shape (count, names)."""
    with undisturbed():
        from scipy.stats import qmc

    unit = qmc.LatinHypercube(len(low), rng=np.random.default_rng(seed)).random(count)
    return np.asarray(low + (high - low) * unit)


def _random(values: Mapping[str, Array], count: int, seed: int) -> Designs:
    if count < 1 or seed < 0:
        raise StructureError(f"sweep: count and seed: expected 1 or more, got {count} and {seed}")
    _refuse_many(float(count))
    low, high = _ends(values, "sweep")
    return Designs(tuple(values), spread(low, high, count, seed), (count,))


def _rows(values: Mapping[str, Array]) -> Designs:
    lengths = {name: len(each) for name, each in values.items()}
    if len({*lengths.values()} - {1}) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in lengths.items())
        raise StructureError(f"sweep: given designs need columns of one length, got {listed}")
    p = np.stack(np.broadcast_arrays(*values.values()), axis=-1)
    return Designs(tuple(values), np.array(p), (len(p),))


def _refuse_many(count: float) -> None:
    if count > LARGEST:
        raise StructureError(
            f"sweep: {count:.3g} designs are too many for one table, the most is {LARGEST}; take "
            f"fewer values, or {given('sweep', designs='random', count=10_000)}"
        )
